"""Tentative guesses of a rollout: written into its belief, taken back when they contradict it.

The board's domain is not touched. A rollout whose marginals have come to rest guesses one state of
the cell with the fewest plausible ones and goes on as if it were so. Where the rulebook makes no
sense of such a belief, or the network's value says so, the last guess is taken back and remembered
as ruled out for as long as the guesses before it hold: depth first, each candidate by itself,
within its D steps.

Marks [B, n, S] keep all of that: l > 0 is the l-th guess, -(l + 1) a state that was ruled out while
l guesses held, 0 an open one.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from erm.model.layers import Draw
from erm.model.marginals import branching_cells, guessed_states
from erm.model.noise import Draws, Purpose

REST = 0.1
"""Marginals that change by less than this in a step have come to rest."""
SOON, LATE = 0, 1
"""Steps after its last decision at which a rollout that rests guesses, or one that does not."""
ALARMS = 2
"""Steps in a row that the rulebook must contradict before a guess is taken back: right after a
decision the belief is still that of before."""
GIVEN_UP = -2.0
"""The value's logit below which a rollout takes back its last guess at once."""

Marks = Int[Tensor, "B n S"]


class Hints(NamedTuple):
    """A rollout's guesses, and what it is waiting for."""

    marks: Marks
    waited: Int[Tensor, " B"]
    """Steps since the marks changed."""
    alarms: Int[Tensor, " B"]
    """Of these, the last in which the rulebook contradicted the belief."""


def no_hints(domain: Bool[Tensor, "B n S"]) -> Hints:
    marks = torch.zeros(domain.shape, dtype=torch.int16, device=domain.device)
    return Hints(marks, marks[:, 0, 0].clone(), marks[:, 0, 0].clone())


def hinted(domain: Bool[Tensor, "B n S"], marks: Marks) -> Bool[Tensor, "B n S"]:
    """What is left of the domain if the guesses hold; cells may be left without any state."""
    guessed = marks > 0
    return domain & torch.where(guessed.any(-1, keepdim=True), guessed, marks == 0)


def depths(marks: Marks) -> Int[Tensor, " B"]:
    """How many guesses hold in each row."""
    return marks.flatten(1).amax(1).clamp(min=0)


def take_back(marks: Marks, rows: Bool[Tensor, " B"]) -> Marks:
    """These rows without their last guess, which is ruled out as long as those before it hold.

    What was ruled out under it is open again; a row without a guess forgets all it ruled out,
    for some of that must have been wrong.
    """
    last = depths(marks)[:, None, None]
    popped = torch.where((marks == last) & (last > 0), -last, marks)
    popped = popped.masked_fill(marks < -last, 0).to(marks.dtype)
    return torch.where(rows[:, None, None], popped, marks)


def guess(
    marks: Marks,
    domain: Bool[Tensor, "B n S"],
    marginals: Float[Tensor, "B n S"],
    rows: Bool[Tensor, " B"],
    chance: Float[Tensor, "B n1"],
) -> Marks:
    """One more guess in these rows, where `domain`, as hinted so far, leaves an open cell.

    Chances are uniform numbers, one per cell for ties and one for the state.
    """
    every = torch.arange(len(marks), device=marks.device)
    cells, found = branching_cells(marginals, domain, chance[:, :-1])
    states = guessed_states(marginals[every, cells], domain[every, cells], chance[:, -1:])
    guesses = rows & found
    marks = marks.clone()
    held = marks[every, cells, states]
    marks[every, cells, states] = torch.where(guesses, depths(marks) + 1, held).to(marks.dtype)
    return marks


def revise(
    hints: Hints,
    domain: Bool[Tensor, "B n S"],
    left: Bool[Tensor, "B n S"],
    before: Float[Tensor, "B n S"],
    after: Float[Tensor, "B n S"],
    contradicted: Bool[Tensor, " B"],
    value: Float[Tensor, " B"],
    chance: Float[Tensor, "B n1"],
) -> Hints:
    """The hints for the next step: a guess taken back, or one more where nothing moves any more.

    `domain` is hinted, `before` and `after` are the marginals around the step within it. `left`
    is what is still believed of those before, and `contradicted` whether the rulebook could make
    no sense of them. `value` is the network's own logit that an answer is left, 0 where that was
    never trained.
    """
    alarms = torch.where(contradicted, hints.alarms + 1, 0)
    waited = hints.waited + 1
    impossible = ~domain.any(-1).all(-1)
    refuted = impossible | (alarms >= ALARMS) | (value < GIVEN_UP)
    rests = (after - before).abs().flatten(1).amax(1) < REST
    ready = (waited > SOON) & rests | (waited > LATE)
    marks = guess(hints.marks, left & domain, after, ready & ~contradicted & ~refuted, chance)
    marks = take_back(marks, refuted)
    same = (marks == hints.marks).flatten(1).all(1)
    dtype = hints.waited.dtype
    return Hints(marks, (waited * same).to(dtype), (alarms * same).to(dtype))


def misled(marks: Marks, answers: Int[Tensor, "B n"]) -> Bool[Tensor, " B"]:
    """Rows that hold a wrong guess, or have ruled out a state of the answer."""
    right = torch.nn.functional.one_hot(answers, marks.shape[-1]).bool()
    return ((marks > 0) & ~right | (marks < 0) & right).flatten(1).any(1)


def chances(rows: int, width: int, draw: Draw, device: torch.device) -> Float[Tensor, "B n1"]:
    """Uniform numbers in (0, 1)."""
    if isinstance(draw, Draws):
        return draw.uniform((width,), Purpose.GUESS).add(1).div(2).to(device)
    return torch.rand(rows, width, generator=draw, device=draw.device).to(device)
