import { s } from "../dom.js";
import { cellsPath, table } from "../geometry.js";
import { cellsWhere, dots, label, marking, shading, shadingThumb } from "./common.js";

const [UNUSED, ANY] = [-1, -2];
const PLACES = {
  1: [[0, 0]],
  2: [[-0.2, -0.17], [0.2, 0.17]],
  3: [[-0.24, -0.2], [0.24, -0.2], [0, 0.22]],
  4: [[0, -0.27], [-0.27, 0], [0.27, 0], [0, 0.27]],
};
const SIZES = { 1: 0.56, 2: 0.4, 3: 0.36, 4: 0.33 };

const numbers = (clue) => clue.filter((number) => number !== UNUSED);
const written = (number) => (number === ANY ? "?" : String(number));
const clued = ({ givens }) =>
  givens.clues.flat().flatMap((clue, cell) => (numbers(clue).length ? [cell] : []));

export const tapa = {
  name: "tapa",
  title: "Tapa",
  rule: "Shade one connected wall without 2×2 squares; clues list the runs of shaded cells around them.",
  words: {
    clue: "clues stay white",
    "no 2x2 of shaded cells": "no 2×2 square",
    "shaded runs around a clue": "clues count their runs",
    "shaded cells form one wall": "one wall",
  },
  blank: (height, width) => ({ clues: table(height, width, [UNUSED, UNUSED, UNUSED, UNUSED]) }),

  under: (puzzle) => [s("path", { class: "clued", d: cellsPath(clued(puzzle), puzzle.width) })],
  lines: () => "",
  printed: ({ givens, width }) =>
    givens.clues.flat().flatMap((clue, cell) => {
      const list = numbers(clue);
      return list.map((number, i) => {
        const [dx, dy] = PLACES[list.length][i];
        return label(cell, width, written(number), "printed", { dx, dy, size: SIZES[list.length] });
      });
    }),
  answer: (puzzle, answer, playing) => [
    ...shading(puzzle, answer),
    ...(playing ? dots(puzzle, cellsWhere(answer, "0")) : []),
  ],
  thumb: shadingThumb,
  describe: ({ givens, width }, cell, value) => {
    const list = numbers(givens.clues[Math.floor(cell / width)][cell % width]);
    if (list.length) return `clue ${list.map(written).join(" ")}`;
    return value === "1" ? "shaded" : value === "0" ? "white" : "open";
  },

  cellFirst: ["edit"],
  brushes: () => [
    ...Array.from({ length: 9 }, (_, i) => ({ id: String(i), label: String(i), keys: [String(i)] })),
    { id: "?", label: "?", keys: ["?"] },
    { id: ".", label: "clear", keys: [".", "Backspace", "Delete"] },
  ],
  appends: true,
  edit(givens, r, c, brush) {
    const list = brush === "." ? [] : numbers(givens.clues[r][c]);
    if (brush !== ".") list.push(brush === "?" ? ANY : Number(brush));
    // 0 and numbers above 5 stand alone; a fifth number starts the clue again.
    const alone = list.length > 1 && list.some((number) => number === 0 || number > 5);
    const kept = alone || list.length > 4 ? list.slice(-1) : list;
    givens.clues[r][c] = [...kept, UNUSED, UNUSED, UNUSED, UNUSED].slice(0, 4);
  },
  play: () => marking("shade"),
};
