import { exitCodeOfSignal, ExitCode } from "../exit-codes.ts";
import type { EndSignal } from "../io.ts";
import type { RunContext } from "../run-context.ts";
import { contentText, printable } from "../sessions/describe.ts";
import type { Style } from "../style.ts";
import { version } from "../version.ts";
import type { CommandHost } from "./command-host.ts";
import { Conversation } from "./conversation.ts";
import { greet } from "./greeting.ts";
import { History, historyPath } from "./history.ts";
import type { KeyInput } from "./keys.ts";
import { lookOf, type Look } from "./look.ts";
import { ownWrites, type OwnWrites } from "./own-writes.ts";
import { PromptLine } from "./prompt-line.ts";
import { completions, isSlashCommand, runSlashCommand } from "./slash-commands.ts";
import { Terminal } from "./terminal.ts";
import { toldMessage } from "./told-error.ts";
import { Transcript } from "./transcript.ts";
import { sizeOf, View, type Shown } from "./view.ts";

/** A second Ctrl-C within so many milliseconds leaves. */
const LEAVE_MS = 2_000;

/** Reads what a person types, and has the session do it. */
export class PromptLoop implements CommandHost {
  readonly context: RunContext;
  readonly conversation: Conversation;
  readonly #look: Look;
  readonly #line: PromptLine;
  readonly #transcript: Transcript;
  readonly #writes: OwnWrites;
  readonly #view: View;
  readonly #terminal: Terminal;
  readonly #ended = Promise.withResolvers<number>();
  #ending = false;
  /** Set after a Ctrl-C, while another one leaves. */
  #forgetLeaving: (() => void) | undefined;
  /** An empty line goes on with what was interrupted. */
  #offered = false;

