"""Expressions that give NumPy's values, dtype and shape, or raise what NumPy raises."""

import array
import warnings

import numpy as np
import pytest
import weft as wf

NUMPY = tuple(int(part) for part in np.__version__.split(".")[:2])


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
        "t": lib.asarray(np.arange(24).reshape(2, 3, 4)),
        "special": lib.asarray([1.5, -0.0, np.inf, -np.inf, np.nan, -2, 6e-8, 5e-324, -3e-310, 1e308]),
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


def same(want, have):
    if isinstance(want, (tuple, list)):
        assert type(want) is type(have) and len(want) == len(have)
        for one, other in zip(want, have):
            same(one, other)
    elif isinstance(want, (np.ndarray, np.generic)):
        assert (have.dtype, have.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(np.asarray(have), want, rtol=1e-3 if want.dtype.itemsize == 2 else 1e-6)
    else:
        assert want == have


def check(expression):
    want, have = outcome(np, expression), outcome(wf, expression)
    if isinstance(want, Exception):
        # Which of the two NumPy raises for a wrong dtype differs from function to function.
        builtin = next(one for one in type(want).__mro__ if one.__module__ == "builtins")
        assert isinstance(have, (TypeError, ValueError) if builtin in (TypeError, ValueError) else builtin), (want, have)
        return
    assert not isinstance(have, Exception), have
    same(want, have)


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
    "np.round(f, out=a)", "np.concatenate([f], out=a)", "np.dot(m, m, out=np.zeros((2, 2)))", "np.argmax(m, 0, out=np.zeros(2))",
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
    "np.maximum.reduce(m, 1)", "np.add.reduce(a, initial=10)", "np.add.reduce(f, where=[True, False, True])", "np.max(np.asarray([1, 2], 'u1'), initial=2.5, where=[True, True])", "np.max(b, initial=3, where=[True, False, True])", "np.min(i, initial=-1.5, where=False)", "np.add.reduceat(a, [0, 2])", "np.bitwise_or.reduce(a)",
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
    "np.where(b, u, 3)", "np.where(b, 300, 3)",
    "np.clip(u, -1, 300)", "np.clip(u, 3, 300)", "np.clip(u, -1, None)", "np.clip(i, -1000, 5)", "np.clip(u, 300, None)", "np.clip(u, None, -1)", "np.clip(f, -1, 300)",
])  # fmt: skip
def test_integers_that_the_dtype_does_not_hold(expression):
    check(expression)


@pytest.mark.skipif(NUMPY < (2, 5), reason="what NumPy does since 2.5")
@pytest.mark.parametrize("expression", ["np.where(b, u, -1)", "np.where(b, u, 300)", "np.where(b, 300, i)", "np.take(a, [0, 1, 2], out=f)"])
def test_as_the_newest_numpy(expression):
    check(expression)


def test_numbers_beside_integers_are_not_cut():
    with pytest.raises(OverflowError, match="where: .* dtype u8: got 300"):
        wf.where([True, False], wf.asarray([1, 2], dtype="uint8"), 300)


@pytest.mark.parametrize("expression", [
    "m.T.flat[1]", "[int(v) for v in m.T.flat]", "m.flat = 7; x = m", "m.T.flat = [1, 2, 3]; x = m", "m.flat[1] = 9; x = m", "m.sum().flat[0]",
    "it = m.T.flat; next(it); x = [int(next(it)), it.index, it.coords]", "it = m.flat; x = [len(list(it)), len(list(it)), len(it), it.index]", "it = m.flat; next(it); it[2]; x = it.index",
    "m.flat.base is m", "m.T.flat.copy()", "m.flat == m.flat", "m.flat < 3", "m + m.T.flat", "m[0] + m[1].flat", "x = m[0]; y = x; x += m[1].flat; x = y", "m.flat + 1", "sum(m.T.flat)", "np.asarray(m.T.flat)",
    "x = np.asarray(m.flat); x[0] = 9; x = m", "np.sum(m.flat)", "np.concatenate([m.flat, m.T.flat])", "list(np.zeros((0, 3)).flat)", "np.asarray(2.5).flat[0]", "7 in m.flat", "max(t.T.flat)",
    "m.flat.index = 2; x = m", "it = m.flat; next(it); m[0, 1] = 77; x = next(it)",
])  # fmt: skip
def test_flat(expression):
    check(expression)


