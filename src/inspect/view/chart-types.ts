/** A statechart with a place for everything, in the units of an SVG. */
export interface ChartLayout {
  /** Size of the letters of labels. */
  textSize: number;
  width: number;
  height: number;
  states: PlacedState[];
  edges: PlacedEdge[];
}

export interface PlacedState {
  id: string;
  title: string;
  parent?: string;
  /** Other states are inside. */
  frame: boolean;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PlacedEdge {
  /** The steps it stands for, as a trace names them: `source>target`. */
  steps: string[];
  source: string;
  target: string;
  points: Point[];
  label: { x: number; y: number; width: number; height: number; lines: string[] };
}

export interface Point {
  x: number;
  y: number;
}
