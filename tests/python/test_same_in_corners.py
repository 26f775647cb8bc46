"""Corners of NumPy's functions: complex order, integers beyond 64 bits, orders of memory, weights, padding, triangles, labels by number."""

import numpy as np
import pytest
import weft as wf
from test_same_as_numpy import check, same


@pytest.mark.parametrize("expression", [
    *(f"z {op} {other}" for op in ("<", "<=", ">", ">=") for other in ("z[::-1]", "1", "1j", "np.float32(3)", "np.complex64(1+2j)", "f[:2]", "a[:2]")),
    *(f"np.{f}(c, c.T)" for f in ("maximum", "minimum", "fmax", "fmin", "less", "greater_equal")), "np.clip(c, 0, 1)", "np.maximum(c.astype('c8'), 1)", "np.maximum(f[:2], z)",
    *(f"np.{f}(c{axis})" for f in ("max", "min", "argmax", "argmin") for axis in ("", ", axis=0", ", axis=1", ", axis=-1, keepdims=True")), "np.ptp(z)", "np.maximum.reduce(c)",
    "np.max(c[:0])", "np.argmin(c[:, :0])", "np.max(z, initial=9)", "np.min(c, axis=(0, 1))", "c[:, 1:].max()", "c[:, 1:].argmin(0)", "c.astype('c8').max(1)",
])  # fmt: skip
def test_complex_numbers_are_ordered(expression):
    check("x = (lambda c: " + expression + ")(np.array([[1 + 2j, 1 - 1j, 1 + 2j], [complex(0, np.nan), 3, -2j], [3, complex(np.nan, 1), 3 + 0j]])); x")


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i4", "u1", "bool"])
@pytest.mark.parametrize("values", ["r % 3", "r * 0", "-r", "(r > 4000)", "np.where(r == 3001, 99, r % 7)"])
def test_the_first_of_equals_is_the_largest(dtype, values):
    for name in ("argmax", "argmin"):
        for of in ("v", "v[::-1]", "v[5:]", "v[::3]", "np.roll(v, 7)", "np.concatenate([v[:70], v])", "v[:4000].reshape(40, 100)[:, ::-1]", "v[:4000].reshape(40, 100).T", "-v.astype('f4')"):
            check(f"r = np.arange(4099); v = ({values}).astype('{dtype}'); x = np.{name}({of})")
        if dtype[0] == "f":
            for special in ("np.full(300, -np.inf)", "np.full(300, np.inf)", "np.where(v[:300] == 1, np.nan, v[:300])", "np.where(v[:300] == 1, np.inf, -np.inf)", "np.where(np.arange(300) > 200, np.nan, -np.inf)"):
                check(f"r = np.arange(4099); v = ({values}).astype('{dtype}'); x = np.{name}(({special}).astype('{dtype}'))")


@pytest.mark.parametrize("expression", [
    "np.bincount(k, w)", "np.bincount(k, weights=w, minlength=9)", "np.bincount(k[::-2], w[::2])", "np.bincount(k.astype('u1'), w)", "np.bincount(k.astype('u8'), w)", "np.bincount(k, w.astype('f4'))",
    "np.bincount(k, k)", "np.bincount(k, w[:-1])", "np.bincount(-k, w)", "np.bincount(k[:0], w[:0])", "np.bincount(k[:0], w[:0], 3)", "np.bincount(k, np.broadcast_to(w[:1], k.shape))",
    "np.bincount(k, w, -1)", "np.bincount(k, list(w))", "np.bincount(k, w * np.inf)", "x = w.copy(); x += 1; np.bincount(k, x)", "np.bincount(w, w)", "np.bincount(k + 2**60, w)", "np.bincount(b, [1, 2, 3])",
])  # fmt: skip
def test_weights_are_added_in_their_order(expression):
    *before, last = expression.split("; ")
    check("; ".join(["k = np.arange(999) * 7 % 13", "w = np.sqrt(k + np.arange(999) / 7)", *before, f"x = {last}"]))


@pytest.mark.parametrize("number", [2**64, 2**70, -(2**63) - 1, -(2**70), 10**400])
def test_integers_beyond_64_bits(number):
    for expression in ("a < n", "a == n", "a != n", "n > a", "u >= n", "n <= u", "f < n", "f + n", "f * n", "n / f", "np.maximum(f, n)", "np.less(a, n)", "f.astype('f4') + n",
                       "a + n", "np.maximum(a, n)", "z + n", "x = f.copy(); x += n", "x = a.copy(); x += n"):
        check(f"n = {number}; " + (expression if ";" in expression else f"x = {expression}"))


