import type { Editor } from "./editor.ts";

/** Keys that only change what is typed. */
export const bindings: Readonly<Record<string, (editor: Editor) => void>> = {
  left: (editor) => editor.left(),
  "ctrl+b": (editor) => editor.left(),
  right: (editor) => editor.right(),
  "ctrl+f": (editor) => editor.right(),
  "ctrl+left": (editor) => editor.wordLeft(),
  "alt+left": (editor) => editor.wordLeft(),
  "alt+b": (editor) => editor.wordLeft(),
  "ctrl+right": (editor) => editor.wordRight(),
  "alt+right": (editor) => editor.wordRight(),
  "alt+f": (editor) => editor.wordRight(),
  home: (editor) => editor.lineStart(),
  "ctrl+a": (editor) => editor.lineStart(),
  end: (editor) => editor.lineEnd(),
  "ctrl+e": (editor) => editor.lineEnd(),
  backspace: (editor) => editor.backspace(),
  "shift+backspace": (editor) => editor.backspace(),
  delete: (editor) => editor.delete(),
  "ctrl+d": (editor) => editor.delete(),
  "ctrl+k": (editor) => editor.killToLineEnd(),
  "ctrl+u": (editor) => editor.killToLineStart(),
  "ctrl+w": (editor) => editor.killArgument(),
  "alt+backspace": (editor) => editor.killWordLeft(),
  "ctrl+backspace": (editor) => editor.killWordLeft(),
  "alt+d": (editor) => editor.killWordRight(),
  "ctrl+y": (editor) => editor.yank(),
  "ctrl+j": (editor) => editor.insert("\n"),
  "shift+enter": (editor) => editor.insert("\n"),
  "ctrl+enter": (editor) => editor.insert("\n"),
};

/** The keys as `/help` tells them. */
export const keysHelp: readonly (readonly [keys: string, what: string])[] = [
  ["Enter", "ask; while it works: steer it"],
  ["Alt-Enter", "while it works: ask when it is done; else a new line"],
  ["Ctrl-J, \\ Enter", "a new line"],
  ["Esc", "stop what runs, or the wait for a retry"],
  ["Alt-Up", "take back what is queued"],
  ["Up, Down", "prompts of before"],
  ["Tab", "complete a command"],
  ["Ctrl-C", "empty the line, or stop; twice: leave"],
  ["Ctrl-D", "leave, on an empty line"],
  ["Ctrl-L", "draw the screen anew"],
  ["Ctrl-Z", "put it to sleep; fg wakes it"],
];