@pytest.mark.parametrize("of", ["t", "t.T", "t[:, ::2, ::-1]", "t[0]"])
@pytest.mark.parametrize("key", [
    "...", "()", "(1,)", "(1, 2)", "[1, 2]", "[True, False]", "[[0, 1], [2, 3]]", "::-2", "-1", "24", "(slice(None),)", "[]", "np.asarray([0, -1])", "np.asarray(2)", "np.asarray([1.5])", "[99]", "None", "'a'",
    "np.arange(t.size) % 3 == 0", "np.arange(12) % 3 == 0", "np.asarray([True])",
])  # fmt: skip
def test_parts_of_flat(of, key):
    check(f"{of}.flat[{key}]")
    for value in ("5", "2.7", "[7, 8, 9]", "[]", "np.asarray([1, 2])", "f", "a + 0", "True"):
        check(f"{of}.flat[{key}] = {value}; x = t")


@pytest.mark.parametrize("operand", ["m", "m.T", "t[:, :2, :2]", "t[::-1, 1:, ::2]", "t[0][:, 1:]", "t[:, 1]", "np.zeros((0, 0))", "np.ones((1, 1))", "np.zeros(())", "a"])
@pytest.mark.parametrize("subscripts", ["ii->i", "ij->ji", "ij", "ji", "iij->ij", "iji->ji", "ijj->ji", "iii->i", "...ii->...i", "ijk->kij", "i...->...i", "->", "i", "...", "ii"])
def test_einsum_gives_views(operand, subscripts):
    check(f"np.einsum('{subscripts}', {operand})")
    if isinstance(outcome(np, f"np.einsum('{subscripts}', {operand})"), np.generic):
        return  # to which Weft lets one write
    check(f"e = np.einsum('{subscripts}', {operand}); e[...] += 100; e[..., 1:] *= 2; x = [e, m, t, a]")


@pytest.mark.parametrize("expression", [
    "e = np.einsum('ii->i', m); m[1, 1] = 50; x = e", "m.flags.writeable = False; np.einsum('ii->i', m)[0] = 1; x = m", "m.diagonal()[0] = 1; x = m",
    *(f"d = np.diagonal(t{part}, {k}, {axes}); t[...] = t * 3 + 1; x = d" for part in ("", "[:, 1:, ::2]", ".T") for k in (0, 1, -1, 7, -7) for axes in ("0, 1", "2, 0", "-1, 1")),
    *(f"np.diag([1, 2], {k})" for k in (-2, -1, 0, 1)), "d = np.diag(t[0, :, 1:], 1); t[...] = 5; x = d",
])  # fmt: skip
def test_diagonals_are_views(expression):
    check(expression)


@pytest.mark.parametrize("trimmed", [
    "z", "z, 'f'", "z, 'b'", "z, 'x'", "z * 0", "y", "y, 'f'", "y, 'FB'", "y, 'fb', 0", "y, 'fb', (0,)", "y, 'fb', -1", "y, 'b', (0, 1)", "y, 'fb', ()", "y * 0", "y * 0, 'f', 0", "y.T", "y[:, ::-1]",
    "np.zeros(()), 'fb'", "[0, 1, 0]", "(0, 1, 0)",
])  # fmt: skip
def test_trim_zeros_gives_views(trimmed):
    arrays = "z = np.asarray([0, 0, 1, 0, 2, 0]); y = np.asarray([[0, 0, 0], [0, 1, 2], [0, 0, 3], [0, 0, 0]]); "
    check(f"{arrays}x = np.trim_zeros({trimmed})")
    check(f"{arrays}v = np.trim_zeros({trimmed}); v += v; x = [v, y, z]")


