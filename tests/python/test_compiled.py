"""Functions recorded once: the same answers without recording, and never an answer that a look at a value has fixed."""

import collections
import dataclasses
import functools
import gc
import inspect
import pickle
import types
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


@pytest.mark.parametrize("look", [bool, float, np.asarray, lambda x: x.tolist(), lambda x: wf.eval(x * 2), lambda x: x[x > 0],
                                  lambda x: float((x * 2).sum()), lambda x: wf.unique(x), repr])
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
        wf.compile(lambda x: 3)(wf.ones(2))
    with pytest.raises(TypeError, match="give arrays.*got int"):
        wf.compile(lambda x: [x, 3])(wf.ones(2))
    for unseen in ({}.keys(), collections.deque(range(300))):
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
    for zero in (0.0, np.float32(0), (0.0, 1)):
        assert f(x, zero).tolist() == [1] * 3
    for zero in (-0.0, np.float32(-0.0), (-0.0, 1)):
        assert f(x, zero).tolist() == [-1] * 3
    assert len(calls) == 6
    for _ in range(3):
        f(x, float("nan")), f(x, np.float32("nan")), f(x, 1), f(x, True), f(x, 1.0)
    assert len(calls) == 11


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


def test_arrays_from_outside_are_those_of_the_call():
    calls = []
    weight, view, unused = wf.arange(4) * 1.0, wf.zeros(8), wf.zeros(3)

    @wf.compile
    def f(x):
        calls.append(1)
        made = wf.zeros(4)
        made[1:] = 5
        return x * weight + view[2:6] + made * 0

    for k in range(3):
        assert f(wf.ones(4)).tolist() == [0, 1, 2, 3]
    weight += 1
    assert f(wf.ones(4)).tolist() == [1, 2, 3, 4]
    view[3:5] = 10
    for _ in range(2):
        assert f(wf.ones(4)).tolist() == [1, 12, 13, 4]
    unused[0] = 1
    wf.eval(weight + view[:4])
    assert f(wf.ones(4)).tolist() == [1, 12, 13, 4]
    assert len(calls) == 3

    total = wf.zeros(())

    @wf.compile
    def counted(x):
        return x + total

    for k in range(4):
        total += 1
        assert counted(wf.zeros(1)).tolist() == [k + 1]


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


@pytest.mark.parametrize(
    "look",
    [lambda w: w[0], lambda w: float(w[0]), lambda w: wf.sort(w)[0], lambda w: np.asarray(w)[0].item(), lambda w: 1.0 if w[0] > 2 else 0.0, lambda w: w.tolist()[0]],
    ids=["element", "float", "sort", "numpy", "if", "list"],
)
def test_an_array_from_outside_that_was_looked_at_is_looked_at_again_once_it_was_written_to(look):
    w = wf.ones(3)
    f = wf.compile(lambda x: x + look(w))
    first = f(wf.zeros(1)).tolist()
    w += 5
    assert f(wf.zeros(1)).tolist() == [look(w)] != first


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


class Model:
    kind = 1.0

    def __init__(self):
        self.scale, self.weight, self.plain, self.sub = 2.0, wf.arange(3) * 1.0, np.ones(3), types.SimpleNamespace(rate=0.5)

    def helper(self, x):
        return x * self.sub.rate

    @property
    def twice(self):
        return self.scale * 2

    def __call__(self, x):
        return self.helper(x) * self.scale + self.weight + self.plain + self.twice + self.kind


class Slotted:
    __slots__ = ("k",)

    def __init__(self):
        self.k = 1.0

    def __call__(self, x):
        return x * self.k


class Named(list):
    rate = 2.0


class Raising:
    __slots__ = ("k", "missing")

    def __init__(self):
        self.k = 3.0

    def __getattr__(self, name):
        raise RuntimeError(f"asked for {name}")


class Layers(list):
    rate = 2.0

    def __call__(self, x):
        for layer in self:
            x = layer(x)
        return x * self.rate


class Held:
    """Read by what is called without a name."""

    def __init__(self):
        self.inner = types.SimpleNamespace(v=2.0)

    def __getitem__(self, i):
        return self.inner.v * i

    def __iter__(self):
        return iter([self.inner.v])

    def __rmul__(self, x):
        return x * self.inner.v

    def __bool__(self):
        return self.inner.v > 2

    def __float__(self):
        return self.inner.v

    def __enter__(self):
        return self.inner.v

    def __exit__(self, *error):
        pass


class Described:
    class Field:
        def __get__(self, holder, kind):
            return holder.hidden * 2

    field = Field()

    def __init__(self):
        self.hidden = 1.0


def of_outside(names):
    """What a text defines, functions whose variables change when a text says so."""
    scope = {"np": np, "wf": wf, "functools": functools, "Model": Model, "Slotted": Slotted,
             "collections": collections, "Layers": Layers, "Held": Held, "Described": Described, "Named": Named}  # fmt: skip
    exec(names, scope)
    return scope


