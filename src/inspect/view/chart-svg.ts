import type { ChartLayout, PlacedEdge, PlacedState, Point } from "./chart-types.ts";

const CORNER = 7;

/** Height of a label's line. */
export function lineHeight(textSize: number): number {
  return Math.round(textSize * 1.25);
}

/** Size of the letters of a state's name. */
export function titleSize(textSize: number): number {
  return textSize + 3;
}

/** The chart as SVG markup. Colours come from CSS: `style` for a file of its own, the page's sheet on the page. */
export function chartSvg(layout: ChartLayout, { id, title, style = "" }: { id: string; title: string; style?: string }): string {
  const { width, height, textSize, states, edges } = layout;
  const frames = states.filter(({ frame }) => frame);
  const leaves = states.filter(({ frame }) => !frame);
  return `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title">
<title id="${id}-title">${escapeText(title)}</title>
${style}<defs>${marker(id, "arrow")}${marker(id, "arrow-taken")}</defs>
${frames.map((state) => stateSvg(state, textSize)).join("\n")}
${edges.map((edge) => edgeSvg(edge, id)).join("\n")}
${leaves.map((state) => stateSvg(state, textSize)).join("\n")}
${edges.map((edge) => labelSvg(edge, textSize)).join("\n")}
</svg>
`;
}

function marker(id: string, name: string): string {
  return `<marker id="${id}-${name}" class="${name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto" markerUnits="userSpaceOnUse"><path d="M0 0.5 8 4 0 7.5Z"/></marker>`;
}

/** Where the title of a frame stands. */
export function frameTitleBox({ x, y, title }: PlacedState): { x: number; y: number; width: number; height: number } {
  return { x: x + 10, y: y + 7, width: title.length * 9, height: 18 };
}

function stateSvg({ id, title, frame, x, y, width, height }: PlacedState, textSize: number): string {
  const size = frame ? textSize + 1 : titleSize(textSize);
  const place = frame
    ? `x="${x + 12}" y="${y + 20}"`
    : `x="${x + width / 2}" y="${y + height / 2 + size / 3}" text-anchor="middle"`;
  const box = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${frame ? 12 : 9}"/>`;
  return `<g class="state${frame ? " frame" : ""}" data-state="${id}">${box}<text ${place} font-size="${size}">${escapeText(title)}</text></g>`;
}

function edgeSvg({ steps, points }: PlacedEdge, id: string): string {
  return `<path class="edge" data-steps="${escapeText(steps.join(" "))}" d="${rounded(points)}" marker-end="url(#${id}-arrow)"/>`;
}

function labelSvg({ steps, label }: PlacedEdge, textSize: number): string {
  const { x, y, width, height, lines } = label;
  if (lines.length === 0) return "";
  const spans = lines.map((line, index) => {
    const baseline = y + lineHeight(textSize) * (index + 1) - textSize / 4;
    return `<tspan x="${x + width / 2}" y="${baseline}">${escapeText(line)}</tspan>`;
  });
  return `<g class="label" data-steps="${escapeText(steps.join(" "))}"><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4"/><text text-anchor="middle" font-size="${textSize}">${spans.join("")}</text></g>`;
}

/** A path through the points, with its corners rounded. */
function rounded(points: readonly Point[]): string {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return "";
  const corners = points.slice(1, -1).map((corner, index) => {
    const before = towards(corner, points[index] ?? corner);
    const after = towards(corner, points[index + 2] ?? corner);
    return `L${before.x} ${before.y}Q${corner.x} ${corner.y} ${after.x} ${after.y}`;
  });
  return `M${first.x} ${first.y}${corners.join("")}L${last.x} ${last.y}`;
}

function towards(from: Point, to: Point): Point {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const share = distance === 0 ? 0 : Math.min(CORNER, distance / 2) / distance;
  return { x: round(from.x + (to.x - from.x) * share), y: round(from.y + (to.y - from.y) * share) };
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}

export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
