"""Results that Weft's functions write to NumPy's memory, as NumPy's write them: every function that takes out=."""

import inspect

import numpy as np
import pytest
import weft as wf

pytestmark = pytest.mark.usefixtures("on_cpu")

X = np.linspace(0.1, 0.9, 12).reshape(3, 4)
I = np.arange(12).reshape(3, 4) % 5 + 1  # noqa: E741
B = I > 2
ARGUMENTS = {  # by the function's name; else by how many operands it takes
    "choose": (I[0] % 3, X), "compress": ([True, False, True], X, 0), "concat": ([X, X],), "concatenate": ([X, X],), "conj": (X,), "cross": (X[:, :3], X[:, 1:]),
    "dot": (X, X.T), "einsum": ("ij,kj->ik", X, X), "inner": (X, X), "isneginf": (X,), "isposinf": (X,), "matmul": (X, X.T), "matvec": (X, X[0]), "vecmat": (X[:, 0], X),
    "nanpercentile": (X, 30.0), "nanquantile": (X, 0.3), "outer": (X, I), "percentile": (X, [30.0, 60.0], 1), "quantile": (X, 0.3, 0), "stack": ([X, X],),
    "take": (X, [2, 0], 1), "clip": (X, 0.3, 0.6), "vecdot": (X, X), "nanmax": (X, 1), "ldexp": (X, I), "gcd": (I, I + 1), "lcm": (I, I + 1), "spacing": (X,),
    "bitwise_count": (I,), "bitwise_not": (I,), "bitwise_invert": (I,), "invert": (I,), "arccosh": (X + 1,), "acosh": (X + 1,), "cumulative_sum": (X[0],), "cumulative_prod": (X[0],), "isnat": None, "hstack": None, "vstack": None,
}  # fmt: skip
BITS = ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm")


def functions():
    for name in sorted(set(dir(wf)) & set(dir(np))):
        ours, numpys = getattr(wf, name), getattr(np, name)
        if name.startswith("_") or not callable(ours) or inspect.isclass(ours):
            continue
        if isinstance(numpys, np.ufunc):
            if name not in ARGUMENTS:
                yield name, ((I, I) if name in BITS else (X,) * numpys.nin)
            elif ARGUMENTS[name]:
                yield name, ARGUMENTS[name]
        elif "out" in inspect.signature(ours).parameters:
            if ARGUMENTS.get(name, True):
                yield name, ARGUMENTS.get(name, (X,))


def places(shape, dtype):
    yield np.zeros(shape, dtype)
    yield np.zeros(shape[::-1], dtype).T
    if shape:
        yield np.zeros((2 * shape[0], *shape[1:]), dtype)[::-2]
        yield np.zeros((*shape, 3), dtype)[..., 1]
        yield np.zeros(shape, np.dtype(dtype).newbyteorder(">"))


def given(arguments, m):
    def one(x):
        return m.asarray(x) if isinstance(x, np.ndarray) else [one(y) for y in x] if isinstance(x, list) else x

    return tuple(map(one, arguments))


@pytest.mark.parametrize(("name", "arguments"), [pytest.param(*one, id=one[0]) for one in functions()])
def test_results_go_to_numpys_memory(name, arguments):
    plain = getattr(np, name)(*arguments)
    several = isinstance(plain, tuple)
    for mine in (given(arguments, wf), arguments):
        alternatives = [list(places(one.shape, one.dtype)) for one in (plain if several else (plain,))]
        for outs in zip(*alternatives):
            got = getattr(wf, name)(*mine, out=outs if several else outs[0])
            for out, result, want in zip(outs, got if several else (got,), plain if several else (plain,)):
                assert result is out
                np.testing.assert_allclose(out, want, rtol=1e-6)
                if out.base is not None and out.base.size > out.size:  # what lies between is left alone
                    assert np.count_nonzero(out.base) <= out.size


