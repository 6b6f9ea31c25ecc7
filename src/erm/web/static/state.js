// All that the page knows, and what follows from it.

export const DEFAULTS = {
  width: 64, depth: 64, mode: "adaptive", selector: "certified", seed: 0, rungs: 8, noise: 0.1,
  checkpoint: null,
};

export const state = {
  overview: null,
  gallery: {},
  /** watch: the search's answer; play: the user's own; edit: the clues. */
  mode: "watch",
  puzzle: null,
  settings: { ...DEFAULTS },
  frames: [],
  /** Which frame is shown; null follows the newest. */
  at: null,
  /** The candidate that the user picked; null follows the selector. */
  picked: null,
  outcome: null,
  running: null,
  ahead: null,
  played: "",
  verdict: null,
  /** Violations of answers that were asked for, by answer. */
  checked: new Map(),
  cursor: null,
  brush: null,
  error: null,
};

export const task = () =>
  state.overview?.tasks.find((one) => one.name === state.puzzle?.task) ?? null;

export const frame = () => state.frames[state.at ?? state.frames.length - 1] ?? null;

export function forget() {
  Object.assign(state, { frames: [], at: null, picked: null, outcome: null, ahead: null });
  state.checked.clear();
}

/** What stands on the board in watch mode: { answer, k, terms, energy, valid, violations }. */
export function shown() {
  const now = frame();
  if (!now) return null;
  const last = state.at === null || state.at === state.frames.length - 1;
  if (state.picked === null && last && state.outcome) {
    const { answer, k, terms, energy, certified, violations } = state.outcome;
    return { answer, k, terms, energy, valid: certified, violations };
  }
  const choice = now.choices.find((one) => one.selector === state.settings.selector);
  const k = state.picked ?? choice?.k ?? null;
  const candidate = now.candidates.find((one) => one.k === k);
  if (candidate) {
    const own = k === choice?.k ? now.violations : state.checked.get(candidate.answer);
    return { ...candidate, violations: candidate.valid ? [] : (own ?? null) };
  }
  if (state.picked !== null || !choice) return { answer: null, k, violations: [] };
  return { answer: choice.answer, k: null, terms: {}, energy: null, valid: choice.valid,
    violations: now.violations };
}

/** The request that the settings stand for. */
export function request() {
  const { width, depth, mode, selector, seed, rungs, noise, checkpoint } = state.settings;
  const tempering = mode === "temper"
    ? { ladders: Math.max(1, Math.floor(width / rungs)), rungs, noise }
    : null;
  return { task: state.puzzle.task, text: state.puzzle.text, width, depth,
    mode: mode === "plain" ? "adaptive" : mode, guided: mode !== "plain", selector, seed,
    checkpoint, tempering };
}
