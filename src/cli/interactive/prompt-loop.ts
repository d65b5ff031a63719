import { exitCodeOfSignal, ExitCode } from "../exit-codes.ts";
import type { RunContext } from "../run-context.ts";
import { contentText, oneLine, printable } from "../sessions/describe.ts";
import type { Style } from "../style.ts";
import { usageMessage } from "../usage-error.ts";
import { version } from "../version.ts";
import { bindings } from "./bindings.ts";
import { Conversation } from "./conversation.ts";
import { Editor } from "./editor.ts";
import { History, historyPath } from "./history.ts";
import { ownWrites, type OwnWrites } from "./own-writes.ts";
import type { KeyInput } from "./keys.ts";
import { lookOf, type Look } from "./look.ts";
import { completions, isSlashCommand, runSlashCommand, type CommandHost } from "./slash-commands.ts";
import { Terminal } from "./terminal.ts";
import { Transcript } from "./transcript.ts";
import { columnsOf, View } from "./view.ts";

/** A second Ctrl-C within so many milliseconds leaves. */
const LEAVE_MS = 2_000;

/** Errors that tell the person something, and are no fault of the program. */
const TOLD: ReadonlySet<string> = new Set([
  "SlashCommandError",
  "SessionNotFoundError",
  "SessionBusyError",
  "SessionDisposedError",
  "NothingToContinueError",
  "RpcFieldError",
]);

/** Reads what a person types, and has the session do it. */
export class PromptLoop implements CommandHost {
  readonly context: RunContext;
  readonly conversation: Conversation;
  readonly #look: Look;
  readonly #editor = new Editor();
  readonly #history: History;
  readonly #transcript: Transcript;
  readonly #view: View;
  readonly #terminal: Terminal;
  readonly #writes: OwnWrites;
  readonly #ended = Promise.withResolvers<number>();
  /** The last Ctrl-C, while another one leaves. */
  #forgetLeaving: (() => void) | undefined;
  /** An empty line goes on with what was interrupted. */
  #offered = false;

