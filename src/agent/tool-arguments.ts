import { isStandardSchema } from "./tool-set.ts";
import type { AnyTool, JsonSchema, StandardResult } from "./types.ts";

export type CheckedArguments = { ok: true; value: never } | { ok: false; problem: string };

/**
 * Checks the arguments of a call against the tool's schema. A Standard Schema may also change them (defaults, coercion).
 *
 * @returns The arguments to run with, or a report for the model that says what was received and what is wrong.
 */
export async function checkArguments(tool: AnyTool, args: Record<string, unknown>): Promise<CheckedArguments> {
  if (!isStandardSchema(tool.parameters)) {
    const problems = await jsonSchemaProblems(tool.parameters, args);
    return problems.length === 0 ? { ok: true, value: args as never } : refused(tool.name, problems, args);
  }
  const result: StandardResult<unknown> = await tool.parameters["~standard"].validate(args);
  if (!result.issues) return { ok: true, value: result.value as never };
  return refused(
    tool.name,
    result.issues.map(({ message, path }) => `${pathText(path)}: ${message}`),
    args,
  );
}

function refused(name: string, problems: readonly string[], args: Record<string, unknown>): CheckedArguments {
  const list = problems.map((problem) => `  - ${problem}`).join("\n");
  return { ok: false, problem: `Invalid arguments for the tool "${name}":\n${list}\nReceived: ${JSON.stringify(args)}` };
}

function pathText(path: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined): string {
  const keys = (path ?? []).map((part) => String(typeof part === "object" ? part.key : part));
  return keys.length === 0 ? "arguments" : keys.join(".");
}

type Validate = (args: unknown) => string[];
const validators = new WeakMap<JsonSchema, Promise<Validate>>();

function jsonSchemaProblems(schema: JsonSchema, args: unknown): Promise<string[]> {
  let validator = validators.get(schema);
  if (!validator) {
    validator = compile(schema);
    validators.set(schema, validator);
  }
  return validator.then((validate) => validate(args));
}

/** Loads the JSON Schema validator only when a tool first needs it: most sessions use Standard Schemas, or no tools. */
async function compile(schema: JsonSchema): Promise<Validate> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  // A schema that names another draft would need that draft's meta-schema; what tools use is the same in all.
  const { $schema: _, ...plain } = schema;
  const validate = ajv.compile(plain);
  return (args) =>
    validate(args)
      ? []
      : (validate.errors ?? []).map(
          ({ instancePath, message, params }) =>
            `${instancePath.slice(1).replaceAll("/", ".") || "arguments"}: ${message ?? "is invalid"}${allowed(params)}`,
        );
}

function allowed(params: Record<string, unknown>): string {
  return Array.isArray(params["allowedValues"])
    ? ` (${params["allowedValues"].map((value) => JSON.stringify(value)).join(", ")})`
    : "";
}
