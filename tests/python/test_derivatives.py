"""grad() and its kin over programs as NumPy's users write them, beside differences."""

import collections
import dataclasses
import math

import numpy as np
import pytest
import weft as wf
from differences import check, differences

rng = np.random.default_rng(7)


def logistic(w, b, x, y):
    p = 1 / (1 + wf.exp(-(x @ w + b)))
    return -wf.mean(y * wf.log(p) + (1 - y) * wf.log(1 - p))


def heat(k):
    t = wf.zeros(12)
    t[4:7] = 1.0
    for _ in range(5):
        t[1:-1] += k[1:-1] * (t[2:] - 2 * t[1:-1] + t[:-2])
    return wf.sum(t[2:5] ** 2)


def in_place(x):
    y = x.copy()
    y *= 2
    y[::2] += x[1::2]
    y[0] = x[3] * x[1]
    z = y.reshape(2, 3)
    z[:, 1] = wf.sin(z[:, 0])
    y[-1] -= 0.5 * y[0]
    return wf.sum(y * y)


def writes_to_its_argument(x):
    x[1:] = x[:-1] * 2
    x += 1
    return wf.sum(x**2)


def rows(x):
    m = x - wf.max(x, axis=1, keepdims=True)
    e = wf.exp(m)
    return wf.sum(wf.sqrt(e / wf.sum(e, axis=1, keepdims=True)) * wf.arange(4.0))


def picked(x):
    i = wf.asarray([3, 0, 3, 1])
    y = x[i] * wf.arange(1.0, 5.0)
    return wf.sum(y * y) + wf.sum(wf.where(x > 0, x, 0.1 * x)) + wf.sum(x[x > 0] ** 2)


def scans(x):
    return wf.sum(wf.cumsum(x) * wf.cumprod(x)) + wf.prod(x) + wf.sum(wf.cummax(x))


def joined(x):
    y = wf.concatenate([x[:2], wf.flip(x), wf.pad(x, (1, 2))])
    return wf.sum(wf.roll(y, 2) * wf.arange(float(y.size))) ** 2


def statistics(x):
    return wf.std(x) + wf.var(x, ddof=1) + wf.linalg.norm(x) + wf.logsumexp(x)


def windows(x):
    return wf.sum(wf.lib.stride_tricks.sliding_window_view(x, 3).mean(axis=-1) ** 3)


def turns(x):
    y, n = x, 0
    while bool(wf.max(y) < 10) and n < 50:  # bools may be looked at
        y = y * 1.5 + 0.1
        n += 1
    return wf.sum(y)


def einsums(a, b):
    return wf.sum(wf.einsum("ij,jk->ik", a, b) ** 2) + wf.trace(a @ b) + wf.sum(wf.tensordot(a, b, 1)[0])


PROGRAMS = {
    "heat": (heat, 0.1 + 0.1 * rng.random(12)),
    "in_place": (in_place, rng.normal(size=6)),
    "writes_to_its_argument": (writes_to_its_argument, rng.normal(size=5)),
    "rows": (rows, rng.normal(size=(3, 4))),
    "picked": (picked, rng.normal(size=5)),
    "scans": (scans, rng.normal(size=5)),
    "joined": (joined, rng.normal(size=4)),
    "statistics": (statistics, rng.normal(size=6)),
    "windows": (windows, rng.normal(size=8)),
    "turns": (turns, 1 + rng.random(4)),
    "einsums": (einsums, rng.normal(size=(3, 4)), rng.normal(size=(4, 3))),
    "solve": (lambda a, b: wf.sum(wf.linalg.solve(a, b) ** 2), rng.normal(size=(4, 4)) + 3 * np.eye(4), rng.normal(size=4)),
    "solve_columns": (lambda a, b: wf.sum(wf.sin(wf.linalg.solve(a, b))), rng.normal(size=(3, 3)) + 3 * np.eye(3), rng.normal(size=(3, 2))),
    "inv": (lambda a: wf.sum(wf.linalg.inv(a) ** 3), rng.normal(size=(3, 3)) + 3 * np.eye(3)),
}


OF_LAPACK = ("solve", "solve_columns", "inv")


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in OF_LAPACK])
def test_programs_have_the_gradients_that_differences_tell(name):
    check(*PROGRAMS[name])


