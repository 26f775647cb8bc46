"""Gradients as PyTorch's users write them."""

import gc
import math
import threading

import numpy as np
import pytest
import weft as wf

rng = np.random.default_rng(5)


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    gc.collect()
    assert not wf._core.derives()


def test_a_model_is_trained():
    x, y = rng.normal(size=(100, 3)), rng.normal(size=100)
    x, y = wf.asarray(x), wf.asarray(np.asarray(x) @ [1.0, -2.0, 0.5] + 0.01 * y)
    w, b = wf.zeros(3).requires_grad_(), wf.zeros(()).requires_grad_()
    assert w.requires_grad and not x.requires_grad and w.grad is None
    losses = []
    for _ in range(100):
        loss = wf.mean((x @ w + b - y) ** 2)
        losses.append(loss.item())
        loss.backward()
        with wf.no_grad():
            w -= 0.1 * w.grad
            b -= 0.1 * b.grad
        w.grad = b.grad = None
    assert losses[-1] < 1e-3 * losses[0]
    np.testing.assert_allclose(np.asarray(wf.stop_gradient(w)), [1, -2, 0.5], atol=0.01)


def test_gradients_add_up_until_they_are_forgotten():
    x = wf.asarray([1.0, 2.0]).requires_grad_()
    wf.sum(x**2).backward()
    np.testing.assert_array_equal(np.asarray(x.grad), [2, 4])
    wf.sum(x**3).backward()
    np.testing.assert_array_equal(np.asarray(x.grad), [5, 16])
    x.grad = None
    (x * wf.asarray([3.0, 4.0])).backward(wf.asarray([1.0, 10.0]))
    np.testing.assert_array_equal(np.asarray(x.grad), [3, 40])
    x.requires_grad_(False)
    assert not x.requires_grad


def test_the_past_outlives_what_is_computed_on_the_way():
    x = wf.asarray(rng.normal(size=2000)).requires_grad_()
    y = x * 2
    wf.eval(y)
    z = wf.sin(y)
    wf.eval(z)
    y[:1000] = z[1000:] * x[:1000]
    for _ in range(2000):
        y = y + 0.0001 * y
    loss = wf.sum(y)
    assert math.isfinite(loss.item())
    loss.backward()
    grow = 1.0001**2000
    v = np.asarray(wf.stop_gradient(x))
    want = np.concatenate([np.sin(2 * v[1000:]), 2 + 2 * np.cos(2 * v[1000:]) * v[:1000]]) * grow
    np.testing.assert_allclose(np.asarray(x.grad), want, rtol=1e-9)


def test_no_grad_computes_constants():
    x = wf.asarray(3.0).requires_grad_()
    with wf.no_grad():
        scale = float(x) * 2
    (x * scale).backward()
    assert float(x.grad) == 6

    @wf.no_grad()
    def look():
        return (x + 1).tolist(), str(x)

    loss = x * x
    assert look() == (4.0, "3.0")
    loss.backward()  # a look forgets nothing
    assert float(x.grad) == 12


def test_threads_remember_their_own():
    results = {}

    def train(k):
        x = wf.asarray([float(k)]).requires_grad_()
        for _ in range(20):
            wf.sum(x**2).backward()
        results[k] = float(x.grad[0])
        x.requires_grad_(False)

    threads = [threading.Thread(target=train, args=(k,)) for k in range(1, 5)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert results == {k: 40.0 * k for k in range(1, 5)}


def test_what_raises():
    x = wf.asarray([1.0, 2.0]).requires_grad_()
    loss = wf.sum(x * x)
    loss.backward()
    with pytest.raises(wf.Error, match=r"backward: the array comes from none that requires a gradient, or from before the last backward\(\)"):
        loss.backward()
    with pytest.raises(wf.Error, match="backward: the array comes from none"):
        wf.sum(wf.ones(3)).backward()
    with pytest.raises(wf.Error, match="grad: takes functions that give one real number"):
        (x * 2).backward()
    with pytest.raises(wf.Error, match="looks at numbers that derivatives are wanted of"):
        np.asarray(x * 2)
    with pytest.raises(TypeError, match="derivatives are by floats and complex numbers"):
        wf.arange(3).requires_grad_()
    with pytest.raises(wf.Error, match="requires_grad_: takes an array of its own: got a view"):
        wf.zeros(4)[1:].requires_grad_()
    with pytest.raises(wf.Error, match="grad: is an array of the shape"):
        x.grad = wf.zeros(3)
    with pytest.raises(wf.Error, match="requires_grad_: stands outside of grad"):
        x.requires_grad_(False)
        wf.grad(lambda y: wf.sum(wf.asarray([1.0]).requires_grad_() * y))(2.0)
    x.requires_grad_()
    loss = wf.sum(x * x)
    x += 1
    with pytest.raises(wf.Error, match=r"backward: an array that requires a gradient was written to, outside of no_grad\(\)"):
        loss.backward()


def test_what_is_computed_requires_a_gradient_already():
    a = wf.asarray([1.0, 2.0]).requires_grad_()
    h = a * 2
    assert h.requires_grad and not wf.asarray([1.0]).requires_grad
    assert h.requires_grad_() is h
    wf.sum(h * a).backward()
    np.testing.assert_array_equal(np.asarray(a.grad), [4.0, 8.0])
    assert h.grad is None
    with pytest.raises(wf.Error, match="requires_grad_: the array is computed from one that requires a gradient"):
        (a * 3).requires_grad_(False)
    a.requires_grad_(False)
