"""What the HTTP API answers; `/openapi.json` is made from these classes and those of `requests`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field


class Sign(BaseModel):
    """What is printed between two neighbouring cells."""

    cells: tuple[int, int]
    text: str


class Puzzle(BaseModel):
    """A puzzle as the page draws it."""

    task: str
    height: int
    width: int
    states: int
    symbols: str
    """The characters of its states."""
    written: str
    """How each of them is written into a cell, as early, late and night are E, L and N."""
    text: str
    """Its canonical text, what permalinks carry."""
    givens: dict[str, Any]
    labels: list[str]
    """What is printed on each cell."""
    right: list[list[int]]
    """1 where a border stands right of a cell, [H][W-1]."""
    down: list[list[int]]
    """1 where a border stands below a cell, [H-1][W]."""
    signs: list[Sign]
    groups: list[list[int]]
    """Ways in which the rules group the cells (boxes, rooms, lines of sight): ids, cell by cell."""
    places: list[tuple[float, float]] | None = None
    """Row and column at which each cell is drawn, where the board is no lattice."""
    links: list[list[int]] = []
    """Cells that a rule joins, where the board is no lattice: the edges of a graph."""
    fixed: str
    """One character per cell: 1 where what is printed leaves no choice."""
    start: str
    """The answer that a player starts from, "." where a cell is open."""
    answer: str | None = None
    """The answer that the text carried, as solved puzz.link addresses do."""


class Violation(BaseModel):
    """One broken rule, with the cells to look at (row-major, from 0)."""

    rule: str
    cells: list[int]
    """The culprits: the two equal digits, not their whole row."""
    clue: int | None
    """The cell on which the rule is printed here, where one is."""
    words: str
    """The same in a sentence."""


class RuleCheck(BaseModel):
    """One line of a certificate."""

    rule: str
    places: int
    """In how many places the rule was checked."""
    broken: int
    """In how many of them it does not hold."""


class Verdict(BaseModel):
    """What the rules say about an answer, without any network."""

    complete: bool
    """Whether every cell is filled in."""
    possible: bool
    """Whether the rules leave every open cell something: false where no way of filling them in
    can be right. Beyond single rules this is worked out for boards that are still empty."""
    certified: bool
    """Complete (blank cells count as unmarked, where a task has marks) and no rule broken."""
    violations: list[Violation]
    """What is broken whatever the blank cells become."""
    unfinished: list[Violation]
    """What else is broken as long as blank cells stay unmarked."""
    certificate: list[RuleCheck]
    energy: float | None
    """E(y; x) of Eq. 3 without a model's probabilities; null where cells are missing."""
    terms: dict[str, float]
    cost: float | None = None
    """Of the preferences that it breaks; null without prices, or where cells are missing."""


class Step(BaseModel):
    """States that one cell loses, and why (cells row-major, from 0)."""

    cell: int
    ruled_out: list[int]
    settled: str | None
    """What stands in the cell, where one state is left."""
    level: Literal["one_rule", "several_rules", "trial", "guess"]
    rule: str
    scope: list[int]
    """The cells that the rule is about here; empty for the whole board."""
    because: list[int]
    """The cells whose states force it."""
    words: str


class Hint(BaseModel):
    """The way to the next cell that can be filled in, or what is wrong so far."""

    steps: list[Step]
    """The last one fills the cell in, those before it are what it rests on; none where every cell
    is filled in, or no step was found in time."""
    mistaken: bool
    """Whether the last step rules out what is filled in."""
    words: str


class Walk(BaseModel):
    """Every step from the board to its answer."""

    steps: list[Step]
    solved: bool
    """Whether they lead to an answer; false where there is none, or time was up."""
    grade: int
    """1 to 4, of the hardest step."""
    asks_for: str
    """What the grade means."""
    words: str
    """What the steps amount to: the grade, that there is no answer, or that time was up."""


class Candidate(BaseModel):
    """One rollout as it stands, for all that give the same answer."""

    k: int
    count: int
    """How many candidates give this answer."""
    answer: str
    valid: bool
    """Whether it breaks no rule."""
    energy: float | None
    terms: dict[str, float | None]
    q: float | None
    confidence: float | None
    residual: float | None
    steps: int


class Choice(BaseModel):
    """What one selector would answer now."""

    selector: str
    k: int | None
    """null where the answer was put together from several candidates."""
    answer: str
    score: float | None
    tied: bool
    valid: bool


