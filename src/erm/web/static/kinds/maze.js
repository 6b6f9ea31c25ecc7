import { s } from "../dom.js";
import { cellsPath, center, table, U } from "../geometry.js";
import { cellsWhere, dots, label, marking } from "./common.js";

const [WALL, OPEN, START, GOAL] = [1, 2, 3, 4];
const NAMES = { 1: "wall", 2: "open", 3: "start", 4: "goal" };

/** The path as strokes between neighbouring cells of it, terminals included. */
function strokes({ givens, height, width }, answer) {
  const cells = givens.cells.flat();
  const on = cells.map((kind, cell) => answer[cell] === "1" || kind >= START);
  const marked = (cell) => answer[cell] === "1";
  let d = "";
  for (let cell = 0; cell < cells.length; cell++) {
    const [x, y] = center(cell, width);
    if (marked(cell)) d += `M${x} ${y}h0`;
    const right = (cell + 1) % width ? cell + 1 : null;
    const below = cell + width < height * width ? cell + width : null;
    if (right !== null && on[cell] && on[right] && (marked(cell) || marked(right)))
      d += `M${x} ${y}h${U}`;
    if (below !== null && on[cell] && on[below] && (marked(cell) || marked(below)))
      d += `M${x} ${y}v${U}`;
  }
  return s("path", { class: "path", d });
}

export const maze = {
  name: "maze",
  title: "Maze",
  rule: "Mark the cells of one path from start to goal that touches itself nowhere.",
  words: {
    wall: "marks on open cells only",
    terminal: "one path cell beside start and goal",
    "open cell": "path cells have two neighbours",
    format: "marks stand on open cells",
    degree: "one way in, one way out",
    "start-goal connectivity": "start and goal are joined",
    cycle: "no loop",
    length: "as many steps as cells ask for",
  },
  blank(height, width) {
    const cells = table(height, width, OPEN);
    for (let r = 0; r < height; r++)
      for (let c = 0; c < width; c++)
        if (r === 0 || c === 0 || r === height - 1 || c === width - 1) cells[r][c] = WALL;
    const [top, left] = [height > 2 ? 1 : 0, width > 2 ? 1 : 0];
    cells[top][left] = START;
    cells[height - 1 - top][width - 1 - left] = GOAL;
    return { cells };
  },

  under: ({ givens, width }) => {
    const walls = givens.cells.flat().flatMap((kind, cell) => (kind === WALL ? [cell] : []));
    return [s("path", { class: "wall", d: cellsPath(walls, width) })];
  },
  lines: () => "",
  printed: ({ givens, width }) =>
    givens.cells.flat().flatMap((kind, cell) => {
      if (kind < START) return [];
      const [cx, cy] = center(cell, width);
      return [
        s("circle", { cx, cy, r: 0.4 * U, class: kind === START ? "start" : "goal" }),
        label(cell, width, kind === START ? "S" : "G", "terminal", { size: 0.46 }),
      ];
    }),
  answer: (puzzle, answer, playing) => [
    strokes(puzzle, answer),
    ...(playing ? dots(puzzle, cellsWhere(answer, "0")) : []),
  ],
  thumb: (puzzle, answer) => [strokes(puzzle, answer)],
  describe: ({ givens, width }, cell, value) => {
    const kind = givens.cells[Math.floor(cell / width)][cell % width];
    return value === "1" ? "path" : NAMES[kind];
  },

  brushes: () => [
    { id: "#", label: "wall", keys: ["#", "w"] },
    { id: " ", label: "open", keys: [".", "o", "Backspace", "Delete"] },
    { id: "S", label: "start", keys: ["s"] },
    { id: "G", label: "goal", keys: ["g"] },
  ],
  edit(givens, r, c, brush) {
    const kind = { "#": WALL, " ": OPEN, S: START, G: GOAL }[brush];
    const there = givens.cells[r][c];
    // A maze keeps its one start and its one goal: they move, but nothing covers them.
    if (kind < START && there >= START) return;
    if (kind >= START) {
      for (const row of givens.cells)
        row.forEach((one, at) => {
          if (one === kind) row[at] = there >= START ? there : OPEN;
        });
    }
    givens.cells[r][c] = kind;
  },
  play: () => marking("path"),
};
