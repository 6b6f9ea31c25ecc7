// Where the cells of a puzzle lie: row by row on a lattice, or each at its place as in a graph.

import { cellsPath, center, outlinePath, U } from "./geometry.js";

/** @typedef {import("../page").Puzzle} Puzzle */
/** @typedef {import("../page").Layout} Layout */

/** Half of a cell that is drawn as a circle. */
export const RADIUS = 0.44 * U;

/** The last one: a drawing asks for it many times. @type {{ puzzle: Puzzle, layout: Layout } | null} */
let last = null;

/** @param {Puzzle} puzzle */
export function layoutOf(puzzle) {
  if (last?.puzzle !== puzzle)
    last = { puzzle, layout: puzzle.places === null ? lattice(puzzle) : scattered(puzzle.places) };
  return last.layout;
}

/**
 * @param {Puzzle} puzzle
 * @returns {Layout}
 */
function lattice({ height, width }) {
  return {
    size: [width * U, height * U],
    center: (cell) => center(cell, width),
    filled: (cells, inset) => cellsPath(cells, width, inset),
    outline: (cells, inset) => outlinePath(cells, width, height, inset),
    at({ x, y }) {
      const [c, r] = [Math.floor(x / U), Math.floor(y / U)];
      if (r < 0 || c < 0 || r >= height || c >= width) return null;
      return { cell: r * width + c, dx: x / U - c, dy: y / U - r };
    },
    beside(cell, dr, dc) {
      const [r, c] = [Math.floor(cell / width) + dr, (cell % width) + dc];
      return r >= 0 && c >= 0 && r < height && c < width ? r * width + c : cell;
    },
    name: (cell) => `row ${Math.floor(cell / width) + 1}, column ${(cell % width) + 1}`,
  };
}

/**
 * @param {[number, number][]} places
 * @returns {Layout}
 */
function scattered(places) {
  const centers = places.map(([row, column]) => /** @type {[number, number]} */ ([(column + 0.5) * U, (row + 0.5) * U]));
  const circles = (/** @type {number[]} */ cells, /** @type {number} */ radius) =>
    cells.map((cell) => {
      const [x, y] = centers[cell];
      return `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`;
    }).join("");
  return {
    size: [
      Math.max(...centers.map(([x]) => x)) + U / 2,
      Math.max(...centers.map(([, y]) => y)) + U / 2,
    ],
    center: (cell) => centers[cell],
    filled: (cells, inset = 0) => circles(cells, RADIUS - inset),
    outline: (cells, inset) => circles(cells, RADIUS + 6 - inset),
    at({ x, y }) {
      const cell = centers.findIndex(([cx, cy]) => Math.hypot(x - cx, y - cy) <= U / 2);
      return cell < 0 ? null : { cell, dx: (x - centers[cell][0]) / U + 0.5, dy: (y - centers[cell][1]) / U + 0.5 };
    },
    /** The nearest cell in that direction, those straight ahead before those aside. */
    beside(cell, dr, dc) {
      const [x, y] = centers[cell];
      let [nearest, least] = [cell, Infinity];
      centers.forEach(([ox, oy], other) => {
        const ahead = (ox - x) * dc + (oy - y) * dr;
        const aside = Math.abs((ox - x) * dr) + Math.abs((oy - y) * dc);
        const far = ahead + 2 * aside;
        if (ahead > 1 && far < least) [nearest, least] = [other, far];
      });
      return nearest;
    },
    name: (cell) => `cell ${cell}`,
  };
}
