// What stands beside the board: controls, status, candidates, energy, selectors, certificate.

import { thumbnail } from "./board.js";
import { depthCurve, termBars } from "./charts.js";
import { byId, format, h, plural, s } from "./dom.js";
import { KINDS } from "./kinds/index.js";
import { frame, shown, state, task } from "./state.js";

const CHECK = "M5 13l4 4L19 7";
const CROSS = "M6 6l12 12M18 6L6 18";

export const icon = (d) => s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, s("path", { d }));
const truth = (valid) =>
  h("span", { class: valid ? "yes" : "no", title: valid ? "breaks no rule" : "breaks a rule" },
    icon(valid ? CHECK : CROSS), h("span", { class: "unseen" }, valid ? "yes" : "no"));

export function kinds(choose) {
  byId("kinds").replaceChildren(
    ...Object.values(KINDS).map((kind) =>
      h("button", {
        type: "button",
        "data-task": kind.name,
        "aria-pressed": String(state.puzzle?.task === kind.name),
        onclick: () => choose(kind.name),
      }, kind.title),
    ),
  );
}

export function modes(choose) {
  const names = { watch: "Search", play: "Play", edit: "Edit clues" };
  byId("modes").replaceChildren(
    ...Object.entries(names).map(([mode, name]) =>
      h("button", {
        type: "button", "data-mode": mode, "aria-pressed": String(state.mode === mode),
        onclick: () => choose(mode),
      }, name),
    ),
  );
}

export function examples(choose) {
  byId("examples").replaceChildren(
    ...(state.gallery[state.puzzle.task] ?? []).map(({ title, text }) =>
      h("button", {
        type: "button", "aria-pressed": String(text === state.puzzle.text),
        onclick: () => choose(text),
      }, title),
    ),
  );
}

export function settings(change) {
  const { bounds, selectors } = state.overview;
  const now = state.settings;
  const number = (name, label, low, high, step = 1) =>
    h("label", {}, h("span", {}, label), h("input", {
      type: "number", name, min: low, max: high, step, value: now[name],
      onchange: (event) => {
        const value = Number(event.target.value);
        if (event.target.checkValidity() && event.target.value !== "") change(name, value);
        else event.target.reportValidity();
      },
    }));
  const choice = (name, label, options) =>
    h("label", {}, h("span", {}, label), h("select", {
      name, onchange: (event) => change(name, event.target.value),
    }, options.map(([value, text]) => h("option", { value, selected: value === now[name] }, text))));
  const nets = task()?.checkpoints ?? [];
  byId("settings").replaceChildren(
    number("width", "K candidates", 1, bounds.width),
    number("depth", "D steps", 1, bounds.depth),
    choice("mode", "search", [
      ["adaptive", "adaptive"], ["plain", "unguided"], ["full", "full K × D"],
      ["temper", "tempering"],
    ]),
    choice("selector", "selector", selectors.map((name) => [name, name])),
    number("seed", "seed", 0, 2 ** 31 - 1),
    ...(now.mode === "temper"
      ? [number("rungs", "temperatures", 1, bounds.width), number("noise", "noise", 0, 10, "any")]
      : []),
    ...(nets.length > 1 ? [choice("checkpoint", "network", nets.map(({ name }) => [name, name]))] : []),
  );
}

function statusText() {
  if (state.mode === "edit") {
    return state.verdict?.violations.length ? ["Clues contradict each other", "bad"] : ["Draw the clues", ""];
  }
  if (state.mode === "play") {
    if (!state.verdict) return ["Fill in the board", ""];
    if (state.verdict.certified) return ["Solved: no rule is broken", "good"];
    const broken = state.verdict.violations.length;
    if (broken) return [`${plural(broken, "rule")} broken`, "bad"];
    return [state.verdict.complete ? "Not solved" : "So far so good", ""];
  }
  if (state.running && state.ahead !== null) return [`Waiting, ${plural(state.ahead, "search", "searches")} ahead`, ""];
  const now = shown();
  if (state.running) return [now ? `Searching, ${plural(frame().size, "candidate")}` : "Starting", "busy"];
  if (state.outcome && state.picked === null && state.at === null) {
    const { status, contradiction, violations: broken } = state.outcome;
    if (status === "unique") return ["Solved, and there is no other answer", "good"];
    if (status === "certified") return ["Certified", "good"];
    if (status === "no solution") return [`No solution: ${contradiction ?? "every guess was refuted"}`, "bad"];
    return [`Undecided: the best candidate breaks ${plural(broken.length, "rule")}`, "bad"];
  }
  if (now) return [`Candidate ${now.k ?? "of several"} ${now.valid ? "breaks no rule" : "breaks rules"}`, now.valid ? "good" : "bad"];
  if (task()?.missing) return [`No search: ${task().missing}`, "bad"];
  return [state.puzzle ? KINDS[state.puzzle.task].rule : "", ""];
}

export function status() {
  const [text, mood] = statusText();
  const node = byId("status");
  node.className = `status ${mood}`;
  node.replaceChildren(...(mood === "good" ? [icon(CHECK)] : mood === "bad" ? [icon(CROSS)] : []), text);
  const solve = byId("solve");
  solve.textContent = state.running ? "Stop" : "Solve";
  solve.disabled = Boolean(task()?.missing);
  byId("download").disabled = !state.outcome;
  const error = byId("error");
  error.hidden = !state.error;
  error.textContent = state.error ?? "";
}

