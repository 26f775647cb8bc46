"""Functions recorded once: the same answers without recording, and never an answer that a look at a value has fixed."""

import collections
import dataclasses
import functools
import gc
import inspect
import pickle
import weakref
from typing import NamedTuple

import numpy as np
import pytest
import weft as wf


def test_later_calls_record_nothing():
    calls = []

    @wf.compile
    def f(x, y, n):
        calls.append(1)
        for _ in range(n):
            x = x * y + 1
        return x

    for k in range(4):
        x, y = np.arange(600.0) + k, np.full(600, 0.5)
        got = f(wf.asarray(x), wf.asarray(y), 2)
        np.testing.assert_allclose(np.asarray(got), (x * y + 1) * y + 1)
    assert len(calls) == 1
    f(wf.zeros(3), wf.zeros(3), 2)
    f(wf.zeros(600), wf.zeros(600), 3)
    assert len(calls) == 3


def test_results_arguments_and_captured_arrays():
    scale = wf.arange(4) * 10.0

    @wf.compile
    def f(x):
        return x, scale, [x * scale][0], wf.sum(x)

    x, same, product, total = f(wf.ones(4))
    assert x.tolist() == [1] * 4 and same.tolist() == [0, 10, 20, 30]
    assert product.tolist() == [0, 10, 20, 30] and float(total) == 4


def test_writes_to_arguments_happen():
    @wf.compile
    def step(u, v):
        u[1:-1] = u[1:-1] + v[1:-1]
        v *= 2

    a, b = np.ones((40, 40)), np.ones((40, 40))
    u, v = wf.asarray(a), wf.asarray(b)
    for _ in range(3):
        assert step(u, v) is None
        a[1:-1] += b[1:-1]
        b *= 2
    np.testing.assert_array_equal(np.asarray(u), a)
    np.testing.assert_array_equal(np.asarray(v), b)
    step(u[:20], v[20:])
    a[1:19] += b[21:39]
    np.testing.assert_array_equal(np.asarray(u), a)


def test_one_array_in_two_places_is_written_as_without_compiling():
    def step(u, v):
        u += v
        v *= 2
        return u - v

    compiled = wf.compile(step)
    for views in (lambda x: (x, x), lambda x: (x[:-1], x[1:]), lambda x: (x[:5], x[5:]), lambda x: (x[0:9], x[::-1][1:])):
        a = np.arange(10.0)
        b = wf.asarray(a.copy())
        for _ in range(2):
            np.testing.assert_array_equal(np.asarray(compiled(*views(b))), step(*views(a)))
            np.testing.assert_array_equal(np.asarray(b), a)


@pytest.mark.parametrize("look", [bool, float, np.asarray, lambda x: x.tolist(), lambda x: wf.eval(x * 2), lambda x: len(x[x > 0]),
                                  lambda x: float((x * 2).sum()), lambda x: wf.unique(x)])
@pytest.mark.parametrize("shape", [(1,), (1000,)])
def test_values_cannot_be_looked_at(look, shape):
    @wf.compile
    def f(x):
        look(x)
        return x + 1

    with pytest.raises((ValueError, TypeError)):
        f(wf.ones(shape))


def test_what_cannot_be_recorded():
    with pytest.raises(TypeError, match="give arrays"):
        wf.compile(lambda x: object())(wf.ones(2))
    with pytest.raises(TypeError, match="give arrays.*got object"):
        wf.compile(lambda x: [x, object()])(wf.ones(2))
    for unseen in (dict.fromkeys(range(300)).keys(), collections.deque(range(300))):
        with pytest.raises(TypeError, match="compile: takes arrays, values that can be hashed"):
            wf.compile(lambda x, y: x)(wf.ones(2), unseen)
        with pytest.raises(TypeError, match="compile: takes arrays, values that can be hashed"):
            wf.compile(lambda x, y: x)(wf.ones(2), y=unseen)
    with pytest.raises(TypeError, match="compile: takes a function: got int"):
        wf.compile(3)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        wf.compile(lambda x, y: x)(x=wf.ones(2))


