// A link carries the puzzle and the settings, so that another person sees the same search.

const NUMBERS = { K: "width", D: "depth", seed: "seed", rungs: "rungs", noise: "noise" };
const WORDS = { mode: "mode", select: "selector", net: "checkpoint", view: "view" };

/** @param {string} task @param {string} text @param {Record<string, any>} settings */
export function write(task, text, settings) {
  const fields = new URLSearchParams({ task, puzzle: text });
  for (const [short, name] of Object.entries({ ...NUMBERS, ...WORDS })) {
    if (settings[name] !== undefined && settings[name] !== null) fields.set(short, settings[name]);
  }
  return `#${fields}`;
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