@pytest.mark.parametrize("expression", [
    "m.T.ravel('K')", "m.T.ravel('A')", "m.T.flatten('K')", "t.transpose(1, 0, 2).ravel('K')", "t[:, ::-1].ravel('K')", "t[::2].ravel('K')", "t.swapaxes(0, 2).reshape(-1, order='A')",
    "m.T.reshape(1, 4, order='A')", "m.reshape(4, order='K')", "m.ravel('X')", "m.flatten('X')", "m.copy('X')", "np.broadcast_to(a, (2, 3)).ravel('K')", "t.ravel('F')",
])  # fmt: skip
def test_orders_of_memory(expression):
    check(expression)


@pytest.mark.parametrize("expression", [
    "np.average(m, axis=1, weights=[0, 0])", "np.average(a, weights=[1, -1, 0])", "np.average(m, axis=1, weights=[1, 2], returned=True)", "np.average(a, returned=True)",
    "np.average(f.astype('f4'), weights=[1, 2, 3], returned=True)", "np.average(f.astype('f4'), returned=True)", "np.average(m, axis=(0, 1), weights=m)", "np.average(a, weights=[1, 2])",
    "np.average(t, axis=(0, 1), weights=np.ones((2, 3)), returned=True)", "np.average(t, axis=(2, 0), weights=np.arange(1, 9).reshape(4, 2))", "np.average(t, weights=[1, 2])",
    "np.var(m, where=m > 1)", "np.std(m, axis=1, where=[True, False])", "np.var(f, mean=f.mean())", "np.std(m, axis=1, mean=m.mean(1, keepdims=True), ddof=1)",
    "np.var(f.astype('f4'), where=[True, True, False], keepdims=True)", "np.var(z, where=[True, True])", "np.var(f, where=False)", "np.std(f, where=[True, False, True], correction=1)",
    "np.max(u, initial=300)", "np.min(u, initial=-1)", "np.max(u, initial=3)", "np.max(f, initial=3)",
    "np.isclose(u[:1], u[2:], atol=2)", "np.isclose(a, a + 1, atol=1)", "np.allclose(u, u)", "np.isclose(f.astype('f4'), .5)", "np.isclose(b, b)", "np.isclose(z, z + 1e-9)",
])  # fmt: skip
def test_weights_means_and_closeness(expression):
    check(expression)


def test_weights_are_not_looked_at_while_a_function_is_recorded():
    f = wf.compile(lambda a, w: wf.average(a, weights=w))
    same(np.asarray(2.5), f(wf.asarray([1.0, 3.0]), wf.asarray([1.0, 3.0])))


@pytest.mark.parametrize("expression", [
    "np.pad(u, 1, constant_values=300)", "np.pad(m, {0: (1, 2)})", "np.pad(m, {-1: 1}, 'edge')", "np.pad(m, ((1, 2), (0, 1)), constant_values=((1, 2), (3, 4)))",
    "np.pad(m, 1, constant_values=(5, 6))", "np.pad(a, 1, constant_values=(1, 2, 3))", "np.pad(a, -1)", "np.pad(a, -1, 'edge')", "np.pad(a, 2, 'foo')", "np.pad(a[:0], 1, 'edge')",
    *(f"np.pad({x}, {width}, '{mode}')" for mode in ("edge", "reflect", "symmetric", "wrap", "linear_ramp") for x, width in (("a", "(2, 3)"), ("m", "((1, 0), (2, 5))"), ("t", "1"), ("a", "0"))),
    "np.pad(m, 1, 'reflect', reflect_type='odd')", "np.pad(m, 1, 'mean')", "np.pad(a, 1, 'edge', constant_values=1)", "np.pad(a, 1, lambda v, w, i, k: None)",
])  # fmt: skip
def test_padding(expression):
    check(expression)


