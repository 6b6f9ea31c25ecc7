"""The roster: its rulebook against CP-SAT, which is written from the givens alone."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from ortools.sat.python import cp_model

import erm
from erm.cli.main import main
from erm.evaluate.results import tally
from erm.evaluate.sample import choice_sample
from erm.formats.dataset import load_dataset, save_dataset
from erm.rulebook.registry import include
from erm.search.labels import right_answers
from erm.search.problem import Problem
from erm.search.select import Choice
from erm.search.solver import without_network

FOLDER = Path(__file__).parents[2] / "examples" / "roster"
EARLY, LATE, NIGHT = 1, 2, 3


@pytest.fixture
def drawn():
    include(FOLDER)
    generator = erm.load_task("roster").generator()
    assert generator is not None
    return sys.modules[generator.__module__].drawn


def cheapest(puzzle) -> float | None:
    """The optimum by CP-SAT; None where there is no roster."""
    need, leads, nights, marks = (
        puzzle.givens[name].tolist() for name in ("need", "leads", "nights", "marks")
    )
    people, days = range(puzzle.height), range(puzzle.width)
    model = cp_model.CpModel()
    x = {(p, d, s): model.new_bool_var("") for p in people for d in days for s in range(4)}
    costs = []
    for p in people:
        for d in days:
            model.add_exactly_one(x[p, d, s] for s in range(4))
            mark = marks[p][d]
            if mark == 9:
                model.add(x[p, d, 0] == 1)
            elif mark < 8:
                costs.append((3 if mark > 3 else 1) * (1 - x[p, d, mark % 4]))
            if not nights[p]:
                model.add(x[p, d, NIGHT] == 0)
            if d + 1 < len(days):
                model.add(x[p, d, NIGHT] + x[p, d + 1, EARLY] + x[p, d + 1, LATE] <= 1)
                model.add(x[p, d, LATE] + x[p, d + 1, EARLY] <= 1)
            if d + 6 <= len(days):
                model.add(sum(x[p, e, 0] for e in range(d, d + 6)) >= 1)
    for d in days:
        for s in (EARLY, LATE, NIGHT):
            model.add(sum(x[p, d, s] for p in people) == need[d][s - 1])
            if need[d][s - 1]:
                model.add(sum(x[p, d, s] for p in people if leads[p]) >= 1)

    def uneven(shifts: int, sharing: list[int], states: tuple[int, ...]) -> None:
        for p in sharing:
            own = sum(x[p, d, s] for d in days for s in states)
            off = model.new_int_var(0, len(days), "")
            model.add(off >= own + -shifts // len(sharing))
            model.add(off >= shifts // len(sharing) - own)
            costs.append(2 * off)

    uneven(sum(map(sum, need)), list(people), (EARLY, LATE, NIGHT))
    uneven(sum(day[2] for day in need), [p for p in people if nights[p]], (NIGHT,))
    model.minimize(sum(costs))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    # One worker without linear programming takes minutes for a dozen people.
    solver.parameters.linearization_level = 2
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return None
    assert status == cp_model.OPTIMAL
    return solver.objective_value


@pytest.mark.parametrize(("people", "days", "seed"), [(12, 14, 1), (7, 7, 0)])
def test_the_optimum_is_that_of_cp_sat(drawn, people, days, seed):
    puzzle = drawn(people, days, np.random.default_rng(seed))
    result = erm.solve("roster", puzzle)
    assert result.optimal and result.certified and result.status == "certified"
    assert result.cost == result.bound == cheapest(puzzle)
    costs = [cost for _, cost in result.improvements]
    assert costs == sorted(costs, reverse=True) and costs[-1] == result.cost


def test_small_rosters_agree_with_cp_sat_also_where_there_is_none(drawn):
    found = {True: 0, False: 0}
    for seed in range(8):
        puzzle = drawn(3 + seed % 3, 6, np.random.default_rng(seed))
        result, expected = erm.solve("roster", puzzle), cheapest(puzzle)
        assert (result.status == "no solution") == (expected is None)
        assert result.cost == expected
        found[result.optimal] += 1
    assert found[True] and found[False]


def test_text_there_and_back(drawn):
    task = erm.load_task("roster")
    puzzle = drawn(6, 7, np.random.default_rng(5))
    again = task.parse(task.format(puzzle))
    assert all((again.givens[name] == puzzle.givens[name]).all() for name in puzzle.givens)
    with pytest.raises(erm.InputError, match="person 2"):
        task.parse("need 111 111 111 111 111 111 | sn ...... | s ..x...")


def test_the_commands_say_certificate_and_optimality_apart(drawn, tmp_path, capsys):
    puzzle = drawn(7, 7, np.random.default_rng(0))
    save_dataset([puzzle], tmp_path / "rosters.jsonl")
    assert load_dataset(tmp_path / "rosters.jsonl").puzzles[0].shape == (7, 7)
    arguments = ["solve", str(tmp_path / "rosters.jsonl"), "--include", str(FOLDER)]
    assert main([*arguments, "--explain"]) == 0
    said = capsys.readouterr().out
    assert "certified, no rule is broken; cost" in said and "optimal: no answer costs less" in said
    assert "what it costs" in said and "wishes" in said
    assert main([*arguments, "--json"]) == 0
    fields = json.loads(capsys.readouterr().out)
    assert fields["certified"] and fields["optimal"] and fields["cost"] == fields["bound"]


def test_better_answers_come_as_they_are_found_and_a_short_search_says_what_it_knows(drawn):
    puzzle = drawn(12, 14, np.random.default_rng(2))
    solver = without_network("roster")
    results = list(solver.search(puzzle))
    costs = [result.cost for result in results if result.certified and result.cost is not None]
    assert len(set(costs)) > 1 and costs == sorted(costs, reverse=True)
    assert all(result.bound <= costs[-1] for result in results if result.bound is not None)
    first = next(result for result in results if result.certified)
    assert first.bound is not None and first.cost is not None
    assert not first.optimal and first.bound <= costs[-1] < first.cost
    short = erm.solve("roster", puzzle, depth=1, width=1)
    assert short.ended in ("budget", "certified") and not short.optimal
    assert short.bound is not None and short.bound <= costs[-1]


def test_right_is_what_breaks_no_rule_and_costs_no_more_than_the_label(drawn):
    puzzle = drawn(6, 7, np.random.default_rng(1))
    found = {one.cost: one.answer for one in without_network("roster").search(puzzle)}
    least, dearest = min(found), max(found)
    problem = Problem(erm.load_task("roster"), puzzle.with_answer(found[least]))
    answers = np.stack([found[dearest], found[least], np.zeros_like(found[least])])
    assert right_answers(problem, answers).tolist() == [False, True, False]
    kept = [choice_sample(problem, Choice(one, 0, 0.0, False)) for one in answers]
    assert [one["valid"] for one in kept] == [True, True, False]
    assert [one["above"] for one in kept] == [dearest - least, 0.0, None]
    assert tally(kept)["above"] == (dearest - least) / 2 and tally(kept)["correct"] == 1


def test_training_with_advice_and_evaluation_with_prices(drawn, tmp_path, capsys):
    rosters = [drawn(5, 6, np.random.default_rng(seed)) for seed in range(12)]
    solved = [erm.solve("roster", one) for one in rosters]
    labelled = [one.puzzle.with_answer(one.answer) for one in solved if one.optimal][:3]
    assert len(labelled) == 3
    save_dataset(labelled, tmp_path / "rosters.jsonl")
    shared = ["--include", str(FOLDER)]
    train = ["train", "cpu/roster", "--data", str(tmp_path / "rosters.jsonl"), "--out"]
    sizes = ["--steps", "2", "--batch", "2", "--hidden", "8", "--inner", "8", "--no-compile"]
    sizes += ["--advice", "propagation"]
    assert main([*train, str(tmp_path / "run"), *sizes, *shared]) == 0
    config = json.loads((tmp_path / "run" / "checkpoint" / "config.json").read_text())
    assert config["preferences"] == ["even nights", "even work", "wishes"]
    # Whatever the network knows, the rules go on to the cheapest answer.
    result = erm.load(tmp_path / "run" / "checkpoint").solve(labelled[0], depth=8, width=8)
    assert result.optimal and result.cost == erm.load_task("roster").cost(
        labelled[0], labelled[0].answer
    )
    evaluate = ["evaluate", str(tmp_path / "run" / "checkpoint"), str(tmp_path / "rosters.jsonl")]
    search = ["--depth", "12", "--width", "4", "--json", "--quiet"]
    capsys.readouterr()
    assert main([*evaluate, *search, "--out", str(tmp_path / "report"), *shared]) == 0
    rows = json.loads(capsys.readouterr().out)["selectors"]
    assert rows["oracle"]["total"] == 3 and rows["oracle"]["valid"] >= rows["energy"]["valid"]