@pytest.mark.parametrize("name", OF_LAPACK)
def test_solves_have_the_gradients_that_differences_tell(name):
    check(*PROGRAMS[name])


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in (*OF_LAPACK, "turns", "picked")])
def test_compiled_gradients_are_the_same(name):
    f, *xs = PROGRAMS[name]
    xs = [wf.asarray(np.asarray(x, dtype=float)) for x in xs]
    want = wf.grad(f)(*xs)
    outer, inner = wf.compile(wf.grad(f)), wf.grad(wf.compile(f))
    for _ in range(2):
        np.testing.assert_allclose(np.asarray(outer(*xs)), np.asarray(want), rtol=1e-12)
        np.testing.assert_allclose(np.asarray(inner(*xs)), np.asarray(want), rtol=1e-12)


def test_logistic_regression_learns():
    x = rng.normal(size=(200, 3))
    truth = np.array([1.0, -2.0, 0.5])
    y = (x @ truth > 0).astype(float)
    w, b = wf.zeros(3), wf.asarray(0.0)
    step = wf.value_and_grad(logistic, argnums=(0, 1))
    losses = []
    for _ in range(60):
        loss, (dw, db) = step(w, b, wf.asarray(x), wf.asarray(y))
        w, b = w - 1.0 * dw, b - 1.0 * db
        losses.append(float(loss))
    assert losses[-1] < 0.25 * losses[0]
    assert np.mean((np.asarray(x @ np.asarray(w)) > 0) == y) > 0.95
    check(lambda w, b: logistic(w, b, wf.asarray(x[:7]), wf.asarray(y[:7])), rng.normal(size=3), 0.3)


def test_the_argument_is_left_alone():
    x = wf.asarray(np.arange(5.0))
    wf.grad(writes_to_its_argument)(x)
    np.testing.assert_array_equal(np.asarray(x), np.arange(5.0))


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass(frozen=True)
class Layer:
    weights: object
    bias: object


def test_trees_keep_their_structure():
    tree = {"a": wf.asarray([1.0, 2.0]), "b": [wf.asarray(3.0), (wf.asarray([4.0]), None)], "p": Point(wf.asarray(2.0), 5.0), "l": Layer(wf.asarray([[1.0]]), 2.0)}

    def f(t):
        return wf.sum(t["a"] ** 2) * t["b"][0] + t["b"][1][0][0] * t["p"].x + t["p"].y * t["l"].weights[0, 0] + t["l"].bias

    g = wf.grad(f)(tree)
    assert list(g) == ["a", "b", "p", "l"] and g["b"][1][1] is None
    assert isinstance(g["p"], Point) and isinstance(g["l"], Layer)
    np.testing.assert_allclose(np.asarray(g["a"]), [6, 12])
    assert [float(one) for one in (g["b"][0], g["b"][1][0][0], g["p"].x, g["p"].y, g["l"].weights[0, 0], g["l"].bias)] == [5, 2, 4, 1, 5, 1]


def test_aux_and_argnums():
    def f(x, y, *, power):
        return wf.sum(x**power * y), {"twice": 2 * x}

    x, y = wf.asarray([1.0, 2.0]), wf.asarray([3.0, 4.0])
    (value, aux), (dx, dy) = wf.value_and_grad(f, argnums=(0, -1), has_aux=True)(x, y, power=2)
    assert float(value) == 19
    np.testing.assert_allclose(np.asarray(aux["twice"]), [2, 4])
    np.testing.assert_allclose(np.asarray(dx), [6, 16])
    np.testing.assert_allclose(np.asarray(dy), [1, 4])
    g, aux = wf.grad(f, has_aux=True)(x, y, power=2)
    np.testing.assert_allclose(np.asarray(g), [6, 16])


def test_vjp_jvp_and_linearize_agree():
    def f(x, y):
        return {"s": wf.sin(x) * y, "d": x @ y}

    x, y = wf.asarray(rng.normal(size=4)), wf.asarray(rng.normal(size=4))
    tx, ty = wf.asarray(rng.normal(size=4)), wf.asarray(rng.normal(size=4))
    ct = {"s": wf.asarray(rng.normal(size=4)), "d": wf.asarray(rng.normal())}
    out, back = wf.vjp(f, x, y)
    cx, cy = back(ct)
    same, moved = wf.jvp(f, (x, y), (tx, ty))
    np.testing.assert_allclose(np.asarray(out["s"]), np.asarray(same["s"]))
    forward = float(wf.sum(moved["s"] * ct["s"]) + moved["d"] * ct["d"])
    assert math.isclose(forward, float(cx @ tx + cy @ ty), rel_tol=1e-12)
    _, linear = wf.linearize(f, x, y)
    np.testing.assert_allclose(np.asarray(linear(tx, ty)["s"]), np.asarray(moved["s"]), rtol=1e-14)
    np.testing.assert_allclose(np.asarray(linear(2 * tx, 2 * ty)["d"]), 2 * np.asarray(moved["d"]), rtol=1e-14)