@pytest.mark.parametrize("expression", [
    "x = np.diag(m); x[0] = 1", "x = np.diag(m); m[0, 0] = 9; x", "np.diag(m, 1)", "x = np.zeros((3, 2)); np.fill_diagonal(x, []); x", "np.tril(a)", "np.triu(a, 1)", "x = np.zeros((6, 2), int); np.fill_diagonal(x, [1, 2, 3], wrap=True)",
    "x = np.zeros((2, 2, 2), int); np.fill_diagonal(x, 5)", "x = np.zeros((4, 2)); np.fill_diagonal(x, 4)", "x = np.zeros((4, 2)); np.fill_diagonal(x, 4, wrap=True)",
    "x = np.zeros((7, 3)); np.fill_diagonal(x, [1, 2], wrap=True)", "x = np.zeros((3, 5)); np.fill_diagonal(x, [1, 2, 3, 4], wrap=True)", "np.fill_diagonal(t, 1)", "np.fill_diagonal(a, 1)",
    "np.einsum(m, [0, 1], m, [1, 2], [0, 2])", "np.einsum(m, [0, 1], m, [1, 2])", "np.einsum(m, [1, 0])", "np.einsum(m, [0, 0])", "np.einsum(m, [0, 1], [])",
    "np.einsum(t, [0, Ellipsis], [Ellipsis])", "np.einsum(t, [Ellipsis, 0], [0, Ellipsis])", "np.einsum(m, [0, 60])", "np.einsum(m)", "np.einsum(3, m)",
])  # fmt: skip
def test_triangles_diagonals_and_labels_by_number(expression):
    check(expression)


def test_a_list_is_shuffled_in_place():
    cards = list("abcdefgh")
    before = cards
    wf.random.default_rng(3).shuffle(cards)
    assert before is cards and sorted(cards) == list("abcdefgh") and cards != list("abcdefgh")


