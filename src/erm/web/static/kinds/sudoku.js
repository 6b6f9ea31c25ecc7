import { s } from "../dom.js";
import { table, U } from "../geometry.js";
import { label } from "./common.js";

const DIGITS = "0123456789ABCDEFG";
const BOXES = { 4: [2, 2], 6: [2, 3], 9: [3, 3], 16: [4, 4] };

export const sudoku = {
  name: "sudoku",
  title: "Sudoku",
  rule: "Every row, column and box holds each digit once.",
  words: {
    clue: "printed digits stay",
    row: "each digit once in a row",
    column: "each digit once in a column",
    box: "each digit once in a box",
  },
  sides: [4, 6, 9, 16],
  blank: (side) => ({ digits: table(side, side, 0) }),

  under: () => [],
  lines({ height, width }) {
    const [rows, columns] = BOXES[height];
    let d = "";
    for (let r = rows; r < height; r += rows) d += `M0 ${r * U}H${width * U}`;
    for (let c = columns; c < width; c += columns) d += `M${c * U} 0V${height * U}`;
    return d;
  },
  printed: ({ givens, width }) =>
    givens.digits.flat().flatMap((digit, cell) =>
      digit ? [label(cell, width, DIGITS[digit], "printed")] : [],
    ),
  answer: ({ fixed, width }, answer) =>
    [...answer].flatMap((digit, cell) =>
      digit === "." || fixed[cell] === "1" ? [] : [label(cell, width, digit, "written")],
    ),
  thumb: ({ fixed, height, width }, answer) =>
    Array.from({ length: height }, (_, r) =>
      ["0", "1"].map((printed) => {
        const cells = [...Array(width).keys()].filter((c) => fixed[r * width + c] === printed);
        return s(
          "text",
          {
            class: printed === "1" ? "printed" : "written",
            x: cells.map((c) => (c + 0.5) * U).join(" "),
            y: (r + 0.5) * U,
            "font-size": 0.72 * U,
          },
          cells.map((c) => answer[r * width + c]).join(""),
        );
      }),
    ).flat(),
  describe: ({ givens, width }, cell, value) => {
    const printed = givens.digits[Math.floor(cell / width)][cell % width];
    if (printed) return `printed ${DIGITS[printed]}`;
    return value === "." ? "empty" : value;
  },

  cellFirst: ["edit", "play"],
  brushes: ({ height }) => [
    ...Array.from({ length: height }, (_, i) => {
      const digit = DIGITS[i + 1];
      return { id: digit, label: digit, keys: [digit, digit.toLowerCase()] };
    }),
    { id: ".", label: "clear", keys: ["0", ".", "Backspace", "Delete"] },
  ],
  edit(givens, r, c, brush) {
    givens.digits[r][c] = brush === "." ? 0 : DIGITS.indexOf(brush);
  },
  play(puzzle) {
    return this.brushes(puzzle);
  },
};
