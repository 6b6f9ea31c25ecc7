// Where things lie on a board: cells are U wide, counted row by row.

export const U = 40;

/**
 * @param {number} cell
 * @param {number} width
 * @returns {[number, number]}
 */
export const center = (cell, width) => [
  ((cell % width) + 0.5) * U,
  (Math.floor(cell / width) + 0.5) * U,
];

/**
 * One path that fills all given cells, `inset` from their edges.
 * @param {number[]} cells
 * @param {number} width
 */
export function cellsPath(cells, width, inset = 0) {
  const side = U - 2 * inset;
  return cells
    .map((cell) => {
      const x = (cell % width) * U + inset;
      const y = Math.floor(cell / width) * U + inset;
      return `M${x} ${y}h${side}v${side}h${-side}z`;
    })
    .join("");
}

/**
 * The outline of a set of cells: every edge between one inside and one outside, `inset` inwards.
 * @param {number[]} cells
 * @param {number} width
 * @param {number} height
 * @param {number} inset
 */
export function outlinePath(cells, width, height, inset) {
  const inside = new Set(cells);
  const has = (/** @type {number} */ r, /** @type {number} */ c) =>
    r >= 0 && c >= 0 && r < height && c < width && inside.has(r * width + c);
  const parts = [];
  for (const cell of cells) {
    const r = Math.floor(cell / width);
    const c = cell % width;
    const [up, down, left, right] = [has(r - 1, c), has(r + 1, c), has(r, c - 1), has(r, c + 1)];
    const x0 = c * U + (left ? 0 : inset);
    const x1 = (c + 1) * U - (right ? 0 : inset);
    const y0 = r * U + (up ? 0 : inset);
    const y1 = (r + 1) * U - (down ? 0 : inset);
    if (!up) parts.push(`M${x0} ${y0}H${x1}`);
    if (!down) parts.push(`M${x0} ${y1}H${x1}`);
    if (!left) parts.push(`M${x0} ${y0}V${y1}`);
    if (!right) parts.push(`M${x1} ${y0}V${y1}`);
    // Corners that only touch an outside cell diagonally.
    for (const [dr, dc] of [[-1, -1], [-1, 1], [1, -1], [1, 1]]) {
      if (!has(r + dr, c) || !has(r, c + dc) || has(r + dr, c + dc)) continue;
      const x = dc < 0 ? c * U : (c + 1) * U;
      const y = dr < 0 ? r * U : (r + 1) * U;
      parts.push(`M${x - dc * inset} ${y}V${y - dr * inset}H${x}`);
    }
  }
  return parts.join("");
}

/**
 * Thin lines between all cells.
 * @param {number} height
 * @param {number} width
 */
export function gridPath(height, width) {
  let d = "";
  for (let r = 1; r < height; r++) d += `M0 ${r * U}H${width * U}`;
  for (let c = 1; c < width; c++) d += `M${c * U} 0V${height * U}`;
  return d;
}

/**
 * Where a pointer is, in units of the drawing.
 * @param {SVGSVGElement} svg
 * @param {PointerEvent} event
 */
export const pointAt = (svg, event) =>
  new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM()?.inverse());

/**
 * @param {number} height
 * @param {number} width
 * @param {any} value
 * @returns {import("../page").Table}
 */
export const table = (height, width, value) =>
  Array.from({ length: height }, () =>
    Array.from({ length: width }, () => structuredClone(value)),
  );