@pytest.mark.parametrize("expression", [
    "np.eye(np.uint64(2), dtype=int)", "np.eye(np.uint8(2), np.uint64(3), np.int8(-1))", "np.tri(np.uint64(3))", "np.tri(-1)", "np.eye(2.5)",
    "np.nan_to_num(np.array([np.nan, np.inf, -np.inf]), nan=np.inf, posinf=999)", "np.nan_to_num(np.array([np.nan, np.inf]), nan=-np.inf, neginf=3)",
    "np.concatenate([np.float32(1), 1.], axis=None)", "np.concatenate([np.array([1], 'i1'), 1, 2.5], axis=None)", "np.choose(1, [np.float32(1), 1.])",
    "np.concatenate([np.ones(1, 'i2'), np.ones(1, 'u2'), np.ones(1, 'f2')])", "np.stack([np.ones(1, 'i2'), np.ones(1, 'u2'), np.ones(1, 'f4')])",
    "np.zeros(1, np.result_type(np.int16, np.uint16, np.float16))", "np.zeros(1, np.result_type(np.float32, 0j, np.uint16, np.int16, np.int8))",
    "np.isclose(np.float32(1), 0.9999999999999998, atol=0, rtol=0)", "np.isclose(np.ones(2, 'f4'), 1 - 1e-9, rtol=0, atol=0)", "np.allclose(1, np.ones(2))",
    "np.indices(())", "np.indices((), 'f4')", "np.size(m, (0, 1))", "np.size(m, ())", "np.size(m, -1)", "np.size(m, 2)", "np.rollaxis(m, 0, -5)", "np.rollaxis(m, 1, 9)",
    "np.roll(a, 2**100)", "np.roll(a, np.uint64(2))", "np.roll(m, (1, -2**70), (0, 1))", "np.roll(a, [1, 1])", "np.roll(a[:0], 1)",
    "np.compress([1.0, 0.0, 2.0], a)", "np.compress([], a)", "np.extract([1.0, 0.0, 2.0], a)", "x = a.copy(); np.place(x, np.zeros(3), []); x",
    "x = a.copy(); np.place(x, np.array([1.0, 0, 1]), [7]); x", "x = a.copy(); np.putmask(x, [True], 1); x", "np.ix_(m)", "np.ix_(np.zeros(0, 'f4'))",
    "np.select([a], [a])", "np.select([a > 1, a > 0], [a, 2.5])", "np.rot90(m, axes=(0, 0))", "np.rot90(m, axes=(0, -1))", "np.rot90(m, axes=(0,))",
    "np.clip(f, 1, 2, dtype='f4')", "np.clip(f, 0, 1, out=np.zeros(3, int), casting='unsafe')", "np.clip(f, 0, 1, out=np.zeros(3, int))",
    "np.clip(a, 0, 1, out=np.full(3, 9), where=[True, False, True])", "np.clip(f, 0, 1, out=np.zeros(3, 'f4'), casting='safe')", "a.clip(max=1, order='F')",
    "np.median(m, 0, np.zeros(2))", "np.median(m, axis=1, out=np.zeros(2), overwrite_input=True)", "np.percentile(a, [50, 75], out=np.zeros(2))",
    "np.quantile(m, .5, 0, np.zeros(2), True)", "np.nanmedian(f, None, None, True)",
    "np.take(a, [True, False])", "x = a.copy(); np.put(x, [True], 5); x", "np.take_along_axis(m, m > 1, 0)",
    "x = f.copy(); x[0] = '2.5'; x", "x = f.copy(); x[0] = None; x", "x = a.copy(); x[0] = 'x'", "x = a.copy(); x[a > 0] = '7'; x", "x = a.copy(); x[0] = None",
    "np.finfo('f4').nexp", "np.finfo('f8').precision", "np.isscalar(np.sum(a))", "np.isscalar(a)", "np.vectorize(float, doc='made')(a)",
    "np.pad(a, 1, 'edge', reflect_type='even')", "np.pad(a, 1, 'wrap', reflect_type='odd')", *(f"np.{g}(np.array([[1, 2], [4, 7]], '{dtype}'){more})" for g in ("nanmean", "nanvar", "nanstd", "mean", "var") for dtype in ("f2", "f4", "F", "D", "i4", "?")
      for more in ("", ", axis=0, where=[True, False]", ", axis=1, where=[[True], [True]]")),
    "np.mean(np.full(9, 30000, 'f2'), where=np.ones(9, bool))", "np.nanmean(f, dtype=int)", "np.nanvar(f, dtype='i4')", "np.nanstd(a, dtype='f4')",
    *(f"np.{g}([a, f], {more})" for g in ("concatenate", "stack") for more in ("casting='no'", "casting='bogus'", "dtype='f4', casting='safe'", "dtype='i4'",
      "dtype='i4', casting='unsafe'", "out=np.zeros((2, 3), 'f8'), dtype='f8'", "out=np.zeros(6), dtype='f8'")),
    "np.concatenate([a, f], out=np.zeros(6, int), casting='unsafe')", "np.concatenate([a, f], out=np.zeros(6, int))", "np.stack([a, a], out=np.zeros((2, 3), 'i4'))",
    "np.concatenate([a, a], out=np.zeros(6, 'i4'), casting='safe')", "np.concatenate([f, a], out=np.zeros(6, 'f4'))",
    "np.frompyfunc(lambda x, y: x + y, 2, 1)(3, 4)", "np.tile(a, np.array(2))", "np.tile(a, np.array([2, 1]))", "np.tile(a, ())", "np.tile(a, (np.int8(2), 3))", "np.tile(a, np.int64(2))",
])  # fmt: skip
def test_what_numpys_own_tests_ask_for(expression):
    check(expression)


@pytest.mark.parametrize("dtype", ["u1", "i1", "?", "u2", "i8", "f2", "f4", "c8"])
@pytest.mark.parametrize("expression", [
    "np.i0(x)", "np.i0(x[0])", "np.angle(x)", "np.angle(x, deg=True)", "np.imag(x)", "x.imag", "np.real(x)", "np.unwrap(x)", "np.unwrap(x, period=4)", "np.round(x)", "x.round()",
    "np.round(x, 1)", "np.sinc(x)", "np.nan_to_num(x)", "np.nan_to_num(x, nan=np.float64(3))", "np.nan_to_num(x, posinf=1j)", "np.real_if_close(x)", "np.vander(x)", "np.trapezoid(x)", "np.interp(x, x, x)", "np.gradient(x)", "np.linspace(x[0], x[1], 3)",
    "np.linspace(x[0], 4, 3)", "np.linspace(x[0], [4, 5], 3)", *(f"np.dot({x}, {y})" for x, y in (("x", "2"), ("2.5", "x"), ("x", "1j"), ("x", "True"), ("2", "3"))),
    "np.select([x == 2, x == 1], [x, x == 3], 2)", "np.select([x == 2, x == 1], [x, x.astype('i2')], 2.5)", "np.select([x == 2], [x])",
    "np.select([x == 2, x == 1], [1, 2], 3)", *(f"y = x.copy(); np.putmask(y, y == 2, {v}); y" for v in ("np.array([1, 2], 'u1')", "np.array([1], 'f4')", "x", "[1, 0]", "1")),
])  # fmt: skip
def test_dtypes_of_functions_that_are_made_of_others(expression, dtype):
    check(f"x = np.array([3, 1, 2, 2]).astype('{dtype}'); {expression}")


