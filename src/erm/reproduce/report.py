"""The report: every section as Markdown and as one page that needs nothing else."""

from __future__ import annotations

import datetime
import html
import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from erm.errors import InputError
from erm.evaluate.provenance import commit, versions
from erm.files import atomic, write_json
from erm.reproduce import plot
from erm.reproduce.part import Part, Section
from erm.reproduce.parts import selection
from erm.reproduce.study import Study
from erm.reproduce.table import write_csv

REPORT = "report.json"


@dataclass(frozen=True)
class Chapter:
    """A part, what it made, and how to make it again."""

    part: Part
    section: Section
    command: str
    runs: list[dict[str, Any]]
    """Name, command, checkpoint and data of every run behind it."""


def chapter(study: Study, part: Part, arguments: list[str]) -> Chapter:
    runs = []
    for run in part.needs(study):
        if study.is_done(run):
            results = study.results(run)
            runs.append(
                {
                    "name": run.name,
                    "command": study.command(run),
                    "checkpoint": results["checkpoint"],
                    "data": results["data"],
                    "made_with": study.sources.source(run.suite, run.task).command,
                    "commit": results["commit"],
                    "remark": study.remark(run),
                }
            )
    command = shlex.join(["erm", "reproduce", *arguments, "--only", part.name])
    return Chapter(part, part.build(study), command, runs)


def write_report(study: Study, chapters: list[Chapter], left_out: list[str], argument: str) -> Path:
    """CSVs, pictures, report.md, report.html and report.json; the path of the page."""
    out = study.out
    for one in chapters:
        for table in one.section.tables:
            write_csv(out / "tables" / f"{table.name}.csv", table.rows)
        for figure in one.section.figures:
            write_csv(out / "figures" / f"{figure.name}.csv", figure.rows)
            plot.save(figure.drawing, out / "figures" / figure.name)
    origin = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": commit(),
        "versions": versions(),
        "budget": study.budget.name,
        "command": argument,
    }
    with atomic(out / "report.md") as temporary:
        temporary.write_text(_markdown(study, chapters, left_out, origin), "utf-8")
    with atomic(out / "report.html") as temporary:
        temporary.write_text(_html(study, chapters, left_out, origin), "utf-8")
    main = selection.main_table(study)
    write_json(
        out / REPORT,
        {
            **origin,
            "main_table": f"{main.caption}\n\n{main.markdown()}",
            "parts": {
                one.part.name: {
                    "command": one.command,
                    "tables": [f"tables/{table.name}.csv" for table in one.section.tables],
                    "figures": [f"figures/{figure.name}.svg" for figure in one.section.figures],
                    "runs": one.runs,
                }
                for one in chapters
            },
            "left_out": left_out,
        },
    )
    return out / "report.html"


def readme_table(folder: str | Path) -> str:
    """A study's main table as Markdown, with the command, date and commit that made it."""
    path = Path(folder) / REPORT
    try:
        report = json.loads(path.read_text("utf-8"))
        main, origin = report["main_table"], _origin(report)
    except FileNotFoundError:
        raise InputError(f"there is no report in {folder}; erm reproduce makes one") from None
    except (ValueError, KeyError) as error:
        raise InputError(f"{path} is no report of erm reproduce: {error}") from None
    return f"{main}\n\n{origin}\n"


def _origin(report: dict[str, Any]) -> str:
    made = (report["commit"] or "unknown")[:10]
    return f"Made by `{report['command']}` on {report['date']}, commit {made}."


def _head(study: Study, left_out: list[str], origin: dict[str, Any]) -> list[str]:
    budget = study.budget
    lines = [
        _origin(origin),
        f"Budget {budget.name}: D = {budget.depth}, K = {budget.width}"
        + (f", {budget.minutes:g} minutes for all runs." if budget.minutes else ".")
        + " The paper's: D = 64, K = 128.",
        "Every number of ours is a count over the named puzzles with Wilson's 95% interval. "
        "Printed numbers of others stand beside ours and come from other networks, trained for "
        "GPU days; their intervals follow from their counts.",
    ]
    if left_out:
        lines.append(
            f"Parts that have not been run: {', '.join(left_out)}; the same command with "
            "--only NAME adds them."
        )
    return lines


