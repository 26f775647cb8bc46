"""vmap() beside loops, over and under gradients."""

import numpy as np
import pytest
import weft as wf

rng = np.random.default_rng(11)


def program(x, w):
    y = wf.zeros(6)
    y[:4] = x * w
    y[1::2] += wf.sin(x[:3])
    y *= wf.max(x)
    return {"y": wf.cumsum(y), "s": wf.softmax(x) @ w, "i": wf.argmax(x), "g": x[wf.asarray([2, 0])], "c": wf.where(x > 0, x, w)}


def test_gives_what_a_loop_gives():
    x, w = wf.asarray(rng.normal(size=(5, 4))), wf.asarray(rng.normal(size=4))
    got = wf.vmap(program, in_axes=(0, None))(x, w)
    for k in range(5):
        want = program(x[k], w)
        for name in ("i", "g", "c"):
            np.testing.assert_array_equal(np.asarray(got[name][k]), np.asarray(want[name]), err_msg=name)
        for name in ("y", "s"):  # kernels of other lengths sum in another order
            np.testing.assert_allclose(np.asarray(got[name][k]), np.asarray(want[name]), rtol=1e-14, err_msg=name)


def test_axes_of_arguments_and_results():
    a, b = wf.asarray(rng.normal(size=(3, 5))), wf.asarray(rng.normal(size=(5, 4)))
    outer = wf.vmap(lambda x, y: (x, wf.sum(y) * x), in_axes=(1, 0), out_axes=(1, 0))
    first, second = outer(a, b)
    np.testing.assert_array_equal(np.asarray(first), np.asarray(a))
    np.testing.assert_allclose(np.asarray(second), np.asarray(a).T * np.asarray(b).sum(1, keepdims=True), rtol=1e-14)
    tree = wf.vmap(lambda p: p["a"] @ p["b"], in_axes=({"a": 1, "b": None},))({"a": a, "b": wf.ones(3)})
    np.testing.assert_allclose(np.asarray(tree), np.asarray(a).sum(0), rtol=1e-14)
    whole = wf.vmap(lambda x: wf.asarray(2.0))(a)
    np.testing.assert_array_equal(np.asarray(whole), [2, 2, 2])


def test_products_become_batched_products():
    a, b = rng.normal(size=(6, 3, 4)), rng.normal(size=(6, 4, 2))
    np.testing.assert_allclose(np.asarray(wf.vmap(wf.matmul)(wf.asarray(a), wf.asarray(b))), a @ b, rtol=1e-13)
    np.testing.assert_allclose(np.asarray(wf.vmap(wf.matmul, (0, None))(wf.asarray(a), wf.asarray(b[0]))), a @ b[0], rtol=1e-13)
    pairs = wf.vmap(wf.vmap(lambda x, y: x @ y, (None, 0)), (0, None))(wf.asarray(a[0]), wf.asarray(b[0].T))
    np.testing.assert_allclose(np.asarray(pairs), a[0] @ b[0], rtol=1e-13)


def test_per_example_gradients():
    def loss(w, x, y):
        return (wf.tanh(x @ w) - y) ** 2

    w, x, y = wf.asarray(rng.normal(size=3)), wf.asarray(rng.normal(size=(7, 3))), wf.asarray(rng.normal(size=7))
    each = wf.vmap(wf.grad(loss), in_axes=(None, 0, 0))
    want = np.stack([np.asarray(wf.grad(loss)(w, x[k], y[k])) for k in range(7)])
    np.testing.assert_allclose(np.asarray(each(w, x, y)), want, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(wf.compile(each)(w, x, y)), want, rtol=1e-12)
    total = wf.grad(lambda w: wf.sum(wf.vmap(loss, in_axes=(None, 0, 0))(w, x, y)))(w)
    np.testing.assert_allclose(np.asarray(total), want.sum(0), rtol=1e-12)


def test_keys_are_split():
    keys = wf.random.split(wf.random.key(3), 4)
    got = np.asarray(wf.vmap(lambda key: wf.random.normal(key, (3,)))(keys))
    assert len(np.unique(got)) == 12
    np.testing.assert_array_equal(got[2], np.asarray(wf.random.normal(keys[2], (3,))))


