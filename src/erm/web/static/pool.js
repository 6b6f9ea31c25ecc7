// The candidates: pictures, energies, what each selector chooses, the certificate.

import { thumbnail } from "./board.js";
import { depthCurve, energyAxis, termBars } from "./charts.js";
import { byId, field, format, h, plural } from "./dom.js";
import { kindOf } from "./kinds.js";
import { price } from "./price.js";
import { deepest, frame, puzzle, shown, state, task } from "./state.js";
import { CHECK, CROSS, icon } from "./views.js";

/** @typedef {import("../page").Frame} Frame */

/** Selectors that are named below a picture. */
const FANS = 4;

/** @param {boolean} valid */
const truth = (valid) =>
  h("span", { class: valid ? "yes" : "no", title: valid ? "breaks no rule" : "breaks a rule" },
    icon(valid ? CHECK : CROSS), h("span", { class: "unseen" }, valid ? "yes" : "no"));

/**
 * The present frame in all its views; the candidate that is shown.
 * @param {(answer: string) => void} pick
 * @returns {number | null}
 */
export function search(pick) {
  const now = frame();
  const hidden = !now || state.mode !== "watch";
  for (const id of ["scrub", "pool", "why", "selectors"]) byId(id).hidden = hidden;
  // Where the rules decided, the network took no step: there is no depth to draw.
  byId("search").hidden = hidden || deepest() === 0;
  if (hidden) return null;
  const view = shown();
  if (!view) return null;
  depth(now);
  candidates(now, view.answer, pick);
  const k = now.candidates.find((one) => one.answer === view.answer)?.k ?? view.k;
  byId("energy-of").textContent = view.energy === null
    ? "" : `${format(view.energy)}${k === null ? "" : ` · candidate ${k}`}`;
  byId("terms").replaceChildren(...termBars(view.terms, task().words));
  selectors(now, view.answer, pick);
  return k;
}

/** @param {Frame} now */
function depth(now) {
  const at = state.at ?? state.frames.length - 1;
  byId("where").textContent =
    `step ${now.step} of ${state.frames.length} · wave ${now.wave + 1}, depth ${now.depth} · ` +
    `${now.evaluations.toLocaleString("en")} evaluations · ${now.seconds.toFixed(2)} s`;
  if (deepest() > 0)
    byId("curve").replaceChildren(
      depthCurve(state.frames, at, byId("curve").clientWidth || 480, state.before?.frames),
    );
  byId("curve-of").textContent = "every candidate, lowest and median" +
    (state.before ? `; dashed: the search before, guidance ${state.before.guidance}` : "");
  const slider = field("depth");
  slider.max = String(state.frames.length);
  slider.value = String(at + 1);
  slider.setAttribute("aria-valuetext", `step ${now.step}, lowest energy ${format(now.energy)}`);
}

/** @param {Frame} now @param {string | null} answer @param {(answer: string) => void} pick */
function candidates(now, answer, pick) {
  const kind = kindOf(puzzle().task);
  const [best] = now.candidates;
  const chosenBy = (/** @type {string} */ one) =>
    now.choices.filter((choice) => choice.answer === one).map((choice) => choice.selector);
  byId("pool-of").textContent =
    `${plural(now.distinct, "answer")} from ${plural(now.size, "candidate")}` +
    (now.distinct > now.candidates.length ? `, ${now.candidates.length} shown` : "") +
    (now.distinct > 1 ? "; cells that differ from the best are marked" : "");
  byId("strip").replaceChildren(
    energyAxis(now.candidates, answer, byId("strip").clientWidth || 480, pick),
  );
  byId("thumbs").replaceChildren(
    ...now.candidates.map((one) => {
      const differing = [...one.answer].flatMap((state_, cell) =>
        state_ === best.answer[cell] ? [] : [cell],
      );
      const fans = chosenBy(one.answer);
      return h("li", {}, h("button", {
        type: "button", "aria-pressed": String(one.answer === answer), "data-k": one.k,
        class: one.valid ? "valid" : "",
        "aria-label": `candidate ${one.k}, energy ${format(one.energy)}` +
          `${one.valid ? ", breaks no rule" : ""}, ${differing.length} cells differ from the first` +
          (fans.length ? `, chosen by ${fans.join(", ")}` : ""),
        onclick: () => pick(one.answer),
      },
      thumbnail(kind, puzzle(), one.answer, differing),
      h("span", { class: "caption" }, one.valid ? icon(CHECK) : null, `#${one.k}`,
        one.count > 1 ? h("small", {}, `×${one.count}`) : null,
        h("span", { class: "number" }, format(one.energy))),
      fans.length ? h("span", { class: "fans", title: fans.join(", ") }, few(fans)) : null));
    }),
  );
}

