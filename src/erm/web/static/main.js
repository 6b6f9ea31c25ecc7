// The page: joins state, server, board and views.

import * as api from "./api.js";
import { attempting } from "./attempt.js";
import { Board } from "./board.js";
import { byId, eachFrame, field, h } from "./dom.js";
import { Editor } from "./editor.js";
import { kindOf, loadKind } from "./kinds.js";
import { layoutOf } from "./layout.js";
import * as memory from "./memory.js";
import * as permalink from "./permalink.js";
import * as pool from "./pool.js";
import * as reasons from "./reasons.js";
import { copyLink, download } from "./share.js";
import {
  COMPARISON, DEFAULTS, deepest, forget, frame, overview, puzzle, request, shown,
  state, task, taskOf,
} from "./state.js";
import * as views from "./views.js";

/** @typedef {import("../page").Mode} Mode */
/** @typedef {import("../page").Violation} Violation */

const USUAL_SIDE = 8;
const READ_PAUSE_MS = 30;
const CHECK_PAUSE_MS = 150;

const svg = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (byId("board")));
const board = new Board(svg);
const draw = eachFrame(drawNow);
const editor = new Editor(svg, edited, draw);
const attempt = attempting(draw);
const kind = () => kindOf(puzzle().task);
const blankAnswer = () => ".".repeat(puzzle().height * puzzle().width);
const reference = () => ({ task: puzzle().task, text: puzzle().text });

/** Counts what the user does, so that late answers of the server are known as such. */
let edits = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let pause;
/** Whether the server has yet to read what the user has edited. */
let unread = false;
/** The request of the last search. @type {ReturnType<typeof request> | null} */
let asked = null;

/** @param {import("../page").Source} source @param {Mode} mode */
async function open(source, mode = state.mode) {
  const read = await attempt(() => api.readPuzzle(source));
  if (!read) return false;
  const known = taskOf(read.task);
  if (!known) return false;
  // A page module that fails is reported, and the usual drawing takes its place.
  await attempt(() => loadKind(known));
  const failed = state.error;
  stop();
  forget();
  clearTimeout(pause);
  unread = false;
  edits += 1;
  Object.assign(state, { puzzle: read, verdict: null, mode });
  begin(read);
  if (!known.checkpoints.some((one) => one.name === state.settings.checkpoint))
    state.settings.checkpoint = null;
  editor.reset();
  rebuild();
  await check();
  state.error ??= failed;
  if (state.mode === "why") await explain();
  return true;
}

/** What a player starts from: what a solved link carried, what was written before, or nothing. */
function begin(/** @type {import("../page").Puzzle} */ read) {
  const before = memory.recall(read);
  state.played = read.answer ?? before?.played ?? read.start;
  state.notes = before?.notes ?? Array(read.height * read.width).fill("");
  if (read.answer) state.mode = "play";
}

/** Everything that depends on the puzzle or the mode; drawing frames leaves it alone. */
function rebuild() {
  document.title = `${task().title} · erm`;
  board.show(kind(), puzzle());
  views.kinds(chooseKind);
  views.modes(chooseMode);
  views.examples(chooseExample);
  views.settings(changeSetting);
  editor.palette();
  field("text").value = puzzle().text;
  const { sides } = task();
  byId("side-label").hidden = !sides.length;
  for (const id of ["height", "width"]) byId(`${id}-label`).hidden = sides.length > 0;
  byId("side").replaceChildren(
    ...sides.map((side) =>
      h("option", { value: side, selected: side === puzzle().height }, `${side} × ${side}`),
    ),
  );
  link();
  draw();
}

function link() {
  const { task: name, text } = puzzle();
  history.replaceState(null, "", permalink.write(name, text, settingsToShare()));
}

function settingsToShare() {
  const { rungs, noise, guidance, checkpoint, ...rest } = state.settings;
  return {
    ...rest,
    ...(guidance ? { guidance } : {}),
    ...(rest.mode === "temper" ? { rungs, noise } : {}),
    ...(checkpoint ? { checkpoint } : {}),
    ...(state.mode === "play" || state.mode === "why" ? { view: state.mode } : {}),
  };
}

