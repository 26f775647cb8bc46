"""NumPy's ufuncs and their methods on Weft's arrays: NumPy's answers, as Weft's arrays."""

import numpy as np
import pytest
import weft as wf

X = np.arange(1.0, 13.0).reshape(3, 4)


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.logaddexp, np.subtract, np.bitwise_xor], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_methods(ufunc, dtype):
    if (ufunc is np.bitwise_xor and dtype == "float64") or (ufunc is np.logaddexp and dtype == "int64"):
        dtype = {"float64": "int64", "int64": "float64"}[dtype]
    a = X.astype(dtype)
    x = wf.asarray(a)
    for call in (
        lambda v: ufunc.reduce(v),
        lambda v: ufunc.reduce(v, axis=1),
        lambda v: ufunc.accumulate(v, axis=1),
        lambda v: ufunc.outer(v[0], v[1]),
        lambda v: ufunc.reduceat(v, [0, 2], axis=0),
    ):
        got, want = call(x), call(a)
        assert isinstance(got, wf.Array) and got.dtype == want.dtype
        np.testing.assert_allclose(np.asarray(got), want)


@pytest.mark.parametrize("dtype", ["float32", "int16", "bool", "complex128"])
@pytest.mark.parametrize("method", ["outer", "accumulate"])
def test_methods_of_each_function_give_the_same(method, dtype):
    rng = np.random.default_rng(3)
    a, b = (rng.normal(size=shape) * 4 for shape in ((3, 4), 5))
    a, b = a.astype(dtype), b.astype(dtype)
    asked = 0
    for ufunc in (np.add, np.subtract, np.multiply, np.maximum, np.minimum, np.divide, np.floor_divide, np.logical_or, np.hypot, np.less, np.bitwise_xor, np.power):
        for options in ({}, {"axis": 1}) if method == "accumulate" else ({},):
            operands = (a,) if method == "accumulate" else (np.abs(a), np.abs(b)) if ufunc is np.power else (a, b)
            with np.errstate(all="ignore"):
                try:
                    want = getattr(ufunc, method)(*operands, **options)
                except (TypeError, ValueError):
                    continue
                got = getattr(ufunc, method)(*map(wf.asarray, operands), **options)
            assert type(got) is wf.Array and got.dtype == want.dtype, (ufunc, options)
            np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5, err_msg=f"{ufunc} {options}")
            asked += 1
    assert asked >= 4


def test_outer_of_numpys_functions_is_computed_here():
    x = wf.asarray(X[0])
    with wf.profile() as p:
        wf.eval(np.add.outer(x, x), np.multiply.accumulate(x))
    assert not [row for row in p.to_dict()["rows"] if row["kind"] == "host"]
    out = wf.zeros((4, 4))
    assert np.subtract.outer(x, x, out=out) is out
    np.testing.assert_array_equal(np.asarray(out), np.subtract.outer(X[0], X[0]))


def test_reduce_options():
    x = wf.asarray(X)
    np.testing.assert_array_equal(np.asarray(np.add.reduce(x, axis=None)), X.sum())
    np.testing.assert_array_equal(np.asarray(np.add.reduce(x, axis=0, keepdims=True)), X.sum(axis=0, keepdims=True))
    np.testing.assert_array_equal(np.asarray(np.add.reduce(x, initial=10.0)), np.add.reduce(X, initial=10.0))
    np.testing.assert_array_equal(np.asarray(np.subtract.reduce(x, axis=1)), np.subtract.reduce(X, axis=1))