_writes = [
    "x[0] = 1", "x += 1", "x[x > 1] = 1", "x[[0]] = 1", "x[[]] = 1", "x[0:0] = 1", "x.T[0] = 1", "x.reshape(-1)[0] = 1", "x.reshape(-1).reshape(2, 2)[0] = 1", "x.T.T[0] = 1", "x[1:][0] = 1", "x.sort()", "x.fill(1)",
    "np.add(x, 1, out=x)", "np.sum(x, axis=0, out=x[0])", "np.put(x, [0], 1)", "np.put_along_axis(x, np.asarray([[0]]), 1, 0)", "np.place(x, x > 1, [1])", "np.putmask(x, x > 1, [1])", "np.copyto(x, 1)",
    "np.fill_diagonal(x, 1)", "np.add.at(x, [0], 1)", "np.einsum('ij->ji', x)[0] = 1", "np.einsum('ii->i', x)[0] = 1", "x.real[0] = 1", "x.real = 3", "x.view('u8')[0] = 1", "x.partition(1)", "x.byteswap(True)", "x.ravel()[0] = 1",
    "x.flat[0] = 1", "x.T.flat[:] = 1", "x.flat = 3", "x[0, 0] = 1", "x[...] = 1", "x[None, ::-1][0, 0] = 1", "x.swapaxes(0, 1)[0] = 1", "np.flip(x)[0] = 1", "np.squeeze(x[None])[0] = 1",
]  # fmt: skip


@pytest.mark.parametrize("write", _writes)
def test_what_is_made_read_only_is_not_written(write):
    for given in ("m", "m + 0") if "reshape" in write or "ravel" in write else ("m", "m + 0", "m.T", "t[0, ::2, 1:3]"):
        guard = f"x = {given}; x.setflags(write=False); "
        assert "read-only" in str(outcome(np, f"{guard}{write}")), write
        have = outcome(wf, f"{guard}{write}")
        assert isinstance(have, ValueError) and "assignment destination is read-only" in str(have), (given, write, have)
        check(f"{guard}x.setflags(write=True); {write}; x = [m, t]")


@pytest.mark.parametrize("expression", [
    "m.flags.writeable = False; m.shape = (4,); x = m", "m.flags.writeable = False; x = m.copy(); x[0] = 1", "m.flags.writeable = False; x = m + 0; x[0] = 1", "x = m[1:]; m.setflags(write=False); x[0] = 5; x = m",
    "v = m[1:]; v.setflags(write=False); m[1] = 5; x = v", "v = m[1:]; v.flags.writeable = False; v.flags.writeable = True; v[0] = 5; x = m", "m.flags.writeable = False; m[1:].flags.writeable = True; x = m",
    "v = m[1:]; v.flags.writeable = False; w = v[:]; w.flags.writeable = True; w[0] = 7; x = m", "m.flags['WRITEABLE'] = False; x = m.flags.writeable", "m.flags['W'] = False; x = m.flags['W']",
    "m.flags.c_contiguous = True; x = m", "m.flags['C'] = True; x = m", "m.setflags(uic=True); x = m", "m.setflags(align=True); x = m", "m.setflags(); x = m", "m.setflags(0); x = m.flags.writeable",
    "x = np.broadcast_to(a, (2, 3)).flags.writeable", "x = m.flags['O'], m.flags.owndata, m.T.flags.owndata", "m.sum().flags.writeable = True; x = m", "x = m; y = x; y.flags.writeable = False; x = x.flags.writeable",
    "m.T.base is m", "m.base is None", "m[1:][1:].base is m", "m.reshape(-1).base is m", "m.T.T.base is m", "m[...].base is m", "m.view().base is m", "(m + 1).base is None", "m[0, 0].base is None", "m.copy().base is None",
    "np.einsum('ij->ji', m).base is m", "np.asarray(m).base is None", "x = np.arange(6).reshape(2, 3); x.base[0] = 9", "x = m.T; del m; y = x.base; y[0, 1] = 44", "m.diagonal().base is m",
    "np.require(m, None, ['W', 'C'])", "np.require(m, 'f4', 'F')", "np.require(t, None, ['F']).flags.f_contiguous", "np.require(a[::2], None, 'C').flags.c_contiguous", "np.require(m, None, ['C', 'F'])",
    "np.require(m, None, ['Q'])", "m.flags.writeable = False; x = np.require(m, None, 'W').flags.writeable", "np.require(a[1:], requirements=['O']).flags.owndata", "np.require([1, 2, 3])",
])  # fmt: skip
def test_flags_and_bases(expression):
    check(expression)


