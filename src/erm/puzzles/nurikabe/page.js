// Nurikabe on the page: numbers stand on islands.

/** @type {import("../../web/page").PageModule} */
export default function nurikabe({ usual, s, U, center, marking }) {
  return {
    printed: (puzzle) => [
      ...puzzle.labels.flatMap((text, cell) => {
        if (!text) return [];
        const [cx, cy] = center(cell, puzzle.width);
        return [s("circle", { cx, cy, r: 0.4 * U, class: "island" })];
      }),
      ...usual.printed(puzzle),
    ],
    describe: ({ labels, symbols }, cell, value) => {
      const state = value === symbols[1] ? "sea" : value === symbols[0] ? "land" : "open";
      return state + (labels[cell] ? `, island of ${labels[cell]}` : "");
    },
    play: () => marking("sea"),
  };
}