/** One chip a broken rule; pointing at it brings its outlines out. */
export function violations(list, unfinished, words, highlight) {
  const chip = (rule, places, mild) =>
    h("li", {}, h("button", {
      type: "button", class: mild ? "mild" : "", title: words[rule] ?? rule,
      onmouseenter: () => highlight(rule), onmouseleave: () => highlight(null),
      onfocus: () => highlight(rule), onblur: () => highlight(null),
    }, rule, places > 1 ? h("b", {}, `×${places}`) : null));
  const count = (all) => [...all.reduce((seen, { rule }) => seen.set(rule, (seen.get(rule) ?? 0) + 1), new Map())];
  byId("violations").replaceChildren(
    ...count(list).map(([rule, places]) => chip(rule, places, false)),
    ...count(unfinished).map(([rule, places]) => chip(rule, places, true)),
  );
}

export function search(pick) {
  const now = frame();
  const hidden = !now || state.mode !== "watch";
  for (const id of ["search", "pool", "why", "selectors"]) byId(id).hidden = hidden;
  if (hidden) return;
  const at = state.at ?? state.frames.length - 1;
  byId("where").textContent =
    `step ${now.step} of ${state.frames.length} · wave ${now.wave + 1}, depth ${now.depth} · ` +
    `${now.evaluations.toLocaleString("en")} evaluations · ${now.seconds.toFixed(2)} s`;
  byId("curve").replaceChildren(depthCurve(state.frames, at, byId("curve").clientWidth || 480));
  const slider = byId("depth");
  slider.max = state.frames.length;
  slider.value = at + 1;
  slider.setAttribute("aria-valuetext", `step ${now.step}, lowest energy ${format(now.energy)}`);

  const view = shown();
  const kind = KINDS[state.puzzle.task];
  byId("thumbs").replaceChildren(
    ...now.candidates.slice(0, 12).map((candidate) =>
      h("li", {}, h("button", {
        type: "button", "aria-pressed": String(candidate.k === view.k), "data-k": candidate.k,
        class: candidate.valid ? "valid" : "",
        "aria-label": `candidate ${candidate.k}, energy ${format(candidate.energy)}${candidate.valid ? ", breaks no rule" : ""}`,
        onclick: () => pick(candidate.k),
      },
      thumbnail(kind, state.puzzle, candidate.answer),
      h("span", { class: "caption" }, candidate.valid ? icon(CHECK) : null, `#${candidate.k}`,
        h("span", { class: "number" }, format(candidate.energy))))),
    ),
  );
  byId("energy-of").textContent = view.energy === null || view.energy === undefined
    ? "" : `${format(view.energy)}${view.k === null ? "" : ` · candidate ${view.k}`}`;
  byId("terms").replaceChildren(...termBars(view.terms ?? {}, kind.words));
  byId("choices").replaceChildren(
    ...now.choices.map((choice) =>
      h("tr", { class: choice.selector === state.settings.selector ? "own" : "" },
        h("th", { scope: "row" }, choice.selector),
        h("td", {}, choice.k === null ? "of several" : h("button", {
          type: "button", class: "link", onclick: () => pick(choice.k),
          "aria-label": `show candidate ${choice.k}`,
        }, `#${choice.k}`)),
        h("td", { class: "number" }, format(choice.score), choice.tied ? " (tie)" : ""),
        h("td", {}, truth(choice.valid)))),
  );
}

export function certificate() {
  const node = byId("certificate");
  const done = state.mode === "watch" ? state.outcome : null;
  const lines = done?.certificate ?? (state.mode === "play" && state.verdict?.certified ? state.verdict.certificate : null);
  node.hidden = !lines;
  if (!lines) return;
  const certified = done ? done.certified : true;
  const words = KINDS[state.puzzle.task].words;
  const ended = { certified: "stopped at its first certificate", proved: "ended with a proof", budget: "spent its whole budget", time: "ran out of time", stopped: "was stopped" };
  node.className = `card ${certified ? "certified" : "uncertified"}`;
  node.replaceChildren(
    h("h2", {}, icon(certified ? CHECK : CROSS), certified ? "Certificate" : "No certificate"),
    h("ul", {}, lines.map(({ rule, places, broken }) =>
      h("li", { class: broken ? "no" : "yes" }, icon(broken ? CROSS : CHECK),
        h("span", {}, words[rule] ?? rule),
        h("span", { class: "number" }, broken ? `${broken} of ${places}` : String(places))))),
    h("p", {},
      certified
        ? "Each rule was checked on the finished board in as many places as the number says; no network has a say in this. "
        : "The numbers say in how many places the best candidate breaks a rule. ",
      done ? `The search ${ended[done.ended]}: ${plural(done.candidates, "candidate")}, ${done.evaluations.toLocaleString("en")} evaluations, ${done.seconds.toFixed(2)} s, network ${done.checkpoint}. ` : "",
      done?.link ? h("a", { href: done.link, target: "_blank", rel: "noreferrer noopener" }, "Open at puzz.link") : null),
    ...(done?.tempering ? [swapRates(done.tempering)] : []),
  );
}

function swapRates({ swap_rates, visited, acceptance }) {
  return h("p", { class: "swaps" },
    h("span", {}, `${plural(visited, "different answer")} visited; swaps between temperatures `),
    h("span", { class: "bars", role: "img", "aria-label": swap_rates.map(format).join(", ") },
      swap_rates.map((rate) => {
        const bar = h("i", { title: format(rate) });
        bar.style.height = `${2 + 16 * (rate ?? 0)}px`;
        return bar;
      })),
    acceptance < 1 ? ` ${Math.round(100 * acceptance)}% of moves accepted` : "");
}
