import type { Failure, FailureKind } from "../../src/errors/types.ts";
import type { ReferenceFailure } from "../../src/testing/index.ts";

/** A failure as a session describes it, of what the reference says of one. */
export function failureOf({ action, kind, retryAfterMs, contextWindow }: ReferenceFailure): Failure {
  return {
    action,
    kind: kind as FailureKind,
    message: `failed: ${kind}`,
    hint: "",
    why: "",
    rule: `test.${kind}`,
    causes: [],
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
  };
}
