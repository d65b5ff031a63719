/** One kind of secret: how it looks, and the name its mark carries. */
interface SecretPattern {
  readonly kind: string;
  readonly pattern: RegExp;
  /** Keeps what stands before the value, such as a header's name; default: all of the match is the secret. */
  readonly keep?: (groups: string[]) => string;
}

/** What tells that a text holds none of it, so that the patterns need not run. Cheap, and never wrong in that direction. */
const MAY_HOLD_SECRET =
  /[@=]|-----|(?:sk|pk|rk|gsk|xai|nvapi|glpat|hf|pplx|csk|fw|r8|tgp|key|ghp|gho|ghu|ghs|ghr|github_pat|xox|AIza|ya29|AKIA|ASIA|ABSK|eyJ|whsec|npm|pat|lsv2)[-_0-9A-Za-z.]|bearer|basic|api.?key|token|secret|password|passwd|credential|authorization|cookie|signature|session|private|auth/i;

/**
 * The shapes, most specific first. Each matches in linear time: no nested repetition, and every repetition is bounded or runs
 * over one class of characters.
 */
const SECRETS: readonly SecretPattern[] = [
  {
    kind: "private-key",
    pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
  },
  {
    kind: "cookie",
    pattern: /\b((?:set-)?cookie["']{0,2}\s{0,4}[:=,]\s{0,4}\[?\s{0,4}["']?)(?=[^\s"'])[^"'\r\n\]}]{3,}/gi,
    keep: ([name]) => name ?? "",
  },
  {
    kind: "credential",
    pattern:
      /\b((?:proxy-)?authorization["']{0,2}\s{0,4}[:=,]\s{0,4}\[?\s{0,4}["']?)(?!\[redacted)(?=[^\s"'])[^"'\r\n,\]}]{4,}/gi,
    keep: ([name]) => name ?? "",
  },
  {
    kind: "url-credentials",
    pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#"'<>@]{1,1024}(?:@[^\s/?#"'<>@]{1,1024}){0,4}@/gi,
    keep: ([scheme]) => scheme ?? "",
  },
  { kind: "anthropic-key", pattern: /\bsk-ant-[A-Za-z0-9_-]{6,}/g },
  { kind: "openrouter-key", pattern: /\bsk-or-[A-Za-z0-9_-]{6,}/g },
  { kind: "openai-key", pattern: /\bsk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_*-]{6,}/g },
  { kind: "openai-key", pattern: /\bsk-[A-Za-z0-9_*-]{8,}/g },
  { kind: "stripe-key", pattern: /\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{8,}/g },
  { kind: "google-key", pattern: /\bAIza[A-Za-z0-9_-]{20,}/g },
  { kind: "google-token", pattern: /\bya29\.[A-Za-z0-9_.-]{8,}/g },
  { kind: "aws-key", pattern: /\b(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{12,}/g },
  { kind: "aws-bedrock-key", pattern: /\bABSK[A-Za-z0-9+/=]{20,}/g },
  { kind: "groq-key", pattern: /\bgsk_[A-Za-z0-9]{8,}/g },
  { kind: "xai-key", pattern: /\bxai-[A-Za-z0-9_-]{8,}/g },
  { kind: "nvidia-key", pattern: /\bnvapi-[A-Za-z0-9_-]{8,}/g },
  { kind: "huggingface-token", pattern: /\bhf_[A-Za-z0-9]{8,}/g },
  { kind: "perplexity-key", pattern: /\bpplx-[A-Za-z0-9]{8,}/g },
  { kind: "cerebras-key", pattern: /\bcsk-[A-Za-z0-9]{8,}/g },
  { kind: "replicate-token", pattern: /\br8_[A-Za-z0-9]{8,}/g },
  { kind: "fireworks-key", pattern: /\bfw_[A-Za-z0-9]{12,}/g },
  { kind: "github-token", pattern: /\b(?:gh[opusr]_[A-Za-z0-9]{12,}|github_pat_[A-Za-z0-9_]{12,})/g },
  { kind: "gitlab-token", pattern: /\bglpat-[A-Za-z0-9_-]{12,}/g },
  { kind: "slack-token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{8,}/g },
  { kind: "npm-token", pattern: /\bnpm_[A-Za-z0-9]{20,}/g },
  { kind: "langsmith-key", pattern: /\blsv2_[a-z]{2}_[A-Za-z0-9_]{12,}/g },
  { kind: "jwt", pattern: /\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{1,}){1,4}/g },
  {
    kind: "bearer-token",
    pattern: /\b(bearer\s{1,4}["']?)(?!\[redacted)(?=[^\s"',;]*[0-9_.~+/=-])[^\s"',;}\]]{8,}/gi,
    keep: ([scheme]) => scheme ?? "",
  },
  {
    kind: "basic-credentials",
    pattern: /\b(basic\s{1,4})(?=[A-Za-z0-9+/]*[0-9A-Z=])[A-Za-z0-9+/]{8,}={0,2}/g,
    keep: ([scheme]) => scheme ?? "",
  },
  {
    kind: "basic-credentials",
    pattern: /\b(Basic\s{1,4})(?=[A-Za-z0-9+/]*[0-9A-Z=])[A-Za-z0-9+/]{8,}={0,2}/g,
    keep: ([scheme]) => scheme ?? "",
  },
  {
    // Names that carry a secret, as a header, a property, a query parameter or a form field.
    kind: "secret",
    pattern:
      /((?:\b|[_-])(?:x-)?(?:api[-_ ]?key|apikey|goog[-_]api[-_]key|subscription[-_]key|(?:access|refresh|id|auth|session|security|bearer|secret|csrf|xsrf|api|user|oauth)[-_]?token|auth[-_]?key|access[-_]?key(?:[-_]?id)?|secret[-_]?(?:access[-_]?)?key|client[-_]?secret|private[-_]?key|signing[-_]?key|password|passwd|pwd|passphrase|credentials?|x-amz-(?:signature|credential|security-token)|signature|session[-_]?id|authtoken|secret|token|sig|code_verifier|client_assertion)["'`\\]{0,3}\s{0,4}(?:[:=]|=>|%3[dD])\s{0,4}["'`\\]{0,3})(?!\[redacted|null\b|none\b|undefined\b|true\b|false\b|bearer\b|basic\b)([^\s"'`&;,<>{}()[\]\\]{6,})/gi,
    keep: ([name]) => name ?? "",
  },
  {
    kind: "secret",
    pattern: /([?&](?:key|api|auth|access|code|pass|t|s)=)(?!\[redacted)[^\s"'&#<>]{6,}/gi,
    keep: ([name]) => name ?? "",
  },
  {
    kind: "email",
    pattern: /(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}\b/g,
  },
];

/**
 * Replaces what looks like a secret by a mark that keeps its kind, such as `[redacted openai-key]`. Linear in the text's length.
 *
 * Covers API keys of the known shapes, tokens (JWT, OAuth, bearer, basic), the value of headers, properties and query
 * parameters whose name says that they are secret, user info in URLs, cookies, private keys and e-mail addresses.
 */
export function redact(text: string): string {
  if (!MAY_HOLD_SECRET.test(text)) return text;
  // What was redacted before stays as it is.
  return text.includes("[redacted ")
    ? text
        .split(MARK)
        .map((part, index) => (index % 2 === 1 ? part : redactPart(part)))
        .join("")
    : redactPart(text);
}

const MARK = /(\[redacted [a-z-]{2,30}\])/;

function redactPart(text: string): string {
  let clean = text;
  for (const { kind, pattern, keep } of SECRETS) {
    clean = keep
      ? clean.replace(pattern, (_match, ...groups: string[]) => `${keep(groups)}[redacted ${kind}]`)
      : clean.replace(pattern, `[redacted ${kind}]`);
  }
  return clean;
}
