"""Calls beside NumPy's: the same value, dtype, shape and kind of result, or a refusal from both."""

import decimal
import fractions
import warnings

import numpy as np
import pytest
import weft as wf
from test_same_as_numpy import check


@pytest.mark.parametrize("expression", [
    "[[int(v) for v in t] for t in np.broadcast(a, m[:, :1])]", "np.broadcast(a, m[:, :1]).shape", "np.broadcast(a, 3).size", "x = np.broadcast(a, a); next(x); x = x.index", "list(np.broadcast(a[:0], 1))",
    "[int(v) for v in np.broadcast(a, m[:, :1]).iters[1]]", "np.broadcast(a, m)", "x = np.broadcast(a, 1); next(x); x.reset(); x = [int(v) for v in next(x)]",
    "np.eye(5, -1)", "np.eye(-1)", "np.eye(True)", "np.eye(2, True)", "np.linspace(0, 5e-324 * 5, 10, endpoint=False)", "np.linspace(0, -5e-324 * 5, 11)", "np.linspace(0, 1, 5, endpoint=0)", "np.linspace(0, 1, 5, endpoint=[1])",
    "np.linspace(0, -1, 5)", "np.linspace(0, 1, 2.0)", "np.arange(0., -3, -1)", "np.sum(f[:0], initial=None)", "np.sum(f[:0], initial=-0.0)", "1 / np.sum(f[:0], initial=-0.0)", "1 / np.sum(f, initial=-0.0, where=False)",
    "np.sum(t[:0], axis=0, initial=None)", "np.sum(t[:0], axis=1, initial=None)", "np.prod(f[:0], initial=None)", "np.sum(f, initial=None)", "np.sum(f, where=b, initial=None)", "np.sum(a, initial=[2, 3])", "np.max(a, initial=[2, 3])",
    "np.sum(a, initial=np.asarray([2]))", "np.sum(a, initial=float('nan'))", "np.sum(a, initial=2.7)", "np.sum(u, initial=-1)", "np.max(i, initial=300)", "np.sum(a, initial=1j)", "np.add.reduce(a, initial=True)", "np.add.reduce(a, initial=None)",
    "np.add.reduce(a[:0], initial=None)", "np.nanmax(f, initial=float('nan'))", "np.nanmin(np.asarray([np.nan]), initial=5)", "np.nanmax(np.asarray([np.nan, 2]), initial=1)", "np.nanmax(np.asarray([np.nan]), initial=float('nan'))", "np.nansum(f, initial=None)",
    "np.var(f, ddof=1, correction=0)", "np.var(f, ddof=1, correction=1)", "np.var(f, ddof=0, correction=1)", "np.std(f, ddof=float('nan'))", "np.var(m, axis=0, ddof=float('nan'))", "np.var(f, ddof='a')", "np.nanvar(f, ddof=1, correction=0)",
    "np.arange(start=4)", "np.arange(4, stop=None)", "np.arange(stop=4)", "np.arange(start=1, stop=4)", "np.arange(0, 5, float('inf'))", "np.arange(0, -5, float('inf'))", "np.arange(5, 0, float('inf'))", "np.arange(None, 5)",
    "np.repeat(a, float('nan'))", "np.repeat(a, True)", "np.resize(a, (2, 2))", "np.resize(a, True)", "np.resize(a, {2})", "np.zeros({1, 2})", "np.zeros(True)", "np.zeros((True, 2))", "np.zeros({1: 2})", "np.ones(iter([1]))", "np.full('ab', 1)",
    "np.sum(m, axis=True)", "np.sum(m, axis=[0])", "np.sum(m, axis={0})", "np.mean(m, axis=(True,))", "np.any(m, axis=np.asarray([0]))", "np.max(m, keepdims=1.0)", "np.squeeze(m[None], [0])", "np.squeeze(m[None], (0,))", "np.flip(m, [0])",
    "np.flip(m, True)", "np.average(m, axis=True)", "np.take(m, 0, axis=True)", "np.split(a, [1.0])", "np.split(a, 1.0)", "np.split(a, 2.0)", "np.array_split(a, [1, True])", "np.hsplit(m, (1.0,))", "np.select(b[None], a[None])",
    "np.select(np.asarray([[True, False], [False, True]]), m, 9)", "np.select([b], a[None])", "x = m * 1; np.fill_diagonal(x, [7, 8, 9])", "x = m * 1; np.fill_diagonal(x, t)", "x = m * 1; np.fill_diagonal(x, float('nan'))",
    "np.cross(m[0], m[1])", "np.cross(m, [1, 2])", "np.cross([1, 2], [3, 4, 5])", "np.cross(a, m[0])", "np.cross(t[..., :2], t[0, 0, 1:], axisa=-1)", "np.cross(u[:2], u[1:])", "np.cross(a, t)", "np.cross(a, a, axis=(0,))",
    "np.reshape(t, -3)", "t.reshape(-3)", "t.reshape(4, -9)", "t.reshape((-2, -3))", "np.reshape(t, (-7, 4), order='F')", "np.reshape(t, 24, copy='a')", "x = np.zeros((2, 2), int); np.matmul(m, m, x)", "np.matmul(m, m, None)",
    "np.matmul.nin, np.vecdot.nargs, np.matvec.signature, np.vecmat.nout", "np.matmul.reduce(m)", "np.matmul.at(m, 0, 1)", "np.fmax.signature", "np.add.signature", "x = a * 4; np.gcd.at(x, [0, 0], 2)", "x = f * 1; np.spacing.at(x, [0])",
    *(f"x = {array} * 1; np.{call}" for array in ("a", "f", "u") for call in (
        "putmask(x, b, 2.5)", "putmask(x, b, N.float64(2.5))", "putmask(x, b, N.int64(300))", "putmask(x, b, [2.5])", "putmask(x, b, f)", "putmask(x, b, a)", "place(x, b, 2.5)", "place(x, b, N.float32(2))", "place(x, b, f)",
        "place(x, b, a)", "put(x, [0], N.float64(2.5))", "copyto(x, N.float64(2.5))", "copyto(x, 2.5)", "copyto(x, 1, casting='foo')", "copyto(x, 1, where=a)", "copyto(x, 9, where=[1, 0, 1])")),
    "np.extract([True], a)", "np.extract([0, 2], a)", "np.extract([False] * 5, a)", "np.extract([True] * 5, a)", "np.tensordot(m, m, N.int8(1))", "np.tensordot(m, m, -1)", "x = np.zeros((3, 3)); np.outer(2, a, x)",
    "np.diag_indices(-2)", "np.diagonal(m, -0.0)", "np.vecdot(m, m, keepdims=1)", "np.vecdot(m, m, axis=1.0)", "np.broadcast_shapes((1.0,), 3)", "np.broadcast_shapes(N.int64(2), (3, 1))", "np.array([1, 2], copy=0)", "np.array([1, 2], copy=a)",
    "np.piecewise(f, [[True]], [1, 2])", "np.roll(a, {1})", "np.roll(m, 1, (True,))", "np.clip(f, a_min=0)", "np.clip(f, a_max=1)", "np.clip(f, a_min=0, a_max=None)", "np.einsum('ij->i', m, optimize=2)", "np.einsum('ij->i', m, optimize='greedy')",
    "np.add(f, 1, casting='foo')", "np.add(f, 1, subok=1)", "np.fmax(f, 1, subok=None)", "np.sum(f, dtype=f)", "f.astype(f)", "np.zeros(2, dtype=a)", "np.trapezoid(m, axis=True)", "np.diff(m, N.int8(1))", "np.diff(m, 1.0)", "np.rot90(m, 1.5)", "np.vstack({1, 2})", "np.hstack(iter([a, a]))", "np.column_stack({1, 2})", "np.zeros_like(a, subok=None)", "np.full_like(a, 1, subok=1.5)", "np.linspace(0, 1, 5, axis=None)",
    "np.linspace(0, 1, 5, axis=-1)", "np.choose([0, 1, 0], {1, 2})", "np.select([b], iter([a]))", "np.reshape(t, (5, -7))", "np.reshape(t, (-1, -1))", "t.reshape(-2, 0)", "np.ldexp(2, a)", "np.ldexp(2, 3)", "np.ldexp(2, a[0])", "np.ldexp(2.0, a)", "np.ldexp(u, a)", "np.argmax(m, axis=0, keepdims=1.5)", "np.argmin(m, keepdims=0.0)",
    "u[0] = a[2] * 100; x = u", "i[0] = a[2] * 100; x = i", "i[[0]] = a[2] * 100; x = i", "i[:] = a[2] * 100; x = i", "i[b] = a[2] * 100; x = i", "a[1] = f[1]; x = a", "a[1] = f[1] * np.nan; x = a", "a[0] = np.asarray(N.array([2**63 + 5], 'u8'))[0]",
    "np.copyto(i, a[2] * 100, casting='unsafe'); x = i", "f[0] = a[2] * 2**60; x = f", "u[0] = -a[0]; x = u",
    *(f"x = {array} * 1; x[1] = {value}" for array in ("a", "f", "b ^ True") for value in ("[2]", "(2,)", "a[:1]", "f[:1]", "m[:1, :1]", "a", "[[2]]", "2")), "x = m * 1; x[0, 1] = [2]", "x = m * 1; x[0][1] = [2]",
    "x = f * 1; x[1:2] = [2]", "x = f * 1; x[[1]] = [2]", "x = f * 1; x[N.int64(1)] = [2]", "x = f * 1; x.fill([2])", "x = f * 1; x.fill(a[:1])", "x = f * 1; x.fill(a[1])", "x = f * 1; x.fill(2)",
    *(f"np.full{like}, {value}, dtype='{dtype}')" for like in ("(2", "_like(a") for dtype in ("u1", "i8", "f4", "?") for value in ("N.int64(300)", "N.int64(-1)", "N.uint64(2**63 + 5)", "300" if dtype != "u1" else "255", "N.float32(2.5)", "a[2]", "a[2] * -100", "f[0]", "N.bool(True)")),
    "np.full((), N.int16(300), 'u1')", "np.full((2, 3), a * 100, 'u1')", "np.full(2, N.int64(3))", "np.full_like(u, 300)",
    *(f"x = {array} * 1; np.copyto(x, {value}, casting='{casting}')" for array in ("a", "f", "f.astype('f4')", "u", "z") for value in ("3", "2.5", "True", "1j", "z[0]", "N.uint64(2**63 + 5)", "N.float32(2)", "f[0]", "None", "'3'") for casting in ("no", "equiv", "safe", "same_kind")),
    *(f"x = {array} * 1; np.copyto(x, {value}, casting='unsafe'{where})" for array in ("a", "f", "u", "z") for value in ("z[0]", "1j + 3", "N.complex64(3 + 1j)", "a[2]", "N.int64(300)") for where in ("", ", where=[True]")),
    *(f"np.{compare}({pair})" for compare in ("equal", "not_equal") for pair in ("f, None", "None, a", "f, ...", "f, {1}", "{}, f", "f, slice(1)", "f, 'a'", "b'a', f", "f, object", "f[0], None", "f[:0], None", "f, None, where=[True, False, True], out=np.ones(3, '?')")),
    *(f"{x} {compare} {value}" for compare in ("==", "!=") for x in ("f", "m", "f[0]", "f[:0]") for value in ("{1}", "{}", "frozenset()", "slice(1)", "N.datetime64('2020-01-01')", "N.asarray(['a'])", "N.array([None])", "N.str_('a')")),
    "f < {1}", "f >= slice(1)", "f < N.datetime64('2020-01-01')",
    "np.linalg.cross(a, a[::-1])", "np.linalg.cross(m, m)", "np.linalg.cross(a, m[0])", "np.linalg.cross(m[0], a)", "np.linalg.cross(t[:, :, :3], a)", "np.linalg.cross(t, t, axis=1)", "np.linalg.cross(t, t, axis=3)", "np.linalg.cross(t, t)",
    *(f"np.{window}({count})" for window in ("hanning", "hamming", "blackman", "bartlett") for count in ("N.int64(4)", "N.uint8(3)", "N.float64(4)", "N.asarray(4)", "a[2]", "f[1]", "a")), "np.kaiser(N.int64(4), 2)",
    *(f"x = np.zeros({shape}, '{dtype}'); np.einsum('{axes}', {given}, out=x)" for dtype in ("i8", "f8", "c16") for shape, axes, given in (("()", "i->", "u * 1"), ("(3, 3)", "i,j->ij", "u, u"), ("()", "i,i", "u, u"), ("()", "i->", "b"), ("()", "i,i", "i, u"), ("3", "i,i->i", "u, i"))),
    "x = np.zeros((), 'u1'); np.einsum('i,i', a, a, out=x)", "x = np.zeros((), 'u1'); np.einsum('i,i', u, u, out=x, casting='unsafe')", "x = np.zeros((), 'i8'); np.einsum('i,i', u, u, out=x, dtype='u1', casting='unsafe')",
    "np.ldexp(2.5, 1, out=np.zeros((), 'u2'), casting='unsafe')", "np.ldexp(f, 2, out=np.zeros(3, 'i4'), casting='unsafe', where=[True, False, True])", "np.ldexp(f.astype('f4'), 2, dtype='f8')", "np.ldexp(2, a, out=np.zeros(3, 'u1'), casting='unsafe', dtype='f4')",
])  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_values_and_refusals_are_numpys(expression, monkeypatch):
    if SINCE_25 and expression in CHANGED_25:
        pytest.skip("Weft takes what NumPy 2.4 takes")
    import test_same_as_numpy

    outcome = test_same_as_numpy.outcome
    monkeypatch.setattr(test_same_as_numpy, "outcome", lambda lib, text: outcome(lib, text.replace("N.", "__import__('numpy').")))
    check(expression)


