// All that the page knows, and what follows from it.

/** @typedef {import("../page").Settings} Settings */

/** @type {Settings} */
export const DEFAULTS = {
  width: 64, depth: 64, mode: "adaptive", selector: "energy", seed: 0, rungs: 8, noise: 0.1,
  guidance: 0, checkpoint: null,
};

export const state = {
  /** @type {import("../page").Overview | null} */
  overview: null,
  /** watch: the search's answer; play: the user's own; why: step by step; edit: the clues. @type {import("../page").Mode} */
  mode: "watch",
  /** @type {import("../page").Puzzle | null} */
  puzzle: null,
  settings: { ...DEFAULTS },
  /** @type {import("../page").Frame[]} */
  frames: [],
  /** @type {import("../page").Earlier | null} */
  before: null,
  /** Which frame is shown; null follows the newest. @type {number | null} */
  at: null,
  /** The answer that the user picked; null follows the selector. @type {string | null} */
  picked: null,
  /** @type {import("../page").Outcome | null} */
  outcome: null,
  /** @type {AbortController | null} */
  running: null,
  /** Searches that come first. @type {number | null} */
  ahead: null,
  /** Whether the user has ended the last search. */
  stopped: false,
  played: "",
  /** A player's notes, cell by cell. @type {string[]} */
  notes: [],
  /** Whether brushes write notes. */
  pencil: false,
  /** A player's last hint. @type {import("../page").Hint | null} */
  hint: null,
  /** Every step to the answer, and the one that is shown. @type {import("../page").Walk | null} */
  walk: null,
  walked: 0,
  /** @type {import("../page").Verdict | null} */
  verdict: null,
  /** Violations of answers that were asked for, by answer; null while they are under way.
   * @type {Map<string, import("../page").Violation[] | null>} */
  checked: new Map(),
  /** @type {number | null} */
  cursor: null,
  /** @type {string | null} */
  brush: null,
  /** Questions that the server has not answered for some time. */
  slow: 0,
  /** @type {string | null} */
  error: null,
};

/** The puzzle, once there is one. */
export function puzzle() {
  if (!state.puzzle) throw new Error("there is no puzzle yet");
  return state.puzzle;
}

/** What the server can do, once it has said so. */
export function overview() {
  if (!state.overview) throw new Error("the server has not answered yet");
  return state.overview;
}

/** @param {string} name */
export const taskOf = (name) => overview().tasks.find((one) => one.name === name) ?? null;

/** The task of the present puzzle. */
export function task() {
  const found = taskOf(puzzle().task);
  if (!found) throw new Error(`the server does not know ${puzzle().task}`);
  return found;
}

export const frame = () => state.frames[state.at ?? state.frames.length - 1] ?? null;

/** Most steps that the network has taken in this search; 0 where the rules decided it alone. */
export const deepest = () => Math.max(0, ...state.frames.map((one) => one.depth));

export function forget() {
  Object.assign(state, { frames: [], before: null, at: null, picked: null, outcome: null, ahead: null, stopped: false });
  Object.assign(state, { hint: null, walk: null, walked: 0 });
  state.checked.clear();
}

/**
 * What stands on the board in watch mode; violations are null where they must be asked for.
 * @typedef {{ answer: string | null, k: number | null, terms: import("../page").Terms,
 *   energy: number | null, valid: boolean, violations: import("../page").Violation[] | null }} View
 * @returns {View | null}
 */
export function shown() {
  const now = frame();
  const last = state.at === null || state.at === state.frames.length - 1;
  if (state.picked === null && last && state.outcome) {
    const { answer, k, terms, energy, certified, violations } = state.outcome;
    return { answer, k, terms, energy, valid: certified, violations };
  }
  if (!now) return null;
  const choice = now.choices.find((one) => one.selector === state.settings.selector);
  const answer = state.picked ?? choice?.answer ?? null;
  const own = answer === choice?.answer ? now.violations : (state.checked.get(answer ?? "") ?? null);
  const candidate = now.candidates.find((one) => one.answer === answer);
  if (candidate) return { ...candidate, violations: candidate.valid ? [] : own };
  // Put together from several candidates, or one that this step does not have.
  const made = now.choices.find((one) => one.answer === answer);
  const valid = made?.valid ?? false;
  const nothing = { terms: {}, energy: null, k: null, valid };
  if (!made) return { ...nothing, answer: null, violations: [] };
  return { ...nothing, answer, violations: valid ? [] : own };
}

/** Rollouts of the network alone that end early, while they disagree: what "Compare candidates" asks for. */
export const COMPARISON = { mode: "full", width: 32, depth: 6 };

/** The request that the settings stand for. @param {Partial<Settings>} instead */
export function request(instead = {}) {
  const settings = { ...state.settings, ...instead };
  const { width, depth, mode, selector, seed, rungs, noise, guidance, checkpoint } = settings;
  const tempering = mode === "temper"
    ? { ladders: Math.max(1, Math.floor(width / rungs)), rungs, noise }
    : null;
  return { task: puzzle().task, text: puzzle().text, width, depth,
    mode, selector, seed, guidance,
    checkpoint, tempering };
}
