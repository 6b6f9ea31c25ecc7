// Mazes on the page: walls, start and goal, and the path as a line.

/** @type {import("../../web/page").PageModule} */
export default function maze({ task, usual, s, U, center, cellsPath, label, cellsWhere, dots, marking }) {
  const { wall, open, start, goal } = task.givens.cells.names;
  const nameOf = Object.fromEntries(
    Object.entries(task.givens.cells.names).map(([name, kind]) => [kind, name]),
  );
  const isEnd = (/** @type {number} */ kind) => kind === start || kind === goal;

  /**
   * The path as strokes between neighbouring cells of it, terminals included.
   * @param {import("../../web/page").Puzzle} puzzle
   * @param {string} answer
   */
  function strokes({ givens, height, width, symbols }, answer) {
    const cells = givens.cells.flat();
    const marked = (/** @type {number} */ cell) => answer[cell] === symbols[1];
    const on = cells.map((kind, cell) => marked(cell) || isEnd(kind));
    let d = "";
    for (let cell = 0; cell < cells.length; cell++) {
      const [x, y] = center(cell, width);
      if (marked(cell)) d += `M${x} ${y}h0`;
      const right = (cell + 1) % width ? cell + 1 : null;
      const below = cell + width < height * width ? cell + width : null;
      if (right !== null && on[cell] && on[right] && (marked(cell) || marked(right)))
        d += `M${x} ${y}h${U}`;
      if (below !== null && on[cell] && on[below] && (marked(cell) || marked(below)))
        d += `M${x} ${y}v${U}`;
    }
    return s("path", { class: "path", d });
  }

  return {
    faint: true,
    under: ({ givens, width }) => {
      const walls = givens.cells.flat().flatMap((kind, cell) => (kind === wall ? [cell] : []));
      return [s("path", { class: "wall", d: cellsPath(walls, width) })];
    },
    printed: ({ givens, width }) =>
      givens.cells.flat().flatMap((kind, cell) => {
        if (!isEnd(kind)) return [];
        const [cx, cy] = center(cell, width);
        return [
          s("circle", { cx, cy, r: 0.4 * U, class: nameOf[kind] }),
          label(cell, width, nameOf[kind][0].toUpperCase(), "terminal", { size: 0.46 }),
        ];
      }),
    answer: (puzzle, answer, playing) => [
      strokes(puzzle, answer),
      ...(playing ? dots(puzzle, cellsWhere(answer, puzzle.symbols[0])) : []),
    ],
    thumb: (puzzle, answer) => [strokes(puzzle, answer)],
    describe: ({ givens, width, symbols }, cell, value) =>
      value === symbols[1] ? "path" : nameOf[givens.cells[Math.floor(cell / width)][cell % width]],

    blank(height, width) {
      const { cells } = usual.blank(height, width);
      for (let r = 0; r < height; r++)
        for (let c = 0; c < width; c++)
          if (r === 0 || c === 0 || r === height - 1 || c === width - 1) cells[r][c] = wall;
      const [top, left] = [height > 2 ? 1 : 0, width > 2 ? 1 : 0];
      cells[top][left] = start;
      cells[height - 1 - top][width - 1 - left] = goal;
      return { cells };
    },
    cellFirst: [],
    brushes: () => [
      { id: "wall", label: "wall", keys: ["#", "w"] },
      { id: "open", label: "open", keys: [".", "o", "Backspace", "Delete"] },
      { id: "start", label: "start", keys: ["s"] },
      { id: "goal", label: "goal", keys: ["g"] },
    ],
    edit(givens, r, c, brush) {
      const kind = task.givens.cells.names[brush];
      const there = givens.cells[r][c];
      // A maze keeps its one start and its one goal: they move, but nothing covers them.
      if (!isEnd(kind) && isEnd(there)) return;
      if (isEnd(kind)) {
        for (const row of givens.cells)
          row.forEach((one, at) => {
            if (one === kind) row[at] = isEnd(there) ? there : open;
          });
      }
      givens.cells[r][c] = kind;
    },
    play: () => marking("path"),
  };
}
