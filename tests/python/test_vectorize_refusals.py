"""What vectorize() cannot compile: the line, the construct and what to write, and calls that the function does not take."""

import functools
import linecache
import math

import numpy as np
import pytest
import weft as wf

F = np.random.default_rng(5).normal(size=(7, 23)) * 3


def recursive(n):
    return 1 if n <= 1 else n * recursive(n - 1)


def refused(source):
    """A function of a file's text, which cannot be compiled."""
    name = f"<refused {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"math": math, "functools": functools, "np": np, "wf": wf, "array": np.arange(300), "recursive": recursive}
    exec(compile(source, name, "exec"), space)  # noqa: S102
    return space["f"], name


BODIES = [
    ("raise ValueError", "raise"), ("assert x > 0\n    return x", "assert"), ("try:\n        return x\n    except ValueError:\n        return 0", "try"),
    ("with open('f') as g:\n        return x", "with"), ("del x\n    return 1", "del"), ("global y\n    return x", "global"),
    ("import os\n    return x", "import"), ("from os import path\n    return x", "import"), ("class A:\n        pass\n    return x", "class"),
    ("return [x]", "list"), ("return {1: x}", "dict"), ("return {x}", "set"), ("return [i for i in range(3)]", "comprehension"),
    ("return max(i for i in range(3))", "generator"), ("yield x", "yield"), ("return f'{x}'", "string"), ("return 'a'", "string"),
    ("return None", "return without a number"), ("return", "return without a number"), ("y = x", "without return"),
    ("if x > 0:\n        return x", "without return"), ("return x @ x", "@"), ("return x is x", "is"), ("return x[0]", "element"),
    ("return x.foo", ".foo"), ("return array[0]", "array"), ("return y", "not defined"), ("return recursive(x)", "calls itself"),
    ("return math.gamma(x)", "math.gamma"), ("return float('a')", "float('a')"), ("return print(x)", "print"), ("return len(x)", "len"), ("return isinstance(x, int)", "isinstance"),
    ("return np.linalg.norm(x)", "norm"), ("return math.nope(x)", "nope"), ("for i in x:\n        pass\n    return x", "loop over"),
    ("for i in range(x):\n        pass\n    return x", "range"), ("for i in range(0, 4, 0):\n        pass\n    return x", "step"),
    ("a, b = x\n    return a", "several names"), ("a, b = 1, 2, 3\n    return a", "3 values"), ("x[0] = 1\n    return x", "element"),
    ("x.a = 1\n    return x", "attribute"), ("if x > 0:\n        y = 1\n    return y", "some paths"), ("return (1, 2) if x > 0 else (1, 2, 3)", "another length"),
    ("return x if x > 0 else (x, x)", "another length"), ("return math.sqrt", "result"), ("return x << 1", "<<"), ("return ~x", "~"),
    ("return 1 // 0", "division"), ("return min()", "min"), ("return math.sin(x, x)", "math.sin"), ("return helper(x)", "not defined"),
    ("return (x, (x, x))", "result"), ("return max(x, key=3)", "key"), ("return pow(x, 2, 3)", "pow"), ("async def g():\n        pass\n    return x", "async"),
    ("return (lambda **a: 1)(x)", "**"), ("return np.sin(*[x])", "*"), ("y = ((x, 1), x)\n    return y[int(x)]", "several lengths"), ("y = (x, 1)\n    return y[x]", "place of f64"), ("y = (x, 1)\n    return y[5]", "5"),
    ("return x + 'a'", "string"), ("return x if 'a' else 0", "string"), ("return x < (1, 2)", "comparison"), ("return -(x, x)", "sign"),
    ("return 10 ** 400 * x", "bits"), ("return int(1e400)", "conversion"), ("return math.sqrt(-1)", "math.sqrt"), ("return x and (1, 2)", ""),
    ("nonlocal_ = x\n    while nonlocal_ > 0:\n        nonlocal_ = (1, 2)\n    return x", ""), ("return wf.sum(x)", "sum"), ("return ...", "..."),
    ("return x.real()", "call of"), ("return (x)(2)", "call of"), ("return dict(a=x)", ""), ("return open(x)", "open"), ("return np.array(x)", "array"),
    ("return np.random.rand()", "rand"), ("for i in range(3, a=1):\n        pass\n    return x", "range"), ("return range(3)", "range"),
    ("return complex(x, x) < 1j", "order"), ("return (x + 1j) // 2", "//"), ("return float(x + 1j)", "complex"), ("return round(x + 1j)", "round"),
    ("return x ** 2 if x else 'no'", "string"), ("match x:\n        case 1:\n            return x\n    return x", "match"),
    ("lst = list()\n    return x", "list"), ("return abs(x, x)", "abs"), ("return x.__class__", "__class__"), ("return True - np.bool_(x > 1) ", ""),
    ("return np.bool_(x > 1) - np.bool_(x > 2)", "bools"), ("return -np.bool_(x > 1)", "bool"), ("y: int\n    return y", "some paths"),
    ("return await_(x)", "not defined"), ("return '%d' % x", "string"), ("return b'a'", "bytes"), ("return x in [1, 2]", "list"),
    ("return x not in 'ab'", "string"), ("def g(**a):\n        return 1\n    return g(b=x)", "**"), ("@np.vectorize\n    def g(a):\n        return 1\n    return g(x)", "decorator"),
    ("def g(a):\n        return a\n    return g()", "without a"), ("def g(a):\n        return a\n    return g(x, x)", "2 arguments"),
    ("def g(a):\n        return a\n    return g(b=x)", "b"),
]


