"""What a recorded function reads from outside is that of the call: globals, closures, attributes, containers."""

import array
import collections
import functools
import re
import types

import numpy as np
import pytest
import weft as wf


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


@pytest.mark.parametrize("give", [lambda w: w, lambda w: w[...], lambda w: w[::-1], lambda w: {"w": w.reshape(1, -1)}, lambda w: (w[0], w[1:])])
def test_an_array_from_outside_that_is_returned_is_that_of_the_call(give):
    w = wf.arange(3.0)
    f = wf.compile(lambda x: (x + 1, give(w)))
    for k in range(3):
        _, given = f(wf.zeros(2))
        assert repr(given) == repr(give(wf.array(w)))
        w += 1
    kept = give(w)
    f(wf.zeros(2))
    assert repr(kept) == repr(give(w))


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
             "collections": collections, "Layers": Layers, "Held": Held, "Described": Described, "Named": Named,
             "array": array, "types": types}  # fmt: skip
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
        ("def f(x): return x * f.k\nf.k = 2.0", "f.k += 1"), ("def k(): pass\nk.scale = 2.0\nf = lambda x: x * k.scale", "k.scale += 1"),
        ("k = wf.compile(lambda x: x)\nk.scale = 2.0\nf = lambda x: x * k.scale", "k.scale += 1"),
        ("k = functools.partial(sum)\nk.scale = 2.0\nf = lambda x: x * k.scale", "k.scale += 1"),
        ("class C:\n __module__ = 'mine'\n def m(self): pass\nC.m.k = 2.0\nc = C()\nf = lambda x: x * C.m.k * c.m.k", "C.m.k += 1"),
        ("class M(type):\n __module__ = 'mine'\n k = 2.0\nclass C(metaclass=M): __module__ = 'mine'\nf = lambda x: x * C.k", "M.k += 1"),
        ("class M(type):\n __module__ = 'mine'\n k = 2.0\nclass C(metaclass=M): __module__ = 'mine'\nf = lambda x: x * C.k", "C.k = C.k + 1"),
        ("class M(type):\n __module__ = 'mine'\n k = 2.0\n p = property(lambda self: self.k)\nclass C(metaclass=M): __module__ = 'mine'\nf = lambda x: x * C.p", "M.k += 1"),
        ("class C:\n __module__ = 'mine'\n p = functools.cached_property(lambda self: 1.0)\n p.__set_name__(None, 'p')\nc = C()\nf = lambda x: x * c.p",
         "c.__dict__['p'] = c.__dict__.get('p', 1) + 1"),
        ("k = collections.defaultdict(lambda: 1.0)\nf = lambda x: x * k['a']", "k['a'] += 1"),
        ("k = collections.ChainMap({}, {'a': 2.0})\nf = lambda x: x * k['a']", "k.maps[1]['a'] += 1"),
        ("k = collections.ChainMap({}, {'a': 2.0})\nf = lambda x: x * k['a']", "k['a'] = k['a'] + 1"),
        ("own = {'a': 2.0, 'b': [1.0]}\nk = types.MappingProxyType(own)\nf = lambda x: x * k['a']", "own['a'] += 1"),
        ("own = {'a': 2.0, 'b': [1.0]}\nk = types.MappingProxyType(own)\nf = lambda x: x * k['b'][0]", "own['b'][0] += 1"),
        ("k = array.array('d', [2.0] * 500)\nf = lambda x: x * k[-1]", "k[-1] += 1"), ("k = array.array('d', [2.0])\nf = lambda x: x * len(k)", "k.append(1.0)"),
        ("own = array.array('d', [2.0])\nk = memoryview(own)\nf = lambda x: x * k[0]", "own[0] += 1"),
        ("k = collections.UserDict(a=2.0)\nf = lambda x: x * k['a']", "k['a'] += 1"), ("k = collections.UserList([2.0])\nf = lambda x: x * k[0]", "k[0] += 1"),
        ("own = {'a': 2.0}\nk = own.values()\nf = lambda x: x * sum(k)", "own['a'] += 1"),
        ("own = {'a': 2.0}\nk = own.items()\nf = lambda x: x * len(k)", "own[len(own)] = 1"),
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


