const NEEDED = [22, 18] as const;

/** A line that says what is wrong with a version of Node, such as `v20.11.0`; undefined when it will do. */
export function versionProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return undefined;
  return `agent-session needs Node >= ${NEEDED.join(".")}; this is ${version}. https://nodejs.org has newer ones.`;
}
