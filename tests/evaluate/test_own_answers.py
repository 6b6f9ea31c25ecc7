"""Answers of any program as pools: built by hand, and rescored from a file."""

import builtins
import json

import numpy as np
import pytest
import tiny

import erm
from erm.cli.main import main
from erm.errors import InputError
from erm.evaluate.compare import compare
from erm.evaluate.rescore import rescore_answers
from erm.evaluate.run import evaluate
from erm.formats.dataset import load_dataset, save_dataset
from erm.rulebook.answers import format_answer
from erm.search.options import SearchOptions
from erm.search.pool import CandidatePool
from erm.search.solver import load

OPTIONS = SearchOptions(depth=3, width=6, mode="full")
RIGHT = "1234341221434321"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "small.jsonl"
    save_dataset(tiny.puzzles(8, seed=5, clues=(4, 5)), path)
    return load_dataset(path)


@pytest.fixture(scope="module")
def run(tiny_checkpoint, data, tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "run"
    evaluate(tiny_checkpoint, data, OPTIONS, out, save_pools=True, quiet=True)
    return out


def pools(run):
    return [CandidatePool.load(path) for path in sorted((run / "pools").glob("*.npz"))]


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_pool_of_answers_is_that_of_the_search(tiny_checkpoint, data):
    solver = load(tiny_checkpoint)
    found = solver.solve(data[0], 6, 3, mode="full", keep_log_probs=True).candidates
    pool = CandidatePool.from_answers(
        "sudoku", data[0], found.answers, found.log_probs, found.q, steps=found.steps
    )
    for name in ("answers", "q", "valid", "steps", "log_probs"):
        np.testing.assert_array_equal(getattr(pool, name), getattr(found, name))
    np.testing.assert_allclose(pool.confidence, found.confidence, rtol=1e-6)
    np.testing.assert_allclose(pool.energy.total, found.energy.total, rtol=1e-6)
    for rule, term in found.energy.by_rule().items():
        np.testing.assert_allclose(pool.energy.by_rule()[rule], term, rtol=1e-6, atol=1e-9)
    for selector in ("energy", "qhead", "confidence", "majority", "certified"):
        assert erm.select(pool, selector).index == erm.select(found, selector).index
    decoded = CandidatePool.from_answers("sudoku", data[0], [format_answer(one) for one in
                                                             found.answers])  # fmt: skip
    expected = erm.energy(erm.load_task("sudoku"), data[0], found.answers).total
    np.testing.assert_allclose(decoded.energy.total, expected)
    assert not decoded.q.any() and not decoded.confidence.any()
    for selector in ("residual", "convergence"):
        with pytest.raises(InputError, match="answers alone"):
            erm.select(decoded, selector)


def test_answers_that_fit_no_board_are_one_sentence(unchecked):
    make = CandidatePool.from_answers
    for answers in (
        ["12"],
        [[1, 2]],
        [[1.5] * 16],
        [["1"] * 16],
        [[[1], [1, 2]]],
        [None],
        ["9" * 16],
    ):
        with pytest.raises(InputError):
            make("sudoku", "." * 16, answers)
    with pytest.raises(InputError, match="q must be numbers"):
        make("sudoku", "." * 16, [RIGHT], q=[1, 2])
    with pytest.raises(InputError, match="log-probabilities"):
        make("sudoku", "." * 16, [RIGHT], log_probs=np.zeros((1, 16, 9)))
    assert len(make("sudoku", "." * 16, [])) == 0


def test_a_pool_is_a_data_frame(run, monkeypatch):
    pool = pools(run)[0]
    frame = pool.to_dataframe()
    assert len(frame) == 6 and frame["answer"][2] == format_answer(pool.answers[2])
    terms = frame[[name for name in frame if name.startswith("energy_")]].sum(axis=1)
    np.testing.assert_allclose(terms, frame["energy"], rtol=1e-6)
    assert {"q", "confidence", "residual", "convergence", "valid", "steps"} <= {*frame}

    def without_pandas(name, *rest):
        if name == "pandas":
            raise ImportError
        return imported(name, *rest)

    imported = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", without_pandas)
    with pytest.raises(InputError, match="needs pandas"):
        pool.to_dataframe()


def test_a_file_of_answers_counts_as_the_run_that_made_them(run, data, tmp_path):
    before = json.loads((run / "results.json").read_text())
    lines = [
        {
            "puzzle": index if index % 2 else erm.load_task("sudoku").format(data[index]),
            "answers": [one.tolist() if index % 3 else format_answer(one) for one in pool.answers],
            "q": pool.q.tolist(),
            "log_probs": pool.log_probs.tolist(),
            "steps": pool.steps.tolist(),
        }
        for index, pool in enumerate(pools(run))
    ]
    path = write(tmp_path / "answers.jsonl", reversed(lines))
    results = rescore_answers(path, data=data.path, out=tmp_path / "out")
    assert {*before["selectors"]} - {*results["selectors"]} == {"convergence", "residual"}
    for name, row in results["selectors"].items():
        assert row == before["selectors"][name]
    for name in ("puzzles", "base", "pass_at_k", "width_curve", "diagnosis", "data"):
        assert results[name] == before[name]
    assert results["evaluations"] == before["evaluations"]
    assert compare(run, tmp_path / "out").p == 1.0


def test_answers_need_no_data_set(tmp_path, capsys):
    wrong = RIGHT[4:] + RIGHT[:4]
    puzzle = RIGHT[:6] + "." * 10
    path = write(
        tmp_path / "answers.jsonl",
        [
            {"puzzle": puzzle, "answers": [wrong, RIGHT], "answer": RIGHT},
            {"puzzle": "." * 16, "answers": [], "answer": [*map(int, RIGHT)], "task": "sudoku"},
        ],
    )
    results = rescore_answers(path, energies=["energy:soft=0,beta=2"])
    rows = results["selectors"]
    assert {"first", "majority", "energy", "rules", "energy:soft=0,beta=2", "oracle"} <= {*rows}
    assert not {"qhead", "confidence", "energy-gamma", "residual", "energy:soft=0"} & {*rows}
    assert (rows["energy"]["correct"], rows["first"]["correct"], rows["oracle"]["gap"]) == (1, 0, 0)
    assert results["puzzles"] == {"total": 2, "labelled": 2, "certified": 1}
    assert "lost to generation 1" in results["diagnosis"]
    out = tmp_path / "out"
    assert main(["rescore", str(path), "--out", str(out)]) == 0
    assert "lost to generation 1" in " ".join(capsys.readouterr().out.split())
    assert (out / "report.html").exists() and (out / "results.json").exists()
    assert main(["rescore", str(path), "--select", "oracle", "energy", "--json"]) == 0
    assert {*json.loads(capsys.readouterr().out)["selectors"]} == {"energy", "oracle"}


MALFORMED = [
    "no JSON",
    "[1]",
    "{}",
    '{"puzzle": true, "answers": []}',
    '{"puzzle": 8, "answers": []}',
    '{"puzzle": -1, "answers": []}',
    '{"puzzle": "no puzzle at all", "answers": []}',
    '{"puzzle": "4321............", "answers": []}',
    '{"puzzle": 1}',
    '{"puzzle": 1, "answers": "1234"}',
    '{"puzzle": 1, "answers": ["1234"]}',
    '{"puzzle": 1, "answers": [[1, 2]]}',
    '{"puzzle": 1, "answers": [[[1], [1, 2]]]}',
    '{"puzzle": 1, "answers": [null]}',
    '{"puzzle": 1, "answers": [%s]}' % ([10**15] * 16),
    '{"puzzle": 1, "answers": ["9999999999999999"]}',
    '{"puzzle": 1, "answers": [], "answer": "12"}',
    '{"puzzle": 1, "answers": [], "answer": [[1], [1, 2]]}',
    '{"puzzle": 1, "answers": [], "q": [1]}',
    '{"puzzle": 1, "answers": [], "q": {"a": 1}}',
    '{"puzzle": 1, "answers": [], "log_probs": "x"}',
    '{"puzzle": ".", "task": 3, "answers": []}',
    '{"puzzle": ".", "task": "chess", "answers": []}',
    '{"puzzle": 0, "answers": []}',
]


@pytest.mark.parametrize("line", MALFORMED)
def test_a_malformed_line_is_one_sentence_with_its_number(line, data, tmp_path, capsys, unchecked):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"puzzle": 0, "answers": []}\n\n' + line + "\n")
    assert main(["rescore", str(path), "--data", data.path]) == 2
    said = capsys.readouterr().err
    assert "line 3" in said.replace("\n", " ") and "Traceback" not in said


def test_files_without_answers_and_places_without_data(tmp_path, capsys):
    path = tmp_path / "answers.jsonl"
    path.write_text("\n")
    assert main(["rescore", str(path)]) == 2
    path.write_text('{"puzzle": 0, "answers": []}\n')
    assert main(["rescore", str(path)]) == 2
    assert "--data" in capsys.readouterr().err
    assert main(["rescore", str(tmp_path / "none.jsonl")]) == 2
    assert "no such file" in capsys.readouterr().err
