"""A run's folder: one owner, one command, lines that survive a kill."""

import json
import subprocess
import sys

import pytest

from erm.errors import InputError
from erm.run_folder import RunFolder, Share, Snapshots, lock, run_sharded


def append(folder, rank, *samples):
    with folder.shard(rank) as shard:
        for sample in samples:
            shard.append(sample)


def test_a_line_that_was_cut_short_is_dropped_and_done_again(tmp_path):
    folder = RunFolder(tmp_path)
    append(folder, 0, {"index": 0}, {"index": 1})
    shard = tmp_path / "shards" / "00000.jsonl"
    shard.write_bytes(shard.read_bytes()[:-5])
    assert set(folder.finished()) == {0}
    done = list(run_sharded(folder, 3, lambda left: ({"index": i} for i in left), Share()))
    assert [sample["index"] for sample in done] == [1, 2]
    assert len(shard.read_bytes().splitlines()) == 3


def test_a_damaged_line_is_named(tmp_path):
    folder = RunFolder(tmp_path)
    append(folder, 0, {"index": 0})
    (tmp_path / "shards" / "00000.jsonl").write_bytes(b'{"index": 0}\nnonsense\n{"index": 2}\n')
    with pytest.raises(InputError, match="line 2"):
        folder.finished()


def test_a_later_line_adds_to_a_sample(tmp_path):
    folder = RunFolder(tmp_path)
    append(folder, 0, {"index": 0, "depth": 4, "choices": {"a": 1}})
    append(folder, 1, {"index": 0, "choices": {"b": 2}})
    assert folder.finished() == {0: {"index": 0, "depth": 4, "choices": {"a": 1, "b": 2}}}


def test_any_number_of_processes_may_continue(tmp_path):
    folder = RunFolder(tmp_path)

    def work(left):
        return ({"index": index} for index in left)

    list(run_sharded(folder, 7, work, Share(2, 3)))
    assert set(folder.finished()) == {2, 5}
    assert [s["index"] for s in run_sharded(folder, 7, work, Share(1, 2))] == [1, 3]
    assert [s["index"] for s in run_sharded(folder, 7, work, Share(0, 1))] == [0, 4, 6]


def test_a_folder_belongs_to_one_command(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.claim({"options": {"depth": 4, "width": 2}, "seed": 0, "selectors": ["a"]})
    folder.claim({"options": {"depth": 4, "width": 2}, "seed": 0}, optional=("selectors",))
    with pytest.raises(InputError, match=r"options {'depth': 4}, not {'depth': 5}"):
        folder.claim({"options": {"depth": 5, "width": 2}, "seed": 0}, optional=("selectors",))
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="other files"):
        RunFolder(tmp_path / "thesis").claim({"seed": 0})
    (tmp_path / "run" / "config.json").write_text("[1")
    with pytest.raises(InputError, match="no JSON"):
        folder.claim({"seed": 0})


HOLD = """
import sys
from pathlib import Path
from erm.run_folder import RunFolder
with RunFolder(Path(sys.argv[1])).shard(0) as shard:
    shard.append({"index": 0})
    print("held", flush=True)
    sys.stdin.read()
"""


def test_two_runs_in_one_folder_are_told_apart_and_a_kill_lets_go(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(InputError, match=f"process {holder.pid} on .* same run"):
            append(RunFolder(tmp_path), 0, {"index": 1})
        append(RunFolder(tmp_path), 1, {"index": 1})
        holder.kill()
    append(RunFolder(tmp_path), 0, {"index": 2})
    assert set(RunFolder(tmp_path).finished()) == {0, 1, 2}


def test_a_lock_that_waits_gets_its_turn(tmp_path):
    waiter = """
import sys
from pathlib import Path
from erm.run_folder import lock
print("asks", flush=True)
with lock(Path(sys.argv[1]), wait=True):
    print(Path(sys.argv[2]).read_text(), flush=True)
"""
    note = tmp_path / "note"
    command = [sys.executable, "-c", waiter, str(tmp_path / "lock"), str(note)]
    with lock(tmp_path / "lock"):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None and process.stdout.readline() == "asks\n"
        note.write_text("written under the lock")
    assert process.communicate()[0] == "written under the lock\n"


def test_a_finished_run_reads_back(tmp_path):
    folder = RunFolder(tmp_path)
    assert not folder.is_done
    with pytest.raises(InputError, match="no finished run"):
        folder.read_samples()
    folder.finish([{"index": 0, "text": "ü"}], {"right": 1})
    assert folder.is_done and folder.read_samples() == [{"index": 0, "text": "ü"}]
    assert folder.read_results() == {"right": 1} == json.loads(folder.results.read_text())


def test_torchrun_environment_is_read_strictly(monkeypatch):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert Share.from_environment() == (1, 4)
    monkeypatch.setenv("RANK", "4")
    with pytest.raises(InputError, match="RANK"):
        Share.from_environment()


def test_snapshots_are_whole_or_not_there_and_old_ones_go(tmp_path, capsys):
    snapshots = Snapshots(tmp_path, {"step": int}, kept=2)
    assert snapshots.newest() is None
    for step in (1, 2, 3):
        snapshots.begin(step)
        (snapshots.place(step) / "weights").write_text(f"of step {step}")
        snapshots.seal(step, {"step": step})
    assert not snapshots.place(1).exists()
    place, said = snapshots.newest() or pytest.fail("nothing was kept")
    assert place == snapshots.place(3) and said["step"] == 3
    assert said["files"].keys() == {"weights"}

    snapshots.begin(4)  # Killed before its manifest was written: it is not there.
    assert (snapshots.newest() or pytest.fail("nothing was kept"))[0] == place
    (place / "weights").write_text("of another step")
    place, said = snapshots.newest() or pytest.fail("nothing was kept")
    assert said["step"] == 2
    assert "weights does not match its hash" in " ".join(capsys.readouterr().err.split())
    (place / "weights").unlink()
    assert snapshots.newest(quiet=True) is None


def test_a_folder_that_another_process_claims_just_now_is_shared_or_refused(tmp_path, monkeypatch):
    def claimed_meanwhile(folder):
        folder.path.mkdir(exist_ok=True)
        folder.config.write_text('{"seed": 1}')
        return folder.path.iterdir()

    monkeypatch.setattr(RunFolder, "_entries", claimed_meanwhile)
    RunFolder(tmp_path / "same").claim({"seed": 1})
    with pytest.raises(InputError, match="holds a run with"):
        RunFolder(tmp_path / "other").claim({"seed": 2})