SINCE_25 = np.lib.NumpyVersion(np.__version__) >= "2.5.0"
# NumPy 2.5 has no products of vectors in the plane, and other turns by fractions of quarters.
CHANGED_25 = {
    "np.cross(m[0], m[1])", "np.cross(m, [1, 2])", "np.cross([1, 2], [3, 4, 5])", "np.cross(a, m[0])", "np.cross(t[..., :2], t[0, 0, 1:], axisa=-1)", "np.cross(u[:2], u[1:])",
    "np.rot90(m, 1.5)",
}  # fmt: skip


def both(f):
    results = []
    for lib in (np, wf):
        try:
            results.append(f(lib.asarray([0.5, 1.0, 2.0])))
        except TypeError:
            results.append("TypeError")
    return results


@pytest.mark.parametrize("number", [fractions.Fraction(1, 2), decimal.Decimal("0.5"), decimal.Decimal(1), fractions.Fraction(10**30)])
@pytest.mark.parametrize("compare", [
    lambda x, n: x == n, lambda x, n: n == x, lambda x, n: x != n, lambda x, n: x < n, lambda x, n: n < x, lambda x, n: x >= n, lambda x, n: x[0] == n, lambda x, n: x[:0] == n, lambda x, n: x.sum() > n,
])  # fmt: skip
def test_fractions_and_decimals_are_compared_element_by_element(number, compare):
    want, have = both(lambda x: compare(x, number))
    assert np.asarray(have).dtype == bool and np.shape(have) == np.shape(want)
    np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize("add", [lambda x: b"ab" + x, lambda x: x + b"ab", lambda x: x.__radd__(b"ab"), lambda x: x + "ab", lambda x: "ab" + x])
