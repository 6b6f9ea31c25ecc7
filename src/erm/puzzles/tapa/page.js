// Tapa on the page: up to four numbers share a cell.

/** @type {Record<number, [number, number][]>} */
const PLACES = {
  1: [[0, 0]],
  2: [[-0.2, -0.17], [0.2, 0.17]],
  3: [[-0.24, -0.2], [0.24, -0.2], [0, 0.22]],
  4: [[0, -0.27], [-0.27, 0], [0.27, 0], [0, 0.27]],
};
/** @type {Record<number, number>} */
const SIZES = { 1: 0.56, 2: 0.4, 3: 0.36, 4: 0.33 };

/** @type {import("../../web/page").PageModule} */
export default function tapa({ task, s, cellsPath, label, marking }) {
  const { blank, names, slots, high } = task.givens.clues;
  const special = Object.keys(names);
  return {
    under: ({ labels, width }) => {
      const clued = labels.flatMap((text, cell) => (text ? [cell] : []));
      return [s("path", { class: "clued", d: cellsPath(clued, width) })];
    },
    printed: ({ labels, width }) =>
      labels.flatMap((text, cell) =>
        [...text].map((number, i) => {
          const [dx, dy] = PLACES[text.length][i];
          return label(cell, width, number, "printed", { dx, dy, size: SIZES[text.length] });
        }),
      ),
    describe: ({ labels, symbols }, cell, value) => {
      if (labels[cell]) return `clue ${[...labels[cell]].join(" ")}`;
      return value === symbols[1] ? "shaded" : value === symbols[0] ? "white" : "open";
    },
    appends: true,
    brushes: () => [
      ...[...Array(high + 1).keys()].map(String).map((id) => ({ id, label: id, keys: [id] })),
      ...special.map((id) => ({ id, label: id, keys: [id] })),
      { id: ".", label: "clear", keys: [".", "Backspace", "Delete"] },
    ],
    edit(givens, r, c, brush) {
      /** @type {number[]} */
      const there = givens.clues[r][c].filter((/** @type {number} */ number) => number !== blank);
      const list = brush === "." ? [] : [...there, names[brush] ?? Number(brush)];
      // Beside another run there is room for three cells less: its own and two gaps. 0 stands
      // alone, too; a fifth number starts the clue again.
      const alone = list.length > 1 && list.some((number) => number === 0 || number > high - 3);
      const kept = alone || list.length > slots ? list.slice(-1) : list;
      givens.clues[r][c] = [...kept, ...Array(slots).fill(blank)].slice(0, slots);
    },
    play: () => marking("shade"),
  };
}