@pytest.mark.parametrize(
    ("names", "change"),
    [
        ("k = 2.0\nf = lambda x: x * k", "k += 1"),
        ("k = -0.0\nf = lambda x: wf.copysign(x, k)", "k = 0.0 if str(k) == '-0.0' else -0.0"),
        ("k = [1.0, 2.0]\nf = lambda x: x * k[0]", "k[0] += 1"),
        ("k = [1.0]\nf = lambda x: sum(x * one for one in k)", "k.append(2.0)"),
        ("k = {'a': {'b': 3.0}}\nf = lambda x: x * k['a']['b']", "k['a']['b'] += 1"),
        ("k = collections.defaultdict(float, a=1.0)\nf = lambda x: x * k['a']", "k['a'] += 1"),
        ("k = Named([1.0])\nf = lambda x: x * k[0] * k.rate", "k[0] += 1"), ("k = Named([1.0])\nf = lambda x: x * k[0] * k.rate", "k.rate += 1"),
        ("k = np.ma.array(np.arange(6.0), mask=[0, 0, 1] * 2)[::2]\nf = lambda x: x * k.data[0]", "k[0] += 1"),
        ("k = (1, (2, 3.0))\nf = lambda x: x * k[1][1]", "k = (1, (2, k[1][1] + 1))"),
        ("k = 'ab'\nf = lambda x: x * len(k)", "k += 'c'"),
        ("k = np.arange(3.0)\nf = lambda x: x * k", "k += 1"),
        ("k = np.arange(3.0)\nf = lambda x: x * k", "k = k + 1"),
        ("k = np.arange(3.0)\nf = lambda x: x + float(k[0]) + k.sum()", "k += 1"),
        ("k = np.zeros((6, 6))[::2, ::2]\nf = lambda x: x + k[0]", "k += 1"),
        ("k = np.zeros((3, 3))\nf = lambda x: x + k.T[1]", "k[0, 1] += 1"),
        ("k = np.float32(2)\nf = lambda x: x * k", "k = np.float32(k + 1)"),
        ("k = {'w': np.ones(3)}\nf = lambda x: x * k['w']", "k['w'] *= 2"),
        ("k = wf.ones(3)\nf = lambda x: x * k", "k = k + 1"),
        ("k = [wf.ones(3)]\nf = lambda x: x * k[0]", "k[0] = k[0] + 1"),
        ("k = 2.0\ng = lambda x: x * k\nf = lambda x: g(x) + 1", "k += 1"),
        ("g = lambda x: x\nf = lambda x: g(x) + 1", "g = (lambda g: lambda x: g(x) * 2)(g)"),
        ("k = 2.0\ng = wf.compile(lambda x: x * k)\nf = lambda x: g(x) + 1", "k += 1"),
        ("k = 2.0\nf = functools.partial(lambda n, x: x * n * k, 2.0)", "k += 1"),
        ("k = 2.0\nf = lambda x: (lambda y: y * k)(x)", "k += 1"),
        ("def make():\n k = 1.0\n def bump():\n  nonlocal k\n  k += 1\n return (lambda x: x * k), bump\nf, bump = make()", "bump()"),
        ("f = lambda x, w=np.ones(3): x * w", "f.__defaults__[0][:] += 1"),
        ("f = Model()", "f.scale += 1"), ("f = Model()", "f.sub.rate += 1"), ("f = Model()", "f.weight = f.weight + 1"), ("f = Model()", "f.weight += 1"),
        ("f = Model()", "f.plain += 1"), ("f = Model()", "f.kind += 1"), ("f = Model().__call__", "f.__self__.scale += 1"), ("f = Slotted()", "f.k += 1"),
        ("class C:\n __module__ = 'mine'\n m = lambda self, x: x\nc = C()\nf = lambda x: c.m(x)", "C.m = (lambda m: lambda self, x: m(self, x) + 1)(C.m)"),
        ("class C:\n __module__ = 'mine'\n p = property(lambda self: 1.0)\nc = C()\nf = lambda x: x * c.p", "C.p = (lambda p: property(lambda self: p.fget(self) + 1))(C.p)"),
        ("k = collections.OrderedDict(a=2.0)\nf = lambda x: x * k['a']", "k['a'] += 1"),
        ("k = collections.defaultdict(float, a=2.0)\nf = lambda x: x * k['a']", "k['a'] += 1"),
        ("k = collections.deque([2.0])\nf = lambda x: x * k[0]", "k[0] += 1"),
        ("k = {1}\nf = lambda x: x * len(k)", "k.add(len(k) + 1)"), ("k = bytearray(b'a')\nf = lambda x: x * k[0]", "k[0] += 1"),
        ("f = Layers([Model(), Slotted()])", "f[1].k += 1"), ("f = Layers([Slotted()])", "f.append(Slotted()); f[-1].k = 3.0"),
        ("f = Layers([Slotted()])", "f.rate += 1"),
        ("h = Held()\nf = lambda x: x * h[2]", "h.inner.v += 1"), ("h = Held()\nf = lambda x: x + sum(h)", "h.inner.v += 1"),
        ("h = Held()\nf = lambda x: x[0] * h", "h.inner.v += 1"), ("h = Held()\nf = lambda x: x if h else -x", "h.inner.v += 1"),
        ("h = Held()\nf = lambda x: x + float(h)", "h.inner.v += 1"), ("h = Held()\ndef f(x):\n with h as v: return x * v", "h.inner.v += 1"),
        ("d = Described()\nf = lambda x: x * d.field", "d.hidden += 1"),
        ("class O:\n __module__ = 'mine'\no = O()\nf = lambda x: x * 2 if hasattr(o, 'w') else x", "o.w = 1"),
        ("class O:\n __module__ = 'mine'\no = O()\nf = lambda x: x * getattr(o, 'w', 1.0)", "o.w = 2.0"),
        ("class O:\n __module__ = 'mine'\no = O()\nf = lambda x: x * getattr(o, 'w', 1.0)", "O.w = 2.0"),
        ("class O:\n __module__ = 'mine'\n w0 = 1.0\no = O()\no.w1 = 1.0\nf = lambda x: x * sum(getattr(o, f'w{i}') for i in range(2))", "o.w1 += 1"),
        ("class O:\n __module__ = 'mine'\no = O()\nf = lambda x: x * len(vars(o))", "setattr(o, f'w{len(vars(o))}', 1)"),
        ("class O:\n __module__ = 'mine'\n w = None\no = O()\nf = lambda x: x if o.w is None else x * o.w", "o.w = 2.0 if o.w is None else None"),
        ("class O:\n __module__ = 'mine'\no = O()\ndef f(x):\n try:\n  return x * o.w\n except AttributeError:\n  return x", "o.w = 2.0"),
        ("class O:\n __module__ = 'mine'\no = O()\no.w = 1.0\ndef f(x):\n try:\n  return x * o.w\n except AttributeError:\n  return x * 3", "hasattr(o, 'w') and delattr(o, 'w')"),
        ("class O:\n __module__ = 'mine'\n def m(self, x): return x\no = O()\nf = lambda x: o.m(x)", "o.m = lambda x: x * 2"),
        ("class O:\n __module__ = 'mine'\n def m(self, x): return x\nclass P(O):\n __module__ = 'mine'\no = P()\nf = lambda x: o.m(x)", "P.m = lambda self, x: x * 2"),
        ("class O:\n __module__ = 'mine'\n __getattr__ = lambda self, name: 1.0\no = O()\nf = lambda x: x * o.w", "o.w = 2.0"),
        ("class S:\n __module__ = 'mine'\n __slots__ = ('w',)\no = S()\nf = lambda x: x * 2 if hasattr(o, 'w') else x", "o.w = 1"),
        ("def f(x):\n try:\n  return x * later\n except NameError:\n  return x", "later = 2.0"),
        ("f = lambda x: x * abs(-1)", "abs = lambda x: 2"),
        ("def make():\n def f(x):\n  try:\n   return x * k\n  except NameError:\n   return x\n def bump():\n  nonlocal k\n  k = 2.0\n if bump is None: k = 1\n"
         " return f, bump\nf, bump = make()", "bump()"),
        ("m = Model()\nf = lambda x: m(x)", "m.scale -= 0.5"), ("m = Model()\nf = lambda x: m.twice * x", "m.scale -= 0.5"),
    ],
)  # fmt: skip
def test_what_a_function_reads_from_outside_is_that_of_the_call(names, change):
    scope = of_outside(names)
    compiled = wf.compile(scope["f"])
    for _ in range(3):
        for _ in range(2):
            assert compiled(wf.ones(3)).tolist() == scope["f"](wf.ones(3)).tolist()
        exec(change, scope)