function drawNow() {
  if (!state.puzzle) return views.status();
  const walk = state.mode === "why" ? reasons.walked() : null;
  /** @type {string | null} */
  let answer;
  let [broken, unfinished] = [/** @type {Violation[]} */ ([]), /** @type {Violation[]} */ ([])];
  if (state.mode === "watch") {
    const view = shown();
    if (view && view.answer !== null && view.violations === null) fetchViolations(view.answer);
    answer = view?.answer ?? null;
    broken = view?.violations ?? (view ? [] : (state.verdict?.violations ?? []));
  } else {
    broken = state.verdict?.violations ?? [];
    answer = walk?.answer ?? null;
    if (state.mode === "play") {
      answer = state.played;
      unfinished = state.verdict?.unfinished ?? [];
    }
  }
  board.answer(answer, state.mode === "play" || walk !== null);
  if (walk) board.notes(puzzle().symbols.length > 2 ? walk.notes : [], walk.answer);
  else board.notes(state.mode === "play" ? state.notes : [], state.played);
  board.why(reasons.step());
  reasons.panel();
  board.broken(broken);
  board.cursor(state.cursor);
  views.violations(broken, unfinished, (one) => {
    const drawn = one === null || broken.includes(one) ? broken : [...broken, one];
    board.broken(drawn);
    board.highlight(one && drawn.indexOf(one));
  });
  says(answer, broken);
  views.status();
  pool.search((picked) => {
    state.picked = state.picked === picked ? null : picked;
    draw();
  });
  pool.certificate();
}

/** The cell under the cursor in words, with the rules that it breaks. */
function says(/** @type {string | null} */ answer, /** @type {Violation[]} */ broken) {
  const { cursor } = state;
  const node = byId("says");
  if (cursor === null) {
    node.textContent = "";
    return;
  }
  const here = broken.filter((one) => one.cells.includes(cursor)).map((one) => one.words);
  node.textContent =
    `${layoutOf(puzzle()).name(cursor)}: ` +
    kind().describe(puzzle(), cursor, answer?.[cursor] ?? ".") +
    (here.length ? ` · ${here.join("; ")}` : "");
}

/** @param {string} answer */
async function fetchViolations(answer) {
  if (state.checked.has(answer)) return;
  state.checked.set(answer, null);
  const verdict = await attempt(() => api.check(reference(), answer));
  if (verdict) state.checked.set(answer, verdict.violations);
  draw();
}

/** @param {"givens" | "played"} what */
function edited(what) {
  edits += 1;
  state.hint = null;
  if (what === "givens") {
    stop();
    forget();
    unread = true;
    board.show(kind(), puzzle());
  } else {
    memory.remember(puzzle(), state.played, state.notes);
  }
  editor.palette();
  clearTimeout(pause);
  if (what === "givens") pause = setTimeout(adoptGivens, READ_PAUSE_MS);
  else pause = setTimeout(check, CHECK_PAUSE_MS);
}

/** Edited clues become a puzzle again: the server checks them and gives their text. */
async function adoptGivens() {
  const mine = edits;
  clearTimeout(pause);
  const { task: name, givens } = puzzle();
  const read = await attempt(() => api.readPuzzle({ task: name, givens }));
  if (!read || mine !== edits) return;
  unread = false;
  state.puzzle = read;
  begin(read);
  field("text").value = read.text;
  board.show(kind(), read);
  views.examples(chooseExample);
  link();
  await check();
}

/** What the rules say about the board as the user has it. */
async function check() {
  const mine = edits;
  const answer = state.mode === "play" ? state.played : blankAnswer();
  const failed = state.error;
  const verdict = await attempt(() => api.check(reference(), answer));
  state.error ??= failed;
  if (mine === edits) state.verdict = verdict;
  draw();
}

/** @param {string} name */
async function chooseKind(name) {
  const chosen = taskOf(name);
  if (!chosen) return;
  const [first] = chosen.examples;
  const side = chosen.sides[0] ?? USUAL_SIDE;
  await attempt(() => loadKind(chosen));
  if (first) {
    await open({ task: name, text: first.text });
  } else if (Object.keys(chosen.givens).length) {
    await open({ task: name, givens: kindOf(name).blank(side, side) }, "edit");
  } else {
    state.error = `${chosen.title} brings no examples: open one with a link to this page.`;
    draw();
  }
}

/** @param {string} text */
const chooseExample = (text) => open({ task: puzzle().task, text });

/** @param {Mode} mode */
function chooseMode(mode) {
  edits += 1;
  Object.assign(state, { mode, verdict: null, picked: null, hint: null });
  editor.reset();
  rebuild();
  check();
  if (mode === "why") explain();
}

/** Every step to the answer; asked for once a puzzle. */
async function explain() {
  if (unread) await adoptGivens();
  const mine = edits;
  const walk = state.walk ?? (await attempt(() => api.walk(reference())));
  if (mine === edits) state.walk = walk;
  draw();
}

