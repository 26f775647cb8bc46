"""vectorize() beside Python itself: control flow, types, functions that are called, and names from outside."""

import cmath
import math
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import weft as wf

rng = np.random.default_rng(5)

SCALE = 2.5
TABLE = (1.0, 0.5, 0.25)


def by_python(f, *arrays):
    """The function of NumPy's scalars, element by element."""
    arrays = np.broadcast_arrays(*arrays)
    results = [f(*(x[at] for x in arrays)) for at in np.ndindex(arrays[0].shape)]
    if isinstance(results[0], tuple):
        return tuple(np.array([one[k] for one in results]).reshape(arrays[0].shape) for k in range(len(results[0])))
    return np.array(results).reshape(arrays[0].shape)


def check(f, *arrays, rtol=4e-15):
    """That the function of arrays gives what Python gives."""
    with np.errstate(all="ignore"):
        want = by_python(f, *arrays)
    got = wf.vectorize(f)(*(wf.asarray(x) for x in arrays))
    assert isinstance(got, tuple) == isinstance(want, tuple)
    for g, w in zip(got if isinstance(got, tuple) else (got,), want if isinstance(want, tuple) else (want,)):
        g = np.asarray(g)
        assert g.dtype == w.dtype and g.shape == w.shape
        if w.dtype.kind in "fc":
            np.testing.assert_allclose(g, w, rtol=rtol if w.dtype.itemsize >= 8 and w.dtype != "c8" else 2e-6, atol=0)
        else:
            np.testing.assert_array_equal(g, w)


F = rng.normal(size=(7, 23)) * 3
G = rng.normal(size=(7, 23))
N = rng.integers(1, 200, size=(5, 31))


# ---- control flow


def sign_of(x):
    if x > 0:
        return 1
    elif x < 0:
        return -1
    else:
        return 0


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def escape(cr, ci):
    zr = zi = 0.0
    for i in range(60):
        if zr * zr + zi * zi > 4.0:
            return i
        zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
    return 60


def newton(x):
    y = x
    while True:
        step = (y * y * y - x) / (3 * y * y + 1e-9)
        y -= step
        if abs(step) < 1e-12:
            break
    return y


def skipping(x, y):
    total = 0.0
    for i in range(12):
        if i % 3 == 1:
            continue
        for j in range(i, 0, -2):
            if j == 4 and x > y:
                break
            total += x * j - y
            if total > 40:
                return -total
        else:
            total += 0.5
    return total


def over_tuple(x):
    total = x * 0
    for c in TABLE:
        if x < c:
            continue
        total = total * x + c
        if total > 100:
            break
    else:
        total += 1
    return total


def prime(n):
    if n < 2:
        return False
    k = 2
    while k * k <= n:
        if n % k == 0:
            return False
        k += 1
    return True


def nested_returns(x, y):
    """Returns from within loops and branches."""
    for i in range(5):
        if x > i:
            if y > 0:
                return x + i
            while y < i:
                y += 1.0
                if y > 3:
                    return y
        x += 0.25
    return x - y


def returned_before_else(x, y):
    """A loop that returns does not run what stands behind its else, neither does one that breaks."""
    for i in range(4):
        if x > i:
            return x + i
        if y > i + 1:
            break
    else:
        if y < -1:
            return y
        x = y * 100
    while y < 3:
        y += 1.5
        if x < y:
            return x - y
    else:
        return y
    return x


def always_returned(x):
    for _ in range(2, 3):
        return x
    else:
        return -x


def returned_over_a_tuple(x):
    for c in TABLE:
        if x > c:
            return c
    else:
        x += 10
    return x


def returned_without_end(x):
    while True:
        x += 1
        if x > 3:
            return x
    else:
        x = x * 0
    return x