@pytest.mark.parametrize("n", [10, 100_000])
def test_at_counts_every_occurrence(n):
    rng = np.random.default_rng(1)
    a, index, values = rng.random(n), rng.integers(0, n, 3 * n), rng.random(3 * n)
    for ufunc in (np.add, np.subtract, np.maximum, np.multiply):
        x, want = wf.asarray(a.copy()), a.copy()
        view = x[:]
        assert ufunc.at(x, wf.asarray(index), wf.asarray(values)) is None
        ufunc.at(want, index, values)
        # A GPU takes the occurrences in another order.
        np.testing.assert_allclose(np.asarray(x), want, rtol=1e-12 if "cuda" in str(x.device) else 0)
        np.testing.assert_array_equal(np.asarray(view), np.asarray(x))
    x, want = wf.asarray(X.copy()), X.copy()
    np.add.at(x, (slice(None), [0, 0, 2]), 1.0), np.add.at(want, (slice(None), [0, 0, 2]), 1.0)
    np.negative.at(x, [0, 0, 1]), np.negative.at(want, [0, 0, 1])
    np.testing.assert_array_equal(np.asarray(x), want)
    row = x[1]
    np.add.at(row, [0, 0], 5.0), np.add.at(want[1], [0, 0], 5.0)
    np.testing.assert_array_equal(np.asarray(x), want)


def test_at_of_numpys_own_arrays():
    a = np.zeros(5)
    np.add.at(a, wf.asarray([1, 1, 3]), wf.asarray([1.0, 2.0, 4.0]))
    assert a.tolist() == [0, 3, 0, 4, 0]


def test_what_at_refuses():
    x = wf.zeros(4)
    with pytest.raises(IndexError):
        np.add.at(x, [7], 1.0)
    with pytest.raises(ValueError, match="broadcast"):
        np.add.at(wf.broadcast_to(wf.zeros(1), (4,)), [0], 1.0)
    assert x.tolist() == [0, 0, 0, 0]


