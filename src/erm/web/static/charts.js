// The depth curve and the bars of energy by term.

import { format, h, s } from "./dom.js";

const HEIGHT = 120;
const PAD = { left: 8, right: 8, top: 12, bottom: 4 };

/** Lowest and median energy after every step; a dot where the first certificate appeared. */
export function depthCurve(frames, at, width) {
  const inner = { width: width - PAD.left - PAD.right, height: HEIGHT - PAD.top - PAD.bottom };
  const values = frames.flatMap((frame) => [frame.energy, frame.median]).filter((v) => v !== null);
  const [low, high] = [Math.min(0, ...values), Math.max(1e-6, ...values)];
  // A square root keeps both the first fall and the last details in sight.
  const scale = (value) => Math.sqrt(Math.max(0, (value - low) / (high - low)));
  const x = (i) => PAD.left + (frames.length > 1 ? (i / (frames.length - 1)) * inner.width : 0);
  const y = (value) => PAD.top + (1 - scale(value)) * inner.height;
  const line = (key) =>
    frames
      .map((frame, i) => [i, frame[key]])
      .filter(([, value]) => value !== null)
      .map(([i, value], n) => `${n ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`)
      .join("");
  const waves = frames.flatMap((frame, i) => (i && frame.wave !== frames[i - 1].wave ? [i] : []));
  const first = frames.findIndex((frame) => frame.valid > 0);
  const shown = frames[at];
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${HEIGHT}`, height: HEIGHT, class: "curve", role: "img",
      "aria-label": `lowest energy ${format(shown.energy)} at step ${shown.step}` },
    s("path", { class: "axis", d: `M${PAD.left} ${y(0)}H${width - PAD.right}` }),
    ...waves.map((i) =>
      s("path", { class: "wave", d: `M${x(i - 0.5)} ${PAD.top}V${HEIGHT - PAD.bottom}` }),
    ),
    s("path", { class: "median", d: line("median") }),
    s("path", { class: "lowest", d: line("energy") }),
    s("path", { class: "now", d: `M${x(at)} ${PAD.top - 4}V${HEIGHT - PAD.bottom}` }),
    first < 0 ? null : s("circle", { class: "certified", cx: x(first), cy: y(frames[first].energy ?? 0), r: 5 }),
    shown.energy === null ? null : s("circle", { class: "here", cx: x(at), cy: y(shown.energy), r: 3.5 }),
  );
}

export function termBars(terms, words) {
  const largest = Math.max(1e-9, ...Object.values(terms).map((value) => Math.abs(value ?? 0)));
  return Object.entries(terms).flatMap(([rule, value]) => {
    const bar = h("span", { class: "fill" });
    bar.style.width = `${Math.min(100, (100 * Math.max(0, value ?? 0)) / largest)}%`;
    return [
      h("dt", { title: words[rule] ?? rule }, rule),
      h("dd", {}, h("span", { class: "track" }, bar), h("span", { class: "number" }, format(value))),
    ];
  });
}