def test_numbers_are_told_apart_by_sign_dtype_and_nan():
    calls = []

    @wf.compile
    def f(x, n):
        calls.append(n)
        return wf.copysign(x, n[0] if isinstance(n, tuple) else n)

    x = wf.ones(3)
    for zero in (0.0, np.float32(0), (np.float32(0), 1), (0.0, 1)):
        assert f(x, zero).tolist() == [1] * 3
    for zero in (-0.0, np.float32(-0.0), (np.float32(-0.0), 1), (-0.0, 1)):
        assert f(x, zero).tolist() == [-1] * 3
    assert len(calls) == 6  # floats are arguments of one recording, in tuples too
    for _ in range(3):
        f(x, float("nan")), f(x, np.float32("nan")), f(x, 1), f(x, True), f(x, 1.0)
    assert len(calls) == 9


def test_recordings_for_several_kinds_of_arguments_stand_beside_each_other():
    calls = []

    @wf.compile
    def f(*args):
        calls.append(len(args))
        return [a + 1 for a in args if isinstance(a, wf.Array)]

    for _ in range(3):
        for n in range(5):
            assert [r.tolist() for r in f(*[wf.full(k + 1, k) for k in range(n)])] == [[k + 1] * (k + 1) for k in range(n)]
            assert [r.tolist() for r in f("a", wf.zeros(n), n)] == [[1] * n]
    assert len(calls) == 10
    with pytest.raises(TypeError, match="unexpected keyword argument 'x'"):
        f(x=wf.ones(2))


class Layer(NamedTuple):
    weight: wf.Array
    bias: wf.Array


def test_keywords_and_containers_of_arrays():
    calls = []

    @wf.compile
    def f(layers, /, x, *, scale=1, options=None):
        calls.append(1)
        for layer in layers:
            x = x @ layer.weight + layer.bias
        named = {"sum": x.sum(), "none": None, "parts": [x, (x * scale,)], "last": layers[-1]}
        return named if options is None else named[options["name"]]

    def layers(k):
        return [Layer(wf.full((3, 3), k), wf.ones(3)), Layer(wf.eye(3) * k, wf.zeros(3))]

    for k in (1.0, 2.0):
        for x in (wf.ones(3), np.ones(3)):
            got = f(layers(k), x=x, scale=2)
            want = (np.ones(3) @ np.full((3, 3), k) + 1) * k
            assert list(got) == ["sum", "none", "parts", "last"] and got["none"] is None
            assert type(got["parts"]) is list and type(got["parts"][1]) is tuple and type(got["last"]) is Layer
            assert got["parts"][0].tolist() == want.tolist() and got["parts"][1][0].tolist() == (2 * want).tolist()
            assert float(got["sum"]) == want.sum() and got["last"].weight.tolist() == (np.eye(3) * k).tolist()
    assert len(calls) == 2  # NumPy's array and Weft's
    assert f(layers(1.0), wf.ones(3), options={"name": "parts"})[0].tolist() == [4, 4, 4]
    assert f((Layer(wf.eye(3), wf.zeros(3)),), wf.ones(3), options={"name": "sum"}).tolist() == 3
    assert len(calls) == 4
    f(layers(3.0), scale=2, x=wf.ones(3))
    assert len(calls) == 5 or len(calls) == 4


