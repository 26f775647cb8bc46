"""vectorize() beside Python itself: control flow, types, functions that are called, names from outside, and what is refused."""

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


def ramp(x, i, j):
    return x + 10 * i + j if i > 0 else -x


def test_takes_positions_that_are_nowhere_stored():
    f = wf.vectorize(ramp)
    x, column = wf.asarray(F), wf.asarray(F[:, :1])
    i, j = np.indices(F.shape)
    want = by_python(ramp, F, i, j)
    np.testing.assert_array_equal(np.asarray(f(x, wf.index(0), wf.index(-1))), want)
    np.testing.assert_array_equal(np.asarray(f(x, j=wf.index(1), i=wf.index(-2))), want)
    said = wf.explain(wf.sum(f(x, wf.index(0), wf.index(1))))
    assert said.startswith("1 kernel") and f"{F.nbytes / 1000:.1f} kB read" in said
    # They count in what the others broadcast to.
    wide = wf.vectorize(lambda a, b, k: a * b + k)(column, x[0], wf.index(1))
    np.testing.assert_allclose(np.asarray(wide), F[:, :1] * F[0] + j, rtol=1e-15)
    assert f(wf.zeros((0, 3)), wf.index(0), wf.index(1)).shape == (0, 3)
    rows = wf.vmap(lambda v: f(v, wf.index(0), 0))(x)
    np.testing.assert_array_equal(np.asarray(rows), by_python(ramp, F, j, np.zeros_like(j)))
    np.testing.assert_array_equal(np.asarray(wf.compile(lambda v: f(v, wf.index(0), wf.index(1)))(x)), want)
    slope = wf.grad(lambda v: wf.sum(f(v, wf.index(0), 0)))(wf.ones(3))
    np.testing.assert_array_equal(np.asarray(slope), [-1, 1, 1])
    by_numpy = wf.vectorize(lambda a, k: a + float(str(int(k))), fallback=True)
    np.testing.assert_array_equal(np.asarray(by_numpy(x[0], wf.index(0))), F[0] + j[0])


def test_is_computed_of_a_grid():
    f = wf.vectorize(lambda i, j: i - j if i > j else 0)
    made = wf.fromfunction(f, (5, 7), dtype=int)
    i, j = np.indices((5, 7))
    np.testing.assert_array_equal(np.asarray(made), np.where(i > j, i - j, 0))
    assert wf.explain(wf.fromfunction(f, (50, 70), dtype=int)).startswith("1 kernel does 1 operation: 0 bytes read")


def test_refuses_positions_without_a_shape_or_an_axis():
    f = wf.vectorize(ramp)
    with pytest.raises(wf.Error, match=r"ramp: positions alone have no shape: call wf\.fromfunction\(ramp, shape, dtype=int\)"):
        f(wf.index(0), wf.index(1), 2)
    with pytest.raises(wf.Error, match=r"ramp: index\(2\): the arguments broadcast to \(3, 4\), which has 2 axes"):
        f(wf.ones((3, 4)), wf.index(2), 0)
    with pytest.raises(TypeError, match="integer"):
        wf.index(1.5)
    with pytest.raises(TypeError, match=r"wf\.index\(0\) is an argument of functions of numbers"):
        wf.add(wf.ones(3), wf.index(0))
    with pytest.raises(TypeError, match=r"wf\.index\(0\) is an argument of functions of numbers"):
        wf.vectorize(lambda a, b: a.sum() + b.sum(), signature="(n),(n)->()")(wf.ones(3), wf.index(0))


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


def _dot_and_norm(a, b):
    return (a * b).sum(), np.sqrt((a * a).sum())


@pytest.mark.parametrize("shapes", [((5, 3), (5, 3)), ((4, 5, 3), (5, 3)), ((3,), (6, 3)), ((1, 3), (4, 3)), ((4, 1, 3), (1, 5, 3)), ((3,), (3,)),
                                    ((0, 3), (3,)), ((2, 0), (2, 0)), ((1, 1, 3), (1, 3)), ((2, 1, 3), (3, 1, 1, 3))])
def test_functions_of_rows_are_numpys(shapes):
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(shape) for shape in shapes)
    signature = "(n),(n)->(),()"
    got = wf.vectorize(_dot_and_norm, signature=signature)(wf.asarray(a), wf.asarray(b))
    if 0 in np.broadcast_shapes(shapes[0][:-1], shapes[1][:-1]):  # NumPy calls the function to know the dtypes, and has none here
        assert [x.shape for x in got] == [np.broadcast_shapes(shapes[0][:-1], shapes[1][:-1])] * 2
        return
    want = np.vectorize(_dot_and_norm, signature=signature)(a, b)
    for x, y in zip(got, want):
        assert x.shape == y.shape and "by Python" not in wf.explain(x)
        np.testing.assert_allclose(np.asarray(x), y, rtol=1e-13)


