"""Guesses in the belief: a stack of tentative states, depth first, each row by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from model_boards import seeded, streams

from erm.errors import InputError
from erm.model.codec import channels_heard
from erm.model.config import ReasonerConfig
from erm.model.hints import (
    ALARMS,
    GIVEN_UP,
    Hints,
    depths,
    guess,
    hinted,
    misled,
    no_hints,
    revise,
    take_back,
)
from erm.model.inputs import collate
from erm.model.narration import narrate
from erm.model.noise import Stream
from erm.model.reasoner import Carry, Reasoner
from erm.rulebook.registry import load_task
from erm.rulebook.retrieve import channels_of
from erm.types import Puzzle

CALM, STUCK = 0.0, GIVEN_UP - 1


def marks_of(*rows: list[list[int]]) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.int16)


def test_a_guess_stands_for_its_cell_and_the_domain_is_not_touched():
    domain = torch.ones(1, 3, 3, dtype=torch.bool)
    marks = marks_of([[0, 1, 0], [-1, 0, -2], [0, 0, 0]])
    left = hinted(domain, marks)
    assert left[0].tolist() == [[False, True, False], [False, True, False], [True] * 3]
    assert domain.all()


def test_the_last_guess_is_taken_back_and_ruled_out_while_those_before_it_hold():
    marks = marks_of([[1, -1, 0], [0, 2, -2], [-3, 3, 0]])
    rows = torch.tensor([True])
    once = take_back(marks, rows)
    # The third guess becomes ruled out under two; what was ruled out under three guesses is none.
    assert once[0].tolist() == [[1, -1, 0], [0, 2, -2], [-3, -3, 0]]
    twice = take_back(once, rows)
    assert twice[0].tolist() == [[1, -1, 0], [0, -2, -2], [0, 0, 0]]
    thrice = take_back(twice, rows)
    assert thrice[0].tolist() == [[-1, -1, 0], [0, 0, 0], [0, 0, 0]]
    assert not take_back(thrice, rows).any(), "with no guess left, what was ruled out is doubted"
    assert (take_back(marks, torch.tensor([False])) == marks).all()


def marginals(domain: torch.Tensor, sharp: float = 0.5) -> torch.Tensor:
    logits = sharp * torch.randn(domain.shape, generator=seeded(1))
    return logits.masked_fill(~domain, -torch.inf).softmax(-1).nan_to_num(0.0)


def decide(hints: Hints, contradicted: bool = False, value: float = CALM, moved: float = 0.0):
    domain = hinted(torch.ones(hints.marks.shape, dtype=torch.bool), hints.marks)
    after = marginals(domain)
    left = domain & (after > 0.05)
    rows = len(hints.marks)
    return revise(
        hints,
        domain,
        left,
        after + moved,
        after,
        torch.full((rows,), contradicted),
        torch.full((rows,), value),
        torch.rand(rows, hints.marks.shape[1] + 1, generator=seeded(2)),
    )


def test_a_rollout_that_rests_guesses_and_one_that_is_contradicted_takes_back():
    hints = no_hints(torch.ones(2, 9, 3, dtype=torch.bool))
    for _ in range(2):
        before = depths(hints.marks)
        for _ in range(3):
            hints = decide(hints)
        assert (depths(hints.marks) > before).all()
    deep = depths(hints.marks)
    for _ in range(ALARMS - 1):
        waiting = decide(hints, contradicted=True)
        assert (depths(waiting.marks) == deep).all(), "one alarm is not enough"
        hints = waiting
    shallower = decide(hints, contradicted=True)
    assert (depths(shallower.marks) == deep - 1).all()
    assert not shallower.alarms.any() and not shallower.waited.any()
    assert (depths(decide(hints, value=STUCK).marks) == deep - 1).all()


def test_a_cell_without_any_state_left_is_a_contradiction():
    marks = marks_of([[1, 0], [-2, -2], [0, 0]])
    hints = Hints(marks, torch.zeros(1, dtype=torch.int16), torch.zeros(1, dtype=torch.int16))
    assert decide(hints).marks[0].tolist() == [[-1, 0], [0, 0], [0, 0]]


def test_guesses_stay_within_what_is_believed_and_exhaust_it():
    """Depth first over three cells and two states visits all eight leaves, none twice."""
    rng, seen = seeded(3), set()
    marks = no_hints(torch.ones(1, 3, 2, dtype=torch.bool)).marks
    everyone = torch.tensor([True])
    for _ in range(100):
        domain = hinted(torch.ones(1, 3, 2, dtype=torch.bool), marks)
        if not domain.any(-1).all():
            if not depths(marks).any():
                break
            marks = take_back(marks, everyone)
        elif (domain.sum(-1) == 1).all():
            leaf = tuple(domain[0].long().argmax(-1).tolist())
            assert leaf not in seen
            seen.add(leaf)
            if not depths(marks).any():
                break
            marks = take_back(marks, everyone)
        else:
            even = domain / domain.sum(-1, keepdim=True)
            marks = guess(marks, domain, even, everyone, torch.rand(1, 4, generator=rng))
    assert len(seen) == 8


def test_rows_with_wrong_guesses_or_a_refuted_answer_are_misled():
    answers = torch.tensor([[0, 1]]).repeat(4, 1)
    marks = marks_of([[1, 0], [0, 0]], [[0, 1], [0, 0]], [[-1, 0], [0, 0]], [[0, -1], [0, 2]])
    assert misled(marks, answers).tolist() == [False, True, True, False]


def sudoku(seed: int) -> Puzzle:
    rng = np.random.default_rng(seed)
    row, column = np.divmod(np.arange(16), 4)
    answer = rng.permutation(4)[(row % 2 * 2 + row // 2 + column) % 4] + 1
    digits = np.where(rng.random(16) < 0.25, answer, 0).astype(np.int8)
    return Puzzle("sudoku", 4, 4, {"digits": digits.reshape(4, 4)}).with_answer(answer)


@pytest.fixture
def guessing() -> tuple[Reasoner, list]:
    task = load_task("sudoku")
    puzzles = [sudoku(seed) for seed in range(4)]
    rules = [task.rules(puzzle) for puzzle in puzzles]
    heard = channels_of(rules, True)
    torch.manual_seed(0)
    config = ReasonerConfig(
        hidden=8, inner=8, l_cycles=1, states=4, partitions=3, interchangeable=True, lattice=False,
        hears="pruning", factors=heard.factors, potentials=heard.potentials, hints=True,
    )  # fmt: skip
    encodings = [task.encode(puzzle) for puzzle in puzzles]
    return Reasoner(config).eval(), [encodings, rules]


def rollout(reasoner: Reasoner, encodings, rules, numbers, steps: int = 12):
    inputs = collate(encodings, rules=rules)
    own = streams(numbers)
    with torch.inference_mode():
        carry = reasoner.start(inputs, Stream.next(own))
        for _ in range(steps):
            carry, prediction = reasoner.step(carry, inputs, Stream.next(own))
    return carry, prediction


def test_a_guessing_candidate_does_not_depend_on_its_batch(guessing):
    reasoner, (encodings, rules) = guessing
    carry, prediction = rollout(reasoner, encodings, rules, range(4))
    assert carry.hints is not None and carry.hints.marks.any()
    for row in range(4):
        alone, said = rollout(reasoner, [encodings[row]], [rules[row]], [row])
        assert alone.hints is not None
        assert (alone.hints.marks[0] == carry.hints.marks[row]).all()
        torch.testing.assert_close(said.logits[0], prediction.logits[row], rtol=1e-4, atol=1e-5)


def test_carries_are_cut_joined_and_overwritten_with_their_hints(guessing):
    reasoner, (encodings, rules) = guessing
    carry, _ = rollout(reasoner, encodings, rules, range(4))
    again = Carry.cat([carry[:1], carry[1:]])
    turned = carry.clone()
    turned[[0, 1]] = carry[[1, 0]]
    assert again.hints and turned.hints and carry.hints
    for own, joined, swapped in zip(carry.hints, again.hints, turned.hints, strict=True):
        assert (joined == own).all() and (swapped == own[[1, 0, 2, 3]]).all()


def test_a_narration_tells_the_rollout_it_follows(guessing):
    reasoner, (encodings, rules) = guessing
    inputs = collate(encodings[:1], rules=rules[:1])
    moments = list(narrate(reasoner, inputs, 12, *streams([0])))
    _, prediction = rollout(reasoner, encodings[:1], rules[:1], [0])
    assert [moment.step for moment in moments] == list(range(1, 13))
    told = moments[-1]
    assert told.value == pytest.approx(float(prediction.value[0]))
    assert told.advice.shape == (16, 4, len(channels_heard(reasoner.config) or ()))
    assert any(moment.guesses for moment in moments)
    said = [remark for moment in moments for remark in moment.remarks()]
    assert told.channels is not None
    assert {remark.channel for remark in said} <= set(told.channels.names)
    assert any(moment.contradicted for moment in moments) == any(
        remark.channel == "nothing left" for remark in said
    )
    assert moments[0].to_json()["step"] == 1


def test_only_structured_reasoners_guess_and_hear():
    tokens = ReasonerConfig(mixer="attention", vocabulary=5, length=4, hidden=16, heads=2)
    with pytest.raises(InputError, match="only structured reasoners guess"):
        replace(tokens, hints=True)
    with pytest.raises(InputError, match="only structured reasoners hear"):
        replace(tokens, hears="energy")
