// Heyawake on the page: numbers in the corner of their room, borders that can be drawn.

const NEAR_AN_EDGE = 0.35;

/**
 * Toggle the border on one side of a cell, or make it as `on` says; what it is now, or null at the
 * board's edge.
 * @param {import("../../web/page").Givens} givens
 * @param {number} r
 * @param {number} c
 * @param {import("../../web/page").Side} side
 * @param {number} [on]
 */
function toggleBorder(givens, r, c, side, on) {
  /** @type {Record<string, [import("../../web/page").Table, number, number]>} */
  const places = {
    right: [givens.right, r, c],
    left: [givens.right, r, c - 1],
    down: [givens.down, r, c],
    up: [givens.down, r - 1, c],
  };
  const [array, row, column] = places[side];
  if (array[row]?.[column] === undefined) return null;
  array[row][column] = on ?? (array[row][column] ? 0 : 1);
  return array[row][column];
}

/** @type {import("../../web/page").PageModule} */
export default function heyawake({ task, usual, label, cellsWhere, dots, shading, marking }) {
  const { blank } = task.givens.clues;
  return {
    // The givens, not what the server last said: a border shows as soon as it is drawn.
    lines: (puzzle) => usual.lines({ ...puzzle, right: puzzle.givens.right, down: puzzle.givens.down }),
    printed: ({ labels, width }) =>
      labels.flatMap((text, cell) =>
        text ? [label(cell, width, text, "printed", { dx: -0.26, dy: -0.24, size: 0.36 })] : [],
      ),
    answer: (puzzle, answer, playing) => [
      ...shading(puzzle, answer, { inset: 1.5, className: "shaded pale" }),
      ...(playing ? dots(puzzle, cellsWhere(answer, puzzle.symbols[0])) : []),
    ],
    thumb: (puzzle, answer) => shading(puzzle, answer, { className: "shaded pale" }),
    describe: ({ labels, symbols }, cell, value) => {
      const state = value === symbols[1] ? "shaded" : value === symbols[0] ? "white" : "open";
      return state + (labels[cell] ? `, room of ${labels[cell]}` : "");
    },
    cellFirst: [],
    numbers: true,
    brushes: () => [
      {
        id: "|", label: "border", keys: ["b", "|"], edges: true,
        hint: "tap near an edge, or Shift and arrows",
      },
      ...[...Array(9).keys()].map(String).map((id) => ({ id, label: id, keys: [] })),
      { id: ".", label: "no number", keys: [".", "Backspace", "Delete"] },
    ],
    edit(givens, r, c, brush, puzzle, place) {
      if (brush === "|") {
        if (!place) return;
        const { dx, dy } = place;
        /** @type {[number, import("../../web/page").Side][]} */
        const sides = [[dy, "up"], [1 - dx, "right"], [1 - dy, "down"], [dx, "left"]];
        const [away, side] = sides.sort((a, b) => a[0] - b[0])[0];
        if (away > NEAR_AN_EDGE) return;
        const drawn = toggleBorder(givens, r, c, side, place.drawing);
        if (drawn !== null) place.drawing ??= drawn;
        return;
      }
      // A room's number stands on its first cell.
      const [rooms] = puzzle.groups;
      const home = rooms.indexOf(rooms[r * puzzle.width + c]);
      const value = brush === "." ? blank : Number(brush);
      givens.clues[Math.floor(home / puzzle.width)][home % puzzle.width] = value;
    },
    editSide: toggleBorder,
    play: () => marking("shade"),
  };
}
