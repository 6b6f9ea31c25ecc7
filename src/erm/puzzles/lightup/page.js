// Light Up on the page: black cells, bulbs and what they light.

/** @type {import("../../web/page").PageModule} */
export default function lightup({ task, usual, s, U, center, cellsPath, label, cellsWhere, dots, marking }) {
  const { blank, names } = task.givens.clues;

  /** @param {import("../../web/page").Puzzle} puzzle */
  const blackCells = ({ givens }) =>
    givens.clues.flat().flatMap((clue, cell) => (clue === blank ? [] : [cell]));

  /**
   * All cells in a line of sight with a bulb.
   * @param {import("../../web/page").Puzzle} puzzle
   * @param {string} answer
   */
  function lit({ groups, symbols }, answer) {
    const bulbs = cellsWhere(answer, symbols[1]);
    const seen = groups.flatMap((line) => {
      const bright = new Set(bulbs.map((bulb) => line[bulb]));
      return line.flatMap((id, cell) => (bright.has(id) ? [cell] : []));
    });
    return [...new Set(seen)];
  }

  /**
   * @param {import("../../web/page").Puzzle} puzzle
   * @param {string} answer
   * @param {number} inset
   */
  const light = (puzzle, answer, inset) => {
    const black = new Set(blackCells(puzzle));
    const cells = lit(puzzle, answer).filter((cell) => !black.has(cell));
    return s("path", { class: "lit", d: cellsPath(cells, puzzle.width, inset) });
  };

  return {
    under: (puzzle) => [
      s("path", { class: "wall", d: cellsPath(blackCells(puzzle), puzzle.width) }),
    ],
    printed: ({ labels, width }) =>
      labels.flatMap((text, cell) => (text ? [label(cell, width, text, "on-wall")] : [])),
    answer: (puzzle, answer, playing) => [
      light(puzzle, answer, 0.5),
      ...cellsWhere(answer, puzzle.symbols[1]).flatMap((cell) => {
        const [cx, cy] = center(cell, puzzle.width);
        return [
          s("circle", { cx, cy, r: 0.27 * U, class: "bulb" }),
          s("circle", { cx, cy, r: 0.1 * U, class: "filament" }),
        ];
      }),
      ...(playing ? dots(puzzle, cellsWhere(answer, puzzle.symbols[0])) : []),
    ],
    thumb: (puzzle, answer) => [
      light(puzzle, answer, 0),
      ...cellsWhere(answer, puzzle.symbols[1]).map((cell) => {
        const [cx, cy] = center(cell, puzzle.width);
        return s("circle", { cx, cy, r: 0.32 * U, class: "bulb" });
      }),
    ],
    describe: ({ givens, width, symbols }, cell, value) => {
      const clue = givens.clues[Math.floor(cell / width)][cell % width];
      if (clue === blank) return value === symbols[1] ? "bulb" : "white";
      return clue === names.black ? "black" : `black, ${clue}`;
    },
    cellFirst: [],
    brushes: (puzzle) =>
      usual
        .brushes(puzzle)
        .map((brush) => (brush.id === "." ? { ...brush, label: "white" } : brush))
        .sort((a, b) => Number(b.id === "black") - Number(a.id === "black")),
    play: () => marking("bulb"),
  };
}
