"""`erm reproduce` end to end on the smoke budget, with real if tiny checkpoints."""

import csv
import json
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
import tiny
import torch

from erm import zoo
from erm.cli.main import main
from erm.errors import InputError
from erm.evaluate.intervals import wilson
from erm.evaluate.results import base
from erm.formats.dataset import save_dataset
from erm.model.checkpoint import save_checkpoint
from erm.model.config import ReasonerConfig
from erm.model.reasoner import Reasoner
from erm.reproduce.command import EXHIBITS, plan, rendered, reproduce, runs_of
from erm.reproduce.execute import Executor
from erm.reproduce.exhibits.transformer import verdict
from erm.reproduce.networks import Missing, network_of
from erm.reproduce.request import Request
from erm.reproduce.study import full
from erm.reproduce.suites import BUDGETS, SUITES
from erm.run_folder import Share
from erm.search.temper import TemperOptions

SMOKE = BUDGETS["smoke"]


def rows(folder, name):
    with open(folder / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def samples(folder, run):
    lines = (folder / "runs" / run / "samples.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def network(folder, card=(), **config):
    """A checkpoint of the right shapes; what it answers does not matter."""
    torch.manual_seed(0)
    sizes = {"mixer": "token-mlp", "hidden": 16, "inner": 16, "vocabulary": 11, "length": 36}
    reasoner = Reasoner(ReasonerConfig(**sizes | {"heads": 2} | config))
    return str(save_checkpoint(folder, reasoner, {"task": "sudoku", "data": {}, **dict(card)}))


EQR = {"random_start": True, "damping": 0.95, "path_noise": 0.01}
TRM = {"random_start": False, "damping": 1.0, "path_noise": 0.0}


@pytest.fixture(scope="module")
def sudokus(tmp_path_factory):
    """4x4 Sudokus, of which the tiny reasoner solves some."""
    path = tmp_path_factory.mktemp("data") / "small.jsonl"
    save_dataset(tiny.puzzles(6, seed=5, clues=(4, 5)), path)
    return path


@pytest.fixture
def empty_zoo(monkeypatch, tmp_path):
    monkeypatch.setattr(zoo, "_HERE", tmp_path / "nothing")


@pytest.fixture
def asked(tiny_checkpoint, sudokus, empty_zoo):
    """A smoke request of the tiny Sudoku reasoner on its own boards, for both Sudoku suites."""

    def ask(out, *only, **more):
        given = (f"sudoku={tiny_checkpoint}",), (f"sudoku={sudokus}", f"sudoku-6x6={sudokus}")
        options = {"checkpoint": given[0], "data": given[1], "quiet": True, **more}
        return Request(out, "smoke", only=only, **options)

    return ask


def test_a_tables_numbers_are_those_of_the_samples(asked, tmp_path):
    page = reproduce(asked(tmp_path, "table1", "stopping", "figure2"))
    assert page == tmp_path / "report.html"
    found = samples(tmp_path, "sudoku-full")
    every = rows(tmp_path, "tables/table1-selectors")
    table = {row["selector"]: row for row in every if row["task"] == SUITES["sudoku"].title}
    assert {"base", "rules", "energy-mu0", "convergence", "oracle"} <= {*table}
    for name, row in table.items():
        if name == "base":
            assert float(row["exact_exact"]) == pytest.approx(100 * base(found)["exact"], abs=1e-5)
            continue
        marks = [s["oracle"] if name == "oracle" else s["choices"][name] for s in found]
        correct = sum(mark["correct"] for mark in marks)
        assert (int(row["exact_correct"]), int(row["exact_total"])) == (correct, len(found))
        low, high = (float(row[f"exact_{end}"]) for end in ("low", "high"))
        assert (low, high) == pytest.approx([100 * x for x in wilson(correct, len(found))])
    wide = rows(tmp_path, "tables/table1")
    assert wide[0]["energy_exact"] == table["energy"]["exact_exact"]
    assert "paper" in wide[-1]["task"] and wide[-1]["energy_exact"] == "99.3"
    missing = next(row for row in wide if row["task"] == SUITES["maze"].title)
    assert missing["remark"] == "no checkpoint" and not missing["energy_exact"]
    # A depth curve ends where the table is.
    curve = [r for r in rows(tmp_path, "figures/figure2-sudoku") if r["line"] == "exact (right)"]
    last = {row["panel"]: row["percent"] for row in curve[SMOKE.depth - 1 :: SMOKE.depth]}
    assert float(last["ERM"]) == float(table["energy"]["exact_exact"])
    stopped = rows(tmp_path, "tables/stopping")[0]
    assert int(stopped["exact_total"]) == len(found) and int(stopped["depth_min"]) >= 6


@pytest.mark.slow
def test_an_interrupted_study_continues_to_the_same_tables(asked, tmp_path):
    reproduce(asked(tmp_path, "table1"))
    table = (tmp_path / "tables/table1-selectors.csv").read_bytes()
    run = tmp_path / "runs/sudoku-full"
    shard = run / "shards/00000.jsonl"
    lines = shard.read_bytes().splitlines(keepends=True)
    shard.write_bytes(lines[0] + lines[1][:40])
    for gone in (run / "results.json", run / "samples.jsonl", tmp_path / "tables/table1.csv"):
        gone.unlink()
    assert rendered(asked(tmp_path, "table1")) is None
    reproduce(asked(tmp_path, "accounting"))
    assert "table1" in json.loads((tmp_path / "report.json").read_text())["left_out"]
    reproduce(asked(tmp_path, "table1"))
    assert shard.read_bytes().startswith(lines[0])
    assert (tmp_path / "tables/table1-selectors.csv").read_bytes() == table
    # Exhibits whose runs are there stay in the report.
    report = json.loads((tmp_path / "report.json").read_text())
    assert {"table1", "figure1", "accounting"} <= {*report["exhibits"]}


@pytest.mark.slow
def test_two_processes_share_the_runs_and_printed_commands_repeat_them(asked, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    assert reproduce(asked(two, "table1"), Share(0, 2)) is None
    assert reproduce(asked(two, "table1"), Share(1, 2)) is not None
    reproduce(asked(one, "table1"))
    name = "tables/table1-selectors.csv"
    assert (two / name).read_bytes() == (one / name).read_bytes()
    assert len(list((two / "runs/sudoku-full/shards").glob("*.jsonl"))) == 2
    report = json.loads((one / "report.json").read_text())
    run = next(run for run in report["exhibits"]["table1"]["runs"] if run["name"] == "sudoku-full")
    before = samples(one, "sudoku-full")
    for shard in (one / "runs/sudoku-full/shards").glob("*.jsonl"):
        shard.unlink()
    assert main([*run["command"].split()[1:], "--quiet"]) == 0
    clock = {"seconds": 0, "propagation_seconds": 0}
    again = samples(one, "sudoku-full")
    assert [{**s, **clock} for s in again] == [{**s, **clock} for s in before]
    text = (one / "report.md").read_text()
    assert "| task | base |" in text and "98.83%" in text and "--budget smoke" in text


@pytest.mark.slow
def test_every_exhibit_is_written_with_its_csv_and_command(asked, tmp_path):
    kinds = {"eqr": EQR, "trm": TRM, "et": {**EQR, "mixer": "energy-transformer"}}
    made = [f"{role}={network(tmp_path / role, **kind)}" for role, kind in kinds.items()]
    out = tmp_path / "study"
    request = asked(out)
    request = replace(request, checkpoint=(*request.checkpoint, *made))
    assert reproduce(request) is not None
    report = json.loads((out / "report.json").read_text())
    assert list(report["exhibits"]) == [exhibit.name for exhibit in EXHIBITS]
    page = (out / "report.html").read_text()
    for name, part in report["exhibits"].items():
        assert f"--only {name}" in part["command"] and part["tables"] + part["figures"]
        for path in part["tables"] + part["figures"]:
            assert rows(out, path.rsplit(".", 1)[0])
    assert page.count("data:image/svg+xml;base64,") == len(list((out / "figures").glob("*.svg")))
    assert 'src="http' not in page and "<script" not in page
    tempered = [r for r in rows(out, "tables/table2") if r["task"] == SUITES["sudoku"].title]
    variants = ["ERM, T 0.001 to 1", "ERM, Metropolis"]
    assert [row["energy"] for row in tempered] == ["q-head", "confidence", "ERM", *variants]
    assert [r["method"] for r in rows(out, "tables/et")].count("tempering (PT)") == 3
    methods = {row["method"].split(",")[0] for row in rows(out, "tables/ptrm") if row["network"]}
    assert methods == {"TRM", "PTRM", "EqR"}
    # Networks alone see no rule; the control is nothing but rules.
    spent = {row["method"]: row for row in rows(out, "tables/accounting-runs")}
    assert float(spent["sudoku-full"]["propagations"]) == 0
    assert float(spent["sudoku-full"]["evaluations"]) == SMOKE.depth * SMOKE.width
    assert float(spent["sudoku-control-1"]["evaluations"]) == 0
    assert float(spent["sudoku-control-1"]["propagations"]) > 0
    lanes = {run["lane"] for run in report["exhibits"]["table2"]["runs"]}
    assert lanes == {"network alone"}
    solved = [row for row in rows(out, "tables/solver") if row["exact_total"]]
    assert solved and all(row["exact_correct"] == row["exact_total"] for row in solved)


def test_the_verdict_on_the_et_energy_follows_from_the_counts():
    def sample(et, confidence):
        choices = {"et": {"correct": et}, "confidence": {"correct": confidence}}
        return {"choices": choices, "oracle": {}}

    assert "does not beat confidence here: 2 against 2 of 2" in verdict([sample(True, True)] * 2)[0]
    assert "ET energy beats confidence here: 9 against 0" in verdict([sample(True, False)] * 9)[0]
    assert "does not beat" in verdict([sample(False, True)] * 9)[0]
    assert verdict([]) == []


def test_a_network_serves_the_roles_that_its_config_and_card_state(monkeypatch, tmp_path):
    boards = {"boards": ["6x6"]}
    network(tmp_path / "a-transformer", boards, mixer="energy-transformer", **EQR)
    network(tmp_path / "b-eqr", boards, **EQR)
    network(tmp_path / "c-trm", boards, **TRM)
    monkeypatch.setattr(zoo, "_HERE", tmp_path)
    suite = SUITES["sudoku-6x6"]
    roles = ("alone", "eqr", "trm", "et", "none")
    found = {role: network_of(role, suite, "sudoku", {}) for role in roles}
    assert found == {
        "alone": "b-eqr", "eqr": "b-eqr", "trm": "c-trm", "et": "a-transformer", "none": "none"
    }  # fmt: skip
    for role in ("alone", "trm"):
        assert isinstance(network_of(role, SUITES["sudoku"], "sudoku", {}), Missing)
    assert isinstance(network_of("advised", suite, "sudoku", {}), Missing)
    for role, name in (("trm", "b-eqr"), ("eqr", "c-trm"), ("sudoku-advised", "b-eqr")):
        with pytest.raises(InputError, match=f"--checkpoint {role}="):
            plan(Request(tmp_path / "out", checkpoint=(f"{role}={tmp_path / name}",)))


def test_a_time_box_settles_how_many_puzzles(asked, tmp_path):
    study, _ = plan(asked(tmp_path, minutes=7.0))
    assert "--minutes 7" in study.request.command()
    (run,) = full(study.budget, SUITES["sudoku"])
    assert Executor(study, Share(), seconds=1e-6).settle(run).puzzles == 4
    # What was settled stays so, whatever another process would find.
    settled = json.loads((tmp_path / "settled.json").read_text())
    settled[run.name]["puzzles"] = 2
    (tmp_path / "settled.json").write_text(json.dumps(settled))
    assert Executor(study, Share()).settle(run).puzzles == 2
    (tmp_path / "settled.json").write_text('{"a": 3}')
    with pytest.raises(InputError, match="damaged"):
        study.settled()


def test_further_energies_are_rows_and_adding_one_runs_no_network(asked, tmp_path, monkeypatch):
    reproduce(asked(tmp_path, "table1"))
    monkeypatch.setattr(Reasoner, "step", None)
    reproduce(asked(tmp_path, "table1", energy=("soft=0,beta=1",)))
    table = {row["selector"]: row for row in rows(tmp_path, "tables/table1-selectors")}
    assert table["energy:soft=0,beta=1"]["exact_total"] == table["energy"]["exact_total"]


def test_data_of_a_folder_is_taken_by_name(empty_zoo, tmp_path):
    file = tmp_path / "field" / SUITES["maze"].file
    file.parent.mkdir(parents=True)
    file.write_text("")
    study, _ = plan(Request(tmp_path / "out", data_folder=tmp_path / "field"))
    assert study.files == {"maze": file}
    assert study.source(full(study.budget, SUITES["maze"])[0]).path == file
    generated = study.source(full(study.budget, SUITES["sudoku"])[0])
    assert generated.command.startswith("erm data sudoku --size 9x9") and "--clues 28" in (
        generated.command
    )
    assert not (tmp_path / "out").exists()


def test_ladders_fill_the_papers_width():
    budget, default = BUDGETS["full"], TemperOptions()
    assert (budget.depth, budget.width, budget.rungs) == (64, default.width, default.rungs)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--only", "table9"], "table9"),
        (["--minutes", "0"], "minutes"),
        (["--checkpoint", "sudoku"], "NAME=PATH"),
        (["--checkpoint", "chess=x"], "chess"),
        (["--checkpoint", "sudoku=nowhere"], "nowhere"),
        (["--data", "chess=x"], "chess"),
        (["--data", "sudoku=nowhere"], "nowhere"),
        (["--data", "sudoku=a", "sudoku=b"], "twice"),
        (["--data-folder", "nowhere"], "nowhere"),
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
        plan(Request(tmp_path, checkpoint=(f"maze={tiny_checkpoint}",)))


def test_a_folder_holds_one_study(asked, tmp_path):
    reproduce(asked(tmp_path / "a", "accounting"))
    with pytest.raises(InputError, match="holds a study with budget 'smoke'"):
        reproduce(replace(asked(tmp_path / "a", "accounting"), budget="full"))
    (tmp_path / "b").mkdir()
    (tmp_path / "b/thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="other files"):
        reproduce(asked(tmp_path / "b", "accounting"))


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(None, 0), (signal.SIGTERM, 143)])
def test_the_command_starts_its_own_processes_and_ends_with_them(
    tiny_checkpoint, sudokus, tmp_path, number, code
):
    command = [sys.executable, "-m", "erm", "reproduce", "--out", str(tmp_path / "out")]
    command += ["--budget", "smoke", "--only", "maze16,table1", "--processes", "2"]
    command += ["--checkpoint", f"sudoku={tiny_checkpoint}", "--data", f"sudoku={sudokus}"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    if number is not None:
        process.stderr.readline()
        process.send_signal(number)
    # Returns when the last process that could write to the pipe has ended.
    process.communicate()
    assert process.returncode == code
    if number is None:
        assert len(list((tmp_path / "out/runs/sudoku-full/shards").glob("*.jsonl"))) == 2


def test_each_run_of_a_study_has_a_name_of_its_own(empty_zoo, tmp_path):
    for budget in BUDGETS:
        study, _ = plan(Request(tmp_path, budget))
        for exhibit in EXHIBITS:
            names = [run.name for run in exhibit.runs(study.budget)]
            assert len(names) == len({*names})
        kinds = {run.name: run for run in runs_of(study, EXHIBITS)}
        assert all(kinds[run.name] == run for e in EXHIBITS for run in e.runs(study.budget))
