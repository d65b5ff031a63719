import { rulesFor } from "./rule.ts";

const OPENAI = "OpenAI error codes";
const GOOGLE = "google.rpc.Code and ErrorInfo reasons";

/** Codes that decide by themselves. Those too general for that (`rate_limit_error`, `INTERNAL`) are fallbacks. */
export const codeRules = [
  ...rulesFor("rate_limited", [
    {
      id: "rate.per-minute-quota",
      why: "The quota that was hit is one per minute or second: it refills while we wait.",
      source: "google.rpc.QuotaFailure: quotaId …PerMinute…",
      when: (facts) => facts.codes.some((code) => /per(?:_|-)?(?:minute|second)/i.test(code)) && !facts.codes.some((code) => /per(?:_|-)?day/i.test(code)),
      examples: [
        '{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateContentInputTokensPerModelPerMinute-PaidTier"}]},{"retryDelay":"21s"}]}}',
      ],
      nearMisses: [
        '{"error":{"code":429,"message":"You exceeded your current quota","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}',
      ],
    },
  ]),
  ...rulesFor("quota_exhausted", [
    {
      id: "quota.code",
      why: "The provider's code says that the balance or plan is used up; waiting a moment changes nothing.",
      source: `${OPENAI}; DashScope, DeepSeek, one-api and z.ai codes`,
      codes: [
        "insufficient_quota", "insufficient_user_quota", "insufficient_balance", "insufficientquota", "insufficient_credits", "insufficient_funds", "billing_error", "billing_hard_limit_reached",
        "billing_not_active", "billing_limit_exceeded", "account_deactivated_billing", "usage_limit_reached", "usage_limit_exceeded", "usage_not_included", "quota_exhausted", "quotaexhausted", "quota_not_enough", "pre_consume_token_quota_failed",
        "credits_exhausted", "credit_limit_exceeded", "creditserror", "payment_required", "paymentrequired", "free_tier_only", "allocationquota.freetieronly", "arrearage", "access_terminated_billing", "spending_limit_exceeded",
        "monthly_limit_exceeded", "daily_limit_exceeded", "subscription_required", "budget_exceeded", "budgetexceedederror", "freeusagelimiterror", "exceeded_current_quota_error", "servicequotaexceededexception", "1113", "1308", "1309", "1310",
      ],
      examples: ['{"error":{"message":"Please retry","type":"insufficient_quota","code":"insufficient_quota"}}', "insufficient_quota: see billing"],
      nearMisses: ['{"error":{"message":"slow down","type":"rate_limit_error"}}'],
    },
    {
      id: "quota.per-day-quota",
      why: "The quota that was hit is one per day or longer.",
      source: "google.rpc.QuotaFailure: quotaId …PerDay…",
      when: (facts) => facts.codes.some((code) => /per(?:_|-)?(?:day|week|month)/i.test(code)),
      examples: ['{"error":{"code":429,"message":"Quota exceeded","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}'],
      nearMisses: ['{"error":{"code":429,"message":"Quota","details":[{"violations":[{"quotaId":"RequestsPerMinutePerProject"}]}]}}'],
    },
  ]),
  ...rulesFor("content_policy", [
    {
      id: "content.code",
      why: "The provider's moderation refused; the same request is refused again.",
      source: `${OPENAI}; Azure ResponsibleAI, DashScope data inspection, Google finish reasons`,
      codes: [
        "content_policy_violation", "content_filter", "contentfilter", "content_filtered", "responsibleaipolicyviolation", "data_inspection_failed", "datainspectionfailed", "internalerror.algo.datainspectionfailed", "moderation_blocked",
        "content_blocked", "content_policy_error", "safety", "prohibited_content", "blocklist", "image_safety", "sensitive_words_detected", "risk_control", "cyber_policy_violation", "usage_policy_violation", "1301",
      ],
      examples: ['{"error":{"message":"The response was filtered","code":"content_filter"}}'],
      nearMisses: ['{"error":{"message":"invalid content","code":"invalid_request_error"}}'],
    },
  ]),
  ...rulesFor("auth", [
    {
      id: "auth.code",
      why: "The provider's code says that the credential is missing, expired, refused or not allowed to do this.",
      source: `${OPENAI}; Anthropic error types; AWS and OAuth error codes; ${GOOGLE}`,
      codes: [
        "invalid_api_key", "incorrect_api_key", "invalid_x-api-key", "authentication_error", "unauthorized", "invalid_token", "token_expired", "token_invalidated", "token_revoked", "refresh_token_reused", "refresh_token_expired",
        "invalid_grant", "invalid_client", "permission_error", "permission_denied", "insufficient_permissions", "accessdenied", "accessdeniedexception", "expiredtoken", "expiredtokenexception", "unrecognizedclientexception",
        "invalidsignatureexception", "missingauthenticationtokenexception", "credentialsprovidererror", "incompletesignature", "unauthenticated", "api_key_invalid", "api_key_service_blocked", "service_disabled", "access_token_expired", "account_deactivated",
        "organization_deactivated", "unsupported_country_region_territory", "request_forbidden", "invalid_authentication_error", "invalid_authentication", "invalidapikey", "no_api_key", "missing_api_key", "login_required", "ip_not_authorized", "1000", "1001", "1002",
        "1003", "1004",
      ],
      examples: ['{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}', "AccessDeniedException: User is not authorized to perform: bedrock:InvokeModel"],
      nearMisses: ['{"error":{"type":"invalid_request_error","message":"tools: unknown key"}}'],
    },
  ]),
  ...rulesFor("model_not_found", [
    {
      id: "model.code",
      why: "The provider's code says that it does not know the model, or has switched it off.",
      source: `${OPENAI}; Azure DeploymentNotFound; gateways`,
      codes: ["model_not_found", "modelnotfound", "modelnotfounderror", "deploymentnotfound", "model_not_available", "unsupported_model", "model_not_supported", "modelnotsupported", "invalid_model", "model_deprecated", "model_unavailable", "unknown_model", "nosuchmodelerror", "ai_nosuchmodelerror", "no_such_model", "resourcenotfoundexception", "1211"],
      examples: ['{"error":{"message":"No such thing","code":"model_not_found"}}'],
      nearMisses: ['{"error":{"message":"No route","code":"not_found"}}'],
    },
  ]),
  ...rulesFor("overloaded", [
    {
      id: "overload.code",
      why: "The provider says that it has no capacity just now.",
      source: `Anthropic overloaded_error; ${OPENAI}; Moonshot; Google MODEL_CAPACITY_EXHAUSTED`,
      codes: ["overloaded_error", "overloadederror", "server_is_overloaded", "server_overloaded", "engine_overloaded_error", "engine_overloaded", "model_overloaded", "slow_down", "model_capacity_exhausted", "modelnotreadyexception", "capacity_exceeded", "no_capacity", "529", "system_busy", "1305"],
      examples: ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
      nearMisses: ['{"type":"error","error":{"type":"api_error","message":"Internal server error"}}'],
    },
  ]),
];
