// Why a cell is what it is: the walk through a whole solution, and a player's hints.

import { byId, field, h, plural } from "./dom.js";
import { puzzle, state } from "./state.js";

/** @typedef {import("../page").Step} Step */

/** The step of the walk that is shown, or the one that a hint ends with. @returns {Step | null} */
export function step() {
  if (state.mode === "why") return withPrint(state.walk?.steps[state.walked] ?? null);
  if (state.mode !== "play" || !state.hint?.steps.length) return null;
  const { steps } = state.hint;
  const last = steps[steps.length - 1];
  // What the earlier steps rest on forces the last one, too.
  const cells = steps.flatMap((one) => one.because);
  const because = [...new Set(cells)].filter((cell) => state.played[cell] !== "." && cell !== last.cell);
  return withPrint({ ...last, because: because.length ? because : last.because });
}

/** Where nothing that was filled in forces a step, what is printed does. */
function withPrint(/** @type {Step | null} */ one) {
  if (!one || one.because.length) return one;
  const printed = one.scope.filter((cell) => cell !== one.cell && puzzle().fixed[cell] === "1");
  return { ...one, because: printed };
}

/** The board as the walk has it so far: what is filled in, and what cells with fewer states have left. */
export function walked() {
  const { start, symbols } = puzzle();
  const answer = [...start];
  const notes = answer.map(() => "");
  for (const { cell, ruled_out, settled } of state.walk?.steps.slice(0, state.walked + 1) ?? []) {
    // States are written as whole numbers, symbols by their place from the first state on.
    const lost = ruled_out.map((written) => symbols[written - parseInt(symbols[0], 36)]);
    notes[cell] = [...(notes[cell] || symbols)].filter((symbol) => !lost.includes(symbol)).join("");
    if (settled !== null) answer[cell] = settled;
  }
  return { answer: answer.join(""), notes };
}

/** Where the walk goes: one step, or on to the next cell that is filled in. @param {number} to */
function bounded(to) {
  return Math.min(Math.max(to, 0), (state.walk?.steps.length ?? 1) - 1);
}

/** @param {(to: number) => void} go @param {() => void} ask @param {(step: Step) => void} fill */
export function wire(go, ask, fill) {
  byId("walk").addEventListener("input", () => go(Number(field("walk").value)));
  byId("back").addEventListener("click", () => go(bounded(state.walked - 1)));
  byId("on").addEventListener("click", () => go(bounded(state.walked + 1)));
  byId("hint").addEventListener("click", ask);
  byId("fill").addEventListener("click", () => {
    const last = state.hint?.steps.at(-1);
    if (last) fill(last);
  });
}

/** The controls and the reason in words. */
export function panel() {
  const walking = state.mode === "why";
  byId("reasons").hidden = !walking && state.mode !== "play";
  byId("walking").hidden = !walking;
  byId("hinting").hidden = walking;
  const count = state.walk?.steps.length ?? 0;
  field("walk").max = String(Math.max(0, count - 1));
  field("walk").value = String(state.walked);
  for (const id of ["walk", "back", "on"]) field(id).disabled = count === 0;
  const last = state.hint?.steps.at(-1);
  byId("fill").hidden = !last?.settled || Boolean(state.hint?.mistaken);
  byId("reason").replaceChildren(...(walking ? walkWords() : hintWords()));
}

function walkWords() {
  if (!state.walk) return ["Thinking…"];
  const now = step();
  const { steps, words } = state.walk;
  if (!now) return ["Nothing is left to say: every cell is printed."];
  return [
    h("b", {}, now.words),
    h("small", {}, `step ${state.walked + 1} of ${steps.length} · ${words}`),
  ];
}

function hintWords() {
  if (!state.hint) return [];
  const earlier = state.hint.steps.slice(0, -1);
  return [
    h("b", { class: state.hint.mistaken ? "no" : "" }, state.hint.words),
    earlier.length
      ? h("details", {}, h("summary", {}, `it rests on ${plural(earlier.length, "step")}`),
        h("ol", {}, earlier.map(({ words }) => h("li", {}, words))))
      : "",
  ];
}
