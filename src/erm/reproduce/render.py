"""The report of a study, written from what its runs left on the disk."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from erm.errors import InputError
from erm.evaluate.provenance import commit, versions
from erm.files import write_json
from erm.json_file import Spec, mismatch, read_object
from erm.report.document import Document, Section
from erm.reproduce.exhibit import Exhibit
from erm.reproduce.exhibits import selection
from erm.reproduce.findings import Findings
from erm.reproduce.plan import PlannedRun
from erm.reproduce.settled import Settled

REPORT = "report.json"
MADE: Spec = {"main_table": str, "command": str, "date": str, "commit": (str, type(None))}
"""What a report says of its main table."""


def render(findings: Findings, exhibits: Sequence[Exhibit], left_out: Sequence[str]) -> Path:
    """CSVs, pictures, report.md, report.html and report.json; the path of the page."""
    request, out = findings.plan.request, findings.plan.out
    origin = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": commit(),
        "versions": versions(),
        "budget": findings.budget.name,
        "command": request.command(),
    }
    runs = {exhibit.name: _runs(findings, exhibit) for exhibit in exhibits}
    sections = [
        replace(
            exhibit.build(findings),
            name=exhibit.name,
            title=exhibit.title,
            command=request.command("--only", exhibit.name),
            notes=[f"{r['name']}: {r['remark']}." for r in runs[exhibit.name] if r["remark"]],
        )
        for exhibit in exhibits
    ]
    named = {run["name"]: run for own in runs.values() for run in own}
    document = Document(
        "The paper, reproduced",
        _introduction(findings, left_out, origin),
        sections,
        [_run_line(run) for run in named.values()],
    )
    page = document.write(out)
    main = selection.main_table(findings)
    write_json(
        out / REPORT,
        {
            **origin,
            "main_table": f"{main.caption}\n\n{main.markdown()}",
            "exhibits": {
                section.name: _listed(section, runs[section.name]) for section in sections
            },
            "left_out": left_out,
        },
    )
    return page


def readme_table(folder: str | Path) -> str:
    """A study's main table as Markdown, with the command, date and commit that made it."""
    path = Path(folder) / REPORT
    if not path.is_file():
        raise InputError(f"there is no report in {folder}; erm reproduce makes one")
    report = read_object(path)
    wrong = mismatch(report, MADE, "its content")
    if wrong is not None:
        raise InputError(f"{path} is no report of erm reproduce: {wrong}")
    return f"{report['main_table']}\n\n{_origin(report)}\n"


def _runs(findings: Findings, exhibit: Exhibit) -> list[dict[str, Any]]:
    """Name, command, checkpoint and data of every run behind an exhibit."""
    runs = []
    for run in exhibit.needs(findings.budget):
        if isinstance(run, PlannedRun) and findings.is_done(run):
            results = findings.results(run)
            runs.append(
                {
                    "name": run.name,
                    "command": findings.command(run),
                    "checkpoint": results["checkpoint"],
                    "data": results["data"],
                    "made_with": findings.plan.source(run).command,
                    "commit": results["commit"],
                    "remark": findings.settled.get(run.name, Settled()).remark,
                    "diagnosis": results["diagnosis"],
                }
            )
    return runs


def _listed(section: Section, runs: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "command": section.command,
        "tables": [f"tables/{table.name}.csv" for table in section.tables],
        "figures": [f"figures/{figure.name}.svg" for figure in section.figures],
        "runs": runs,
    }


def _origin(report: dict[str, Any]) -> str:
    made = (report["commit"] or "unknown")[:10]
    return f"Made by `{report['command']}` on {report['date']}, commit {made}."


def _introduction(findings: Findings, left_out: Sequence[str], origin: dict[str, Any]) -> list[str]:
    budget = findings.budget
    files = [f"{suite} from `{path}`" for suite, path in findings.plan.data.files.items()]
    made = [name for name, where in findings.plan.data.describe().items() if where == "generated"]
    data = [*files, *([f"{', '.join(made)} generated here"] if made else [])]
    lines = [
        _origin(origin),
        f"Budget {budget.name}: D = {budget.depth}, K = {budget.width}"
        + (f", {budget.minutes:g} minutes for all runs." if budget.minutes else ".")
        + " The paper's: D = 64, K = 128.",
        f"Data: {'; '.join(data)}.",
        "Every number of ours is a count over the named puzzles with Wilson's 95% interval. "
        "Printed numbers of others stand beside ours and come from other networks, trained for "
        "GPU days; their intervals follow from their counts.",
    ]
    if left_out:
        lines.append(
            f"Tables and figures that have not been run: {', '.join(left_out)}; the same command "
            "with --only NAME adds them."
        )
    return lines


def _run_line(run: dict[str, Any]) -> str:
    """Command, checkpoint and data of a run, with their hashes, and its diagnosis."""
    checkpoint, data = run["checkpoint"], run["data"]
    line = (
        f"`{run['name']}`: `{run['command']}`; checkpoint {checkpoint['name']} "
        f"({checkpoint['parameters']:,} parameters, sha256 {checkpoint['sha256'][:12]}), data "
        f"{data['path']} (first {data['count']}, sha256 {data['sha256'][:12]})"
    )
    if run["made_with"]:
        line += f", made by `{run['made_with']}`"
    return f"{line}; commit {(run['commit'] or 'unknown')[:10]}. {run['diagnosis']}"
