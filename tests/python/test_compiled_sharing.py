"""Compiled functions whose arguments lie in one another's memory: random programs and what they found, beside NumPy and the plain function."""

import hypothesis.strategies as st
import numpy as np
import pytest
import weft as wf
from hypothesis import given

SIZE = 3  # of the square views that programs work on
SCALARS = [0, 1, 2, 3, -1, 0.5, -0.0, 2.5, True, np.float64(1.5), np.int64(3), np.float32(0.25), np.int8(-2)]


@st.composite
def windows(draw):
    """A square view of an array of (5, 6), as a function of that."""
    rows, columns = draw(st.integers(0, 2)), draw(st.integers(0, 3))
    step = draw(st.sampled_from([1, 1, 2]))
    turn = draw(st.sampled_from([lambda x: x, lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x[:, ::-1]]))
    rows = 0 if step == 2 else rows
    return lambda x: turn(x[rows : rows + step * SIZE : step][:SIZE, columns : columns + SIZE])


@st.composite
def statements(draw, count):
    """What a program does next with its `count` names and the scalar; a list means that it returns."""
    i, j = draw(st.integers(0, count - 1)), draw(st.integers(0, count - 1))
    at, to = draw(st.integers(0, SIZE - 1)), draw(st.integers(0, SIZE - 1))
    limit = draw(st.sampled_from([0, 1, 2]))

    def add(v, s):
        v[i] += v[j] * 2 - s

    def multiply(v, s):
        v[i] *= s

    def new(v, s):
        v.append(v[i] - v[j] + s)

    def view(v, s):
        v.append(v[i].T if at else v[i][::-1])

    def rows(v, s):
        v[i][1:] = v[j][:-1] - s

    def whole(v, s):
        v[i][...] = v[j].T

    def one(v, s):
        v[i][at, to] = v[j][to, at]

    def row(v, s):
        v[i][at] -= v[j][:, to]

    def leave(v, s):
        return [v[i], s] if s > limit else None

    def leave_a_part(v, s):
        return [v[j][1:]] if s <= limit else None

    return draw(st.sampled_from([add, multiply, new, view, rows, whole, one, row, leave, leave_a_part]))


@st.composite
def programs(draw):
    count = draw(st.integers(1, 3))
    steps, names = [], count
    for _ in range(draw(st.integers(1, 6))):
        steps.append(draw(statements(names)))
        names += steps[-1].__name__ in ("new", "view")
    kept = draw(st.lists(st.integers(0, names - 1), min_size=1, max_size=3))

    def f(*arguments, s):
        v = list(arguments)
        for step in steps:
            result = step(v, s)
            if result is not None:
                return result
        return [part for k in kept for part in (v[k], v[k][1:], v[k].sum())]

    return count, f


@given(st.data())
def test_random_programs_of_arguments_that_share_memory(data):
    count, f = data.draw(programs())
    compiled = wf.compile(f)
    theirs = [np.arange(30.0).reshape(5, 6), np.arange(30.0).reshape(5, 6) % 7]
    ours, plain = [wf.array(one) for one in theirs], [wf.array(one) for one in theirs]
    calls = data.draw(st.lists(st.tuples(st.lists(st.tuples(st.integers(0, 1), windows()), min_size=count, max_size=count), st.sampled_from(SCALARS)), min_size=1, max_size=3))
    for views, s in [*calls, *calls]:
        want = f(*(window(theirs[which]) for which, window in views), s=s)
        got = compiled(*(window(ours[which]) for which, window in views), s=s)
        also = f(*(window(plain[which]) for which, window in views), s=s)
        for one, other, same in zip(want, got, also, strict=True):
            np.testing.assert_array_equal(np.asarray(other), one)
            np.testing.assert_array_equal(np.asarray(same), one)
        for base, mine, others in zip(theirs, ours, plain, strict=True):
            np.testing.assert_array_equal(np.asarray(mine), base)
            np.testing.assert_array_equal(np.asarray(others), base)
            base %= 64  # all sums stay exact
            mine %= 64
            others %= 64


VIEWS = {
    "same": lambda x: (x, x),
    "same view": lambda x: (x[2:9], x[2:9]),
    "neighbours": lambda x: (x[:-1], x[1:]),
    "apart": lambda x: (x[:5], x[5:]),
    "interleaved": lambda x: (x[::2], x[1::2]),
    "turned": lambda x: (x, x[::-1]),
    "columns": lambda x: (x.reshape(5, 2)[:, 0], x.reshape(5, 2)[:, 1]),
    "bits": lambda x: (x, x.view("i8").view("f8")),
}


@pytest.mark.parametrize("views", VIEWS.values(), ids=VIEWS)
def test_a_function_that_writes_to_shared_memory_gives_values_and_keeps_its_recording(views):
    bodies = []

    def step(x, y):
        bodies.append(1)
        x += 1
        return x[1:], y * 2

    compiled = wf.compile(step)
    a = np.arange(10.0)
    b = wf.array(a)
    for turn in range(3):
        got, want = compiled(*views(b)), step(*views(a))
        if turn == 0:
            recorded = len(bodies)
        for one, other in zip(got, want, strict=True):
            np.testing.assert_array_equal(np.asarray(one), other)
        np.testing.assert_array_equal(np.asarray(b), a)
        got[0][...] = -1  # not a view of the argument
        np.testing.assert_array_equal(np.asarray(b), a)
    assert len(bodies) == recorded + 2  # NumPy's


def test_parts_that_do_not_overlap_share_a_recording_with_arrays_apart():
    bodies = []

    @wf.compile
    def step(x, y):
        bodies.append(1)
        x += y

    u = wf.zeros((6, 8))
    step(wf.ones(8), wf.ones(8))
    for k in range(5):
        step(u[k], u[k + 1])
        step(u[:, k], u[:, k + 1])
    assert len(bodies) == 2  # of 8 elements and of 6


def test_an_argument_that_shows_elements_twice_is_written_as_the_plain_function_does():
    def step(x):
        x += 1

    x = wf.arange(6.0)
    for f in (step, wf.compile(step)):
        with pytest.raises(wf.Error, match="elements are shown twice"):
            f(wf.lib.stride_tricks.sliding_window_view(x, 3, writeable=True))
    assert x.tolist() == list(range(6))


def test_what_an_argument_has_outside_is_read_before_it_is_written_or_refused():
    x = wf.ones(300)

    @wf.compile
    def before(y):
        y += x

    @wf.compile
    def after(y):
        y += 1
        return x.sum()

    for k in range(3):
        before(x)
        assert float(x[7]) == 2.0 ** (k + 1)
    assert float(after(wf.ones(300))) == 2400
    for _ in range(2):
        with pytest.raises(wf.Error, match="reads from outside an array that it takes as an argument, too, and has written to"):
            after(x)
    assert float(after(wf.ones(300))) == 2400 and float(x[0]) == 8


def test_nothing_is_written_where_one_argument_is_read_only():
    @wf.compile
    def step(x, y):
        x += 1
        y += 1

    x = wf.ones(50)
    step(wf.ones(50), wf.ones(50))
    with pytest.raises(wf.Error, match="assignment destination is read-only"):
        step(x, wf.broadcast_to(wf.ones(1), (50,)))
    assert x.tolist() == [1] * 50
