import { omissions } from "../../log/index.ts";
import type { Entry, Omission, SessionLog } from "../../log/index.ts";
import { describeEntry, describeOmission, kindOf, oneLine } from "./describe.ts";

interface Place {
  entry: Entry;
  /** How many branches off the active one it is. */
  depth: number;
}

/** Longest name of a kind of entry that is common, so that the texts stand below each other. */
const KIND_WIDTH = 12;

/**
 * A session as lines: its entries in the order of their branches, the active one last and not indented. In front of each stands
 * `*` when the model is shown it, `-` when it is left out (the line says why), and nothing when it has nothing to show.
 */
export function treeLines(log: SessionLog): string[] {
  const omitted = omissions(log);
  const shown = new Set(log.projection.items.map((item) => item.entryId));
  return places(log).map(({ entry, depth }) => {
    const mark = shown.has(entry.id) ? "*" : omitted.has(entry.id) ? "-" : " ";
    return `${mark} ${"| ".repeat(depth)}${oneLine(entry.id)} ${kindOf(entry).padEnd(KIND_WIDTH)} ${textOf(log, entry, omitted.get(entry.id))}`.trimEnd();
  });
}

function textOf(log: SessionLog, entry: Entry, omission: Omission | undefined): string {
  const label = log.labels.get(entry.id);
  const notes = [
    label === undefined ? "" : `label "${oneLine(label)}"`,
    omission === undefined ? "" : describeOmission(omission),
  ];
  const noted = notes.filter((note) => note !== "").join("; ");
  return noted === "" ? describeEntry(entry) : `${describeEntry(entry)}  (${noted})`;
}

/** All entries, each branch as one piece, and of the branches at one entry the active one last. */
function places(log: SessionLog): Place[] {
  const active = new Set(log.branch().map((entry) => entry.id));
  const children = new Map<string | null, Entry[]>();
  for (const entry of log.entries) {
    const siblings = children.get(entry.parentId);
    if (siblings === undefined) children.set(entry.parentId, [entry]);
    else siblings.push(entry);
  }
  const found: Place[] = [];
  const waiting: Place[] = [];
  /** Puts the children up so that the one that goes on is taken last. */
  const expand = (parentId: string | null, depth: number): void => {
    const siblings = children.get(parentId) ?? [];
    const main = siblings.find((entry) => active.has(entry.id)) ?? siblings.at(-1);
    if (main !== undefined) waiting.push({ entry: main, depth });
    for (const entry of siblings.toReversed()) if (entry !== main) waiting.push({ entry, depth: depth + 1 });
  };
  expand(null, 0);
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    found.push(place);
    expand(place.entry.id, place.depth);
  }
  return found;
}
