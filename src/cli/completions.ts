import { commands } from "./commands.ts";
import { ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { runOptions, type OptionSpec } from "./options.ts";
import { UsageError } from "./usage-error.ts";

const shells: Readonly<Record<string, () => string>> = { bash, zsh, fish };

/** `agent-session completions <shell>`: prints a script for the shell to load. */
export function runCompletions(args: string[], io: Pick<Io, "stdout">): Promise<number> {
  const [shell = ""] = args;
  const script = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
  if (!script || args.length !== 1)
    throw new UsageError(`agent-session completions takes one of ${Object.keys(shells).join(", ")}; got "${args.join(" ")}".`);
  io.stdout.write(script());
  return Promise.resolve(ExitCode.completed);
}

const options = (): [string, OptionSpec][] => Object.entries<OptionSpec>(runOptions);

function bash(): string {
  const cases = options().flatMap(([name, { values, file, type }]) => {
    if (values) return [`    --${name}) COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$word")); return ;;`];
    if (file) return [`    --${name}) COMPREPLY=($(compgen -f -- "$word")); return ;;`];
    return type === "string" ? [`    --${name}) return ;;`] : [];
  });
  return `# bash completion of agent-session: agent-session completions bash > ~/.local/share/bash-completion/completions/agent-session
_agent_session() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  case "$before" in
${cases.join("\n")}
    completions) COMPREPLY=($(compgen -W "${Object.keys(shells).join(" ")}" -- "$word")); return ;;
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "${options()
      .map(([name]) => `--${name}`)
      .join(" ")}" -- "$word")) ;;
    @*) COMPREPLY=($(compgen -P @ -f -- "\${word#@}")) ;;
    *) [ "$COMP_CWORD" -eq 1 ] && COMPREPLY=($(compgen -W "${Object.keys(commands).join(" ")}" -- "$word")) ;;
  esac
}
complete -o filenames -F _agent_session agent-session
`;
}

function zsh(): string {
  const quoted = (text: string): string => text.replaceAll("'", "'\\''").replaceAll(/[[\]:]/g, "\\$&");
  const specs = options().map(([name, { help, value, values, file, multiple, type }]) => {
    const argument =
      type === "boolean" ? "" : `:${value?.toLowerCase() ?? "value"}:${values ? `(${values.join(" ")})` : file ? "_files" : ""}`;
    return `    '${multiple ? "*" : ""}--${name}[${quoted(help)}]${argument}' \\`;
  });
  const names = Object.entries(commands).map(([name, { help }]) => `'${name}:${quoted(help)}'`);
  return `#compdef agent-session
# zsh completion of agent-session: put this into a file _agent-session in a folder of $fpath
_agent_session() {
  local -a commands
  commands=(${names.join(" ")})
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  if [[ $words[2] == completions ]]; then
    _values shell ${Object.keys(shells).join(" ")}
    return
  fi
  _arguments \\
${specs.join("\n")}
    '*:prompt:'
}
if [[ $funcstack[1] == _agent_session ]]; then _agent_session "$@"; else compdef _agent_session agent-session; fi
`;
}

function fish(): string {
  const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const first = "__fish_is_first_token";
  const lines = options().map(([name, { help, short, type, values, file }]) => {
    const argument = type === "boolean" ? "" : values ? ` -x -a '${values.join(" ")}'` : file ? " -r -F" : " -x";
    return `complete -c agent-session${short === undefined ? "" : ` -s ${short}`} -l ${name}${argument} -d ${quoted(help)}`;
  });
  return [
    "# fish completion of agent-session: agent-session completions fish > ~/.config/fish/completions/agent-session.fish",
    "complete -c agent-session -f",
    ...Object.entries(commands).map(([name, { help }]) => `complete -c agent-session -n ${first} -a ${name} -d ${quoted(help)}`),
    `complete -c agent-session -n '__fish_seen_subcommand_from completions' -a '${Object.keys(shells).join(" ")}'`,
    ...lines,
    "",
  ].join("\n");
}