@pytest.mark.parametrize(
    "make, read, change",
    [
        ("array.array('d', [2.0, 3.0])", "wf.asarray(k) * k[0]", "k[0] += 1"),
        ("memoryview(array.array('d', [2.0, 3.0]))", "k[0]", "k[0] += 1"),
        ("collections.ChainMap({'a': 1.0}, {'b': 2.0})", "k['b']", "k.maps[1]['b'] += 1"),
        ("types.MappingProxyType(own)", "k['a']", "own['a'] += 1"),
        ("types.SimpleNamespace(rate=2.0, w=wf.ones(2))", "k.rate * k.w", "k.rate += 1; k.w += 1"),
        ("collections.UserDict(a=2.0)", "k['a']", "k['a'] += 1"), ("collections.UserList([2.0])", "k[0]", "k[0] += 1"),
        ("collections.defaultdict(int, a=2.0)", "k['a']", "k['a'] += 1"), ("own.values()", "sum(k)", "own['a'] += 1"),
        ("collections.deque([2.0], 1)", "k[0]", "k.append(k[0] + 1)"),
    ],
)  # fmt: skip
def test_arguments_of_pythons_own_kinds_are_those_of_the_call(make, read, change):
    scope = {**globals(), "own": {"a": 2.0}}
    scope["k"] = k = eval(make, scope)
    f = eval(f"lambda x, k: x * {read}", scope)
    compiled = wf.compile(f)
    of_dict = wf.compile(lambda x, table: f(x, table["k"]))
    for _ in range(3):
        for _ in range(2):
            assert compiled(wf.ones(2), k).tolist() == of_dict(wf.ones(2), {"k": k}).tolist() == f(wf.ones(2), k).tolist()
        exec(change, scope)


def test_what_stays_as_it_is_outside_is_not_recorded_again():
    calls, table, k, big = [], {"k": 2.0}, 3.0, np.ones(100_000)

    @wf.compile
    def f(x):
        calls.append(1)
        return x * table["k"] * k * big[:3]

    for _ in range(3):
        f(wf.ones(3))
    assert len(calls) == 1


def test_a_view_of_bytes_that_was_released_is_read_again():
    view = memoryview(bytearray(b"ab"))
    f = wf.compile(lambda x: x * view[0])
    assert f(wf.ones(1)).tolist() == [97]
    view.release()
    with pytest.raises(ValueError, match="released memoryview"):
        f(wf.ones(1))


def test_what_reading_fills_is_recorded_once():
    calls, known = [], collections.defaultdict(int)

    @wf.compile
    def f(x):
        calls.append(1)
        return x + known["k"]

    for value in (0, 0, 7, 7):
        if value:
            known["k"] = value
        assert f(wf.zeros(1)).tolist() == [value]
    assert len(calls) == 2


