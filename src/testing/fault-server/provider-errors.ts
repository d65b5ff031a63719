/** An error as the providers word it: the HTTP status, and type, code and text in each family's own shape. */
export interface ProviderError {
  anthropic: { status: number; type: string; message: string };
  openai: { status: number; type: string; code: string | null; message: string };
}

/** Errors by name, worded as the providers word them. */
export const providerErrors = {
  overloaded: {
    anthropic: { status: 529, type: "overloaded_error", message: "Overloaded" },
    openai: {
      status: 503,
      type: "server_error",
      code: "server_is_overloaded",
      message: "The engine is currently overloaded, please try again later.",
    },
  },
  rate_limit: {
    anthropic: {
      status: 429,
      type: "rate_limit_error",
      message: "This request would exceed your organization's rate limit of 50 requests per minute.",
    },
    openai: {
      status: 429,
      type: "requests",
      code: "rate_limit_exceeded",
      message: "Rate limit reached for requests. Limit: 3 / min. Please try again in 20s.",
    },
  },
  insufficient_quota: {
    anthropic: {
      status: 400,
      type: "invalid_request_error",
      message:
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    },
    openai: {
      status: 429,
      type: "insufficient_quota",
      code: "insufficient_quota",
      message: "You exceeded your current quota, please check your plan and billing details.",
    },
  },
  context_length_exceeded: {
    anthropic: {
      status: 400,
      type: "invalid_request_error",
      message: "prompt is too long: 210000 tokens > 200000 maximum",
    },
    openai: {
      status: 400,
      type: "invalid_request_error",
      code: "context_length_exceeded",
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
    },
  },
  request_too_large: {
    anthropic: { status: 413, type: "request_too_large", message: "Request exceeds the maximum size" },
    openai: { status: 413, type: "invalid_request_error", code: null, message: "Request body is too large." },
  },
  authentication: {
    anthropic: { status: 401, type: "authentication_error", message: "invalid x-api-key" },
    openai: {
      status: 401,
      type: "invalid_request_error",
      code: "invalid_api_key",
      message: "Incorrect API key provided: test-key.",
    },
  },
  permission: {
    anthropic: {
      status: 403,
      type: "permission_error",
      message: "Your API key does not have permission to use the specified resource.",
    },
    openai: {
      status: 403,
      type: "invalid_request_error",
      code: "unsupported_country_region_territory",
      message: "Country, region, or territory not supported",
    },
  },
  model_not_found: {
    anthropic: { status: 404, type: "not_found_error", message: "model: no-such-model" },
    openai: {
      status: 404,
      type: "invalid_request_error",
      code: "model_not_found",
      message: "The model `no-such-model` does not exist or you do not have access to it.",
    },
  },
  invalid_request: {
    anthropic: { status: 400, type: "invalid_request_error", message: "messages.0.content: Field required" },
    openai: {
      status: 400,
      type: "invalid_request_error",
      code: null,
      message: "Invalid type for 'messages[0].content': expected a string, but got an integer instead.",
    },
  },
  content_policy: {
    anthropic: { status: 400, type: "invalid_request_error", message: "Output blocked by content filtering policy" },
    openai: {
      status: 400,
      type: "invalid_request_error",
      code: "content_policy_violation",
      message: "Your request was rejected as a result of our safety system.",
    },
  },
  server_error: {
    anthropic: { status: 500, type: "api_error", message: "Internal server error" },
    openai: {
      status: 500,
      type: "server_error",
      code: "server_error",
      message: "The server had an error while processing your request. Sorry about that!",
    },
  },
  timeout: {
    anthropic: { status: 504, type: "timeout_error", message: "Request timed out" },
    openai: { status: 504, type: "server_error", code: "timeout", message: "Request timed out." },
  },
} as const satisfies Record<string, ProviderError>;

export type ProviderErrorName = keyof typeof providerErrors;

/** What a provider says with a status that the script gives no other body for. */
export function errorOfStatus(status: number): ProviderError {
  const [type, message] = STATUS_TYPES[status] ?? (status < 500 ? STATUS_TYPES[400] : STATUS_TYPES[500]) ?? ["api_error", ""];
  return {
    anthropic: { status, type, message },
    openai: { status, type: status < 500 ? "invalid_request_error" : "server_error", code: null, message },
  };
}

const STATUS_TYPES: Readonly<Record<number, readonly [type: string, message: string]>> = {
  400: ["invalid_request_error", "The request is not valid."],
  401: ["authentication_error", "The API key is not valid."],
  403: ["permission_error", "The API key has no permission for this resource."],
  404: ["not_found_error", "The model was not found."],
  408: ["timeout_error", "The request took too long to arrive."],
  409: ["conflict_error", "The request conflicts with another one."],
  413: ["request_too_large", "The request is too large."],
  422: ["invalid_request_error", "The request could not be processed."],
  425: ["api_error", "Too early."],
  429: ["rate_limit_error", "Too many requests, please slow down."],
  500: ["api_error", "Internal server error"],
  502: ["api_error", "Bad gateway"],
  503: ["api_error", "Service unavailable"],
  504: ["timeout_error", "Gateway timeout"],
  529: ["overloaded_error", "Overloaded"],
};