def test_ufuncs_that_weft_has_no_name_for():
    x = wf.asarray(X)
    for got, want in ((np.spacing(x), np.spacing(X)), (np.gcd(x.astype("int64"), 6), np.gcd(X.astype(np.int64), 6))):
        assert isinstance(got, wf.Array)
        np.testing.assert_array_equal(np.asarray(got), want)
    for ufunc in (np.modf, np.frexp):
        for got, want in zip(ufunc(x / 3), ufunc(X / 3)):
            np.testing.assert_array_equal(np.asarray(got), want)
    quotient, rest = np.divmod(x, 5)
    np.testing.assert_array_equal(np.asarray(quotient), X // 5)
    np.testing.assert_array_equal(np.asarray(rest), X % 5)


def test_out():
    x, out = wf.asarray(X), wf.zeros((3, 4))
    assert np.add(x, 1, out=out) is out and out.tolist() == (X + 1).tolist()
    assert np.add.accumulate(x, axis=0, out=out) is out
    np.testing.assert_array_equal(np.asarray(out), np.add.accumulate(X, axis=0))
    whole, fraction = wf.zeros((3, 4)), wf.zeros((3, 4))
    np.modf(x / 3, out=(fraction, whole))
    np.testing.assert_allclose(np.asarray(whole + fraction), X / 3)
    out = np.zeros((3, 4))
    assert np.add(x, 1, out=out) is out
    np.testing.assert_array_equal(out, X + 1)


ON_HOST = [
    "np.broadcast_arrays(x, None)", "np.array_equal(x, None)", "np.array_equiv(x, 'a')", "np.where(x > 1, 'a', 'b')", "np.where(x > 1, x, None)",
    "np.where(x > 1, np.array(['a', 'b', 'c', 'd']), x)", "np.concatenate([x, ['a']])", "np.stack([x, [None] * 4])", "np.full_like(x, None, dtype=object)",
    "np.append(x, 's')", "np.isin(x, ['a', 'b'])", "np.equal(x, None)", "np.atleast_1d(x, None)", "np.choose(x, ['a', 'b', 'c', 'd'])",
    "np.select([x > 1], [np.array(list('abcd'))], 'z')", "np.where(x > 1, np.datetime64('2026-01-01'), np.datetime64('2026-01-02'))",
]  # fmt: skip


@pytest.mark.parametrize("text", ON_HOST)
def test_numpy_answers_what_takes_text_and_objects(text):
    want, got = (eval(text, {"np": np, "x": x}) for x in (np.arange(4), wf.arange(4)))
    for one, other in zip(*((each if isinstance(each, tuple) else (each,)) for each in (got, want)), strict=True):
        if np.asarray(other).dtype.kind in "OUMm":
            assert isinstance(one, np.ndarray)
        np.testing.assert_array_equal(np.asarray(one), other)
        assert np.asarray(one).dtype == np.asarray(other).dtype


@pytest.mark.parametrize("text", ["np.add(x, None)", "np.stack([x, None])", "np.concatenate([x, [1]], axis=3)", "np.fill_diagonal(x.reshape(2, 2), 'a')",
                                  "np.copyto(x, 'a')", "np.put(x, [0], 'a')"])  # fmt: skip
def test_what_numpy_cannot_answer_either_is_refused_in_wefts_words(text):
    x = wf.arange(4)
    with pytest.raises((TypeError, ValueError), match=r"^\w+: .*: got|^invalid literal"):
        eval(text, {"np": np, "x": x})
    assert x.tolist() == [0, 1, 2, 3]


def test_conditions_of_select_are_lists_too():
    assert wf.select([[True, False], [False, False]], [[1, 2], [3, 4]], 9).tolist() == [1, 9]


INTO_NUMPYS = [
    "n += x", "n *= x + 1", "n[::2] -= x[:3]", "n **= 2 + x * 0", "i += x", "i += x.astype(int)", "f += x", "np.add(x, 1, out=n)", "np.add(x, 1, out=n, where=x > 2)",
    "np.add.accumulate(x, out=n)", "np.sum(x, out=n[0:1].reshape(()))", "np.concatenate([x, x], out=np.zeros(10))", "np.divmod(x, 2, out=(None, n))", "n @= x",
    "np.clip(x, 1, 2, out=n)", "np.copyto(n, x)", "np.copyto(i, x)", "np.copyto(n, x, where=x > 2)", "np.put(n, [0, 1], x)", "np.place(n, x > 1, x)",
    "np.putmask(n, x > 1, x)", "np.put_along_axis(n, np.array([1, 2]), x[:2], 0)", "np.fill_diagonal(n.reshape(1, 5), x)",
]  # fmt: skip


@pytest.mark.parametrize("text", INTO_NUMPYS)
def test_numpy_writes_what_it_computes_of_wefts_arrays_to_arrays_of_its_own(text):
    told = []
    for array in (np.asarray, wf.asarray):
        names = {"np": np, "x": array(np.arange(5.0)), "n": np.full(5, 2.0), "i": np.ones(5, int), "f": np.ones(5, "f4")}
        given = dict(names)
        try:
            exec(text, names)
        except (TypeError, ValueError) as error:
            told.append(type(error))
            continue
        assert all(names[name] is given[name] for name in "nif")
        told.append([(names[name].dtype, names[name].tolist()) for name in "nif"])
    assert told[0] == told[1]


def test_what_weft_reads_of_numpys_memory_keeps_its_values_when_that_is_written_to(on_cpu):
    n = np.ones(100_000)
    x = wf.asarray(n, device="cpu", copy=False)
    later = x * 5
    n += x
    assert n[0] == 2 and float(x[0]) == 1 and float(later[-1]) == 5
    n += wf.asarray(n, device="cpu", copy=False) * 2
    assert n[0] == 6
    np.add.at(n, wf.asarray([0, 0]), wf.ones(2))
    assert n[0] == 8
    seen = memoryview(wf._core.memory(x := wf.asarray(n, device="cpu", copy=False)))
    with pytest.raises(ValueError, match="read-only"):
        n += 1
    with pytest.raises(ValueError, match="read-only"):  # who has `seen` does not expect it to change
        n += x
    del seen
    q, r = np.zeros(100_000), wf.zeros(100_000)
    assert np.divmod(x, 2, out=(q, r))[0] is q and q[0] == 4 and float(r.sum()) == 0