@pytest.mark.parametrize("decimals", ["1.5", "2.0", "np.float64(1)", "None", "'1'", "[1]", "True", "np.int8(1)", "np.array(1)"])
def test_decimals_are_an_integer(decimals):
    for call in ("f.round({})", "np.round(f, {})", "np.around(f, {})", "f.astype('f4').round(decimals={})"):
        check(call.format(decimals))


@pytest.mark.parametrize("expression", [
    *(f"np.{g}(x, axis={axis})" for axis in ("0", "-1", "1", "(0,)") for g in ("sum", "prod", "max", "min", "any", "all", "count_nonzero", "argmax", "argmin", "cumsum", "cumprod",
      "mean", "var", "std", "ptp", "nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nancumsum", "sort", "argsort", "squeeze", "median", "flip")),
    "np.cumulative_sum(x)", "np.cumulative_prod(x, include_initial=True)", "np.sort(x, axis=None)", "np.argsort(x)", "np.sort(x)", "np.add.reduce(x)", "np.add.accumulate(x)",
    "np.sum(x, axis=0, keepdims=True)", "np.max(x, axis=0, initial=9)", "np.sum(x, axis=0, where=np.array(False))", "np.apply_over_axes(lambda x, axis: x.sum(axis), x, 0)",
    *(f"np.{g}, {axis})" for axis in ("0", "-1", "1") for g in ("repeat(x, 2", "take(x, [0, 0]", "take(x, 0", "compress([True], x")),
    *(f"np.{g}(np.array(3, 'u1'), axis={axis})" for axis in (0, 1) for g in ("packbits", "unpackbits")), "x.item(0)", "x.item(-1)", "x.item(1)", "x.item()",
    "y = np.roll(x, 3); y[...] = 7; y", "y = np.roll(np.float64(1), 3); y[...] = 7; y",
])  # fmt: skip
@pytest.mark.parametrize("value", ["5.0", "5 + 2j"])
def test_rank_0_has_an_axis_where_numpy_gives_it_one(expression, value):
    check(f"x = np.array({value}); {expression}")


@pytest.mark.parametrize("shape", ["(3, 0)", "(0, 3)", "(2, 3, 0)", "(0, 0)", "(0,)"])
@pytest.mark.parametrize("reduction", ["max", "min", "ptp", "nanmax", "nanmin", "average", "argmax"])
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_no_elements(reduction, shape, dtype):
    for axis in ("axis=0", "axis=1", "axis=-1", "axis=None", "axis=0, keepdims=True"):
        check(f"np.{reduction}(np.zeros({shape}, '{dtype}'), {axis})")


@pytest.mark.parametrize("expression", [
    "np.average(np.zeros((3, 0)), axis=0, returned=True)", "np.average(np.zeros((3, 0)), axis=0, weights=np.zeros(3))", "np.average(np.zeros((3, 0)), axis=0, weights=np.ones(3))",
    "np.average(m, axis=0, weights=[1, 3], returned=True)", "np.average(m, axis=1, weights=[1, 3], returned=True, keepdims=True)", "np.average(np.zeros((3, 0)), axis=0, weights=np.zeros((3, 0)))",
])  # fmt: skip
def test_averages_of_nothing(expression):
    check(expression)


@pytest.mark.parametrize("call", ["np.{}(f, where={})", "np.{}(np.ones((2, 3)), where={})", "np.{}(f.astype('f4'), where={}, dtype='f8')"])
@pytest.mark.parametrize("f", ["sin", "isnan", "fabs", "negative", "rint"])
def test_where_without_out(call, f):
    for condition in ("[True] * 3", "np.ones(3, bool)", "np.ones((4, 2, 3), bool)[:, :1]", "True", "np.array(True)", "np.ones(3)", "np.ones(3, int)", "np.ones(4, bool)"):
        check(call.format(f, condition))


