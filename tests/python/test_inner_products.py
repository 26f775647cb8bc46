"""Products of two vectors that lie in memory: numbers as soon as they are asked for, with the bits of what a program computes."""

import numpy as np
import pytest
import weft as wf

DTYPES = ["float32", "float64", "complex64", "complex128"]
EXTENTS = [0, 1, 2, 5, 16, 33, 255, 256, 257, 1000, 16_383, 16_384]


def vectors(dtype, extent):
    """The same elements where they lie otherwise, by the name of how."""
    random = np.random.default_rng(extent)
    values = (random.random(extent) - 0.5).astype(dtype)
    if np.dtype(dtype).kind == "c":
        values += (1j * random.random(extent)).astype(dtype)
    matrix = np.zeros((extent, 3), dtype)
    matrix[:, 1] = values
    wide = wf.eval(wf.asarray(np.repeat(values, 3)))
    return values, {
        "all": wf.eval(wf.asarray(values)),
        "a part": wf.eval(wf.asarray(np.concatenate([values[:1], values, values])))[min(extent, 1) : extent + min(extent, 1)],
        "apart": wide[::3],
        "backwards": wf.eval(wf.asarray(values[::-1].copy()))[::-1],
        "a column": wf.eval(wf.asarray(matrix))[:, 1],
        "to be computed": wf.asarray(values) * 1,
    }


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("extent", EXTENTS)
def test_have_the_same_bits_wherever_the_vectors_lie(on_cpu, dtype, extent):
    values, ours = vectors(dtype, extent)
    in_a_program = wf.compile(lambda x, y: x @ y)(ours["all"], ours["all"])
    for left, x in ours.items():
        for right, y in ours.items():
            product = x @ y
            assert product.shape == () and product.dtype == dtype
            np.testing.assert_array_equal(np.asarray(product), np.asarray(in_a_program), err_msg=f"{left}, {right}")
            np.testing.assert_array_equal(np.asarray(wf.dot(x, y)), np.asarray(product))
    tolerance = 1e-4 if dtype in ("float32", "complex64") else 1e-12
    np.testing.assert_allclose(np.asarray(in_a_program), values @ values, rtol=tolerance, atol=tolerance)


def test_stay_what_they_were_when_a_vector_is_written_to():
    x = wf.eval(wf.arange(5.0))
    before = x @ x
    x[2] = 100.0
    x += 1
    assert float(before) == 30.0
    assert float(x @ x) == float(np.sum(np.asarray(x) ** 2))


def test_see_what_numpy_writes_to_the_memory(on_cpu):
    x = wf.eval(wf.arange(4.0))
    shared = np.asarray(x)
    assert float(x @ x) == 14.0
    if shared.flags.writeable:
        shared[0] = 10.0
        assert float(x @ x) == 114.0


def test_special_values_are_numpys():
    x, y = wf.asarray([np.inf, 1.0]), wf.asarray([0.0, 1.0])
    assert np.isnan(float(x @ y))
    assert float(x @ x) == np.inf
    assert float(wf.zeros(0) @ wf.zeros(0)) == 0.0


def test_are_recorded_where_functions_are_derived_and_compiled():
    x = wf.eval(wf.arange(1.0, 4.0))
    np.testing.assert_array_equal(np.asarray(wf.grad(lambda v: v @ v)(x)), [2.0, 4.0, 6.0])
    twice = wf.compile(lambda v: v @ v)
    assert float(twice(x)) == 14.0
    assert float(twice(x + 1)) == 29.0
    assert wf.vmap(lambda v: v @ x)(wf.stack([x, 2 * x])).tolist() == [14.0, 28.0]


def test_of_vectors_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="inner extents differ"):
        wf.ones(3) @ wf.ones(4)
    with pytest.raises(ValueError, match="inner extents differ"):
        wf.ones(0) @ wf.ones(4)


def triangular_solve(np_, L, b):
    x = np_.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


def lu(np_, A, _):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return A


def cholesky(np_, A, _):
    A[0, 0] = np_.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np_.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np_.dot(A[i, :i], A[i, :i])
        A[i, i] = np_.sqrt(A[i, i])
    return A


@pytest.mark.parametrize("program", [triangular_solve, lu, cholesky])
@pytest.mark.parametrize("extent", [1, 2, 7, 40])
def test_loops_over_rows_that_take_them_make_no_program(on_cpu, program, extent):
    random = np.random.default_rng(extent)
    matrix = random.random((extent, extent))
    matrix = matrix @ matrix.T + extent * np.eye(extent)
    right = random.random(extent)
    A, b = wf.array(matrix), wf.array(right)
    before = wf.stats()
    result = program(wf, A, b)
    after = wf.stats()
    np.testing.assert_allclose(np.asarray(result), program(np, matrix.copy(), right.copy()), rtol=1e-10)
    assert after["program_misses"] == before["program_misses"]
