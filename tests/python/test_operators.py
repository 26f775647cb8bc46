"""Operators: Python's and NumPy's scalars, promotion, the reflected and the in-place ones."""

import operator

import hypothesis.strategies as st
import numpy as np
import pytest
import weft as wf
from hypothesis import given

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
          "complex64", "complex128"]
SCALARS = [True, 2, 2.5, 1 + 2j, np.int8(3), np.uint16(4), np.float32(1.5), np.float64(2.5), np.bool_(True), np.complex64(1j)]


@given(st.sampled_from(DTYPES), st.sampled_from(DTYPES), st.sampled_from(["add", "multiply"]))
def test_promotion_is_numpys(a, b, name):
    expected = getattr(np, name)(np.ones(2, a), np.ones(2, b))
    got = getattr(wf, name)(wf.ones(2, a), wf.ones(2, b))
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(got), expected)
    assert wf.result_type(wf.ones(2, a), b) == expected.dtype


@given(st.sampled_from(DTYPES), st.sampled_from(SCALARS), st.booleans())
def test_scalars_promote_as_numpys(dtype, scalar, reflected):
    n, w = np.ones(3, dtype), wf.ones(3, dtype)
    expected = scalar + n if reflected else n + scalar
    got = scalar + w if reflected else w + scalar
    assert isinstance(got, wf.Array)
    assert got.dtype == expected.dtype, (dtype, scalar)
    np.testing.assert_array_equal(np.asarray(got), expected)
    assert wf.result_type(w, scalar) == expected.dtype


BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
          operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge]


@pytest.mark.parametrize("f", BINARY)
def test_binary_operators(f):
    a, b = np.array([[5.0, 3.0], [2.0, 7.0]]), np.array([2.0, 4.0])
    x, y = wf.asarray(a), wf.asarray(b)
    for got in (f(x, y), f(x, b), f(x, [2.0, 4.0])):
        np.testing.assert_allclose(np.asarray(got), f(a, b), rtol=1e-14)
    np.testing.assert_allclose(np.asarray(f(a, y)), f(a, b), rtol=1e-14)
    np.testing.assert_allclose(np.asarray(f(x, 2)), f(a, 2), rtol=1e-14)
    np.testing.assert_allclose(np.asarray(f(2, x)), f(2, a), rtol=1e-14)


@pytest.mark.parametrize("f", [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, divmod])
def test_integer_operators(f):
    a, b = np.array([12, 10, 7]), np.array([3, 1, 2])
    np.testing.assert_array_equal(np.stack([np.asarray(p) for p in np.atleast_1d(f(wf.asarray(a), wf.asarray(b)))])
                                  if f is divmod else np.asarray(f(wf.asarray(a), wf.asarray(b))), f(a, b))


def test_products():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    x, y = wf.asarray(a), wf.asarray(b)
    np.testing.assert_array_equal(np.asarray(x @ y), a @ b)
    np.testing.assert_array_equal(np.asarray(a @ y), a @ b)
    z = wf.eye(3)
    z @= wf.ones((3, 3))
    assert z.tolist() == [[1.0] * 3] * 3


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("terms", [1, 3])
def test_products_of_few_terms_between_maps(terms, dtype):
    rng = np.random.default_rng(terms)
    a, b = (rng.integers(-9, 9, shape).astype(dtype) for shape in ((5, terms), (terms, 200)))
    expected = 2 * (a @ (b + 1)) - 3
    np.testing.assert_array_equal(np.asarray(2 * (wf.asarray(a) @ (wf.asarray(b) + 1)) - 3), expected)


@pytest.mark.parametrize("rows, columns", [(1, 7), (5, 1), (300, 40), (3, 5000)])
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_products_of_vectors_with_computed_matrices(rows, columns, dtype):
    rng = np.random.default_rng(rows)
    a, u, v = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((rows, columns), (rows,), (columns,)))
    x, y, z = wf.asarray(a), wf.asarray(u), wf.asarray(v)
    np.testing.assert_array_equal(np.asarray((2 * x) @ (z + 1)), (2 * a) @ (v + 1))
    np.testing.assert_array_equal(np.asarray((y + 1) @ (x - 3)), (u + 1) @ (a - 3))
    np.testing.assert_array_equal(np.asarray((2 * x).T @ y), (2 * a).T @ u)