def test_functions_of_rows_give_rows_and_matrices():
    rng = np.random.default_rng(4)
    m, v = rng.standard_normal((7, 2, 3)), rng.standard_normal((7, 3))

    def solved(m, v, shift):
        return m @ v + shift, np.outer(v, v)

    f = wf.vectorize(solved, signature="(m,n),(n),()->(m),(n,n)", excluded=["unused"])
    got = f(wf.asarray(m), wf.asarray(v), 0.5)
    want = np.vectorize(solved, signature="(m,n),(n),()->(m),(n,n)")(m, v, 0.5)
    for x, y in zip(got, want):
        np.testing.assert_allclose(np.asarray(x), y, rtol=1e-13)
        assert "by Python" not in wf.explain(x)
    halves = wf.vectorize(lambda v: v / 2, otypes=["f4"], signature="(n)->(n)")(wf.asarray(v))
    assert halves.dtype == "float32"
    total = wf.grad(lambda v: wf.vectorize(_dot_and_norm, signature="(n),(n)->(),()")(v, v)[0].sum())(wf.asarray(v))
    np.testing.assert_allclose(np.asarray(total), 2 * v)


def test_functions_of_rows_are_one_kernel_with_what_is_around():
    x = wf.asarray(np.linspace(0, 1, 30_000).reshape(10_000, 3))
    lengths = wf.vectorize(lambda r: np.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), signature="(n)->()")(x * 2)
    wf.one_kernel(lengths + 1)


def test_functions_of_rows_refuse_what_their_signature_does_not_take():
    f = wf.vectorize(_dot_and_norm, signature="(n),(n)->(),()")
    with pytest.raises(ValueError, match="the axis n of the signature has 3 elements and, in argument 1, 2"):
        f(wf.ones((4, 3)), wf.ones((4, 2)))
    with pytest.raises(ValueError, match=r"argument 0 needs 1 axes for \(n\): got shape \(\)"):
        f(1.0, wf.ones(3))
    with pytest.raises(TypeError, match="its signature takes 2 arguments: got 1"):
        f(wf.ones(3))
    with pytest.raises(ValueError, match="not a valid gufunc signature"):
        wf.vectorize(_dot_and_norm, signature="n->n")(wf.ones(3))
    with pytest.raises(ValueError):
        wf.vectorize(lambda a: a, signature="(n)->()")(wf.ones((2, 3)))
    for x in (wf.ones(3), wf.ones((2, 3))):
        with pytest.raises(ValueError, match="inconsistent size for core dimension"):  # NumPy's own
            wf.vectorize(lambda a: a[1:], signature="(n)->(n)")(x)
        with pytest.raises(ValueError, match="inconsistent size for core dimension"):
            wf.vectorize(lambda a: (a[1:], a), signature="(n)->(m),(m)")(x)

    def writes(a):
        a[0] = 9
        return a.sum()

    for x in (wf.ones(3), wf.ones((2, 3))):
        with pytest.raises(ValueError, match="read-only"):
            wf.vectorize(writes, signature="(n)->()")(x)
        assert (x == 1).all()
    assert "by Python, one row after the other" in wf.explain(wf.vectorize(lambda a: float(a[0]), signature="(n)->()")(wf.ones((2, 3))))


def test_falls_back_when_told_to():
    def text(x):
        return len(str(int(x)))

    x = wf.asarray([1, 20, 300])
    with pytest.raises(wf.Error):
        wf.vectorize(text)(x)
    lengths = wf.vectorize(text, fallback=True)(x)
    np.testing.assert_array_equal(np.asarray(lengths), [1, 2, 3])
    told = wf.explain(lengths)
    assert told.startswith("text: computed by Python, one element after the other, since text: ") and "test_vectorize.py" in told
    assert "by Python" not in wf.explain(wf.vectorize(escape)(wf.asarray(F), wf.asarray(G)))


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


# ---- ops as text inside


def test_calls_ops_as_text():
    elu = wf.elementwise("r = v > 0 ? v : a * expm1(v)", "T v, T a", "T r", "elu")
    parts = wf.elementwise("s = v; d = 0; while (s >= 1) { s -= 1; ++d; }", "T v", "T s, int d", "parts")
    halved = wf.elementwise("r = n / 2 + k", "int n, int k", "int r", "halved", preamble="")
    x = np.array([-1.5, 0.25, 3.75])

    def both(v, n):
        whole = parts(abs(v))
        return (elu(v, 0.5) if v < 1 else whole[0] + whole[1]) + elu(2.0, 1), halved(n, 3)

    f = wf.vectorize(both)
    values, wholes = f(wf.asarray(x), wf.asarray([5, -5, 2]))
    np.testing.assert_allclose(np.asarray(values), np.where(x > 0, x, 0.5 * np.expm1(x)) + 2, rtol=1e-15)
    assert wholes.tolist() == [5, 1, 4] and str(wholes.dtype) == "int32"
    slopes = wf.grad(lambda v: wf.sum(wf.vectorize(lambda u: elu(u, 0.5) * 3)(v)))(wf.asarray(x))
    np.testing.assert_allclose(np.asarray(slopes), np.where(x > 0, 3, 1.5 * np.exp(x)), rtol=1e-15)
    assert str(wf.vectorize(lambda v: elu(v, 0.5))(wf.ones(1, dtype="float32")).dtype) == "float32"
    wf.one_kernel(wf.sum(wf.vectorize(lambda v: elu(v, 0.5))(wf.asarray(x))))


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


