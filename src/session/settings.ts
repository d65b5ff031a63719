import type { PolicySettings } from "../../machines/types.ts";
import type { Durability } from "../log/index.ts";
import type { ThinkingLevel } from "../model/types.ts";

export type QueueMode = "one-at-a-time" | "all";

/** All settings of a session, with every default filled in. All times are milliseconds. */
export interface Settings extends PolicySettings {
  retry: PolicySettings["retry"] & {
    /** Retry of a single HTTP request, underneath the session's own. Leave it at 0 unless you know why. */
    provider: {
      maxRetries: number;
      /** A demanded wait above this fails at once; 0 for no limit. */
      maxRetryDelayMs: number;
      timeoutMs: number | undefined;
    };
  };
  stream: {
    /** Until the first model event; undefined for no limit. */
    firstEventMs: number | undefined;
    /** Between model events. */
    idleMs: number | undefined;
    /** For the whole reply. */
    totalMs: number | undefined;
    /** What a reply cut in mid-text is followed by: the same request, or a request to go on from the partial text. */
    onInterrupted: "restart" | "continue";
  };
  compaction: PolicySettings["compaction"] & { keepRecentTokens: number };
  tools: {
    timeoutMs: number;
    /** Tokens one tool result may take in the context; never more than a quarter of the window. */
    maxResultTokens: number;
  };
  limits: {
    /** Assistant messages per prompt; undefined for no limit. */
    maxTurns: number | undefined;
    /** Model requests per prompt, retries and summaries included. */
    maxRequests: number | undefined;
  };
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  thinkingLevel: ThinkingLevel;
  /**
   * When a file log is synced to the disk: never, at each settle and before each wait, or at each entry. Default what the log was
   * opened with.
   */
  durability: Durability;
}

type Deep<T> = T extends (infer Item)[] ? Item[] : T extends object ? { [K in keyof T]?: Deep<T[K]> | undefined } : T;

/** Settings to change; what is absent keeps its value. */
export type SettingsPatch = Deep<Settings>;

export const defaultSettings: Settings = {
  retry: {
    enabled: true,
    maxRetries: 3,
    baseDelayMs: 2_000,
    maxAgentDelayMs: 60_000,
    jitter: 0,
    longWait: { waitUpToMs: 600_000 },
    policies: {},
    provider: { maxRetries: 0, maxRetryDelayMs: 60_000, timeoutMs: undefined },
  },
  stream: { firstEventMs: 300_000, idleMs: 300_000, totalMs: undefined, onInterrupted: "restart" },
  compaction: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 },
  tools: { timeoutMs: 600_000, maxResultTokens: 25_000 },
  limits: { maxTurns: undefined, maxRequests: undefined },
  abortGraceMs: 5_000,
  steeringMode: "one-at-a-time",
  followUpMode: "one-at-a-time",
  thinkingLevel: "off",
  durability: "settle",
};