@pytest.mark.parametrize("f, arrays", [
    (sign_of, (F,)), (collatz, (N,)), (escape, (F, G)), (newton, (np.abs(F) + 0.1,)), (skipping, (F, G)), (over_tuple, (np.abs(F),)),
    (prime, (N,)), (nested_returns, (F, G)), (returned_before_else, (F, G)), (always_returned, (F,)), (returned_over_a_tuple, (F,)),
    (returned_without_end, (F,)),
    (lambda x: x if x > 0 else -2 * x, (F,)), (lambda x, y: x and y, (N % 3, N % 2)), (lambda x, y: x or y, (F, G)),
    (lambda x: 0 < x <= 2, (F,)), (lambda x: not x > 1, (F,)), (lambda n: n in (3, 5, 7), (N % 9,)),
    (lambda x: (y := x * 2) + y, (F,)), (lambda x, y: (x + y, x * y, x > y), (F, G)),
], ids=lambda v: getattr(v, "__name__", ""))
def test_control_flow(f, arrays):
    check(f, *arrays)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"])
def test_dtypes(dtype):
    x = (rng.integers(1, 50, size=41)).astype(dtype)
    y = (rng.integers(1, 9, size=41)).astype(dtype)

    def f(a, b):
        return a + b, a * b, a // b, a % b, a / b, a < b, a + 1, b * 2.0, abs(a), min(a, b), max(a, b), int(a), float(b)

    if dtype == "bool":
        def f(a, b):
            return a & b, a | b, a ^ b, a + b, a * b, a == b, a + 1, b * 2.0, not a, int(a), float(b)
    check(f, x, y)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers(dtype):
    z = (F + 1j * G).astype(dtype)

    def f(z):
        w = z * z.conjugate() + 1j
        return w, abs(z), z.real, z.imag, -z, z + 2, cmath.exp(z * 0.1) if z.real > 0 else cmath.sqrt(z), np.exp(z * 0.1)

    check(f, z, rtol=1e-13)


def test_pythons_numbers_give_way():
    x = wf.asarray(F.astype("float32"))
    assert wf.vectorize(lambda v: v * 2.0 + 1)(x).dtype == "float32"
    assert wf.vectorize(lambda v: math.sqrt(v * v))(x).dtype == "float64"
    doubled = wf.vectorize(lambda v, w, n: v * w + n)(x, 2.0, 3)
    assert doubled.dtype == "float32"
    np.testing.assert_array_equal(np.asarray(doubled), F.astype("float32") * 2 + 3)
    np.testing.assert_array_equal(np.asarray(wf.vectorize(lambda a, v, b: (a - v) * b)(1, x, 0.5)), (1 - F.astype("float32")) * np.float32(0.5))
    assert wf.vectorize(lambda v: 3)(x).dtype == "int64"
    total = wf.vectorize(lambda v: sum((v, v, 0.5)))(x)
    assert total.dtype == "float32"


def test_loops_widen_types():
    def f(x):
        s = 0
        for i in range(4):
            s += x * i
        return s

    check(f, F)
    check(f, F.astype("float32"))
    check(f, N.astype("int16"))


# ---- what is called


def helper(x, power=2, *, scale=1.0):
    return x ** power * scale


def recursive(x):
    return recursive(x - 1) if x > 0 else x


def test_functions_are_inlined():
    def inner(x):
        def local(y):
            return y + x

        square = lambda v: v * v  # noqa: E731
        return helper(x) + helper(x, 3) + helper(x, scale=SCALE) + local(2 * x) + square(x)

    check(inner, F, rtol=1e-13)  # terms cancel, and the two round x*y+z in other places


def test_functions_of_math_and_numpy():
    def f(x):
        a = abs(x) + 0.5
        return (math.sin(a) + math.log(a) + math.exp(-a) + math.atan2(a, 2) + math.hypot(a, 1) + math.log(a, 2) + math.fmod(a, 0.7)
                + math.degrees(a) + math.pi, math.floor(a), math.ceil(a), math.isnan(a), np.sqrt(a) + np.log1p(a), np.floor(a), np.maximum(a, 1.5),
                np.where(a > 1, a, -a), np.clip(a, 0.7, 1.2), np.float32(a), round(a), divmod(a, 0.3), pow(a, 1.5), int(a), wf.sqrt(a))

    def flat(x):
        r = f(x)
        return (*r[:11], *r[11], *r[12:]) if False else r[0] + r[1] + r[6] + r[8] + r[11][0] + r[12] + r[14]

    check(flat, F, rtol=1e-13)

    def g(x):
        a = abs(x) + 0.5
        return math.floor(a), math.isnan(a), np.float32(a), round(a), np.where(a > 1, a, -a)

    check(g, F)


