// What kinds share: printed text, shading, and the brushes of two-state answers.

import { s } from "../dom.js";
import { cellsPath, center, U } from "../geometry.js";

export function label(cell, width, text, className, { dx = 0, dy = 0, size = 0.56 } = {}) {
  const [x, y] = center(cell, width);
  return s(
    "text",
    { x: x + dx * U, y: y + dy * U, "font-size": size * U, class: className },
    String(text),
  );
}

export const cellsWhere = (answer, character) =>
  [...answer].flatMap((value, cell) => (value === character ? [cell] : []));

/** Shaded cells, and dots where a player knows that a cell is white. */
export function shading(puzzle, answer, inset = 0) {
  return [
    s("path", { class: "shaded", d: cellsPath(cellsWhere(answer, "1"), puzzle.width, inset) }),
  ];
}

export const dots = (puzzle, cells) =>
  cells.map((cell) => {
    const [cx, cy] = center(cell, puzzle.width);
    return s("circle", { cx, cy, r: 0.07 * U, class: "known" });
  });

export const shadingThumb = (puzzle, answer) => shading(puzzle, answer);

/** The brushes by which a player marks cells. */
export const marking = (mark) => [
  { id: "1", label: mark, keys: ["x", "1", "#"] },
  { id: "0", label: "not", keys: [".", "0", "n"] },
  { id: ".", label: "clear", keys: ["Backspace", "Delete", "c"] },
];

export const numberOf = (text) => (text.length > 2 ? 0.36 : text.length > 1 ? 0.46 : 0.56);
