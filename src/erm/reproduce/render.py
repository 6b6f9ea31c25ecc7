"""The report of a study, written from what its runs left on the disk."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from erm.evaluate.provenance import commit, versions
from erm.files import write_json
from erm.report.document import Document, Section
from erm.report.outcome import Origin, Row
from erm.reproduce import paper
from erm.reproduce.study import Exhibit, Run, Settled, Source, Study
from erm.reproduce.suites import MAIN, SUITES
from erm.rulebook.registry import load_task


def render(study: Study, exhibits: Sequence[Exhibit], left_out: Sequence[str]) -> Path:
    """CSVs, pictures, report.md, report.html and report.json; the path of the page."""
    report: Row = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": commit(),
        "versions": versions(),
        "budget": study.budget.name,
        "command": study.request.command(),
        "exhibits": {},
        "left_out": left_out,
    }
    sections: list[Section] = []
    every: dict[str, Row] = {}
    for exhibit in exhibits:
        runs = _runs(study, exhibit.runs(study.budget))
        command = study.request.command("--only", exhibit.name)
        section = exhibit.build(study)
        notes = [*section.notes, *(f"{r['name']}: {r['remark']}." for r in runs if r["remark"])]
        named = {"name": exhibit.name, "title": exhibit.title, "command": command, "notes": notes}
        sections.append(replace(section, **named))
        report["exhibits"][exhibit.name] = {
            "command": command,
            "tables": [f"tables/{table.name}.csv" for table in section.tables],
            "figures": [f"figures/{figure.name}.svg" for figure in section.figures],
            "runs": runs,
        }
        every |= {run["name"]: run for run in runs}
    introduction = _introduction(study, left_out, report)
    lines = [_line(run) for run in every.values()]
    sections.append(_open(list(every.values())))
    page = Document("The paper, reproduced", introduction, sections, lines).write(study.out)
    write_json(study.out / "report.json", report)
    return page


def _runs(study: Study, runs: Sequence[Run]) -> list[Row]:
    """Command, network, data and diagnosis of every finished run behind an exhibit."""
    found, settled = [], study.settled()
    for run in runs:
        folder, source = study.folder(run), study.source(run)
        if folder.is_done and isinstance(source, Source):
            origin = Origin(**folder.read_results())
            found.append(
                {
                    "name": run.name,
                    "command": study.command(run, origin),
                    "origin": str(origin),
                    "made_with": source.command,
                    "remark": settled.get(run.name, Settled()).remark,
                    **origin.model_dump(exclude={"command"}),
                }
            )
    return found


def _introduction(study: Study, left_out: Sequence[str], report: Row) -> list[str]:
    budget = study.budget
    boxed = f", {budget.minutes:g} minutes for all runs" if budget.minutes else ""
    files = [f"{suite} from `{path}`" for suite, path in study.files.items()]
    made = [name for name in SUITES if name not in study.files and SUITES[name].seed is not None]
    lines = [
        f"Made by `{report['command']}` on {report['date']}, commit "
        f"{(report['commit'] or 'unknown')[:10]}.",
        f"Budget {budget.name}: D = {budget.depth}, K = {budget.width}{boxed}. The paper's: "
        "D = 64, K = 128. Depth, width and all other settings are fixed in the program and were "
        "not chosen on the puzzles of this report.",
        f"Data: {'; '.join([*files, ', '.join(made) + ' generated here'])}.",
        "Table 1 and what follows it are of networks alone, which see no rule while they run. "
        "Networks with advice and the solver have sections of their own. Every number of ours is "
        "a count over the named puzzles with Wilson's 95% interval; base is a mean over "
        "candidates with a normal interval over puzzles. Printed numbers of others stand in rows "
        "of their own.",
    ]
    if left_out:
        names = ", ".join(left_out)
        lines.append(f"Not run yet: {names}; the same command with --only NAME adds them.")
    return lines


def _open(runs: Sequence[Row]) -> Section:
    """What the paper leaves open; tau is each task's own."""
    tasks = dict.fromkeys(task for suite in MAIN for task in SUITES[suite].tasks)
    taus = ", ".join(f"{task} {load_task(task).settings.tau:g}" for task in tasks)
    listing = [run for run in runs if run["seen_in_training"] is not None]
    seen = (
        f"In {len(listing)} of {len(runs)} runs the checkpoint lists its training puzzles; "
        f"{sum(run['seen_in_training'] for run in listing)} of their test puzzles equal one of "
        "them up to symmetry."
    )
    notes = [f"The paper gives tau no number. Here it is: {taus}.", *paper.OPEN, seen]
    return Section(name="open", title="What the paper leaves open", notes=notes)


def _line(run: Row) -> str:
    made = f"; made by `{run['made_with']}`" if run["made_with"] else ""
    return f"`{run['name']}`: `{run['command']}`; {run['origin']}{made}. {run['diagnosis']}"