def test_names_from_outside_are_followed():
    global SCALE
    f = wf.vectorize(lambda x: x * SCALE)
    x = wf.asarray(F)
    before = np.asarray(f(x))
    SCALE = 4.0
    try:
        np.testing.assert_array_equal(np.asarray(f(x)), F * 4.0)
    finally:
        SCALE = 2.5
    np.testing.assert_array_equal(np.asarray(f(x)), before)

    def make(c):
        return wf.vectorize(lambda x: x + c)

    np.testing.assert_array_equal(np.asarray(make(1.0)(x)), F + 1.0)
    np.testing.assert_array_equal(np.asarray(make(2.0)(x)), F + 2.0)


# ---- as an op


def test_fuses_with_what_is_around_it():
    f = wf.vectorize(escape)
    a, b = wf.asarray(F), wf.asarray(G)
    total = wf.sum(f(a * 0.5, b) * 2.0)
    want = (by_python(escape, F * 0.5, G) * 2.0).sum()
    assert "1 kernel" in wf.explain(total) or wf.explain(total).count("step") == 1
    assert float(total) == want


def test_broadcasts_and_takes_views_and_no_elements():
    f = wf.vectorize(collatz)
    np.testing.assert_array_equal(np.asarray(f(wf.asarray(N)[:, ::-2])), by_python(collatz, N[:, ::-2]))
    g = wf.vectorize(lambda x, y: x if x > y else y)
    np.testing.assert_array_equal(np.asarray(g(wf.asarray(F), wf.asarray(G[0]))), np.maximum(F, G[0]))
    assert f(wf.zeros((0, 3), dtype="int64")).shape == (0, 3)
    one = f(wf.asarray(7))
    assert one == 16 and np.shape(one) == ()
    big = np.arange(1, 100_001)
    np.testing.assert_array_equal(np.asarray(f(wf.asarray(big)))[::997], by_python(collatz, big[::997]))


def test_loops_do_not_run_on_what_is_padded():
    f = wf.vectorize(lambda n: 0 if n == 1 else collatz(n))
    padded = wf.pad(f(wf.asarray(N)), 3)
    np.testing.assert_array_equal(np.asarray(padded), np.pad(by_python(collatz, N), 3))
    joined = wf.concat([f(wf.asarray(N)), wf.zeros((2, 31), dtype="int64")])
    np.testing.assert_array_equal(np.asarray(joined)[:5], by_python(collatz, N))


def test_several_results():
    def polar(x, y):
        return math.hypot(x, y), math.atan2(y, x)

    r, phi = wf.vectorize(polar)(wf.asarray(F), wf.asarray(G))
    np.testing.assert_allclose(np.asarray(r * wf.cos(phi)), F, rtol=1e-12)


def test_keeps_what_numpys_arguments_mean():
    @wf.vectorize(otypes=["float32"], doc="Half.")
    def half(x):
        """Not this."""
        return x / 2

    assert half.__doc__ == "Half." and half.__name__ == "half"
    assert half(wf.asarray(F)).dtype == "float32"

    def polynomial(x, p):
        total = 0.0
        for c in p:
            total = total * x + c
        return total

    f = wf.vectorize(polynomial, excluded=["p"])
    np.testing.assert_allclose(np.asarray(f(wf.asarray(F), p=(1.0, 2.0, 3.0))), (F + 2) * F + 3, rtol=1e-14)
    rows = wf.vectorize(lambda a, b: float(np.dot(a, b)), signature="(n),(n)->()")
    np.testing.assert_allclose(np.asarray(rows(wf.asarray(F), wf.asarray(G))), (F * G).sum(1), rtol=1e-12)


decorated = wf.vectorize(escape)


@wf.vectorize
def module_level(x):
    return x * 2 if x > 0 else x


def test_is_pickled():
    again = pickle.loads(pickle.dumps(module_level))
    assert again is module_level
    other = pickle.loads(pickle.dumps(decorated))
    np.testing.assert_array_equal(np.asarray(other(wf.asarray(F), wf.asarray(G))), by_python(escape, F, G))


