"""300 random functions of numbers, and 100 whose loops count, give what Python gives; scalar_programs.py runs more."""

import pytest
from scalar_programs import COUNTING, difference

GROUP = 10


@pytest.mark.parametrize("group", range(30))
def test_gives_what_python_gives(group):
    for seed in range(1 + group * GROUP, 1 + (group + 1) * GROUP):
        assert difference(seed) == ""


@pytest.mark.parametrize("group", range(10))
def test_gives_what_python_gives_where_loops_count(group):
    for seed in range(COUNTING + group * GROUP, COUNTING + (group + 1) * GROUP):
        assert difference(seed) == ""


@pytest.mark.parametrize("seed", [1762, 2242, 2612, 2683, 2760, 3843, 4447, 5724, 7647])
def test_leaves_out_what_is_behind_the_else_of_a_loop_that_returned(seed):
    assert difference(seed) == ""
