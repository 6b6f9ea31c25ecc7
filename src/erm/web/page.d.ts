// What the page's modules hand to each other, for `make lint-js`; browsers never load this file.
// The server's messages are those of schema.py.

export type Table = any[][];
export type Givens = Record<string, Table>;

export interface Puzzle {
  task: string;
  height: number;
  width: number;
  states: number;
  /** The characters of its states. */
  symbols: string;
  /** How each of them is written into a cell. */
  written: string;
  text: string;
  givens: Givens;
  /** What is printed on each cell. */
  labels: string[];
  right: number[][];
  down: number[][];
  signs: { cells: [number, number]; text: string }[];
  /** Ways in which the rules group the cells: ids, cell by cell. */
  groups: number[][];
  /** Row and column of each cell, where the board is no lattice. */
  places: [number, number][] | null;
  /** Cells that a rule joins, where the board is no lattice. */
  links: number[][];
  fixed: string;
  start: string;
  answer: string | null;
}

export interface Given {
  low: number;
  high: number;
  blank: number;
  names: Record<string, number>;
  trim: [number, number];
  slots: number;
}

export interface Checkpoint {
  name: string;
  architecture: string;
  parameters: number;
}

export interface Task {
  name: string;
  title: string;
  about: string;
  words: Record<string, string>;
  marks: boolean;
  /** Whether cells lie beside each other; else they are drawn as a graph. */
  lattice: boolean;
  sides: number[];
  givens: Record<string, Given>;
  page: string | null;
  examples: { title: string; text: string }[];
  checkpoints: Checkpoint[];
  missing: string | null;
}

export interface Overview {
  version: string;
  tasks: Task[];
  selectors: string[];
  opening: { task: string; text: string } | null;
  bounds: { width: number; depth: number; seconds: number; side: number };
}

export interface Violation {
  rule: string;
  /** The culprits. */
  cells: number[];
  /** The cell on which the rule is printed here. */
  clue: number | null;
  /** The same in a sentence. */
  words: string;
}

export interface RuleCheck {
  rule: string;
  places: number;
  broken: number;
}

export interface Verdict {
  complete: boolean;
  possible: boolean;
  certified: boolean;
  violations: Violation[];
  unfinished: Violation[];
  certificate: RuleCheck[];
  cost?: number | null;
}

export type Terms = Record<string, number | null>;

export interface Candidate {
  k: number;
  count: number;
  answer: string;
  valid: boolean;
  energy: number | null;
  terms: Terms;
}

export interface Choice {
  selector: string;
  k: number | null;
  answer: string;
  score: number | null;
  tied: boolean;
  valid: boolean;
}

export interface Frame {
  step: number;
  wave: number;
  depth: number;
  size: number;
  distinct: number;
  valid: number;
  evaluations: number;
  seconds: number;
  energy: number | null;
  median: number | null;
  /** Of every candidate. */
  energies: (number | null)[];
  candidates: Candidate[];
  choices: Choice[];
  violations: Violation[];
  /** Of the chosen answer, and what no answer undercuts; null where answers have no prices. */
  cost?: number | null;
  bound?: number | null;
}

export interface Tempering {
  swap_rates: (number | null)[];
  visited: number;
  acceptance: number;
}

export interface Outcome {
  /** null where there is none. */
  answer: string | null;
  certified: boolean;
  /** "unique", "certified", "no solution" or "undecided", from servers that prove things. */
  status?: string;
  contradiction?: string | null;
  by?: string;
  cost?: number | null;
  bound?: number | null;
  /** Whether it is proved that no answer costs less: another thing than certified. */
  optimal?: boolean;
  ended: "certified" | "proved" | "budget" | "time" | "stopped";
  k: number | null;
  energy: number | null;
  terms: Terms;
  violations: Violation[];
  certificate: RuleCheck[];
  candidates: number;
  evaluations: number;
  seconds: number;
  checkpoint: string;
  link: string | null;
  tempering: Tempering | null;
}

/** An earlier search of the same puzzle under another guidance. */
export interface Earlier {
  frames: Frame[];
  guidance: number;
}

/** Where a puzzle comes from: its text, or its givens with the task's name. */
export type Source = { task?: string; text: string } | { task: string; givens: Givens };

/** States that one cell loses, and why. */
export interface Step {
  cell: number;
  ruled_out: number[];
  settled: string | null;
  level: string;
  rule: string;
  scope: number[];
  because: number[];
  words: string;
}

