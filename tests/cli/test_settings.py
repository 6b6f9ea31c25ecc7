"""`--config run.yaml` beside options, and back into a file beside the results."""

from __future__ import annotations

from pathlib import Path

import pytest
import tiny
import yaml

from erm.cli.evaluate import Evaluate
from erm.cli.main import USAGE, main
from erm.cli.settings import FILE, expand, includes, write
from erm.cli.temper import Temper
from erm.errors import InputError
from erm.formats.dataset import save_dataset


@pytest.fixture
def config(tmp_path: Path):
    def made(text: str) -> str:
        (tmp_path / "settings.yaml").write_text(text)
        return str(tmp_path / "settings.yaml")

    return made


def test_what_a_file_says_stands_where_it_would_be_typed(config):
    path = config("checkpoint: sudoku\ndata: a.csv\ndepth: 8\nselect: [energy, qhead]\ncurve: true")
    assert expand("evaluate", ["--config", path]) == [
        *("sudoku", "a.csv", "--depth", "8", "--select", "energy", "qhead", "--curve")
    ]
    typed = ["tapa", "b.csv", f"--config={path}", "--depth", "4", "--select=first"]
    assert expand("evaluate", typed) == [
        *("tapa", "b.csv", "--curve", "--depth", "4", "--select=first")
    ]
    assert expand("evaluate", ["sudoku", "a.csv"]) == ["sudoku", "a.csv"]
    assert expand("import", ["--config", path]) == ["--config", path]


def test_what_is_switched_off_is_typed_only_where_it_is_on(config):
    path = config("preset: cpu/sudoku\naugment: false\ntensorboard: false\nsteps: 5\ninit: null")
    assert expand("train", ["--config", path]) == ["cpu/sudoku", "--no-augment", "--steps", "5"]
    assert expand("evaluate", ["a", "b", "--config", config("curve: false")]) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("- a\n- b\n", "must hold lines of NAME: VALUE"),
        ("depth: {a: 1}", "depth must be a word, a number, a list"),
        ("select: [[a]]", "select must be a plain list"),
        ("a: &x 1\nb: *x", "aliases"),
    ],
)
def test_what_is_no_settings_is_one_sentence(config, text, complaint):
    with pytest.raises(InputError, match=complaint):
        expand("evaluate", ["a", "b", "--config", config(text)])


def test_mistakes_of_the_command_line_are_one_sentence(config, tmp_path, capsys):
    for arguments in (["--config"], ["--config", "none.yaml"]):
        assert main(["evaluate", "a", "b", *arguments]) == USAGE
    assert "no such file: none.yaml" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", "a", "b", "--config", config("no_such_option: 3")])
    assert stopped.value.code == USAGE and "--no-such-option" in capsys.readouterr().err


def test_options_are_written_as_they_were_asked_for(tmp_path):
    typed = ["cpu/sudoku", "--no-compile", "--steps", "5", "--data", "a b", "c", "--sigma=-1.5"]
    write("train", [*typed, "--out", str(tmp_path), "--quiet"], tmp_path)
    assert yaml.safe_load((tmp_path / FILE).read_text()) == {
        "preset": "cpu/sudoku",
        "compile": False,
        "steps": 5,
        "data": ["a b", "c"],
        "sigma": -1.5,
    }


def test_a_run_is_made_again_from_what_it_wrote(tiny_checkpoint, tmp_path, capsys):
    save_dataset(tiny.puzzles(2, seed=5, clues=(4, 5)), tmp_path / "small.jsonl")
    command = ["evaluate", str(tiny_checkpoint), str(tmp_path / "small.jsonl"), "--quiet"]
    small = ["--depth", "2", "--width", "2", "--select", "first", "energy"]
    assert main([*command, *small, "--out", str(tmp_path / "one")]) == 0
    again = ["evaluate", "--config", str(tmp_path / "one" / FILE), "--quiet"]
    assert main([*again, "--out", str(tmp_path / "two")]) == 0
    one, two = (yaml.safe_load((tmp_path / run / FILE).read_text()) for run in ("one", "two"))
    assert one == two and one["select"] == ["first", "energy"]
    written = [(tmp_path / run / "config.json").read_text() for run in ("one", "two")]
    assert written[0] == written[1]
    capsys.readouterr()


def test_a_command_that_is_refused_leaves_what_a_run_was_asked_for(
    tiny_checkpoint, tmp_path, capsys
):
    save_dataset(tiny.puzzles(2, seed=5, clues=(4, 5)), tmp_path / "small.jsonl")
    command = ["evaluate", str(tiny_checkpoint), str(tmp_path / "small.jsonl"), "--quiet"]
    run = ["--depth", "2", "--width", "2", "--out", str(tmp_path / "one")]
    assert main([*command, *run]) == 0
    before = written(tmp_path / "one")
    assert main([*command, *run, "--seed", "3"]) == USAGE
    assert "holds a run with" in capsys.readouterr().err
    assert written(tmp_path / "one") == before and "seed" not in before