@pytest.mark.parametrize("statement", [
    "m.add(x, 1, x)", "m.add(x[:-1], x[1:], out=x[1:])", "m.multiply(x[::-1], 2, out=x)", "m.cumsum(x, out=x)", "m.clip(x, 3, 7, out=x)", "m.sqrt(x, x[::-1])",
    "m.add(x, y, out=y, where=y > 3)", "m.add(x, y, y[::-1], where=(x > 3))", "m.matmul(s, s, out=s)", "m.add(s, s.T, out=s)", "m.sum(s, 0, out=s[1])",
    "m.divmod(x, 3, out=(y, x))", "m.divmod(x, 3, x, y)", "m.round(x / 3, 1, out=x)", "m.take(x, [5, 4, 3, 2, 1], out=x[:5])", "m.minimum.accumulate(x[::-1], out=x)",
    "m.maximum(x, 3, out=s)", "m.add(1, 2, out=x)", "m.equal(x, 3, out=t)", "m.equal(x, 3, out=x)", "m.add(x, 1, out=(y,))", "m.mean(s, 1, out=x[:10])",
    "m.add(i, 1, out=x)", "m.add(i, 2.5, out=i, casting='unsafe')", "m.add(i, 300, out=k, casting='unsafe')", "m.add(x, 1, out=h)", "m.add(i, 1, out=x, where=t)",
    "m.add.at(x, [1, 1], 5)", "m.subtract.reduce(s, out=x)", "m.add.reduceat(x, [0, 3], out=y[:2])", "m.isposinf(x, out=t)", "m.logical_not(x, out=x)", "m.ptp(s, 0, out=x)",
    "m.var(s, 0, out=x)", "m.argmax(s, 0, out=i)", "m.nanmean(s, 0, out=x)", "m.median(s, 0, out=x)", "m.sort(x)", "m.stack([x, y], 1, out=s[:, :2])",
    "m.copyto(x, y)", "m.copyto(x, y, where=y > 3)", "m.copyto(dst=x, src=7)", "m.put(x, [1, 2], [5, 6])", "m.place(x, x > 3, [1, 2])", "m.putmask(x, x > 3, y)",
    "m.put_along_axis(s, np.argsort(s, 1)[:, :1], 9, 1)", "m.fill_diagonal(s, 5)", "m.fill_diagonal(a=s, val=x)",
    "x[3] = np.nan; m.nan_to_num(x, copy=False)", "m.copyto(x, m.asarray(x)[::-1])",
    # what NumPy refuses
    "m.copyto(i, y)", "m.put(x, [99999], 1)", "m.copyto(w, y)", "m.fill_diagonal(x, 1)",
    "m.add(x, 1, out=x[:5])", "m.add(x, 1.5, out=i)", "m.add(i, 1, out=k, casting='safe')", "m.add(x, 1, out=w)", "m.sum(s, 0, out=x[:5])", "m.divmod(x, 2, out=x)",
    "m.add(x, 1, out=[0.0])", "m.add(x, 1, x, out=x)", "m.sum(s, 0, out='x')", "m.add(x, 1j, out=x)", "m.matmul(s, s, out=x)", "m.dot(s, s, out=s.astype('f4'))",
    "m.clip(x, 0, 1, out=i)", "m.concatenate([x, x], out=x)", "m.add(x, 1, out=(x, y))",
])  # fmt: skip
@pytest.mark.parametrize("size", [10, 300])
def test_memory_that_is_read_and_written_and_what_is_refused(statement, size):
    def outcome(m):
        names = {"m": m, "np": np, "x": np.arange(size) % 10 * 1.0, "y": np.arange(size)[::-1] * 1.0, "s": np.arange(size * size).reshape(size, size) % 7 * 1.0, "i": np.arange(size),
                 "k": np.zeros(size, "i1"), "h": np.zeros(size, "f2"), "t": np.arange(size) % 3 > 0, "w": np.zeros(size)}  # fmt: skip
        names["w"].flags.writeable = False
        try:
            exec(statement, names)
        except Exception as error:
            names["error"] = next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
        return names

    want, got = outcome(np), outcome(wf)
    refusals = (TypeError, ValueError)
    assert want.get("error") == got.get("error") or (want.get("error") in refusals and got.get("error") in refusals), (want.get("error"), got.get("error"))
    for name in "xysikht":
        np.testing.assert_allclose(got[name], want[name], rtol=1e-6, err_msg=name)


def test_large_memory_that_arrays_read_is_written_to_and_they_keep_their_values():
    n = np.arange(100_000) * 1.0
    x, last = wf.asarray(n, copy=False), wf.asarray(n, copy=False)[-3:]
    pending = x * 2
    assert wf.add(x, 1, out=n) is n and n[5] == 6
    assert float(x[5]) == 5 and last.tolist() == [99_997, 99_998, 99_999] and float(pending[5]) == 10
    n[0] = -1  # nobody reads it any more
    view = n[::2]
    y = wf.asarray(n, copy=False)
    wf.negative(y[::2], out=view)
    assert n[0] == 1 and n[2] == -3 and float(y[0]) == -1 and float(y[2]) == 3
    kept = memoryview(wf._core.memory(wf.asarray(n, copy=False)))
    with pytest.raises(ValueError, match="read-only"):
        wf.add(y, 1, out=n)
    del kept
    wf.add(y, 1, out=n)


def test_a_shuffled_array_of_numpys_has_its_elements():
    n = np.arange(100_000)
    x = wf.asarray(n, copy=False)
    wf.random.default_rng(3).shuffle(n)
    assert not (n == np.arange(100_000)).all() and (np.sort(n) == np.arange(100_000)).all() and int(x[5]) == 5


def test_results_go_to_the_memory_of_other_arrays():
    x = wf.arange(5.0)
    a = np.asarray(x)
    assert wf.add(x, 1, out=a) is a and x.tolist() == [1, 2, 3, 4, 5]
    later = x * 2
    wf.add(x[:-1], x[1:], out=a[1:])
    assert x.tolist() == [1, 3, 5, 7, 9] and later.tolist() == [2, 4, 6, 8, 10]
    q = wf.zeros(5)
    n = np.zeros(5)
    assert all(got is given for got, given in zip(wf.divmod(x, 2, out=(q, n)), (q, n)))
    assert q.tolist() == [0, 1, 2, 3, 4] and n.tolist() == [1, 1, 1, 1, 1]


def test_numpys_memory_inside_of_a_compiled_function_is_refused():
    n = np.zeros(5)
    with pytest.raises(wf.Error, match="compile"):
        wf.compile(lambda x: wf.add(x, 1, out=n))(wf.ones(5))
    assert n.tolist() == [0] * 5


def test_what_holds_no_numbers_is_refused():
    for out in (np.zeros(3, "S3"), np.zeros(3, object), np.zeros(3, "m8[s]"), np.ma.zeros(3), [0.0] * 3):
        for f in (lambda out: wf.add(wf.ones(3), 1, out=out), lambda out: wf.cumsum(wf.ones(3), out=out), lambda out: wf.fmax(wf.ones(3), 1, out=out)):
            with pytest.raises(TypeError, match="holds|written to"):
                f(out)


def test_bfloat16_goes_to_numpys_memory():
    n = np.zeros(3, "f4")
    b = np.zeros(3, wf.bfloat16)
    x = wf.asarray([1, 2, 3], dtype=wf.bfloat16)
    assert wf.add(x, 1, out=n) is n and n.tolist() == [2, 3, 4]
    assert wf.add(x, 1, out=b) is b and b.astype("f4").tolist() == [2, 3, 4]