@pytest.mark.parametrize("expression", ["bytes(m.data)", "m.data.shape"])
def test_memory_is_lent(on_cpu, expression):
    check(expression)


@pytest.mark.parametrize("expression", [
    "x.resize((2, 2))", "x.resize(2, 2)", "x.resize(8)", "x.resize((2, 3))", "x.resize(0)", "x.resize((3, 4))", "v = x[1:]; x.resize(8)", "v = x[1:]; v.resize(2)", "v = x[1:]; x.resize(8, refcheck=False)", "x.resize(-1)", "x.resize()",
    "x.resize(None)", "x = np.zeros((2, 3)).T; x.resize(7)", "x = np.zeros((2, 3)); x[...] = 1; x.resize((3, 3))", "x.resize(8); x[7] = 3", "x.resize((2, 2.5))", "x.resize('a')", "x.resize(9); x = x.base is None",
    "x.resize(8); v = x[2:]; v += 1", "x.setflags(write=False); x.resize(3); x[0] = 1", "x.resize(3); x.resize(6)",
])  # fmt: skip
def test_resize_in_place(expression):
    check(f"x = np.zeros(6); x[...] = np.arange(6); {expression}")


_reduced = {"f8": [[1.7, 2.6], [3.5, -4.2]], "i8": [[1, 2], [3, -4]], "c16": [[1.7 + 1j, 2], [3, -4]], "?": [[True, False], [True, True]], "f4": [[1.7, 2.6], [3.5, -4.2]]}


@pytest.mark.parametrize("out", ["?", "i1", "i8", "u1", "f4", "f8", "c16"])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "std", "var", "max", "min", "ptp", "any", "all", "argmax", "argmin", "cumsum", "cumprod", "nansum", "nanprod", "nanmean", "nanvar", "nanmax", "nanmin", "trace"])
def test_out_of_another_kind(name, out):
    for dtype, values in _reduced.items():
        if out == "u1" and dtype != "?" and (dtype != "i8" or "mean" in name):
            continue  # what becomes of negative floats is the processor's choice
        shape = () if name == "trace" else (2, 2) if name.startswith("cum") else (2,)
        axis = "" if name == "trace" else "axis=0, "
        check(f"x = np.zeros({shape}, '{out}'); y = np.{name}(np.asarray({values}, dtype='{dtype}'), {axis}out=x); x = [x, y is x]")


@pytest.mark.parametrize("name", [name for name in dir(wf) if isinstance(getattr(np, name, None), np.ufunc)])
def test_elementwise_functions_of_bools(name):
    x, y = "np.asarray([True, False, True, False])", "np.asarray([True, True, False, False])"
    if getattr(np, name).nin == 1:
        check(f"np.{name}({x})")
        return
    check(f"np.{name}({x}, {y})")
    for number in () if getattr(np, name).signature else (True, 2, 2.5):
        check(f"np.{name}({x}, {number})")
        check(f"np.{name}({number}, {x})")


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f4"])
@pytest.mark.parametrize("power", ["2", "2.0", "1", "0", "-1", "-1.0", "0.5", "np.asarray(2)", "np.asarray([2, 2])", "np.asarray(-2)", "2 + 0j", "True"])
def test_powers(dtype, power):
    check(f"np.asarray([1, 0], dtype='{dtype}') ** {power}")
    check(f"x = np.array([1, 0], dtype='{dtype}'); x **= {power}")


