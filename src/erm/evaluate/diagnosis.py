"""Where right answers are lost: generation, energy or selection (the paper's diagnostics).

A puzzle is lost to generation if no candidate is right, to the energy if a wrong candidate has a
lower energy than every right one, and to selection if a right candidate shares the lowest energy
and another one was taken, or if tempering had met the right answer and left it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from erm.run_folder import Sample
from erm.search.select import TIE

NETWORK_SELECTORS = {"majority": "majority", "qhead": "q-head", "confidence": "confidence"}
"""What chooses without the rules, by the name that people read."""
ADVICE = {
    "generation": "more or better candidates would help most",
    "energy": "wrong answers are ranked first; its rules or settings are what to look at",
    "selection": "right answers were met and not taken; the choice is what to look at",
}


@dataclass(frozen=True)
class Losses:
    """Puzzles of a run that were not answered rightly, by what they were lost to."""

    total: int
    generation: int
    energy: int
    selection: int

    @property
    def bottlenecks(self) -> list[str]:
        """What most puzzles are lost to, or several things alike; none where none is lost."""
        counts = {name: getattr(self, name) for name in ADVICE}
        return [name for name, lost in counts.items() if lost == max(counts.values()) > 0]

    def verdict(self) -> str:
        if not self.bottlenecks:
            return "No bottleneck"
        advice = "; ".join(ADVICE[name] for name in self.bottlenecks)
        return f"Bottleneck: {' and '.join(self.bottlenecks)} ({advice})"


def search_losses(samples: Sequence[Sample]) -> Losses:
    """Of the labelled puzzles of an evaluation, by the choice of `energy`."""
    labelled = [sample for sample in samples if "oracle" in sample]
    found = [sample for sample in labelled if sample["oracle"]["correct"]]
    lost = [sample for sample in found if not sample["choices"]["energy"]["correct"]]
    by_selection = sum(_right_has_the_lowest_energy(sample) for sample in lost)
    return Losses(len(labelled), len(labelled) - len(found), len(lost) - by_selection, by_selection)


def _right_has_the_lowest_energy(sample: Sample) -> bool:
    lowest = sample.get("lowest_energy")
    if lowest is None:  # a run made before this was kept: ties are what there is to go by
        return sample["choices"]["energy"]["tied"]
    right, wrong = lowest["right"], lowest["wrong"]
    return wrong is None or right <= wrong + TIE * max(1.0, abs(wrong))


def diagnose_search(results: Mapping[str, Any], samples: Sequence[Sample]) -> str:
    """One or two sentences on an evaluation, with the numbers behind them."""
    rows, puzzles = results["selectors"], results["puzzles"]
    if "energy" not in rows:
        return "No diagnosis: it needs the selector energy."
    if not puzzles["labelled"]:
        return _without_labels(puzzles)
    losses = search_losses(samples)
    energy, oracle = rows["energy"]["correct"], rows["oracle"]["correct"]
    base = f", one rollout {_share(results['base'])}" if results.get("base") else ""
    sentence = (
        f"{losses.verdict()}: of {_puzzles(losses.total)} {oracle} have a right candidate (oracle "
        f"{_share(rows['oracle'])}{base}), and the energy takes it in {energy}; lost to "
        f"generation {losses.generation}, energy {losses.energy}, selection {losses.selection}."
    )
    others = {
        label: oracle - rows[name]["correct"]
        for name, label in NETWORK_SELECTORS.items()
        if name in rows
    }
    if not any(others.values()):
        return sentence
    named = ", ".join(f"{label} {lost}" for label, lost in others.items())
    return f"{sentence} On the same candidates the network's own selectors lose: {named}."


def _without_labels(puzzles: Mapping[str, int]) -> str:
    certified, total = puzzles["certified"], puzzles["total"]
    if certified == total:
        return f"No bottleneck: each of {_puzzles(total)} has a certified answer (no labels given)."
    return (
        f"Bottleneck: generation ({ADVICE['generation']}): {total - certified} of "
        f"{_puzzles(total)} have no candidate that breaks no rule (no labels given)."
    )


def temper_losses(row: Mapping[str, Any]) -> Losses:
    """Of the labelled puzzles that were tempered with one energy."""
    visited, final = row["oracle_visited"], row["oracle_final"]
    return Losses(
        row["total"],
        row["total"] - visited["correct"],
        final["correct"] - row["correct"],
        visited["correct"] - final["correct"],
    )


def diagnose_temper(
    results: Mapping[str, Any], pool: Mapping[str, Mapping[str, Any]] | None = None
) -> str:
    """One sentence for each energy of a tempering run.

    `pool` are the selectors' rows of plain rollouts on the same puzzles: whether tempering's
    oracle is above theirs says whether sampling helps generation.
    """
    said = []
    for name, row in results["energies"].items():
        if not row["total"]:
            said.append(f"{name}: {row['valid']} of {_puzzles(results['puzzles']['total'])} valid.")
            continue
        losses = temper_losses(row)
        worst = " and ".join(losses.bottlenecks)
        said.append(
            f"{name}: {f'bottleneck {worst}' if worst else 'no bottleneck'}; right answers of "
            f"{_puzzles(losses.total)} visited {row['oracle_visited']['correct']}, in the last "
            f"pool {row['oracle_final']['correct']}, selected {row['correct']} (lost to generation "
            f"{losses.generation}, energy {losses.energy}, selection {losses.selection})"
            f"{_against_pool(row, pool)}."
        )
    return " ".join(said)


def _against_pool(row: Mapping[str, Any], pool: Mapping[str, Mapping[str, Any]] | None) -> str:
    if not pool or pool["oracle"]["total"] != row["total"]:
        return ""
    plain, sampled = pool["oracle"]["correct"], row["oracle_visited"]["correct"]
    return f"; plain rollouts have a right candidate for {plain}, tempering for {sampled}"


def _share(row: Mapping[str, Any]) -> str:
    return f"{100 * row['exact']:.1f}%"


def _puzzles(count: int) -> str:
    return f"{count} puzzle{'s' * (count != 1)}"