def test_jacobians_hessians_and_products():
    a = rng.normal(size=(3, 3))

    def f(x):
        return wf.sin(wf.asarray(a) @ x) * x[0]

    x = wf.asarray(rng.normal(size=3))
    rev, fwd = np.asarray(wf.jacrev(f)(x)), np.asarray(wf.jacfwd(f)(x))
    np.testing.assert_allclose(rev, fwd, rtol=1e-12)
    for k in range(3):
        np.testing.assert_allclose(rev[k], differences(lambda x, k=k: f(x)[k], np.asarray(x)), rtol=1e-6, atol=1e-8)

    def g(x):
        return wf.sum(wf.exp(x) * wf.prod(x)) + wf.sum(f(x) ** 2)

    h = np.asarray(wf.hessian(g)(x))
    np.testing.assert_allclose(h, h.T, rtol=1e-9)
    for k in range(3):
        np.testing.assert_allclose(h[k], differences(lambda x, k=k: wf.grad(g)(x)[k], np.asarray(x)), rtol=1e-5, atol=1e-7)
    v = rng.normal(size=3)
    np.testing.assert_allclose(np.asarray(wf.hvp(g, (x,), (wf.asarray(v),))[0]), h @ v, rtol=1e-9)


def test_higher_orders_nest():
    third = wf.grad(wf.grad(wf.grad(lambda x: x**4 * wf.sin(x))))
    x = 0.7
    want = 24 * x * math.sin(x) + 36 * x**2 * math.cos(x) - 12 * x**3 * math.sin(x) - x**4 * math.cos(x)
    assert math.isclose(float(third(x)), want, rel_tol=1e-12)
    # By the inner variable alone.
    assert float(wf.grad(lambda x: x * wf.grad(lambda y: x * y**2)(x))(3.0)) == 6 * 3.0**2
    with wf.device("cpu"):  # which has LAPACK
        assert float(wf.grad(lambda a: wf.sum(wf.grad(lambda b: wf.sum(wf.linalg.solve(wf.eye(2) * a, b)))(wf.ones(2))))(2.0)) == -0.5


def test_complex_numbers_are_as_jax_has_them():
    z = wf.asarray(np.array([1 + 2j, -0.5 + 0.3j]))
    # df/dx - i df/dy
    np.testing.assert_allclose(np.asarray(wf.grad(lambda z: wf.sum(wf.abs(z) ** 2))(z)), 2 * np.conj(np.asarray(z)), rtol=1e-14)
    np.testing.assert_allclose(np.asarray(wf.grad(lambda z: wf.sum(wf.real(z * z)))(z)), 2 * np.asarray(z), rtol=1e-14)
    np.testing.assert_allclose(np.asarray(wf.grad(lambda z: wf.sum(wf.imag(z)))(z)), [-1j, -1j])
    _, back = wf.vjp(wf.exp, z)
    np.testing.assert_allclose(np.asarray(back(wf.ones(2, dtype="complex128"))[0]), np.exp(np.asarray(z)), rtol=1e-14)


def test_writes_to_parts_of_complex_arrays():
    def f(x):
        z = wf.zeros(3, dtype="complex128")
        z.real[:] = x
        z.imag[1:] = x[:-1] ** 2
        return wf.sum(wf.abs(z) ** 2)

    check(f, rng.normal(size=3))


def test_stopped_and_integer_values_have_no_gradients():
    x = wf.asarray([1.0, -2.0])
    np.testing.assert_array_equal(np.asarray(wf.grad(lambda x: wf.sum(wf.stop_gradient(x) * x))(x)), [1, -2])
    np.testing.assert_array_equal(np.asarray(wf.grad(lambda x: wf.sum(wf.astype(x, "int64") * x))(x)), [1, -2])
    np.testing.assert_array_equal(np.asarray(wf.grad(lambda x: wf.asarray(3.0))(x)), [0, 0])
    assert float(wf.stop_gradient({"a": x})["a"][0]) == 1