def test_writes_through_containers_happen_and_those_to_arrays_of_numpy_raise():
    @wf.compile
    def step(state, rate=0.5):
        state["w"] -= rate * state["g"]
        state["steps"][0][...] = state["steps"][0] + 1

    state = {"w": wf.ones(4), "g": wf.ones(4), "steps": [wf.zeros(1)]}
    for _ in range(3):
        assert step(state) is None
    assert state["w"].tolist() == [-0.5] * 4 and state["steps"][0].tolist() == [3]
    shared = wf.ones(4)
    step({"w": shared, "g": shared, "steps": [wf.zeros(1)]})
    assert shared.tolist() == [0.5] * 4
    with pytest.raises(ValueError, match="read-only"):
        step({"w": np.ones(4), "g": wf.ones(4), "steps": [wf.zeros(1)]})
    x = np.arange(3.0)
    double = wf.compile(lambda x: x * 2)
    for _ in range(2):
        assert double(x).tolist() == (x * 2).tolist()
        x += 1


@wf.compile
def doubled(x, /):
    """Twice x."""
    return x * 2


def test_a_compiled_function_looks_like_the_one_it_was_made_of():
    assert doubled.__name__ == "doubled" and doubled.__doc__ == "Twice x."
    assert str(inspect.signature(doubled)) == "(x, /)"
    assert pickle.loads(pickle.dumps(doubled)) is doubled

    class Model:
        weight = 3

        @wf.compile
        def scaled(self, x):
            return x * self.weight

    assert Model().scaled(wf.ones(2)).tolist() == [3, 3]


def test_a_compiled_function_and_what_it_was_called_with_are_freed():
    class Key:
        pass

    def make():
        @wf.compile
        def f(x, key):
            return x if f else key

        key = Key()
        f(wf.ones(2), key)
        return weakref.ref(f), weakref.ref(key)

    f, key = make()
    gc.collect()
    assert f() is None and key() is None


def test_what_a_compiled_function_raises_leaves_it_usable():
    @wf.compile
    def f(x, n):
        if n < 0:
            raise KeyError("n")
        return x + n

    for _ in range(2):
        with pytest.raises(KeyError):
            f(wf.ones(2), -1)
        assert f(wf.ones(2), 1).tolist() == [2, 2]


@pytest.mark.parametrize("size", [3, 300_000])
def test_a_compiled_function_writes_to_its_arguments_and_to_new_arrays_alone(size):
    state = wf.zeros(size)

    def count(x):
        state[0] = x[0]
        return state.sum()

    with pytest.raises(wf.Error, match="compile: the function writes to an array that it did not take"):
        wf.compile(count)(wf.ones(3))
    assert state[:3].tolist() == [0, 0, 0]

    def apart(x):
        y = wf.zeros(size)
        y[0] = x[0]
        x[1] = 7
        return y

    x = wf.ones(3)
    assert wf.compile(apart)(x)[:2].tolist() == [1, 0]
    assert x.tolist() == [1, 7, 1]


def test_compiled_functions_call_compiled_functions():
    twice = wf.compile(lambda x, by=2: x * by)
    f = wf.compile(lambda x: twice(x) + twice(x, by=3))
    assert f(wf.ones(2)).tolist() == [5, 5] == f(wf.ones(2)).tolist()


@dataclasses.dataclass
class Parameters:
    weight: wf.Array
    rate: float = 2.0
    names: set = dataclasses.field(default_factory=set)


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    weight: wf.Array
    rate: float


class Unhashable:
    __hash__ = None

    def __init__(self):
        self.rate = 1.0


@dataclasses.dataclass
class Caching:
    rate: float

    @functools.cached_property
    def twice(self):
        return self.rate * 2


def test_what_reading_caches_is_no_change_of_an_argument():
    f = wf.compile(lambda x, of: x * of.twice)
    assert f(wf.ones(1), Caching(2.0)).tolist() == [4] == f(wf.ones(1), Caching(2.0)).tolist()
    assert f(wf.ones(1), Caching(3.0)).tolist() == [6]


