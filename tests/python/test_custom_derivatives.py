"""custom_vjp(), custom_jvp() and checkpoint()."""

import math

import numpy as np
import pytest
import weft as wf

rng = np.random.default_rng(8)


def test_a_forward_function_may_call_the_function_itself():
    @wf.custom_vjp
    def square(x):
        return x * x

    square.defvjp(lambda x: (square(x), x), lambda x, c: (c * 20 * x,))
    x = wf.asarray([1.0, 2.0])
    assert wf.grad(lambda x: square(x).sum())(x).tolist() == [20, 40]
    assert wf.grad(lambda x: (square(x) + square(3 * x)).sum())(x).tolist() == [20 + 180, 40 + 360]


def test_custom_vjp():
    @wf.custom_vjp
    def clipped(x, limit):
        """Identity, whose cotangents are clipped."""
        return x

    with pytest.raises(wf.Error, match="custom_vjp: clipped has no derivative yet"):
        clipped(1.0, 2.0)
    clipped.defvjp(lambda x, limit: (x * 1, limit), lambda limit, c: (wf.clip(c, -limit, limit), None))
    assert clipped.__doc__.startswith("Identity")
    x = wf.asarray([1.0, 5.0])
    np.testing.assert_array_equal(np.asarray(clipped(x, 1.0)), [1, 5])
    g = wf.grad(lambda x: wf.sum(clipped(x, 3.0) ** 2))(x)
    np.testing.assert_array_equal(np.asarray(g), [2, 3])

    @wf.custom_vjp
    def cube(x):
        return x**3

    cube.defvjp(lambda x: (x**3, x), lambda x, c: (c * 3 * x**2,))
    # What it kept is derived in its turn.
    np.testing.assert_allclose(np.asarray(wf.grad(lambda x: wf.sum(wf.grad(lambda y: wf.sum(cube(y)))(x)))(x)), [6, 30])
    with pytest.raises(wf.Error, match="cube: it has no jvp"):
        wf.jvp(cube, (x,), (x,))
    cube.defvjp(lambda x: (x**3, x), lambda x, c: c)
    with pytest.raises(wf.Error, match="cube: its derivative gives a tuple of one cotangent for each of 1 arguments"):
        wf.grad(lambda x: wf.sum(cube(x)))(x)


def test_custom_vjp_of_trees_and_other_arguments():
    def product(mode, p):
        return {"y": p["a"] * p["b"], "n": wf.asarray(3)}

    f = wf.custom_vjp(product, nondiff_argnums=(0,))
    f.defvjp(lambda mode, p: (product(mode, p), p), lambda mode, p, c: ({"a": c["y"] * p["b"] if mode == "true" else c["y"] * 0, "b": c["y"] * p["a"]},))
    p = {"a": wf.asarray(2.0), "b": wf.asarray(5.0)}
    g = wf.grad(lambda p: f("true", p)["y"] * f("true", p)["n"])(p)
    assert (float(g["a"]), float(g["b"])) == (15, 6)
    assert float(wf.grad(lambda p: f("no", p)["y"])(p)["a"]) == 0


def test_custom_jvp_goes_both_ways():
    @wf.custom_jvp
    def log1pexp(x):
        return wf.log(1 + wf.exp(x))

    @log1pexp.defjvp
    def rule(primals, tangents):
        (x,), (t,) = primals, tangents
        return log1pexp(x), t * wf.sigmoid(x)

    assert log1pexp(0.0) == wf.log(wf.asarray(2.0))
    x = wf.asarray([0.5, 800.0])
    np.testing.assert_allclose(np.asarray(wf.grad(lambda x: wf.sum(log1pexp(x)))(x)), [1 / (1 + math.exp(-0.5)), 1])
    np.testing.assert_allclose(np.asarray(wf.jvp(log1pexp, (x,), (wf.asarray([2.0, 3.0]),))[1]), [2 / (1 + math.exp(-0.5)), 3])
    s = 1 / (1 + math.exp(-0.5))
    assert math.isclose(float(wf.grad(wf.grad(log1pexp))(0.5)), s * (1 - s), rel_tol=1e-12)


