import { setTimeout as wait } from "node:timers/promises";

/** A tool that takes its time, and tells how far it is; and one that brings the process down. */
export const tools = [
  {
    name: "search",
    description: "Searches the files of this folder.",
    parameters: { type: "object", properties: { pattern: { type: "string" } }, required: ["pattern"] },
    async execute({ pattern }, { signal, update }) {
      for (const file of ["README.md", "docs/guide.md", "src/main.ts"]) {
        update(`searching ${file}`);
        await wait(700, undefined, { signal });
      }
      return `README.md:12: ${pattern}\ndocs/guide.md:3: ${pattern}\nsrc/main.ts:140: ${pattern}`;
    },
  },
  {
    name: "crash",
    description: "Brings the process down.",
    parameters: { type: "object" },
    execute() {
      setTimeout(() => {
        throw new Error("a timer of the tool threw");
      }, 10);
      return "soon";
    },
  },
];
