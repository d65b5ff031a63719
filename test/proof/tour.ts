import type { Graph, GraphEdge, Stimulus } from "../../src/testing/index.ts";

/** A tour is broken off here and begun anew, so that sessions stay small and stories short. */
const LONGEST_TOUR = 300;
/** States looked at in search of the nearest edge: beyond them a new tour is cheaper. */
const NEAR = 60;

/**
 * Ways through a graph that together take each of its edges. Each begins at the start, and goes on from where it is to the
 * nearest edge that none has taken.
 */
export class Tours {
  readonly #graph: Graph;
  readonly #left: Map<string, GraphEdge[]>;
  /** Edges not taken yet. */
  #open: number;
  steps = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
    // What changes nothing is tried first, on the way.
    this.#left = new Map(
      [...graph.edges].map(([key, edges]) => [
        key,
        edges.toSorted((left, right) => Number(left.to === left.from) - Number(right.to === right.from)),
      ]),
    );
    this.#open = [...graph.edges.values()].reduce((sum, edges) => sum + edges.length, 0);
  }

  get done(): boolean {
    return this.#open === 0;
  }

  *next(): Generator<Stimulus> {
    let at = this.#graph.start;
    let way = this.#toFirstOpen();
    for (let length = 0; length < LONGEST_TOUR && way !== undefined; way = this.#nearest(at)) {
      for (const edge of way) {
        this.#take(edge);
        length++;
        this.steps++;
        yield edge.stimulus;
        at = edge.to;
      }
    }
  }

  #toFirstOpen(): GraphEdge[] | undefined {
    for (const [key, edges] of this.#left) {
      if (edges.length === 0) this.#left.delete(key);
      else return [...this.#wayBack(this.#graph.reachedBy, key), ...edges.slice(-1)];
    }
    return undefined;
  }

  #take(edge: GraphEdge): void {
    const left = this.#left.get(edge.from);
    const place = left?.lastIndexOf(edge) ?? -1;
    if (place === -1) return;
    left?.splice(place, 1);
    this.#open--;
  }

  /** The shortest way that ends with an edge not taken yet; undefined when none is near. */
  #nearest(from: string): GraphEdge[] | undefined {
    const reachedBy = new Map<string, GraphEdge | undefined>([[from, undefined]]);
    for (const key of reachedBy.keys()) {
      const open = this.#left.get(key)?.at(-1);
      if (open !== undefined) return [...this.#wayBack(reachedBy, key), open];
      if (reachedBy.size > NEAR) return undefined;
      for (const edge of this.#graph.edges.get(key) ?? []) if (!reachedBy.has(edge.to)) reachedBy.set(edge.to, edge);
    }
    return undefined;
  }

  #wayBack(reachedBy: ReadonlyMap<string, GraphEdge | undefined>, to: string): GraphEdge[] {
    const way: GraphEdge[] = [];
    for (let edge = reachedBy.get(to); edge !== undefined; edge = reachedBy.get(edge.from)) way.push(edge);
    return way.toReversed();
  }
}
