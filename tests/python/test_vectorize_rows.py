"""vectorize() of functions of rows, by a signature, beside NumPy's."""

import numpy as np
import pytest
import weft as wf


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

    f = wf.vectorize(solved, signature="(m,n),(n),()->(m),(n,n)")
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
    with pytest.raises(ValueError, match="signature names the last axes of each argument and each result"):
        wf.vectorize(_dot_and_norm, signature="n->n")(wf.ones(3))
    with pytest.raises(ValueError):
        wf.vectorize(lambda a: a, signature="(n)->()")(wf.ones((2, 3)))
    for x in (wf.ones(3), wf.ones((2, 3))):
        with pytest.raises(ValueError, match="the axis n of the signature has 3 elements and, in result 0, 2"):
            wf.vectorize(lambda a: a[1:], signature="(n)->(n)")(x)
        with pytest.raises(ValueError, match="the axis m of the signature has 2 elements and, in result 1, 3"):
            wf.vectorize(lambda a: (a[1:], a), signature="(n)->(m),(m)")(x)

    def writes(a):
        a[0] = 9
        return a.sum()

    for x in (wf.ones(3), wf.ones((2, 3))):
        with pytest.raises(ValueError, match="read-only"):
            wf.vectorize(writes, signature="(n)->()")(x)
        assert (x == 1).all()
    assert "by Python, one row after the other" in wf.explain(wf.vectorize(lambda a: float(a[0]), signature="(n)->()")(wf.ones((2, 3))))
