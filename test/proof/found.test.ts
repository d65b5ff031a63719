/** Faults that exploration found, each as the shortest story that showed it. */
import { describe, test } from "vitest";
import { answers, unknownModel, worlds, type World } from "../../src/testing/index.ts";
import { play } from "./judge.ts";

function world(name: string): World {
  const found = worlds.find((one) => one.name === name);
  if (!found) throw new RangeError(`There is no world "${name}".`);
  return found;
}

describe("a user's message is told of, whatever comes before its first request", () => {
  test("when the run pauses for a compaction first", async () => {
    await play(world("every answer"), [
      { type: "prompt", big: true },
      { type: "abort" },
      { type: "continue" },
      { type: "compacted", status: "done" },
    ]);
  });
});

test("an answer that was shortened by an edit is an answer still: there is nothing to continue", async () => {
  await play(world("every answer"), [
    { type: "prompt" },
    { type: "reply", answer: answers.big },
    { type: "compact" },
    { type: "compacted", status: "done" },
    { type: "continue" },
  ]);
});

test("a message that comes at rest is as good as a prompt: a muted threshold does not keep it from a compaction first", async () => {
  await play(world("big messages"), [
    { type: "prompt" },
    { type: "reply", answer: answers.big },
    { type: "compacted", status: "failed" },
    { type: "steer" },
  ]);
});

test("a run that follows a compaction by hand counts for itself", async () => {
  await play(world("a new session of unknown window"), [
    { type: "prompt" },
    { type: "reply", answer: answers.overloaded },
    { type: "abort" },
    { type: "compact" },
    { type: "steer" },
    { type: "compacted", status: "failed" },
    { type: "reply", answer: answers.refused },
  ]);
});

test("an overflow of the model that was selected before teaches nothing about the window of this one", async () => {
  await play(world("settings"), [
    { type: "prompt" },
    { type: "setModel", model: unknownModel },
    { type: "reply", answer: answers.overflow },
    { type: "prompt", big: true },
  ]);
});

describe("a session that is opened again", () => {
  test("compacts for no overflow that a compaction by hand has followed", async () => {
    await play(world("restarts"), [
      { type: "prompt" },
      { type: "reply", answer: answers.overflow },
      { type: "compacted", status: "failed" },
      { type: "compact" },
      { type: "compacted", status: "done" },
      { type: "reopen" },
      { type: "continue" },
    ]);
  });

  test("gives up for good a retry that was gone on with and then aborted", async () => {
    await play(world("restarts"), [
      { type: "prompt" },
      { type: "reply", answer: answers.overloaded },
      { type: "reopen" },
      { type: "continue" },
      { type: "abort" },
      { type: "continue" },
    ]);
  });

  test("drops a pending retry for a new message, even if that never gets as far as a request", async () => {
    await play(world("restarts"), [
      { type: "prompt", big: true },
      { type: "compacted", status: "failed" },
      { type: "reply", answer: answers.overloaded },
      { type: "reopen" },
      { type: "prompt" },
      { type: "abort" },
      { type: "continue" },
    ]);
  });
});
