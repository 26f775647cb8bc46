"""What vectorized functions do with tuples, generators, ranges with computed steps, and digits: integers as Python has them."""

import inspect
import itertools
import linecache
import math

import numpy as np
import pytest
import weft as wf

N = [15, 25, 35, -15, -25, 249, 0, -4]
M = [1, 2, -3, 0, 5, -1, 2, 7]
NAMES = itertools.count()

PROGRAMS = [
    "return round(n, -1) + round(n, -2), round(n, 0), round(25, -1)",
    "s = 0\nfor i in range(n, m * 3, m if m else 1): s += i\nreturn s",
    "for i in range(0, 10, -1 if m < 0 else 2): n += i\nreturn n",
    "return (n, m) < (m, n), (n, m) >= (15, 2, 1), (n, m) == (15, 1), (n, m) != (25, 2), (n, m) <= (n, m), (n, (m, 1)) < (25, (2, m)), (n,) > (), (n, m) == (n, m, 1)",
    "return (n, m) in ((15, 1), (0, 2)), (n, m) not in ((0, 2), (m, n))",
    "(a, *b), c = ((n, m, 3), 4)\n*d, e = (n, m, 5)\nf, *g = (n,)\nreturn a + sum(b) * 2 + c + len(d) * e + f + len(g)",
    "t = (1, *(n, m), *(2,))\nreturn t[1] + t[3] + len(t)",
    "t = (n, m) * 2\nreturn t[3] + len(t) + len(3 * (n,)) + len((n,) * -1)",
    "s = 0\nfor a, *r in ((n, 1, 2), (m, 3), (4,)): s += a * (1 + sum(r))\nreturn s",
    "return all(n % p for p in (2, 3, 5)), any(n == p * p for p in range(7)), math.prod(q + n for q in range(3) if q != 1)",
    "return sum((i * j for i in range(3) for j in range(i)), 5), sum([m for _ in range(2)], start=1.5), sum(n > p for p in range(20)), sum(i for i in range(0))",
    "c = 0\nfor i in range(5):\n    if any(j * i > n for j in range(m)): c += 1\n    elif all(j != i for j in range(n)): break\nreturn c",
    "return sum(n * factor for factor in range(3)) * factor",
    "def g(v):\n    factor = v * 2\n    return factor\nreturn g(n) + factor",
    "return (lambda: (y := m) + y)() + n",
]


def function(source, takes="n, m"):
    name = f"<tuples {next(NAMES)}>"
    text = f"def f({takes}):\n" + "".join(f"    {line}\n" for line in source.split("\n"))
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {"math": math, "np": np, "factor": 7}
    exec(compile(text, name, "exec"), space)  # noqa: S102
    return space["f"]


@pytest.mark.parametrize("source", PROGRAMS, ids=range(len(PROGRAMS)))
def test_integers_are_pythons(source):
    f = function(source)
    got = wf.vectorize(f)(wf.asarray(N), wf.asarray(M))
    got = [np.asarray(one).tolist() for one in (got if isinstance(got, tuple) else (got,))]
    for k, (n, m) in enumerate(zip(N, M)):
        want = f(n, m)
        assert [one[k] for one in got] == list(want if isinstance(want, tuple) else (want,)), (n, m)


def test_a_range_whose_step_is_0_has_no_turn():
    f = function("s = n\nfor i in range(0, 5, m): s += 1\nreturn s")
    assert np.asarray(wf.vectorize(f)(wf.asarray([0, 0, 0]), wf.asarray([0, 2, 9]))).tolist() == [0, 3, 1]


def test_rounds_integers_of_every_width_to_tens():
    f = function("return round(x, -1)", "x")
    for dtype in ("i1", "u1", "i2", "u4", "i8"):
        x = np.array([0, 4, 5, 6, 15, 25, 95, 104, 105, 115], dtype)
        got = wf.vectorize(f)(wf.asarray(x))
        assert got.dtype == x.dtype
        np.testing.assert_array_equal(np.asarray(got), [round(int(one), -1) for one in x])
    with pytest.raises(wf.Error, match="1000, which int8 does not hold|1000, which i8 does not hold"):
        wf.vectorize(function("return round(x, -3)", "x"))(wf.asarray(np.array([1], "i1")))


def test_numpys_round_takes_pythons_floats():
    f = function("return np.round(math.sin(x), 2), round(math.sin(x) * 10, 0)", "x")
    x = np.linspace(-3, 3, 50)
    for got, want in zip(wf.vectorize(f)(wf.asarray(x)), zip(*map(f, x))):
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-15)


