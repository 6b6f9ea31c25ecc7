import { s } from "../dom.js";
import { center, table, U } from "../geometry.js";
import { cellsWhere, dots, label, marking, numberOf, shading, shadingThumb } from "./common.js";

const [NONE, ANY] = [0, -1];
const written = (clue) => (clue === ANY ? "?" : String(clue));

export const nurikabe = {
  name: "nurikabe",
  title: "Nurikabe",
  rule: "Shade one connected sea without 2×2 pools; each island holds one number, its size.",
  words: {
    clue: "numbers stay dry",
    "no 2x2 of sea": "no 2×2 pool",
    "an island holds one clue": "one number an island",
    "an island is as large as its clue": "islands have their size",
    "sea is connected": "one sea",
  },
  blank: (height, width) => ({ clues: table(height, width, NONE) }),

  under: () => [],
  lines: () => "",
  printed: ({ givens, width }) =>
    givens.clues.flat().flatMap((clue, cell) => {
      if (clue === NONE) return [];
      const [cx, cy] = center(cell, width);
      const text = written(clue);
      return [
        s("circle", { cx, cy, r: 0.4 * U, class: "island" }),
        label(cell, width, text, "printed", { size: numberOf(text) }),
      ];
    }),
  answer: (puzzle, answer, playing) => [
    ...shading(puzzle, answer),
    ...(playing ? dots(puzzle, cellsWhere(answer, "0")) : []),
  ],
  thumb: shadingThumb,
  describe: ({ givens, width }, cell, value) => {
    const clue = givens.clues[Math.floor(cell / width)][cell % width];
    const island = clue === NONE ? "" : `, island of ${written(clue)}`;
    return (value === "1" ? "sea" : value === "0" ? "land" : "open") + island;
  },

  cellFirst: ["edit"],
  brushes: () => [
    ...Array.from({ length: 12 }, (_, i) => ({ id: String(i + 1), label: String(i + 1), keys: [] })),
    { id: "?", label: "?", keys: ["?"] },
    { id: ".", label: "clear", keys: [".", "Backspace", "Delete"] },
  ],
  numbers: true,
  edit(givens, r, c, brush) {
    givens.clues[r][c] = brush === "." ? NONE : brush === "?" ? ANY : Number(brush);
  },
  play: () => marking("sea"),
};
