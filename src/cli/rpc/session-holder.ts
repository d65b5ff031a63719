import { existsSync } from "node:fs";
import { forkLog, openLog, type SessionLog } from "../../log/index.ts";
import type { Model } from "../../model/types.ts";
import type { PromptOutcome } from "../../session/events.ts";
import type { Session } from "../../session/session.ts";
import type { ListedModel } from "../models/catalogue.ts";
import type { RunContext } from "../run-context.ts";
import { RpcFieldError } from "./fields.ts";
import { textOfMessage } from "./session-data.ts";

/** The one session that commands speak to; `new_session`, `switch_session` and `fork` put another in its place. */
export class SessionHolder {
  readonly #context: RunContext;
  readonly #attach: (session: Session) => () => void;
  #session: Session;
  #detach: () => void;

  /** @param attach Called for each session that takes the place; returns what takes it back. */
  constructor(context: RunContext, attach: (session: Session) => () => void) {
    this.#context = context;
    this.#attach = attach;
    this.#session = context.session;
    this.#detach = attach(context.session);
  }

  get session(): Session {
    return this.#session;
  }

  get models(): readonly ListedModel[] {
    return this.#context.models;
  }

  createModel(name: string): Promise<Model> {
    return this.#context.createModel(name);
  }

  /**
   * Waits only for a prompt to be refused: misuse rejects at once, while an accepted prompt ends much later, and is told by events.
   */
  async accepted(prompt: Promise<PromptOutcome>): Promise<void> {
    const later = new Promise<void>((resolve) => setImmediate(resolve));
    await Promise.race([prompt, later]);
    prompt.catch(() => undefined);
  }

  async begin(): Promise<void> {
    await this.#replace(await this.#context.startSession());
  }

  async open(path: string): Promise<void> {
    if (!existsSync(path)) {
      throw new RpcFieldError(
        "sessionPath",
        `sessionPath is ${JSON.stringify(path)}, and there is no such file. It takes the path of a session file.`,
      );
    }
    const { durability } = this.#context.settings.session;
    await this.#replace(await this.#started(await openLog(path, { durability })));
  }

  /** Copies what comes before a user message. @returns The text of that message. */
  async fork(entryId: string): Promise<string> {
    const { log } = this.#session;
    const entry = log.entry(entryId);
    if (entry?.type !== "message" || entry.message.role !== "user") {
      throw new RpcFieldError(
        "entryId",
        `entryId is ${JSON.stringify(entryId)}. It takes the id of an entry with a user message.`,
      );
    }
    const { sessionDirectory } = this.#context;
    const directory = sessionDirectory === undefined ? {} : { directory: sessionDirectory };
    if (entry.parentId === null) await this.begin();
    else await this.#replace(await this.#started(await forkLog(log, entry.parentId, directory)));
    return textOfMessage(entry.message);
  }

  async close(): Promise<void> {
    await this.#session.dispose();
    this.#detach();
  }

  async #started(log: SessionLog): Promise<Session> {
    try {
      return await this.#context.startSession(log);
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  async #replace(next: Session): Promise<void> {
    await this.close();
    this.#session = next;
    this.#detach = this.#attach(next);
  }
}
