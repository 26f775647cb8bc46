"""Derivatives of loops, forward and back, and those of one's own in their bodies."""

import numpy as np
import pytest
import weft as wf
from scanned import arguments, by_hand, close, leaky, recurrent

rng = np.random.default_rng(18)


@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_of_scans(compiled):
    params, xs = arguments()
    grad = wf.value_and_grad(lambda p, x: recurrent(wf.scan, p, x), argnums=(0, 1))
    value, ((dw, db), dx) = (wf.compile(grad) if compiled else grad)(params, xs)
    want, ((vw, vb), vx) = wf.value_and_grad(lambda p, x: recurrent(by_hand, p, x), argnums=(0, 1))(params, xs)
    close([value, dw, db, dx], [want, vw, vb, vx])


def test_modes_agree():
    params, xs = arguments()
    loss = lambda x: recurrent(wf.scan, params, x)  # noqa: E731
    plain = lambda x: recurrent(by_hand, params, x)  # noqa: E731
    t = wf.asarray(rng.normal(size=xs.shape))
    close(wf.jvp(loss, (xs,), (t,)), wf.jvp(plain, (xs,), (t,)))
    close(wf.hvp(loss, (xs,), (t,)), wf.hvp(plain, (xs,), (t,)))
    close([wf.hessian(loss)(xs[:2])], [wf.hessian(plain)(xs[:2])])
    close([wf.jacfwd(lambda x: wf.scan(leaky, x, xs)[1])(xs[0])], [wf.jacrev(lambda x: wf.scan(leaky, x, xs)[1])(xs[0])])


def test_gradients_through_captured_values_and_writes():
    k = wf.asarray(rng.uniform(0.1, 0.2, size=50))

    def diffused(run):
        def temperature(k):
            def step(i, t):
                t[1:-1] += k[1:-1] * (t[2:] - 2 * t[1:-1] + t[:-2])
                return t

            t = wf.zeros(50)
            t[:10] = 100.0
            return run(step, t)[12]

        return temperature

    def python(step, t):
        for i in range(20):
            t = step(i, t)
        return t

    close([wf.grad(diffused(lambda step, t: wf.fori_loop(0, 20, step, t)))(k)], [wf.grad(diffused(python))(k)])


def test_checkpoint_keeps_less():
    k = wf.asarray(rng.uniform(0.1, 0.2, size=60))
    turns = lambda u: wf.fori_loop(0, 10, lambda i, v: wf.sin(v * k), u)  # noqa: E731

    def energy(around):
        def f(u):
            for _ in range(3):
                u = around(turns)(u)
            return wf.sum(u**2)

        return f

    u = wf.asarray(rng.normal(size=60))
    close([wf.grad(energy(wf.checkpoint))(u)], [wf.grad(energy(lambda f: f))(u)])


def test_gradients_of_branches():
    f = lambda x, i: wf.sum(wf.switch(i, [lambda v: v**2, wf.sin, lambda v: v * 0 + 3.0], x))  # noqa: E731
    x = wf.asarray(rng.normal(size=5))
    for i, want in enumerate([2 * np.asarray(x), np.cos(np.asarray(x)), np.zeros(5)]):
        close([wf.grad(f)(x, i)], [want])
    close([wf.grad(lambda x: wf.cond(wf.sum(x) > 1e9, wf.sum, lambda v: wf.sum(v**3), x))(x)], [3 * np.asarray(x) ** 2])


def test_stop_gradient_inside_a_body():
    def f(stop):
        return lambda x: wf.fori_loop(0, 3, lambda i, v: v * stop(x) + x, x)

    x = wf.asarray(0.5)
    want = wf.grad(lambda x, k: ((x * k + x) * k + x) * k + x)(x, 0.5)
    close([wf.grad(f(wf.stop_gradient))(x)], [want])

    def carried(v):
        return wf.fori_loop(0, 3, lambda i, v: wf.stop_gradient(v) * v, v)

    # v, v^2, v^4, v^8, of which each factor but one is constant
    close([wf.grad(carried)(x)], [0.5**7])


def test_while_loops_have_derivatives_forward_alone():
    f = lambda x: wf.while_loop(lambda v: v < 100.0, lambda v: v * v, x)  # noqa: E731
    value, moved = wf.jvp(f, (wf.asarray(3.0),), (wf.asarray(1.0),))
    assert float(value) == 3.0**8 and float(moved) == 8 * 3.0**7
    with pytest.raises(wf.Error, match=r"while_loop: it has no derivative back.*test_loop_derivatives.py.*fori_loop\(\) and scan\(\)"):
        wf.grad(f)(3.0)


