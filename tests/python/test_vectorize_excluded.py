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
    np.testing.assert_array_equal(np.asarray(wf.vectorize(lambda v, m: m[int(v) - 1], excluded={1})(x, m[0])), [1, 2])
    for call, message in [
        (lambda: f(x, np.ones((20, 20))), "an excluded argument, an array of 400 elements, cannot be compiled: give at most 256"),
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


@pytest.mark.parametrize(("options", "message"), [
    ({"excluded": 3}, "excluded is a set of places and names of arguments, as .*: got 3"),
    ({"excluded": {"nope"}}, "excluded has arguments of shifted, which takes v, by, mode: got 'nope'"),
    ({"excluded": {7}}, "excluded has arguments of shifted, which takes v, by, mode: got 7"),
    ({"excluded": {-1}}, "excluded has places of arguments, from 0 on, and their names: got -1"),
    ({"excluded": [[1]]}, r"excluded has places of arguments, from 0 on, and their names: got \[1\]"),
    ({"otypes": 3}, "otypes is a list of dtypes, as .*: got 3"),
    ({"otypes": ["zz"]}, "vectorize: otypes: dtype: there is no such data type, as 'float32' is one: got 'zz'"),
    ({"otypes": "fZ"}, "vectorize: otypes: dtype: there is no such data type, as 'float32' is one: got 'Z'"),
    ({"otypes": [object]}, "vectorize: otypes: dtype: arrays hold bool, integers"),
    ({"signature": 3}, "signature is a text: got int"),
    ({"signature": "(n)"}, r"signature names the last axes of each argument and each result, as .*: got '\(n\)'"),
    ({"signature": "(n->()"}, "signature names the last axes"),
    ({"signature": "(n+1)->()"}, "signature names the last axes"),
])
def test_options_are_looked_at_where_they_are_given(options, message):
    def shifted(v, by, mode=None):
        return v + by

    with pytest.raises((TypeError, ValueError, wf.Error), match="^vectorize: " + message.removeprefix("vectorize: ")):
        wf.vectorize(shifted, **options)


def test_any_place_and_name_may_be_excluded_where_a_function_takes_any():
    assert wf.vectorize(lambda v, *rest, **named: v * 2, excluded={3, "any"}, fallback=True)(wf.ones(2)).tolist() == [2, 2]


def test_functions_of_arrays_are_refused():
    doubled = wf.elementwise("r = 2 * x", "T x", "T r", "doubled")
    total = wf.reduction("x", "a + b", "y = a", 0, "T x", "T y", "total")
    for f, message in [
        (doubled, "got doubled: elementwise.. made it, and it takes arrays: call it as it is"),
        (total, "got total: reduction.. made it"),
        (wf.compile(twice), "got twice: compile.. made it, and it takes arrays: pass the function that it was made of"),
    ]:
        with pytest.raises(TypeError, match="vectorize: takes a function of numbers: " + message):
            wf.vectorize(f)
    assert wf.vectorize(total, signature="(n)->()")(wf.ones((2, 3))).tolist() == [3, 3]  # rows are arrays


def test_arguments_that_are_no_numbers_are_named():
    for axis, kind in (("x", "str"), (1.5, "float"), (None, "NoneType"), (True, "bool")):
        with pytest.raises(TypeError, match=f"index: the axis is an integer: got {kind}"):
            wf.index(axis)
    with pytest.raises(TypeError, match="twice: argument 0: asarray: takes .*got str"):
        wf.vectorize(twice)("a")
    with pytest.raises(TypeError, match="twice: argument axis: asarray: takes .*got str"):
        wf.vectorize(twice)(wf.ones(3), axis="x")
    with pytest.raises(TypeError, match="fromfunction: a shape is an integer or a sequence of integers: got float"):
        wf.fromfunction(twice, 3.5)
    with pytest.raises(TypeError, match="fromfunction: takes a function: got int"):
        wf.fromfunction(3, (3,))


def twice(v):
    return v * 2
