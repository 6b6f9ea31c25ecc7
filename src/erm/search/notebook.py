"""What notebooks show of results, pools and solvers: boards, verdict, energies, candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from erm.drawing.board import board_html
from erm.progress import counted
from erm.rulebook.energy import EnergyTerms

if TYPE_CHECKING:
    from erm.search.pool import CandidatePool
    from erm.search.result import Result
    from erm.search.solver import Solver

SHOWN = 6
"""Distinct answers of a pool that are drawn, those of lowest energy."""
THUMBNAIL = 120
GOOD, BAD = "#2f855a", "#d64545"


def result_line(result: Result) -> str:
    """A result in one line."""
    puzzle = result.puzzle
    energy = "" if result.energy is None else f", energy {_number(result.energy.total)}"
    return (
        f"{puzzle.task} {puzzle.height}x{puzzle.width}: {result.status} by {result.by}{energy}, "
        f"{counted(result.evaluations, 'evaluation')}, {result.seconds:.2f} s"
    )


def pool_line(pool: CandidatePool) -> str:
    """A pool in one line."""
    if pool.answers.ndim > 2:
        depths, count = pool.answers.shape[:2]
        return f"{pool.task}: {counted(count, 'candidate')} after each of {depths} steps"
    if not len(pool):
        return f"{pool.task}: no candidates"
    distinct = len(np.unique(pool.answers, axis=0))
    low, high = float(pool.energy.total.min()), float(pool.energy.total.max())
    return (
        f"{pool.task}: {counted(len(pool), 'candidate')}, {counted(distinct, 'answer')}, "
        f"{int(pool.valid.sum())} certified, energy {_number(low)} to {_number(high)}"
    )


def solver_line(solver: Solver) -> str:
    """A solver in one line."""
    if not solver.has_network:
        return f"{', '.join(solver.tasks)}: rules, no network"
    return (
        f"{', '.join(solver.tasks)}: {solver.reasoner.kind}, "
        f"{solver.reasoner.parameter_count:,} parameters, advice {solver.card['advice']}"
    )


def result_html(result: Result) -> str:
    """The board with what is broken marked, the verdict, the energy by term, the candidates."""
    marked = {cell for violation in result.violations for cell in violation.cells}
    task = result.problem.task
    parts = [board_html(task, result.puzzle, result.answer, marked)]
    good = result.certified
    said = escape(result_line(result).partition(f"{result.status} ")[2])
    words = f'<b style="color:{GOOD if good else BAD}">{escape(result.status)}</b> {said}'
    if result.contradiction is not None:
        words += f"; {escape(result.contradiction.sentence)}"
    elif result.violations:
        broken = Counter(violation.rule for violation in result.violations)
        words += "; broken: " + escape(", ".join(f"{rule} ({n})" for rule, n in broken.items()))
    parts.append(f"<div>{words}</div>")
    if result.energy is not None:
        parts.append(_terms(result.energy))
    if len(result.candidates) > 1:
        parts.append(pool_html(result.candidates))
    return _framed(parts)


def pool_html(pool: CandidatePool) -> str:
    """The distinct answers of lowest energy, drawn where the pool knows its puzzle."""
    line = f"<div>{escape(pool_line(pool))}</div>"
    if pool.answers.ndim > 2 or not len(pool):
        return line
    _, first, counts = np.unique(pool.answers, axis=0, return_index=True, return_counts=True)
    order = np.argsort(pool.energy.total[first], kind="stable")[:SHOWN]
    heads = [_thumbnail(pool, int(first[at])) for at in order]
    rows = [
        ("candidates", [str(counts[at]) for at in order]),
        ("energy", [_number(pool.energy.total[first[at]]) for at in order]),
        ("q", [f"{pool.q[first[at]]:.3g}" for at in order]),
        ("breaks no rule", ["yes" if pool.valid[first[at]] else "no" for at in order]),
    ]
    left = len(first) - len(order)
    more = f"<div>and {counted(left, 'other answer')}</div>" if left else ""
    return line + _table(heads, rows) + more


def solver_html(solver: Solver) -> str:
    """What a checkpoint is, and how good its card says that it is."""
    rows = []
    for entry in solver.card.get("accuracy") or []:
        correct, total = entry.get("correct"), entry.get("total")
        if isinstance(correct, int) and isinstance(total, int):
            what = ", ".join(str(entry[key]) for key in ("data", "how") if entry.get(key))
            rows.append((what, [f"{correct}/{total}"]))
    line = f"<div>{escape(solver_line(solver))}</div>"
    return _framed([line, _table([], rows) if rows else ""])


def _thumbnail(pool: CandidatePool, index: int) -> str:
    """A candidate's board with what it breaks marked, or its number."""
    if pool.problem is None:
        return f"candidate {index}"
    problem = pool.problem
    broken = problem.rules.violations(pool.states[index])
    marked = {cell for violation in broken for cell in violation.cells}
    return board_html(problem.task, problem.puzzle, pool.answers[index], marked, THUMBNAIL)


def _terms(energy: EnergyTerms) -> str:
    rows = [(name, [_number(value)]) for name, value in energy.by_rule().items()]
    return _table([], [("energy", [_number(energy.total)]), *rows])


def _number(value: Any) -> str:
    """Few digits; what is 0 but for rounding is 0."""
    return "0" if abs(float(value)) < 5e-4 else f"{float(value):.4g}"


def _table(heads: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    top = "".join(f"<th style='text-align:center'>{head}</th>" for head in heads)
    body = "".join(
        f"<tr><td style='text-align:left'>{escape(name)}</td>"
        + "".join(f"<td style='text-align:center'>{escape(value)}</td>" for value in values)
        + "</tr>"
        for name, values in rows
    )
    return f"<table>{f'<tr><th></th>{top}</tr>' if heads else ''}{body}</table>"


def _framed(parts: Sequence[str]) -> str:
    return f'<div style="display:inline-block">{"".join(parts)}</div>'
