import { s } from "../dom.js";
import { table, U } from "../geometry.js";
import { cellsWhere, dots, label, marking, shading, shadingThumb } from "./common.js";

const NONE = -1;

/** The first cell, in reading order, of the room that each cell lies in. */
function firstCells({ clues, right, down }) {
  const [height, width] = [clues.length, clues[0].length];
  const first = Array(height * width).fill(-1);
  for (let start = 0; start < first.length; start++) {
    if (first[start] >= 0) continue;
    const stack = [start];
    first[start] = start;
    while (stack.length) {
      const cell = stack.pop();
      const [r, c] = [Math.floor(cell / width), cell % width];
      const ways = [
        c + 1 < width && !right[r][c] && cell + 1,
        c > 0 && !right[r][c - 1] && cell - 1,
        r + 1 < height && !down[r][c] && cell + width,
        r > 0 && !down[r - 1][c] && cell - width,
      ];
      for (const next of ways) {
        if (next !== false && first[next] < 0) {
          first[next] = start;
          stack.push(next);
        }
      }
    }
  }
  return first;
}

/** Numbers move to the first cell of their room when borders change. */
function settle(givens) {
  const width = givens.clues[0].length;
  const first = firstCells(givens);
  first.forEach((home, cell) => {
    const row = givens.clues[Math.floor(cell / width)];
    const clue = row[cell % width];
    if (clue === NONE || home === cell) return;
    row[cell % width] = NONE;
    const homeRow = givens.clues[Math.floor(home / width)];
    if (homeRow[home % width] === NONE) homeRow[home % width] = clue;
  });
}

/** Toggle the border on one side of a cell: "up", "right", "down" or "left". */
export function toggleBorder(givens, r, c, side, on) {
  const [array, row, column] = {
    right: [givens.right, r, c],
    left: [givens.right, r, c - 1],
    down: [givens.down, r, c],
    up: [givens.down, r - 1, c],
  }[side];
  if (array[row]?.[column] === undefined) return null;
  array[row][column] = on ?? (array[row][column] ? 0 : 1);
  settle(givens);
  return array[row][column];
}

export const heyawake = {
  name: "heyawake",
  title: "Heyawake",
  rule: "Shaded cells never touch, white ones stay connected, rooms hold their number, and no white line crosses two borders.",
  words: {
    clue: "every cell is free",
    "no two shaded cells touch": "shaded cells stay apart",
    "a white line crosses one border": "white lines end by the second border",
    "number of shaded cells in a room": "rooms hold their number",
    "some cell is shaded": "some cell is shaded",
    "white cells are connected": "white is one area",
  },
  blank: (height, width) => ({
    clues: table(height, width, NONE),
    right: table(height, width - 1, 0),
    down: table(height - 1, width, 0),
  }),

  under: () => [],
  lines({ givens, height, width }) {
    let d = "";
    for (let r = 0; r < height; r++)
      for (let c = 0; c < width; c++) {
        if (givens.right[r][c]) d += `M${(c + 1) * U} ${r * U}v${U}`;
        if (givens.down[r]?.[c]) d += `M${c * U} ${(r + 1) * U}h${U}`;
      }
    return d;
  },
  printed: ({ givens, width }) =>
    givens.clues.flat().flatMap((clue, cell) =>
      clue === NONE
        ? []
        : [label(cell, width, clue, "printed corner", { dx: -0.26, dy: -0.24, size: 0.36 })],
    ),
  answer: (puzzle, answer, playing) => [
    ...shading(puzzle, answer, 1.5),
    ...(playing ? dots(puzzle, cellsWhere(answer, "0")) : []),
  ],
  thumb: shadingThumb,
  describe: ({ givens, width }, cell, value) => {
    const clue = givens.clues[Math.floor(cell / width)][cell % width];
    const room = clue === NONE ? "" : `, room of ${clue}`;
    return (value === "1" ? "shaded" : value === "0" ? "white" : "open") + room;
  },

  brushes: () => [
    { id: "|", label: "border", keys: ["b", "|"], hint: "tap near an edge, or Shift and arrows" },
    ...Array.from({ length: 9 }, (_, i) => ({ id: String(i), label: String(i), keys: [] })),
    { id: ".", label: "no number", keys: [".", "Backspace", "Delete"] },
  ],
  numbers: true,
  borders: true,
  edit(givens, r, c, brush, place) {
    if (brush === "|") {
      if (!place) return;
      const { dx, dy } = place;
      const side = [[dy, "up"], [1 - dx, "right"], [1 - dy, "down"], [dx, "left"]]
        .sort((a, b) => a[0] - b[0])[0];
      if (side[0] > 0.35) return;
      const drawn = toggleBorder(givens, r, c, side[1], place.drawing);
      if (drawn !== null) place.drawing ??= drawn;
      return;
    }
    const width = givens.clues[0].length;
    const home = firstCells(givens)[r * width + c];
    givens.clues[Math.floor(home / width)][home % width] = brush === "." ? NONE : Number(brush);
  },
  play: () => marking("shade"),
};

export const roomLines = (puzzle) => s("path", { class: "thick", d: heyawake.lines(puzzle) });
