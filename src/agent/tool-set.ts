import type { ToolDeclaration } from "../model/types.ts";
import type { AnyTool, JsonSchema, StandardSchema } from "./types.ts";

/** A tool was given that cannot be used. */
export class InvalidToolError extends Error {
  override readonly name = "InvalidToolError";
}

/** Gives a tool's `execute` the type of its schema's output. It returns the tool as it is. */
export function defineTool<Arguments>(tool: import("./types.ts").Tool<Arguments>): AnyTool {
  return tool as unknown as AnyTool;
}

/** The tools of a session: what runs them, and what the model is told of them. */
export interface ToolSet {
  readonly declarations: readonly ToolDeclaration[];
  get(name: string): AnyTool | undefined;
}

const NO_TOOLS: ToolSet = { declarations: [], get: () => undefined };

/** @throws InvalidToolError naming the tool, what was given, and what is accepted. */
export function toolSet(tools: readonly AnyTool[]): ToolSet {
  if (tools.length === 0) return NO_TOOLS;
  const byName = new Map<string, AnyTool>();
  const declarations = tools.map((tool, index) => {
    const name = checked(tool, index);
    if (byName.has(name)) throw new InvalidToolError(`Two tools are named "${name}". Each tool needs a name of its own.`);
    byName.set(name, tool);
    return { name, description: tool.description, parameters: jsonSchemaOf(tool) };
  });
  return { declarations, get: (name) => byName.get(name) };
}

export function isStandardSchema(schema: unknown): schema is StandardSchema {
  return schema !== null && (typeof schema === "object" || typeof schema === "function") && "~standard" in schema;
}

function checked(tool: AnyTool, index: number): string {
  const given: Partial<Record<keyof AnyTool, unknown>> = Object(tool);
  const { name } = given;
  if (typeof name !== "string" || !/^[\w.-]{1,128}$/.test(name)) {
    throw new InvalidToolError(
      `Tool ${index + 1} has ${name === undefined ? "no name" : `the name ${JSON.stringify(name)}`}. A name is 1 to 128 letters, digits, "_", "-" or ".".`,
    );
  }
  if (typeof given.description !== "string" || given.description.trim() === "") {
    throw new InvalidToolError(`The tool "${name}" has no description. Say in a sentence what it does: the model reads it.`);
  }
  if (typeof given.execute !== "function") {
    throw new InvalidToolError(`The tool "${name}" has no execute function.`);
  }
  if (given.timeoutMs !== undefined && !(Number.isFinite(given.timeoutMs) && Number(given.timeoutMs) > 0)) {
    throw new InvalidToolError(
      `The tool "${name}" has the timeoutMs ${JSON.stringify(given.timeoutMs)}. It takes a number above 0, in milliseconds.`,
    );
  }
  return name;
}

function jsonSchemaOf({ name, parameters }: AnyTool): Record<string, unknown> {
  const accepted = `It takes a Standard Schema with a JSON Schema part (zod 4.2 or later has one), or a JSON Schema with type "object".`;
  if (!parameters) throw new InvalidToolError(`The tool "${name}" has no schema in parameters. ${accepted}`);
  if (!isStandardSchema(parameters)) return plainSchema(name, parameters, accepted);
  const { vendor, jsonSchema } = parameters["~standard"];
  if (!jsonSchema) {
    throw new InvalidToolError(`The schema of the tool "${name}" (${vendor}) cannot be turned into JSON Schema. ${accepted}`);
  }
  const { $schema: _, ...schema } = jsonSchema.input({ target: "draft-2020-12" });
  return plainSchema(name, schema, accepted);
}

function plainSchema(name: string, schema: Record<string, unknown> | JsonSchema, accepted: string): Record<string, unknown> {
  if (schema["type"] !== "object") {
    throw new InvalidToolError(
      `The schema of the tool "${name}" has the type ${JSON.stringify(schema["type"])} at its top. ${accepted}`,
    );
  }
  return schema;
}