def test_positions_are_checked():
    table = wf.asarray(rng.normal(size=5))
    np.testing.assert_array_equal(np.asarray(wf.vmap(lambda i: wf.take(table, i))(wf.asarray([4, 0]))), np.asarray(table)[[4, 0]])
    with pytest.raises(IndexError):
        wf.vmap(lambda i: wf.take(table, i))(wf.asarray([4, 7]))


def test_what_raises():
    x = wf.asarray(rng.normal(size=(3, 2)))
    with pytest.raises(wf.Error, match="have no values while it is recorded"):
        wf.vmap(lambda x: x * 2 if x[0] > 0 else x)(x)
    with pytest.raises(wf.Error, match="vmap: arguments have one extent along their axes: got 3 and 4"):
        wf.vmap(lambda x, y: x)(x, wf.ones(4))
    with pytest.raises(ValueError, match="vmap: an argument with an axis has one: got a number, argument 1"):
        wf.vmap(lambda x, y: x)(x, 2.0)
    with pytest.raises(ValueError, match="vmap: in_axes has an axis for each part: got 1 for 2"):
        wf.vmap(lambda x, y: x, in_axes=(0,))(x, x)
    with pytest.raises(wf.Error, match="vmap: takes an axis of at least one argument: got none"):
        wf.vmap(lambda x: x, in_axes=None)(x)
    outside = wf.zeros(2)

    def writes(x):
        outside[:] = x
        return x

    with pytest.raises(wf.Error, match="writes to an array that it did not take"):
        wf.vmap(writes)(x)


@wf.custom_vjp
def _scaled(a, b):
    return wf.sum(a * b), a + 1


# Not what it is, so that it can be told apart. The residuals are values of one part.
_scaled.defvjp(
    lambda a, b: ((wf.sum(a * b), a + 1), (a, b, wf.sum(a))), lambda kept, c: (10 * c[0] * kept[1] + c[1], 100 * c[0] * kept[0] * kept[2])
)


@wf.custom_jvp
def _sine(a):
    return wf.sin(a)


_sine.defjvp(lambda at, moved: (wf.sin(at[0]), 7 * moved[0] * at[0]))

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
W = np.array([2.0, 3.0, 4.0])


def _loss(pairs):
    return sum(wf.sum(s * s) + wf.sum(t) for s, t in pairs)


@pytest.mark.parametrize("argument", [0, 1])
def test_a_derivative_of_its_own_goes_through_vmap_as_through_a_loop(argument):
    def by_loop(x, w):
        return _loss(_scaled(x[i], w) for i in range(2))

    def by_vmap(x, w):
        return _loss([wf.vmap(_scaled, in_axes=(0, None))(x, w)])

    x, w = wf.asarray(X), wf.asarray(W)
    np.testing.assert_array_equal(np.asarray(wf.grad(by_vmap, argument)(x, w)), np.asarray(wf.grad(by_loop, argument)(x, w)))
    again = [np.asarray(wf.jacrev(wf.grad(lambda w, f=f: f(x, w)))(w)) for f in (by_vmap, by_loop)]
    np.testing.assert_array_equal(*again)


def test_a_derivative_of_its_own_goes_through_vmap_forward_and_nested_and_compiled():
    x = wf.asarray(X)
    twice = wf.vmap(wf.vmap(_sine))
    np.testing.assert_array_equal(np.asarray(wf.grad(lambda x: wf.sum(twice(x)))(x)), 7 * X)
    np.testing.assert_array_equal(np.asarray(wf.jvp(wf.vmap(_sine), (x,), (wf.ones_like(x),))[1]), 7 * X)
    within = wf.vmap(wf.grad(lambda row: wf.sum(wf.vmap(_sine)(row))))
    np.testing.assert_array_equal(np.asarray(within(x)), 7 * X)
    compiled = wf.compile(wf.grad(lambda x: wf.sum(wf.vmap(_sine)(x))))
    for _ in range(2):
        np.testing.assert_array_equal(np.asarray(compiled(x)), 7 * X)