def test_random_draws_are_reparametrized():
    def f(scale):
        return wf.sum((wf.random.default_rng(3).normal(size=5) * scale + wf.random.default_rng(4).exponential(size=5) * scale) ** 2)

    check(f, 1.3)
    with pytest.raises(wf.Error, match="draw_gamma: it has no derivative"):
        wf.grad(lambda a: wf.sum(wf.random.default_rng(3).gamma(a, size=5)))(2.0)


def test_halves_keep_their_dtype():
    g = wf.grad(lambda x: wf.sum(wf.tanh(x)))(wf.asarray([0.5, 1.0], dtype="float16"))
    assert g.dtype == "float16"
    np.testing.assert_allclose(np.asarray(g), 1 - np.tanh([0.5, 1.0]) ** 2, rtol=1e-3)


def test_what_raises():
    x = wf.asarray([1.0, 2.0])
    with pytest.raises(wf.Error, match=r"grad: takes functions that give one real number of a float dtype: got f64\(2,\)"):
        wf.grad(lambda x: x * 2)(x)
    with pytest.raises(wf.Error, match="grad: takes functions that give one real number"):
        wf.grad(lambda x: wf.sum(x > 0))(x)
    with pytest.raises(TypeError, match=r"grad: derivatives are by floats and complex numbers: got i64\(3,\); convert it"):
        wf.grad(lambda x: wf.sum(x))(wf.arange(3))
    with pytest.raises(ValueError, match="argnums names arguments given by position: got 1 for 1"):
        wf.grad(lambda x: wf.sum(x), argnums=1)(x)
    with pytest.raises(TypeError, match="grad: takes a function: got float"):
        wf.grad(3.0)(x)
    with pytest.raises(TypeError, match="has_aux passes others on"):
        wf.grad(lambda x: (wf.sum(x), x))(x)
    with pytest.raises(wf.Error, match=r"^memory: looks at numbers that derivatives are wanted of, .*: got f64"):
        wf.grad(lambda x: wf.sum(wf.asarray(np.asarray(x)) * x))(x)
    with pytest.raises(wf.Error, match="item: looks at numbers that derivatives are wanted of"):
        wf.grad(lambda x: wf.sum(x) * float(x[0]))(x)
    with pytest.raises(wf.Error, match=r"nextafter: it has no derivative: .*, at test_derivatives.py:\d+; stop_gradient"):
        wf.grad(lambda x: wf.sum(wf.nextafter(x, 2.0)))(x)
    with pytest.raises(wf.Error, match="looks at numbers that derivatives are wanted of"):
        wf.grad(lambda x: wf.sum(wf.unique(x)))(wf.asarray(x, device="cpu"))  # a GPU finds them without a look
    with pytest.raises(wf.Error, match="a tangent has the dtype and the shape of its value"):
        wf.vjp(wf.sin, x)[1](wf.ones(3))
    # The thread derives nothing afterwards.
    assert float(x[0]) == 1.0 and wf.sum(wf.sin(x)).item() > 0


def test_printing_shows_values_and_leaves_derivatives_alone(capsys):
    def f(x):
        y = x * x
        print(x, repr(y), f"{y.sum():.2f} {y}")
        return wf.sum(y)

    x = wf.asarray([1.0, 3.0])
    assert wf.grad(f)(x).tolist() == [2.0, 6.0]
    assert capsys.readouterr().out == "[1. 3.] array([1., 9.]) 10.00 [1. 9.]\n"
    assert wf.jvp(f, (x,), (x,))[1].item() == 20.0
    assert capsys.readouterr().out == "[1. 3.] array([1., 9.]) 10.00 [1. 9.]\n"


def test_one_program_computes_the_value_and_the_gradients():
    step = wf.compile(wf.value_and_grad(lambda w, x: wf.sum(wf.tanh(x * w) ** 2), argnums=(0, 1)))
    w, x = wf.asarray(rng.normal(size=10000)), wf.asarray(rng.normal(size=10000))
    wf.eval([step(w, x)[0], *step(w, x)[1]])
    before = wf.stats()["kernels_launched"]
    value, gradients = step(w, x)
    wf.eval([value, *gradients])
    assert wf.stats()["kernels_launched"] - before == 1