@pytest.mark.parametrize("expression", [
    "np.gcd([12, 18], [8, 27])", "np.gcd.reduce([12, 18, 27])", "np.lcm.reduce(np.array([4, 6, 10]))", "np.gcd.outer([4, 6], [2, 3, 8])", "np.lcm(4, 6)", "np.gcd(f, 1)",
    "np.bitwise_count(i)", "np.bitwise_count(np.array([-1, 5, -2**31], 'i4'))", "np.bitwise_count(np.array([-1, 5, -2**63, 2**62 + 3]))", "np.bitwise_count(-7)",
    "np.bitwise_count(np.array([1, 2**64 - 1], 'u8'))", "np.bitwise_count(np.array([1, 65535], 'u2'))", "np.bitwise_count([True, False])", "np.bitwise_count(f)",
    "np.packbits(a)", "np.packbits(a > 2, bitorder='little')", "np.packbits(t, axis=1)", "np.packbits(t > 5)", "np.packbits(np.zeros((3, 0), int), axis=1)", "np.packbits(f)",
    "np.unpackbits(u)", "np.unpackbits(u, count=5)", "np.unpackbits(u, count=-5)", "np.unpackbits(u, count=30)", "np.unpackbits(u, count=-50)", "np.unpackbits(a)",
    "np.unpackbits(u.reshape(3, 1), axis=1, bitorder='little')", "np.unpackbits(u.reshape(3, 1), axis=0, count=9)", "np.packbits(b, bitorder='x')",
    "np.modf(special)", "np.modf(special.astype('f4'))", "np.modf(u)", "np.modf(f.astype('f2'))", "np.frexp(special)", "np.frexp(special.astype('f4'))",
    "np.frexp(special.astype('f2'))", "np.frexp(a)", "np.frexp(z)", "np.spacing(f)", "np.ldexp(a, a)", "np.ldexp(f, 1.5)", "np.ldexp(f, np.array([1], 'u8'))",
    "np.fmax.reduce(f)", "np.fmin.outer(f, [1, 2])", "np.fmod.reduce([17., 5])", "np.fmax.identity", "np.ldexp.nin",
])  # fmt: skip
def test_bits_and_parts_of_numbers(expression):
    check(expression)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("x", [1.7345678901234567, -1.0, 1e-310, 6e-8, 0.75])
def test_ldexp_rounds_once(x, dtype):
    powers = np.arange(-1100, 2100, 3)
    with np.errstate(all="ignore"):
        want = np.ldexp(np.asarray(x, dtype), powers)
    np.testing.assert_array_equal(np.asarray(wf.ldexp(wf.asarray(x, dtype), wf.asarray(powers))), want)


@pytest.mark.parametrize("expression", [
    *(f"np.{window}({n})" for window in ("hanning", "hamming", "blackman", "bartlett") for n in (-3, 0, 1, 2, 7, 8)), "np.kaiser(9, 4.5)", "np.kaiser(1, 3)", "np.kaiser(8, 0)",
    "np.hanning('a')", "np.i0(np.linspace(-20, 20, 300))", "np.i0(f.astype('f4'))", "np.i0(a)", "np.i0(z)", "np.i0(3.)", "np.euler_gamma",
])  # fmt: skip
def test_windows(expression):
    check(expression)


