import { explainFailure } from "../../errors/explain.ts";
import type { UserContent } from "../../model/types.ts";
import type { Session } from "../../session/session.ts";
import type { SettingsPatch } from "../../session/settings.ts";
import { Fields, queueModes, RpcFieldError, thinkingLevels } from "./fields.ts";
import { entriesAfter, lastAssistantText, modelData, statsData, stateData, treeData } from "./session-data.ts";
import type { SessionHolder } from "./session-holder.ts";
import type { RpcCommandName, RpcCommands } from "./types.ts";

type Gives<Name extends RpcCommandName> = RpcCommands[Name]["gives"];

/**
 * What each command does. What it returns is the data of the success response; what it throws is an error response. `prompt`,
 * `continue`, `steer` and `follow_up` answer when they are accepted: how a prompt ends is told by events alone.
 */
export const rpcCommands: {
  readonly [Name in RpcCommandName]: (holder: SessionHolder, fields: Fields) => Gives<Name> | Promise<Gives<Name>>;
} = {
  async prompt(holder, fields) {
    const content = contentOf(fields);
    const streamingBehavior = fields.optionalOneOf("streamingBehavior", ["steer", "followUp"]);
    const { session } = holder;
    const { busy } = session.state;
    if (busy && streamingBehavior === undefined) {
      throw new RpcFieldError(
        "streamingBehavior",
        'streamingBehavior is missing, and the session is working. It takes "steer" or "followUp" then.',
      );
    }
    await holder.accepted(session.prompt(content, streamingBehavior === undefined ? {} : { streamingBehavior }));
    return { disposition: busy ? "queued" : "started" };
  },
  steer: (holder, fields) => queue(holder.session, () => holder.session.steer(contentOf(fields))),
  follow_up: (holder, fields) => queue(holder.session, () => holder.session.followUp(contentOf(fields))),
  async continue(holder) {
    await holder.accepted(holder.session.continue());
    return { disposition: "started" };
  },
  async abort({ session }) {
    await session.abort();
    return undefined;
  },
  abort_retry({ session }) {
    session.abortRetry();
    return undefined;
  },
  clear_queue({ session }) {
    const { steering, followUp } = session.clearQueue();
    return { steering: steering.map(textOf), followUp: followUp.map(textOf) };
  },
  async new_session(holder, fields) {
    fields.optionalText("parentSession");
    await holder.begin();
    return { cancelled: false };
  },
  async switch_session(holder, fields) {
    await holder.open(fields.text("sessionPath"));
    return { cancelled: false };
  },
  async fork(holder, fields) {
    return { text: await holder.fork(fields.text("entryId")), cancelled: false };
  },
  get_state: ({ session }) => stateData(session),
  get_messages: ({ session }) => ({ messages: session.messages }),
  get_entries({ session }, fields) {
    const since = fields.optionalText("since");
    const entries = entriesAfter(session.log, since);
    if (!entries)
      throw new RpcFieldError("since", `since is ${JSON.stringify(since)}. It takes the id of an entry of this session.`);
    return { entries, leafId: session.log.leafId };
  },
  get_tree: ({ session }) => ({ tree: treeData(session.log), leafId: session.log.leafId }),
  get_last_assistant_text: ({ session }) => ({ text: lastAssistantText(session) }),
  get_session_stats: ({ session }) => statsData(session),
  async set_model(holder, fields) {
    const model = await holder.createModel(`${fields.text("provider")}/${fields.text("modelId")}`);
    holder.session.setModel(model);
    return modelData(model);
  },
  get_available_models: ({ models }) => ({ models: models.map(modelData) }),
  set_thinking_level: ({ session }, fields) => set(session, { thinkingLevel: fields.oneOf("level", thinkingLevels) }),
  set_steering_mode: ({ session }, fields) => set(session, { steeringMode: fields.oneOf("mode", queueModes) }),
  set_follow_up_mode: ({ session }, fields) => set(session, { followUpMode: fields.oneOf("mode", queueModes) }),
  async compact({ session }, fields) {
    const instructions = fields.optionalText("customInstructions");
    await session.abort();
    return session.compact(instructions);
  },
  set_auto_compaction: ({ session }, fields) => set(session, { compaction: { enabled: fields.flag("enabled") } }),
  set_auto_retry: ({ session }, fields) => set(session, { retry: { enabled: fields.flag("enabled") } }),
  set_session_name({ session }, fields) {
    session.log.append({ type: "session_info", name: fields.text("name") });
    return undefined;
  },
  get_commands: () => ({ commands: [] }),
  explain(_, fields) {
    const { failure, next } = explainFailure(fields.text("text"));
    return { failure, next };
  },
};

export function isRpcCommand(name: string): name is RpcCommandName {
  return Object.hasOwn(rpcCommands, name);
}

function contentOf(fields: Fields): UserContent[] {
  const images = fields.images("images");
  return [{ type: "text", text: fields.text("message") }, ...images];
}

function set(session: Session, patch: SettingsPatch): undefined {
  session.setSettings(patch);
}

function queue(session: Session, add: () => string): { disposition: "started" | "queued" } {
  const { busy } = session.state;
  add();
  return { disposition: busy ? "queued" : "started" };
}

function textOf({ content }: { content: string | UserContent[] }): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
