"""Every run of the study, with the settings of whoever published it, scaled to the budget."""

from __future__ import annotations

from erm.reproduce.backbones import MIXERS, TRANSFORMER
from erm.reproduce.paper import printed
from erm.reproduce.sources import SUITES
from erm.reproduce.study import SEED, Runs, Study
from erm.search.guide import GuideName
from erm.search.options import SearchOptions
from erm.search.temper import TemperOptions

ENERGIES = ("qhead", "confidence", "energy")
"""What the paper tempers with."""
OWN_SIGMA = 0.1
"""Noise that suits structured backbones."""
WEIGHTS = {"sudoku": 1.0, "maze": 1.0, "ppbench": 0.22, "wild": 0.35, "maze-large": 0.6}
"""Shares of a time-boxed budget, of one task of a suite."""


def shared(study: Study, suite: str) -> Runs:
    """K candidates to depth D, every selector on the same pool, a look after every step."""
    budget = study.budget
    options = SearchOptions(budget.depth, budget.width, "full", SEED, trace=True)
    return {
        task: study.run("full", suite, task, options, weight=6 * WEIGHTS[suite])
        for task in SUITES[suite]
    }


def shallow(study: Study) -> Runs:
    """The same on Maze at the paper's D = 16."""
    options = SearchOptions(study.budget.shallow, study.budget.width, "full", SEED)
    return {"maze": study.run("shallow", "maze", "maze", options, weight=2)}


def tempered(study: Study, suite: str) -> Runs:
    """Parallel tempering with each of the three energies, D x K as above."""
    options = _ladders(study, study.budget.width, study.budget.rungs)
    more = {"energies": ENERGIES, "weight": 6 * WEIGHTS[suite]}
    return {task: study.run("temper", suite, task, options, **more) for task in SUITES[suite]}


def adaptive(study: Study, suite: str) -> Runs:
    """Certified search: stops at the first candidate that breaks no rule."""
    return _certified(study, suite, "adaptive", "none", share=1)


def guided(study: Study, suite: str) -> Runs:
    """Certified search whose candidates commit guesses and share refutations, where the
    checkpoint can guess."""
    return _certified(study, suite, "guided", None, share=3)


def _certified(study: Study, suite: str, kind: str, guide: GuideName | None, share: float) -> Runs:
    budget = study.budget
    options = SearchOptions(budget.adaptive_depth, budget.adaptive_width, "adaptive", SEED)
    more = {"guide": guide, "weight": share * WEIGHTS[suite]}
    return {task: study.run(kind, suite, task, options, **more) for task in SUITES[suite]}


def trm(study: Study, suite: str) -> Runs:
    """One rollout from a fixed start without noise."""
    depth = min(printed.TRM_DEPTH, study.budget.depth)
    options = SearchOptions(depth, 1, "full", SEED)
    more = {"fixed_start": True, "weight": 0.2 * WEIGHTS[suite]}
    return {task: study.run("trm", suite, task, options, **more) for task in SUITES[suite]}


def sigmas(study: Study, suite: str) -> tuple[float, ...]:
    """PTRM's published noise, and our own where the budget allows."""
    published = printed.PTRM[suite].sigma
    return (published, OWN_SIGMA) if study.budget.own_sigma else (published,)


def ptrm(study: Study, suite: str, sigma: float) -> Runs:
    """K rollouts from one start that differ by the noise before each step."""
    budget = study.budget
    depth = min(printed.PTRM[suite].depth, budget.depth)
    width = min(printed.PTRM_WIDTH, budget.width)
    options = SearchOptions(depth, width, "full", SEED, sigma=sigma)
    more = {"fixed_start": True, "weight": 1.0 * WEIGHTS[suite]}
    kind = f"ptrm-{sigma:g}"
    return {task: study.run(kind, suite, task, options, **more) for task in SUITES[suite]}


def transformer(study: Study) -> Runs:
    """EqR+ET at its own K, and the other small networks trained on the same data."""
    width = min(printed.TRANSFORMER_WIDTH, study.budget.width)
    options = SearchOptions(study.budget.depth, width, "full", SEED)
    return {
        role: study.run("full", "sudoku", "sudoku", options, role=role, weight=1) for role in MIXERS
    }


def transformer_tempered(study: Study) -> Runs:
    """One ladder of K replicas, with the energy of the appendix and with that of the text."""
    width = min(printed.TRANSFORMER_WIDTH, study.budget.width)
    options = _ladders(study, width, width)
    more = {"role": TRANSFORMER, "energies": ("confidence", "energy"), "weight": 1}
    return {TRANSFORMER: study.run("temper", "sudoku", "sudoku", options, **more)}


def _ladders(study: Study, width: int, rungs: int) -> TemperOptions:
    return TemperOptions(study.budget.depth, width // rungs, rungs, seed=SEED)
