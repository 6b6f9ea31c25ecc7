// The usual drawing of a board that is no lattice: cells are circles, rules join them.

import { s } from "./dom.js";
import { numberSize } from "./ink.js";
import { layoutOf, RADIUS } from "./layout.js";
import { usualKind } from "./usual.js";

/** @typedef {import("../page").Puzzle} Puzzle */

const HUES = 8;

/**
 * @param {import("../page").Task} task
 * @returns {import("../page").Kind}
 */
export const graphKind = (task) => ({
  ...usualKind(task),
  lines: () => "",
  under: (puzzle) => [...links(puzzle), s("path", { class: "node", d: layoutOf(puzzle).filled(all(puzzle)) })],
  printed: (puzzle) => puzzle.labels.flatMap((text, cell) => (text ? [written(puzzle, cell, text, "printed")] : [])),
  answer: (puzzle, answer) => [...coloured(puzzle, answer, task.marks), ...texts(puzzle, answer, task.marks)],
  thumb: (puzzle, answer) => coloured(puzzle, answer, task.marks),
});

/** @param {Puzzle} puzzle */
const all = (puzzle) => [...puzzle.fixed].map((_, cell) => cell);

/** A line between two cells; where a rule joins more, a spoke from each to their middle. */
function links(/** @type {Puzzle} */ puzzle) {
  const { center } = layoutOf(puzzle);
  const line = (/** @type {[number, number]} */ [x0, y0], /** @type {[number, number]} */ [x1, y1]) =>
    `M${x0} ${y0}L${x1} ${y1}`;
  let [lines, hubs] = ["", ""];
  for (const cells of puzzle.links) {
    const ends = cells.map(center);
    if (ends.length === 2) {
      lines += line(ends[0], ends[1]);
      continue;
    }
    const mean = (/** @type {0 | 1} */ axis) => ends.reduce((sum, end) => sum + end[axis], 0) / ends.length;
    const [x, y] = [mean(0), mean(1)];
    lines += ends.map((end) => line(end, [x, y])).join("");
    hubs += `M${x - 4} ${y - 4}h8v8h-8z`;
  }
  return [s("path", { class: "link", d: lines }), s("path", { class: "hub", d: hubs })];
}

/** Circles in the colour of their state; a cell without a mark has none. */
function coloured(/** @type {Puzzle} */ puzzle, /** @type {string} */ answer, /** @type {boolean} */ marks) {
  const { filled } = layoutOf(puzzle);
  return [...puzzle.symbols].flatMap((symbol, state) => {
    if (marks && state === 0) return [];
    const cells = all(puzzle).filter((cell) => answer[cell] === symbol);
    const look = marks ? "node shaded" : `node hue-${state % HUES}`;
    return cells.length ? [s("path", { class: look, d: filled(cells, 0) })] : [];
  });
}

function texts(/** @type {Puzzle} */ puzzle, /** @type {string} */ answer, /** @type {boolean} */ marks) {
  if (marks) return [];
  return all(puzzle).flatMap((cell) => {
    const state = puzzle.symbols.indexOf(answer[cell]);
    return state < 0 || puzzle.labels[cell] ? [] : [written(puzzle, cell, puzzle.written[state], "written")];
  });
}

function written(/** @type {Puzzle} */ puzzle, /** @type {number} */ cell, /** @type {string} */ text, /** @type {string} */ look) {
  const [x, y] = layoutOf(puzzle).center(cell);
  const size = 2 * RADIUS * numberSize(text);
  return s("text", { x, y, "font-size": size, class: `${look} of-node` }, text);
}
