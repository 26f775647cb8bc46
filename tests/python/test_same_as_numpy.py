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
        assert isinstance(have, type(want).__mro__[1] if type(want).__module__.startswith("numpy") else type(want)), (want, have)
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