@pytest.mark.parametrize("shape", [(3, 4, 64), (2, 48, 5), (6, 1, 32), (4, 3, 2)])
def test_maps_of_flattened_transposed_arrays(shape):
    a = np.arange(np.prod(shape), dtype=float).reshape(shape)
    b = np.arange(shape[1]) + 0.5
    x, y = wf.asarray(a), wf.asarray(b)

    def flat(xp, a, b):
        moved = xp.reshape(xp.transpose(a, (1, 0, 2)), (-1,))
        return moved * xp.repeat(b, a.size // b.size) - xp.reshape(a, (-1,))

    np.testing.assert_array_equal(np.asarray(flat(wf, x, y)), flat(np, a, b))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("n, columns", [(1, 1), (3, 0), (7, 2), (40, 300)])
def test_linear_equations(n, columns, dtype):
    rng = np.random.default_rng(n)
    a, b = (rng.standard_normal(2 * shape[0] * shape[1]).view(complex).reshape(shape) for shape in ((n, n), (n, columns)))
    a, b = (part.real.astype(dtype) if dtype.startswith("f") else part.astype(dtype) for part in (a + n * np.eye(n), b))
    x, y = wf.asarray(a), wf.asarray(b)
    close = 1e-4 if np.finfo(dtype).bits == 32 else 1e-12
    np.testing.assert_allclose(np.asarray(wf.linalg.solve(x, y)), np.linalg.solve(a, b), close, close, strict=True)
    np.testing.assert_allclose(np.asarray(wf.linalg.solve(x.T, x[:, 0] * 2)), np.linalg.solve(a.T, a[:, 0] * 2), close, close, strict=True)
    np.testing.assert_allclose(np.asarray(wf.linalg.inv(x)), np.linalg.inv(a), close, close, strict=True)
    np.testing.assert_array_equal(np.asarray(x), a)
    np.testing.assert_array_equal(np.asarray(y), b)


def test_linear_equations_of_other_kinds():
    ints, stack = wf.asarray([[2, 1], [1, 3]]), wf.eye(2) * wf.arange(1.0, 4.0)[:, None, None]
    np.testing.assert_allclose(np.asarray(wf.linalg.solve(ints, wf.asarray([3.0, 4.0]))), [1, 1])
    np.testing.assert_allclose(np.asarray(wf.linalg.inv(stack))[:, 0, 0], [1, 1 / 2, 1 / 3])
    with pytest.raises(np.linalg.LinAlgError, match="solve: the matrix is singular"):
        wf.linalg.solve(wf.asarray([[1.0, 2.0], [2.0, 4.0]]), wf.ones(2))
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        wf.linalg.inv(wf.ones((2, 3)))


IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow]


@pytest.mark.parametrize("f", IN_PLACE)
def test_in_place_operators_keep_the_array(f):
    a = np.array([9.0, 4.0, 7.0], np.float32)
    x = wf.asarray(a)
    view = x[1:]
    y = f(x, 2)
    assert y is x
    f(a, 2)
    assert x.dtype == a.dtype
    np.testing.assert_allclose(np.asarray(view), a[1:], rtol=1e-6)


def test_in_place_operators_refuse_what_does_not_fit():
    x = wf.arange(3)
    with pytest.raises(TypeError):
        x /= 2
    with pytest.raises(TypeError):
        x += 0.5
    with pytest.raises(ValueError):
        x += wf.zeros((2, 3), dtype=int)
    with pytest.raises(OverflowError):
        x += 2**70
    assert x.tolist() == [0, 1, 2]


def test_aliases_in_place():
    a, x = np.arange(6), wf.arange(6)
    for v in (a, x):
        v += v[::-1]
        v[1:] = v[:-1]
    assert x.tolist() == a.tolist()


def test_errors_name_op_and_operands():
    with pytest.raises(wf.Error, match=r"add: shapes do not broadcast: got \(2,\) and \(3,\)"):
        wf.zeros(2) + wf.zeros(3)
    with pytest.raises(ValueError):
        wf.zeros(2) + wf.zeros(3)
    with pytest.raises(TypeError):
        wf.zeros(2) + "a"
    with pytest.raises(TypeError):
        wf.zeros(2) & 1.5
    with pytest.raises(TypeError, match="sin"):
        wf.sin("a")
    with pytest.raises(TypeError, match="add"):
        wf.add(1)
    with pytest.raises(OverflowError):
        wf.zeros(2, dtype=wf.uint8) + 300


def test_out_and_where():
    out = wf.zeros(4)
    assert wf.add([1, 2, 3, 4], 1, out=out) is out
    wf.multiply(out, 10, out=out, where=out > 3)
    assert out.tolist() == [2, 3, 40, 50]
    assert wf.add(1, 2, dtype=wf.float32).dtype == np.float32
    with pytest.raises(ValueError, match="out"):
        wf.add(wf.zeros((2, 3)), 1, out=wf.zeros(3))
    with pytest.raises(TypeError):
        wf.add(wf.zeros(3), 1, out=[0.0] * 3)


@pytest.mark.parametrize("power", [2, 2.0, np.int64(2), 3])
def test_powers_of_complex_numbers_have_numpys_zeros(power):
    parts = [0.0, -0.0, 1.5, -3.25]
    theirs = np.array([complex(re, im) for re in parts for im in parts])
    for repeats in (1, 100):
        ours, want = wf.asarray(np.tile(theirs, repeats)), np.tile(theirs, repeats) ** power
        for have in (ours**power, ours.__ipow__(power)):
            np.testing.assert_array_equal(np.asarray(have), want)
            np.testing.assert_array_equal(np.signbit(np.asarray(have).imag), np.signbit(want.imag))


@pytest.mark.parametrize("name", ["arctan2", "copysign", "heaviside", "hypot", "logaddexp", "nextafter"])
def test_functions_of_floats_take_the_smallest_float_that_holds_each_operand(name):
    whole = [np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
    for a in whole:
        for b in whole:
            want = getattr(np, name)(np.ones(2, a), np.ones(2, b)).dtype
            got = getattr(wf, name)(wf.ones(2, dtype=a), wf.ones(2, dtype=b)).dtype
            assert got == want, (a, b)