def test_long_programs_keep_their_past():
    """Longer than the graph is let grow: what was computed on the way is still derived."""

    def f(x):
        y = x
        for _ in range(3000):
            y = y + 0.001 * wf.sin(y)
        return wf.sum(y)

    x = np.array([0.3, 1.2])
    got = np.asarray(wf.grad(f)(wf.asarray(x)))
    y, d = x.copy(), np.ones(2)
    for _ in range(3000):
        d, y = d * (1 + 0.001 * np.cos(y)), y + 0.001 * np.sin(y)
    np.testing.assert_allclose(got, d, rtol=1e-10)


def test_sorted_values_have_the_gradients_of_where_they_came_from():
    x = np.array([[0.3, -1.0, 2.0, 0.7], [5.0, 4.0, 3.0, 2.5]])
    weights = wf.asarray(np.arange(8.0).reshape(2, 4) ** 2)
    check(lambda x: wf.sum(wf.sort(x, axis=1) * weights), x)
    check(lambda x: wf.sum(wf.sort(x, axis=0, descending=True) * weights), x)
    check(lambda x: wf.sum(wf.take_along_axis(x, wf.argsort(x, axis=1), axis=1) ** 2 * weights), x)
    check(lambda x: wf.sum(wf.median(x, axis=1) ** 2), x)
    check(lambda x: wf.median(x) ** 2 + wf.sum(wf.median(x, axis=0, keepdims=True)), rng.normal(size=(41, 2)))
    check(lambda x: wf.sum(x * (wf.searchsorted(wf.asarray([0.0, 1.0]), x) + 1)), x[0])
    check(lambda x: wf.sum(x * (wf.digitize(x, [0.0, 1.0]) + 1)), x[0])


