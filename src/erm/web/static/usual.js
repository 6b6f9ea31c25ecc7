// The drawing of a kind that has none of its own, made from what the server tells about it.

import { s } from "./dom.js";
import { center, table, U } from "./geometry.js";
import { cellsWhere, dots, label, marking, numberSize, shading } from "./ink.js";

const SHOWN_NUMBERS = 12;
/** Base 17: the digits 0 to 9, then letters. */
const BASE = 17;

/** @typedef {import("../page").Puzzle} Puzzle */

/**
 * @param {import("../page").Task} task
 * @returns {import("../page").Kind}
 */
export function usualKind(task) {
  const givens = Object.entries(task.givens);
  const [first, given] = givens[0] ?? [];
  // Boards with one number per cell can be edited without further knowledge.
  const editable = givens.length === 1 && given !== undefined && !given.slots;
  return {
    under: () => [],
    faint: false,
    lines: borderLines,
    printed: (puzzle) => [...labels(puzzle), ...signs(puzzle)],
    answer: (puzzle, answer, playing) => {
      if (!task.marks) return written(puzzle, answer);
      return [
        ...shading(puzzle, answer),
        ...(playing ? dots(puzzle, cellsWhere(answer, puzzle.symbols[0])) : []),
      ];
    },
    thumb: (puzzle, answer) => (task.marks ? shading(puzzle, answer) : rows(puzzle, answer)),
    describe: (puzzle, cell, value) => {
      if (puzzle.labels[cell]) return `printed ${puzzle.labels[cell]}`;
      if (value === ".") return task.marks ? "open" : "empty";
      return task.marks ? (value === puzzle.symbols[0] ? "not marked" : "marked") : shown(puzzle, value);
    },
    blank: (height, width) =>
      Object.fromEntries(
        givens.map(([name, { blank, trim, slots }]) => [
          name,
          table(height - trim[0], width - trim[1], slots ? Array(slots).fill(blank) : blank),
        ]),
      ),
    cellFirst: task.marks ? ["edit"] : ["edit", "play"],
    numbers: editable && task.marks && given.high > 9,
    appends: false,
    brushes: (puzzle) => (editable ? [...values(task, puzzle), clear(puzzle, task)] : []),
    edit(edited, r, c, brush) {
      if (first === undefined || given === undefined) return;
      const value = given.names[brush] ?? (task.marks ? Number(brush) : parseInt(brush, BASE));
      edited[first][r][c] = brush === CLEAR ? given.blank : value;
    },
    play: (puzzle) => (task.marks ? marking("mark") : [...symbols(puzzle), clear(puzzle, task)]),
  };
}

const CLEAR = ".";

/** @param {Puzzle} puzzle @param {import("../page").Task} task */
const clear = (puzzle, task) => ({
  id: CLEAR,
  label: "clear",
  // On boards whose states count from 1, as Sudoku's do, a zero is nothing.
  keys: [".", "Backspace", "Delete", ...(task.marks || puzzle.symbols.includes("0") ? [] : ["0"])],
});

/** @param {Puzzle} puzzle */
const symbols = ({ symbols: all, written: shown }) =>
  [...all].map((id, state) => ({
    id, label: shown[state], keys: [...new Set([id, id.toLowerCase(), shown[state], shown[state].toLowerCase()])],
  }));

/** What may be printed on a cell: names of special values, and states or numbers. */
function values(/** @type {import("../page").Task} */ task, /** @type {Puzzle} */ puzzle) {
  const [given] = Object.values(task.givens);
  const names = Object.keys(given.names).map((id) => ({ id, label: id, keys: [id[0]] }));
  if (!task.marks) return [...names, ...symbols(puzzle)];
  const taken = [given.blank, ...Object.values(given.names)];
  const numbers = Array.from({ length: SHOWN_NUMBERS + 1 }, (_, number) => number)
    .filter((n) => n >= given.low && n <= given.high && !taken.includes(n))
    .map((n) => ({ id: String(n), label: String(n), keys: n < 10 ? [String(n)] : [] }));
  return [...numbers, ...names];
}

/** @param {Puzzle} puzzle */
function borderLines({ right, down, height, width }) {
  let d = "";
  for (let r = 0; r < height; r++)
    for (let c = 0; c < width; c++) {
      if (right[r][c]) d += `M${(c + 1) * U} ${r * U}v${U}`;
      if (down[r]?.[c]) d += `M${c * U} ${(r + 1) * U}h${U}`;
    }
  return d;
}

/** @param {Puzzle} puzzle */
const labels = (puzzle) =>
  puzzle.labels.flatMap((text, cell) =>
    text ? [label(cell, puzzle.width, text, "printed", { size: numberSize(text) })] : [],
  );

/** @param {Puzzle} puzzle */
const signs = (puzzle) =>
  puzzle.signs.map(({ cells: [one, other], text }) => {
    const [x0, y0] = center(one, puzzle.width);
    const [x1, y1] = center(other, puzzle.width);
    const place = { x: (x0 + x1) / 2, y: (y0 + y1) / 2, "font-size": 0.4 * U, class: "sign" };
    return s("text", place, text);
  });

/** @param {Puzzle} puzzle @param {string} answer */
const written = (puzzle, answer) =>
  [...answer].flatMap((state, cell) =>
    state === "." || puzzle.fixed[cell] === "1" ? [] : [label(cell, puzzle.width, shown(puzzle, state), "written")],
  );

/** How a state is written into a cell. @param {Puzzle} puzzle @param {string} symbol */
const shown = ({ symbols: all, written: own }, symbol) => own[all.indexOf(symbol)] ?? symbol;

/** One text element for what is printed in a row and one for what is written. */
function rows(/** @type {Puzzle} */ puzzle, /** @type {string} */ answer) {
  const { fixed, height, width } = puzzle;
  return Array.from({ length: height }, (_, r) =>
    ["0", "1"].map((printed) => {
      const cells = [...Array(width).keys()].filter((c) => fixed[r * width + c] === printed);
      const place = {
        class: printed === "1" ? "printed" : "written",
        x: cells.map((c) => (c + 0.5) * U).join(" "),
        y: (r + 0.5) * U,
        "font-size": 0.72 * U,
      };
      return s("text", place, cells.map((c) => shown(puzzle, answer[r * width + c])).join(""));
    }),
  ).flat();
}