/** @param {string[]} names */
const few = (names) =>
  names.length > FANS ? `${names.slice(0, FANS).join(", ")} and ${names.length - FANS} more` : names.join(", ");

/** @param {Frame} now @param {string | null} answer @param {(answer: string) => void} pick */
function selectors(now, answer, pick) {
  const right = now.choices.filter((choice) => choice.valid).map((choice) => choice.selector);
  const wrong = now.choices.filter((choice) => !choice.valid).map((choice) => choice.selector);
  byId("disagree").textContent =
    now.valid === 0
      ? "No candidate keeps all rules, so every selector is wrong here."
      : wrong.length
        ? `${now.valid} of ${plural(now.size, "candidate")} ${now.valid === 1 ? "breaks" : "break"} no rule. ` +
          `Chosen by ${right.join(", ") || "none"}; missed by ${wrong.join(", ")}.`
        : now.distinct === 1 && now.size > 1
          ? "All candidates agree, and their answer breaks no rule. Harder puzzles may divide them."
          : "All selectors choose an answer that breaks no rule.";
  // All candidates with one answer go by the number of the one that is shown.
  const numbers = new Map(now.candidates.map((one) => [one.answer, one.k]));
  byId("choices").replaceChildren(
    ...now.choices.map((choice) =>
      h("tr", { class: choice.selector === state.settings.selector ? "own" : "" },
        h("th", { scope: "row" }, choice.selector),
        h("td", {}, h("button", {
          type: "button", class: "link", onclick: () => pick(choice.answer),
          "aria-pressed": String(choice.answer === answer),
        }, numbers.has(choice.answer) ? `#${numbers.get(choice.answer)}` : "of several")),
        h("td", { class: "number" }, format(choice.score), choice.tied ? " (tie)" : ""),
        h("td", {}, truth(choice.valid)))),
  );
}

const ENDED = {
  certified: "stopped at its first certificate",
  budget: "spent its whole budget",
  time: "ran out of time",
  proved: "ended with a proof",
  stopped: "was stopped",
};

export function certificate() {
  const node = byId("certificate");
  const done = state.mode === "watch" ? state.outcome : null;
  const played = state.mode === "play" && state.verdict?.certified ? state.verdict.certificate : null;
  const lines = done?.certificate ?? played;
  node.hidden = !lines?.length;
  if (!lines?.length) return;
  const certified = done ? done.certified : true;
  const { words } = task();
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
      done ? `The search ${ENDED[done.ended]}: ${plural(done.candidates, "candidate")}, ${done.evaluations.toLocaleString("en")} evaluations, ${done.seconds.toFixed(2)} s, ${done.by === "rules" ? "by the rules" : `network ${done.checkpoint}`}. ` : "",
      done && price(done) ? `Apart from that, preferences may be broken: ${price(done)}. ` : "",
      done?.link ? h("a", { href: done.link, target: "_blank", rel: "noreferrer noopener" }, "Open at puzz.link") : null),
    ...(done?.tempering ? [swapRates(done.tempering)] : []),
  );
}

/** @param {import("../page").Tempering} tempering */
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
