import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Which rooms a room may import code of (types are free to travel), and which packages. The table of docs/architecture.md. */
const rooms: Readonly<Record<string, { rooms: string[]; packages: RegExp }>> = {
  machines: { rooms: [], packages: /^xstate$/ },
  errors: { rooms: [], packages: /^$/ },
  retry: { rooms: ["machines", "errors"], packages: /^$/ },
  model: { rooms: ["errors", "retry"], packages: /^(node:.+|openai|@anthropic-ai\/sdk|@ai-sdk\/provider)(\/|$)/ },
  log: { rooms: [], packages: /^node:/ },
  agent: { rooms: ["model", "errors", "log", "retry"], packages: /^ajv\// },
  compaction: { rooms: ["model", "retry", "log", "errors", "machines"], packages: /^$/ },
  session: { rooms: ["agent", "compaction", "log", "machines", "model", "errors", "retry"], packages: /^(xstate$|node:)/ },
  testing: {
    rooms: ["session", "agent", "compaction", "log", "machines", "model", "errors", "retry", "index"],
    packages: /^(xstate$|xstate\/graph$|node:)/,
  },
  inspect: {
    rooms: ["session", "agent", "compaction", "log", "machines", "model", "errors", "retry"],
    packages: /^(xstate$|@statelyai\/inspect$|node:)/,
  },
};

interface Import {
  file: string;
  target: string;
}

function importsOf(folder: string): Import[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => {
      const file = `${folder}/${name}`;
      const text = readFileSync(join(root, file), "utf8");
      const statements = text.matchAll(
        /^(?:import|export)\s+(?!type\b)(?:[\w*{][^;"']*?from\s+)?["']([^"']+)["']|import\(["']([^"']+)["']\)/gm,
      );
      return [...statements].map(([, fixed, lazy]) => ({ file, target: fixed ?? lazy ?? "" }));
    });
}

function roomOf(path: string): string {
  if (path.startsWith("machines/")) return "machines";
  return (
    path
      .replace(/^src\//, "")
      .split("/")[0]
      ?.replace(/\.ts$/, "") ?? ""
  );
}

describe.each(Object.entries(rooms))("%s", (room, allowed) => {
  const imports = importsOf(room === "machines" ? "machines" : `src/${room}`);

  test("imports code of no room it may not know", () => {
    const strangers = imports
      .filter(({ target }) => target.startsWith("."))
      .map(({ file, target }) => ({ file, other: roomOf(normalize(join(dirname(file), target))) }))
      .filter(({ other }) => other !== room && !allowed.rooms.includes(other));
    expect(strangers).toEqual([]);
  });

  test("imports no package it may not need", () => {
    expect(imports.filter(({ target }) => !target.startsWith(".") && !allowed.packages.test(target))).toEqual([]);
  });
});

test("nothing imports the command, and nothing but the command and tests the test doubles", () => {
  const imports = Object.keys(rooms).flatMap((room) => importsOf(room === "machines" ? "machines" : `src/${room}`));
  const wrong = imports.filter(({ file, target }) => {
    const other = target.startsWith(".") ? roomOf(normalize(join(dirname(file), target))) : "";
    return other === "cli" || (other === "testing" && roomOf(file) !== "testing");
  });
  expect(wrong).toEqual([]);
});