@wf.custom_vjp
def doubled_tanh(x, k):
    return wf.tanh(x * k)


def _forward(x, k):
    y = wf.tanh(x * k)
    return y, (x, k, y)


def _back(kept, c):
    x, k, y = kept
    d = 2 * c * (1 - y * y)
    return d * k, wf.sum(d * x) if k.ndim == 0 else d * x


doubled_tanh.defvjp(_forward, _back)


def _in_a_loop(x, k, w):
    return wf.sum(wf.fori_loop(0, 4, lambda i, v: doubled_tanh(v, k) * w + i, x) ** 2)


def _written_out(x, k, w):
    for i in range(4):
        x = doubled_tanh(x, k) * w + i
    return wf.sum(x * x)


def test_a_derivative_of_ones_own_stands_in_bodies():
    x, k, w = wf.asarray(np.linspace(-1, 1, 5)), wf.asarray(0.7), wf.asarray(np.linspace(1, 2, 5))
    want = wf.grad(_written_out, (0, 1, 2))(x, k, w)
    close(wf.grad(_in_a_loop, (0, 1, 2))(x, k, w), want)
    close(wf.compile(wf.grad(_in_a_loop, (0, 1, 2)))(x, k, w), want)
    twice = [wf.grad(lambda k: wf.sum(wf.grad(f)(x, k, w)))(k) for f in (_in_a_loop, _written_out)]
    close(twice[:1], twice[1:])
    ks = wf.asarray([0.2, 0.7])
    close([wf.vmap(lambda k: wf.grad(_in_a_loop)(x, k, w))(ks)], [wf.stack([wf.grad(_written_out)(x, k, w) for k in ks])])
    over = [wf.grad(lambda x: wf.sum(wf.vmap(lambda k: f(x, k, w))(ks)))(x) for f in (_in_a_loop, _written_out)]  # noqa: B023
    close(over[:1], over[1:])
    inner = lambda v, x: wf.fori_loop(0, 2, lambda j, u: doubled_tanh(u, x) + v, v)  # noqa: E731
    nested = wf.grad(lambda x: wf.fori_loop(0, 2, lambda i, v: inner(v, x), x))(wf.asarray(0.3))

    def by_hand(x):
        v = x
        for _ in range(2):
            u = v
            for _ in range(2):
                u = doubled_tanh(u, x) + v
            v = u
        return v

    close([nested], [wf.grad(by_hand)(wf.asarray(0.3))])


def test_derivatives_of_ones_own_stand_in_branches_that_differ_from_value_to_value():
    x = wf.asarray(np.linspace(-1, 1, 5))
    ks, which = wf.asarray([0.2, 0.7, 0.9]), wf.asarray([True, False, True])
    by_cond = lambda q, x, k: wf.cond(q, lambda x: wf.sum(doubled_tanh(x, k)), lambda x: wf.sum(wf.stop_gradient(x) * x), x)  # noqa: E731
    by_where = lambda q, x, k: wf.where(q, wf.sum(doubled_tanh(x, k)), wf.sum(wf.stop_gradient(x) * x))  # noqa: E731
    got, want = [wf.grad(lambda x: wf.sum(wf.vmap(lambda q, k: f(q, x, k))(which, ks)))(x) for f in (by_cond, by_where)]  # noqa: B023
    close([got], [want])


def test_custom_jvp_stands_in_bodies():
    @wf.custom_jvp
    def cube(x):
        return x**3

    cube.defjvp(lambda x, t: (x[0] ** 3, 6 * x[0] ** 2 * t[0]))  # twice the derivative
    loop = lambda x: wf.fori_loop(0, 2, lambda i, v: cube(v) * x, x)  # noqa: E731
    by_hand = lambda x: cube(cube(x) * x) * x  # noqa: E731
    x, one = wf.asarray(1.1), wf.asarray(1.0)
    close([wf.grad(loop)(x), wf.jvp(loop, (x,), (one,))[1]], [wf.grad(by_hand)(x)] * 2)
    close([wf.grad(wf.grad(loop))(x)], [wf.grad(wf.grad(by_hand))(x)])