@pytest.mark.parametrize("body, construct", BODIES, ids=range(len(BODIES)))
def test_refuses_with_line_construct_and_advice(body, construct):
    f, name = refused(f"def f(x):\n    {body}\n")
    with pytest.raises(wf.Error) as error:
        wf.vectorize(f)(wf.asarray(F))
    message = str(error.value)
    assert construct in message and "cannot be compiled: " in message
    *_, where, mark = message.splitlines() if "^" in message else (*message.splitlines(), "")
    assert name in where or "test_vectorize_refusals.py" in where
    assert not mark or where[mark.index("^") : mark.rindex("^") + 1].strip()


def test_marks_the_construct_as_python_does():
    f, name = refused("def f(x):\n    if x > 0:\n        return x + [x][0]\n    return x\n")
    with pytest.raises(wf.Error) as error:
        wf.vectorize(f)(wf.asarray(F))
    where = f"  {name}:3: "
    assert str(error.value).splitlines()[1:] == [where + "return x + [x][0]", " " * (len(where) + len("return x + ")) + "^^^"]


def test_cuts_a_long_line_around_the_construct():
    terms = " + ".join(f"x * {k}" for k in range(60))
    f, name = refused(f"f = lambda x: {terms} + {{1: 'ä'}}[x] + {terms}\n")
    with pytest.raises(wf.Error) as error:
        wf.vectorize(f)(wf.asarray(F))
    shown, mark = str(error.value).splitlines()[1:]
    assert len(shown) < 160 and shown.startswith(f"  {name}:1: … ") and shown.endswith(" …")
    assert shown[mark.index("^") : mark.rindex("^") + 1] == "{1: 'ä'}"


class Bound:
    def method(self, x):
        return x + 1

    def __call__(self, x, by=1):
        return x + by


@pytest.mark.parametrize(("f", "call", "said"), [
    (lambda x: x, lambda f, x: f(x, x), r"<lambda>\(\) takes 1 positional argument but 2 were given"),
    (lambda x, y: x, lambda f, x: f(x), r"<lambda>\(\) missing 1 required positional argument: 'y'"),
    (lambda x, *, k=1: x, lambda f, x: f(x, q=2), r"<lambda>\(\) got an unexpected keyword argument 'q'"),
    (lambda x, *, k: x, lambda f, x: f(x), r"<lambda>\(\) missing 1 required keyword-only argument: 'k'"),
    (lambda x, y=1: x, lambda f, x: f(x, x=x), r"<lambda>\(\) got multiple values for argument 'x'"),
    (lambda x, /, y=1: x, lambda f, x: f(x=x), r"<lambda>\(\) got some positional-only arguments passed as keyword arguments: 'x'"),
    (lambda x, *more: x, lambda f, x: f(), r"<lambda>\(\) missing 1 required positional argument: 'x'"),
    (functools.partial(lambda x, y: x, 1), lambda f, x: f(x, x), r"<lambda>\(\) takes 2 positional arguments but 3 were given"),
    (Bound().method, lambda f, x: f(x, x), r"Bound\.method\(\) takes 2 positional arguments but 3 were given"),
    (Bound(), lambda f, x: f(), r"Bound\.__call__\(\) missing 1 required positional argument: 'x'"),
    (functools.lru_cache(recursive), lambda f, x: f(x, x), r"recursive\(\) takes 1 positional argument but 2 were given"),
    (recursive, lambda f, x: f(x, out=x), r"recursive: out is no argument of a vectorized function, which gives new arrays: write out\[\.\.\.\] = recursive\(…\)"),
])
@pytest.mark.parametrize("fallback", [False, True])
def test_wrong_calls_are_refused_in_pythons_words(f, call, said, fallback):
    with pytest.raises(TypeError, match=said + "$"):
        call(wf.vectorize(f, fallback=fallback), wf.ones(3))


