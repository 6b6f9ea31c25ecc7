// What stands around the board: kinds, modes, examples, settings, status, broken rules.

import { button, byId, h, plural, s } from "./dom.js";
import { kindOf } from "./kinds.js";
import { price } from "./price.js";
import { frame, overview, puzzle, shown, state, task } from "./state.js";

/** Broken rules that are said; the board shows all of them. */
const SENTENCES = 6;

export const CHECK = "M5 13l4 4L19 7";
export const CROSS = "M6 6l12 12M18 6L6 18";

/** @param {string} d */
export const icon = (d) =>
  s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, s("path", { d }));

/** @param {(name: string) => void} choose */
export function kinds(choose) {
  byId("kinds").replaceChildren(
    ...overview().tasks.map(({ name, title }) =>
      h("button", {
        type: "button", "data-task": name, "aria-pressed": String(puzzle().task === name),
        onclick: () => choose(name),
      }, title),
    ),
  );
  // On a narrow screen the chosen kind may lie outside the bar.
  const bar = byId("kinds");
  const chosen = /** @type {HTMLElement | null} */ (bar.querySelector("[aria-pressed=true]"));
  if (chosen) bar.scrollLeft = chosen.offsetLeft - bar.offsetLeft - 40;
}

/** @param {(mode: import("../page").Mode) => void} choose */
export function modes(choose) {
  /** @type {[import("../page").Mode, string][]} */
  const names = [["watch", "Search"], ["play", "Play"], ["why", "Explain"], ["edit", "Edit clues"]];
  const editable = kindOf(puzzle().task).brushes(puzzle()).length > 0;
  byId("modes").replaceChildren(
    ...names
      .filter(([mode]) => mode !== "edit" || editable)
      .map(([mode, name]) =>
        h("button", {
          type: "button", "data-mode": mode, "aria-pressed": String(state.mode === mode),
          onclick: () => choose(mode),
        }, name),
      ),
  );
  byId("blank").hidden = !editable || state.mode !== "edit";
}

/** @param {(text: string) => void} choose */
export function examples(choose) {
  byId("examples").replaceChildren(
    ...task().examples.map(({ title, text }) =>
      h("button", {
        type: "button", "aria-pressed": String(text === puzzle().text), onclick: () => choose(text),
      }, title),
    ),
  );
}

/**
 * Each setting with a sentence about it.
 * @param {(name: string, value: string | number) => void} change
 */
export function settings(change) {
  const { bounds, selectors } = overview();
  const now = /** @type {Record<string, any>} */ (state.settings);
  /** @param {string} label @param {string} about @param {HTMLElement} control */
  const setting = (label, about, control) =>
    h("label", {}, h("span", {}, label), control, h("small", {}, about));
  /**
   * @param {string} name @param {string} label @param {string} about
   * @param {number} low @param {number} high @param {number | "any"} step
   */
  const number = (name, label, about, low, high, step = 1) =>
    setting(label, about, h("input", {
      type: "number", name, min: low, max: high, step, value: now[name],
      onchange: (/** @type {{ target: HTMLInputElement }} */ { target }) => {
        if (target.checkValidity() && target.value !== "") change(name, Number(target.value));
        else target.reportValidity();
      },
    }));
  /** @param {string} name @param {string} label @param {string} about @param {string[][]} options */
  const choice = (name, label, about, options) =>
    setting(label, about, h("select", {
      name, onchange: (/** @type {{ target: HTMLSelectElement }} */ { target }) => change(name, target.value),
    }, options.map(([value, text]) => h("option", { value, selected: value === now[name] }, text))));
  const nets = task().checkpoints;
  byId("settings").replaceChildren(
    choice("mode", "search", "Certified: the rules first, then candidates. Full: candidates of the network alone.", [
      ["adaptive", "certified"], ["full", "full K × D"], ["temper", "tempering"],
    ]),
    number("width", "K candidates", "How many answers are tried side by side.", 1, bounds.width),
    number("depth", "D steps", "How often the network looks at each of them.", 1, bounds.depth),
    choice("selector", "selector", "Which candidate is given as the answer.", selectors.map((name) => [name, name])),
    number("guidance", "guidance η", "How far the energy's gradient moves the network between steps; 0 is off.", 0, 100, "any"),
    number("seed", "seed", "The same seed gives the same search.", 0, 2 ** 31 - 1),
    ...(now.mode === "temper"
      ? [
        number("rungs", "temperatures", "Rungs of a ladder; K is shared among the ladders.", 1, bounds.width),
        number("noise", "noise", "Of a step at the hottest rung.", 0, 10, "any"),
      ]
      : []),
    ...(nets.length > 1
      ? [choice("checkpoint", "network", "Whose candidates these are.", nets.map(({ name }) => [name, name]))]
      : []),
  );
}

