import { parse, resolve } from "node:path";
import type { Session } from "../session/session.ts";
import type { Flags } from "./arguments.ts";
import type { Io } from "./io.ts";
import { UsageError } from "./usage-error.ts";

/** What looks on while sessions run: the inspector's page, and traces. */
export interface Observers {
  /** Has a session looked at. Call it before anything is asked of it. */
  attach(session: Session): Promise<void>;
  /** Ends the page and completes the traces. @throws the error of the file system */
  close(): Promise<void>;
}

/** The observers that `--inspect`, `--control` and `--trace` ask for; the page's address is told on stderr. @throws UsageError */
export async function openObservers(flags: Flags, io: Pick<Io, "stderr" | "cwd">): Promise<Observers> {
  const { inspect = false, control = false, trace } = flags;
  if (control && !inspect) throw new UsageError("--control is for the page of --inspect: pass both.");
  if (!inspect && trace === undefined) return { attach: () => Promise.resolve(), close: () => Promise.resolve() };
  const { createInspector, traceToFile } = await import("../inspect/index.ts");
  const inspector = inspect ? await createInspector({ control }) : undefined;
  if (inspector) io.stderr.write(`inspector: ${inspector.url}\n`);
  const closers: (() => Promise<void>)[] = [];
  let traced = 0;
  return {
    async attach(session) {
      inspector?.attach(session);
      if (trace === undefined) return;
      const path = tracePath(resolve(io.cwd, trace), ++traced);
      try {
        const file = await traceToFile(session, path);
        closers.push(() => file.close());
      } catch (error) {
        throw new UsageError(`--trace ${trace} cannot be written: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      }
    },
    async close() {
      await inspector?.close();
      await Promise.all(closers.map((close) => close()));
    },
  };
}

/** One file a session: the second of a run goes to `name.2.jsonl`. */
function tracePath(path: string, number: number): string {
  if (number === 1) return path;
  const { dir, name, ext } = parse(path);
  return resolve(dir, `${name}.${number}${ext}`);
}
