import { frameTitleBox } from "../../src/inspect/view/chart-svg.ts";
import type { ChartLayout, Point } from "../../src/inspect/view/chart-types.ts";

type Segment = readonly [Point, Point];

/** How often lines of the chart cross each other. Lines that meet at an end do not count. */
export function countCrossings({ edges }: Pick<ChartLayout, "edges">): number {
  let crossings = 0;
  for (const [index, edge] of edges.entries()) {
    for (const other of edges.slice(index + 1)) {
      for (const one of segments(edge.points)) {
        for (const two of segments(other.points)) if (cross(one, two)) crossings += 1;
      }
    }
  }
  return crossings;
}

interface Box extends Point {
  width: number;
  height: number;
}

/** How often a line runs through words that are not its own: the label of another, or the title of a frame. */
export function countLinesOverWords({ edges, states }: ChartLayout): number {
  const titles = states.filter(({ frame }) => frame).map(frameTitleBox);
  return edges.reduce((count, edge) => {
    const words: Box[] = [...titles, ...edges.filter((other) => other !== edge).map(({ label }) => label)];
    return count + words.filter((box) => segments(edge.points).some((segment) => meets(segment, box))).length;
  }, 0);
}

/** Lines are horizontal or vertical. */
function meets([a, b]: Segment, { x, y, width, height }: Box): boolean {
  const apart =
    Math.max(a.x, b.x) <= x || Math.min(a.x, b.x) >= x + width || Math.max(a.y, b.y) <= y || Math.min(a.y, b.y) >= y + height;
  return !apart;
}

function segments(points: readonly Point[]): Segment[] {
  return points.slice(1).map((point, index) => [points[index] ?? point, point]);
}

function cross([a, b]: Segment, [c, d]: Segment): boolean {
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

/** On which side of the line through a and b a point is: the sign; 0 on it. */
function side(a: Point, b: Point, point: Point): number {
  return Math.sign((b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x));
}