def test_files_to_include_are_told_apart_from_options(config, tmp_path):
    path = config("include: [mine.py, folder]\ndepth: 8")
    assert includes("evaluate", ["--config", path]) == ["mine.py", "folder"]
    assert expand("evaluate", ["a", "b", "--config", path]) == ["a", "b", "--depth", "8"]
    assert includes("evaluate", ["--config", config("include: mine.py")]) == ["mine.py"]
    assert includes("evaluate", ["a", "b"]) == []
    with pytest.raises(InputError, match="include must be a file or a list of files"):
        includes("evaluate", ["--config", config("include: [3]")])


@pytest.mark.parametrize(
    ("make", "others"),
    [
        (Evaluate, [{"precision": "bfloat16"}, {"compile": True}, {"cadence": 2}]),
        (
            Temper,
            [
                {"ladders": 16, "rungs": 8},
                {"noise": 0.2},
                {"heat": 2.0},
                {"span": 10.0},
                {"precision": "bfloat16"},
                {"temperatures": (0.001, 1.0)},
            ],
        ),
    ],
)
def test_a_folder_that_was_not_named_tells_runs_apart(make, others):
    def named(**options) -> Path:
        return make("sudoku", Path("puzzles.csv"), **options).default_out()

    assert len({named(), *(named(**one) for one in others)}) == 1 + len(others)
    assert all(str(named(**one)).startswith("runs/sudoku-puzzles-") for one in others)


def test_a_folder_that_was_not_named_tells_trainings_apart():
    named = Evaluate("runs/mine/checkpoint", Path("puzzles.csv")).default_out()
    assert named.name.startswith("mine-puzzles-full-")


def test_all_selectors_share_the_folder_of_one_run():
    few = Evaluate("sudoku", Path("puzzles.csv"), select=("energy",)).default_out()
    assert few == Evaluate("sudoku", Path("puzzles.csv"), energy=("tau=2",)).default_out()


def written(folder: Path) -> dict:
    return yaml.safe_load((folder / FILE).read_text())


def test_a_training_is_made_again_from_what_it_wrote(tmp_path, capsys):
    save_dataset(tiny.puzzles(8, seed=5, clues=(4, 5)), tmp_path / "small.jsonl")
    small = (
        "--no-compile --no-augment --steps 2 --batch 2 --hidden 8 --inner 8 --l-cycles 1 --lr 0.002"
    )
    command = ["train", "cpu/sudoku", *small.split(), "--data", str(tmp_path / "small.jsonl")]
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    assert main([*command, "--seed=7", "--out", str(one)]) == 0
    assert main(["train", "--config", str(one / FILE), "--out", str(two)]) == 0
    assert written(one) == written(two)
    assert written(one)["compile"] is False and written(one)["lr"] == 0.002
    weights = [(run / "checkpoint" / "model.safetensors").read_bytes() for run in (one, two)]
    assert weights[0] == weights[1]
    # What is typed goes before the file, and is what is written back.
    again = ["train", "--config", str(one / FILE), "--seed", "8", "--out", str(three)]
    assert main(again) == 0
    assert written(three) == {**written(one), "seed": 8}
    assert (three / "checkpoint" / "model.safetensors").read_bytes() != weights[0]
    # The same command continues: it has nothing left to do.
    assert main(["train", "--config", str(one / FILE), "--out", str(one)]) == 0
    capsys.readouterr()


def test_a_study_is_made_again_from_what_it_wrote(tiny_checkpoint, tmp_path, capsys):
    save_dataset(tiny.puzzles(2, seed=5, clues=(4, 5)), tmp_path / "small.jsonl")
    given = [
        "--checkpoint",
        f"sudoku={tiny_checkpoint}",
        "--data",
        f"sudoku={tmp_path}/small.jsonl",
    ]
    command = ["reproduce", "--budget", "smoke", "--only", "accounting", *given, "--quiet"]
    one, two = tmp_path / "one", tmp_path / "two"
    assert main([*command, "--out", str(one)]) == 0
    assert written(one)["only"] == "accounting" and "out" not in written(one)
    assert main(["reproduce", "--config", str(one / FILE), "--quiet", "--out", str(two)]) == 0
    assert written(one) == written(two)
    tables = [sorted(path.name for path in (run / "tables").iterdir()) for run in (one, two)]
    assert tables[0] == tables[1] != []
    capsys.readouterr()