/** @returns {[string, "" | "good" | "bad" | "busy"]} */
function statusText() {
  // A server that has just been installed compiles its rules for the first who ask. Who looks at an
  // outcome waits for nothing.
  const waits = state.slow && !state.running && !(state.mode === "watch" && state.outcome);
  if (waits) return ["Waiting for the server; its first answers take longest", "busy"];
  if (!state.puzzle) return ["", ""];
  const { verdict, outcome } = state;
  const contradiction = verdict !== null && !verdict.possible;
  if (state.mode === "edit")
    return contradiction ? ["Clues contradict each other", "bad"] : ["Draw the clues", ""];
  if (state.mode === "why")
    return contradiction ? ["Clues contradict each other", "bad"] : ["Every step, and why", ""];
  if (state.mode === "play") {
    if (!verdict) return ["Fill in the board", ""];
    if (verdict.certified) return [priced("Solved: no rule is broken", verdict), "good"];
    const broken = verdict.violations.length;
    if (broken) return [`${plural(broken, "rule")} broken`, "bad"];
    return [verdict.complete ? "Not solved" : "So far so good", ""];
  }
  if (state.running && state.ahead !== null)
    return [state.ahead ? `Waiting, ${plural(state.ahead, "search", "searches")} ahead` : "Waiting for its turn", ""];
  const view = shown();
  if (state.running)
    return [view ? priced(`Searching, ${plural(frame().size, "candidate")}`, frame()) : "Starting", "busy"];
  if (outcome && state.picked === null && state.at === null) {
    if (outcome.status === "unique")
      return [priced("Solved, and there is no other answer", outcome), "good"];
    if (outcome.status === "no solution")
      return [`No solution: ${outcome.contradiction ?? "every guess was refuted"}`, "bad"];
    if (outcome.status === "several")
      return ["Several answers: this is one of them", "good"];
    if (outcome.certified) return [priced(certified(), outcome), "good"];
    return [`${outcome.status ? "Undecided" : "Not solved"}: the best candidate breaks rules in ${plural(outcome.violations.length, "place")}`, "bad"];
  }
  if (state.stopped && state.picked === null && state.at === null)
    return [`Stopped after ${plural(state.frames.length, "step")}`, ""];
  if (view) {
    const who = view.k === null ? "This answer" : `Candidate ${view.k}`;
    return [`${who} ${view.valid ? "breaks no rule" : "breaks rules"}`, view.valid ? "good" : "bad"];
  }
  if (contradiction) return ["The clues contradict each other: there is no answer", "bad"];
  const { missing, about } = task();
  return missing ? [`By the rules alone: ${missing}`, ""] : [about, ""];
}

/** That there is a certificate; where candidates ran to their end, for how many of them. */
function certified() {
  const { valid, size } = frame() ?? { valid: 0, size: 0 };
  return valid && valid < size ? `Certified: ${valid} of ${plural(size, "candidate")} ${valid === 1 ? "breaks" : "break"} no rule` : "Certified";
}

/** A verdict, and apart from it what the answer costs, where answers have prices. */
function priced(/** @type {string} */ verdict, /** @type {Parameters<typeof price>[0]} */ answer) {
  const said = price(answer);
  return said ? `${verdict}; ${said}` : verdict;
}

export function status() {
  const [text, mood] = statusText();
  const node = byId("status");
  node.className = `status ${mood}`;
  node.replaceChildren(...(mood === "good" ? [icon(CHECK)] : mood === "bad" ? [icon(CROSS)] : []), text);
  button("solve").textContent = state.running ? "Stop" : "Solve";
  const missing = Boolean(state.puzzle && task().missing);
  button("compare").disabled = missing || Boolean(state.running);
  button("download").disabled = !state.outcome;
  const error = byId("error");
  error.hidden = !state.error;
  error.textContent = state.error ?? "";
}

/**
 * A sentence for each broken rule, a word for each that is not kept yet; pointing at one brings its
 * outlines out.
 * @param {import("../page").Violation[]} list
 * @param {import("../page").Violation[]} unfinished
 * @param {(which: import("../page").Violation | null) => void} highlight
 */
export function violations(list, unfinished, highlight) {
  const more = list.length - SENTENCES;
  /** @param {import("../page").Violation} one */
  const item = (one, mild = "") =>
    h("li", { class: mild }, h("button", {
      type: "button", class: mild, "data-rule": one.rule,
      onmouseenter: () => highlight(one), onmouseleave: () => highlight(null),
      onfocus: () => highlight(one), onblur: () => highlight(null),
    }, one.words));
  byId("violations").replaceChildren(
    ...list.slice(0, SENTENCES).map((one) => item(one)),
    ...(more > 0 ? [h("li", {}, `and ${more} more`)] : []),
    ...[...new Set(unfinished.map(({ rule }) => rule))].map((rule) => item(notYet(rule, unfinished), "mild")),
  );
}

/**
 * What a rule still asks for on a board that is not finished, wherever it does.
 * @param {string} rule
 * @param {import("../page").Violation[]} unfinished
 * @returns {import("../page").Violation}
 */
function notYet(rule, unfinished) {
  const places = unfinished.filter((one) => one.rule === rule);
  const cells = [...new Set(places.flatMap((one) => one.cells))];
  const where = places.length > 1 ? ` (${places.length} places)` : "";
  return { rule, cells, clue: null, words: `not yet: ${task().words[rule] ?? rule}${where}` };
}
