"""Samples summed up: counts, accuracies, intervals, the oracle and the gaps to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import comb
from typing import Any

import numpy as np

from erm.evaluate.bands import BANDS, band_of
from erm.evaluate.intervals import wilson
from erm.run_folder import Sample


def tally(marks: Iterable[Sample]) -> dict[str, Any]:
    """Counts of choices: exact and token accuracy over the labelled ones, valid ones over all;
    where answers have prices, how far the valid ones are above the label on average."""
    marks = list(marks)
    labelled = [one for one in marks if "correct" in one]
    correct, total = sum(one["correct"] for one in labelled), len(labelled)
    row: dict[str, Any] = {
        "correct": correct,
        "total": total,
        "exact": correct / total if total else None,
        "interval": list(wilson(correct, total)) if total else None,
        "token": float(np.mean([one["token"] for one in labelled])) if total else None,
    }
    if marks and "valid" in marks[0]:
        row["valid"] = sum(one["valid"] for one in marks)
    if prices := [one["above"] for one in marks if one.get("above") is not None]:
        row["above"] = float(np.mean(prices))
    if marks and "tied" in marks[0]:
        row["ties"] = sum(one["tied"] for one in marks)
        row["tie_rate"] = row["ties"] / len(marks)
    return row


def selector_rows(samples: Sequence[Sample]) -> dict[str, dict[str, Any]]:
    """One row per selector, the oracle's last, each with its gap to the oracle in puzzles."""
    names = [
        name
        for name in (samples[0]["choices"] if samples else ())
        # A selector that was added to a run may be with some of its samples only.
        if all(name in sample["choices"] for sample in samples)
    ]
    rows = {name: tally(sample["choices"][name] for sample in samples) for name in names}
    rows["oracle"] = tally(sample["oracle"] for sample in samples if "oracle" in sample)
    for row in rows.values():
        row["gap"] = rows["oracle"]["correct"] - row["correct"]
    return rows


def summarise_search(samples: Sequence[Sample]) -> dict[str, Any]:
    """Everything that a results.json says beyond where it comes from."""
    evaluations = [sample["evaluations"] for sample in samples]
    by_task: dict[str, list[Sample]] = {}
    for sample in samples:
        by_task.setdefault(sample["task"], []).append(sample)
    summary: dict[str, Any] = {
        "puzzles": {
            "total": len(samples),
            "labelled": sum("oracle" in sample for sample in samples),
            "certified": sum(sample["certified"] for sample in samples),
        },
        "selectors": selector_rows(samples),
        "base": base(samples),
        "pass_at_k": pass_at_k(samples),
        "propagation": {
            "boards": sum(sample.get("propagations", 0) for sample in samples),
            "seconds": round(sum(sample.get("propagation_seconds", 0.0) for sample in samples), 3),
        },
        "seconds": round(sum(sample.get("seconds", 0.0) for sample in samples), 3),
        "evaluations_mean": float(np.mean(evaluations)),
        "evaluations": {"min": min(evaluations), "max": max(evaluations), "sum": sum(evaluations)},
        "depth_mean": float(np.mean([sample["depth"] for sample in samples])),
        "tasks": {
            task: _group(own) | {"sizes": {band: _group(part) for band, part in _by_band(own)}}
            for task, own in sorted(by_task.items())
        },
    }
    if widths := width_curve(samples):
        summary["width_curve"] = widths
    if any("curve" in sample for sample in samples):
        summary["depth_curve"] = depth_curve(samples)
        summary["stopping"] = stopping(samples)
    return summary


def base(samples: Sequence[Sample]) -> dict[str, Any] | None:
    """Accuracy of one rollout: the mean over the K candidates of each puzzle, with a normal
    interval over puzzles; None without candidates or labels."""
    shares = [one["right"] / one["candidates"] for one in _pools(samples)]
    if not shares:
        return None
    mean, error = float(np.mean(shares)), float(np.std(shares) / np.sqrt(len(shares)))
    interval = [max(0.0, mean - 1.96 * error), min(1.0, mean + 1.96 * error)]
    return {"exact": mean, "interval": interval, "puzzles": len(shares)}


