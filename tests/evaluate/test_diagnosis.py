"""The diagnosis against samples whose losses are counted by hand."""

from erm.evaluate.diagnosis import diagnose_search, diagnose_temper, search_losses
from erm.evaluate.results import summarise_search, tally


def sample(index, found, taken, right=1.0, wrong=2.0, **others):
    """One puzzle: whether a candidate is right, whether the energy took it, lowest energies."""
    marks = {name: {"correct": value, "token": 1.0} for name, value in others.items()}
    return {
        "index": index,
        "task": "sudoku",
        "shape": [9, 9],
        "depth": 4,
        "evaluations": 4,
        "certified": taken,
        "choices": {"energy": {"correct": taken, "token": 1.0, "tied": False}, **marks},
        "oracle": {"correct": found, "token": 1.0},
        "lowest_energy": {"right": right if found else None, "wrong": wrong},
    }


def diagnosis(samples):
    return diagnose_search(summarise_search(samples), samples)


def test_losses_are_told_apart():
    samples = [
        sample(0, True, True),
        sample(1, False, False),
        sample(2, True, False, right=3.0, wrong=2.0),
        sample(3, True, False, right=3.0, wrong=2.5),
        sample(4, True, False, right=2.0, wrong=2.0),
    ]
    losses = search_losses(samples)
    assert (losses.total, losses.generation, losses.energy, losses.selection) == (5, 1, 2, 1)
    assert losses.bottlenecks == ["energy"]
    assert search_losses(samples[:3]).bottlenecks == ["generation", "energy"]
    said = diagnosis(samples)
    assert said.startswith("Bottleneck: energy")
    assert "4 have a right candidate (oracle 80.0%)" in said
    assert "generation 1, energy 2, selection 1" in said


def test_generation_is_named_with_what_the_networks_own_selectors_lose():
    samples = [
        sample(0, True, True, qhead=False, majority=True) | {"candidates": 4, "right": 3},
        sample(1, False, False, qhead=False, majority=False) | {"candidates": 4, "right": 0},
        sample(2, False, False, qhead=False, majority=False) | {"candidates": 4, "right": 0},
    ]
    said = diagnosis(samples)
    assert said.startswith("Bottleneck: generation")
    assert "oracle 33.3%, one rollout 25.0%" in said
    assert said.endswith("the network's own selectors lose: majority 0, q-head 1.")


def test_nothing_lost_is_no_bottleneck():
    assert diagnosis([sample(0, True, True)]).startswith("No bottleneck: of 1 puzzle 1 have")


def test_without_labels_the_certificate_counts():
    samples = [sample(0, True, True), sample(1, True, False)]
    for one in samples:
        del one["oracle"], one["lowest_energy"]
        del one["choices"]["energy"]["correct"]
    said = diagnosis(samples)
    assert said.startswith("Bottleneck: generation") and "1 of 2 puzzles" in said


def test_tempering_is_diagnosed_by_what_it_visited():
    def counted(correct):
        return tally({"correct": index < correct, "token": 1.0} for index in range(10))

    row = {**counted(5), "oracle_final": counted(6), "oracle_visited": counted(9), "valid": 5}
    results = {"energies": {"energy": row}, "puzzles": {"total": 10}}
    said = diagnose_temper(results)
    assert said.startswith("energy: bottleneck selection; right answers of 10 puzzles visited 9")
    assert "generation 1, energy 1, selection 3" in said
    compared = diagnose_temper(results, {"oracle": counted(7)})
    assert "plain rollouts have a right candidate for 7, tempering for 9" in compared
