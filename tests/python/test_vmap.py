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
    def doubled(x):
        return x * 1

    doubled.defvjp(lambda x: (x * 1, None), lambda _, c: (2 * c,))
    np.testing.assert_array_equal(np.asarray(wf.vmap(wf.grad(lambda x: wf.sum(doubled(x))))(x)), np.full((3, 2), 2.0))
    with pytest.raises(wf.Error, match=r"vmap: doubled has a derivative of its own, of one part alone: derive inside of vmap"):
        wf.grad(lambda x: wf.sum(wf.vmap(doubled)(x)))(x)
