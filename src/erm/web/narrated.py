"""What one candidate heard of the rulebook at each step, and what it then believed."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from erm.search.narrated import Told, Words, tell
from erm.search.problem import Problem
from erm.search.solver import Solver
from erm.web import schema
from erm.web.jobs import Cancelled, Job
from erm.web.requests import NarrateRequest

SAID = 12
"""Objections that are told of a step; the others are counted."""


@dataclass(frozen=True)
class NarratedCandidate:
    """One request, run in a worker's thread."""

    request: NarrateRequest
    problem: Problem
    solver: Solver
    checkpoint: str
    seconds: float
    """After which no further step is told."""

    def run(self, job: Job) -> schema.Narration:
        request, moments, hears = self.request, [], False
        until = monotonic() + self.seconds
        for told in tell(self.solver, self.problem, request.seed, request.k, request.depth):
            if job.gone():
                raise Cancelled
            hears = told.hears
            moments.append(_moment(told))
            if monotonic() > until:
                break
        return schema.Narration(
            k=request.k, checkpoint=self.checkpoint, hears=hears, moments=moments
        )


def _moment(told: Told) -> schema.Moment:
    moment = told.moment
    return schema.Moment(
        step=moment.step,
        believed=told.before,
        believes=told.after,
        objections=_said(told.objections[:SAID]),
        more=max(0, len(told.objections) - SAID),
        contradicted=moment.contradicted,
        guesses=_said(told.guesses),
        turned=_said(told.turned),
        sure=round(told.sure, 4),
        q=round(moment.q, 3),
        value=round(moment.value, 3),
    )


def _said(words: Words) -> list[schema.Said]:
    return [schema.Said(cell=cell, words=said) for cell, said in words]