export interface Hint {
  steps: Step[];
  mistaken: boolean;
  words: string;
}

export interface Walk {
  steps: Step[];
  solved: boolean;
  grade: number;
  asks_for: string;
  words: string;
}

export type Mode = "watch" | "play" | "why" | "edit";

export interface Settings {
  width: number;
  depth: number;
  mode: string;
  selector: string;
  seed: number;
  rungs: number;
  noise: number;
  /** eta of energy guidance; 0 is off. */
  guidance: number;
  checkpoint: string | null;
}

/** One way to write or draw on a board. */
export interface Brush {
  id: string;
  label: string;
  keys: string[];
  hint?: string;
  /** Whether it draws between cells, so that one cell can be pressed in several places. */
  edges?: boolean;
}

/** Where inside a cell a pointer is, from 0 to 1, and what its stroke has begun to draw. */
export interface Place {
  dx: number;
  dy: number;
  drawing: any;
}

/** Where the cells of a puzzle lie, in units of the drawing. */
export interface Layout {
  size: [number, number];
  center(cell: number): [number, number];
  /** A path that fills cells, `inset` from their edges. */
  filled(cells: number[], inset?: number): string;
  outline(cells: number[], inset: number): string;
  /** The cell at a point, with the place inside it from 0 to 1; null beside all cells. */
  at(point: { x: number; y: number }): { cell: number; dx: number; dy: number } | null;
  /** The next cell in a direction, or the same where there is none. */
  beside(cell: number, dr: number, dc: number): number;
  /** What a cell is called. */
  name(cell: number): string;
}

export type Side = "up" | "right" | "down" | "left";

/** How one kind of puzzle is drawn and edited. A page module may replace any of these. */
export interface Kind {
  /** What lies under the grid. */
  under(puzzle: Puzzle): SVGElement[];
  /** The thick lines as one path. */
  lines(puzzle: Puzzle): string;
  /** Whether the thin lines between cells stay in the background. */
  faint: boolean;
  printed(puzzle: Puzzle): SVGElement[];
  answer(puzzle: Puzzle, answer: string, playing: boolean): SVGElement[];
  thumb(puzzle: Puzzle, answer: string): SVGElement[];
  /** A cell in words. */
  describe(puzzle: Puzzle, cell: number, value: string): string;
  /** The givens of an empty board. */
  blank(height: number, width: number): Givens;
  /** The modes in which one chooses a cell first and what to write second. */
  cellFirst: Mode[];
  /** Whether digits typed one after the other make one number. */
  numbers: boolean;
  /** Whether what is typed into a cell is added to what stands there. */
  appends: boolean;
  /** Ways to edit what is printed; empty where boards are given as text only. */
  brushes(puzzle: Puzzle): Brush[];
  /** Change the givens, which are a copy, where a brush meets a cell. */
  edit(givens: Givens, r: number, c: number, brush: string, puzzle: Puzzle, place?: Place): void;
  /** What Shift and an arrow key do to the cell under the cursor. */
  editSide?(givens: Givens, r: number, c: number, side: Side): void;
  /** Ways to write an answer. */
  play(puzzle: Puzzle): Brush[];
}

export type Attributes = Record<string, any> | null;
export type Child = Node | string | number | null | undefined;

/** What a page module is called with: `export default (kit) => ({ ...parts of a Kind })`. */
export interface Kit {
  task: Task;
  /** The usual drawing, made from what the server tells. */
  usual: Kind;
  /** Units of the drawing per cell. */
  U: number;
  s(tag: string, attributes?: Attributes, ...children: (Child | Child[])[]): SVGElement;
  center(cell: number, width: number): [number, number];
  cellsPath(cells: number[], width: number, inset?: number): string;
  table(height: number, width: number, value: any): Table;
  label(
    cell: number,
    width: number,
    text: string | number,
    className: string,
    place?: { dx?: number; dy?: number; size?: number },
  ): SVGElement;
  cellsWhere(answer: string, character: string): number[];
  dots(puzzle: Puzzle, cells: number[]): SVGElement[];
  shading(puzzle: Puzzle, answer: string, options?: { inset?: number; className?: string }): SVGElement[];
  marking(mark: string): Brush[];
  numberSize(text: string): number;
}

export type PageModule = (kit: Kit) => Partial<Kind>;