# ---- refusals


def refused(source):
    """A function of a file's text, which cannot be compiled."""
    lines = {}
    import linecache

    name = f"<refused {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {"math": math, "np": np, "wf": wf, "array": np.arange(3), "recursive": recursive, **lines}
    exec(compile(source, name, "exec"), space)  # noqa: S102
    return space["f"], name


BODIES = [
    ("raise ValueError", "raise"), ("assert x > 0\n    return x", "assert"), ("try:\n        return x\n    except ValueError:\n        return 0", "try"),
    ("with open('f') as g:\n        return x", "with"), ("del x\n    return 1", "del"), ("global y\n    return x", "global"),
    ("import os\n    return x", "import"), ("from os import path\n    return x", "import"), ("class A:\n        pass\n    return x", "class"),
    ("return [x]", "list"), ("return {1: x}", "dict"), ("return {x}", "set"), ("return [i for i in range(3)]", "comprehension"),
    ("return sum(i for i in range(3))", "generator"), ("yield x", "yield"), ("return f'{x}'", "string"), ("return 'a'", "string"),
    ("return None", "return without a number"), ("return", "return without a number"), ("y = x", "without return"),
    ("if x > 0:\n        return x", "without return"), ("return x @ x", "@"), ("return x is x", "is"), ("return x[0]", "element"),
    ("return x.foo", ".foo"), ("return array[0]", "array"), ("return y", "not defined"), ("return recursive(x)", "calls itself"),
    ("return math.gamma(x)", "math.gamma"), ("return float('a')", "float('a')"), ("return print(x)", "print"), ("return len(x)", "len"), ("return isinstance(x, int)", "isinstance"),
    ("return np.linalg.norm(x)", "norm"), ("return math.nope(x)", "nope"), ("for i in x:\n        pass\n    return x", "loop over"),
    ("for i in range(x):\n        pass\n    return x", "range"), ("for i in range(0, 4, int(x)):\n        pass\n    return x", "step"),
    ("a, b = x\n    return a", "several names"), ("a, b = 1, 2, 3\n    return a", "3 values"), ("x[0] = 1\n    return x", "element"),
    ("x.a = 1\n    return x", "attribute"), ("if x > 0:\n        y = 1\n    return y", "some paths"), ("return (1, 2) if x > 0 else (1, 2, 3)", "another length"),
    ("return x if x > 0 else (x, x)", "another length"), ("return math.sqrt", "result"), ("return x << 1", "<<"), ("return ~x", "~"),
    ("return 1 // 0", "division"), ("return min()", "min"), ("return math.sin(x, x)", "math.sin"), ("return helper(x)", "not defined"),
    ("return (x, (x, x))", "result"), ("return max(x, key=3)", "key"), ("return pow(x, 2, 3)", "pow"), ("async def g():\n        pass\n    return x", "async"),
    ("return (lambda *a: 1)(x)", "*"), ("return np.sin(*[x])", "*"), ("y = (x, 1)\n    return y[int(x)]", "computed"), ("y = (x, 1)\n    return y[5]", "5"),
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
    ("return x not in 'ab'", "string"), ("def g(*a):\n        return 1\n    return g(x)", "*"), ("@np.vectorize\n    def g(a):\n        return 1\n    return g(x)", "decorator"),
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
    assert name in message.splitlines()[-1] or "test_vectorize.py" in message.splitlines()[-1]


def test_there_are_a_hundred_refusals():
    assert len(BODIES) >= 100


@pytest.mark.parametrize(("call", "instead"), [
    ("math.ldexp(x, 2)", r"write x \* 2.0 \*\* n"), ("math.gamma(x)", "math.exp\\(math.lgamma\\(x\\)\\)"), ("math.gcd(int(x), 2)", "Euclid"),
    ("math.dist((x, 1.0), (2.0, x))", "math.hypot"), ("math.fsum((x, x))", "write a \\+ b"), ("math.hypot(x, x, x)", "it takes two numbers"),
    ("sorted((x, 1.0))[0]", "min and max"), ("any((x > 1, x > 2))", "write or"), ("np.sum(x)", "it is one number"), ("wf.sum(x)", "it is one number"),
    ("np.random.rand()", "pass random numbers as an argument"), ("x.astype(int)", r"write np.float32\(x\)"), ("x.shape", "it is one number"), ("round(x, 2)", "round\\(x \\* 100\\)"),
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


def test_infinity_by_its_name():
    f = wf.vectorize(lambda x: min(x, float("inf")) if x < float("1e3") else float("-inf"))
    np.testing.assert_array_equal(np.asarray(f(wf.asarray([1.0, 2e3]))), [1, -np.inf])


def test_what_never_ends_is_refused():
    def endless(a):
        while True:
            a = a + 1

    with pytest.raises(wf.Error, match="a function that never ends cannot be compiled"):
        wf.vectorize(endless)(wf.ones(2))


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