def test_rules_that_call_each_other_have_one_derivative_inside():
    @wf.custom_vjp
    def sine(x):
        return wf.sin(x)

    @wf.custom_vjp
    def cosine(x):
        return wf.cos(x)

    sine.defvjp(lambda x: (wf.sin(x), x), lambda x, c: (c * cosine(x),))
    cosine.defvjp(lambda x: (wf.cos(x), x), lambda x, c: (-c * sine(x),))
    loop = lambda x: wf.fori_loop(0, 3, lambda i, v: sine(v), x)  # noqa: E731
    close([wf.grad(loop)(0.4)], [wf.grad(lambda x: wf.sin(wf.sin(wf.sin(x))))(0.4)])
    with pytest.raises(wf.Error, match="cosine: is called by a rule for a derivative .* inside of a loop's body"):
        wf.grad(wf.grad(loop))(0.4)


def test_a_custom_derivative_says_all_that_it_uses_of_a_body():
    def f(x):
        def turn(i, v):
            @wf.custom_vjp
            def scaled(x):
                return x * v

            scaled.defvjp(lambda x: (x * v, None), lambda _, c: (c,))
            return scaled(x)

        return wf.fori_loop(0, 2, turn, x)

    with pytest.raises(wf.Error, match="scaled: uses an array of a loop's body, besides its arguments, that derivatives are wanted of"):
        wf.grad(f)(2.5)


def _step(a, x):
    return wf.linalg.solve(a, x) + wf.real(wf.fft.fft(x)) / 4


LIBRARY_LOOPS = {
    "scan": lambda a, x: wf.scan(lambda c, _: (_step(a, c), wf.sum(c)), x, None, length=3)[0],
    "fori_loop": lambda a, x: wf.fori_loop(0, 3, lambda i, c: _step(a, c), x),
    "cond": lambda a, x: wf.cond(wf.sum(x * x) > -1, lambda c: _step(a, _step(a, _step(a, c))), lambda c: c, x),
    "checkpoint": lambda a, x: wf.checkpoint(lambda a, c: _step(a, _step(a, c)))(a, _step(a, x)),
    "vmap in a loop": lambda a, x: wf.fori_loop(0, 3, lambda i, c: wf.vmap(lambda m, b: _step(m, b))(wf.stack([a, a + 1]), wf.stack([c, c]))[0], x),
    "a loop in vmap": lambda a, x: wf.vmap(lambda c: wf.fori_loop(0, 3, lambda i, c: _step(a, c), c))(wf.stack([x, x]))[1],
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", LIBRARY_LOOPS)
def test_gradients_go_through_loops_over_what_libraries_compute(name, compiled, on_cpu):
    """solve, fft and their kin have derivatives by rules of their own, in bodies as anywhere."""
    a = wf.asarray(np.random.default_rng(5).normal(size=(3, 3)) + 4 * np.eye(3))
    x = wf.asarray([1.0, -0.5, 2.0])
    written_out = wf.grad(lambda a, x: wf.sum(_step(a, _step(a, _step(a, x))) ** 2), argnums=(0, 1))(a, x)
    run = wf.grad(lambda a, x: wf.sum(LIBRARY_LOOPS[name](a, x) ** 2), argnums=(0, 1))
    for got, wanted in zip((wf.compile(run) if compiled else run)(a, x), written_out, strict=True):
        np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=1e-10)


@pytest.mark.parametrize("second", [wf.hessian, lambda f: wf.jacrev(wf.grad(f)), lambda f: wf.jacfwd(wf.jacfwd(f))])
def test_second_derivatives_of_what_a_library_computes_in_a_loop_say_what_to_do(second, on_cpu):
    """A rule that a body's derivative calls is recorded once: what it calls itself is no part of it."""
    a, x = wf.asarray(np.eye(3) * 2), wf.asarray([1.0, 2.0, 3.0])
    for step in (lambda c: wf.linalg.solve(a * wf.sum(c * c), c), lambda c: wf.real(wf.fft.fft(c * c))):
        with pytest.raises(wf.Error, match="no further derivative there: put the loop inside"):
            second(lambda x, step=step: wf.sum(wf.fori_loop(0, 2, lambda i, c: step(c), x) ** 2))(x)
        written_out = wf.hessian(lambda x, step=step: wf.sum(step(step(x)) ** 2))(x)
        np.testing.assert_allclose(np.asarray(written_out), np.asarray(written_out).T, rtol=1e-9, atol=1e-12)