def test_sets_dataclasses_and_objects_without_a_hash_are_arguments():
    calls = []

    @wf.compile
    def f(x, given):
        calls.append(1)
        given.weight[0] = 5
        return x * given.weight * given.rate * (1 + len(getattr(given, "names", ())))

    for _ in range(2):
        assert f(wf.ones(2), Parameters(wf.ones(2))).tolist() == [10, 2]
        assert f(wf.ones(2), Parameters(wf.ones(2), names={"a", "b"})).tolist() == [30, 6]
        assert f(wf.ones(2), Frozen(wf.ones(2), 3.0)).tolist() == [15, 3]
    assert len(calls) == 3
    weight = wf.ones(2)
    f(wf.ones(2), Parameters(weight))
    assert weight.tolist() == [5, 1]

    counted = wf.compile(lambda x, names: x * len(names))
    assert [counted(wf.ones(1), names).tolist() for names in ({1}, {1, 2}, {True, 2}, set())] == [[1], [2], [2], [0]]
    rated, one, many = wf.compile(lambda x, of: x * of.rate), Unhashable(), collections.deque([2.0])
    first = wf.compile(lambda x, of: x * of[0])
    for _ in range(3):
        assert rated(wf.ones(1), one).tolist() == [one.rate]
        assert first(wf.ones(1), many).tolist() == [many[0]]
        one.rate += 1
        many[0] += 1


@pytest.mark.parametrize(
    "change",
    [lambda x: x["w"].append(1), lambda x: x.update(v=x["v"] + 1), lambda x: x.pop("v"), lambda x: setattr(x["p"], "rate", 1.0), lambda x: x["p"].names.add(3)],
)
def test_containers_that_were_taken_are_not_changed_without_a_word(change):
    def f(x):
        change(x)
        return x["p"].weight + 1

    with pytest.raises(wf.Error, match="compile: the function changed a list, dict, set or dataclass that it took"):
        wf.compile(f)({"w": [1], "v": wf.ones(2), "p": Parameters(wf.ones(2))})


@pytest.mark.parametrize("change", [lambda x: x.resize(5), lambda x: x.setflags(write=False)])
def test_arguments_are_neither_resized_nor_guarded_inside(change):
    def f(x):
        change(x)
        return x + 1

    with pytest.raises(wf.Error, match="inside of a compiled function"):
        wf.compile(f)(wf.ones(3))
    assert wf.compile(lambda x: wf.diagonal(x) + 1)(wf.ones((2, 2))).tolist() == [2, 2]


def test_slices_are_arguments():
    f = wf.compile(lambda x, part: x[part] * 2)
    x = wf.arange(6).reshape(2, 3)
    assert f(x, slice(0, 1)).tolist() == [[0, 2, 4]] and f(x, slice(1, None)).tolist() == [[6, 8, 10]]
    assert f(x, (slice(None), slice(None, None, 2))).tolist() == [[0, 4], [6, 10]] and f(x, part=(1, slice(2))).tolist() == [6, 8]


def _put(x, i):
    x[i] = 1.0


def _put_behind(x, i):
    x += 1
    wf.put(x, i, [7.0, 8.0])
    return x.sum()


@pytest.mark.parametrize(
    "f",
    [lambda x, i: x[i], lambda x, i: x[:, i], lambda x, i: x[i, :, i] * 2, lambda x, i: x[i - 1], lambda x, i: x[wf.ix_(i, i)], lambda x, i: x.flat[i],
     lambda x, i: wf.take(x, i), lambda x, i: wf.take(x + 1, i, axis=1), lambda x, i: x.take(i, 0), lambda x, i: wf.take_along_axis(x, i[:, None, None], 0),
     lambda x, i: wf.add.at(x, i, 2.0), lambda x, i: wf.put_along_axis(x, i[:, None, None], 9.0, 0), _put, _put_behind],
)
@pytest.mark.parametrize("dtype", ["i8", "i1", "u8"])
def test_positions_are_arguments_and_held_to_their_axis_in_each_call(f, dtype):
    compiled = wf.compile(f)
    values = np.arange(60.0).reshape(5, 4, 3)
    for positions in ([1, 2, 2, 1, 1], [2, 1, 1, 1, 2]):
        i = np.array(positions, dtype)
        got, want = wf.asarray(values.copy()), wf.asarray(values.copy())
        result, expected = compiled(got, wf.asarray(i)), f(want, wf.asarray(i))
        assert (result is None) == (expected is None)
        if expected is not None:
            np.testing.assert_array_equal(np.asarray(result), np.asarray(expected))
        np.testing.assert_array_equal(np.asarray(got), np.asarray(want))
    kept = wf.asarray(values.copy())
    with pytest.raises(IndexError, match="position out of range for axis . of extent .*: got"):
        compiled(kept, wf.asarray(np.array([1, 2, 2, 100, 1], dtype)))
    np.testing.assert_array_equal(np.asarray(kept), values)


