"""Which function vectorize() compiles: lambdas of one line, decorators, methods, what has no source, what reads from outside, pickles of names."""

import functools
import linecache
import math
import pickle

import numpy as np
import pytest
import weft as wf


def test_python_calls_what_has_no_source_and_says_so():
    made = {}
    exec("def larger(a, b):\n    return a if a > b else b", made)
    with pytest.warns(RuntimeWarning, match="Python calls it for each element"):
        result = wf.vectorize(made["larger"])(wf.asarray([1, 5]), wf.asarray([3, 2]))
    assert result.tolist() == [3, 5]


def test_lambdas_are_found_in_entries_of_a_dict():
    several = {
        "lambda": wf.vectorize(lambda x: x + 1 if x > 0 else 0.0),
        "other": lambda x: x * 2,
    }
    np.testing.assert_array_equal(np.asarray(several["lambda"](wf.asarray([-1.0, 2.0]))), [0, 3])
    np.testing.assert_array_equal(np.asarray(wf.vectorize(several["other"])(wf.asarray([-1.0, 2.0]))), [-2, 4])


def named(**functions):
    return functions


def test_each_lambda_of_a_line_is_found():
    x = wf.asarray([1.0, 2.0])
    several = named(
        p=lambda a: a + 1, q=lambda a: a * 2, r=lambda a: math.sin(a))
    for name, want in (("p", [2, 3]), ("q", [2, 4]), ("r", np.sin([1.0, 2.0]))):
        np.testing.assert_allclose(np.asarray(wf.vectorize(several[name])(x)), want, rtol=1e-15)
    scale, by = 3.0, [lambda a: a * scale, lambda a: a * scale + 1, lambda a: 7.0]
    assert [wf.vectorize(f)(x).tolist() for f in by] == [[3, 6], [4, 7], [7, 7]]
    with pytest.raises(wf.Error, match=r"a list comprehension cannot be compiled.*\n.*test_vectorize_sources.py:\d+: .*max"):
        wf.vectorize(lambda a: max([k for k in range(3)]) + a)(x)
    np.testing.assert_array_equal(np.asarray(wf.vectorize(lambda a, more=None: a + 1)(x)), [2, 3])


def hundredfold(f):
    @functools.wraps(f)
    def wrapper(a):
        return f(a) * 100

    return wrapper


@hundredfold
def decorated_twice(a):
    return a + 1


def test_decorators_that_wrap_are_run():
    assert wf.vectorize(decorated_twice)(wf.asarray([1.0, 2.0])).tolist() == [200, 300]
    assert wf.vectorize(lambda a: decorated_twice(a) - 1)(wf.asarray([1.0])).tolist() == [199]


FACTOR = 2.0


def scaled(a):
    return a * FACTOR


@wf.vectorize
def of_a_global(a):
    return scaled(a) + FACTOR


def test_compiled_functions_follow_what_vectorized_ones_read(monkeypatch):
    f = wf.compile(lambda v: of_a_global(v) + 1)
    x = wf.asarray([1.0, 2.0])
    assert f(x).tolist() == [5, 7]
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert f(x).tolist() == [11, 16]
    monkeypatch.setitem(globals(), "scaled", lambda a: a)
    assert f(x).tolist() == [7, 8]
    assert f.recordings == 3


def test_a_pickle_whose_name_is_gone_raises():
    data = pickle.dumps(of_a_global)
    assert pickle.loads(data) is of_a_global
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        pickle.loads(data.replace(b"of_a_global", b"nothing_of_this_name").replace(b"\x8c\x0b", b"\x8c\x14"))


@pytest.mark.parametrize("text", [
    "def f(a):\n    return (a\n            + (2\n               * 3)\n            )\n\nx = 1\n",
    "def f(a):\n    if a > 1:\n        a = 7\n    else:\n        pass\n    return a + len((\n        1,\n        2,\n    ))  # of two\n",
    "class A:\n    @staticmethod\n    def f(a):\n        def g(b):\n            return (\n                b + 1\n            )\n        return g(a)\nf = A.f\n",
    "def f(a): return a * \\\n    2\n",
    "def f(a):\n    return a + 1\n\n\ndef f2(a):\n    return 0\n",
    "def outer():\n\n    def f(\n        a,\n        b=2,\n    ):\n        '''A\ntext.'''\n        return a * b\n\n    return f\nf = outer()\n",
])
def test_finds_where_a_function_ends(text):
    name = f"<ends {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {}
    exec(compile(text, name, "exec"), space)  # noqa: S102
    np.testing.assert_array_equal(np.asarray(wf.vectorize(space["f"])(wf.asarray([1.0, 3.0]))), [space["f"](1.0), space["f"](3.0)])
    # Another text has come in its place.
    other = "\n".join(["# no function"] * 20)
    space = {}
    exec(compile("\n" + text, name + "other", "exec"), space)  # noqa: S102
    linecache.cache[name + "other"] = (len(other), None, other.splitlines(True), name + "other")
    with pytest.warns(RuntimeWarning, match="the source of f cannot be read"):
        wf.vectorize(space["f"])(wf.asarray([1.0, 3.0]))