def test_0_is_where_the_condition_left_out_without_out():
    x = wf.asarray([1.0, 4.0])
    same(np.asarray([1.0, 0.0]), wf.sqrt(x, where=[True, False]))
    same(np.asarray([0.0, 5.0]), wf.add(x, 1, where=x > 2))
    same(np.asarray([1.0, 0.0]), wf.fmax(x, 0, where=x < 2))
    fraction, whole = wf.modf(x, where=[True, False])
    same(np.asarray([0.0, 0.0]), fraction)
    same(np.asarray([1.0, 0.0]), whole)


@pytest.mark.parametrize("expression", [
    "np.exp2(z)", "np.exp2(z.astype('c8'))", "np.exp2(1j)", "np.exp2(np.array([np.inf + 1j, -np.inf + 0j, complex(np.nan, 1), 1 + np.inf * 1j, -np.inf + 2j]))",
])  # fmt: skip
def test_powers_of_2_of_complex_numbers(expression):
    check(expression)


@pytest.mark.parametrize("f", ["degrees", "radians", "deg2rad", "rad2deg", "fabs", "logaddexp2", "heaviside"])
def test_what_takes_real_numbers_refuses_complex_ones(f):
    check(f"np.{f}(z{', z' if f in ('logaddexp2', 'heaviside') else ''})")


@pytest.mark.parametrize("mask", ["np.ones(9, bool)", "np.ones(13, bool)", "np.ones(0, bool)", "np.ones(12, bool)", "np.ones((4, 3), bool)", "True"])
def test_a_mask_to_place_by_has_as_many_elements(mask):
    check(f"x = np.zeros((3, 4)); np.place(x, {mask}, [1, 2]); x")


