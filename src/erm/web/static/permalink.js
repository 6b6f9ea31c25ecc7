// A link carries the puzzle and the settings, so that another person sees the same search.

import { DEFAULTS } from "./state.js";

const MODES = ["adaptive", "plain", "full", "temper"];
const NUMBERS = { K: "width", D: "depth", seed: "seed", rungs: "rungs", noise: "noise", guidance: "guidance" };
const WORDS = { mode: "mode", select: "selector", net: "checkpoint", view: "view" };

/** @param {string} task @param {string} text @param {Record<string, any>} settings */
export function write(task, text, settings) {
  const fields = new URLSearchParams({ task, puzzle: text });
  for (const [short, name] of Object.entries({ ...NUMBERS, ...WORDS })) {
    if (settings[name] !== undefined && settings[name] !== null) fields.set(short, settings[name]);
  }
  return `#${fields}`;
}

/**
 * Settings that someone else has chosen, as far as this server and page know them.
 * @param {import("../page").Settings} wanted
 * @param {import("../page").Overview} overview
 * @returns {import("../page").Settings}
 */
export function bounded(wanted, { bounds, selectors }) {
  /** @param {number} value @param {number} least @param {number} most @param {number} usual */
  const whole = (value, least, most, usual) =>
    Number.isInteger(value) ? Math.min(Math.max(value, least), most) : usual;
  return {
    ...wanted,
    width: whole(wanted.width, 1, bounds.width, DEFAULTS.width),
    depth: whole(wanted.depth, 1, bounds.depth, DEFAULTS.depth),
    seed: whole(wanted.seed, 0, 2 ** 31 - 1, DEFAULTS.seed),
    guidance: Math.min(Math.max(wanted.guidance, 0), 100),
    rungs: whole(wanted.rungs, 1, bounds.width, DEFAULTS.rungs),
    mode: MODES.includes(wanted.mode) ? wanted.mode : DEFAULTS.mode,
    selector: selectors.includes(wanted.selector) ? wanted.selector : DEFAULTS.selector,
  };
}

/** What a link asks for, or null where it is none of ours. @param {string} hash */
export function read(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const [task, text] = [fields.get("task"), fields.get("puzzle")];
  if (!task || !text) return null;
  /** @type {Record<string, any>} */
  const settings = {};
  for (const [short, name] of Object.entries(NUMBERS)) {
    const value = Number(fields.get(short));
    if (fields.has(short) && Number.isFinite(value)) settings[name] = value;
  }
  for (const [short, name] of Object.entries(WORDS)) {
    if (fields.has(short)) settings[name] = fields.get(short);
  }
  return { task, text, settings };
}
