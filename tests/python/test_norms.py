"""Norms are array expressions: NumPy's values, dtypes and errors, one kernel with what is computed from them. And products with vectors."""

import numpy as np
import pytest
import weft as wf

from test_same_as_numpy import check

VECTORS = ["None", "0", "1", "2", "3", "0.5", "-1", "np.float32(3)", "np.inf", "-np.inf", "'fro'", "'nuc'", "'bogus'"]
MATRICES = ["None", "'fro'", "'f'", "1", "-1", "2", "-2", "np.inf", "-np.inf", "'nuc'", "0", "3", "'bogus'"]
ARRAYS = ["f", "z", "a", "i", "u", "b", "t", "t[0]", "f.astype('f4')", "f.astype('f2')", "z.astype('c8')", "np.zeros((0, 3))", "np.zeros((3, 0))", "np.asarray(-2.0)"]


@pytest.mark.parametrize("x", ARRAYS)
def test_norms_are_numpys(x):
    check(f"np.linalg.norm({x})")
    check(f"np.linalg.norm({x}, keepdims=True)")
    check(f"np.linalg.matrix_norm({x})")
    for ord in VECTORS:
        for axis in ("0", "-1", "(-1,)"):
            check(f"np.linalg.norm({x}, {ord}, {axis})")
        check(f"np.linalg.norm({x}, {ord})")
        check(f"np.linalg.norm({x}, {ord}, -1, keepdims=True)")
        check(f"np.linalg.vector_norm({x}, ord={ord})")
        check(f"np.linalg.vector_norm({x}, ord={ord}, axis=0, keepdims=True)")


@pytest.mark.parametrize("ord", MATRICES)
def test_norms_of_matrices_are_numpys(ord):
    # The least singular value is no rounding of 0.
    for x in ("np.sin(t * t)", "np.sin(t * t)[:, ::-1].astype('f4')", "np.sin(t * t) * (1 + 2j)", "np.zeros((2, 0, 3))", "np.zeros((2, 3, 0))") if ord == "-2" else ("t", "t[:, ::-1].astype('f4')", "t * (1 + 2j)", "np.zeros((2, 0, 3))", "np.zeros((2, 3, 0))"):
        for axis in ("(0, 1)", "(1, 0)", "(-1, -3)", "(2, 1)", "(1, 1)", "(0, 3)", "(0, 1, 2)", "()"):
            check(f"np.linalg.norm({x}, {ord}, {axis})")
        check(f"np.linalg.norm({x}, {ord}, (0, 2), True)")
        check(f"np.linalg.matrix_norm({x}, ord={ord}, keepdims=True)")


def test_axes_that_are_no_integers_are_refused():
    for axis in ([0], "0", (0, "1")):
        with pytest.raises(TypeError, match="norm: axis"):
            wf.linalg.norm(wf.ones((2, 3)), axis=axis)


@pytest.mark.parametrize(
    "cosine",
    [
        lambda a, b: (a * b).sum(-1) / (np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)),
        lambda a, b: np.einsum("ij,ij->i", a, b) / np.sqrt(np.einsum("ij,ij->i", a, a) * np.einsum("ij,ij->i", b, b)),
        lambda a, b: np.vecdot(a, b) / (np.linalg.vector_norm(a, axis=-1) * np.linalg.vector_norm(b, axis=-1)),
    ],
    ids=["norm", "einsum", "vecdot"],
)
def test_a_cosine_similarity_is_one_kernel(cosine):
    a, b = (wf.asarray(np.random.default_rng(seed).normal(size=(100, 60)).astype("f4")) for seed in (1, 2))
    x = cosine(a, b)
    assert str(wf.explain(x)).count("step ") == 1
    np.testing.assert_allclose(x, cosine(np.asarray(a, "f8"), np.asarray(b, "f8")), rtol=2e-5, atol=1e-6)


def test_outer_products_of_linalg_take_vectors():
    check("np.linalg.outer(a, f)")
    check("np.linalg.outer(m, a)")
    check("np.linalg.outer(np.asarray(2.0), a)")


@pytest.mark.skipif(not hasattr(np, "vecmat"), reason="this NumPy has no vecmat")
def test_a_row_of_truth_by_a_matrix_is_truth():
    check("np.vecmat(np.asarray([True, False]), np.asarray([[True, False, True], [True, True, False]]))")
    check("np.vecmat(z, m)")