  constructor(context: RunContext) {
    const { io } = context;
    this.context = context;
    this.#look = lookOf(io);
    this.#history = new History(context.sessionDirectory === undefined ? undefined : historyPath(io.env));
    this.#transcript = new Transcript(this.#look, () => columnsOf(io) - 1, () => io.clock.now());
    this.conversation = new Conversation(context, (event) => {
      this.#transcript.handle(event);
      this.#view.request();
    });
    this.#writes = ownWrites(io, (text) => this.say(printable(text)));
    this.#view = new View(io, this.#writes.write, this.#look, this.#transcript, this.#editor, () => ({
      state: this.conversation.session.state,
      activity: this.conversation.activity,
      queue: { ...this.conversation.queue, sending: this.conversation.sending },
      contextTokens: this.conversation.contextTokens,
      cost: this.conversation.cost,
      about: this.#offered ? ["Enter goes on"] : ["/help"],
      notice: this.#forgetLeaving ? "Ctrl-C again leaves" : undefined,
      suggestions: this.#completions().map(({ shown }) => shown),
    }));
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
    let first = true;
    const forgetSignals = io.onSignal((signal) => {
      if (signal === "SIGINT" && first) return this.#interrupt();
      if (!first) io.exit(exitCodeOfSignal(signal));
      first = false;
      return this.#ended.resolve(exitCodeOfSignal(signal));
    });
    const onLost = (): void => this.#ended.resolve(ExitCode.failed);
    io.stdout.on("error", onLost);
    try {
      this.#terminal.hold();
      this.#welcome();
      return await this.#ended.promise;
    } finally {
      first = false;
      this.#view.close();
      this.#terminal.release();
      this.#writes.giveBack();
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
    const { session, lastExchange, canGoOn } = this.conversation;
    const { log, state } = session;
    const kept = log.path === undefined ? "in memory only" : printable(log.header.id.slice(0, 8));
    this.say(`session ${kept}${log.name === undefined ? "" : ` "${oneLine(log.name)}"`}, ${state.model}`);
    this.#offered = log.entries.length > 0 && canGoOn;
    const { question, answer } = lastExchange;
    if (question !== undefined) this.#transcript.user({ content: question });
    if (answer !== undefined) this.#transcript.formerAnswer(answer);
    if (!this.#offered) return;
    const { outcome } = state;
    const what = outcome?.status === "failed" ? `The last prompt failed: ${oneLine(outcome.failure?.message ?? "", 200)}` : "This session was interrupted.";
    this.say(`${what} Enter goes on with it (/retry); anything else is a new prompt.`, "yellow");
  };

  #welcome(): void {
    const { warnings } = this.context;
    this.#transcript.say(`agent-session ${version()}`, "bold");
    for (const warning of warnings) this.#transcript.say(`warning: ${warning}`, "yellow");
    this.greet();
    this.#view.draw();
  }

  #farewell(): void {
    const { log } = this.conversation.session;
    if (log.path === undefined || log.entries.length === 0) return;
    this.context.io.stdout.write(`${this.#look.style("dim", "agent-session --continue goes on with this session")}\n`);
  }

  #input(input: KeyInput): void {
    if (input.type === "text") this.#editor.insert(input.text);
    else if (input.type === "paste") this.#editor.paste(input.text);
    else this.#key(input.name);
    this.#view.draw();
  }

  #key(name: string): void {
    if (name !== "ctrl+c") this.#stayed();
    switch (name) {
      case "enter":
        return this.#editor.continueLine() ? undefined : this.#submit("steer");
      case "alt+enter":
        return this.conversation.session.state.busy ? this.#submit("followUp") : this.#editor.insert("\n");
      case "escape":
        return this.#stop();
      case "ctrl+c":
        return this.#interrupt();
      case "ctrl+d":
        return this.#editor.isEmpty ? this.leave() : this.#editor.delete();
      case "ctrl+l":
        return this.#view.redraw();
      case "ctrl+z":
        return this.context.io.job?.stop();
      case "tab":
        return this.#complete();
      case "alt+up":
        return this.#takeBack();
      case "up":
      case "ctrl+p":
        return this.#recall(this.#editor.up() ? undefined : this.#history.back(this.#editor.fullText));
      case "down":
      case "ctrl+n":
        return this.#recall(this.#editor.down() ? undefined : this.#history.forth());
      default:
        return bindings[name]?.(this.#editor);
    }
  }

  #submit(whileWorking: "steer" | "followUp"): void {
    const text = this.#editor.fullText.trim();
    const { session } = this.conversation;
    if (text === "") {
      if (this.#offered && !session.state.busy) this.#doing(this.goOn());
      return;
    }
    this.#history.add(this.#editor.fullText.trimEnd());
    this.#editor.set("");
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
    if (this.#editor.isEmpty) this.#stop();
    else this.#editor.set("");
    const cancel = this.context.io.clock.after(LEAVE_MS, () => {
      this.#stayed();
      this.#view.draw();
    });
    this.#forgetLeaving = cancel;
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
    if (texts.length === 0) return;
    const typed = this.#editor.fullText;
    this.#editor.set([...texts, ...(typed === "" ? [] : [typed])].join("\n"));
  }

  #recall(prompt: string | undefined): void {
    if (prompt !== undefined) this.#editor.set(prompt);
  }

  #completions(): { line: string; shown: string }[] {
    return this.#editor.text.startsWith("/") ? completions(this.#editor.text, this) : [];
  }

  #complete(): void {
    const lines = this.#completions().map(({ line }) => line);
    const [first] = lines;
    if (first === undefined) return;
    this.#editor.set(lines.length === 1 ? first : sharedBeginning(lines));
  }

  /** How it ends is shown by the session's events; here only what was refused is. */
  #doing(work: Promise<unknown>): void {
    work.then(
      () => this.#view.request(),
      (error: unknown) => {
        const told = usageMessage(error) ?? (error instanceof Error && TOLD.has(error.name) ? error.message : undefined);
        if (told === undefined) return this.#ended.reject(error);
        this.conversation.sending = undefined;
        return this.say(told, "red");
      },
    );
  }
}

function sharedBeginning(lines: readonly string[]): string {
  return lines.reduce((shared, line) => {
    let length = 0;
    while (length < shared.length && shared[length] === line[length]) length++;
    return shared.slice(0, length);
  });
}
