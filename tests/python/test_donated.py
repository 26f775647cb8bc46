"""Arguments that are donated to compiled functions: results get their memory, and nobody finds another value in them."""

import gc
from dataclasses import dataclass

import numpy as np
import pytest
import weft as wf

N = 1 << 18
GONE = "donated to a compiled function has no value any more"


@pytest.fixture(autouse=True)
def with_kernels():
    with wf.set_tier("compile"):
        yield


def values(n=N):
    return wf.eval(wf.arange(float(n)) * 0.5)


def memory():
    gc.collect()
    return wf.device("cpu").memory_in_use


def address(x):
    return np.asarray(x).ctypes.data


def test_a_result_gets_the_memory_and_the_argument_has_no_value(on_cpu):
    @wf.compile(donate="u")
    def step(u, dt):
        return u + dt * wf.sin(u)

    u = values()
    want = np.asarray(u) + 0.25 * np.sin(np.asarray(u))
    u = values()
    kept = memory()
    for _ in range(3):
        x = values()
        at = address(x)
        gc.collect()
        y = step(x, 0.25)
        assert address(y) == at
        np.testing.assert_allclose(np.asarray(y), want, rtol=1e-14)
        with pytest.raises(wf.Error, match=GONE):
            x.sum().item()
        del x, y
    assert memory() == kept and step.recordings == 1
    assert u[1].item() == 0.5


def test_without_it_the_argument_stays():
    step = wf.compile(lambda u: u * 2 + 1)
    x = values()
    y = step(x)
    assert x[2].item() == 1.0 and y[2].item() == 3.0


def test_memory_that_somebody_else_reads_is_left_alone():
    step = wf.compile(lambda u: u * 2 + 1, donate=0)
    x = values()
    seen, later = np.asarray(x), x * 3  # NumPy's view, and what is still to be computed
    y = step(x)
    assert y[4].item() == 5.0 and seen[4] == 2.0 and later[4].item() == 6.0
    with pytest.raises(wf.Error, match=GONE):
        x.tolist()
    x = values()
    view = x[3:]
    assert wf.compile(lambda u: u + 1, donate=0)(view)[0].item() == 2.5 and x[3].item() == 1.5 and view[0].item() == 1.5


def test_the_same_array_twice_and_an_array_that_comes_back():
    x = values()
    y = wf.compile(lambda a, b: a * 2 + b, donate=("a", "b"))(x, x)
    assert y[4].item() == 6.0
    x = values()
    same, twice = wf.compile(lambda a: (a, a * 2), donate=0)(x)
    assert same[4].item() == 2.0 and twice[4].item() == 4.0


def test_by_keyword_in_containers_and_of_dataclasses():
    @dataclass
    class State:
        u: wf.Array
        v: wf.Array

    @wf.compile(donate="state")
    def step(x, state, *, rate):
        return State(state.u + rate * x, state.v * 2)

    x = values()
    for call in (lambda s: step(x, s, rate=0.5), lambda s: step(x, state=s, rate=0.5), lambda s: step(rate=0.5, state=s, x=x)):
        state = State(values(), values())
        new = call(state)
        assert new.u[4].item() == 3.0 and new.v[4].item() == 4.0 and x[4].item() == 2.0
        for gone in (state.u, state.v):
            with pytest.raises(wf.Error, match=GONE):
                gone.tolist()
    step = wf.compile(lambda pair: [pair[0] + pair[1]], donate=0)
    pair = (values(), values())
    assert step(pair)[0][4].item() == 4.0
    with pytest.raises(wf.Error, match=GONE):
        pair[1].tolist()


def test_dtypes_shapes_and_sizes_of_nothing():
    for dtype in ("int8", "uint16", "float16", "float32", "complex128"):
        step = wf.compile(lambda u: u + u, donate=0)
        for shape in ((), (0, 3), (1,), (7, 5)):
            x = wf.asarray(np.full(shape, 3, dtype))
            np.testing.assert_array_equal(np.asarray(step(x)), np.full(shape, 6, dtype))
            with pytest.raises(wf.Error, match=GONE):
                x.tolist()
    x = values()
    backwards = x[::-1]
    assert step(backwards)[0].item() == N - 1.0 and x[1].item() == 0.5
    assert float(wf.compile(lambda u: u.sum(), donate=0)(values(4))) == 3.0


def test_an_error_before_anything_runs_leaves_the_argument():
    step = wf.compile(lambda u, i: (u * 2)[i], donate="u")
    x = values()
    with pytest.raises(IndexError):
        step(x, wf.asarray([N]))
    assert x[4].item() == 2.0
    assert step(x, wf.asarray([4]))[0].item() == 4.0
    with pytest.raises(wf.Error, match=GONE):
        x.tolist()


@pytest.mark.parametrize("donate, error, says", [
    ("v", ValueError, "compile: donate names parameters of the function: got 'v', which is none of u, rate"),
    (-1, TypeError, "compile: donate takes names of parameters and their places from 0 on: got -1"),
    (1.5, TypeError, "compile: donate takes names of parameters and their places from 0 on: got 1.5"),
    ((0, None), TypeError, "got None"),
])  # fmt: skip
def test_what_names_no_argument_is_an_error(donate, error, says):
    with pytest.raises(error, match=says):
        wf.compile(lambda u, rate: u, donate=donate)


def test_a_function_that_writes_to_what_is_donated_is_an_error():
    def add(u):
        u += 1
        return u * 2

    x = values()
    with pytest.raises(wf.Error, match="compile: the function writes to an argument that is donated: let it return what it computes"):
        wf.compile(add, donate=0)(x)
    assert x[4].item() == 2.0
