// The depth curve, the energies of the candidates on an axis, and the bars of energy by term.

import { format, h, s } from "./dom.js";

/** @typedef {import("../page").Frame} Frame */

const CURVE = { height: 150, left: 46, right: 12, top: 12, bottom: 22 };
const STRIP = { height: 66, left: 14, right: 14, line: 34, largest: 11 };

/**
 * About `count` round numbers from low to high.
 * @param {number} low
 * @param {number} high
 * @param {number} count
 */
export function ticks(low, high, count) {
  const rough = (high - low) / count;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((n) => n * power >= rough) ?? 10);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step / 1e6; value += step)
    found.push(Number(value.toPrecision(12)));
  return found;
}

/** Of any number of values; the arguments of a call are limited. @param {number[]} values */
const least = (values) => values.reduce((low, value) => Math.min(low, value), Infinity);

/** @param {number} value */
const short = (value) => (Math.abs(value) >= 1e4 ? value.toExponential(0) : String(value));

/**
 * The energy of every candidate after every step, the lowest and the median; a dot where the first
 * certificate appeared. Lowest and median of an earlier search are dashed.
 * @param {Frame[]} frames
 * @param {number} at
 * @param {number} width
 * @param {Frame[]} before
 */
export function depthCurve(frames, at, width, before = []) {
  const { height, left, right, top, bottom } = CURVE;
  const inner = { width: width - left - right, height: height - top - bottom };
  const drawn = [...frames.flatMap(({ energies }) => energies), ...before.flatMap((one) => [one.energy, one.median])];
  const values = drawn.filter((value) => value !== null);
  const [low, most] = [Math.min(0, least(values)), -Math.min(0, least(values.map((value) => -value)))];
  // Energies that are all 0 but for rounding have no scale of their own.
  const high = most - low < 1e-6 ? low + 1 : most;
  // A square root keeps both the first fall and the last details in sight.
  const scale = (/** @type {number} */ value) => Math.sqrt(Math.max(0, (value - low) / (high - low)));
  const length = Math.max(frames.length, before.length);
  const x = (/** @type {number} */ i) =>
    left + (length > 1 ? (i / (length - 1)) * inner.width : inner.width / 2);
  const y = (/** @type {number} */ value) => top + (1 - scale(value)) * inner.height;
  /** @param {(number | null | undefined)[]} energies */
  const line = (energies) =>
    energies
      .flatMap((value, i) =>
        value === null || value === undefined ? [] : [`${x(i).toFixed(1)} ${y(value).toFixed(1)}`],
      )
      .map((place, n) => (n ? "L" : "M") + place)
      .join("");
  const size = Math.max(...frames.map(({ energies }) => energies.length));
  const each = Array.from({ length: size }, (_, k) => line(frames.map(({ energies }) => energies[k]))).join("");
  const waves = frames.flatMap((frame, i) => (i && frame.wave !== frames[i - 1].wave ? [i] : []));
  const first = frames.findIndex((frame) => frame.valid > 0);
  const now = frames[at];
  const levels = spread([low, ...ticks(low, high, 4)], y, 14);
  const steps = ticks(1, length, 6).filter((n) => Number.isInteger(n) && n >= 1);
  const base = height - bottom;
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, height, class: "chart curve", role: "img",
      "aria-label": `lowest energy ${format(now.energy)} at step ${now.step}` },
    levels.map((value) => [
      s("path", { class: "axis", d: `M${left} ${y(value)}H${width - right}` }),
      s("text", { class: "tick", x: left - 6, y: y(value), "text-anchor": "end" }, short(value)),
    ]).flat(),
    steps.map((n) =>
      s("text", { class: "tick", x: x(n - 1), y: base + 13, "text-anchor": "middle" }, n),
    ),
    waves.map((i) => s("path", { class: "wave", d: `M${x(i - 0.5)} ${top}V${base}` })),
    s("path", { class: "each", d: each }),
    s("path", { class: "median before", d: line(before.map((one) => one.median)) }),
    s("path", { class: "lowest before", d: line(before.map((one) => one.energy)) }),
    s("path", { class: "median", d: line(frames.map((one) => one.median)) }),
    s("path", { class: "lowest", d: line(frames.map((one) => one.energy)) }),
    s("path", { class: "now", d: `M${x(at)} ${top - 4}V${base}` }),
    first < 0
      ? null
      : s("circle", { class: "certified", cx: x(first), cy: y(frames[first].energy ?? 0), r: 5 }),
    now.energy === null ? null : s("circle", { class: "here", cx: x(at), cy: y(now.energy), r: 3.5 }),
  );
}

/**
 * The values that leave each other room.
 * @param {number[]} values
 * @param {(value: number) => number} place
 * @param {number} room
 */
function spread(values, place, room) {
  /** @type {number[]} */
  const kept = [];
  for (const value of [...values].reverse())
    if (kept.every((other) => Math.abs(place(other) - place(value)) >= room)) kept.push(value);
  return kept;
}

/**
 * Every different answer at its energy, larger where more candidates give it.
 * @param {import("../page").Candidate[]} candidates
 * @param {string | null} shown
 * @param {number} width
 * @param {(answer: string) => void} pick
 */
export function energyAxis(candidates, shown, width, pick) {
  const { height, left, right, line, largest } = STRIP;
  const known = candidates.flatMap((one) => (one.energy === null ? [] : [{ ...one, energy: one.energy }]));
  const energies = known.map((one) => one.energy);
  const [low, high] = [Math.min(...energies), Math.max(...energies)];
  const room = Math.max((high - low) * 0.04, 1e-9);
  const [from, to] = [low - room, high + room];
  const x = (/** @type {number} */ value) =>
    left + ((value - from) / (to - from)) * (width - left - right);
  const marks = high - low < 1e-9 ? [low] : ticks(from, to, Math.max(3, Math.floor(width / 90)));
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, height, class: "chart strip", role: "img",
      "aria-label": `energies from ${format(low)} to ${format(high)}` },
    s("text", { class: "tick", x: left, y: 10 }, "energy"),
    s("path", { class: "axis", d: `M${left} ${line}H${width - right}` }),
    marks.map((value) => [
      s("path", { class: "axis", d: `M${x(value)} ${line - 4}v8` }),
      s("text", { class: "tick", x: x(value), y: line + 22, "text-anchor": "middle" },
        high - low < 1e-9 ? format(value) : short(value)),
    ]).flat(),
    // The largest first, so that none hides another.
    [...known].sort((a, b) => b.count - a.count).map(({ answer, energy, valid, count }) =>
      s("circle", {
        class: `dot${valid ? " valid" : ""}${answer === shown ? " shown" : ""}`,
        cx: x(energy), cy: line, r: Math.min(largest, 4 + 2 * Math.sqrt(count)), onclick: () => pick(answer),
      }, s("title", {}, `energy ${format(energy)}, ${count} of the candidates${valid ? ", breaks no rule" : ""}`)),
    ),
  );
}

/**
 * @param {import("../page").Terms} terms
 * @param {Record<string, string>} words
 */
export function termBars(terms, words) {
  const largest = Math.max(1e-9, ...Object.values(terms).map((value) => Math.abs(value ?? 0)));
  return Object.entries(terms).flatMap(([rule, value]) => {
    const bar = h("span", { class: "fill" });
    bar.style.width = `${Math.min(100, (100 * Math.max(0, value ?? 0)) / largest)}%`;
    return [
      h("dt", { title: rule }, words[rule] ?? rule),
      h("dd", {}, h("span", { class: "track" }, bar), h("span", { class: "number" }, format(value))),
    ];
  });
}
