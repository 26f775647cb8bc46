"""Expressions that give NumPy's values, dtype and shape, or raise what NumPy raises."""

import array
import warnings

import numpy as np
import pytest
import weft as wf


def outcome(lib, expression):
    scope = {
        "np": lib,
        "array": array,
        "a": lib.asarray([1, 2, 3]),
        "m": lib.asarray([[1, 2], [3, 4]]),
        "f": lib.asarray([0.5, 1.5, -2.5]),
        "z": lib.asarray([1 + 2j, 3 - 1j]),
        "u": lib.asarray(np.array([1, 2, 200], "u1")),
        "i": lib.asarray(np.array([100, -2, 3], "i1")),
        "b": lib.asarray([True, False, True]),
        "lut": lib.asarray(np.arange(256) ** 2),
        "image": lib.asarray(np.array([[0, 255], [7, 128]], "u1")),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if "\n" in expression or "] = " in expression or "; " in expression:
                exec(expression, scope)
                return scope["x"]
            return eval(expression, scope)
        except Exception as error:
            return error


def check(expression):
    want, have = outcome(np, expression), outcome(wf, expression)
    if isinstance(want, Exception):
        # Which of the two NumPy raises for a wrong dtype differs from function to function.
        builtin = next(one for one in type(want).__mro__ if one.__module__ == "builtins")
        assert isinstance(have, (TypeError, ValueError) if builtin in (TypeError, ValueError) else builtin), (want, have)
        return
    assert not isinstance(have, Exception), have
    if isinstance(want, (np.ndarray, np.generic)):
        assert (have.dtype, have.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(np.asarray(have), want, rtol=1e-3 if want.dtype.itemsize == 2 else 1e-6)
    else:
        assert want == have


@pytest.mark.parametrize("expression", [
    "z.conj()", "z.conjugate()", "np.conj(z)", "f.conj()",
    "a.compress([True, False, True])", "np.compress([0, 1], m, 1)", "m.compress([False, True], axis=0)", "np.compress([[True]], a)",
    "np.take(a, 1)", "a.take(0)", "m.take(1, axis=0)", "np.take(a, [1])", "np.take(m, [[0, 3]])", "np.take(m, -1, 1)",
    "lut[image]", "lut.take(image)", "np.take(lut, image, mode='wrap')", "lut[i]",
    "np.arange(300).take(i, mode='wrap')", "np.arange(300).take(i, mode='clip')", "np.arange(1000)[i]", "np.arange(200)[u]", "x = np.zeros(300); x[u] = 7", "m[:, i[1:2] + 2]",
])  # fmt: skip
def test_methods_and_positions(expression):
    check(expression)


@pytest.mark.parametrize("expression", [
    "u[[0, 1]] = 300", "u[:] = [300, -1, 2]", "u[0] = -1", "u[b] = [300, -1]", "u[b] = 300", "a[[0]] = 2**63", "a[0] = 2**63",
    "u[[0, 1]] = np.asarray([300, 2]); x = u", "u[b] = range(2); x = u", "i[:] = range(200, 203)", "f[:] = [1j, 2, 3]", "u[[0]] = float('nan')", "f[[0]] = 300; x = f",
])  # fmt: skip
def test_numbers_that_are_stored_fit(expression):
    check(expression)


@pytest.mark.parametrize("expression", [
    "np.add(f, 0, out=a)", "np.multiply([300], 1, out=u[:1])", "x = np.zeros(3); np.add(a, 1, out=x)", "np.clip(f, 0, 1, out=a)", "np.round(f, 1, out=a)",
    "np.round(f, out=a)", "np.concatenate([f], out=a)", "np.dot(m, m, out=np.zeros((2, 2)))", "np.take(a, [0, 1, 2], out=f)", "np.argmax(m, 0, out=np.zeros(2))",
    "np.copyto(a, 1.9)", "np.copyto(u, -1)", "np.copyto(f, 1); x = f", "np.copyto(a, True); x = a",
    "x = np.zeros(2, 'f4'); np.sum(m, axis=0, out=x)", "np.concatenate([f, a], dtype=int)", "np.concatenate([a, u], dtype='u1')",
    "x = np.zeros((), 'u1'); np.sum(b, out=x)", "np.fmax(f, f, out=a)", "np.deg2rad(f, out=a)",
])  # fmt: skip
def test_out_keeps_the_kind(expression):
    check(expression)


@pytest.mark.parametrize("expression", [
    "np.greater([1, 2, 3], [.5, 2.5, 9], dtype=bool)", "np.greater(a, a, dtype=float)", "np.add(f, 1.5, dtype=int)", "np.add(a, 1.5, dtype=int)",
    "np.sqrt(a, dtype=int)", "np.divide(a, a, dtype=int)", "np.sqrt(a, dtype='f4')", "np.add(u, 1, dtype='u1')", "np.add(u, 300, dtype='u1')", "np.isnan(f, dtype=bool)",
    "np.add.reduce(u, dtype='u1')", "np.add.accumulate(u, dtype='u1')", "np.multiply.reduce(i, dtype='i1')", "np.add.reduce(u)", "np.add.reduce(m)", "np.add.reduce(m, None)",
    "np.maximum.reduce(m, 1)", "np.add.reduce(a, initial=10)", "np.add.reduce(f, where=[True, False, True])", "np.add.reduceat(a, [0, 2])", "np.bitwise_or.reduce(a)",
    "np.subtract.reduce(a)", "np.logical_xor.reduce(b)", "np.hypot.reduce(f)", "np.subtract.accumulate(a)", "np.bitwise_and.accumulate(a)", "np.logaddexp.reduce(f)",
    "np.add.nin", "np.add.nout", "np.add.identity", "np.multiply.identity", "np.maximum.identity", "np.sqrt.nin", "np.sqrt.nargs", "np.logical_or.identity",
    "x = np.zeros(3); np.add.at(x, [0, 0, 2], 1)", "np.sqrt.reduce(a)",
])  # fmt: skip
def test_methods_and_dtypes_of_elementwise_functions(expression):
    check(expression)


@pytest.mark.parametrize("expression", [
    "np.fmax(f.astype('f4'), 1.5)", "np.fmin(u, 3)", "np.fmax(f.astype('f2'), 0)", "np.fmod(f.astype('f4'), 2)", "np.fmod(u, 3)", "np.fmod(i, 3)", "np.fmod(i, -3)",
    "np.heaviside(f.astype('f4'), 0.5)", "np.heaviside(u, 1)", "np.logaddexp2(f.astype('f4'), 1.0)", "np.logaddexp2(u, 2)", "np.nanmax(a)", "np.nanmin(m, 0)", "np.nanmax(b)",
    "np.fmod(np.asarray(np.array([-2**31], 'i4')), 2.5)", "np.deg2rad(b)", "np.deg2rad(u)", "np.rad2deg(i)", "np.deg2rad(a)", "np.degrees(f.astype('f4'))",
    "np.mean(a, dtype=int)", "np.sum(a, initial=2.5)", "np.max(a, initial=10.5)", "np.prod(a, initial=2)", "np.sum(u, initial=1)",
    "np.average(a, weights=[1, 2, 3])", "np.vander(m)", "np.select([], [])", "np.einsum('ii', np.ones((2, 3)))", "np.einsum('ii->i', m)",
    "np.einsum('ij,ij', np.ones((2, 3)), np.ones((2, 3)))",
    "np.add(a, range(3))", "a + range(3)", "range(3) * a", "a + array.array('d', [1, 2, 3])", "np.where(b, range(3), a)", "x = np.zeros(3); x[:] = range(3)",
    "x = np.zeros(3); x[:] = array.array('i', [1, 2, 3])", "a + 'b'", "a + None",
])  # fmt: skip
def test_values_and_dtypes(expression):
    check(expression)


@pytest.mark.parametrize("expression", [
    "u / 256", "u / -1", "256 / u", "np.hypot(u, -1)", "np.hypot(u, 300)", "np.arctan2(u, -1)", "np.copysign(u, -1)", "np.hypot(a, 2**63)", "np.divide(i, 300)", "np.logaddexp(u, -1)",
    "np.logical_and(u, -1)", "np.logical_or(u, 300)", "u // 256", "u + 300", "np.maximum(u, -1)", "i == 300", "u > -1",
    "np.where(b, u, -1)", "np.where(b, u, 300)", "np.where(b, 300, i)", "np.where(b, u, 3)", "np.where(b, 300, 3)",
    "np.clip(u, -1, 300)", "np.clip(u, 3, 300)", "np.clip(u, -1, None)", "np.clip(i, -1000, 5)", "np.clip(u, 300, None)", "np.clip(u, None, -1)", "np.clip(f, -1, 300)",
])  # fmt: skip
def test_integers_that_the_dtype_does_not_hold(expression):
    check(expression)


@pytest.mark.parametrize("expression", [
    "m.T.flat[1]", "[int(v) for v in m.T.flat]", "m.flat = 7; x = m", "m.T.flat = [1, 2, 3]; x = m", "m.flat[1] = 9; x = m", "m.sum().flat[0]",
])  # fmt: skip
def test_flat(expression):
    check(expression)


def test_a_flat_copy_is_not_written():
    m = wf.asarray([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="read-only"):
        m.T.flat[0] = 5


def test_the_columns_of_a_stack_of_guarded_parts_are_reduced():
    a = (np.arange(40) * 7 % 11).astype("i4")
    parts = lambda m: m.stack([m.concatenate([[10**6], m.asarray(a)[:-1]]), m.asarray(a), m.concatenate([m.asarray(a)[1:], [10**6]])])  # noqa: E731
    assert parts(wf).argmin(0).tolist() == parts(np).argmin(0).tolist()
    wide = np.arange(3000) * 7 % 1001
    parts = lambda m: m.stack([m.concatenate([[10**6], m.asarray(wide)[:-1]]), m.asarray(wide), m.concatenate([m.asarray(wide)[1:], [10**6]])])  # noqa: E731
    np.testing.assert_array_equal(np.asarray(parts(wf).argmin(0)), parts(np).argmin(0))
