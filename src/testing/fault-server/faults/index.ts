import type { Fault } from "../fault.ts";
import { bodyFaults } from "./bodies.ts";
import { connectionFaults } from "./connection.ts";
import { cutFaults } from "./cuts.ts";
import { framingFaults } from "./framing.ts";
import { garbledFaults } from "./garbled.ts";
import { replies } from "./replies.ts";
import { statusFaults } from "./statuses.ts";
import { streamErrorFaults } from "./stream-errors.ts";
import { waitingFaults } from "./waiting.ts";

/** Every step a script can have, by name, good replies first. */
export const faults: Readonly<Record<string, Fault>> = {
  ...replies,
  ...framingFaults,
  ...connectionFaults,
  ...waitingFaults,
  ...cutFaults,
  ...garbledFaults,
  ...streamErrorFaults,
  ...bodyFaults,
  ...statusFaults,
};