@pytest.mark.parametrize("installed", [False, True])
def test_a_folder_of_installed_packages_is_not_followed(tmp_path, monkeypatch, installed):
    name = f"weft_tried_{installed}".lower()
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("scale = 2.0\ndef scaled(x): return x * scale\n")
    if installed:
        (tmp_path / f"{name}-1.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    package = __import__(name)
    f = wf.compile(lambda x: package.scaled(x))
    assert f(wf.ones(2)).tolist() == [2, 2]
    package.scale = 3.0
    assert f(wf.ones(2)).tolist() == ([2, 2] if installed else [3, 3])


class Kept(np.ndarray):
    """A class of the user's."""


LARGE = np.arange(50_000) * 1.0


@wf.compile
def weighed(x):
    return (x * LARGE).sum()


@pytest.mark.parametrize("write", [lambda a: a.__iadd__(1), lambda a: a[5:].__imul__(2), lambda a: a.__setitem__(-1, a[-1] + 7)])
@pytest.mark.parametrize("part", [lambda a: a, lambda a: a[::-1], lambda a: a.view(Kept)])
def test_a_large_array_of_numpys_is_written_to_as_outside_and_read_anew(write, part):
    class Of:
        weights = part(np.arange(50_000) * 1.0)

    older = Of.weights[...]

    @wf.compile
    def f(x):
        return (x * Of.weights).sum()

    ones = wf.ones(50_000)
    for target in (Of.weights, older):
        assert float(f(ones)) == Of.weights.sum()
        known = f.recordings
        assert float(f(ones)) == Of.weights.sum() and f.recordings == known
        write(target)
        assert float(f(ones)) == Of.weights.sum() and f.recordings == known + 1

def test_a_large_global_array_is_not_locked():
    ones = wf.ones(50_000)
    for _ in range(2):
        assert float(weighed(ones)) == LARGE.sum()
        LARGE[3:] += 1


def test_a_large_array_that_is_constant_is_not_compared(monkeypatch):
    weights = np.frombuffer(np.arange(50_000).tobytes(), "i8")
    monkeypatch.setattr(wf._core, "digest", lambda array: pytest.fail("the array is compared"))

    @wf.compile
    def f(x):
        return (x * weights).sum()

    assert int(f(wf.ones(50_000, dtype="int64"))) == weights.sum()


rate, table, options = 2.0, [1.0, 2.0], {"k": 1.0}
held, watched, own = types.SimpleNamespace(rate=0.5), np.ones(3), wf.ones(3)


def change_rate():
    global rate
    rate += 1




@wf.compile
def reads(x):
    return x * rate * table[1] * held.rate * options["k"] * watched * own


@pytest.mark.parametrize("change, says", [
    (change_rate, r"rate was \d\.0, and is \d\.0"), (lambda: table.__setitem__(1, table[1] + 1), r"table\[1\] was \d\.0, and is \d\.0"),
    (lambda: setattr(held, "rate", held.rate * 2), r"held.rate was [\d.]+, and is [\d.]+"), (lambda: options.update(k=options["k"] + 1), r"options\['k'\] was \d\.0, and is \d\.0"),
    (lambda: watched.__iadd__(1), "the values of watched changed"), (lambda: own.__iadd__(1), "own was written to"), (lambda: table.append(0.0), "table holds other elements"),
    (lambda: (change_rate(), table.append(0.0)), r"rate was \d\.0, and is \d\.0; table holds other elements"),
])  # fmt: skip
def test_why_says_what_changed_outside(change, says):
    reads(wf.ones(3))
    count = reads.recordings
    change()
    reads(wf.ones(3))
    reads(wf.ones(3))
    lines = reads.why().splitlines()
    assert reads.recordings == count + 1 == len(lines)
    assert re.search(rf"^{count + 1}\. x: \(3,\) f64; outside, {says}$", lines[-1]), lines[-1]


def test_why_names_variables_of_enclosing_functions_and_arguments_by_keyword():
    factor = 1.0

    @wf.compile
    def f(x, *, scale=1.0, state=()):
        return x * factor * scale

    f(wf.ones(3), scale=2.0)
    factor = 2.0
    f(wf.ones(3), scale=2.0)
    f(x=wf.ones(2), state=[{"u": wf.ones(2)}, 5.0])
    first, second, third = f.why().splitlines()
    assert first == "1. x: (3,) f64, scale: any float"
    assert second == "2. x: (3,) f64, scale: any float; outside, factor was 1.0, and is 2.0"
    assert third == "3. x: (2,) f64, state[0]['u']: (2,) f64, state[1]: any float"


def test_an_object_whose_class_says_no_module():
    """As jax.jit's functions: each has a __module__ of its own, and the class a descriptor."""

    class Scale:
        __module__ = property(lambda self: "elsewhere")

        def __init__(self, factor):
            self.factor = factor

        def __call__(self, x):
            return x * self.factor

    scale = Scale(2.0)
    f = wf.compile(lambda x: scale(x) + scale.factor)
    assert f(wf.ones(2)).tolist() == [4, 4]
    scale.factor = 3.0
    assert f(wf.ones(2)).tolist() == [6, 6]