@pytest.mark.parametrize(("source", "message"), [
    ("return round(math.sin(x), 2)", r"write np\.round\(x \* 100\) / 100"),
    ("return round(math.sin(x), -1)", r"write np\.round\(x / 10\) \* 10\.0"),
    ("return round(x, int(x))", r"round\(\) to digits that are no integer from -22 to 22 in the text .*write np\.round\(x \* 10\.0 \*\* n\) / 10\.0 \*\* n"),
    ("a, *b, c = (x,)\nreturn a", "an assignment of 1 values to 3 names cannot be compiled: write as many names as values"),
    ("a, *b = x\nreturn a", "an assignment of f64 to several names cannot be compiled: assign a tuple"),
    ("return (1, *x)", r"\* before f64 cannot be compiled: write the values one by one"),
    ("for i in range(0, 4, 0): pass\nreturn x", "a range with a step of 0 cannot be compiled: write another step"),
    ("for i in range(3):\n    def g(v): return v\nreturn g(x)", "g, a function that is made or chosen on some paths alone, cannot be compiled: make it before the branch or the loop"),
    ("if x > 2: g = math.sin\nelse: g = math.cos\nreturn g(x)", r"g, a function .* call each function where it is chosen, as y = f\(x\) if … else g\(x\)"),
    ("if x > 2: g = lambda v: v\nreturn g(x)", "g, a function that is made or chosen"),
    ("g = math.sin if x > 2 else math.cos\nreturn g(x)", r"a choice between a function and a function cannot be compiled: call each where it is chosen, as f\(x\) if … else g\(x\)"),
    ("if x > 2: g = math\nelse: g = 1\nreturn g", "g, which is a module on some paths alone, cannot be compiled: give g the same"),
    ("return max(x * k for k in range(3))", "a generator cannot be compiled: write a loop that keeps what is wanted; sum, any, all and math.prod take one"),
    ("return sum((y := x) for k in range(3))", ":= in a generator cannot be compiled: write a loop"),
    ("return (1, 2) < x", "a comparison of a tuple"),
])  # fmt: skip
def test_refusals_say_what_to_write(source, message):
    with pytest.raises(wf.Error, match=message):
        wf.vectorize(function(source, "x"))(wf.ones(3))


@pytest.mark.parametrize(("given", "message"), [
    (lambda: wf.vectorize(target="parallel"), "'target': arrays say where a call runs, on all of the CPU's threads or on a GPU: leave it out"),
    (lambda: wf.vectorize(math.sin, nopython=True), "'nopython': every function is compiled as a whole: leave it out"),
    (lambda: wf.vectorize(["float64(float64)"]), "got list: the types of arguments are those of each call, so leave them out"),
    (lambda: wf.vectorize("float64(float64)", target="cuda"), "'target'"),
    (lambda: wf.guvectorize, r'write weft\.vectorize\(f, signature="\(n\),\(n\)->\(\)"\)'),
    (lambda: wf.prange, "write range"),
    (lambda: wf.ElementwiseKernel, "weft.elementwise does that"),
])  # fmt: skip
def test_says_what_numbas_and_cupys_names_are_here(given, message):
    with pytest.raises((TypeError, AttributeError), match=message):
        given()
    assert [*inspect.signature(wf.vectorize).parameters][:3] == ["pyfunc", "otypes", "doc"]


def test_a_lambda_is_called_so():
    with pytest.raises(wf.Error, match=r"lambda: shapes do not broadcast: got \(3,\) and \(4,\)"):
        wf.vectorize(lambda a, b: a + b)(wf.ones(3), wf.ones(4))


@pytest.mark.parametrize(("excluded", "args", "keywords", "message"), [
    ({"p"}, ([1.0, 2.0],), {}, "p is excluded by its name, and is given by its place, so it counts as an array: write p=… in the call, or exclude 1 as well"),
    ({1}, (), {"p": [1.0, 2.0]}, "p is excluded by its place, 1, and is given by its name, so it counts as an array: write it without p=, or exclude 'p' as well"),
    ({"p"}, ("text",), {}, "p is excluded by its name"),
])  # fmt: skip
def test_says_that_an_excluded_argument_is_given_otherwise(excluded, args, keywords, message):
    with pytest.raises((wf.Error, TypeError), match=message):
        wf.vectorize(lambda x, p: x * p[0], excluded=excluded)(wf.ones(3), *args, **keywords)
    with pytest.raises((wf.Error, TypeError), match=message):
        wf.vectorize(lambda x, p: x * p, excluded=excluded)(wf.ones(3), *args, **keywords)
