import { refusalRules } from "./request.ts";
import { rulesFor } from "./rule.ts";
import { weakRefusalRules, weakTransportRules } from "./weak.ts";

const RFC = "RFC 9110";

/** Statuses of the 4xx that say by themselves what is wrong, and that it is not the request. */
const TELLING_STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 408, 409, 425, 429]);

/** What is left when neither a decisive code nor any wording decided: general codes, then the status, then nothing. */
export const fallbackRules = [
  ...rulesFor("stream_interrupted", [
    {
      id: "stream.empty",
      why: "An empty error is a cut stream.",
      source: "Rulebook 11",
      when: ({ text, status, codes, causes, name }) =>
        text.trim() === "" &&
        (status === undefined || status < 300) &&
        codes.length === 0 &&
        causes.length === 0 &&
        !/^(?:Type|Reference|Range|Syntax)Error$/.test(name),
      examples: ["", "{}"],
      nearMisses: ["Something went wrong"],
    },
  ]),
  ...rulesFor("rate_limited", [
    {
      id: "rate.code",
      why: "The provider's code says that it throttles.",
      source: "OpenAI, Anthropic, Google, AWS, Azure",
      codes: [
        "rate_limit_error",
        "rate_limit_exceeded",
        "ratelimiterror",
        "ratelimitexceeded",
        "rate_limit_reached_error",
        "too_many_requests",
        "too_many_requests_error",
        "toomanyrequests",
        "toomanyrequestsexception",
        "throttlingexception",
        "throttling",
        "throttled",
        "throttling.ratequota",
        "limit_requests",
        "requests_limit",
        "resource_exhausted",
        "request_quota_exceeded",
        "1302",
      ],
      examples: ['{"error":{"type":"rate_limit_error","message":"x"}}'],
    },
  ]),
  ...weakRefusalRules,
  ...rulesFor("invalid_request", [
    {
      id: "request.code",
      why: "The provider's code says that the request is invalid.",
      source: "OpenAI, Anthropic, AWS, Google",
      codes: [
        "invalid_request_error",
        "invalid_request",
        "invalidrequesterror",
        "badrequesterror",
        "bad_request",
        "badrequest",
        "invalid_argument",
        "invalidparameter",
        "invalid_parameter",
        "validationexception",
        "unprocessableentityerror",
        "failed_precondition",
        "out_of_range",
        "unimplemented",
        "not_implemented",
        "invalid_prompt",
        "string_above_max_length",
        "invalid_value",
        "request_fail",
        "already_exists",
      ],
      // OpenAI and servers like it give every refusal this type: a status that says more is heard instead.
      when: ({ status }) => status === undefined || !TELLING_STATUSES.has(status),
      examples: ['{"error":{"type":"invalid_request_error","message":"x"}}'],
      nearMisses: [
        { text: '{"error":{"type":"invalid_request_error","message":"x"}}', status: 409 },
        { text: '{"error":{"type":"invalid_request_error","message":"x"}}', status: 429 },
      ],
    },
  ]),
  ...weakTransportRules,
  ...rulesFor("rate_limited", [
    {
      id: "rate.status",
      why: "Status 429 with nothing that says otherwise is a throttle.",
      source: "RFC 6585",
      status: [429],
      examples: [{ text: "status code (no body)", status: 429 }],
      nearMisses: [{ text: "x", status: 400 }],
    },
  ]),
  ...rulesFor("auth", [
    {
      id: "auth.status",
      why: "Status 401 and 403 mean that the credential is refused or not enough.",
      source: RFC,
      status: [401, 403],
      examples: [{ text: "x", status: 401 }],
      nearMisses: [{ text: "x", status: 404 }],
    },
  ]),
  ...rulesFor("auth", [
    {
      id: "auth.class",
      why: "The client's class of error says that the credential was refused.",
      source: "OpenAI and Anthropic SDKs, LiteLLM",
      codes: ["authenticationerror", "permissiondeniederror", "unauthorizederror", "forbiddenerror"],
      examples: ["ForbiddenError: x"],
    },
  ]),
  ...rulesFor("quota_exhausted", [
    {
      id: "quota.status",
      why: "Status 402 wants a payment.",
      source: RFC,
      status: [402],
      examples: [{ text: "x", status: 402 }],
    },
  ]),
  ...rulesFor("timeout", [
    {
      id: "timeout.status",
      why: "The status says that somebody on the way gave up waiting.",
      source: `${RFC}; Cloudflare 522 and 524`,
      status: [408, 504, 522, 524, 598, 599],
      examples: [{ text: "x", status: 524 }],
    },
  ]),
  ...rulesFor("overloaded", [
    {
      id: "overload.status",
      why: "Status 529 means that the provider is overloaded.",
      source: "Anthropic",
      status: [529],
      examples: [{ text: "x", status: 529 }],
    },
  ]),
  ...rulesFor("network", [
    {
      id: "network.status",
      why: "Status 530: the gateway could not reach the origin.",
      source: "Cloudflare",
      status: [530],
      examples: [{ text: "x", status: 530 }],
    },
  ]),
  ...rulesFor("server_error", [
    {
      id: "server.inner-status",
      why: "The body tells of a failure upstream that the outer status hides.",
      source: "Rulebook 6",
      codes: [
        "500",
        "502",
        "503",
        "504",
        "internalservererror",
        "internal_server_error",
        "server_error",
        "api_error",
        "internal_error",
        "internalfailure",
        "internalserverexception",
        "serviceunavailableexception",
        "serviceunavailable",
        "service_unavailable",
        "service_unavailable_error",
        "internal",
        "unavailable",
        "aborted",
        "cancelled",
        "bad_gateway",
        "upstream_error",
        "provider_error",
        "modelerrorexception",
        "server_error_exception",
      ],
      examples: ['{"error":{"type":"api_error","message":"x"}}', { text: '{"error":{"code":503,"message":"x"}}', status: 400 }],
    },
  ]),
  ...rulesFor("model_not_found", [
    {
      id: "model.status",
      why: "Status 404 with word of a model.",
      source: "OpenAI-compatible servers",
      status: [404],
      says: /\bmodels?\b|requested entity/,
      examples: [{ text: "models", status: 404 }],
      nearMisses: [{ text: "404 page not found", status: 404 }],
    },
    {
      id: "model.not-found",
      why: "Not found, said of a resource of the API: the model.",
      source: "Anthropic not_found_error, gRPC NOT_FOUND",
      codes: ["not_found_error", "not_found", "notfounderror_model"],
      status: [404],
      examples: [{ text: '{"error":{"type":"not_found_error","message":"x"}}', status: 404 }],
    },
  ]),
  ...rulesFor("config", [
    {
      id: "config.status",
      why: "The route, the method or a redirect: the base URL is not that of an API.",
      source: RFC,
      status: [[300, 399], 404, 405, 407, 410, 421],
      examples: [
        { text: "x", status: 404 },
        { text: "x", status: 307 },
      ],
    },
  ]),
  ...rulesFor("invalid_request", [
    {
      id: "request.not-implemented",
      why: "The server does not do what was asked; it will not learn it while we wait.",
      source: RFC,
      status: [501, 505],
      examples: [{ text: "x", status: 501 }],
    },
  ]),
  ...rulesFor("server_error", [
    {
      id: "server.status",
      why: "A conflict, a request too early, or a failure on the server's side, with nothing that says otherwise.",
      source: `${RFC}; rulebook 10`,
      status: [409, 423, 424, 425, [500, 599]],
      examples: [
        { text: "x", status: 500 },
        { text: "x", status: 409 },
      ],
    },
  ]),
  ...rulesFor("invalid_request", [
    {
      id: "request.status",
      why: "The server refuses the request as it is.",
      source: RFC,
      status: [[400, 499]],
      examples: [{ text: "x", status: 400 }],
    },
  ]),
  ...refusalRules,
  ...rulesFor("unknown", [
    {
      id: "unknown",
      why: "No rule knows it. What is not known to pass is not repeated by itself.",
      source: "Rulebook 1",
      examples: ["Something went wrong"],
    },
  ]),
];
