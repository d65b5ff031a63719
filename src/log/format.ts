import type { SessionHeader } from "./types.ts";

/** The version of the session format that is written; older ones are read. */
export const FORMAT_VERSION = 3;

export function newHeader(options: { id: string; cwd: string; time: number; parentSession?: string | undefined }): SessionHeader {
  const { id, cwd, time, parentSession } = options;
  return {
    type: "session",
    version: FORMAT_VERSION,
    id,
    timestamp: new Date(time).toISOString(),
    cwd,
    ...(parentSession === undefined ? {} : { parentSession }),
  };
}
