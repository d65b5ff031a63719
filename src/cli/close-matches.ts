/** The names most like the given one, best first; none when nothing comes close. */
export function closeMatches(name: string, known: Iterable<string>, most = 3): string[] {
  const wanted = name.toLowerCase();
  const limit = Math.max(2, Math.ceil(wanted.length / 3));
  return [...known]
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** ` Did you mean a or b?`, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const matches = closeMatches(name, known);
  return matches.length === 0 ? "" : ` Did you mean ${matches.join(" or ")}?`;
}

/** 0 for a name that holds the other, as far as it is worth comparing; else the number of edits between the two. */
function distanceOf(wanted: string, candidate: string): number {
  if (wanted.length >= 4 && candidate.includes(wanted)) return 0;
  return edits(wanted, candidate);
}

/** Levenshtein distance. */
function edits(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
