import numpy as np
import pytest
from pools import make_pool

from erm.errors import InputError
from erm.search.pool import CandidatePool, concatenate_pools, stack_pools


def test_a_pool_survives_saving_with_its_trace_and_terms(tmp_path):
    first = make_pool(
        [[1, 2], [2, 2]], q=[0.5, -1], local=[1, 2], remote=[0, 3], valid=[True, False]
    )
    trace = stack_pools([first, make_pool([[2, 1], [1, 1]], scores={})])
    pool = CandidatePool(
        **{**vars(first), "trace": trace, "scores": {"et": np.array([4.0, 5.0])}},
    )
    pool.save(tmp_path / "pool.npz")
    again = CandidatePool.load(tmp_path / "pool.npz")
    assert again.task == "sudoku"
    for name in ("answers", "q", "valid", "steps"):
        np.testing.assert_array_equal(getattr(again, name), getattr(pool, name))
        assert getattr(again, name).dtype == getattr(pool, name).dtype
    np.testing.assert_array_equal(again.energy.total, [1, 5])
    np.testing.assert_array_equal(again.energy.potentials["connected"], [0, 3])
    np.testing.assert_array_equal(again.scores["et"], [4, 5])
    np.testing.assert_array_equal(again.at(2).answers, [[2, 1], [1, 1]])
    assert not list(tmp_path.glob(".*"))


def test_a_part_of_a_pool_and_pools_put_together():
    pool = make_pool([[1, 1], [2, 2], [3, 3]], q=[1, 2, 3], local=[1, 2, 3])
    part = pool[[2, 0]]
    assert part.q.tolist() == [3, 1]
    assert part.energy.factors["row"].tolist() == [3, 1]
    assert concatenate_pools([part, pool]).answers[:, 0].tolist() == [3, 1, 1, 2, 3]


def test_depths_outside_the_trace_are_errors():
    pool = make_pool([[1, 1]])
    with pytest.raises(InputError, match="without a trace"):
        pool.at(1)
    traced = CandidatePool(**{**vars(pool), "trace": stack_pools([pool])})
    with pytest.raises(InputError, match="1 to 1"):
        traced.at(2)


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 torn"])
def test_a_file_that_is_no_pool_is_one_sentence(tmp_path, content):
    path = tmp_path / "pool.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a candidate pool"):
        CandidatePool.load(path)


def test_pickles_missing_arrays_and_wrong_shapes_are_refused(tmp_path, unchecked):
    path = tmp_path / "pool.npz"
    np.savez(path, answers=np.array([object()], object))
    with pytest.raises(InputError, match="not a candidate pool"):
        CandidatePool.load(path)
    np.savez(path, task=np.array("sudoku"), answers=np.zeros((2, 4), np.int8))
    with pytest.raises(InputError, match="lacks"):
        CandidatePool.load(path)
    with pytest.raises(InputError, match="shape"):
        make_pool([[1, 1]], q=[1, 2])
    with pytest.raises(InputError, match="there is no pool"):
        CandidatePool.load(tmp_path / "none.npz")


def test_a_single_array_is_no_pool(tmp_path):
    np.save(tmp_path / "one.npy", np.zeros(3))
    with pytest.raises(InputError, match="not a candidate pool"):
        CandidatePool.load(tmp_path / "one.npy")