def test_a_look_at_positions_is_all_that_a_call_adds():
    recorded = []

    @wf.compile
    def embed(table, tokens):
        recorded.append(1)
        return table[tokens].sum(1)

    table = np.random.default_rng(0).random((50, 8))
    for tokens in ([[1, 2], [3, 49]], [[-1, -50], [0, 7]]):
        np.testing.assert_allclose(np.asarray(embed(wf.asarray(table), wf.asarray(tokens))), table[np.array(tokens)].sum(1))
    with pytest.raises(IndexError, match="index: position out of range for axis 0 of extent 50: got -51"):
        embed(wf.asarray(table), wf.asarray([[0, -51], [0, 50]]))
    assert len(recorded) == 1


def test_positions_of_rank_0_are_arguments():
    x, i = wf.arange(12.0).reshape(4, 3), wf.asarray(2)
    for f in (lambda x, i: x[i], lambda x, i: x[i, 1], lambda x, i: x[:, i], lambda x, i: x[None, i, i], lambda x, i: x[i, 1:, None], lambda x, i: x[wf.argmax(x[:, 0]) - i]):
        got, want = wf.compile(f)(x, i), f(x, i)
        assert got.shape == want.shape and got.tolist() == want.tolist()

    @wf.compile
    def put(x, i, value):
        x[i, 1:] += value

    put(x, i, wf.asarray(10.0))
    assert x[2].tolist() == [6, 17, 18] and x[1].tolist() == [3, 4, 5]
    with pytest.raises(IndexError, match="got 9"):
        put(x, wf.asarray(9), wf.asarray(1.0))

    @wf.compile
    def through_a_copy(x, i):
        row = x[i]
        row += 1
        return row

    assert through_a_copy(x, i).tolist() == [7, 18, 19] and x[2].tolist() == [6, 17, 18]


