import type { Model } from "../../model/types.ts";
import { UsageError } from "../usage-error.ts";
import type { ModelChoice } from "./choose-model.ts";

/** The model of a choice. Its adapter and the official client are loaded here, and only those of its format. @throws UsageError */
export async function createModel(choice: ModelChoice): Promise<Model> {
  const { api, provider, id, apiKey, thinking, ...rest } = choice;
  // The adapters would look for a key of their own in the environment; it is not for this server.
  const options = { ...rest, provider, model: id, apiKey: apiKey ?? "none" };
  switch (api) {
    case "anthropic-messages": {
      const { anthropic } = await loaded(import("../../model/anthropic/index.ts"), choice, "@anthropic-ai/sdk");
      return anthropic({ ...options, ...(thinking === undefined ? {} : { thinking }) });
    }
    case "openai-completions": {
      const { openaiChat } = await loaded(import("../../model/openai/index.ts"), choice, "openai");
      return openaiChat(options);
    }
    case "openai-responses": {
      const { openaiResponses } = await loaded(import("../../model/openai/index.ts"), choice, "openai");
      return openaiResponses(options);
    }
  }
}

async function loaded<Module>(module: Promise<Module>, { provider, id }: ModelChoice, packageName: string): Promise<Module> {
  try {
    return await module;
  } catch (error) {
    throw missingPackage(error, packageName, `The model ${provider}/${id}`) ?? error;
  }
}

/** The error that says what to install, when an optional package is not there; undefined for any other error. */
export function missingPackage(error: unknown, packageName: string, whatNeedsIt: string): UsageError | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "ERR_MODULE_NOT_FOUND" || !String(Object(error).message).includes(`'${packageName}`)) return undefined;
  return new UsageError(`${whatNeedsIt} needs the package ${packageName}, which is not installed: npm install ${packageName}`, {
    cause: error,
  });
}
