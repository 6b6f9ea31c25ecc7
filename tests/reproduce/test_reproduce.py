"""`erm reproduce` end to end on the smoke budget, with real if tiny checkpoints."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny
import torch
from erm.reproduce.budget import BUDGETS
from erm.reproduce.catalogue import full_search
from erm.reproduce.checkpoints import FixedStart
from erm.reproduce.plan import Plan, Request

import erm
from erm import zoo
from erm.cli.main import main
from erm.errors import InputError
from erm.evaluate.intervals import wilson
from erm.formats.dataset import save_dataset
from erm.model.checkpoint import load_checkpoint, save_checkpoint
from erm.model.config import ReasonerConfig
from erm.model.reasoner import Reasoner
from erm.reproduce.command import EXHIBITS, Study, reproduce
from erm.reproduce.execute import Executor
from erm.reproduce.render import readme_table
from erm.reproduce.suites import SUITES
from erm.run_folder import Share
from erm.search.temper import TemperOptions


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with open(folder / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def samples(folder: Path, run: str) -> list[dict]:
    lines = (folder / "runs" / run / "samples.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def transformer_checkpoint(tmp_path_factory):
    """An energy transformer of the right shapes; what it answers does not matter here."""
    torch.manual_seed(0)
    config = ReasonerConfig(
        mixer="energy-transformer", hidden=32, inner=32, heads=2, vocabulary=11, length=16
    )
    folder = tmp_path_factory.mktemp("et") / "energy-transformer"
    return save_checkpoint(folder, Reasoner(config), {"task": "sudoku", "data": {}})


@pytest.fixture(scope="module")
def sudokus(tmp_path_factory):
    """4x4 Sudokus, of which the tiny reasoner solves some."""
    path = tmp_path_factory.mktemp("data") / "small.jsonl"
    save_dataset(tiny.puzzles(6, seed=5, clues=(4, 5)), path)
    return path


@pytest.fixture(scope="module")
def study(tiny_checkpoint, transformer_checkpoint, sudokus, tmp_path_factory):
    """The whole smoke run: the tiny Sudoku reasoner, and whatever the zoo has for the rest."""
    out = tmp_path_factory.mktemp("reproduce") / "study"
    given = [f"sudoku={tiny_checkpoint}", f"sudoku-energy-transformer={transformer_checkpoint}"]
    command = ["reproduce", "--out", str(out), "--budget", "smoke", "--checkpoint", *given]
    assert main([*command, "--data", f"sudoku={sudokus}", "--quiet"]) == 0
    return out


def requested(out, only=(), sudoku=None, sudokus=None, **more):
    """A smoke request, with a Sudoku checkpoint and data where given."""
    checkpoints = {"sudoku": str(sudoku)} if sudoku else {}
    data = {"sudoku": sudokus} if sudokus else {}
    return Request(
        out, "smoke", {**checkpoints, **more.pop("checkpoints", {})}, data, only=only, **more
    )


@pytest.fixture
def empty_zoo(monkeypatch, tmp_path):
    monkeypatch.setattr(zoo, "_HERE", tmp_path / "nothing")


@pytest.mark.slow
def test_every_exhibit_is_written_with_its_csv_and_command(study):
    report = json.loads((study / "report.json").read_text())
    assert list(report["exhibits"]) == [exhibit.name for exhibit in EXHIBITS]
    assert report["left_out"] == []
    page = (study / "report.html").read_text()
    for name, part in report["exhibits"].items():
        assert f"--only {name}" in part["command"] and part["command"] in page
        assert part["tables"] or part["figures"]
        for table in part["tables"]:
            assert rows(study, table.removesuffix(".csv"))
        for figure in part["figures"]:
            stem = figure.removesuffix(".svg")
            assert rows(study, stem)
            assert (study / f"{stem}.png").stat().st_size > 5000
    pictures = sum(len(part["figures"]) for part in report["exhibits"].values())
    assert page.count("data:image/svg+xml;base64,") == pictures > 5
    assert 'src="http' not in page and "<script" not in page and "@import" not in page
    assert (study / "report.md").read_text().count("## ") == len(EXHIBITS) + 1


@pytest.mark.slow
def test_table1_counts_what_the_samples_say(study):
    found = samples(study, "sudoku-full")
    table = [row for row in rows(study, "tables/table1-selectors") if row["task"] == "Sudoku"]
    names = {"rules", "energy-mu0", "convergence", "residual", "oracle"}
    assert {row["selector"] for row in table} >= names
    for row in table:
        name = row["selector"]
        marks = [s["oracle"] if name == "oracle" else s["choices"][name] for s in found]
        correct = sum(mark["correct"] for mark in marks)
        assert (int(row["correct"]), int(row["total"])) == (correct, len(found))
        low, high = wilson(correct, len(found))
        assert float(row["low"]) == pytest.approx(100 * low, abs=1e-5)
        assert float(row["high"]) == pytest.approx(100 * high, abs=1e-5)
        if name != "oracle":
            assert int(row["ties"]) == sum(mark["tied"] for mark in marks)
    printed = {row["selector"]: row["paper_exact"] for row in table}
    assert printed["energy"] == "98.83" and printed["rules"] == ""
    wide = rows(study, "tables/table1")
    assert [row["task"] for row in wide] == ["Sudoku", "PPBench", "Maze"]
    assert float(wide[0]["energy"]) == float(next(
        row["exact"] for row in table if row["selector"] == "energy"))  # fmt: skip


@pytest.mark.slow
def test_tempering_transformer_and_compute_rows(study):
    tempered = [row for row in rows(study, "tables/table2") if row["task"] == "Sudoku"]
    variants = ["ERM, T 0.001 to 1", "ERM, Metropolis"]
    assert [row["energy"] for row in tempered] == ["q-head", "confidence", "ERM", *variants]
    assert 0 < float(tempered[-1]["acceptance"]) <= 1
    assert {row["paper_swap_rate"] for row in tempered[2:]} == {tempered[2]["paper_swap_rate"]}
    assert all(0 <= float(row["swap_rate"]) <= 1 for row in tempered)
    et = {row["method"]: row for row in rows(study, "tables/et")}
    assert et["ET energy"]["paper_correct"] == "1574" and et["ET energy"]["total"] == "4"
    assert et["PT-confidence"]["total"] == et["PT-ERM"]["total"] == "4"
    compute = {row["search"]: row for row in rows(study, "tables/compute")[:3]}
    budget = BUDGETS["smoke"]
    assert float(compute["full"]["evaluations"]) == budget.depth * budget.width
    assert float(compute["adaptive"]["evaluations"]) <= budget.depth * budget.width
    curve = [
        float(row["exact"])
        for row in rows(study, "figures/compute")
        if (row["task"], row["curve"]) == ("Sudoku", "adaptive")
    ]
    assert curve == sorted(curve)


@pytest.mark.slow
def test_a_depth_curve_ends_where_the_table_is(study):
    curve = rows(study, "figures/figure2-sudoku")
    assert len(curve) == 3 * BUDGETS["smoke"].depth
    last = {row["selector"]: float(row["exact"]) for row in curve if row["depth"] == "8"}
    for row in rows(study, "tables/table1-selectors"):
        if row["task"] == "Sudoku" and row["selector"] in last:
            assert last[row["selector"]] == pytest.approx(float(row["exact"]))


@pytest.mark.slow
def test_an_interrupted_study_continues_to_the_same_tables(
    study, tiny_checkpoint, transformer_checkpoint, sudokus
):
    table = (study / "tables/table1-selectors.csv").read_bytes()
    run = study / "runs/sudoku-full"
    shard = run / "shards/00000.jsonl"
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(lines[0] + lines[1][:40])
    for gone in (run / "results.json", run / "samples.jsonl", study / "tables/table1.csv"):
        gone.unlink()
    others = {"sudoku-energy-transformer": str(transformer_checkpoint)}
    reproduce(
        requested(study, ["table1"], tiny_checkpoint, sudokus, checkpoints=others), quiet=True
    )
    assert shard.read_bytes().startswith(lines[0])
    assert len(shard.read_bytes().splitlines()) == len(lines)
    assert (study / "tables/table1-selectors.csv").read_bytes() == table
    # What was complete before stay in the report.
    assert json.loads((study / "report.json").read_text())["left_out"] == []


@pytest.mark.slow
def test_the_readme_table_names_its_origin(study, tmp_path):
    table = readme_table(study)
    assert "| task | base |" in table and "(98.83)" in table
    assert "--budget smoke" in table and "commit" in table and " on 20" in table
    with pytest.raises(InputError, match="no report"):
        readme_table(tmp_path)


def test_without_checkpoints_rows_say_so_and_nothing_stands_in(empty_zoo, tmp_path):
    out = tmp_path / "study"
    assert reproduce(requested(out, ["table1", "et"]), quiet=True) == out / "report.html"
    assert not (out / "runs").exists() and not (out / "checkpoints").exists()
    for row in rows(out, "tables/table1-selectors"):
        assert row["exact"] == "" and row["status"] == "no checkpoint"
    et = rows(out, "tables/et")
    assert all("sudoku-energy-transformer" in row["status"] for row in et)
    assert et[1]["paper_exact"] == "76.86"
    assert "no checkpoint" in (out / "report.md").read_text()


def test_minutes_must_be_above_zero_and_stand_in_the_command(tmp_path):
    with pytest.raises(InputError, match="--minutes"):
        reproduce(requested(tmp_path / "none", minutes=0), quiet=True)
    assert not (tmp_path / "none").exists()
    assert "--minutes 7" in requested(tmp_path / "study", minutes=7).command()


def test_commands_to_repeat_include_what_the_study_included(
    empty_zoo, tiny_checkpoint, sudokus, tmp_path
):
    out, mine = tmp_path / "study", tmp_path / "mine.py"
    request = requested(out, ["table1"], tiny_checkpoint, sudokus, included=[mine])
    assert request.command().endswith(f" --include={mine}")
    reproduce(request, quiet=True)
    report = json.loads((out / "report.json").read_text())
    commands = [run["command"] for run in report["exhibits"]["table1"]["runs"]]
    assert commands and all(f" --include={mine} " in command for command in commands)
    table = readme_table(out)
    assert "| task | base |" in table and f"--include={mine}" in table
    for wrong in ("{}", "[]", '{"main_table": 3}', "{"):
        (out / "report.json").write_text(wrong)
        with pytest.raises(InputError, match=r"report\.json"):
            readme_table(out)


def test_two_processes_share_the_runs(empty_zoo, tiny_checkpoint, sudokus, tmp_path):
    def part(rank: int, world: int, out: Path):
        request = requested(out, ["table1"], tiny_checkpoint, sudokus)
        return reproduce(request, Share(rank, world), quiet=True)

    assert part(0, 2, tmp_path / "two") is None
    assert part(1, 2, tmp_path / "two") is not None
    assert part(0, 1, tmp_path / "one") is not None
    name = "tables/table1-selectors.csv"
    assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
    assert len(list((tmp_path / "two/runs/sudoku-full/shards").glob("*.jsonl"))) == 2
    # The commands that the report prints are those that made the runs.
    report = json.loads((tmp_path / "one/report.json").read_text())
    run = next(run for run in report["exhibits"]["table1"]["runs"] if run["name"] == "sudoku-full")
    folder = tmp_path / "one/runs/sudoku-full"
    before = (folder / "samples.jsonl").read_bytes()
    for shard in (folder / "shards").glob("*.jsonl"):
        shard.unlink()
    assert main([*run["command"].split()[1:], "--quiet"]) == 0
    again = [json.loads(line) for line in (folder / "samples.jsonl").read_text().splitlines()]
    for one, other in zip(again, map(json.loads, before.splitlines()), strict=True):
        assert {**one, "seconds": 0} == {**other, "seconds": 0}


@pytest.mark.slow
def test_the_command_starts_its_own_processes(tiny_checkpoint, sudokus, tmp_path):
    out = tmp_path / "study"
    command = ["reproduce", "--out", str(out), "--budget", "smoke", "--only", "maze16,et,ptrm"]
    command += ["--checkpoint", f"sudoku-token-mlp={tiny_checkpoint}", "--quiet"]
    assert main([*command, "--data", f"sudoku={sudokus}", "--processes", "2"]) == 0
    shards = list((out / "runs/sudoku-sudoku-token-mlp-full/shards").glob("*.jsonl"))
    assert len(shards) == 2
    # Data of parts that nobody asked for is not made.
    assert not list((out / "data").glob("wild*"))
    totals = [
        row["total"]
        for row in rows(out, "tables/et-mixers")
        if row["checkpoint"] in ("sudoku-token-mlp", "sudoku-6x6-token-mlp")
    ]
    assert totals == ["4"] * 3 + ["2"] * 3  # the file's, then generated 6x6 boards


def test_a_time_box_settles_how_many_puzzles(empty_zoo, tiny_checkpoint, sudokus, tmp_path):
    plan = Plan.of(requested(tmp_path, [], tiny_checkpoint, sudokus))
    run = full_search(plan.budget, "sudoku")["sudoku"]
    hurried = Executor(plan, Share(), quiet=True, seconds_per_weight=1e-6)
    assert hurried.settle(run).puzzles == 4
    # What was settled stays so, whatever another process would find.
    settled = json.loads((tmp_path / "settled.json").read_text())
    settled[run.name]["puzzles"] = 2
    (tmp_path / "settled.json").write_text(json.dumps(settled))
    assert Executor(plan, Share(), quiet=True).settle(run).puzzles == 2


def test_a_fixed_start_keeps_the_weights_and_nothing_random(tiny_checkpoint, tmp_path):
    fixed = FixedStart.of(str(tiny_checkpoint), tmp_path)
    assert fixed is not None and not fixed.folder.exists()
    fixed.make()
    original, _ = load_checkpoint(tiny_checkpoint)
    reasoner, card = load_checkpoint(fixed.folder)
    assert card["fixed_start_of"]["checkpoint"] == str(tiny_checkpoint)
    for name, tensor in original.state_dict().items():
        assert torch.equal(reasoner.state_dict()[name], tensor)
    pool = erm.load(fixed.folder).solve("1..." + "." * 12, width=3, depth=3, mode="full").candidates
    assert (pool.answers == pool.answers[0]).all() and np.ptp(pool.q) == 0
    assert FixedStart.of(str(fixed.folder), tmp_path) is None
    made = (fixed.folder / "card.json").stat().st_mtime_ns
    fixed.make()
    assert (fixed.folder / "card.json").stat().st_mtime_ns == made


def test_a_plan_is_made_without_touching_the_disk(empty_zoo, tiny_checkpoint, sudokus, tmp_path):
    study = Study.of(requested(tmp_path / "study", ["table1"], tiny_checkpoint, sudokus))
    runs = study.wanted[0].needs(study.plan.budget)
    names = {run.name: study.plan.checkpoint(run) for run in runs}
    assert names["sudoku-full"] == str(tiny_checkpoint)
    assert str(names["maze-full"]) == "no checkpoint"
    assert study.plan.source(runs[0]).path == sudokus
    assert study.plan.source(full_search(study.plan.budget, "maze")["maze"]).boards is not None
    assert not (tmp_path / "study").exists()


def test_rendering_reads_only(empty_zoo, tiny_checkpoint, sudokus, tmp_path):
    study = Study.of(requested(tmp_path, ["table1"], tiny_checkpoint, sudokus))
    assert study.render() is None and not any(tmp_path.iterdir())
    study.execute(Share(), quiet=True)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    assert study.render() == tmp_path / "report.html"
    after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    assert all(after[path] == time for path, time in before.items())
    new = {path.relative_to(tmp_path).parts[0] for path in after.keys() - before.keys()}
    assert new == {"tables", "figures", "report.html", "report.md", "report.json"}


def test_further_energies_are_rows_and_adding_one_asks_no_network(
    empty_zoo, tiny_checkpoint, sudokus, tmp_path, monkeypatch
):
    reproduce(requested(tmp_path, ["table1"], tiny_checkpoint, sudokus), quiet=True)
    monkeypatch.setattr(Reasoner, "step", None)
    request = requested(tmp_path, ["table1"], tiny_checkpoint, sudokus, energies=["soft=0,beta=1"])
    reproduce(request, quiet=True)
    every = rows(tmp_path, "tables/table1-selectors")
    table = {row["selector"]: row for row in every if row["task"] == "Sudoku"}
    assert table["energy:soft=0,beta=1"]["total"] == table["energy"]["total"] == "4"
    assert "energy:soft=0" in table


def test_data_of_a_folder_is_taken_by_name_and_named_in_the_report(empty_zoo, sudokus, tmp_path):
    file = tmp_path / "field" / SUITES["sudoku"].file
    file.parent.mkdir(parents=True)
    file.write_text("question,answer\n")
    plan = Plan.of(requested(tmp_path / "study", data_folder=tmp_path / "field"))
    assert plan.data.describe() == plan.data.describe() | {
        "sudoku": str(file), "maze": "generated"
    }  # fmt: skip
    with pytest.raises(InputError, match="holds none of"):
        Plan.of(requested(tmp_path / "study", data_folder=tmp_path))
    reproduce(requested(tmp_path / "a", ["accounting"], sudokus=sudokus), quiet=True)
    text = (tmp_path / "a/report.md").read_text()
    assert f"sudoku from `{sudokus}`" in text and "maze, ppbench" in text


def test_ladders_fill_the_papers_width():
    budget = BUDGETS["full"]
    default = TemperOptions()
    assert (budget.depth, budget.width) == (64, 128)
    assert budget.rungs == default.rungs and budget.width == default.width


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--only", "table9"], "table9"),
        (["--only", "table1,figure9"], "figure9"),
        (["--checkpoint", "chess=nowhere"], "chess"),
        (["--checkpoint", "sudoku"], "NAME=PATH"),
        (["--checkpoint", "sudoku=nowhere"], "nowhere"),
        (["--data", "sudoku=nowhere.csv"], "nowhere.csv"),
        (["--data", "chess=nowhere.csv"], "chess"),
        (["--data", "sudoku=a", "sudoku=b"], "twice"),
        (["--data-folder", "nowhere"], "nowhere"),
        (["--energy", "tau"], "tau"),
        (["--energy", "tau=0"], "tau"),
        (["--processes", "0"], "processes"),
        (["--processes", "2", "--only", "table9"], "table9"),
    ],
)
def test_nonsense_is_refused_before_anything_is_written(arguments, word, tmp_path, capsys):
    out = tmp_path / "study"
    assert main(["reproduce", "--out", str(out), "--budget", "smoke", *arguments]) == 2
    assert word in capsys.readouterr().err
    assert not out.exists()


def test_a_checkpoint_of_another_task_is_refused(tiny_checkpoint, tmp_path):
    with pytest.raises(InputError, match="solves sudoku, not maze"):
        reproduce(requested(tmp_path / "a", checkpoints={"maze": str(tiny_checkpoint)}))


def test_a_folder_holds_one_study(empty_zoo, tmp_path):
    request = requested(tmp_path / "a", ["accounting"])
    reproduce(request, quiet=True)
    with pytest.raises(InputError, match="holds a study with budget 'smoke'"):
        reproduce(replace(request, budget="full"), quiet=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b/thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="other files"):
        reproduce(requested(tmp_path / "b", ["accounting"]), quiet=True)
    (tmp_path / "c").mkdir()
    (tmp_path / "c/plan.json").write_text("{}")
    with pytest.raises(InputError, match="older version"):
        reproduce(requested(tmp_path / "c", ["accounting"]), quiet=True)
