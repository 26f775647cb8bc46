"""Arguments that vectorize() excludes, and values from outside: what a text is made for, and when it is made anew."""

import math

import numpy as np
import pytest
import weft as wf


def horner(x, coefficients):
    s = 0.0
    for a in coefficients:
        s = s * x + a
    return s


@pytest.mark.parametrize("by_name", [False, True])
def test_excluded_lists_and_arrays(by_name):
    x = np.array([1.0, 2.0, 3.0])
    f = wf.vectorize(horner, excluded={"coefficients"} if by_name else {1})
    numpys = np.vectorize(horner, excluded=f.excluded)
    for given in ([1, 2, 3], (1, 2, 3), np.array([1.0, 2.0, 3.0]), np.array([4, 5], "i2"), [], [0.5], wf.asarray([1.0, 4.0])):
        rest = ((), {"coefficients": given}) if by_name else ((given,), {})
        theirs = numpys(x, **{k: np.asarray(v) for k, v in rest[1].items()}) if by_name else numpys(x, np.asarray(given))
        np.testing.assert_array_equal(np.asarray(f(wf.asarray(x), *rest[0], **rest[1])), theirs)


def test_an_excluded_argument_may_change():
    x, f = wf.asarray([1.0, 2.0]), wf.vectorize(horner, excluded={1})
    table = [1.0, 2.0]
    np.testing.assert_array_equal(np.asarray(f(x, table)), [3, 4])
    table[0] = 5.0
    np.testing.assert_array_equal(np.asarray(f(x, table)), [7, 12])
    for k in range(20):  # in the place of each other
        np.testing.assert_array_equal(np.asarray(f(x, tuple([float(k), 1.0]))), [k + 1, 2 * k + 1])
    shift = wf.vectorize(lambda v, by: v + by, excluded={1})
    assert str(shift(wf.ones(1, dtype="int32"), (1,)[0]).dtype) == "int32" and str(shift(wf.ones(1, dtype="int32"), 1.0).dtype) == "float64"


def test_excluded_matrices_and_slices():
    x = wf.asarray([1.0, 2.0])
    m = np.array([[1.0, 2.0], [3.0, 4.0]])
    f = wf.vectorize(lambda v, m: v * m[0, 1] + m[1][0] + len(m) + m.shape[1] + sum(m[1][::-1]) + (v in m[0]), excluded={1})
    np.testing.assert_array_equal(np.asarray(f(x, m)), [1 * 2 + 3 + 2 + 2 + 7 + 1, 2 * 2 + 3 + 2 + 2 + 7 + 1])
    with pytest.raises(wf.Error, match="[+] of an array cannot be compiled"):  # which adds elements, and no list does
        wf.vectorize(lambda v, m: (m + m)[0] * v, excluded={1})(x, m[0])
    np.testing.assert_array_equal(np.asarray(wf.vectorize(lambda v, m: (m + m)[3] * v, excluded={1})(x, [1, 2])), [2, 4])
    for call, message in [
        (lambda: f(x, np.ones((20, 20))), "an excluded array of 400 elements cannot be compiled: give at most 256"),
        (lambda: wf.vectorize(lambda v, m: m[int(v)], excluded={1})(x, m[0]), "an element of an array at a place that is computed cannot be compiled: .*table.positions"),
        (lambda: wf.vectorize(lambda v, m: v * m["a"], excluded={1})(x, {"a": 1}), "an excluded argument, which is a dict, cannot be compiled"),
    ]:
        with pytest.raises(wf.Error, match=message):
            call()


def test_compares_with_none_and_text():
    def shifted(x, by=None, mode="plain"):
        if mode == "twice":
            x = x * 2
        return x if by is None else x + by

    x, f = wf.asarray([1.0, 2.0]), wf.vectorize(shifted, excluded={"mode"})
    assert [f(x).tolist(), f(x, 1).tolist(), f(x, mode="twice").tolist(), f(x, x, mode="once").tolist()] == [[1, 2], [2, 3], [2, 4], [2, 4]]


def test_names_from_outside_are_told_by_their_types_and_signs():
    space = {"scale": 0.0, "pair": (1, 2), "math": math}
    import linecache

    text = "def f(x):\n    return math.copysign(1.0, scale) + x * pair[0]\ndef g(x):\n    return x * pair[0]\n"
    linecache.cache["<outside>"] = (len(text), None, text.splitlines(True), "<outside>")
    exec(compile(text, "<outside>", "exec"), space)  # noqa: S102
    f, g, x = wf.vectorize(space["f"]), wf.vectorize(space["g"]), wf.asarray([1], dtype="int32")
    assert f(x).item() == 2 and str(g(x).dtype) == "int32"
    space["scale"], space["pair"] = -0.0, (1.0, 2.0)
    assert f(x).item() == 0 and str(g(x).dtype) == "float64"
