import { s } from "../dom.js";
import { cellsPath, center, table, U } from "../geometry.js";
import { cellsWhere, dots, label, marking } from "./common.js";

const [WHITE, BLACK] = [-2, -1];

function lit({ givens, height, width }, answer) {
  const light = new Set();
  for (const bulb of cellsWhere(answer, "1")) {
    const [r0, c0] = [Math.floor(bulb / width), bulb % width];
    if (givens.clues[r0][c0] !== WHITE) continue;
    for (const [dr, dc] of [[0, 1], [1, 0], [0, -1], [-1, 0]]) {
      let [r, c] = [r0, c0];
      while (r >= 0 && c >= 0 && r < height && c < width && givens.clues[r][c] === WHITE) {
        light.add(r * width + c);
        [r, c] = [r + dr, c + dc];
      }
    }
  }
  return [...light];
}

const bulbs = ({ width }, answer) =>
  cellsWhere(answer, "1").flatMap((cell) => {
    const [cx, cy] = center(cell, width);
    return [
      s("circle", { cx, cy, r: 0.27 * U, class: "bulb" }),
      s("circle", { cx, cy, r: 0.1 * U, class: "filament" }),
    ];
  });

export const lightup = {
  name: "lightup",
  title: "Light Up",
  rule: "Bulbs light every white cell, none sees another, numbers count the bulbs beside them.",
  words: {
    clue: "bulbs on white cells only",
    "one bulb a line of sight": "no bulb sees another",
    "number of bulbs beside a clue": "numbers count bulbs",
    "unlit cells": "every white cell is lit",
  },
  blank: (height, width) => ({ clues: table(height, width, WHITE) }),

  under: ({ givens, width }) => {
    const black = givens.clues.flat().flatMap((clue, cell) => (clue === WHITE ? [] : [cell]));
    return [s("path", { class: "wall", d: cellsPath(black, width) })];
  },
  lines: () => "",
  printed: ({ givens, width }) =>
    givens.clues.flat().flatMap((clue, cell) =>
      clue >= 0 ? [label(cell, width, clue, "on-wall")] : [],
    ),
  answer: (puzzle, answer, playing) => [
    s("path", { class: "lit", d: cellsPath(lit(puzzle, answer), puzzle.width, 0.5) }),
    ...bulbs(puzzle, answer),
    ...(playing ? dots(puzzle, cellsWhere(answer, "0")) : []),
  ],
  thumb: (puzzle, answer) => [
    s("path", { class: "lit", d: cellsPath(lit(puzzle, answer), puzzle.width) }),
    ...cellsWhere(answer, "1").map((cell) => {
      const [cx, cy] = center(cell, puzzle.width);
      return s("circle", { cx, cy, r: 0.32 * U, class: "bulb" });
    }),
  ],
  describe: ({ givens, width }, cell, value) => {
    const clue = givens.clues[Math.floor(cell / width)][cell % width];
    if (clue === WHITE) return value === "1" ? "bulb" : "white";
    return clue === BLACK ? "black" : `black, ${clue}`;
  },

  brushes: () => [
    { id: "b", label: "black", keys: ["b", "#"] },
    ...[0, 1, 2, 3, 4].map((n) => ({ id: String(n), label: String(n), keys: [String(n)] })),
    { id: ".", label: "white", keys: [".", "Backspace", "Delete"] },
  ],
  edit(givens, r, c, brush) {
    givens.clues[r][c] = brush === "." ? WHITE : brush === "b" ? BLACK : Number(brush);
  },
  play: () => marking("bulb"),
};