@pytest.mark.parametrize("expression", [
    "np.choose([0, 1, 2, 1], [[1, 2, 3, 4], [10, 20, 30, 40], [100, 200, 300, 400]])", "np.choose(b, [f.astype('f4'), 7])", "np.choose([[0, 1], [1, 0]], [5, [6, 7.5]])",
    "np.choose([0, 3], [1, 2])", "np.choose([0, 3, -1], [1, 2], mode='wrap')", "np.choose([0, 3, -1], [[1, 2, 3], [4, 5, 6]], mode='clip')", "np.choose(f, [1, 2])",
    "(a - 1).choose([1, 2, f])", "np.choose(a - 1, f[:, None])", "np.choose([0], [])", "np.choose([0], [1], mode='x')",
    "np.piecewise(f, [f < 1, f > 3], [-1, 1, lambda v: v * 2])", "np.piecewise(f, f > 1, [7])", "np.piecewise(f, [f < 1, f >= 1], [lambda v: -v, lambda v: v.max() - v])",
    "np.piecewise(a, a > 2, [1, 2, 3])", "np.piecewise(a, [a < 2, a >= 2], [1.7, 2])", "np.piecewise(a, [a > 0, a > 2], [lambda x, k: x + k, lambda x, k: x * k], 10)",
    "np.piecewise(f[0], f[0] > 2, [lambda v: v + 1, 0])", "np.resize(a, (4, 5))", "np.resize(m, 3)", "np.resize(a[:0], (2, 2))", "np.resize(a, (2, 0))", "np.resize(a, -1)",
    "np.resize([1, 2], [3])", "np.block([[np.eye(2), np.zeros((2, 3))], [np.ones((1, 2)), [[1, 2, 3]]]])", "np.block([a, 1])", "np.block([[a], [a]])", "np.block(a)",
    "np.block([[1, 2], 3])", "np.block([])", "np.block([[t, t], [t, t]])", "np.block([1, (2, 3)])", "np.apply_over_axes(np.sum, t, [0, 2])", "np.apply_over_axes(np.cumsum, t, [0, 2])",
])  # fmt: skip
def test_choices_and_blocks(expression):
    check(expression)


@pytest.mark.parametrize("expression", [
    "np.ediff1d(a * a)", "np.ediff1d(f, to_begin=-99, to_end=[88., 99])", "np.ediff1d(a, to_end=1.5)", "np.ediff1d([1])", "np.unwrap(f * 4)", "np.unwrap([0, 1, 2, -1, 0], period=4)",
    "np.unwrap([2, 3, 4, 5, 2, 3, 4, 5], period=4)", "np.unwrap([1, 3, 5, 1, 3], period=5)", "np.unwrap(np.linspace(0, 50, 40) % (2 * np.pi))",
    "np.unwrap(t * 100., axis=1, discont=4, period=360)", "np.array_equiv(a, [a, a])", "np.array_equiv(a, [1, 2])", "np.iscomplex(z)", "np.iscomplex(f)", "np.isneginf(special)",
    "np.isposinf(special.astype('f4'))", "np.isposinf(z)", "np.isposinf(a)", "np.real_if_close(z)", "np.real_if_close(np.array([1 + 1e-15j, 2]))", "np.real_if_close(f)",
    "np.real_if_close(np.array([1 + 1e-5j, 2]), tol=1e-4)", "np.tril_indices_from(t[0])", "np.triu_indices_from(m, 1)", "np.diag_indices_from(m)", "np.diag_indices_from(t[0])",
    "np.tril_indices_from(a)", "np.mask_indices(3, np.triu, 1)", "np.trim_zeros(np.array([0, 0, 1, 2, 0]), 'b')", "np.geomspace(1, 1000, 4)", "np.histogram2d(m[0], m[1], bins=3)",
    "np.histogram_bin_edges(f, 4)", "np.histogramdd(t[0], bins=2)[0].shape", "np.sort_complex(z)", "np.einsum_path('ij,jk', m, m)[0]", "np.asarray_chkfinite(special)", "np.asarray_chkfinite(f)",
    "np.isfortran(m.T)", "np.isfortran(m)", "np.asfortranarray(m)", "np.iterable(a)", "np.iterable(3)", "np.iterable(f.sum())", "np.min_scalar_type(300)", "np.min_scalar_type(a)",
    "np.min_scalar_type(a[2])", "np.common_type(a, f.astype('f4'))", "np.binary_repr(10, 8)", "np.base_repr(255, 16)", "np.format_float_positional(1/3, precision=3)",
    "np.True_ is np.bool_(1)", "np.poly1d([1, 2, 3])(a)", "np.poly1d(a).r", "(np.poly1d([1, 2]) * np.poly1d([1, 3]))(f)", "np.poly1d([1, 2, 3]).deriv()(f)", "np.exceptions.AxisError.__name__",
    "np.testing.assert_allclose(f, [0.5, 1.5, -2.5])",
])  # fmt: skip
def test_rarer_functions(expression):
    check(expression)


