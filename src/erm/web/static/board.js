// The big board: what is printed, the answer, what it breaks, and the cursor.

import { s } from "./dom.js";
import { cellsPath, center, gridPath, outlinePath, U } from "./geometry.js";

const MARGIN = 4;
const INSETS = [3, 6, 9];

export class Board {
  constructor(svg) {
    this.svg = svg;
    const layer = (name) => svg.appendChild(s("g", { class: name }));
    this.layers = Object.fromEntries(
      ["ground", "answer", "grid", "print", "broken", "cursor"].map((name) => [name, layer(name)]),
    );
  }

  /** What is printed; the other layers are emptied. */
  show(kind, puzzle) {
    [this.kind, this.puzzle] = [kind, puzzle];
    const [w, h] = [puzzle.width * U, puzzle.height * U];
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
      s("path", { class: "thin", d: gridPath(puzzle.height, puzzle.width) }),
      s("path", { class: "thick", d: kind.lines(puzzle) }),
      s("rect", { class: "frame", width: w, height: h }),
    );
    this.layers.print.replaceChildren(...kind.printed(puzzle));
    this.answer(null);
    this.broken([]);
  }

  answer(text, playing = false) {
    this.layers.answer.replaceChildren(
      ...(text === null ? [] : this.kind.answer(this.puzzle, text, playing)),
    );
  }

  /** Outlines around what is broken; rules that are told apart by their inset. */
  broken(violations, words = {}) {
    const { width, height } = this.puzzle;
    const rules = [...new Set(violations.map((one) => one.rule))];
    this.layers.broken.replaceChildren(
      ...violations
        .filter((one) => one.cells.length)
        .map(({ rule, cells }) =>
          s(
            "g",
            { class: "violation", "data-rule": rule },
            s("title", {}, words[rule] ? `${rule}: ${words[rule]}` : rule),
            s("path", { class: "area", d: cellsPath(cells, width) }),
            s("path", {
              class: "outline",
              d: outlinePath(cells, width, height, INSETS[rules.indexOf(rule) % INSETS.length]),
            }),
          ),
        ),
    );
  }

  /** Bring one rule's outlines out, or all of them again with null. */
  highlight(rule) {
    for (const group of this.layers.broken.children) {
      group.classList.toggle("bright", group.dataset.rule === rule);
      group.classList.toggle("dim", rule !== null && group.dataset.rule !== rule);
    }
  }

  cursor(cell) {
    if (cell === null) {
      this.layers.cursor.replaceChildren();
      return;
    }
    const [x, y] = center(cell, this.puzzle.width);
    this.layers.cursor.replaceChildren(
      s("rect", { x: x - U / 2 + 2, y: y - U / 2 + 2, width: U - 4, height: U - 4, rx: 4 }),
    );
  }
}

/** A candidate as a small picture. */
export function thumbnail(kind, puzzle, answer) {
  const [w, h] = [puzzle.width * U, puzzle.height * U];
  return s(
    "svg",
    { viewBox: `0 0 ${w} ${h}`, class: "thumbnail", "aria-hidden": "true", "data-task": puzzle.task },
    s("rect", { class: "paper", width: w, height: h }),
    ...kind.under(puzzle),
    ...kind.thumb(puzzle, answer),
    s("path", { class: "thick", d: kind.lines(puzzle) }),
    s("rect", { class: "frame", width: w, height: h }),
  );
}
