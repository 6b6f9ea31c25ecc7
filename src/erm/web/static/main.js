// The page: joins state, server, board and views.

import * as api from "./api.js";
import { Board } from "./board.js";
import { byId, eachFrame, h } from "./dom.js";
import { Editor } from "./editor.js";
import { KINDS } from "./kinds/index.js";
import * as permalink from "./permalink.js";
import { DEFAULTS, forget, frame, request, shown, state, task } from "./state.js";
import * as views from "./views.js";

const EDIT_PAUSE_MS = 150;

const board = new Board(byId("board"));
const editor = new Editor(byId("board"), edited, moved);
const kind = () => KINDS[state.puzzle.task];
const blankAnswer = () => ".".repeat(state.puzzle.height * state.puzzle.width);
const draw = eachFrame(drawNow);

/** Errors of the server and the user's input become one sentence on the page. */
async function attempt(work) {
  try {
    state.error = null;
    return await work();
  } catch (error) {
    if (error.name !== "AbortError") state.error = sentence(error.message);
    return null;
  } finally {
    draw();
  }
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

async function open(puzzle, mode = state.mode) {
  const read = await attempt(() => api.readPuzzle(puzzle));
  if (!read) return false;
  if (!KINDS[read.task]) {
    state.error = `This page cannot draw ${read.task}.`;
    return false;
  }
  stop();
  forget();
  clearTimeout(pause);
  unread = false;
  edits += 1;
  Object.assign(state, { puzzle: read, verdict: null, mode });
  state.played = clues();
  if (!task()?.checkpoints.some((one) => one.name === state.settings.checkpoint)) state.settings.checkpoint = null;
  if (read.answer) Object.assign(state, { mode: "play", played: read.answer });
  editor.reset();
  rebuild();
  if (state.mode !== "watch") await judge();
  return true;
}

/** The answer that a player starts from: printed digits are there, everything else is open. */
const clues = () =>
  state.puzzle.task === "sudoku"
    ? state.puzzle.givens.digits.flat().map((digit) => (digit ? "0123456789ABCDEFG"[digit] : ".")).join("")
    : blankAnswer();

/** Everything that depends on the puzzle or the mode; drawing frames leaves it alone. */
function rebuild() {
  const { puzzle } = state;
  document.title = `${kind().title} · erm`;
  board.show(kind(), puzzle);
  views.kinds(chooseKind);
  views.modes(chooseMode);
  views.examples((text) => open({ task: state.puzzle.task, text }));
  views.settings(changeSetting);
  editor.palette();
  byId("text").value = puzzle.text;
  const sides = kind().sides;
  byId("side-label").hidden = !sides;
  for (const id of ["height", "width"]) byId(`${id}-label`).hidden = Boolean(sides);
  byId("side").replaceChildren(
    ...(sides ?? []).map((side) =>
      h("option", { value: side, selected: side === puzzle.height }, `${side} × ${side}`),
    ),
  );
  link();
  draw();
}

function link() {
  history.replaceState(null, "", permalink.write(state.puzzle.task, state.puzzle.text, settingsToShare()));
}

function settingsToShare() {
  const { rungs, noise, checkpoint, ...rest } = state.settings;
  return { ...rest, ...(rest.mode === "temper" ? { rungs, noise } : {}), ...(checkpoint ? { checkpoint } : {}) };
}

function drawNow() {
  if (!state.puzzle) return views.status();
  const words = kind().words;
  let [answer, broken, unfinished] = [null, [], []];
  if (state.mode === "watch") {
    const view = shown();
    if (view?.violations === null) fetchViolations(view.answer);
    [answer, broken] = [view?.answer ?? null, view?.violations ?? []];
  } else {
    broken = state.verdict?.violations ?? [];
    if (state.mode === "play") {
      answer = state.played;
      unfinished = state.verdict?.unfinished ?? [];
    }
  }
  board.answer(answer, state.mode === "play");
  board.broken(broken, words);
  board.cursor(state.cursor);
  views.violations(broken, unfinished, words, (rule) => {
    board.broken(rule && unfinished.some((one) => one.rule === rule) ? [...broken, ...unfinished.filter((one) => one.rule === rule)] : broken, words);
    board.highlight(rule);
  });
  says(answer, broken);
  views.status();
  views.search((k) => {
    state.picked = state.picked === k ? null : k;
    draw();
  });
  views.certificate();
}

/** The cell under the cursor in words, with the rules that it breaks. */
function says(answer, broken) {
  const { cursor, puzzle } = state;
  const node = byId("says");
  if (cursor === null) {
    node.textContent = "";
    return;
  }
  const rules = [...new Set(broken.filter((one) => one.cells.includes(cursor)).map((one) => one.rule))];
  node.textContent =
    `row ${Math.floor(cursor / puzzle.width) + 1}, column ${(cursor % puzzle.width) + 1}: ` +
    kind().describe(puzzle, cursor, answer?.[cursor] ?? ".") +
    (rules.length ? ` · breaks “${rules.join("”, “")}”` : "");
}

async function fetchViolations(answer) {
  if (state.checked.has(answer)) return;
  state.checked.set(answer, null);
  const verdict = await attempt(() => api.check(reference(), answer));
  if (verdict) state.checked.set(answer, verdict.violations);
  draw();
}

const reference = () => ({ task: state.puzzle.task, text: state.puzzle.text });

let edits = 0;
let pause = null;
let unread = false;

function edited(what) {
  edits += 1;
  if (what === "givens") {
    stop();
    forget();
    unread = true;
    board.show(kind(), state.puzzle);
  }
  editor.palette();
  clearTimeout(pause);
  pause = setTimeout(what === "givens" ? adoptGivens : judge, EDIT_PAUSE_MS);
}

/** Edited clues become a puzzle again: the server checks them and gives their text. */
async function adoptGivens() {
  const mine = edits;
  clearTimeout(pause);
  const { task: name, givens } = state.puzzle;
  const read = await attempt(() => api.readPuzzle({ task: name, givens }));
  if (!read || mine !== edits) return;
  unread = false;
  state.puzzle = read;
  state.played = clues();
  byId("text").value = read.text;
  board.show(kind(), read);
  views.examples((text) => open({ task: state.puzzle.task, text }));
  link();
  await judge();
}

/** What the rules say about the board as the user has it. */
async function judge() {
  const mine = edits;
  const answer = state.mode === "play" ? state.played : blankAnswer();
  const verdict = await attempt(() => api.check(reference(), answer));
  if (mine === edits) state.verdict = verdict;
  draw();
}

function moved() {
  draw();
}

async function chooseKind(name) {
  const first = state.gallery[name]?.[0];
  if (first) await open({ task: name, text: first.text });
}

function chooseMode(mode) {
  state.mode = mode;
  state.verdict = null;
  state.picked = null;
  editor.reset();
  rebuild();
  if (mode !== "watch") judge();
}

function changeSetting(name, value) {
  state.settings[name] = value;
  if (name === "mode") views.settings(changeSetting);
  link();
  draw();
}

function stop() {
  state.running?.abort();
  state.running = null;
  state.ahead = null;
}

async function solve() {
  if (state.running) {
    stop();
    draw();
    return;
  }
  if (unread) await adoptGivens();
  if (unread) return;
  if (state.mode !== "watch") chooseMode("watch");
  forget();
  const controller = new AbortController();
  state.running = controller;
  draw();
  const current = () => state.running === controller;
  await attempt(() =>
    api.search(request(), {
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

function download() {
  const file = new Blob([JSON.stringify({ outcome: state.outcome, request: request(), frames: state.frames }, null, 1)], { type: "application/json" });
  const url = URL.createObjectURL(file);
  const anchor = h("a", { href: url, download: `erm-${state.puzzle.task}.json` });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

async function share() {
  const button = byId("share");
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copy it from the address bar";
  }
  setTimeout(() => (button.textContent = "Copy link"), 2000);
}

/** A link that someone else made: its settings are theirs too, within this server's bounds. */
async function follow() {
  const wanted = permalink.read(location.hash);
  if (!wanted) return false;
  const { bounds, selectors } = state.overview;
  const { width, depth, mode, selector, seed, ...rest } = { ...DEFAULTS, ...wanted.settings };
  const whole = (value, least, most, usual) =>
    Number.isInteger(value) ? Math.min(Math.max(value, least), most) : usual;
  Object.assign(state.settings, rest, {
    width: whole(width, 1, bounds.width, DEFAULTS.width),
    depth: whole(depth, 1, bounds.depth, DEFAULTS.depth),
    seed: whole(seed, 0, 2 ** 31 - 1, 0),
    mode: ["adaptive", "plain", "full", "temper"].includes(mode) ? mode : DEFAULTS.mode,
    selector: selectors.includes(selector) ? selector : DEFAULTS.selector,
    rungs: whole(rest.rungs, 1, bounds.width, DEFAULTS.rungs),
  });
  return open({ task: wanted.task, text: wanted.text });
}

function wire() {
  byId("solve").addEventListener("click", solve);
  byId("download").addEventListener("click", download);
  byId("share").addEventListener("click", share);
  byId("settings").addEventListener("submit", (event) => event.preventDefault());
  byId("paste").addEventListener("submit", (event) => {
    event.preventDefault();
    open({ text: byId("text").value });
  });
  byId("blank").addEventListener("submit", async (event) => {
    event.preventDefault();
    const [rows, columns] = kind().sides
      ? [Number(byId("side").value), Number(byId("side").value)]
      : [Number(byId("height").value), Number(byId("width").value)];
    await open({ task: state.puzzle.task, givens: kind().blank(rows, columns) }, "edit");
  });
  byId("depth").addEventListener("input", (event) => {
    const at = Number(event.target.value) - 1;
    state.at = at === state.frames.length - 1 ? null : at;
    if (frame()) draw();
  });
  window.addEventListener("resize", draw);
  window.addEventListener("hashchange", follow);
}

async function start() {
  wire();
  const loaded = await attempt(async () => {
    [state.overview, state.gallery] = await Promise.all([api.overview(), api.examples()]);
    return true;
  });
  if (!loaded) return;
  byId("about").textContent =
    `erm ${state.overview.version} · every answer is checked against the rules, not believed · searches end after ${state.overview.bounds.seconds} s`;
  if (!(await follow())) {
    const failed = state.error;
    await chooseKind("sudoku");
    state.error = failed;
    draw();
  }
}

start();