@pytest.mark.parametrize("expression", [
    "a.flags.c_contiguous, m.T.flags.f_contiguous, t[:, 1:].flags['C_CONTIGUOUS'], m.flags.fnc, m.T.flags.fnc, a.flags.forc, t[:0].flags['F']", "a.flags.writeable, a.flags['W']",
    "np.broadcast_to(a, (2, 3)).flags.writeable", "t[:, :, :1].flags.forc, t[:, :1].flags.forc, t[:1].flags.forc", "a.flags['FOO']", "a.byteswap()", "z.byteswap()",
    "x = a.copy(); x.byteswap(True)", "x = np.array([3, 1, 2]); x.partition(1); x.sort()", "np.frombuffer(a.tobytes(), int)",
])  # fmt: skip
def test_memory_of_arrays(expression):
    check(expression)


def test_files_take_bytes(tmp_path):
    x = wf.asarray([[1, 2], [3, 4]])
    assert "C_CONTIGUOUS : True" in repr(x.flags)
    x.T.tofile(tmp_path / "x.bin")
    assert np.fromfile(tmp_path / "x.bin", int).tolist() == [1, 3, 2, 4]
    x.tofile(tmp_path / "x.txt", sep=",")
    assert wf.fromfile(tmp_path / "x.txt", int, sep=",").tolist() == [1, 2, 3, 4]
    x.dump(tmp_path / "x.pkl")
    assert np.load(tmp_path / "x.pkl", allow_pickle=True).tolist() == x.tolist()


def test_warnings_that_nobody_gives_cannot_be_made_errors():
    before = wf.geterr()
    assert wf.seterr(divide="ignore") == before
    wf.seterr(**before)
    for ask in (lambda: wf.seterr(all="raise"), lambda: wf.errstate(divide="raise"), lambda: wf.errstate(over="call")):
        with pytest.raises(ValueError, match="gives no warnings"):
            ask()


def test_the_columns_of_a_stack_of_guarded_parts_are_reduced():
    a = (np.arange(40) * 7 % 11).astype("i4")
    parts = lambda m: m.stack([m.concatenate([[10**6], m.asarray(a)[:-1]]), m.asarray(a), m.concatenate([m.asarray(a)[1:], [10**6]])])  # noqa: E731
    assert parts(wf).argmin(0).tolist() == parts(np).argmin(0).tolist()
    wide = np.arange(3000) * 7 % 1001
    parts = lambda m: m.stack([m.concatenate([[10**6], m.asarray(wide)[:-1]]), m.asarray(wide), m.concatenate([m.asarray(wide)[1:], [10**6]])])  # noqa: E731
    np.testing.assert_array_equal(np.asarray(parts(wf).argmin(0)), parts(np).argmin(0))


@pytest.mark.parametrize("dtype, each", [("u8", 2**63), ("i8", 2**62), ("i4", 2**30), ("u1", 255), ("?", True)])
def test_means_of_many_large_integers_where_a_condition_holds(dtype, each):
    x = np.full(300, each, dtype)
    chosen = np.arange(300) > 0
    assert wf.mean(wf.asarray(x), where=chosen) == np.mean(x, where=chosen) == wf.nanmean(wf.asarray(x), where=chosen)


def test_means_of_halves_where_a_condition_holds_are_rounded_once():
    x = wf.asarray(np.random.default_rng(0).normal(size=(200, 100)).astype("f4")).astype("bfloat16")
    chosen = np.random.default_rng(1).random((200, 100)) > 0.3
    exact = wf.asarray(np.mean(np.asarray(x.astype("float64")), axis=1, where=chosen))
    assert bool((wf.mean(x, axis=1, where=chosen) == exact.astype("float32").astype("bfloat16")).all())
