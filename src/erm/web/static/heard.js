// What the rulebook told the shown candidate at this step, next to what it then believed.

import * as api from "./api.js";
import { thumbnail } from "./board.js";
import { byId, h } from "./dom.js";
import { kindOf } from "./kinds.js";
import { deepest, frame, puzzle, state } from "./state.js";

/** @typedef {import("../page").Narration} Narration */
/** @typedef {import("../page").Moment} Moment */

/** Narrations that were asked for, by what was asked; null while one is under way.
 * @type {Map<string, Narration | null>} */
const told = new Map();
const KEPT = 40;
const TURNED = 8;

/** The candidate whose steps are told: the one on the board, or the first. @param {number | null} k */
function wanted(k) {
  const { task, text } = puzzle();
  const { checkpoint, seed } = state.settings;
  return { task, text, checkpoint, seed, k: k ?? frame().candidates[0]?.k ?? 0, depth: deepest() };
}

/**
 * The panel, driven by the depth slider; asks the server once the search has ended.
 * @param {number | null} k
 * @param {() => void} draw
 */
export function panel(k, draw) {
  const now = frame();
  const node = byId("heard");
  node.hidden = !now || state.mode !== "watch" || Boolean(state.running) || state.stopped
    || deepest() === 0;
  if (node.hidden) return;
  const request = wanted(k);
  const key = JSON.stringify(request);
  const known = told.get(key);
  if (known === undefined) ask(request, key, draw);
  const moment = known?.moments[Math.min(now.depth, known.moments.length) - 1];
  byId("heard-of").textContent = moment ? `candidate ${request.k}, step ${moment.step} of ${known?.moments.length}` : "";
  byId("heard-now").replaceChildren(...(moment && known ? pictures(moment, known) : ["Listening…"]));
}

/** @param {ReturnType<typeof wanted>} request @param {string} key @param {() => void} draw */
async function ask(request, key, draw) {
  if (told.size >= KEPT) told.clear();
  told.set(key, null);
  try {
    const answer = await api.narrate(request);
    told.set(key, answer);
    if (!answer.moments.length) byId("heard").hidden = true;
    else draw();
  } catch {
    // The search stands without it; a server that is busy is asked again with the next one.
    told.delete(key);
    byId("heard").hidden = true;
  }
}

/** @param {Moment} moment @param {Narration} of */
function pictures(moment, { hears }) {
  const kind = kindOf(puzzle().task);
  const objected = [...new Set(moment.objections.map((one) => one.cell))];
  const turned = moment.turned.map((one) => one.cell);
  const list = (/** @type {import("../page").Said[]} */ said, /** @type {number} */ more) => h("ul", {},
    said.map(({ words }) => h("li", {}, words)), more ? h("li", {}, `and ${more} more`) : null);
  const assumed = moment.guesses.length
    ? h("p", {}, `It assumes ${moment.guesses.map((one) => one.words).join(", ")}.`) : null;
  return [
    h("figure", {},
      h("figcaption", {}, h("b", {}, "It believed"), " and the rulebook said"),
      thumbnail(kind, puzzle(), moment.believed, objected),
      moment.contradicted ? h("p", { class: "no" }, "This contradicts itself.") : null,
      moment.objections.length ? list(moment.objections, moment.more)
        : h("p", {}, hears ? "Nothing against it." : "Nothing: this network does not hear the rulebook.")),
    h("figure", {},
      h("figcaption", {}, h("b", {}, "It then believes"), ` (${Math.round(100 * moment.sure)}% sure per cell)`),
      thumbnail(kind, puzzle(), moment.believes, turned),
      assumed,
      turned.length
        ? list(moment.turned.slice(0, TURNED), Math.max(0, turned.length - TURNED))
        : h("p", {}, "The same as before.")),
  ];
}
