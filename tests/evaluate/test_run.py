"""Evaluation runs end to end, with a real checkpoint and files on the disk."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
import tiny

from erm.cli.main import main
from erm.errors import InputError
from erm.evaluate.run import default_selectors, evaluate, temper_all
from erm.formats.dataset import load_dataset, save_dataset
from erm.rulebook.registry import load_task
from erm.run_folder import RunFolder, Share
from erm.search.options import SearchOptions
from erm.search.pool import CandidatePool
from erm.search.stop import StoppingRule
from erm.search.temper import TemperOptions
from erm.types import Puzzle

OPTIONS = SearchOptions(depth=4, width=6, mode="full")


@pytest.fixture(scope="module")
def data_file(tmp_path_factory):
    """Ten 4x4 Sudokus with answers, and a 6x6 one without."""
    puzzles = tiny.puzzles(10, seed=5, clues=(4, 5))
    puzzles.insert(3, load_task("sudoku").parse("123456" + "." * 30))
    path = tmp_path_factory.mktemp("data") / "small.jsonl"
    save_dataset(puzzles, path)
    return path


@pytest.fixture(scope="module")
def data(data_file):
    return load_dataset(data_file)


@pytest.fixture(scope="module")
def whole(tiny_checkpoint, data, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole") / "run"
    results = evaluate(tiny_checkpoint, data, OPTIONS, out, quiet=True)
    assert results == json.loads((out / "results.json").read_text())
    return out, results


def read_results(folder):
    """All of results.json but times and the commit, which may move on while tests run."""
    results = json.loads((folder / "results.json").read_text())
    del results["commit"]
    results.pop("seconds", None)
    results.get("propagation", {}).pop("seconds", None)
    return results


def test_results_hold_what_a_reader_needs(whole, data):
    _, results = whole
    assert set(results["selectors"]) == {*default_selectors(["sudoku"]), "oracle"}
    oracle = results["selectors"]["oracle"]
    for row in results["selectors"].values():
        assert row["total"] == 10
        assert row["exact"] == row["correct"] / 10
        assert row["interval"][0] <= row["exact"] <= row["interval"][1]
        assert row["correct"] + row["gap"] == oracle["correct"]
        assert 0 <= row["token"] <= 1
    assert results["selectors"]["energy"]["tie_rate"] == 0
    assert results["puzzles"] == results["puzzles"] | {"total": 11, "labelled": 10}
    assert results["evaluations_mean"] == 24
    assert results["data"] == data.describe()
    assert results["tasks"]["sudoku"]["total"] == 11
    assert results["versions"]["torch"] and len(results["checkpoint"]["sha256"]) == 64


def test_samples_hold_each_puzzles_choice_under_each_selector(whole, data):
    out, results = whole
    samples = [json.loads(line) for line in (out / "samples.jsonl").read_text().splitlines()]
    assert [sample["index"] for sample in samples] == list(range(11))
    right = 0
    for sample, puzzle in zip(samples, data, strict=True):
        choice = sample["choices"]["energy"]
        answer = np.array([int(one) for one in choice["answer"]])
        assert choice["valid"] == load_task("sudoku").is_valid(puzzle, answer)
        if puzzle.answer is None:
            assert "correct" not in choice and "oracle" not in sample
        else:
            assert choice["correct"] == (answer == puzzle.answer).all()
            right += choice["correct"]
    assert right == results["selectors"]["energy"]["correct"]


def test_shards_give_the_same_results_and_any_number_of_processes_may_continue(
    tiny_checkpoint, data, tmp_path, whole
):
    for rank in (2, 0):
        some = evaluate(tiny_checkpoint, data, OPTIONS, tmp_path, share=Share(rank, 3), quiet=True)
        assert some is None and not (tmp_path / "results.json").exists()
    assert len(RunFolder(tmp_path).finished()) == 7
    evaluate(tiny_checkpoint, data, OPTIONS, tmp_path, share=Share(1, 2), quiet=True)
    last = evaluate(tiny_checkpoint, data, OPTIONS, tmp_path, share=Share(0, 1), quiet=True)
    assert last is not None
    assert read_results(tmp_path) == read_results(whole[0])


def test_kill_9_at_any_moment_and_the_same_command_continues(
    tiny_checkpoint, data_file, tmp_path, whole
):
    command = [sys.executable, "-m", "erm", "evaluate", str(tiny_checkpoint), str(data_file)]
    command += ["--depth", "4", "--width", "6", "--out", str(tmp_path / "run"), "--quiet"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    shard = tmp_path / "run" / "shards" / "00000.jsonl"
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and not (shard.exists() and shard.stat().st_size):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    written = shard.read_bytes()
    # Killed in the middle of a line, at worst.
    shard.write_bytes(written[: max(written.find(b"\n") + 1 + 40, 40)])
    (tmp_path / "run" / "results.json").unlink(missing_ok=True)
    assert subprocess.run(command, env=environment, stdout=subprocess.DEVNULL).returncode == 0
    assert read_results(tmp_path / "run") == read_results(whole[0])


@pytest.mark.slow
def test_torchrun_splits_a_run(tiny_checkpoint, data_file, tmp_path, whole):
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2"]
    command += ["-m", "erm", "evaluate", str(tiny_checkpoint), str(data_file)]
    command += ["--depth", "4", "--width", "6", "--out", str(tmp_path / "run"), "--quiet"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    shards = sorted((tmp_path / "run" / "shards").glob("*.jsonl"))
    assert [len(shard.read_text().splitlines()) for shard in shards] == [6, 5]
    assert read_results(tmp_path / "run") == read_results(whole[0])


@pytest.mark.slow
def test_a_compiled_run_chooses_the_same_answers(tiny_checkpoint, data, tmp_path, whole, unchecked):
    # Calls of four rows are compiled, the last two of six candidates are not.
    options = replace(OPTIONS, chunk=4)
    results = evaluate(tiny_checkpoint, data, options, tmp_path, quiet=True, compiled=True)
    assert results is not None and results["compiled"]
    assert results["selectors"]["energy"] == whole[1]["selectors"]["energy"]


def test_a_folder_holds_one_run(tiny_checkpoint, data, whole, tmp_path):
    other = SearchOptions(depth=5, width=6, mode="full")
    with pytest.raises(InputError, match="holds a run with options"):
        evaluate(tiny_checkpoint, data, other, whole[0], quiet=True)
    # How the work is cut up does not make it another run.
    faster = SearchOptions(depth=4, width=6, mode="full", chunk=2, rows=3)
    before = read_results(whole[0])
    evaluate(tiny_checkpoint, data, faster, whole[0], quiet=True)
    assert read_results(whole[0]) == before
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="other files"):
        evaluate(tiny_checkpoint, data, OPTIONS, tmp_path, quiet=True)


def test_adaptive_gives_the_searchs_own_answer_as_energy(tiny_checkpoint, data, tmp_path):
    options = SearchOptions(depth=4, width=6, mode="adaptive")
    results = evaluate(
        tiny_checkpoint, data, options, tmp_path, ["energy", "certified"], quiet=True
    )
    assert results["selectors"]["energy"]["valid"] == results["puzzles"]["certified"] > 0
    assert results["evaluations_mean"] < 24


def test_puzzles_without_answers_are_evaluated_without(tiny_checkpoint, data_file, tmp_path):
    blank = [puzzle.with_answer(None) for puzzle in load_dataset(data_file, limit=3)]
    save_dataset(blank, tmp_path / "blank.jsonl")
    data = load_dataset(tmp_path / "blank.jsonl")
    results = evaluate(tiny_checkpoint, data, OPTIONS, tmp_path / "run", quiet=True)
    row = results["selectors"]["energy"]
    assert (row["total"], row["exact"]) == (0, None)
    assert row["valid"] <= results["puzzles"]["certified"] <= 3
    assert main(["evaluate", str(tiny_checkpoint), str(tmp_path / "blank.jsonl"), "--depth", "4",
                 "--width", "6", "--out", str(tmp_path / "run"), "--quiet"]) == 0  # fmt: skip


def test_depth_curves_stopping_and_pools(tiny_checkpoint, data_file, tmp_path):
    data = load_dataset(data_file, limit=3)
    options = SearchOptions(depth=8, width=4, mode="full", trace=True)
    results = evaluate(
        tiny_checkpoint, data, options, tmp_path, ["energy"], save_pools=True, quiet=True
    )
    curve = results["depth_curve"]["energy"]
    assert len(curve["score"]) == len(curve["exact"]) == 8
    energy = results["selectors"]["energy"]
    assert curve["exact"][-1] == pytest.approx(energy["exact"])
    stop = results["stopping"]
    assert 6 <= stop["depth_min"] <= stop["depth_mean"] <= stop["depth_max"] <= 8
    assert stop["total"] == 3
    pool = CandidatePool.load(tmp_path / "pools" / "000001.npz")
    scores = [pool.at(depth).energy.total.min() for depth in range(1, 9)]
    sample = json.loads((tmp_path / "samples.jsonl").read_text().splitlines()[1])
    np.testing.assert_allclose(sample["curve"]["energy"]["score"], scores, atol=1e-5)


def test_energy_stopping_saves_the_steps(tiny_checkpoint, data_file, tmp_path):
    data = load_dataset(data_file, limit=3)
    rests_at_once = StoppingRule(tolerance=1e9, checks=2, minimum=4)
    options = SearchOptions(depth=20, width=4, mode="full", stopping=rests_at_once)
    results = evaluate(tiny_checkpoint, data, options, tmp_path, ["energy"], quiet=True)
    assert (results["depth_mean"], results["evaluations_mean"]) == (6, 6 * 4)


@pytest.mark.parametrize("mode", ["full", "adaptive"])
def test_puzzles_that_run_out_of_time_are_counted(tiny_checkpoint, data_file, tmp_path, mode):
    out = tmp_path / "late"
    asked = ["--mode", mode, "--seconds", "1e-9", "--out", str(out), "--quiet"]
    assert main(["evaluate", str(tiny_checkpoint), str(data_file), *asked]) == 0
    results = read_results(out)
    assert results["puzzles"]["total"] == 11
    assert results["selectors"]["energy"]["total"] == 10
    assert results["options"]["seconds"] == 1e-9
    assert results["evaluations_mean"] < 64 * 128


def test_a_board_that_the_checkpoint_cannot_read_is_said_at_the_start(tiny_checkpoint, tmp_path):
    path = tmp_path / "maze.txt"
    maze = load_task("maze").parse("#####\n#S G#\n#####")
    save_dataset([maze], tmp_path / "maze.jsonl")
    data = load_dataset(tmp_path / "maze.jsonl")
    with pytest.raises(InputError, match="puzzle 1: this checkpoint solves sudoku"):
        evaluate(tiny_checkpoint, data, OPTIONS, path, quiet=True)


def test_tempering_a_data_set(tiny_checkpoint, data, tmp_path):
    options = TemperOptions(depth=4, ladders=2, rungs=3, noise=0.3)
    energies = ["energy", "qhead"]
    results = temper_all(tiny_checkpoint, data, options, energies, tmp_path / "a", quiet=True)
    for row in results["energies"].values():
        assert row["total"] == 10
        assert row["correct"] <= row["oracle_final"]["correct"] <= row["oracle_visited"]["correct"]
        assert len(row["swap_rates"]) == 2
        assert 0 <= row["swap_rate"] <= 1
    assert results["evaluations_mean"] == 4 * 6
    for rank in (0, 1):
        temper_all(
            tiny_checkpoint, data, options, energies, tmp_path / "b", Share(rank, 2), quiet=True
        )
    assert read_results(tmp_path / "a") == read_results(tmp_path / "b")


def test_commands_print_json_and_refuse_nonsense(tiny_checkpoint, data_file, tmp_path, capsys):
    def run(command, *options):
        arguments = [command, str(tiny_checkpoint), str(data_file), "--quiet", *options]
        return main(arguments)

    small = ["--limit", "2", "--depth", "2"]
    assert run("evaluate", *small, "--width", "2", "--out", str(tmp_path / "e"), "--json") == 0
    assert json.loads(capsys.readouterr().out)["puzzles"]["total"] == 2
    shape = ["--ladders", "1", "--rungs", "2"]
    assert run("temper", *small, *shape, "--out", str(tmp_path / "t"), "--json") == 0
    assert json.loads(capsys.readouterr().out)["evaluations_mean"] == 4
    for wrong, word in (
        (["--depth", "0"], "depth"),
        (["--limit", "0"], "limit"),
        (["--select", "best"], "best"),
    ):
        assert run("evaluate", *wrong, "--out", str(tmp_path / "w")) == 2
        assert word in capsys.readouterr().err
        assert not (tmp_path / "w").exists()
    assert main(["evaluate", "nowhere", str(data_file)]) == 2
    assert "nowhere" in capsys.readouterr().err


def test_small_and_large_boards_are_told_apart(tiny_checkpoint, tmp_path, capsys):
    large = Puzzle("sudoku", 16, 16, {"digits": np.zeros((16, 16), np.int8)})
    save_dataset([*tiny.puzzles(2, seed=5), large], tmp_path / "both.jsonl")
    arguments = ["evaluate", str(tiny_checkpoint), str(tmp_path / "both.jsonl"), "--quiet"]
    options = ["--depth", "2", "--width", "1", "--out", str(tmp_path / "run")]
    assert main([*arguments, *options]) == 0
    printed = capsys.readouterr()
    rows = [line for line in (printed.out + printed.err).splitlines() if "sudoku" in line]
    assert "up to 10" in rows[0] and "/2 " in rows[0]
    assert "16 to 20" in rows[1] and "0/1 " in rows[1]
