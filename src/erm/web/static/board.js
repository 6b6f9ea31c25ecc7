// The big board: what is printed, the answer, what it breaks, and the cursor.

import { s } from "./dom.js";
import { gridPath, U } from "./geometry.js";
import { layoutOf } from "./layout.js";

/** @typedef {import("../page").Kind} Kind */
/** @typedef {import("../page").Puzzle} Puzzle */

const MARGIN = 4;
const INSETS = [3, 6, 9];

export class Board {
  /** @param {SVGSVGElement} svg */
  constructor(svg) {
    this.svg = svg;
    const layer = (/** @type {string} */ name) => svg.appendChild(s("g", { class: name }));
    this.layers = {
      ground: layer("ground"),
      answer: layer("answer"),
      grid: layer("grid"),
      print: layer("print"),
      notes: layer("notes"),
      why: layer("why"),
      broken: layer("broken"),
      cursor: layer("cursor"),
    };
    /** @type {{ kind: Kind, puzzle: Puzzle } | null} */
    this.shown = null;
  }

  /**
   * What is printed; the other layers are emptied.
   * @param {Kind} kind
   * @param {Puzzle} puzzle
   */
  show(kind, puzzle) {
    this.shown = { kind, puzzle };
    const [w, h] = layoutOf(puzzle).size;
    this.svg.setAttribute(
      "viewBox",
      `${-MARGIN} ${-MARGIN} ${w + 2 * MARGIN} ${h + 2 * MARGIN}`,
    );
    this.svg.dataset.task = puzzle.task;
    this.layers.ground.replaceChildren(
      s("rect", { class: "paper", width: w, height: h }),
      ...kind.under(puzzle),
    );
    this.layers.grid.replaceChildren(
      ...(puzzle.places === null
        ? [
          s("path", { class: kind.faint ? "thin faint" : "thin", d: gridPath(puzzle.height, puzzle.width) }),
          s("path", { class: "thick", d: kind.lines(puzzle) }),
          s("rect", { class: "frame", width: w, height: h }),
        ]
        : []),
    );
    this.layers.print.replaceChildren(...kind.printed(puzzle));
    this.answer(null);
    this.broken([]);
  }

  /** @param {string | null} text */
  answer(text, playing = false) {
    if (!this.shown) return;
    const { kind, puzzle } = this.shown;
    this.layers.answer.replaceChildren(
      ...(text === null ? [] : kind.answer(puzzle, text, playing)),
    );
  }

  /**
   * A player's small notes, each symbol at its own place in the cell.
   * @param {string[]} notes
   * @param {string} answer
   */
  notes(notes, answer) {
    if (!this.shown) return;
    const { symbols } = this.shown.puzzle;
    const { center } = layoutOf(this.shown.puzzle);
    const side = Math.ceil(Math.sqrt(symbols.length));
    this.layers.notes.replaceChildren(
      ...notes.flatMap((note, cell) =>
        answer[cell] !== "." ? [] : [...note].map((symbol) => {
          const [x, y] = center(cell);
          const at = symbols.indexOf(symbol);
          const offset = (/** @type {number} */ n) => ((n + 0.5) / side - 0.5) * 0.84 * U;
          const place = { x: x + offset(at % side), y: y + offset(Math.floor(at / side)) };
          return s("text", { ...place, "font-size": (0.78 * U) / side, class: "note" }, symbol);
        }),
      ),
    );
  }

  /** A step: its cell, the cells that force it, and what its rule is about.
   * @param {import("../page").Step | null} step */
  why(step) {
    if (!this.shown || !step) {
      this.layers.why.replaceChildren();
      return;
    }
    const { filled, outline } = layoutOf(this.shown.puzzle);
    this.layers.why.replaceChildren(
      s("path", { class: "scope", d: outline(step.scope, 2) }),
      s("path", { class: "because", d: filled(step.because, 3) }),
      s("path", { class: "target", d: outline([step.cell], 2) }),
    );
  }

  /**
   * Outlines around the culprits, rules told apart by their inset; a dashed one around the clue.
   * @param {import("../page").Violation[]} violations
   */
  broken(violations) {
    if (!this.shown) return;
    const { filled, outline } = layoutOf(this.shown.puzzle);
    const rules = [...new Set(violations.map((one) => one.rule))];
    this.layers.broken.replaceChildren(
      ...violations.map(({ rule, cells, clue, words }) => {
        const inset = INSETS[rules.indexOf(rule) % INSETS.length];
        return s(
          "g",
          { class: "violation", "data-rule": rule },
          s("title", {}, words),
          s("path", { class: "area", d: filled(cells) }),
          s("path", { class: "outline", d: outline(cells, inset) }),
          clue === null || cells.includes(clue)
            ? null
            : s("path", { class: "outline clue", d: outline([clue], inset) }),
        );
      }),
    );
  }

  /** Bring one violation out, or all of them again with null. @param {number | null} which */
  highlight(which) {
    [...this.layers.broken.children].forEach((group, at) => {
      group.classList.toggle("bright", at === which);
      group.classList.toggle("dim", which !== null && at !== which);
    });
  }

  /** @param {number | null} cell */
  cursor(cell) {
    if (cell === null || !this.shown) {
      this.layers.cursor.replaceChildren();
      return;
    }
    const [x, y] = layoutOf(this.shown.puzzle).center(cell);
    this.layers.cursor.replaceChildren(
      s("rect", { x: x - U / 2 + 2, y: y - U / 2 + 2, width: U - 4, height: U - 4, rx: 4 }),
    );
  }
}

/**
 * A candidate as a small picture, with the cells that differ from another one's marked.
 * @param {Kind} kind
 * @param {Puzzle} puzzle
 * @param {string} answer
 * @param {number[]} differing
 */
export function thumbnail(kind, puzzle, answer, differing) {
  const { size: [w, h], filled } = layoutOf(puzzle);
  return s(
    "svg",
    { viewBox: `0 0 ${w} ${h}`, class: "thumbnail", "aria-hidden": "true", "data-task": puzzle.task },
    s("rect", { class: "paper", width: w, height: h }),
    ...kind.under(puzzle),
    ...kind.thumb(puzzle, answer),
    s("path", { class: "differs", d: filled(differing, 2) }),
    ...(puzzle.places === null
      ? [s("path", { class: "thick", d: kind.lines(puzzle) }), s("rect", { class: "frame", width: w, height: h })]
      : []),
  );
}
