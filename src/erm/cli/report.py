"""A search in words, as a table of rules, and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from erm.cli.draw import draw
from erm.progress import counted
from erm.rulebook.answers import format_answer
from erm.rulebook.energy import EnergyTerms
from erm.rulebook.rules import Rules, Violation
from erm.search.result import Result

BROKEN_SHOWN = 4
"""Broken rules that are printed; --explain prints all."""


def show(console: Console, result: Result, checkpoint: str, explain: bool = False) -> None:
    """The board, the verdict, the energy by term and what it cost."""
    marked = culprits(result.violations)
    _print(console, draw(console, result.puzzle, result.answer, marked))
    _print(console, verdict(result))
    if result.other is not None:
        _print(console, Text("another answer, with what differs marked:"))
        _print(console, draw(console, result.puzzle, result.other, result.differing, False))
    if result.answer is not None and result.violations:
        _print(console, Text(f"broken: {faults(result)}"))
    if result.energy is not None:
        _print(console, Text(energy_by_term(result.energy)))
    _print(console, Text(cost(result, checkpoint), "dim"))
    if explain:
        explain_rules(console, result)


def verdict(result: Result) -> Text:
    """The status and why."""
    puzzle = result.puzzle
    board = f"{puzzle.task} {puzzle.height}x{puzzle.width}: "
    good = result.certified
    word = (result.status, "bold green" if good else "bold red")
    return Text.assemble((board, "bold"), word, f", {_because(result)}{price(result)}")


def price(result: Result) -> str:
    """What the answer costs, and what is proved about that."""
    if result.cost is None:
        return ""
    cost = f"; cost {_number(result.cost)}"
    if result.optimal:
        return f"{cost}, optimal: no answer costs less"
    if result.bound is None:
        return f"{cost}, perhaps not the least"
    return f"{cost}, no answer costs less than {_number(result.bound)}"


def _because(result: Result) -> str:
    if result.status == "unique":
        return "no rule is broken, and there is no other answer"
    if result.status == "several":
        return f"another answer differs in {counted(len(result.differing), 'cell')}"
    if result.status == "certified":
        if result.cost is not None or result.options.mode == "full":
            return "no rule is broken"
        return "no rule is broken; not checked whether there are others"
    if result.status == "no solution":
        if result.contradiction is not None:
            return result.contradiction.sentence
        return f"all of {counted(result.guesses, 'guess', 'guesses')} and their opposites fail"
    count = len(result.candidates)
    if not count:
        return "nothing was found in time"
    best = "the one candidate" if count == 1 else f"the best of {count} candidates"
    return f"{best} breaks rules in {counted(len(result.violations), 'place')}"


def broken(violations: Iterable[Violation]) -> str:
    """The broken rules and in how many places: "row (2), box (1)"."""
    places = Counter(violation.rule for violation in violations)
    return ", ".join(f"{rule} ({count})" for rule, count in places.items())


def faults(result: Result) -> str:
    """What the answer breaks: "two 5s in row 1; two 7s in box 3 and 4 more"."""
    said = [result.in_words(violation) for violation in result.violations]
    more = f" and {len(said) - BROKEN_SHOWN} more" if len(said) > BROKEN_SHOWN else ""
    return "; ".join(said[:BROKEN_SHOWN]) + more


def culprits(violations: Iterable[Violation]) -> set[int]:
    """All cells to point at."""
    return {cell for violation in violations for cell in violation.cells}


def energy_by_term(energy: EnergyTerms) -> str:
    """The energy of one answer as the sum of its terms."""
    parts = [f"{name} {_number(value)}" for name, value in terms(energy).items()]
    return f"energy {_number(float(energy.total))} = {' + '.join(parts)}"


def cost(result: Result, checkpoint: str) -> str:
    guesses = f"{counted(result.guesses, 'guess', 'guesses')}, " if result.guesses else ""
    if result.bound is not None and result.guesses:
        guesses = f"{counted(result.guesses, 'branch', 'branches')}, "
    if result.by == "rules":
        return f"by the rules{_after(result)}, {guesses}{result.seconds:.2f} s"
    return (
        f"{counted(len(result.candidates), 'candidate')}, depth {result.depth}, {guesses}"
        f"{counted(result.evaluations, 'model evaluation')}, {result.seconds:.2f} s, "
        f"checkpoint {checkpoint}"
    )


def _after(result: Result) -> str:
    """The model evaluations before the rules found it without a network."""
    spent = result.evaluations
    return f" after {counted(spent, 'model evaluation')}" if spent else ""


def row(number: int, result: Result) -> Text:
    """One puzzle of many in one line."""
    puzzle = result.puzzle
    good = result.certified
    word = (f"{result.status:11}", "green" if good else "bold red")
    line = Text.assemble(f"{number:4} {puzzle.task} {puzzle.height}x{puzzle.width} ", word)
    if result.energy is not None:
        line.append(f" energy {_number(float(result.energy.total))},")
    line.append(
        f" by the rules{_after(result)}"
        if result.by == "rules"
        else f" {counted(result.evaluations, 'evaluation')}"
    )
    line.append(price(result))
    if result.contradiction is not None:
        return line.append(f", {result.contradiction.sentence}")
    return line.append(f", {broken(result.violations)}") if result.violations else line


def terms(energy: EnergyTerms) -> dict[str, float]:
    """Every term of one answer's energy by its rule."""
    return {name: float(value) for name, value in energy.by_rule().items()}


