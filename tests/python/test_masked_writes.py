"""What is written where a mask is true: converted as an assignment converts it, and bit by bit nothing else is touched."""

import ml_dtypes
import numpy as np
import pytest
import weft as wf

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
SHAPES = [(), (7,), (2, 0), (4, 1, 3), (300,)]


def numpys(dtype):
    return np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def drawn(rng, dtype, shape, into=None):
    """Numbers at the dtype's ends, and beyond what 53 bits hold; floats that go to integers lie within those."""
    dtype = numpys(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        ends = [info.min, info.max, info.max - 1, info.max // 2 + 1, 0, 1, 3, 2**53 + 1, 2**60 + 1]
        return np.array([one for one in ends if info.min <= one <= info.max], dtype)[rng.integers(0, 7, shape)]
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    numbers = rng.integers(0, 100, shape) + rng.random(shape)
    if into is not None and numpys(into).kind in "iu":
        return numbers.astype(dtype)
    numbers = np.where(rng.random(shape) < 0.3, rng.choice([np.nan, np.inf, -np.inf, -0.0, 1e-7, 60000.0], shape), -numbers)
    return (numbers + 1j * rng.random(shape)).astype(dtype) if dtype.kind == "c" else np.asarray(numbers).astype(dtype)


def bits(x):
    return np.ascontiguousarray(x).view(np.uint8).tolist()


def laid_out(lib, values, rng):
    """The values as a view of something larger: every second one, backwards, of columns or as they are."""
    how = rng.integers(0, 4)
    if values.ndim == 0 or how == 0:
        x = lib.asarray(values.copy())
        return x, x
    if how == 1:
        x = lib.asarray(np.repeat(values, 2, -1))
        return x, x[..., ::2]
    if how == 2:
        x = lib.asarray(values[..., ::-1].copy())
        return x, x[..., ::-1]
    x = lib.asarray(values.T.copy())
    return x, x.T


def both(seed, dtype, other, shape, write):
    """The whole memory after the same write in NumPy and in Weft, and before it."""
    results = []
    for lib in (np, wf):
        rng = np.random.default_rng(seed)
        before = drawn(rng, dtype, shape)
        source = drawn(rng, other, shape, into=dtype)
        mask = rng.random(shape) < 0.5
        whole, target = laid_out(lib, before, rng)
        with np.errstate(all="ignore"):
            try:
                write(lib, target, lib.asarray(source), lib.asarray(mask))
            except TypeError:
                results.append("TypeError")
                continue
        results.append((np.array(whole), np.array(target), before, mask))
    return results


def same(results, rounded=False):
    """Equal, or within four roundings of float64."""
    want, have = results
    if "TypeError" in results:
        assert want == have
        return
    assert bits(have[1][~have[3]]) == bits(have[2][~have[3]]), "what the mask leaves alone has changed"
    assert have[0].dtype == want[0].dtype
    wide = [one[0].astype("c16" if one[0].dtype.kind in "fcV" else one[0].dtype) for one in (have, want)]
    np.testing.assert_allclose(*wide, rtol=1e-15 if rounded else 0, atol=0)


@pytest.mark.parametrize("other", DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.filterwarnings("ignore")
def test_copyto_converts_what_is_picked_and_touches_nothing_else(dtype, other):
    for i, shape in enumerate(SHAPES):
        for casting in ("same_kind", "unsafe"):
            same(both(i, dtype, other, shape, lambda lib, d, s, m: lib.copyto(d, s, casting=casting, where=m)))


@pytest.mark.parametrize("other", ["bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64"])
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "uint64", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("name", ["add", "maximum", "fmax", "positive", "float_power"])
@pytest.mark.filterwarnings("ignore")
def test_functions_convert_what_is_picked_and_touch_nothing_else(name, dtype, other):
    if name == "positive" and other == "bool":
        pytest.skip("NumPy has no positive() of bools")
    for i, shape in enumerate(SHAPES):
        for casting in ("same_kind", "unsafe") if name != "float_power" else ("same_kind",):

            def write(lib, d, s, m):
                f, one = getattr(lib, name), lib.asarray(np.asarray(1, s.dtype))
                f(s, *([] if name == "positive" else [one]), out=d, where=m, casting=casting)

            # CUDA's pow() is not exact, not even of the exponent 1.
            same(both(i, dtype, other, shape, write), rounded=name == "float_power" and wf.default_device() != "cpu")


@pytest.mark.parametrize("other", ["bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "uint64", "float16", "float64", "complex64"])
@pytest.mark.filterwarnings("ignore")
def test_masks_and_positions_write_what_an_assignment_writes(dtype, other):
    def mask_in_brackets(lib, d, s, m):
        d[m] = s[m]

    def placed(lib, d, s, m):
        lib.place(d, m, s) if s.size and d.dtype == s.dtype else None

    def put(lib, d, s, m):
        lib.put(d, lib.flatnonzero(m), s) if d.dtype == s.dtype and d.ndim else None

    def put_by_mask(lib, d, s, m):
        lib.putmask(d, m, s)

    for write in (mask_in_brackets, placed, put, put_by_mask):
        for i, shape in enumerate(SHAPES):
            same(both(i, dtype, other, shape, write))


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_clip_leaves_alone_what_the_mask_does_not_pick(dtype):
    for lib in (np, wf):
        d = lib.asarray(np.array([2**60 + 1, 7, 2**53 + 1], dtype))
        lib.clip(lib.asarray(np.array([1, 9, 5], "int32")), 2, 8, out=d, where=lib.asarray([False, True, False]), casting="unsafe")
        assert [int(one) for one in d] == [2**60 + 1, 8, 2**53 + 1]


@pytest.mark.parametrize("where", [[1, 0, 1], np.asarray([1, 0, 1]), np.asarray([1.0, 0, 1]), 1, 0, 2.5, None, True, np.bool(True), np.int64(1), "a", [[True], [False]], [True, False]])
@pytest.mark.parametrize("call", [
    "np.copyto(d, 9, where=w)", "np.add(d, 9, out=d, where=w)", "np.fmax(d, 9, out=d, where=w)", "np.negative(d, out=d, where=w)", "d = np.sum(d, where=w)", "d = np.max(d, initial=0, where=w)",
    "d = np.mean(d, where=w)", "d = np.any(d, where=w)", "d = np.add.reduce(d, where=w)",
])  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_conditions_are_taken_as_numpy_takes_them(call, where):
    if "mean" in call and not np.asarray(where).dtype == bool:
        pytest.skip("NumPy's mean() counts by the condition's own numbers")
    outcomes = []
    for lib in (np, wf):
        scope = {"np": lib, "d": lib.asarray([1, 2, 3]), "w": lib.asarray(where) if isinstance(where, np.ndarray) else where}
        try:
            exec(call, scope)
            outcomes.append(np.array(scope["d"]))
        except (TypeError, ValueError) as error:
            outcomes.append(error)
    want, have = outcomes
    assert isinstance(want, Exception) == isinstance(have, Exception), (want, have)
    if not isinstance(want, Exception):
        np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize("call", [
    "np.divmod(f, 2, out=(x, y))", "np.divmod(f, 2, out=(x, y), where=[True, False, True])", "np.modf(f, out=(x, y))", "np.frexp(f, (x, y))", "np.divmod(f, 2, out=(x, short))", "np.divmod(f, 2, out=(x, 3))",
])  # fmt: skip
def test_nothing_is_written_where_one_of_two_results_cannot_be(call):
    for make in (wf.asarray, np.asarray):
        x, y, short = make(np.ones(3)), make(np.ones(3, "i1")), make(np.ones(2))
        if "frexp" in call:
            y = make(np.ones(3, "?"))
        with pytest.raises((TypeError, ValueError)):
            exec(call, {"np": wf, "f": wf.asarray([7.5, 3.25, 2.0]), "x": x, "y": y, "short": short})
        assert np.asarray(x).tolist() == [1, 1, 1] and np.asarray(y).tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", ["int8", "int64"])
@pytest.mark.parametrize("call", [
    "np.power(a, n, out=d, where=w)", "np.power(a[:, None], n, out=np.zeros((3, 3), a.dtype), where=w)", "np.power(a, n, out=d, where=w, casting='unsafe')", "np.power(a, n, out=d, where=w, dtype=a.dtype)",
    "np.power(a.astype('f8'), n, out=d, where=w, casting='unsafe', dtype=a.dtype)", "np.power(a.astype('f4'), n, out=np.zeros(3), where=w)", "np.power(a, n, out=d, where=w[::-1])", "np.power(a, n, out=d, where=False)",
])  # fmt: skip
def test_exponents_that_the_mask_leaves_out_are_not_looked_at(call, dtype):
    results = []
    for lib in (np, wf):
        scope = {"np": lib, "w": lib.asarray([False, True, True]), "d": lib.asarray(np.array([9, 9, 9], dtype))}
        scope |= {"a": lib.asarray(np.array([2, 3, 4], dtype)), "n": lib.asarray(np.array([-1, 2, 3], dtype))}
        try:
            result = eval(call, scope)
            results.append((str(result.dtype), np.asarray(result).tolist()))
        except ValueError:
            results.append("ValueError")
    assert results[0] == results[1]


def test_exponents_that_the_mask_leaves_out_of_a_compiled_function():
    @wf.compile
    def f(x, n, w, d):
        wf.power(x, n, out=d, where=w)
        return d * 1

    x, w = wf.asarray([2, 3]), wf.asarray([False, True])
    for exponents, want in (([-1, 2], [7, 9]), ([-5, 3], [7, 27])):
        assert f(x, wf.asarray(exponents), w, wf.asarray([7, 7])).tolist() == want
    with pytest.raises(ValueError, match="pow: integers to negative integer powers are not integers"):
        f(x, wf.asarray([2, -1]), w, wf.asarray([7, 7]))


@pytest.mark.parametrize("shape, of", [((7,), 1), ((4, 5), 2), ((4, 5), 1), ((3, 4, 2), 2), ((0, 3), 1), ((0,), 1)])
@pytest.mark.parametrize("value", [1, True, 2.5, "value", "array", "one"])
def test_a_mask_of_the_first_axes_picks_and_writes_as_numpys(shape, of, value):
    rng = np.random.default_rng(len(shape) * 7 + of)
    a = rng.integers(0, 9, shape).astype("float64")
    m = rng.random(shape[:of]) < 0.6
    x, mask = wf.asarray(a.copy()), wf.asarray(m)
    before, part, of_part = x + 0, x[1:], a[1:]
    picked = x[mask]
    np.testing.assert_array_equal(np.asarray(picked), a[m])
    count = int(m.sum())
    given = {"value": np.float64(3), "one": np.full(1, 6.0), "array": np.arange(float(count)) if of == len(shape) else np.arange(float(shape[-1]))}.get(value, value)
    a[m] = given
    x[mask] = wf.asarray(given) if isinstance(given, np.ndarray) else given
    np.testing.assert_array_equal(np.asarray(x), a)
    np.testing.assert_array_equal(np.asarray(part), of_part)  # a view sees it,
    np.testing.assert_array_equal(np.asarray(picked), np.asarray(before)[m])  # and what was computed before does not
    a[m] += 1
    x[mask] += 1
    np.testing.assert_array_equal(np.asarray(x), a)


def test_what_a_mask_cannot_pick_or_write_is_said():
    x = wf.asarray(np.arange(6.0))
    with pytest.raises(IndexError):
        x[wf.asarray(np.ones(5, bool))]
    with pytest.raises(TypeError, match="assign: complex values cannot be stored as f64"):
        x[wf.asarray(np.ones(6, bool))] = 1j
    with pytest.raises(ValueError):
        x[wf.asarray(np.ones(6, bool))] = wf.arange(4.0)
    with pytest.raises(ValueError, match="read-only"):
        wf.broadcast_to(x, (2, 6))[wf.asarray(np.ones((2, 6), bool))] = 1
    with pytest.raises(OverflowError):
        wf.asarray(np.zeros(3, "int8"))[wf.asarray(np.ones(3, bool))] = 1000
    assert x.tolist() == list(range(6))
