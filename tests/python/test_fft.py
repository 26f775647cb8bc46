"""Fourier transforms beside sums in longdouble and NumPy, and in compiled, derived and mapped functions."""

import numpy as np
import pytest

import weft as wf

pytestmark = pytest.mark.usefixtures("on_cpu")

KINDS = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
DTYPES = ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
rng = np.random.default_rng(5)


def values(shape, dtype):
    if np.dtype(dtype).kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    return (rng.standard_normal(shape) * 3).astype(dtype) if np.dtype(dtype).kind == "f" else rng.integers(0, 2, shape).astype(dtype)


def sums(x, sign, axis=-1):
    """The definition, in longdouble."""
    x = np.moveaxis(np.asarray(x, np.clongdouble), axis, -1)
    n = x.shape[-1]
    turns = (np.outer(np.arange(n), np.arange(n)) % n).astype(np.longdouble) / n
    angle = 2 * np.arccos(np.longdouble(-1)) * turns
    matrix = np.cos(angle) + sign * 1j * np.sin(angle)
    return np.moveaxis(x @ matrix, -1, axis)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 17, 30, 64, 97, 121, 210])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_the_definition(n, dtype):
    x = values((3, n), dtype)
    scale = np.finfo(dtype).eps * 8 * np.sqrt(n) * np.abs(x).max() * np.log2(n + 1)
    for name, sign in (("fft", -1), ("ifft", 1)):
        got = np.asarray(getattr(wf.fft, name)(wf.asarray(x)))
        assert got.dtype == dtype
        assert np.abs(got - sums(x, sign) / (n if sign > 0 else 1)).max() <= scale


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_are_numpys(name, dtype):
    if name in ("rfft", "ihfft") and np.dtype(dtype).kind == "c":
        with pytest.raises(TypeError, match="takes real numbers"):
            getattr(wf.fft, name)(wf.ones(4, dtype=dtype))
        return
    x = values((4, 6), dtype)
    got, expected = np.asarray(getattr(wf.fft, name)(wf.asarray(x))), getattr(np.fft, name)(x)
    assert got.dtype == expected.dtype
    if dtype == "float16":  # NumPy rounds the factor to a half
        expected = getattr(np.fft, name)(x.astype("float32")).astype(expected.dtype)
    eps = np.finfo(expected.dtype).eps
    np.testing.assert_allclose(got, expected, rtol=0, atol=40 * eps * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("n", [None, 1, 2, 5, 6, 9, 16])
def test_lengths_norms_and_axes(name, norm, n):
    x = values((5, 6, 7), "float64" if name in ("rfft", "ihfft") else "complex128")
    for axis in (-1, 0, 1, 2, -3):
        for a in (x, x[::-1, ::2, ::-1], x.T, x[:, :1, :]):
            if n is None and name in ("irfft", "hfft") and a.shape[axis] == 1:
                continue
            got = np.asarray(getattr(wf.fft, name)(wf.asarray(x)[::1] if a is x else wf.asarray(a), n, axis, norm))
            np.testing.assert_allclose(got, getattr(np.fft, name)(a, n, axis, norm), rtol=0, atol=1e-13)


def test_views_need_no_copy_by_the_caller():
    x = values((40, 34), "float64")
    w = wf.asarray(x)
    np.testing.assert_allclose(np.asarray(wf.fft.rfft(w[::-2, 3:])), np.fft.rfft(x[::-2, 3:]), atol=1e-12)
    np.testing.assert_allclose(np.asarray(wf.fft.fft(w.T, axis=0)), np.fft.fft(x.T, axis=0), atol=1e-12)


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"])
def test_several_axes(name):
    x = values((4, 5, 6), "float64" if name.startswith("r") else "complex128")
    f, g = getattr(wf.fft, name), getattr(np.fft, name)
    for options in ({}, {"axes": (0, 2)}, {"axes": (2, 0)}, {"s": (3, 8), "axes": (0, 1)}, {"norm": "ortho"}, {"s": (4, -1), "axes": (1, 2)}, {"axes": (1,)}):
        np.testing.assert_allclose(np.asarray(f(wf.asarray(x), **options)), g(x, **options), rtol=0, atol=1e-12, err_msg=str(options))
    with pytest.raises(ValueError, match="one length"):
        f(x, s=(2, 2), axes=(0,))


def test_nothing_and_one():
    for shape in ((0, 4), (3, 0, 4)):
        got = wf.fft.fft(wf.zeros(shape))
        assert got.shape == shape
        assert wf.fft.rfft(wf.zeros(shape)).shape == np.fft.rfft(np.zeros(shape)).shape
    assert np.array_equal(wf.fft.fft(wf.asarray([3.0])), [3])
    for wrong in (lambda: wf.fft.fft(wf.zeros((3, 0))), lambda: wf.fft.fft(wf.ones(3), 0), lambda: wf.fft.irfft(wf.ones(1)), lambda: wf.fft.fft(wf.ones(3), -2)):
        with pytest.raises(ValueError, match="transforms one element at least"):
            wrong()
    with pytest.raises(ValueError, match="needs an axis"):
        wf.fft.fft(wf.asarray(1.0))
    with pytest.raises(np.exceptions.AxisError):
        wf.fft.fft(wf.ones(3), axis=1)
    with pytest.raises(ValueError, match="norm"):
        wf.fft.fft(wf.ones(3), norm="both")


def test_one_among_others_has_the_same_bits():
    x = values((9, 48), "complex128")
    many = np.asarray(wf.fft.fft(wf.asarray(x)))
    across = np.asarray(wf.fft.fft(wf.asarray(np.ascontiguousarray(x.T)), axis=0)).T
    for row, every, other in zip(x, many, across):
        assert np.array_equal(np.asarray(wf.fft.fft(wf.asarray(row))), every)
        assert np.array_equal(every, other)


def test_many_rows_on_all_threads():
    x = values((1000, 257), "float32")
    np.testing.assert_allclose(np.asarray(wf.fft.rfft(wf.asarray(x))), np.fft.rfft(x), atol=2e-4)
    np.testing.assert_allclose(np.asarray(wf.fft.fft(wf.asarray(x), axis=0)), np.fft.fft(x, axis=0), atol=2e-3)


def test_it_is_recorded_and_fuses_around():
    f = wf.compile(lambda x: wf.abs(wf.fft.ifft(wf.fft.fft(x * 2) * 3)).sum())
    x = values(64, "float64")
    for k in range(2):
        np.testing.assert_allclose(float(f(wf.asarray(x + k))), np.abs(6 * (x + k)).sum(), rtol=1e-12)
    assert f.recordings == 1
    y = wf.fft.fft(wf.asarray(x) * 2) + 1
    assert "library fourier : c128" in str(wf.explain(y))


def test_the_interpreter_and_the_kernel_agree():
    x = wf.asarray(values((3, 20), "float64"))
    assert wf.verify(lambda a: wf.fft.irfft(wf.fft.rfft(a) * 2), x)


@pytest.mark.parametrize("n", [5, 8])
@pytest.mark.parametrize("name", KINDS)
def test_derivatives(name, n):
    x = values((2, n), "float64" if name in ("rfft", "ihfft") else "complex128")
    t = values(x.shape, x.dtype)
    length = n if name not in ("irfft", "hfft") else 2 * n - 1
    f = lambda a: getattr(wf.fft, name)(a, length, norm="ortho")
    y, moved = wf.jvp(f, (wf.asarray(x),), (wf.asarray(t),))
    # Linear, but that the imaginary part of what stands for real numbers counts for nothing.
    np.testing.assert_allclose(np.asarray(moved), getattr(np.fft, name)(t, length, norm="ortho"), atol=1e-13)
    c = values(y.shape, np.asarray(y).dtype)
    _, back = wf.vjp(f, wf.asarray(x))
    (cotangent,) = back(wf.asarray(c))
    pairs = lambda a, b: float(np.real(np.sum(np.asarray(a) * np.asarray(b))))
    np.testing.assert_allclose(pairs(c, moved), pairs(cotangent, t), rtol=1e-12)


def test_second_derivatives_and_compiled_gradients():
    loss = lambda x: wf.sum(wf.abs(wf.fft.rfft(x)) ** 2)
    x = values(9, "float64")
    g = np.asarray(wf.compile(wf.grad(loss))(wf.asarray(x)))
    np.testing.assert_allclose(g, _by_differences(loss, x), rtol=1e-6)
    h = np.asarray(wf.hessian(loss)(wf.asarray(x)))
    np.testing.assert_allclose(h, h.T, atol=1e-12)


def _by_differences(loss, x):
    out = np.empty_like(x)
    for k in range(x.size):
        step = np.zeros_like(x)
        step[k] = 1e-6
        out[k] = (float(loss(wf.asarray(x + step))) - float(loss(wf.asarray(x - step)))) / 2e-6
    return out


@pytest.mark.parametrize("name", KINDS)
def test_vmap_is_a_loop(name):
    x = values((4, 6, 5), "float64" if name in ("rfft", "ihfft") else "complex128")
    f = lambda a: getattr(wf.fft, name)(a, axis=0)
    got = np.asarray(wf.vmap(f)(wf.asarray(x)))
    for row, one in zip(x, got):
        assert np.array_equal(one, np.asarray(f(wf.asarray(row))))
    g = wf.vmap(wf.grad(lambda a: wf.sum(wf.abs(wf.fft.fft(a)) ** 2)))(wf.asarray(np.abs(x[:, :, 0])))
    np.testing.assert_allclose(np.asarray(g), 2 * 6 * np.abs(x[:, :, 0]), rtol=1e-10)


def test_out_takes_the_result():
    x, out = values(8, "float64"), np.empty(8, complex)
    wf.fft.fft(wf.asarray(x), out=out)
    np.testing.assert_allclose(out, np.fft.fft(x), atol=1e-13)


def test_numpys_functions_give_weft_arrays():
    x = values(8, "float64")
    y = np.fft.fft(wf.asarray(x))
    assert isinstance(y, wf.Array)
    np.testing.assert_allclose(np.asarray(y), np.fft.fft(x), atol=1e-13)