def test_text_and_bytes_are_not_joined_with_an_arrays_memory(add):
    assert both(add) == ["TypeError", "TypeError"]


def test_counts_in_numpys_integers_do_not_wrap():
    x = wf.asarray([1, 2, 3])
    for dtype in (np.uint8, np.uint32, np.int8):
        one, large = dtype(1), dtype(100)
        assert wf.resize(x, one).tolist() == [1] and wf.resize(x, (large, large)).shape == (100, 100)
        assert wf.eye(3, 3, one).tolist() == np.eye(3, 3, 1).tolist() and wf.diag(x, one).shape == (4, 4)
        assert wf.tri(3, 4, one).tolist() == np.tri(3, 4, 1).tolist() and wf.tril(wf.ones((3, 3)), one).tolist() == np.tril(np.ones((3, 3)), 1).tolist()
        assert wf.diagonal(wf.ones((3, 3)), one).shape == (2,) and wf.roll(x, one).tolist() == [3, 1, 2] and wf.rot90(wf.ones((2, 3)), one).shape == (3, 2)
        assert wf.moveaxis(wf.ones((2, 3)), dtype(0), one).shape == (3, 2) and wf.expand_dims(x, one).shape == (3, 1)
        assert wf.reshape(wf.zeros(10000), (large, large), order="F").shape == (100, 100) and wf.tile(x, (large, one)).shape == (100, 3)