def test_checkpoint_computes_again_and_gives_the_same():
    calls = []

    def segment(u, k):
        calls.append(1)
        for _ in range(8):
            u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
        return u

    def f(u, k, step):
        u = u.copy()
        for _ in range(4):
            u = step(u, k)
        return wf.sum(u**2)

    u, k = wf.asarray(rng.normal(size=50)), wf.asarray(0.2)
    want = wf.grad(f, (0, 1))(u, k, segment)
    assert len(calls) == 4
    got = wf.grad(f, (0, 1))(u, k, wf.checkpoint(segment))
    assert len(calls) == 4 + 8
    for one, other in zip(got, want):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-12)
    moved = wf.jvp(lambda u: f(u, k, wf.checkpoint(segment)), (u,), (wf.ones(50),))[1]
    assert math.isclose(float(moved), float(wf.sum(want[0])), rel_tol=1e-12)
    second = wf.grad(lambda k: wf.grad(f, 1)(u, k, wf.checkpoint(segment)))(k)
    assert math.isclose(float(second), float(wf.grad(lambda k: wf.grad(f, 1)(u, k, segment))(k)), rel_tol=1e-10)
    with pytest.raises(wf.Error, match="checkpoint: .* uses an array of outside that derivatives are wanted of"):
        wf.grad(lambda k: wf.sum(wf.checkpoint(lambda u: u * k)(u)))(k)
    np.testing.assert_allclose(np.asarray(wf.compile(wf.grad(lambda u: f(u, k, wf.checkpoint(segment))))(u)), np.asarray(want[0]), rtol=1e-12)


def test_a_custom_derivative_says_all_that_it_uses():
    def f(k, x, stop=lambda k: k):
        @wf.custom_vjp
        def scaled(x):
            return x * stop(k)

        scaled.defvjp(lambda x: (x * stop(k), None), lambda _, c: (c * 3,))
        return wf.sum(scaled(x))

    x = wf.asarray([1.0, 2.0])
    with pytest.raises(wf.Error, match="scaled: uses an array of outside, besides its arguments, that derivatives are wanted of"):
        wf.grad(f)(2.0, x)
    assert float(wf.grad(f)(2.0, x, wf.stop_gradient)) == 0
    assert wf.grad(f, 1)(2.0, x).tolist() == [3, 3]

    @wf.custom_jvp
    def cubed(x):
        return x**3 * x0

    cubed.defjvp(lambda x, t: (x[0] ** 3, 3 * x[0] ** 2 * t[0]))
    x0 = 1.0
    assert float(wf.grad(cubed)(2.0)) == 12
    with pytest.raises(wf.Error, match="cubed: uses an array of outside"):
        x0 = wf.asarray(1.0)

        def closes(x):
            nonlocal x0
            x0 = x
            return cubed(2.0 * wf.ones(()))

        wf.grad(closes)(2.0)


def test_what_a_checkpoint_writes_to_its_arguments_stays_inside():
    def segment(u, k):
        u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
        return u

    outside, k = wf.asarray(rng.normal(size=20)), wf.asarray(0.2)
    before = np.asarray(outside).copy()

    def f(k):
        return wf.sum(wf.checkpoint(segment)(outside, k) ** 2)

    value, slope = wf.value_and_grad(f)(k)
    assert float(f(k)) == float(value)
    got = wf.compile(wf.value_and_grad(f))(k)
    assert math.isclose(float(got[0]), float(value), rel_tol=1e-14) and math.isclose(float(got[1]), float(slope), rel_tol=1e-13)
    np.testing.assert_array_equal(np.asarray(outside), before)
    np.testing.assert_allclose(np.asarray(wf.checkpoint(segment)(u=outside, k=0.2)), segment(before.copy(), 0.2), rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(np.asarray(outside), before)


def test_a_checkpoint_that_is_compiled_gives_trees_and_plain_values_and_nests():
    @wf.checkpoint
    def segment(state, k, count):
        u, others = state["u"], state["others"]
        for _ in range(count):
            u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
        return {"u": u, "others": (others[0] * k, None), "count": count}

    def f(u, k):
        state = {"u": u, "others": (wf.asarray(3), None)}
        for _ in range(3):
            state = segment(state, k, 4)
        assert state["count"] == 4
        return wf.sum(state["u"] ** 2) * state["others"][0]

    u, k = wf.asarray(rng.normal(size=20)), wf.asarray(0.2)
    want = wf.value_and_grad(f, (0, 1))(u, k)
    got = wf.compile(wf.value_and_grad(f, (0, 1)))(u, k)
    np.testing.assert_allclose(float(got[0]), float(want[0]), rtol=1e-13)
    for one, other in zip(got[1], want[1]):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-11)
    nested = wf.compile(wf.grad(lambda u: f(wf.checkpoint(lambda u: u * 2)(u), k)))(u)
    np.testing.assert_allclose(np.asarray(nested), 2 * np.asarray(wf.grad(f)(u * 2, k)), rtol=1e-11)