@pytest.mark.parametrize(
    "program",
    ["x[m] = y[m]", "x[m] += 1", "x[m] = 1 - x[m] * y[m] / 2", "x[x > 1] -= 1", "x[y > 2] = -y[y > 2] ** 2", "x[~m] = abs(y[~m] - 3)", "x[m.any()] = 2",
     "z[m] = x", "z[m] = x[None]", "z[m] += y", "z[:, m] *= 5", "z[:, m] = x[:, None]", "z[m, 1] += y[1]", "z[m, 1:3] /= 7", "z[1, m] -= y[m]", "z[1:3, m] = 2",
     "z[z > 1] **= 2", "z[..., None][m] = 3", "z[None, :, m] -= z[None, :, m] * 2", "z[z > 1] = 4", "w = z[None] * 1; w[0, :, m] *= y[0] * np.array([2, 3, 4, 5]); z[...] = w[0].T",
     "w = z[None] * 1; w[0, :, m] = y; z[...] = w[0]", "t = x[m]; u = t; t += 1; x[m] = u * 2", "t = x[m]; x += 1; x[m] = t", "x[m] = [7.0]", "k[m] = x[m].astype('i8') % 2 + k[m]",
     "m2 = m.copy(); x[m2] = y[m]", "b = m | (y > 3); x[b] = y[b]; b[0] = ~b[0]; x[b] *= 2"],
)  # fmt: skip
def test_what_a_mask_picks_that_is_an_argument_is_written_by_the_same_mask(program):
    scope = {"np": np}
    exec("def f(x, y, z, k, m):\n " + "\n ".join(program.split("; ")), scope)
    recorded = wf.compile(scope["f"])
    for mask in ([True, False, True, False], [False, True, True, True], [False] * 4):
        theirs = [np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.5, 1.5, 2.5, 3.5]), np.arange(16.0).reshape(4, 4) / 4, np.arange(4), np.array(mask)]
        ours = [wf.array(one) for one in theirs]
        scope["f"](*theirs)
        recorded(*ours)
        for got, want in zip(ours, theirs):
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    "program",
    ["x[m]", "wf.cumsum(x[m])", "len(x[m])", "wf.sqrt(x[m])", "[v for v in x[m]]", "x[m][:1]", "x[m] + y", "x[m] + x[y > 2]", "x[m, None, m]", "x.__setitem__(m, y)", "1 if x[m] else 2",
     "x.reshape(2, 2)[m.reshape(2, 2)].shape", "x.__setitem__(y > 2, x[m])", "x[m.any()]", "wf.compress(m, x[m])", "wf.reshape(x, (2, 2))[m[:2], [0, 1]]"],
)  # fmt: skip
def test_how_much_a_mask_picks_that_is_an_argument_is_not_known(program):
    f = eval(f"lambda x, y, m: {program}", {"wf": wf})
    with pytest.raises(wf.Error, match="what a mask picks that depends on a compiled function's arguments has no shape"):
        wf.compile(f)(wf.ones(4), wf.arange(4.0), wf.asarray([True, False, True, False]))


def test_positions_that_an_inner_compiled_function_uses_are_looked_at_in_calls_of_the_outer_one():
    inner = wf.compile(lambda x, i: x[i])
    outer = wf.compile(lambda x, i: inner(x, i + 1) * 2)
    for _ in range(2):
        assert outer(wf.arange(4.0), wf.asarray([0, 2])).tolist() == [2, 6]
        with pytest.raises(IndexError, match="axis 0 of extent 4: got 4"):
            outer(wf.arange(4.0), wf.asarray([0, 3]))
        with pytest.raises(IndexError, match="axis 0 of extent 4: got 4"):
            inner(wf.arange(4.0), wf.asarray([0, 4]))


def test_positions_from_outside_are_looked_at_when_recorded_and_again_when_written():
    where = wf.asarray([0, 1])
    f = wf.compile(lambda x: x[where])
    assert f(wf.arange(3)).tolist() == [0, 1]
    where[0] = 2
    assert f(wf.arange(3)).tolist() == [2, 1]
    where[0] = 3
    with pytest.raises(IndexError, match="got 3"):
        f(wf.arange(3))
    with pytest.raises(IndexError, match="axis 0 has no positions"):
        wf.compile(lambda x, i: x[i])(wf.zeros((0, 2)), wf.asarray([0]))


def test_an_array_of_rank_0_is_written_in_place_and_one_value_is_not():
    recorded = []

    @wf.compile
    def f(x):
        recorded.append(1)
        before = x
        x -= 3
        return before, x * 1, x

    array, value = wf.asarray(5.0), wf.asarray([5.0])[0]
    for _ in range(2):
        before, made, _ = f(value)
        assert (value, before, made) == (5, 5, 2)
    for k in (2, -1):
        before, made, after = f(array)
        assert array == before == after == made == k
    assert len(recorded) == 2

    @wf.compile
    def g(x, y):
        x[...] = y
        wf.add(x, 1, out=x)
        return x, y

    shown, _ = g(array, value)
    again = shown
    shown += 1
    assert array == 6 and again == 7
    with pytest.raises(TypeError, match="one value"):
        g(value, array)
    _, same = g(array, value)
    kept = same
    same += 1
    assert (kept, same) == (5, 6)