def runner_up(result: Result) -> int | None:
    """The candidate of lowest energy that is not the answer."""
    if result.answer is None:
        return None
    other = (result.candidates.answers != result.answer).any(-1)
    if not other.any():
        return None
    return int(np.where(other, result.candidates.energy.total, np.inf).argmin())


def as_json(result: Result, checkpoint: str, seed: int, explain: bool, url: bool) -> dict[str, Any]:
    """One result for machines; `answer` has one character per cell, row by row."""
    fields = {
        "task": result.puzzle.task,
        "puzzle": result.problem.task.format(result.puzzle),
        "height": result.puzzle.height,
        "width": result.puzzle.width,
        "status": result.status,
        "by": result.by,
        **_answer_json(result, result.answer, result.energy, result.certified),
        "cost": result.cost,
        "bound": result.bound,
        "optimal": None if result.cost is None else result.optimal,
        "improvements": [[round(at, 3), cost] for at, cost in result.improvements],
        "other": None if result.other is None else format_answer(result.other),
        "differing": list(result.differing),
        "contradiction": None if result.contradiction is None else result.contradiction.sentence,
        "guesses": result.guesses,
        "candidates": len(result.candidates),
        "depth": result.depth,
        "evaluations": result.evaluations,
        "seconds": round(result.seconds, 3),
        "checkpoint": checkpoint,
        "seed": seed,
    }
    if url:
        fields["url"] = link(result)
    if explain:
        second = runner_up(result)
        fields["runner_up"] = None if second is None else _candidate_json(result, second)
    return fields


def link(result: Result) -> str | None:
    """The solved board as an address, where puzz.link has that kind."""
    if result.answer is None:
        return None
    states = result.problem.task.to_states(result.puzzle, result.answer)
    if not result.problem.rules.in_domain(states).all():
        return None
    return result.problem.task.link(result.puzzle, result.answer)


def _candidate_json(result: Result, index: int) -> dict[str, Any]:
    pool = result.candidates
    return _answer_json(result, pool.answers[index], pool.energy[index], bool(pool.valid[index]))


def _answer_json(
    result: Result, answer: np.ndarray | None, energy: EnergyTerms | None, valid: bool
) -> dict[str, Any]:
    """An answer with its energy and what it breaks; without one, what is wrong with the clues."""
    broken = result.violations if answer is None else result.violations_of(answer)
    return {
        "answer": None if answer is None else format_answer(answer),
        "certified": valid,
        "energy": None if energy is None else float(energy.total),
        "terms": {} if energy is None else terms(energy),
        "violations": [
            {"rule": one.rule, "cells": list(one.cells), "words": result.in_words(one)}
            for one in broken
        ],
    }


