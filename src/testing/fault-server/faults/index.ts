import type { Fault } from "../fault.ts";
import { bodyFaults } from "./bodies.ts";
import { brokenStreamFaults } from "./broken-stream.ts";
import { connectionFaults } from "./connection.ts";
import { replies } from "./replies.ts";
import { statusFaults } from "./statuses.ts";
import { streamErrorFaults } from "./stream-errors.ts";
import { waitingFaults } from "./waiting.ts";

/** Every step a script can have, by name, good replies first. */
export const faults: Readonly<Record<string, Fault>> = {
  ...replies,
  ...connectionFaults,
  ...waitingFaults,
  ...brokenStreamFaults,
  ...streamErrorFaults,
  ...bodyFaults,
  ...statusFaults,
};