def test_floor_divide_and_its_methods_agree_at_infinity(on_cpu):
    a = [np.inf, -np.inf, 1.0, -1.0, 0.0, np.nan, 7.0, -7.0, np.inf, 5e-324]
    for dtype in ("float64", "float32", "float16"):
        x, y = (wf.asarray(np.array(one, dtype)) for one in np.meshgrid(a, a))
        want = np.asarray(wf.floor_divide(x, y))
        for f in (wf.floor_divide, np.floor_divide):
            target = wf.copy(x)
            f.at(target, (slice(None), slice(None)), y)
            np.testing.assert_array_equal(target, want)
            pairs = wf.stack([x, y])
            np.testing.assert_array_equal(f.reduce(pairs, axis=0), want)
            np.testing.assert_array_equal(f.accumulate(pairs, axis=0)[1], want)
            np.testing.assert_array_equal(np.signbit(f.reduce(pairs, axis=0)), np.signbit(want))
    whole = wf.asarray([7, -7, 7])
    wf.floor_divide.at(whole, [0, 0, 1], 2)
    assert whole.tolist() == [1, -4, 7]
    with pytest.raises(TypeError):
        wf.floor_divide.at(whole, [0], 2.5)


# Calls that are right, each argument of which is replaced by what is not, or by what only looks so.
CALLS = {
    "sum": "m, axis=0, dtype='f8', keepdims=True, initial=1, where=[True, False]", "max": "m, axis=0, keepdims=True, initial=1", "mean": "m, axis=0, keepdims=True", "any": "m, axis=0, keepdims=True",
    "cumsum": "m, axis=0", "count_nonzero": "m, axis=0", "zeros": "(2, 3), order='C'", "full": "(2, 3), 7, order='C'", "eye": "3, 4, 1", "tri": "3, 4, 1", "tril": "m, 1", "identity": "3", "diag": "a, 1", "trace": "m, 0, 0, 1",
    "diagonal": "t, 0, 0, 1", "reshape": "t, (6, 4), copy=True", "transpose": "t, (2, 0, 1)", "swapaxes": "t, 0, 1", "moveaxis": "t, 0, 1", "rollaxis": "t, 2, 1", "squeeze": "t[:1], axis=0", "flip": "t, axis=0", "rot90": "m, 1, (0, 1)",
    "roll": "m, 1, axis=0", "tile": "m, 2", "repeat": "m, 2, axis=0", "concatenate": "[m, m], axis=0, casting='safe'", "stack": "[a, a], axis=0", "split": "a, 3", "array_split": "a, 2, axis=0", "broadcast_to": "a, (2, 3)",
    "broadcast_shapes": "(2, 1), (3,)", "resize": "a, (2, 2)", "take": "m, [0, 1], axis=0", "compress": "[True, False], m, axis=0", "diff": "m, 1, axis=0", "cross": "a, a, axisa=0, axisb=0, axisc=0", "add": "f, f, casting='safe', subok=True",
    "fmax": "f, f, casting='safe', subok=True", "nan_to_num": "f, copy=True", "linspace": "0, 1, 5", "resize": "a, (2, 2)", "expand_dims": "m, 0", "searchsorted": "a, 2, side='left'", "sort": "m, axis=0", "argsort": "m, axis=0",
    "unstack": "m, axis=0", "var": "m, axis=0, keepdims=True", "tensordot": "m, m, 1", "vecdot": "m, m, axis=-1, keepdims=False", "diag_indices": "3, 2", "apply_over_axes": "np.sum, t, [0, 1]", "triu": "m, k=0", "argmax": "m, axis=0",
}  # fmt: skip
INSTEAD = [
    "None", "True", "False", "0", "1", "-1", "-3", "7", "1.0", "1.5", "float('nan')", "float('inf')", "1j", "'a'", "b'x'", "'C'", "()", "[]", "(0,)", "(0, 1)", "[1, 0]", "(1.0,)", "(True,)", "{1, 2}", "{1: 2}", "object()", "slice(1)",
    "2 ** 70", "N.int8(1)", "N.uint32(1)", "N.float64(1.5)", "N.complex64(1)", "np.asarray(1)", "np.asarray(1.0)", "np.asarray([1])", "np.asarray([1.0, 2.0])", "np.asarray([True, False, True])", "np.zeros((2, 0))", "np.asarray(2)[()]", "range(2)",
]  # fmt: skip
# Where the two differ, by function and argument, or by what is given there: what holds objects, text or integers of more than 64 bits,
# which Weft has none of, is left out everywhere.
DIFFERENT = {
    ("stack", 0, "{1: 2}"): "dicts are no sequences", ("unstack", 0): "NumPy asks lists for an array's attributes", ("split", 0): "so it does", ("unstack", "axis", "(0,)"): "an axis is one integer", ("unstack", "axis", "(True,)"): "so it is", ("unstack", "axis", "{1: 2}"): "so it is",
    ("unstack", "axis", "np.asarray([1])"): "so it is", ("tile", 1): "counts are integers", ("tri", 0): "so they are", ("tri", 1): "so they are", ("tri", 2): "diagonals are integers of any size", ("tril", 1): "so they are",
    ("triu", "k"): "so they are", ("eye", 2): "so they are", ("trace", 1, "2 ** 70"): "so they are", ("diagonal", 1, "2 ** 70"): "so they are", ("linspace", 0): "objects", ("linspace", 1): "objects", ("diag_indices", 0): "extents are integers", ("diag_indices", 1): "counts are integers",
    ("roll", 1): "shifts are integers", ("rot90", 1): "quarters are integers", ("take", 1): "positions are integers", ("searchsorted", 1): "objects are not searched for", ("reshape", 1, "None"): "a shape is given",
    ("tensordot", 2, "N.uint32(1)"): "NumPy's -1 of it goes around", ("diff", 1, "2 ** 70"): "which NumPy never ends", ("sum", "dtype", "np.asarray(2)[()]"): "a value is an array", ("resize", 1, "np.asarray(1)"): "a shape is an integer",
    ("repeat", 1, "N.complex64(1)"): "complex numbers are not cut", ("sum", "initial", "N.complex64(1)"): "so they are", ("max", "initial", "N.complex64(1)"): "so they are",
}  # fmt: skip