@pytest.mark.parametrize("f", [
    lambda x: wf.quantile(x, 0.3), lambda x: wf.sum(wf.percentile(x, 70, axis=1) ** 2), lambda x: wf.sum(wf.partition(x, 2, axis=1)[:, :3] ** 2),
    lambda x: wf.sum(wf.cov(x) ** 2), lambda x: wf.sum(wf.corrcoef(x)[0] ** 2), lambda x: wf.sum(wf.convolve(x[0], x[1]) ** 2),
    lambda x: wf.sum(wf.interp(x[0], wf.linspace(-3, 3, 9), wf.linspace(-3, 3, 9) ** 2)), lambda x: wf.sum(wf.gradient(x[0]) ** 2),
    lambda x: wf.sum(wf.nanmedian(x, axis=0) * x[1]), lambda x: wf.sum(wf.linspace(x[0], x[1, 0], 7) ** 2), lambda x: wf.sum(wf.linspace(x[0, 0], 2, 1)),
    lambda x: wf.sum(wf.piecewise(x, [x < 0, x > 1], [lambda t: t**3, lambda t: 2 * t, 5.0])), lambda x: wf.sum(wf.correlate(x[2], x[1]) ** 2),
])  # fmt: skip
def test_what_numpy_answers_otherwise_is_recorded_of_derived_values(f):
    x = np.random.default_rng(5).normal(size=(4, 5))
    check(f, x)
    array = wf.asarray(x)
    np.testing.assert_allclose(wf.compile(wf.grad(f))(array), wf.grad(f)(array), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(wf.compile(f)(array), f(array), rtol=1e-12)


def test_holomorphic_functions_have_complex_derivatives():
    z = np.array(0.3 + 0.7j)
    f = wf.grad(lambda z: wf.sin(z) * z**2, holomorphic=True)
    np.testing.assert_allclose(complex(f(wf.asarray(z))), np.cos(z) * z**2 + 2 * z * np.sin(z), rtol=1e-12)
    for x, got in ((wf.asarray(1.0), "f64"), (wf.asarray([1j, 2]), r"c128\(2,\)|\(2,\)")):
        with pytest.raises(TypeError, match="grad: with holomorphic the function takes complex numbers and gives one: got .*" + got):
            wf.grad(lambda x: x * 1j, holomorphic=True)(x)


def test_what_numpy_answers_of_derived_values_is_refused_by_its_name(on_cpu):
    for f, name in ((wf.unique, "unique"), (lambda x: wf.quantile(x, 0.5, weights=wf.ones(3), method="inverted_cdf"), "quantile")):
        with pytest.raises(wf.Error, match=f"^{name}: looks at numbers that derivatives are wanted of"):
            wf.grad(lambda x, f=f: wf.sum(f(x)))(wf.ones(3))


# What a mask leaves out is no part of a gradient, though its own derivative there were infinite or NaN.
MASKED = {
    "picked": lambda f: lambda y: wf.sum(f(y[y > 0])),
    "picked_and_written": lambda f: lambda y: wf.sum(_written(f, y)),
    "picked_of_a_column": lambda f: lambda y: wf.sum(wf.stack([y, y], 1)[y > 0].sum(1) / 2 * 0 + f(y[y > 0])),
    "where_of_a_function": lambda f: lambda y: wf.sum(f(y, where=y > 0)),
}


def _written(f, y):
    z = y * 1.0
    z[z > 0] = f(z[z > 0])
    return z


@pytest.mark.parametrize("way", MASKED)
@pytest.mark.parametrize("name", ["sqrt", "log", "reciprocal", "log2", "arcsin"])
@pytest.mark.parametrize("compiled", [False, True])
def test_what_a_mask_leaves_out_gives_no_nan(way, name, compiled):
    f = getattr(wf, name)
    points = np.array([0.0, 0.25, 0.5, 0.0, 0.75])
    slopes = {"sqrt": 0.5 / np.sqrt(points[1]), "log": 4.0, "reciprocal": -16.0, "log2": 4.0 / np.log(2), "arcsin": 1 / np.sqrt(1 - 0.0625)}
    run = wf.grad(MASKED[way](f))
    got = np.asarray((wf.compile(run) if compiled else run)(wf.asarray(points)))
    assert np.isfinite(got).all(), got
    assert got[1] == pytest.approx(slopes[name])
    second = np.asarray(wf.grad(lambda y: wf.sum(wf.compile(run)(y) if compiled else run(y)))(wf.asarray(points)))
    assert np.isfinite(second).all(), second


def test_functions_of_what_a_mask_picks_are_derived_at_what_it_picks():
    """A function of a function: each has its own domain, and what lies between is in neither."""
    run = wf.compile(wf.value_and_grad(lambda y, p: wf.sum(wf.sqrt(wf.log(y[y > 1])) / y[y > 1] ** p), argnums=(0, 1)))
    y, p = np.array([-1.0, 0.0, 1.0, 1.5, 4.0]), 0.5
    value, (by_y, by_p) = run(wf.asarray(y), wf.asarray(p))
    z = y[3:]
    assert float(value) == pytest.approx(np.sum(np.sqrt(np.log(z)) / z**p))
    wanted = 0.5 / np.sqrt(np.log(z)) / z ** (p + 1) - p * np.sqrt(np.log(z)) / z ** (p + 1)
    np.testing.assert_allclose(np.asarray(by_y), [0, 0, 0, *wanted], rtol=1e-12)
    assert float(by_p) == pytest.approx(np.sum(-np.sqrt(np.log(z)) * np.log(z) / z**p))


def test_a_leaf_of_integers_is_named():
    with pytest.raises(TypeError, match=r"got i64\(\); convert it with astype\(\), or keep it out of what is derived by: it is argument 1\['steps'\]"):
        wf.grad(lambda x, options: wf.sum(x * options["rate"]), argnums=(0, 1))(wf.ones(3), {"rate": 0.5, "steps": 3})


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_parts_of_a_float_have_derivatives(dtype, compiled):
    """ldexp and frexp are made of bits, through which none goes."""
    numbers = np.tile(np.array([3.0, -0.3, 1e-30, 5e30, 1.0, np.ldexp(1.0, -126), 0.0, -0.0], dtype), 300)
    x = wf.asarray(numbers)
    run = (lambda f: wf.compile(f)) if compiled else (lambda f: f)
    np.testing.assert_array_equal(np.asarray(run(wf.grad(lambda x: wf.sum(wf.ldexp(x, 3))))(x)), 8.0)
    slopes = np.ldexp(np.ones_like(numbers), -np.frexp(numbers)[1])  # 1 of zeros
    np.testing.assert_array_equal(np.asarray(run(wf.grad(lambda x: wf.sum(wf.frexp(x)[0])))(x)), slopes)
    value, slope = run(lambda x: wf.jvp(lambda x: wf.ldexp(x, 3), (x,), (wf.ones_like(x),)))(x)
    np.testing.assert_array_equal(np.asarray(value), np.ldexp(numbers, 3))
    np.testing.assert_array_equal(np.asarray(slope), 8.0)
    each = run(wf.vmap(wf.grad(lambda x: wf.ldexp(x, 2) * x)))(x[:5])
    np.testing.assert_allclose(np.asarray(each), 8 * numbers[:5], rtol=1e-6)
