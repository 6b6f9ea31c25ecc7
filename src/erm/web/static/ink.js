// What boards are drawn with: printed text, shading, dots, and the brushes of marked answers.

import { s } from "./dom.js";
import { cellsPath, center, U } from "./geometry.js";

/**
 * @param {number} cell
 * @param {number} width
 * @param {string | number} text
 * @param {string} className
 * @param {{ dx?: number, dy?: number, size?: number }} place
 */
export function label(cell, width, text, className, { dx = 0, dy = 0, size = 0.56 } = {}) {
  const [x, y] = center(cell, width);
  const place = { x: x + dx * U, y: y + dy * U, "font-size": size * U, class: className };
  return s("text", place, String(text));
}

/** @param {string} answer @param {string} character */
export const cellsWhere = (answer, character) =>
  [...answer].flatMap((value, cell) => (value === character ? [cell] : []));

/**
 * Marked cells, filled.
 * @param {import("../page").Puzzle} puzzle
 * @param {string} answer
 * @param {{ inset?: number, className?: string }} options
 */
export function shading(puzzle, answer, { inset = 0, className = "shaded" } = {}) {
  const d = cellsPath(cellsWhere(answer, puzzle.symbols[1]), puzzle.width, inset);
  return [s("path", { class: className, d })];
}

/**
 * Dots where a player knows that a cell is not marked.
 * @param {import("../page").Puzzle} puzzle
 * @param {number[]} cells
 */
export const dots = (puzzle, cells) =>
  cells.map((cell) => {
    const [cx, cy] = center(cell, puzzle.width);
    return s("circle", { cx, cy, r: 0.07 * U, class: "known" });
  });

/**
 * The brushes by which a player marks cells.
 * @param {string} mark
 */
export const marking = (mark) => [
  { id: "1", label: mark, keys: ["x", "1", "#"] },
  { id: "0", label: "not", keys: [".", "0", "n"] },
  { id: ".", label: "clear", keys: ["Backspace", "Delete", "c"] },
];

/** @param {string} text */
export const numberSize = (text) => (text.length > 2 ? 0.36 : text.length > 1 ? 0.46 : 0.56);