if SINCE_25:
    DIFFERENT |= {("cross", place): "products in the plane" for place in (0, 1)}


def variants(name):
    """The call with each argument replaced in turn, and which one it is."""
    import ast

    call = ast.parse(f"f({CALLS[name]})", mode="eval").body
    texts = [ast.unparse(one) for one in call.args] + [f"{one.arg}={ast.unparse(one.value)}" for one in call.keywords]
    positional = len(call.args)
    for i, text in enumerate(texts):
        place = i if i < positional else text.split("=")[0]
        for instead in INSTEAD:
            # Other keywords are left out, so that one thing is wrong at a time.
            given = [*texts[:positional]] if i >= positional else [*texts[:i], *texts[i + 1 : positional]]
            given.insert(i, f"{place}={instead}" if i >= positional else instead)
            yield place, instead, f"np.{name}({', '.join(given)})"


def outcome(lib, text):
    names = {
        "np": lib, "N": np, "a": lib.asarray([1, 2, 3]), "m": lib.asarray([[1, 2], [3, 4]]), "f": lib.asarray([0.5, 1.5, -2.5]),
        "t": lib.asarray(np.arange(24).reshape(2, 3, 4)),
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return eval(text, names)
        except Exception as error:
            return error


def of_numbers(x):
    """Whether NumPy's answer is one that arrays of Weft can hold."""
    if isinstance(x, (list, tuple)):
        return all(map(of_numbers, x))
    return not isinstance(x, (np.ndarray, np.generic)) or x.dtype.kind in "biufc"


def alike(want, have):
    if isinstance(want, (list, tuple)):
        return len(want) == len(have) and all(map(alike, want, have))
    if not isinstance(want, (np.ndarray, np.generic)):
        return want == have
    is_value = not isinstance(have, wf.Array) or not have.flags.writeable
    if want.ndim == 0 and isinstance(want, np.generic) and not is_value:
        return False
    return (have.dtype, have.shape) == (want.dtype, want.shape) and np.allclose(have, want, equal_nan=True)


@pytest.mark.parametrize("name", CALLS)
def test_each_argument_replaced_is_taken_or_refused_as_by_numpy(on_cpu, name):
    wrong = []
    for place, instead, text in variants(name):
        if (name, place) in DIFFERENT or (name, place, instead) in DIFFERENT:
            continue
        want, have = outcome(np, text), outcome(wf, text)
        if isinstance(want, Exception) != isinstance(have, Exception):
            if not of_numbers(want) or "bools, integers, floats of at most 64 bits" in str(have):
                continue
            wrong.append((text, want, have))
        elif not isinstance(want, Exception) and not alike(want, have):
            wrong.append((text, want, have))
    assert not wrong, "\n".join(f"{text}: NumPy {want!r:.60}, Weft {have!r:.90}" for text, want, have in wrong)
