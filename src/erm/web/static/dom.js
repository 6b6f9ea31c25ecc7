// Elements from plain values: h("button", { onclick }, "Solve"), s("path", { d }).

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {import("../page").Attributes} Attributes */
/** @typedef {import("../page").Child} Child */

/**
 * @template {Element} T
 * @param {T} node
 * @param {Attributes} attributes
 * @param {(Child | Child[])[]} children
 */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {(Child | Child[])[]} children
 */
export const h = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

/**
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {(Child | Child[])[]} children
 */
export const s = (tag, attributes = {}, ...children) =>
  fill(/** @type {SVGElement} */ (document.createElementNS(SVG, tag)), attributes, children);

/** An element that the page surely has. @param {string} id */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page has no #${id}`);
  return node;
}

/** A field of a form, likewise. @param {string} id */
export const field = (id) => /** @type {HTMLInputElement} */ (byId(id));

/** @param {string} id */
export const button = (id) => /** @type {HTMLButtonElement} */ (byId(id));

/** @param {number | null | undefined} value */
export const format = (value) => {
  if (value === null || value === undefined) return "–";
  if (Math.abs(value) < 0.005) return "0";
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : value.toFixed(2);
};

/** @param {number} count @param {string} one @param {string} many */
export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** Run once per drawn frame, however often it is asked for. @param {() => void} work */
export function eachFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}
