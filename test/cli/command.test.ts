import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { versionProblem } from "../../src/cli/node-version.ts";
import { runOptions } from "../../src/cli/options.ts";
import { command, Run } from "./harness.ts";

test("--help names every option and command; --version the version", async () => {
  const { code, out, err } = await command(["--help"]);
  for (const name of Object.keys(runOptions)) expect(out).toContain(`--${name}`);
  for (const { usage } of Object.values(commands)) expect(out).toContain(usage);
  for (const line of out.split("\n")) expect(line.length).toBeLessThan(150);
  expect(err).toBe("");
  expect(code).toBe(0);
  expect((await command(["help"])).out).toBe(out);
  expect((await command(["-V"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  [["--modle", "x"], "There is no option --modle. Did you mean "],
  [["-z"], "There is no option -z. agent-session --help lists all of them."],
  [["--model"], "--model"],
  [["--mode", "xml", "hi"], '--mode takes text, json, rpc; got "xml".'],
  [["setings"], 'There is no command "setings". Did you mean settings? To ask it as a prompt: agent-session -p setings'],
  [["completions", "tcsh"], 'agent-session completions takes one of bash, zsh, fish; got "tcsh".'],
  [["settings", "more"], 'agent-session settings takes no "more".'],
  [["--mode", "rpc", "hi"], '--mode rpc takes its prompts as commands on stdin; got "hi".'],
])("%j is wrong use, and told so", async (args, message) => {
  const { code, err, out } = await command(args);
  expect(err).toContain(`agent-session: `);
  expect(err).toContain(message);
  expect(out).toBe("");
  expect(code).toBe(2);
});

test("a word that is nearly a command is a prompt when it is meant as one", async () => {
  expect((await command(["-p", "setings", "--demo", "--max-retries", "0"])).err).toContain("DEMO");
});

describe("completions", () => {
  test.each(["bash", "zsh", "fish"])("of %s know every option and command", async (shell) => {
    const { out, code } = await command(["completions", shell]);
    for (const name of [...Object.keys(runOptions), ...Object.keys(commands)]) expect(out).toContain(name);
    expect(code).toBe(0);
  });

  test("of bash complete", async () => {
    const { out } = await command(["completions", "bash"]);
    const complete = (...words: string[]): string[] => {
      const line = words.map((word) => `'${word}'`).join(" ");
      const script = `${out}\nCOMP_WORDS=(agent-session ${line}); COMP_CWORD=${words.length}; _agent_session; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout.trim().split("\n");
    };
    expect(complete("--mod")).toEqual(["--mode", "--model"]);
    expect(complete("--mode", "")).toEqual(["text", "json", "rpc"]);
    expect(complete("se")).toEqual(["settings", "sessions"]);
    expect(complete("completions", "z")).toEqual(["zsh"]);
    expect(complete("--thinking", "x")).toEqual(["xhigh"]);
  });
});

test.each([
  ["v20.20.2", "agent-session needs Node >= 22.18; this is v20.20.2. https://nodejs.org has newer ones."],
  ["v22.17.1", "agent-session needs Node >= 22.18; this is v22.17.1. https://nodejs.org has newer ones."],
  ["v22.18.0", undefined],
  ["v23.0.0", undefined],
  ["v24.1.0", undefined],
])("Node %s", (version, problem) => {
  expect(versionProblem(version)).toBe(problem);
});

test("a fault of the program is told as one, with exit code 1", async () => {
  const running = new Run(["--help"], {});
  running.stdout.write = () => {
    throw new Error("nobody foresaw this");
  };
  const code = await running.exit;
  await running.says("agent-session: this is a fault in the program. Please report it.\nError: nobody foresaw this\n");
  expect(code).toBe(1);
});

test("no source uses what the oldest Node that is promised cannot parse", () => {
  // `using` came with Node 24; the build leaves it as it is.
  const files = ["src", "machines"].flatMap((room) => {
    const folder = fileURLToPath(new URL(`../../${room}`, import.meta.url));
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  });
  const sources = files.filter((name) => name.endsWith(".ts"));
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((file) => /^\s*(?:await )?using \w+ =/m.test(readFileSync(file, "utf8")))).toEqual([]);
});
