// Every kind of puzzle that the server knows: the usual drawing, and what its own module adds.

import { s } from "./dom.js";
import { cellsPath, center, table, U } from "./geometry.js";
import { graphKind } from "./graph.js";
import * as ink from "./ink.js";
import { usualKind } from "./usual.js";

/** @type {Map<string, import("../page").Kind>} */
const loaded = new Map();

/** @param {string} name */
export function kindOf(name) {
  const kind = loaded.get(name);
  if (!kind) throw new Error(`the drawing of ${name} is not loaded`);
  return kind;
}

/**
 * Make a kind ready to be drawn; its module is fetched once.
 * @param {import("../page").Task} task
 */
export async function loadKind(task) {
  if (loaded.has(task.name)) return;
  const usual = task.lattice ? usualKind(task) : graphKind(task);
  loaded.set(task.name, usual);
  if (task.page === null) return;
  const kit = { task, usual, U, s, center, cellsPath, table, ...ink };
  try {
    const module = await import(new URL(task.page, document.baseURI).href);
    loaded.set(task.name, { ...usual, ...module.default(kit) });
  } catch (error) {
    throw new Error(`the drawing of ${task.title} fails (${error}); this is the usual one`, {
      cause: error,
    });
  }
}