class Shown(NamedTuple):
    """An answer that the table of rules has a column for."""

    answer: np.ndarray
    energy: EnergyTerms
    broken: list[Violation]


def explain_rules(console: Console, result: Result) -> None:
    """Rule by rule, where the answer and the runner-up break it and what that costs."""
    if result.answer is None or result.energy is None:
        return
    shown = {"answer": Shown(result.answer, result.energy, result.violations_of(result.answer))}
    second, pool = runner_up(result), result.candidates
    if second is not None:
        answer = pool.answers[second]
        shown["runner-up"] = Shown(answer, pool.energy[second], result.violations_of(answer))
    console.print(_rule_table(result, shown))
    if result.problem.rules.preferences:
        console.print(_price_table(result, shown))
    if len(result.improvements) > 1:
        steps = ", ".join(f"{_number(cost)} after {at:.2f} s" for at, cost in result.improvements)
        _print(console, Text(f"cost as answers were found: {steps}", "dim"))
    if second is None and len(pool):
        _print(console, Text("no other candidate gave another answer", "dim"))
    for name, one in shown.items():
        if not one.broken:
            continue
        if name != "answer":
            _print(console, Text(f"{name}, candidate {second}", "bold"))
            marked = culprits(one.broken)
            _print(console, draw(console, result.puzzle, one.answer, marked, clues_apart=False))
        for violation in one.broken:
            _print(console, Text.assemble(f"  {name}: ", (result.in_words(violation), "red")))


def _rule_table(result: Result, shown: Mapping[str, Shown]) -> Table:
    table = Table(title="rule by rule", title_justify="left", title_style="bold")
    table.add_column("rule")
    table.add_column("places", justify="right")
    for name in shown:
        table.add_column(f"{name} breaks", justify="right")
        table.add_column("energy", justify="right")
    for rule, count in places(result.problem.rules).items():
        cells = []
        for one in shown.values():
            times = sum(violation.rule == rule for violation in one.broken)
            energy = terms(one.energy).get(rule)
            cells.append(Text(str(times), "bold red" if times else "green"))
            cells.append("-" if energy is None else _number(energy))
        table.add_row(rule, str(count), *cells)
    table.add_section()
    summed = [
        text
        for one in shown.values()
        for text in (str(len(one.broken)), _number(float(one.energy.total)))
    ]
    table.add_row("all", "", *summed, style="bold")
    return table


def _price_table(result: Result, shown: Mapping[str, Shown]) -> Table:
    """Preference by preference, where the answer and the runner-up pay and how much."""
    table = Table(title="what it costs", title_justify="left", title_style="bold")
    table.add_column("preference")
    for name in shown:
        table.add_column(f"{name} pays at", justify="right")
        table.add_column("cost", justify="right")
    task, rules = result.problem.task, result.problem.rules
    states = task.to_states(result.puzzle, np.stack([one.answer for one in shown.values()]))
    paid: dict[str, list[np.ndarray]] = {}
    for one in rules.preferences:
        paid.setdefault(one.name, []).append(one.costs(states, rules.domain.shape[1]))
    for rule, costs in paid.items():
        costs = np.concatenate(costs, -1)
        numbers = zip((costs > 0).sum(-1).tolist(), costs.sum(-1).tolist(), strict=True)
        cells = [text for at, cost in numbers for text in (str(at), _number(cost))]
        table.add_row(rule, *cells)
    return table


def places(rules: Rules) -> dict[str, int]:
    """In how many places each rule is checked."""
    counts = {rules.printed: len(rules.domain)}
    for factor in rules.factors:
        counts[factor.name] = counts.get(factor.name, 0) + len(factor.scopes)
    for potential in rules.potentials:
        counts[potential.name] = counts.get(potential.name, 0) + 1
    return counts


def _number(value: float) -> str:
    """Few digits; what is 0 but for rounding is 0."""
    if abs(value) < 5e-4:
        return "0"
    return f"{value:.4g}" if abs(value) < 100 else f"{value:.2f}"


def _print(console: Console, text: Text) -> None:
    # Boards and long lines are never cut where the output is a file or a pipe.
    console.print(text, soft_wrap=not console.is_terminal, highlight=False)
