"""Ops as text that a vectorized function calls."""

import numpy as np
import weft as wf


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