def test_is_pickled_by_its_source_where_no_name_leads_to_it():
    scale, shift = 2.5, (1, 0.25)

    def inner(x, by=3):
        return x * by if x > 0 else math.sqrt(-x)

    def outer(x, *, least=0.5):
        def own(v):
            return v + shift[1]

        return max(own(inner(x)) * scale + np.cos(collatz(3)), least)

    plus = wf.vectorize(lambda x: inner(x) + scale)
    for f in (wf.vectorize(outer), plus, wf.vectorize(inner, otypes="f")):
        data = pickle.dumps(f)
        want = np.asarray(f(wf.asarray(F)))
        np.testing.assert_array_equal(np.asarray(pickle.loads(data)(wf.asarray(F))), want)
        # Another process has neither these functions nor, of this file, anything but what can be imported.
        text = f"import pickle, sys; sys.path.insert(0, {os.path.dirname(__file__)!r})\nimport numpy as np, weft as wf\n" \
               f"f = pickle.loads(pickle.dumps(pickle.loads({data!r})))\nprint(np.asarray(f(wf.asarray(np.array({F[0].tolist()!r})))).tolist())"
        run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, timeout=300)
        assert run.stdout == f"{want[0].tolist()}\n", run.stderr


# ---- derivatives and many values


def test_is_derived():
    def f(x, n):
        y = 1.0
        for _ in range(4):
            if x > 0:
                y = y * x + math.sin(x)
            else:
                y = y - x * x
        return y * n

    g = wf.vectorize(f)
    x, n = wf.asarray(F[0]), wf.asarray(N[0, :23])
    eps = 1e-6
    want = (by_python(f, F[0] + eps, N[0, :23]) - by_python(f, F[0] - eps, N[0, :23])) / (2 * eps)
    got = wf.grad(lambda v: wf.sum(g(v, n)))(x)
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5, atol=1e-6)
    _, tangent = wf.jvp(lambda v: g(v, n), (x,), (wf.ones_like(x),))
    np.testing.assert_allclose(np.asarray(tangent), np.asarray(got), rtol=1e-12)


def test_is_derived_by_each_of_several_arguments():
    g = wf.vectorize(lambda x, a, b: x * b if x > 0 else a * math.expm1(x) * b)
    x, a, b = (wf.asarray(v) for v in ([-1.0, 2.0], [0.5, 0.25], [3.0, 4.0]))
    by = wf.grad(lambda *v: wf.sum(g(*v)), argnums=(0, 1, 2))(x, a, b)
    want = ([0.5 * math.exp(-1) * 3, 4], [math.expm1(-1) * 3, 0], [0.5 * math.expm1(-1), 2])
    for got, right in zip(by, want):
        np.testing.assert_allclose(np.asarray(got), right, rtol=1e-12)


def test_is_done_for_many_values():
    f = wf.vectorize(escape)
    many = wf.vmap(lambda a: f(a, wf.asarray(G[0])))(wf.asarray(F))
    np.testing.assert_array_equal(np.asarray(many), by_python(escape, F, np.broadcast_to(G[0], F.shape)))


def test_infinity_by_its_name():
    f = wf.vectorize(lambda x: min(x, float("inf")) if x < float("1e3") else float("-inf"))
    np.testing.assert_array_equal(np.asarray(f(wf.asarray([1.0, 2e3]))), [1, -np.inf])


def test_verify_holds_a_function_to_its_reference():
    near = wf.vectorize(lambda x: x * (1 + x / 2), reference=np.expm1, ulps=1)
    assert wf.verify(near, wf.asarray([0.0, 1e-9], dtype="float32"))
    found = wf.verify(pickle.loads(pickle.dumps(near)), wf.asarray([0.0, 0.5], dtype="float32"))
    assert not found and found.to_dict()["functions"][0]["bound"] == 1
    named = wf.elementwise("y = 2 * x", "T x", "T y")
    assert wf.verify(wf.vectorize(lambda x: x + x, reference=named, ulps=0), wf.arange(5))
    with pytest.raises(TypeError, match="vectorize: reference is a function: got str"):
        wf.vectorize(lambda x: x, reference="y = x")
    with pytest.raises(wf.Error, match="a function of rows takes no reference"):
        wf.vectorize(lambda x: x.sum(), signature="(n)->()", reference=abs)
    with pytest.raises(wf.Error, match="reference: .*open"):
        wf.vectorize(lambda x: x, reference=lambda x: open(x))(wf.ones(2))