@pytest.mark.parametrize("expression", [
    "np.clip(a.astype('u1'), 0.5, np.float32(1.5))", "np.clip(a > 1, 0, np.uint8(200))", "np.clip(a, [0, 1, 2], 2)", "np.clip(a.astype('i1'), -1, np.int16(300))",
    "np.mean(a, dtype='i2', where=a > 1)", "np.mean(a, dtype=bool, where=a > 1)", "np.var(a, dtype='c16')", "np.std(a + 1j, dtype='c8')", "np.nanvar(a, dtype='c16')",
    "np.nanstd(np.array([np.inf, 1.0, np.nan]))", "np.nanvar(np.array([[np.inf, -np.inf], [1, np.nan]]), axis=1)", "np.nanvar(f, where=[True, True, False])",
    *(f"np.{g}({more}, dtype=bool)" for g in ("cumsum", "cumprod", "nancumsum", "add.accumulate", "multiply.accumulate") for more in ("a", "a > 1", "[0.5, 0, 0]", "m, axis=1")),
    "np.cumulative_sum(a, dtype=bool, include_initial=True)", "np.cumulative_prod([0, 1], dtype=bool, include_initial=True)",
    *(f"np.repeat(a, {by})" for by in ("2.0", "2.9", "[1.0, 2, 0.5]", "np.float32(2)", "True", "[True, False, True]", "np.array([1.0, 2, 1])", "np.array([True, False, True])", "1j", "np.uint64(2)", "-1", "[]")),
    "np.roll(a, 1.0)", "np.roll(a, -1.7)", "np.roll(m, (1.0, 1), (0, 1))", "np.roll(a, np.float32(2.5))", "np.roll(a, 'x')",
    "np.take(a, 1.0)", "np.take(a, [0.0, 1.5])", "a.take([1.0])", "x = a.copy(); np.put(x, [1.0], 5); x",
    "np.unwrap(np.array([0, 3, 6, 1, 4], 'u4'), period=7)", "np.unwrap(np.array([0, 3, 6, 1, 4], 'u4'), period=7.0)", "np.unwrap(np.array([0, 3, 6, 1, 4], 'i1'), period=7)",
    "np.arange(stop=3)", "np.arange(4, step=2)", "np.arange(277, dtype='u1')", "np.arange(200, 100, -1, dtype='u1')", "np.arange(0, 300, 100, dtype='i1')", "np.arange(1000, 1003, dtype='u1')", "np.arange(-3, 3, dtype='u2')",
    "np.arange(300, dtype='i1').astype('i8')[np.arange(300), None]", "np.arange()",
    "np.matmul(m, m.T, np.zeros((2, 2), int))", "np.matmul(m, np.arange(3), axes=[(0, 1), 0, 0])", "np.matmul(m, np.arange(2), axes=[(1, 0), 0, 0])", "np.matmul(np.arange(2), m, axes=[0, (0, 1), 0])",
    "np.matmul(a, a, axes=[0, 0, ()])", "np.matmul(m, m.T, axes=[(0, 1), 0, 0])",
    "x = np.zeros(3, complex); (f + 1j).conj(x); x", "a.conjugate(np.zeros(3, int))", "np.array([0, 1, 0]).choose(a, a * 2)", "x = a * 2; np.array([0, 1, 0]).choose(a, x); x",
    "np.array([0, 1]).choose([1, 2], [3, 4])", "np.array([0, 3]).choose([1, 2], mode='clip')", "np.array([0, 1]).choose([1, 2], [3, 4], out=np.zeros(2, int))",
    "np.einsum('i,i->', a, a, casting='blah')", "np.einsum('i,i', a, f, out=np.zeros((), int), casting='unsafe')", "np.einsum('i,i', a, f, out=np.zeros((), int))",
    *(f"np.einsum('{s}', np.array([[1, 2, 3], [4, 0, 6]]).astype('{x}'), np.array([3, 1, 200]).astype('{y}'))" for s in ("ij,j->", "ij,k->j", "...i,...i->...", "i...,j->...")
      for x, y in (("?", "u2"), ("u1", "u1"), ("u4", "?"), ("?", "?"), ("i2", "f2"), ("f4", "i8"))),
    *(f"np.{g}(a, where=np.ones((2, 3), bool){more})" for g, more in (("sum", ""), ("any", ""), ("mean", ""), ("max", ", initial=0"), ("prod", ""), ("std", ""))),
    "np.sum(m, where=[True, False, True])", "np.heaviside(np.array([0, 1], 'u1'), -1)", "np.heaviside(np.array([0, 1], 'u1'), 300)", "np.heaviside(0, np.array([1, 2], 'i2'))",
    "x = np.zeros(3, 'u1'); np.put_along_axis(x, np.array([0]), -1, 0); x", "x = np.zeros(3, 'u1'); np.put_along_axis(x, np.array([0]), 300, 0)",
    "x = np.zeros((3, 4, 1), int); np.put_along_axis(x, np.arange(10).reshape(1, 2, 5) % 4, 20, axis=1); x",
    "x = np.zeros((3, 4, 1), int); np.put_along_axis(x, np.arange(10).reshape(1, 2, 5) % 4, np.arange(10).reshape(1, 2, 5), axis=1); x",
    "x = np.zeros((1, 4)); np.put_along_axis(x, np.array([[0, 1], [2, 1], [3, 0]]), np.arange(6.0).reshape(3, 2), axis=1); x",
])  # fmt: skip
def test_what_random_programs_and_numpys_tests_found_different(expression):
    check(expression)


@pytest.mark.parametrize("expression", ["np.var(m, dtype='i2')", "np.std(m, dtype=bool)", "np.nanvar(m, dtype='i4')", "np.var(m + 1j, dtype='f8')", "np.std(m + 1j, dtype='f4')"])
def test_a_spread_has_a_dtype_that_holds_it(expression):
    # NumPy gives what is left of it, of complex numbers that of an expression that discards imaginary parts on its way.
    with pytest.raises(TypeError, match="(var|std): of .* dtype is one of"):
        eval(expression, {"np": wf, "m": wf.asarray([[1, 2], [4, 7]])})


def test_a_number_drawn_from_is_a_value_too():
    rng, n = wf.random.default_rng(3), wf.arange(9)[5]
    assert sorted(rng.permutation(n).tolist()) == [0, 1, 2, 3, 4]
    assert sorted(rng.choice(n, 5, replace=False).tolist()) == [0, 1, 2, 3, 4] and rng.choice(np.int64(5), 3).shape == (3,)


@pytest.mark.parametrize("p", [0, -1, 1.5, float("nan"), [0.5, 0], [0.5, 2], np.float32(0), np.array(1.5)])
def test_a_trial_succeeds_sometimes(p):
    for draw in (wf.random.geometric, wf.random.default_rng(1).geometric):
        with pytest.raises(ValueError, match="geometric: p is above 0 and at most 1: got"):
            draw(p)