def test_nothing_is_asked_of_objects_that_a_function_names_but_what_it_asks_for():
    masked, raising = np.ma.masked, Raising()
    f = wf.compile(lambda x: x * raising.k if masked is not None else x * raising.missing)
    assert f(wf.ones(3)).tolist() == [3, 3, 3]


def test_what_a_function_is_called_with_is_followed_too():
    model, step, rate = Model(), np.ones(3), {"k": 2.0}
    compiled = wf.compile(Model.__call__)
    named = wf.compile(lambda x, *, of: x["a"] * of.scale * step + rate["k"])
    for _ in range(3):
        assert compiled(model, wf.ones(3)).tolist() == model(wf.ones(3)).tolist()
        assert named({"a": wf.ones(3)}, of=model).tolist() == (model.scale * step + rate["k"]).tolist()
        model.scale, step[1], rate["k"] = model.scale + 1, step[1] + 1, rate["k"] * 2


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


def test_what_stays_as_it_is_outside_is_not_recorded_again():
    calls, table, k, big = [], {"k": 2.0}, 3.0, np.ones(100_000)

    @wf.compile
    def f(x):
        calls.append(1)
        return x * table["k"] * k * big[:3]

    for _ in range(3):
        f(wf.ones(3))
    assert len(calls) == 1
    with pytest.raises(ValueError, match="read-only"):
        big[0] = 2
    del f
    gc.collect()
    big[0] = 2


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
