import pytest

from erm.errors import InputError
from erm.search.stop import StoppingRule


def test_two_quiet_checks_after_four_steps():
    rule = StoppingRule()
    # The first check compares step 5 with step 4, so no search ends before step 6.
    assert rule.depth([7.0] * 20) == 6
    assert rule.depth([7.0] * 5) == 5
    assert rule.depth([100, 50, 30, 20, 15, 10, 9.95, 9.94, 9]) == 8


def test_a_single_quiet_check_is_not_enough():
    rule = StoppingRule()
    energies = [10, 9, 8, 7, 7, 6, 6, 5, 5, 4, 4, 3]
    assert rule.depth(energies) == len(energies)


def test_the_change_is_relative_and_works_around_zero_and_below():
    rule = StoppingRule()
    assert rule.depth([0.0] * 9) == 6
    assert rule.depth([-1000, -1000, -1000, -1000, -1005, -1009, 0]) == 6
    assert rule.depth([1, 1, 1, 1, 1.005, 0, 0, 0]) == 8


def test_rules_that_make_no_sense_are_errors():
    for wrong in ({"tolerance": -1}, {"checks": 0}, {"minimum": 0}):
        with pytest.raises(InputError):
            StoppingRule(**wrong)