def pass_at_k(samples: Sequence[Sample]) -> dict[str, list]:
    """The chance that one of k candidates is right, unbiased: 1 - C(K - c, k) / C(K, k) with c
    right ones of K, averaged over puzzles."""
    pools = _pools(samples)
    most = min((one["candidates"] for one in pools), default=0)
    ks = [1 << power for power in range(most.bit_length()) if 1 << power <= most]
    chances = [
        [
            1 - comb(one["candidates"] - one["right"], k) / comb(one["candidates"], k)
            for one in pools
        ]
        for k in ks
    ]
    return {"k": ks, "exact": [float(np.mean(one)) for one in chances]}


def _pools(samples: Sequence[Sample]) -> list[Sample]:
    """Samples with candidates and a label."""
    return [one for one in samples if one.get("candidates") and "right" in one]


def _group(samples: Sequence[Sample]) -> dict[str, Any]:
    """The puzzles of one kind, or of one kind and size."""
    return {
        "total": len(samples),
        "certified": sum(sample["certified"] for sample in samples),
        "selectors": selector_rows(samples),
        "evaluations_mean": float(np.mean([sample["evaluations"] for sample in samples])),
    }


def _by_band(samples: Sequence[Sample]) -> Iterator[tuple[str, list[Sample]]]:
    for band in BANDS:
        if own := [sample for sample in samples if band_of(sample["shape"]) == band]:
            yield band, own


def depth_curve(samples: Sequence[Sample]) -> dict[str, dict[str, list[float]]]:
    """Mean selected score and exact accuracy at every depth (Figure 2), and the oracle's."""
    curves: dict[str, dict[str, list[float]]] = {}
    traced = [sample["curve"] for sample in samples if "curve" in sample]
    for name in dict.fromkeys(name for curve in traced for name in curve):
        own = [curve[name] for curve in traced if name in curve]
        curves[name] = {}
        for key, kept in (("score", "score"), ("correct", "exact")):
            if lists := [one[key] for one in own if key in one]:
                curves[name][kept] = _mean_curve(lists)
    return curves


def _mean_curve(lists: Sequence[Sequence[float]]) -> list[float]:
    """The mean at every place; what ended early stays as it was at its end."""
    longest = max(map(len, lists))
    padded = [[*one, *[one[-1]] * (longest - len(one))] for one in lists]
    return np.mean(padded, 0).tolist()


def width_curve(samples: Sequence[Sample]) -> dict[str, list[float]]:
    """Exact accuracy of the energy and the oracle on the first 1, 2, 4, ... K candidates."""
    own = [sample["widths"] for sample in samples if "widths" in sample]
    if not own:
        return {}
    shares = {name: _mean_curve([one[name] for one in own]) for name in ("energy", "oracle")}
    return {"width": max((one["width"] for one in own), key=len), **shares}


def stopping(samples: Sequence[Sample]) -> dict[str, Any]:
    """How deep energy stopping goes, and the accuracy that it keeps."""
    stopped = [sample["stopped"] for sample in samples if "stopped" in sample]
    depths = [one["depth"] for one in stopped]
    row = {"depth_mean": float(np.mean(depths)), "depth_min": min(depths), "depth_max": max(depths)}
    return row | tally(stopped)


def summarise_temper(samples: Sequence[Sample]) -> dict[str, Any]:
    """One row per energy: selected, both oracles, swap rates."""
    rows: dict[str, Any] = {}
    for name in samples[0]["energies"]:
        own = [sample["energies"][name] for sample in samples]
        # Pairs that never had a turn (short runs) have no rate.
        rates = np.array([[np.nan if r is None else r for r in one["swap_rates"]] for one in own])
        seen = ~np.isnan(rates)
        per_pair = np.divide(
            np.nansum(rates, 0), seen.sum(0), np.zeros(rates.shape[1]), where=seen.any(0)
        )
        rows[name] = {
            **tally(one["selected"] for one in own),
            "best_visited": tally(one["best"] for one in own),
            "oracle_final": tally(one["oracle"] for one in own if "oracle" in one),
            "oracle_visited": tally(one["visited"] for one in own if "visited" in one),
            "swap_rate": float(np.nanmean(rates)) if seen.any() else None,
            "swap_rates": per_pair.tolist(),
            "acceptance": float(np.mean([one["acceptance"] for one in own])),
        }
    evaluations = [sample["evaluations"] for sample in samples]
    return {
        "puzzles": {"total": len(samples)},
        "energies": rows,
        "evaluations_mean": float(np.mean(evaluations)),
    }