Parts = collections.namedtuple("Parts", "array count name")


@dataclasses.dataclass
class Step:
    array: object
    count: int
    name: object = None


@pytest.mark.parametrize("made", [
    lambda x: Parts(x, 3, "three"), lambda x: Step(x, 2), lambda x: {"a": x, "none": None, "b": [2.5, (x, True)], "c": 1j}, lambda x: (x, x.shape, b"s"),
    lambda x: 3, lambda x: (None, "nothing"),
], ids=["namedtuple", "dataclass", "dict", "shape", "number", "no array"])  # fmt: skip
def test_results_may_hold_plain_values(made):
    f = wf.compile(lambda x: made(x + 1))

    def listed(value):
        if isinstance(value, wf.Array):
            return value.tolist()
        if isinstance(value, Step):
            return Step, listed(list(vars(value).items()))
        if isinstance(value, dict):
            return {key: listed(one) for key, one in value.items()}
        return (type(value), [listed(one) for one in value]) if isinstance(value, (tuple, list)) else (type(value), value)

    for x in (wf.ones(3), wf.zeros(3)):
        assert listed(f(x)) == listed(made(x + 1))


class Kept:
    def __init__(self):
        self.x, self.all, self.by_name = wf.zeros(3), [], {}


class SlotKept:
    __slots__ = ("x",)

    def __init__(self):
        self.x = wf.zeros(3)


total = wf.zeros(3)


def store_globally(kept, g):
    global total
    total = total + g
    return g


def store_in(what):
    def store(kept, g):
        what(kept, g)
        return g * 2

    return store


@pytest.mark.parametrize("kind, f, place", [
    (Kept, store_in(lambda c, g: setattr(c, "x", c.x + g)), "attribute 'x' of a Kept"),
    (Kept, store_in(lambda c, g: setattr(c, "x", c.x + 1)), "attribute 'x' of a Kept"),
    (Kept, store_in(lambda c, g: setattr(c, "last", g)), "attribute 'last' of a Kept"),
    (Kept, store_in(lambda c, g: c.all.append(g[1:])), "in a list"),
    (Kept, store_in(lambda c, g: c.by_name.update(g=g.sum())), "key 'g' of a dict"),
    (SlotKept, store_in(lambda c, g: setattr(c, "x", c.x + g)), "attribute 'x' of a SlotKept"),
    (Kept, store_globally, "global variable 'total'"),
], ids=["attribute", "constant", "new", "list", "dict", "slot", "global"])  # fmt: skip
def test_an_array_that_outlives_the_recording_is_an_error_that_names_its_place(kind, f, place):
    kept = kind()
    compiled = wf.compile(f)
    for _ in range(2):
        with pytest.raises(wf.Error, match=f"stores an array .*{place}.*: let it return the array"):
            compiled(kept, wf.ones(3))
    assert kept.x.tolist() == total.tolist() == [0, 0, 0]


def test_a_variable_outside_keeps_its_array():
    kept = wf.zeros(3)

    @wf.compile
    def f(x):
        nonlocal kept
        kept = kept + x
        return x

    with pytest.raises(wf.Error, match="in a variable of an enclosing function"):
        f(wf.ones(3))
    assert kept.tolist() == [0, 0, 0]


def test_what_a_function_makes_once_for_itself_and_what_holds_itself_may_stay():
    class Model:
        @functools.cached_property
        def weight(self):
            return wf.arange(3) * 2.0

        @wf.compile
        def __call__(self, x):
            def again(n):
                return x if n == 0 else again(n - 1) + self.weight

            if not hasattr(self, "table"):
                self.table = wf.ones(3)
            return again(2) + self.table

    model = Model()
    for k in range(3):
        assert model(wf.full(3, float(k))).tolist() == [1 + k, 5 + k, 9 + k]