/** What a player could fill in next, and why; or what is wrong so far. */
async function askHint() {
  const mine = edits;
  const hint = await attempt(() => api.hint(reference(), state.played));
  if (mine === edits) state.hint = hint;
  draw();
}

/** @param {string} name @param {string | number} value */
function changeSetting(name, value) {
  Object.assign(state.settings, { [name]: value });
  if (name === "mode") views.settings(changeSetting);
  link();
  draw();
}

function stop() {
  state.running?.abort();
  state.running = null;
  state.ahead = null;
}

/** Search, or end the search that runs. @param {Partial<import("../page").Settings>} instead */
async function solve(instead = {}) {
  if (state.running) {
    stop();
    state.stopped = true;
    draw();
    return;
  }
  if (unread) await adoptGivens();
  if (unread) return;
  if (state.mode !== "watch") chooseMode("watch");
  const last = deepest() > 0 ? { frames: state.frames, guidance: asked?.guidance ?? 0 } : null;
  const earlier = [last, state.before];
  forget();
  const controller = new AbortController();
  state.running = controller;
  asked = request(instead);
  state.before = earlier.find((one) => one && one.guidance !== asked?.guidance) ?? null;
  draw();
  const current = () => state.running === controller;
  await attempt(() =>
    api.search(asked, {
      queued: ({ ahead }) => {
        if (current()) state.ahead = ahead;
        draw();
      },
      frame: (one) => {
        if (!current()) return;
        state.ahead = null;
        state.frames.push(one);
        draw();
      },
      done: (outcome) => {
        if (current()) state.outcome = outcome;
      },
      error: ({ error }) => {
        throw new Error(error);
      },
    }, controller.signal),
  );
  if (current()) {
    state.running = null;
    state.ahead = null;
  }
  draw();
}

/** A link that someone else made: its settings are theirs too, within this server's bounds. */
async function follow() {
  const wanted = permalink.read(location.hash);
  if (!wanted) return false;
  const { view, ...settings } = wanted.settings;
  Object.assign(state.settings, permalink.bounded({ ...DEFAULTS, ...settings }, overview()));
  const mode = view === "play" || view === "why" ? view : "watch";
  return open({ task: wanted.task, text: wanted.text }, mode);
}

/** The puzzle that shows the idea: its candidates disagree, so they are compared at once. */
async function welcome() {
  const { opening, tasks } = overview();
  const first = opening ?? tasks.flatMap(({ name, examples }) => examples.map(({ text }) => ({ task: name, text })))[0];
  if (!first) return;
  const failed = state.error;
  await open(first, "watch");
  state.error ??= failed;
  draw();
  if (opening && !failed) await solve(COMPARISON);
}

function wire() {
  const go = (/** @type {number} */ to) => {
    state.walked = to;
    draw();
  };
  reasons.wire(go, askHint, ({ cell, settled }) => {
    state.cursor = cell;
    if (settled) editor.write(cell, settled);
    draw();
  });
  byId("solve").addEventListener("click", () => solve());
  byId("compare").addEventListener("click", () => solve(COMPARISON));
  byId("download").addEventListener("click", () =>
    download(`erm-${puzzle().task}.json`, { outcome: state.outcome, request: asked, frames: state.frames }),
  );
  byId("share").addEventListener("click", copyLink);
  byId("settings").addEventListener("submit", (event) => event.preventDefault());
  byId("paste").addEventListener("submit", (event) => {
    event.preventDefault();
    open({ text: field("text").value });
  });
  byId("blank").addEventListener("submit", async (event) => {
    event.preventDefault();
    const square = task().sides.length > 0;
    const rows = Number(field(square ? "side" : "height").value);
    const columns = square ? rows : Number(field("width").value);
    await open({ task: puzzle().task, givens: kind().blank(rows, columns) }, "edit");
  });
  const scrub = (/** @type {number} */ to) => {
    const at = Math.min(Math.max(to, 0), state.frames.length - 1);
    state.at = at === state.frames.length - 1 ? null : at;
    if (frame()) draw();
  };
  byId("depth").addEventListener("input", () => scrub(Number(field("depth").value) - 1));
  window.addEventListener("resize", draw);
  window.addEventListener("hashchange", follow);
}

async function start() {
  wire();
  state.overview = await attempt(api.overview);
  if (!state.overview) return;
  const { version, bounds } = state.overview;
  byId("about").textContent =
    `erm ${version} · every answer is checked against the rules, not believed · searches end after ${bounds.seconds} s`;
  if (!(await follow())) await welcome();
}

start();
