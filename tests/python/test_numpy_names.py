"""Names of NumPy's beyond the standard's: the same values, dtypes, shapes and refusals."""

import io
import subprocess
import sys

import numpy as np
import pytest
import weft as wf

DTYPES = ["bool", "int8", "uint8", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]


def same(got, expected, exact=True):
    expected = np.asarray(expected)
    assert isinstance(got, wf.Array), type(got)
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
    if exact:
        np.testing.assert_array_equal(np.asarray(got), expected)
    else:
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-12, atol=1e-14)


EDITS = {
    "append flat": lambda m, a: m.append(a, [1, 0]),
    "append number": lambda m, a: m.append(a, 1.5),
    "append axis": lambda m, a: m.append(a, a[:, :1], axis=1),
    "append negative axis": lambda m, a: m.append(a, a, axis=-2),
    "delete flat": lambda m, a: m.delete(a, 3),
    "delete last": lambda m, a: m.delete(a, -1, axis=1),
    "delete list": lambda m, a: m.delete(a, [0, 2, 0], axis=0),
    "delete slice": lambda m, a: m.delete(a, slice(None, None, 2), axis=1),
    "delete mask": lambda m, a: m.delete(a, [True, False, True], axis=0),
    "delete array": lambda m, a: m.delete(a, m.asarray([1, -1]), axis=1),
    "delete nothing": lambda m, a: m.delete(a, [], axis=1),
    "insert number": lambda m, a: m.insert(a, 2, 1),
    "insert row": lambda m, a: m.insert(a, 1, [1, 0, 1, 1], axis=0),
    "insert column": lambda m, a: m.insert(a, -1, [1, 0, 1], axis=1),
    "insert columns at one place": lambda m, a: m.insert(a, [1], [[1], [0], [1]], axis=1),
    "insert at the end": lambda m, a: m.insert(a, 4, 0, axis=1),
    "insert at places": lambda m, a: m.insert(a, [0, 2, 2, -1], [1, 0, 0, 1], axis=1),
    "insert slice": lambda m, a: m.insert(a, slice(0, 3), [[1], [0], [1]], axis=1),
    "insert mask": lambda m, a: m.insert(a, m.asarray([True, False, True]), 1, axis=0),
    "insert nothing": lambda m, a: m.insert(a, [], 1, axis=0),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", EDITS)
def test_elements_are_added_and_taken_away(name, dtype):
    values = (np.arange(12).reshape(3, 4) % 5).astype(dtype)
    same(EDITS[name](wf, wf.asarray(values)), EDITS[name](np, values))


def test_editing_works_on_empty_arrays_and_refuses_what_numpy_refuses():
    same(wf.append(wf.asarray([]), 2), np.append([], 2))
    same(wf.insert(wf.asarray([]), 0, 3), np.insert([], 0, 3))
    same(wf.delete(wf.zeros((0, 3)), 1, axis=1), np.delete(np.zeros((0, 3)), 1, axis=1))
    for f in (lambda m, a: m.delete(a, 3, axis=0), lambda m, a: m.delete(a, [-4], axis=0), lambda m, a: m.insert(a, 4, 0, axis=0),
              lambda m, a: m.insert(a, [0, 9], 0, axis=0), lambda m, a: m.insert(a, 1.5, 0), lambda m, a: m.append(a, [1], axis=0),
              lambda m, a: m.insert(a, 1, [1, 2, 3, 4, 5], axis=0)):
        for m in (np, wf):
            with pytest.raises((IndexError, ValueError, TypeError), match="." if m is np else "delete: |insert: |append: "):
                f(m, m.ones((3, 4)))


@pytest.mark.parametrize("x", ["int32", "float32", "float64", "complex64"])
@pytest.mark.parametrize("p", ["int64", "float32", "float64", "complex128"])
def test_polyval(p, x):
    coefficients, values = np.asarray([2, -3, 0, 5], p), np.arange(6).reshape(2, 3).astype(x)
    same(wf.polyval(wf.asarray(coefficients), wf.asarray(values)), np.polyval(coefficients, values), exact=False)
    same(wf.polyval(coefficients, wf.asarray(values)), np.polyval(coefficients, values), exact=False)
    same(wf.polyval(wf.asarray(coefficients), values[:0]), np.polyval(coefficients, values[:0]))


def test_polynomials_are_numpys():
    x = np.linspace(-1, 1, 9)
    same(wf.polyfit(wf.asarray(x), wf.asarray(x**2 - 3 * x), 2), np.polyfit(x, x**2 - 3 * x, 2), exact=False)
    same(wf.roots([1, -3, 2]), np.roots([1, -3, 2]), exact=False)
    same(wf.polyder(wf.asarray([3.0, 2.0, 1.0])), [6.0, 2.0])
    same(wf.polyint([6.0, 2.0]), np.polyint([6.0, 2.0]))
    same(wf.polymul([1, 2], [1, -2]), [1, 0, -4])
    assert len(wf.polyfit(x, x, 1, full=True)) == 5


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
def test_files_give_back_what_was_written(tmp_path, dtype):
    x = wf.asarray(np.arange(6).reshape(2, 3) % 2).astype(dtype)
    wf.save(tmp_path / "x.npy", x)
    wf.savez(tmp_path / "xy.npz", x, y=x + x)
    wf.savez_compressed(tmp_path / "small.npz", z=x.T)
    same(wf.load(tmp_path / "x.npy"), np.asarray(x))
    with wf.load(tmp_path / "xy.npz") as archive:
        assert archive.files == ["y", "arr_0"] or archive.files == ["arr_0", "y"]
        assert "y" in archive and len(archive) == 2 and set(archive.keys()) == set(archive)
        same(archive["arr_0"], np.asarray(x))
        same(dict(archive.items())["y"], np.asarray(x + x))
    same(wf.load(tmp_path / "small.npz")["z"], np.asarray(x.T))


def test_text_and_bytes(tmp_path):
    x = wf.asarray([[1.5, 2.0], [3.0, -4.25]])
    wf.savetxt(tmp_path / "x.txt", x, delimiter=",", header="a,b")
    same(wf.loadtxt(tmp_path / "x.txt", delimiter=","), np.asarray(x))
    a, b = wf.loadtxt(tmp_path / "x.txt", delimiter=",", unpack=True)
    same(b, [2.0, -4.25])
    same(wf.genfromtxt(io.StringIO("1,,3"), delimiter=","), [1.0, np.nan, 3.0])
    np.asarray(x).tofile(tmp_path / "x.bin")
    same(wf.fromfile(tmp_path / "x.bin"), [1.5, 2.0, 3.0, -4.25])
    same(wf.frombuffer(b"\1\2\3\4", dtype=np.uint8, offset=1), np.asarray([2, 3, 4], np.uint8))
    changing = bytearray(8)
    before = wf.frombuffer(changing, dtype=np.uint8)
    changing[0] = 7
    assert before.sum() == 0
    same(wf.fromiter((i * i for i in range(4)), dtype=float), [0.0, 1.0, 4.0, 9.0])
    same(wf.fromstring("1 2 3", sep=" "), [1.0, 2.0, 3.0])
    with pytest.raises(ValueError):
        wf.frombuffer(b"\1\2\3", dtype=np.int16)


def test_print_options_are_shared_with_numpy():
    x = wf.asarray([1 / 3, 1e-9])
    with wf.printoptions(precision=3, suppress=True):
        assert repr(x) == "array([0.333, 0.   ])" == wf.array_repr(x)
        assert wf.array_str(x) == str(x) == "[0.333 0.   ]"
        assert wf.get_printoptions()["precision"] == 3
    assert wf.array2string(x, precision=2, separator=",") == np.array2string(np.asarray(x), precision=2, separator=",")
    before = np.get_printoptions()
    try:
        wf.set_printoptions(precision=2, suppress=True)
        assert np.get_printoptions()["precision"] == 2 and "0.33" in str(x) and "0.333" not in str(x)
    finally:
        np.set_printoptions(**before)


def test_loops_over_elements():
    x = wf.asarray([[1, 2], [3, 4]])
    assert list(wf.ndindex(2, 2)) == [i for i, _ in wf.ndenumerate(x)] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [int(v) for _, v in wf.ndenumerate(x + 1)] == [2, 3, 4, 5]
    assert [int(v) for v in wf.nditer(x)] == [1, 2, 3, 4]
    with pytest.raises(ValueError):
        wf.nditer(x, op_flags=["readwrite"])


def test_vectorize():
    def larger(a, b):
        """The larger one."""
        return a if a > b else b

    f = wf.vectorize(larger)
    same(f(wf.asarray([1, 5]), wf.asarray([[3], [4]])), [[3, 5], [4, 5]])
    assert f.__doc__ == "The larger one." and f.__name__ == "larger"

    @wf.vectorize(otypes=[float])
    def half(a):
        return a / 2

    same(half(wf.asarray([1, 2])), [0.5, 1.0])
    same(half(wf.zeros(0)), np.zeros(0))


@pytest.mark.parametrize("dtype", DTYPES)
def test_sliding_windows(dtype):
    values = (np.arange(24) % 7).reshape(4, 6).astype(dtype)
    view, reference = wf.lib.stride_tricks.sliding_window_view, np.lib.stride_tricks.sliding_window_view
    x = wf.asarray(values)
    same(view(x, (2, 3)), reference(values, (2, 3)))
    same(view(x, 3, axis=1), reference(values, 3, axis=1))
    same(view(x, 4, axis=0), reference(values, 4, axis=0))
    same(view(x, (2, 2), axis=(1, 1)), reference(values, (2, 2), axis=(1, 1)))
    same(view(x[:, ::-1], 2, axis=-1).sum(axis=-1), reference(values[:, ::-1], 2, axis=-1).sum(axis=-1))
    for bad in ({"window_shape": 7, "axis": 1}, {"window_shape": -1, "axis": 0}, {"window_shape": 2}):
        for f, one in ((reference, values), (view, x)):
            with pytest.raises(ValueError):
                f(one, **bad)
    for one, f in ((x, view), (values, reference)):
        with pytest.raises(ValueError, match="read-only"):
            f(one, 2, axis=0)[0] = 1
        f(one, 2, axis=1, writeable=True)[1:, ::2] = 1
    same(x, values)


@pytest.mark.parametrize("size", [6, 400])
def test_windows_show_what_is_written_later_and_write_through(size):
    a = np.arange(float(size * 5)).reshape(size, 5)
    x = wf.asarray(a.copy())
    strided, reference = wf.lib.stride_tricks.as_strided, np.lib.stride_tricks.as_strided
    pairs = [
        (strided(x, (size - 1, 5, 2), (40, 8, 40)), reference(a, (size - 1, 5, 2), (40, 8, 40))),
        (strided(x[1:, ::-1], (size - 2, 3), (40, -16)), reference(a[1:, ::-1], (size - 2, 3), (40, -16))),
        (strided(x[2:], (size, 3), (8, 8)).T[1:], reference(a[2:], (size, 3), (8, 8)).T[1:]),
        (strided(x, (3, size), (0, 40)), reference(a, (3, size), (0, 40))),
        (strided(x[1, 2:], (), ()), reference(a[1, 2:], (), ())),
        (strided(x.view("float32")[:, 1:], (size, 2, 4), (40, 8, 4)), reference(a.view("float32")[:, 1:], (size, 2, 4), (40, 8, 4))),
        (np.lib.stride_tricks.sliding_window_view(x, (2, 3), writeable=True), np.lib.stride_tricks.sliding_window_view(a, (2, 3), writeable=True)),
    ]
    for i, (shown, wanted) in enumerate(pairs):
        assert shown.base is x and shown.strides == wanted.strides
        for one, two in pairs:
            same(one, two)
        for one in (shown, wanted):
            one[...] = np.arange(100.0 * i, 100 * i + wanted.size, dtype=wanted.dtype).reshape(wanted.shape)
        same(x, a)
        if shown.ndim > 1:
            for one in (shown, wanted):
                one[1] = one[0] * 2
                one[..., 0] = 7
            same(x, a)
        x[2, 3] = a[2, 3] = -i
    apart = strided(x, (size, 2), (40, 16))
    apart += 1
    reference(a, (size, 2), (40, 16))[...] += 1
    same(x, a)
    with pytest.raises(ValueError, match="add: cannot compute in place where elements are shown twice"):
        pairs[0][0][...] += 1
    assert not strided(x, (2,), (8,), writeable=False).flags.writeable


def test_windows_are_one_kernel_with_what_reads_them():
    x = wf.asarray(np.arange(100000.0))
    means = wf.lib.stride_tricks.sliding_window_view(x, 5).mean(axis=-1) * 2
    wf.one_kernel(means)
    np.testing.assert_allclose(np.asarray(means), 2 * (np.arange(99996.0) + 2))


def test_strided_views_stay_inside_of_the_array():
    values = np.arange(12.0).reshape(3, 4)
    strided, reference = wf.lib.stride_tricks.as_strided, np.lib.stride_tricks.as_strided
    same(strided(wf.asarray(values), (2, 3, 2), (32, 8, 8)), reference(values, (2, 3, 2), (32, 8, 8)))
    same(strided(wf.asarray(values), (0, 3), (8, 800)), np.zeros((0, 3)))
    same(strided(wf.asarray(values), (1, 3, 2), (-1, 32, 8)), reference(values, (1, 3, 2), (-1, 32, 8)))
    for shape, strides in (((13,), (8,)), ((2,), (-8,)), ((2, 2), (8,)), ((2,), (4,)), ((2**62, 2**62), (8, 8)), ((3, 2), (2**62, 8))):
        for check_bounds in (None, True, False):
            with pytest.raises(ValueError, match="as_strided"):
                strided(wf.asarray(values), shape, strides, check_bounds=check_bounds)


def test_issubdtype():
    assert wf.issubdtype(wf.float32, wf.floating) and not wf.issubdtype(wf.int8, wf.floating)
    assert wf.issubdtype(wf.zeros(1, dtype="int16").dtype, wf.integer)


@pytest.mark.parametrize("name, hint", [("busday_count", "numpy.busday_count(numpy.asarray(x))"), ("emath", "use numpy.emath"),
                                        ("matrix", "use numpy.matrix")])
def test_names_that_only_numpy_has_say_so(name, hint):
    with pytest.raises(AttributeError, match=f"no attribute '{name}'") as caught:
        getattr(wf, name)
    assert hint in str(caught.value)


def test_hints_are_given_for_numpys_names_alone():
    for owner in (wf, wf.linalg, wf.zeros(3)):
        with pytest.raises(AttributeError) as caught:
            owner.no_such_name
        assert "NumPy" not in str(caught.value) and "no_such_name" in str(caught.value)
    with pytest.raises(AttributeError, match="use numpy.linalg.test"):
        wf.linalg.test
    with pytest.raises(AttributeError, match=r"numpy.asarray\(x\).getfield"):
        wf.zeros(3).getfield
    assert not hasattr(wf.zeros(3), "getfield") and not hasattr(wf, "__no_such__")


def test_the_package_and_its_arrays_do_not_import_numpy():
    text = ("import sys, weft as wf; x = wf.ones(3) + 1; wf.eval(x); hasattr(wf, '__x__'); hasattr(x, '__x__');"
            "sys.exit('numpy' in sys.modules)")
    subprocess.run([sys.executable, "-c", text], check=True, timeout=120)


def test_functions_of_elements_give_numbers():
    same(wf.frompyfunc(lambda x, y: x * y + 1, 2, 1)(wf.arange(3), 2), [1, 3, 5])
    quotient, rest = wf.frompyfunc(divmod, 2, 2)(wf.asarray([[7], [8]]), [2, 3])
    same(quotient, [[3, 2], [4, 2]])
    same(rest, [[1, 1], [0, 2]])
    with pytest.raises(TypeError, match="divmod: takes 2 operands: got 1"):
        wf.frompyfunc(divmod, 2, 2)(3)


def test_numpy_answers_its_own_functions_that_weft_has_no_name_for():
    x = wf.arange(6.0)
    same(np.lib.stride_tricks.sliding_window_view(x, 5), np.lib.stride_tricks.sliding_window_view(np.arange(6.0), 5))
    same(np.linalg.tensorsolve(wf.eye(2), wf.ones(2)), [1.0, 1.0])


def test_missing_names_say_what_to_write():
    for name, text in (("Inf", "Use `np.inf` instead"), ("typename", "NumPy has it: use numpy.typename$"), ("matrix", "use numpy.matrix, with"),
                       ("busday_count", r"use numpy.busday_count\(numpy.asarray\(x\)\), and"), ("bogus", "has no attribute 'bogus'$")):
        with pytest.raises(AttributeError, match=text):
            getattr(wf, name)


def test_halves_that_are_no_nan_may_be_more_than_a_half_can_count():
    x = np.full(140001, 0.01, "f2")
    x[::7] = np.nan
    for name in ("nanmean", "nanvar", "nanstd"):
        have = getattr(wf, name)(wf.asarray(x))
        assert have.dtype == wf.float16
        np.testing.assert_allclose(float(have), getattr(np, name)(x.astype("f8")), rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint32", "int64", "uint64", "float64"])
def test_bincount_counts_as_numpys_does(dtype):
    rng = np.random.default_rng(5)
    table = rng.integers(0, 2 if dtype == "bool" else 100, (60, 70)).astype(dtype)
    ours = wf.asarray(table)
    for part in (lambda x: x[3], lambda x: x[:, 5], lambda x: x[::-2, 1], lambda x: x[2, :0], lambda x: x[0] + x[1], lambda x: x, lambda x: x[0, 0]):
        for minlength in (0, 3, 200, -1, np.int64(7), None, True):
            def count(lib, x):
                try:
                    return np.asarray(lib.bincount(part(x), minlength=minlength)), None
                except Exception as e:
                    return None, type(e)

            (want, refused), (got, also) = count(np, table), count(wf, ours)
            assert (got is None) == (want is None), (refused, also)
            if want is not None:
                assert got.dtype == want.dtype
                np.testing.assert_array_equal(got, want)
    with pytest.raises(ValueError):
        wf.bincount(wf.asarray([3, -1]))
    with pytest.raises(ValueError):
        wf.bincount(wf.asarray([3, 1]), wf.asarray([1.0]))
    x = wf.asarray([1, 2])
    counts = wf.bincount(x)
    counts[0] = 9
    assert wf.bincount(x).tolist() == [0, 1, 1]


@pytest.mark.parametrize("count", [7999, 5_000_001])  # one part, and two
@pytest.mark.parametrize(("dtype", "bins"), [("uint8", 1), ("uint8", 256), ("int8", 100), ("int32", 2000), ("int64", 5000)])
def test_bincount_of_many(dtype, bins, count):
    numbers = np.random.default_rng(bins).integers(0, bins, count).astype(dtype)
    for part in (slice(None), slice(None, None, -3)):
        np.testing.assert_array_equal(wf.bincount(wf.asarray(numbers)[part]), np.bincount(numbers[part]))
    weights = np.random.default_rng(1).random(count)
    # A GPU adds them in an order of its own.
    np.testing.assert_allclose(wf.bincount(wf.asarray(numbers), wf.asarray(weights)), np.bincount(numbers, weights),
                               rtol=0 if wf.device().kind == "cpu" else 1e-12)
    if dtype != "uint8":
        numbers[-1] = -1
        with pytest.raises(ValueError):
            wf.bincount(wf.asarray(numbers))
