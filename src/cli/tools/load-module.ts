import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { InvalidToolError, toolSet } from "../../agent/tool-set.ts";
import type { AnyTool } from "../../agent/types.ts";
import { UsageError } from "../usage-error.ts";

/**
 * The tools of a module: its default export, or its export `tools`.
 *
 * @throws UsageError naming the module, and what is wrong with it or with one of its tools.
 */
export async function loadTools(path: string, cwd: string): Promise<readonly AnyTool[]> {
  const file = resolve(cwd, path);
  if (!existsSync(file)) throw new UsageError(`There is no tools module ${path} (looked for ${file}).`);
  const tools = toolsOf(await imported(path, file), path);
  try {
    toolSet(tools);
  } catch (error) {
    throw error instanceof InvalidToolError
      ? new UsageError(`The tools module ${path}: ${error.message}`, { cause: error })
      : error;
  }
  return tools;
}

async function imported(path: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(file).href);
    return module;
  } catch (error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new UsageError(`The tools module ${path} does not load: ${text}`, { cause: error });
  }
}

function toolsOf(module: Readonly<Record<string, unknown>>, path: string): readonly AnyTool[] {
  const tools = module["default"] ?? module["tools"];
  if (Array.isArray(tools)) return tools;
  const found =
    tools === undefined
      ? `its exports are ${Object.keys(module).join(", ") || "none"}`
      : `that is ${tools === null ? "null" : `of type ${typeof tools}`}`;
  throw new UsageError(
    `The tools module ${path} needs a default export, or an export named tools, that is an array of tools; ${found}.`,
  );
}
