import type { ImageBlock, Model, ModelRequest, ToolDeclaration } from "../types.ts";
import { letGo } from "../adapter/let-go.ts";
import { replyStream, type Source } from "../adapter/reply-stream.ts";
import { ToolNames } from "../adapter/shapes.ts";
import { modelFacts, type ModelOptions } from "../model-options.ts";
import { StreamParts, type StreamPart } from "./parts.ts";
import { buildPrompt, LONGEST_TOOL_NAME, type LanguageModel, type Metadata } from "./prompt.ts";

export type { LanguageModel } from "./prompt.ts";

export interface AiSdkModelOptions extends Omit<ModelOptions, "model" | "fetch"> {
  /** Sent with every request, by provider. */
  providerOptions?: Metadata;
}

/**
 * Any AI SDK model as one of ours, of the interface versions 2 to 4. It is called by `doStream`, below the SDK's own
 * retries, so that none are stacked.
 *
 * @throws TypeError for what is no such model.
 */
export function aiSdkModel(languageModel: LanguageModel, options: AiSdkModelOptions = {}): Model {
  const version: unknown = languageModel?.specificationVersion;
  if (version !== "v2" && version !== "v3" && version !== "v4") {
    throw new TypeError(
      `aiSdkModel takes a language model of the AI SDK of interface version v2, v3 or v4, got ${typeof languageModel === "string" ? `the string "${String(languageModel)}"` : String(version)}`,
    );
  }
  const model: Model = {
    ...modelFacts({ ...options, model: languageModel.modelId }),
    api: "ai-sdk",
    provider: options.provider ?? languageModel.provider,
    stream: (request, call) =>
      replyStream<StreamPart>(model, call, () => {
        const names = new ToolNames(
          (request.tools ?? []).map((tool) => tool.name),
          LONGEST_TOOL_NAME,
        );
        const parts = new StreamParts(names);
        return {
          terminalEvent: "finish",
          open: async (signal) => new PartSource(await send(languageModel, request, model, names, options, signal)),
          accept: (part, reply) => parts.accept(part, reply),
        };
      }),
  };
  return model;
}

/** Calls `doStream`, with the prompt as the model's version of the interface wants it. */
async function send(
  languageModel: LanguageModel,
  request: ModelRequest,
  model: Model,
  names: ToolNames,
  options: AiSdkModelOptions,
  abortSignal: AbortSignal,
): Promise<ReadableStream<StreamPart>> {
  const maxOutputTokens = request.maxOutputTokens ?? model.maxOutputTokens;
  const level = request.thinkingLevel ?? "off";
  const shared = {
    abortSignal,
    includeRawChunks: false,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(options.headers === undefined ? {} : { headers: options.headers }),
    ...(options.providerOptions === undefined ? {} : { providerOptions: options.providerOptions }),
    ...(request.tools === undefined || request.tools.length === 0
      ? {}
      : { tools: request.tools.map((tool) => functionTool(tool, names)) }),
  };
  switch (languageModel.specificationVersion) {
    case "v2":
      return (await languageModel.doStream({ ...shared, prompt: buildPrompt(request, model, names, VERSION_2) })).stream;
    case "v3":
      return (await languageModel.doStream({ ...shared, prompt: buildPrompt(request, model, names, VERSION_3) })).stream;
    case "v4": {
      const reasoning = level === "off" ? {} : { reasoning: level };
      return (await languageModel.doStream({ ...shared, ...reasoning, prompt: buildPrompt(request, model, names, VERSION_4) }))
        .stream;
    }
  }
}

function functionTool(tool: ToolDeclaration, names: ToolNames) {
  return {
    type: "function" as const,
    name: names.sent(tool.name),
    description: tool.description.toWellFormed(),
    inputSchema: tool.parameters,
  };
}

const plainFile = ({ data, mimeType }: ImageBlock) => ({ type: "file" as const, data, mediaType: mimeType });
const dataFile = ({ data, mimeType }: ImageBlock) => ({
  type: "file" as const,
  data: { type: "data" as const, data },
  mediaType: mimeType,
});

const VERSION_2 = {
  file: plainFile,
  resultFile: ({ data, mimeType }: ImageBlock) => ({ type: "media" as const, data, mediaType: mimeType }),
};
const VERSION_3 = {
  file: plainFile,
  resultFile: ({ data, mimeType }: ImageBlock) => ({ type: "image-data" as const, data, mediaType: mimeType }),
};
const VERSION_4 = { file: dataFile, resultFile: dataFile };

class PartSource implements Source<StreamPart> {
  readonly #reader: ReadableStreamDefaultReader<StreamPart>;

  constructor(stream: ReadableStream<StreamPart>) {
    this.#reader = stream.getReader();
  }

  async next(): Promise<readonly StreamPart[] | undefined> {
    const { done, value } = await this.#reader.read();
    return done ? undefined : [value];
  }

  close(complete: boolean): void {
    letGo(this.#reader, complete);
  }
}