class Frame(BaseModel):
    """The search after one step (event `frame`)."""

    step: int
    """Counts from 1 over all waves."""
    wave: int
    depth: int
    """Steps that the present wave has taken."""
    size: int
    """Candidates so far."""
    distinct: int
    """How many different answers they give."""
    valid: int
    """How many of them break no rule."""
    evaluations: int
    seconds: float
    energy: float | None
    """The lowest of all candidates."""
    median: float | None
    energies: list[float | None]
    """Of every candidate."""
    candidates: list[Candidate]
    """Different answers, each by its candidate of lowest energy: those of lowest energy, in that
    order, and those that a selector would choose."""
    choices: list[Choice]
    violations: list[Violation]
    """Of the answer that the asked-for selector would give."""
    cost: float | None = None
    """What that answer costs; null where answers have no prices."""
    bound: float | None = None
    """No answer costs less, as far as that is proved."""


class Queued(BaseModel):
    """The search waits for a worker (event `queued`)."""

    ahead: int
    """Searches that come first."""


class TemperingOutcome(BaseModel):
    """How a tempering run went."""

    temperatures: list[float]
    swap_rates: list[float | None]
    """Accepted over proposed swaps of each pair of neighbours."""
    acceptance: float
    visited: int
    """Different answers that any replica ever gave."""


class Outcome(BaseModel):
    """The end of a search (event `done`, and the answer of `POST /api/solve`)."""

    task: str
    puzzle: str
    status: Literal["unique", "several", "certified", "no solution", "undecided"]
    """The verdict: an answer and proof that it is the only one; two answers; an answer that breaks
    no rule; proof that there is none; nothing of that within the budget."""
    by: Literal["rules", "network and rules", "network"]
    answer: str | None
    """null where there is no answer."""
    other: str | None = None
    """A second answer, where one was found."""
    contradiction: str | None = None
    """Which clues contradict each other, where the rules see it at once."""
    certified: bool
    cost: float | None = None
    bound: float | None = None
    """As in a frame."""
    optimal: bool = False
    """Whether it is proved that no certified answer costs less."""
    ended: Literal["certified", "proved", "budget", "time", "stopped"]
    """Why the search ended: a certificate, a proof, K x D spent, time, or the client left."""
    selector: str
    k: int | None
    energy: float | None
    terms: dict[str, float | None]
    violations: list[Violation]
    certificate: list[RuleCheck]
    candidates: int
    wave: int
    depth: int
    evaluations: int
    seconds: float
    checkpoint: str
    seed: int
    mode: str
    link: str | None
    """The solved board at puzz.link, where it has that kind of puzzle."""
    tempering: TemperingOutcome | None = None


class Failure(BaseModel):
    """Every error is one sentence (event `error` in a stream)."""

    error: str
    status: int = Field(500, exclude=True)
    """Of an answer that is no stream."""


class Checkpoint(BaseModel):
    name: str
    architecture: str
    parameters: int
    accuracy: list[dict[str, Any]]


class Given(BaseModel):
    """One array of givens: what its numbers mean and how much smaller than the board it is."""

    low: int
    high: int
    blank: int
    """What stands where nothing is printed."""
    names: dict[str, int]
    """Values that are no plain numbers."""
    trim: tuple[int, int]
    """Rows and columns that it lacks against the board."""
    slots: int
    """Numbers in a cell; 0: one, that is no list."""


class Example(BaseModel):
    """A puzzle to try."""

    title: str
    text: str


class Task(BaseModel):
    """One kind of puzzle, how it is shown and who can solve it."""

    name: str
    title: str
    about: str
    """The rules in one sentence."""
    words: dict[str, str]
    """What a rule asks for, by its name, where the name says too little."""
    marks: bool
    """Whether answers mark some cells and leave the others alone."""
    lattice: bool
    """Whether cells lie beside each other on a board; else they are drawn as a graph."""
    sides: list[int]
    """The sides of its square boards; empty where any height and width will do."""
    givens: dict[str, Given]
    """What is printed; empty where boards are given as text only."""
    page: str | None
    """Address of the module that draws its boards; null where the page's usual drawing will do."""
    examples: list[Example]
    checkpoints: list[Checkpoint]
    missing: str | None
    """Why puzzles of this kind are searched by the rules alone here, where that is so."""


class Bounds(BaseModel):
    width: int
    depth: int
    seconds: float
    side: int


class Opening(BaseModel):
    """The puzzle that the page opens with."""

    task: str
    text: str


class Overview(BaseModel):
    """What this server can do."""

    version: str
    tasks: list[Task]
    selectors: list[str]
    bounds: Bounds
    opening: Opening | None
    """A puzzle on which candidates disagree, where one with a checkpoint is known."""