def test_what_is_not_written_in_python_has_no_line():
    with pytest.raises(wf.Error, match=r"^sin: a call of math\.sin cannot be compiled: .*take numbers$"):
        wf.vectorize(math.sin)(wf.ones(3), wf.ones(3))


def test_there_are_a_hundred_refusals():
    assert len(BODIES) >= 100


@pytest.mark.parametrize(("call", "instead"), [
    ("math.ldexp(x, 2)", r"write x \* 2.0 \*\* n"), ("math.gamma(x)", "math.exp\\(math.lgamma\\(x\\)\\)"), ("math.gcd(x, 2)", r"convert with int\(…\) first"),
    ("math.dist((x, 1.0), x)", "math.hypot"), ("math.fsum((x, x))", "write a \\+ b"), ("math.hypot((x, x))", r"write \* before a tuple"),
    ("sorted((x, 1.0))[0]", "min and max"), ("wf.vectorize(lambda v: v)(x)", "call the function itself"), ("functools.partial(pow, x)(2)", "write a lambda in its place"), ("any(x)", "write or"), ("math.atan2(x + 1j, x)", r"take z.real or abs\(z\) first"), ("np.sum(x)", "it is one number"), ("wf.sum(x)", "it is one number"),
    ("np.random.rand()", "pass random numbers as an argument"), ("x.astype(int)", r"write np.float32\(x\)"), ("x.shape", "it is one number"), ("round(math.sin(x), 2)", "round\\(x \\* 100\\)"),
])
def test_says_what_to_write_in_place_of_a_call(call, instead):
    f, _ = refused(f"def f(x):\n    return {call}\n")
    with pytest.raises(wf.Error, match=f"cannot be compiled: .*{instead}"):
        wf.vectorize(f)(wf.asarray(F))


def test_many_returns_in_a_row():
    lines = "".join(f"    if x > {k}.5:\n        y = y + {k}\n        if y > {7 * k}:\n            return y\n" for k in range(28))
    f, _ = refused(f"def f(x):\n    y = x\n{lines}    return -y\n")
    x = np.linspace(-1, 40, 100)
    np.testing.assert_array_equal(np.asarray(wf.vectorize(f)(wf.asarray(x))), [f(one) for one in x.tolist()])
    returns = "".join(f"    if x < {k}.5:\n        return x * {k}\n" for k in range(80))
    f, _ = refused(f"def f(x):\n{returns}    return x\n")
    with pytest.raises(wf.Error, match="a nesting of more than 60 choices cannot be compiled: write one if after the other"):
        wf.vectorize(f)(wf.asarray(F))


def test_what_never_ends_is_refused():
    def endless(a):
        while True:
            a = a + 1

    with pytest.raises(wf.Error, match="a function that never ends cannot be compiled"):
        wf.vectorize(endless)(wf.ones(2))


# ---- ops as text inside


@pytest.mark.parametrize(("make", "args", "message"), [
    (lambda: wf.elementwise("r = v + i", "T v", "T r", "op"), "x", "a call of op cannot be compiled: it reads i, the number of the element"),
    (lambda: wf.elementwise("r = v", "T v", "T r", "op", derivative="dr_dv = 2"), "x", "a call of op cannot be compiled: its derivative is another text"),
    (lambda: wf.elementwise("r = v", "int v", "int r", "op"), "x", "a call of op cannot be compiled: v is i32, which takes integers and bools: got f64"),
    (lambda: wf.elementwise("r = v", "int v", "int r", "op"), "2 ** 40", "1099511627776, which i32 does not hold"),
    (lambda: wf.elementwise("r = v", "T v", "T r", "op"), "x, x", "2 arguments for op cannot be compiled: it takes 1"),
    (lambda: wf.elementwise("r = v", "T v", "T r", "op"), "x, out=x", "out= in a call of op cannot be compiled"),
    (lambda: wf.reduction("v", "a + b", "r = a", 0, "T v", "T r", "op"), "x", "a call of op cannot be compiled: call it outside of the function"),
    (lambda: wf.cpu_kernel("void op(long b, long e, double* r) {}", "op"), "3, (x, x)", "a call of op cannot be compiled: call it outside of the function"),
])
def test_refuses_ops_as_text(make, args, message):
    f, name = refused(f"def f(x):\n    return op({args})\n")
    f.__globals__["op"] = make()
    with pytest.raises(wf.Error, match=message) as error:
        wf.vectorize(f)(wf.asarray(F))
    assert name in str(error.value)
