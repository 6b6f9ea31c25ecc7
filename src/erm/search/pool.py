"""The candidate pool: all that selectors may read of a puzzle's rollouts, saved as one npz."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from erm.errors import InputError
from erm.files import atomic
from erm.limits import LIMITS
from erm.npy_file import load_all
from erm.rulebook.answers import format_answer, parse_answer
from erm.rulebook.energy import EnergyTerms, mean_confidence, rules_energy
from erm.rulebook.registry import load_task
from erm.rulebook.task import Task
from erm.search import notebook
from erm.search.problem import Problem
from erm.types import Puzzle

if TYPE_CHECKING:
    import pandas

    from erm.rulebook.rules import Rules

_ARRAYS = "answers", "q", "confidence", "residual", "valid", "steps"
_KINDS = {"answers": "iu", "steps": "iu", "valid": "b"}
"""numpy's letters for the type of an array; all others are floating point."""


@dataclass(frozen=True, eq=False, repr=False)
class CandidatePool:
    """Y(x) of the paper: K candidates for one puzzle; a leading D axis where it is a trace."""

    task: str
    answers: Int[np.ndarray, "*d K n"]
    """In the task's own states, one per cell, row-major."""
    q: Float[np.ndarray, "*d K"]
    """Halting logits."""
    confidence: Float[np.ndarray, "*d K"]
    """Mean largest log-probability over the cells that no clue fixes."""
    residual: Float[np.ndarray, "*d K"]
    """Root-mean-square change of z_H, averaged over the last three steps."""
    valid: Bool[np.ndarray, "*d K"]
    """Which candidates break no rule: each is a certificate."""
    steps: Int[np.ndarray, "*d K"]
    """How deep each candidate is."""
    energy: EnergyTerms
    """E(y_k; x) of Eq. 3 with its terms."""
    scores: Mapping[str, Float[np.ndarray, "*d K"]] = field(default_factory=dict)
    """Further scores: `convergence`, the change of the logits over the last three steps (EqR);
    `et`, the energy transformer's own energy."""
    log_probs: Float[np.ndarray, "*d K n S"] | None = None
    """The model's log-probabilities of states, where they were asked for."""
    trace: CandidatePool | None = None
    """The same pool after every step, with a leading D axis, where it was asked for."""
    problem: Problem | None = None
    """Whose candidates they are; not saved, see `of`."""

    def __post_init__(self) -> None:
        lead = self.answers.shape[:-1]
        named = {name: getattr(self, name) for name in _ARRAYS[1:]} | {
            "energy": self.energy.total,
            **self.energy.factors,
            **self.energy.potentials,
            **self.energy.preferences,
            **self.scores,
        }
        if self.log_probs is not None and self.log_probs.shape[:-1] != self.answers.shape:
            raise InputError(f"log-probabilities of the shape {self.log_probs.shape} fit no answer")
        for name, array in named.items():
            if array.shape != lead:
                raise InputError(
                    f"a pool of {lead} candidates needs {name} of that shape, got {array.shape}"
                )

    @classmethod
    def from_answers(
        cls,
        task: str | Task,
        puzzle: Puzzle | str,
        answers: Sequence[Any] | np.ndarray,
        log_probs: Any = None,
        q: Any = None,
        confidence: Any = None,
        steps: Any = None,
    ) -> CandidatePool:
        """The pool of answers that any program gave: validity and energies are computed.

        An answer is one state a cell, as a text (`erm solve --json`), a list or an array.
        `log_probs` [K, n, S] are for soft energies (Eq. 6), and the confidence is computed from
        them where none is given. Scores [K] that are not given are 0, and there is no residual.
        """
        known = load_task(task) if isinstance(task, str) else task
        puzzle = known.parse(puzzle) if isinstance(puzzle, str) else puzzle
        problem = Problem(known, puzzle)
        states = known.to_states(puzzle, _as_array(answers, puzzle.cells))
        if states.ndim != 2:
            raise InputError(f"answers are a list of answers, got shape {states.shape}")
        width, (cells, count) = len(states), problem.rules.domain.shape
        soft = None
        if log_probs is not None:
            log_probs = _numbers("log-probabilities", log_probs, (width, cells, count))
            soft = torch.from_numpy(log_probs.astype(np.float32))
            if confidence is None:
                domain = problem.rules.domain[None]
                confidence = mean_confidence(soft[None].double(), domain)[0]
        given = {"q": q, "confidence": confidence, "steps": steps}
        scores = {
            name: np.zeros(width) if value is None else _numbers(name, value, (width,))
            for name, value in given.items()
        }
        return cls(
            task=known.name,
            answers=known.to_answer(states),
            q=scores["q"],
            confidence=scores["confidence"],
            residual=np.full(width, np.inf),
            valid=problem.rules.is_valid(states),
            steps=scores["steps"].astype(np.int64),
            energy=rules_energy(problem.rules, states, known.settings, soft),
            log_probs=None if soft is None else soft.numpy(),
            problem=problem,
        )

    def to_dataframe(self) -> pandas.DataFrame:
        """One row a candidate: its answer, scores and energy, and a column for each rule's term.

        Needs pandas.
        """
        try:
            import pandas
        except ImportError:
            raise InputError("a data frame needs pandas: pip install pandas") from None
        if self.answers.ndim != 2:
            raise InputError("a trace is no table; take the pool of one depth, pool.at(depth)")
        columns: dict[str, Any] = {
            "task": self.task,
            "candidate": np.arange(len(self)),
            "answer": [format_answer(answer) for answer in self.answers],
            **{name: getattr(self, name) for name in _ARRAYS[1:]},
            **self.scores,
            "energy": self.energy.total,
            **{f"energy_{rule}": term for rule, term in self.energy.by_rule().items()},
        }
        return pandas.DataFrame(columns)

    def __repr__(self) -> str:
        return f"<CandidatePool {notebook.pool_line(self)}>"

    def _repr_html_(self) -> str:
        return notebook.pool_html(self)

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle, for selectors that look at what is printed. Its answer is not for them."""
        return self._problem().puzzle

    @property
    def rules(self) -> Rules:
        """The rulebook of the puzzle: factors, potentials, domain."""
        return self._problem().rules

    @property
    def states(self) -> Int[np.ndarray, "*d K n"]:
        """The answers as states that count from 0, as `rules` reads them."""
        problem = self._problem()
        return problem.task.to_states(problem.puzzle, self.answers)

    def _problem(self) -> Problem:
        if self.problem is None:
            raise InputError(
                "this pool does not know its puzzle, because it was loaded or made by hand; "
                "pool.of(problem) tells it, as in erm.load('sudoku').problem(puzzle)"
            )
        return self.problem

    def of(self, problem: Problem) -> CandidatePool:
        """The pool with the puzzle that its candidates are for."""
        trace = None if self.trace is None else replace(self.trace, problem=problem)
        return replace(self, problem=problem, trace=trace)

    def __len__(self) -> int:
        """K, the number of candidates."""
        return self.answers.shape[-2]

    def __getitem__(self, index) -> CandidatePool:
        """A part of the candidates (or, of a trace, of the depths)."""
        return replace(
            self,
            **{name: getattr(self, name)[index] for name in _ARRAYS},
            energy=self.energy[index],
            scores={name: score[index] for name, score in self.scores.items()},
            log_probs=None if self.log_probs is None else self.log_probs[index],
            trace=None,
        )

    def at(self, depth: int) -> CandidatePool:
        """The pool as it was after `depth` steps."""
        if self.trace is None:
            raise InputError("this pool was made without a trace; ask for one to look at depths")
        if not 1 <= depth <= len(self.trace.answers):
            raise InputError(f"depth must be 1 to {len(self.trace.answers)}, got {depth}")
        return self.trace[depth - 1]

    def save(self, path: str | Path) -> None:
        """Write everything as one npz without pickles."""
        arrays = {"task": np.array(self.task), **self._arrays("")}
        if self.trace is not None:
            arrays |= self.trace._arrays("trace/")
        with atomic(path) as temporary, open(temporary, "wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> CandidatePool:
        """Read what `save` wrote; anything else is an InputError."""
        path = Path(path)
        if not path.is_file():
            raise InputError(f"there is no pool {path}")
        try:
            arrays = load_all(path, LIMITS.pool_bytes)
            name = arrays.pop("task")
            if name.ndim or name.dtype.kind != "U":
                raise InputError("its task is no name")
            _check_kinds(arrays)
            pool = cls._from_arrays(str(name), arrays, "")
            if pool.answers.ndim != 2:
                raise InputError(f"its answers have the shape {pool.answers.shape}")
            if "trace/answers" in arrays:
                trace = cls._from_arrays(str(name), arrays, "trace/")
                if trace.answers.shape[1:] != pool.answers.shape:
                    raise InputError(f"its trace has the shape {trace.answers.shape}")
                pool = replace(pool, trace=trace)
        except KeyError as error:
            raise InputError(f"{path} is not a candidate pool: it lacks {error}") from None
        except InputError as error:
            raise InputError(f"{path} is not a candidate pool: {error}") from None
        return pool

    def _arrays(self, prefix: str) -> dict[str, np.ndarray]:
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        arrays["energy"] = self.energy.total
        for kind in ("factors", "potentials", "preferences"):
            terms = getattr(self.energy, kind)
            arrays |= {f"{kind}/{name}": value for name, value in terms.items()}
        arrays |= {f"scores/{name}": value for name, value in self.scores.items()}
        if self.log_probs is not None:
            arrays["log_probs"] = self.log_probs
        return {prefix + name: value for name, value in arrays.items()}

    @classmethod
    def _from_arrays(
        cls, task: str, arrays: Mapping[str, np.ndarray], prefix: str
    ) -> CandidatePool:
        def group(kind: str) -> dict[str, np.ndarray]:
            start = f"{prefix}{kind}/"
            return {
                name.removeprefix(start): value
                for name, value in arrays.items()
                if name.startswith(start)
            }

        energy = EnergyTerms(
            arrays[prefix + "energy"],
            group("factors"),
            group("potentials"),
            preferences=group("preferences"),
        )
        return cls(
            task=task,
            answers=arrays[prefix + "answers"],
            q=arrays[prefix + "q"],
            confidence=arrays[prefix + "confidence"],
            residual=arrays[prefix + "residual"],
            valid=arrays[prefix + "valid"],
            steps=arrays[prefix + "steps"],
            energy=energy,
            scores=group("scores"),
            log_probs=arrays.get(prefix + "log_probs"),
        )


def _check_kinds(arrays: Mapping[str, np.ndarray]) -> None:
    for name, array in arrays.items():
        own = name.removeprefix("trace/")
        if array.dtype.kind not in _KINDS.get(own, "f"):
            raise InputError(f"its {name[:40]} cannot be {array.dtype}")
        if own == "energy" and np.isnan(array).any():
            raise InputError(f"its {name} is not a number for some candidate")


def _as_array(answers: Sequence[Any] | np.ndarray, cells: int) -> np.ndarray:
    """Answers, some of which may be texts, as one array [K, n]."""
    if isinstance(answers, np.ndarray):
        return answers
    rows = []
    for place, one in enumerate(answers):
        try:
            row = parse_answer(one, cells) if isinstance(one, str) else np.asarray(one)
        except ValueError as error:  # an InputError, or numpy's of lists that differ in length
            reason = f": {error}" if isinstance(error, InputError) else ""
            raise InputError(f"answer {place + 1} is not one state a cell{reason}") from None
        if row.shape != (cells,) or row.dtype.kind not in "iu":
            raise InputError(f"answer {place + 1} must be {cells} whole numbers, one a cell")
        rows.append(row)
    return np.stack(rows) if rows else np.zeros((0, cells), np.int8)


def _numbers(name: str, values: Any, shape: tuple[int, ...]) -> np.ndarray:
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be numbers of the shape {shape}") from None
    if array.shape != shape or np.isnan(array).any():
        raise InputError(f"{name} must be numbers of the shape {shape}, got {array.shape}")
    return array


def stack_pools(pools: Sequence[CandidatePool]) -> CandidatePool:
    """Pools of the same candidates after successive steps as one trace."""
    return _combine(pools, np.stack)


def concatenate_pools(pools: Sequence[CandidatePool]) -> CandidatePool:
    """The candidates of several pools of one puzzle in one."""
    return _combine(pools, np.concatenate)


def _combine(
    pools: Sequence[CandidatePool], join: Callable[[list[np.ndarray]], np.ndarray]
) -> CandidatePool:
    first = pools[0]
    energies = [pool.energy for pool in pools]

    def joined(kind: str) -> dict[str, np.ndarray]:
        names = getattr(first.energy, kind)
        return {name: join([getattr(one, kind)[name] for one in energies]) for name in names}

    energy = EnergyTerms(
        join([one.total for one in energies]),
        joined("factors"),
        joined("potentials"),
        preferences=joined("preferences"),
    )
    return replace(
        first,
        **{name: join([getattr(pool, name) for pool in pools]) for name in _ARRAYS},
        energy=energy,
        scores={name: join([pool.scores[name] for pool in pools]) for name in first.scores},
        log_probs=None,
        trace=None,
    )