def test_what_keeps_derivatives_out_does_so_under_vmap():
    def f(t):
        return wf.stop_gradient(t) * t

    x = wf.asarray(X)
    np.testing.assert_array_equal(np.asarray(wf.grad(lambda x: wf.sum(wf.vmap(f)(x)))(x)), X)
    np.testing.assert_array_equal(np.asarray(wf.jvp(wf.vmap(f), (x,), (wf.ones_like(x),))[1]), X)
    np.testing.assert_array_equal(np.asarray(wf.vmap(lambda row: wf.grad(lambda row: wf.sum(f(row)))(row))(x)), X)
    checkpointed = wf.grad(lambda x: wf.sum(wf.vmap(wf.checkpoint(lambda a: wf.sin(a) * a))(x)))
    np.testing.assert_allclose(np.asarray(checkpointed(x)), np.cos(X) * X + np.sin(X), rtol=1e-15)


def test_a_rule_that_looks_at_values_says_that_there_are_none_under_vmap():
    @wf.custom_vjp
    def looks(a):
        return a * 1

    looks.defvjp(lambda a: (a * 1, None), lambda _, c: (2 * c if c > 0 else c,))
    with pytest.raises(wf.Error, match=r"arguments have no values while it is recorded, by compile\(\), vmap\(\) or a loop"):
        wf.grad(lambda w: wf.sum(wf.vmap(looks)(w)))(wf.asarray(W))


def _spd(a):
    return a @ a.T + 4 * wf.eye(3)


# Functions that a library computes, whose derivatives are rules of their own.
LIBRARY = {
    "solve": lambda a, b: wf.sum(wf.linalg.solve(_spd(a), b) ** 2),
    "inv": lambda a, b: wf.sum(wf.linalg.inv(_spd(a))[0] * b),
    "det": lambda a, b: wf.linalg.slogdet(_spd(a))[1] * wf.sum(b),
    "cholesky": lambda a, b: wf.sum(wf.linalg.cholesky(_spd(a)) @ b),
    "eigh": lambda a, b: wf.sum(wf.linalg.eigh(_spd(a))[0] * b),
    "svd": lambda a, b: wf.sum(wf.linalg.svd(a + wf.diag(wf.arange(3.0)))[1] * b),
    "qr": lambda a, b: wf.sum(wf.linalg.qr(_spd(a))[1] @ b),
    "fft": lambda a, b: wf.sum(wf.abs(wf.fft.rfft(b + a[0])) ** 2),
    "irfft": lambda a, b: wf.sum(wf.fft.irfft(wf.fft.rfft(b) * 2.0, 3) ** 3),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", LIBRARY)
def test_gradients_go_through_vmap_of_what_libraries_compute(name, compiled, on_cpu):
    f = LIBRARY[name]
    rng = np.random.default_rng(3)
    a, b = wf.asarray(rng.normal(size=(4, 3, 3))), wf.asarray(rng.normal(size=(4, 3)))
    weights = wf.asarray([1.0, -2.0, 0.5, 3.0])
    run = wf.grad(lambda a, b: wf.sum(wf.vmap(f)(a, b) * weights), argnums=(0, 1))
    got = (wf.compile(run) if compiled else run)(a, b)
    for i in range(4):
        alone = wf.grad(f, argnums=(0, 1))(a[i], b[i])
        for x, y in zip(got, alone, strict=True):
            np.testing.assert_allclose(np.asarray(x[i]), float(weights[i]) * np.asarray(y), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", ["solve", "inv", "eigh", "fft"])
def test_second_derivatives_go_through_vmap_of_what_libraries_compute(name, on_cpu):
    f = LIBRARY[name]
    rng = np.random.default_rng(4)
    a, b = wf.asarray(rng.normal(size=(2, 3, 3))), wf.asarray(rng.normal(size=(2, 3)))
    both = wf.hessian(lambda b: wf.sum(wf.vmap(f)(a, b)))(b)
    for i in range(2):
        alone = wf.hessian(lambda one, i=i: f(a[i], one))(b[i])
        np.testing.assert_allclose(np.asarray(both[i, :, i]), np.asarray(alone), rtol=1e-8, atol=1e-9)