def _markdown(
    study: Study, chapters: list[Chapter], left_out: list[str], origin: dict[str, Any]
) -> str:
    lines = ["# The paper, reproduced", "", *_spaced(_head(study, left_out, origin))]
    for one in chapters:
        lines += [f"## {one.part.title}", "", f"`{one.command}`", ""]
        if one.section.text:
            lines += [one.section.text, ""]
        for table in one.section.tables:
            lines += [f"**{table.caption}** ([CSV](tables/{table.name}.csv))", ""]
            lines += [table.markdown(), ""]
        for figure in one.section.figures:
            link = f"figures/{figure.name}"
            lines += [f"![{figure.caption}]({link}.png)", ""]
            lines += [f"{figure.caption} ([CSV]({link}.csv))", ""]
        remarks = [f"{run['name']}: {run['remark']}." for run in one.runs if run["remark"]]
        lines += _spaced(remarks)
    lines += ["## Runs", "", *_spaced(_run_lines(chapters))]
    return "\n".join(lines)


def _spaced(paragraphs: list[str]) -> list[str]:
    return [line for paragraph in paragraphs for line in (paragraph, "")]


def _run_lines(chapters: list[Chapter]) -> list[str]:
    """One paragraph a run: command, checkpoint and data with their hashes."""
    lines = []
    for run in {run["name"]: run for one in chapters for run in one.runs}.values():
        checkpoint, data = run["checkpoint"], run["data"]
        line = (
            f"`{run['name']}`: `{run['command']}`; checkpoint {checkpoint['name']} "
            f"({checkpoint['parameters']:,} parameters, sha256 {checkpoint['sha256'][:12]}), data "
            f"{data['path']} (first {data['count']}, sha256 {data['sha256'][:12]})"
        )
        if run["made_with"]:
            line += f", made by `{run['made_with']}`"
        lines.append(line + f"; commit {(run['commit'] or 'unknown')[:10]}.")
    return lines


CSS = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff;
       max-width: 84rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem } h2 { font-size: 1.25rem; margin-top: 2.5rem;
     border-top: 1px solid #ddd; padding-top: 1.2rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; margin: 1rem 0 .4rem; font-size: .86rem }
caption { text-align: left; padding-bottom: .4rem; font-weight: 600; max-width: 60rem }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #e4e4e4; vertical-align: top }
th { border-bottom: 2px solid #888 } tbody tr:hover { background: #f5f8fb }
.text { text-align: left; min-width: 5rem } .number { text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums }
.note { font-size: .82rem; color: #444; margin: .15rem 0; max-width: 60rem }
figure { margin: 1.2rem 0 } figure img { max-width: 100% }
figcaption { font-size: .86rem; color: #333; max-width: 60rem }
code { font-size: .84rem; background: #f3f3f3; padding: .1rem .25rem; overflow-wrap: anywhere }
nav a { margin-right: 1rem; display: inline-block }
details p { font-size: .82rem }
"""


def _html(
    study: Study, chapters: list[Chapter], left_out: list[str], origin: dict[str, Any]
) -> str:
    body = ["<h1>The paper, reproduced</h1>"]
    body += [f"<p>{_code(line)}</p>" for line in _head(study, left_out, origin)]
    links = (f'<a href="#{one.part.name}">{html.escape(one.part.title)}</a>' for one in chapters)
    body.append(f"<nav>{''.join(links)}</nav>")
    for one in chapters:
        body.append(f'<h2 id="{one.part.name}">{html.escape(one.part.title)}</h2>')
        body.append(f"<p><code>{html.escape(one.command)}</code></p>")
        if one.section.text:
            body.append(f"<p>{html.escape(one.section.text)}</p>")
        for table in one.section.tables:
            body.append(table.html())
            body.append(f"<p class=note>Numbers: tables/{table.name}.csv</p>")
        for figure in one.section.figures:
            caption = html.escape(figure.caption)
            picture = plot.inline(study.out / "figures" / f"{figure.name}.svg")
            body.append(
                f'<figure><img alt="{caption}" src="{picture}">'
                f"<figcaption>{caption} Numbers: figures/{figure.name}.csv</figcaption></figure>"
            )
        remarks = [f"{run['name']}: {run['remark']}." for run in one.runs if run["remark"]]
        body += [f"<p class=note>{html.escape(remark)}</p>" for remark in remarks]
    lines = "".join(f"<p>{_code(line)}</p>" for line in _run_lines(chapters))
    body.append(f"<h2 id=runs>Runs</h2><details><summary>Commands, checkpoints and data"
                f"</summary>{lines}</details>")  # fmt: skip
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>The paper, reproduced</title><style>{CSS}</style><body>"
        + "\n".join(body)
        + "</body></html>\n"
    )


def _code(line: str) -> str:
    """Text in which `...` is a command."""
    parts = html.escape(line).split("`")
    return "".join(
        f"<code>{part}</code>" if place % 2 else part for place, part in enumerate(parts)
    )