  constructor(context: RunContext) {
    const { io } = context;
    this.context = context;
    this.#look = lookOf(io);
    const history = new History(context.sessionDirectory === undefined ? undefined : historyPath(io.env));
    this.#line = new PromptLine(history, (text) => completions(text, this));
    this.#transcript = new Transcript(
      this.#look,
      () => sizeOf(io).columns - 1,
      () => io.clock.now(),
    );
    this.conversation = new Conversation(context, (event) => {
      this.#transcript.handle(event);
      this.#view.request();
    });
    this.#writes = ownWrites(io, (text) => this.say(printable(text)));
    this.#view = new View(io, this.#writes.write, this.#look, this.#transcript, this.#line.editor, () => this.#shown());
    this.#terminal = new Terminal(io, this.#writes.write, {
      onInput: (input) => this.#input(input),
      onResize: () => this.#view.draw(),
      beforeStop: () => this.#view.hide(),
      afterStop: () => this.#view.show(),
      onLost: () => this.#ended.resolve(ExitCode.failed),
    });
  }

  /** Resolves when the person has left. @returns The exit code */
  async run(): Promise<number> {
    const { io } = this.context;
    const forgetSignals = io.onSignal((signal) => this.#signal(signal));
    io.stdout.on("error", () => this.#ended.resolve(ExitCode.failed));
    try {
      this.#terminal.hold();
      this.#welcome();
      return await this.#ended.promise;
    } finally {
      this.#ending = true;
      this.#stayed();
      this.#view.close();
      this.#terminal.release();
      this.#writes.giveBack();
      // What ignores that it should stop may take its time.
      if (this.conversation.session.state.busy) this.#afterwards("stopping what runs (Ctrl-C leaves at once)");
      await this.conversation.close();
      this.#farewell();
      forgetSignals();
    }
  }

  readonly say = (text: string, style?: Style | "plain"): void => {
    this.#transcript.say(text, style);
    this.#view.request();
  };

  readonly leave = (): void => {
    this.#ended.resolve(ExitCode.completed);
  };

  readonly goOn = async (): Promise<void> => {
    this.#offered = false;
    await this.conversation.session.continue();
  };

  readonly greet = (): void => {
    this.#offered = greet(this.#transcript, this.conversation);
    this.#view.request();
  };

  #welcome(): void {
    this.#transcript.say(`agent-session ${version()}`, "bold");
    this.#transcript.say("/help lists commands and keys.");
    for (const warning of this.context.warnings) this.#transcript.say(`warning: ${warning}`, "yellow");
    this.greet();
    this.#view.draw();
  }

  #farewell(): void {
    const { log } = this.conversation.session;
    if (log.path === undefined || log.entries.length === 0) return;
    this.#afterwards("agent-session --continue goes on with this session");
  }

  /** Says something when the terminal is given back already. */
  #afterwards(text: string): void {
    this.context.io.stdout.write(`${this.#look.style("dim", text)}\n`);
  }

  #shown(): Shown {
    const { session, activity, queue, sending, contextTokens, cost } = this.conversation;
    return {
      state: session.state,
      activity,
      queue: { ...queue, sending },
      contextTokens,
      cost,
      about: this.#offered ? ["Enter goes on"] : session.state.busy ? ["Enter steers", "Alt-Enter follows up"] : ["/help"],
      notice: this.#forgetLeaving ? "Ctrl-C again leaves" : undefined,
      suggestions: this.#line.completions.map(({ shown }) => shown),
    };
  }

  /** The first SIGINT is as Ctrl-C; any other signal ends the mode, and one more while it ends, the process. */
  #signal(signal: EndSignal): void {
    if (this.#ending) return this.context.io.exit(exitCodeOfSignal(signal));
    if (signal === "SIGINT") return this.#interrupt();
    this.#ending = true;
    return this.#ended.resolve(exitCodeOfSignal(signal));
  }

  #input(input: KeyInput): void {
    if (input.type === "key") this.#key(input);
    else this.#line.handle(input);
    this.#view.draw();
  }

  #key(key: Extract<KeyInput, { type: "key" }>): void {
    const { editor } = this.#line;
    if (key.name !== "ctrl+c") this.#stayed();
    switch (key.name) {
      case "enter":
        return editor.continueLine() ? undefined : this.#submit("steer");
      case "alt+enter":
        return this.conversation.session.state.busy ? this.#submit("followUp") : editor.insert("\n");
      case "escape":
        return this.#stop();
      case "ctrl+c":
        return this.#interrupt();
      case "ctrl+d":
        return editor.isEmpty ? this.leave() : editor.delete();
      case "ctrl+l":
        return this.#view.redraw();
      case "ctrl+z":
        return this.context.io.job?.stop();
      case "alt+up":
        return this.#takeBack();
      default:
        return this.#line.handle(key);
    }
  }

  #submit(whileWorking: "steer" | "followUp"): void {
    const { session } = this.conversation;
    const text = this.#line.take();
    if (text === "") {
      if (this.#offered && !session.state.busy) this.#doing(this.goOn());
      return undefined;
    }
    if (isSlashCommand(text)) {
      this.#transcript.command(text);
      return this.#doing(runSlashCommand(text, this));
    }
    this.#offered = false;
    if (!session.state.busy) this.conversation.sending = text;
    return this.#doing(session.prompt(text, { streamingBehavior: whileWorking }));
  }

  /** Esc: what runs is stopped; a wait for a retry is given up, and the failure it was for stands. */
  #stop(): void {
    const { session } = this.conversation;
    if (session.state.state === "backoff") session.abortRetry();
    else if (session.state.busy) this.#doing(session.abort());
  }

  #interrupt(): void {
    if (this.#forgetLeaving) return this.leave();
    if (this.#line.editor.isEmpty) this.#stop();
    else this.#line.editor.set("");
    this.#forgetLeaving = this.context.io.clock.after(LEAVE_MS, () => {
      this.#stayed();
      this.#view.draw();
    });
    return this.#view.draw();
  }

  #stayed(): void {
    this.#forgetLeaving?.();
    this.#forgetLeaving = undefined;
  }

  /** Queued messages come back into the line, to be changed or dropped. */
  #takeBack(): void {
    const { steering, followUp } = this.conversation.session.clearQueue();
    const texts = [...steering, ...followUp].map(({ content }) => contentText(content));
    if (texts.length > 0) this.#line.putBefore(texts.join("\n"));
  }

  /** How it ends is shown by the session's events; here only what was refused is. */
  #doing(work: Promise<unknown>): void {
    work.then(
      () => this.#view.request(),
      (error: unknown) => {
        const told = toldMessage(error);
        if (told === undefined) return this.#ended.reject(error);
        this.conversation.sending = undefined;
        return this.say(told, "red");
      },
    );
  }
}
