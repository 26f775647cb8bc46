"""What NumPy's functions and methods take Weft's take, under the same names and at the same places; nothing is left unheeded."""

import inspect

import numpy as np
import pytest
import weft as wf

MODULES = {
    "": (np, wf),
    "linalg": (np.linalg, wf.linalg),
    "fft": (np.fft, wf.fft),
    "lib.stride_tricks": (np.lib.stride_tricks, wf.lib.stride_tricks),
    "ndarray": (np.ndarray, wf.Array),
    "random.Generator": (np.random.Generator, wf.random.Generator),
}
# min and max are the standard's names at these places; the method choose() takes choices there, whatever its documentation says.
AT_OTHER_PLACES = {("clip", "a_min"), ("clip", "a_max"), ("choose", "out"), ("choose", "mode")}
KEYWORDS = {"out", "where", "casting", "order", "dtype", "subok", "signature"}


def callables():
    for module, (numpys, ours) in MODULES.items():
        for name in dir(numpys):
            if name.startswith("_") or not hasattr(ours, name):
                continue
            f = getattr(numpys, name)
            if callable(f) and not isinstance(f, (type, np.ufunc)):
                yield pytest.param(f, getattr(ours, name), id=f"{module}.{name}".lstrip("."))


def parameters(f):
    if f is np.fromstring:  # has no signature but in its documentation
        return inspect.signature(lambda string, dtype=float, count=-1, *, sep, like=None: None).parameters
    return inspect.signature(f).parameters


@pytest.mark.parametrize(("numpys", "ours"), list(callables()))
def test_parameters_have_numpys_names_and_places(numpys, ours):
    expected, got = parameters(numpys), parameters(ours)
    if any(p.kind is p.VAR_KEYWORD for p in got.values()) and any(p.kind is p.VAR_POSITIONAL for p in got.values()):
        return  # hands on to NumPy whatever it gets
    for place, (name, p) in enumerate(expected.items()):
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or (numpys.__name__, name) in AT_OTHER_PLACES:
            continue
        if p.kind is p.POSITIONAL_ONLY and name not in got:
            assert place < len(got), name
            continue
        assert name in got, name
        assert got[name].kind is not p.POSITIONAL_ONLY or p.kind is p.POSITIONAL_ONLY, name
        if p.kind is p.POSITIONAL_OR_KEYWORD:
            assert got[name].kind is not p.KEYWORD_ONLY and list(got).index(name) == place, name


@pytest.mark.parametrize("name", [name for name in dir(np) if isinstance(getattr(np, name), np.ufunc) and hasattr(wf, name)])
def test_elementwise_functions_take_numpys_keywords(name):
    missing = KEYWORDS - set(inspect.signature(getattr(wf, name)).parameters)
    assert not missing - {"where"} if name in ("matmul", "vecdot", "matvec", "vecmat") else not missing


def outcome(f, m):
    """What f gives with a module, or the kind of error."""
    try:
        result = f(m)
    except Exception as error:
        return next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
    results = result if isinstance(result, tuple) else (result,)
    return repr([(np.asarray(one).tolist(), str(np.asarray(one).dtype)) for one in results])


def ints(m):
    return m.asarray([[3, 1, 2], [6, 5, 4]])


def floats(m):
    return m.asarray([[3.0, 1.5, -2.0], [6.0, np.nan, 4.0]])


RULES = {
    "unsafe to a smaller dtype": lambda m: m.add(floats(m)[0], 1.5, dtype="int32", casting="unsafe"),
    "unsafe into out": lambda m: m.add(ints(m), 2.5, out=m.zeros((2, 3), "int64"), casting="unsafe"),
    "same_kind into out": lambda m: m.add(ints(m), 2.5, out=m.zeros((2, 3), "int64")),
    "no casting": lambda m: m.add(ints(m), 1.5, casting="no"),
    "no casting needed": lambda m: m.add(ints(m), 1, casting="no"),
    "equiv": lambda m: m.multiply(ints(m), ints(m).astype("int32"), casting="equiv"),
    "safe": lambda m: m.multiply(ints(m), ints(m).astype("int32"), casting="safe"),
    "safe into out": lambda m: m.add(ints(m), 1, out=m.zeros((2, 3), "int32"), casting="safe"),
    "unknown rule": lambda m: m.add(ints(m), 1, casting="bogus"),
    "signature as text": lambda m: m.add(ints(m), ints(m), signature="ff->f", casting="unsafe"),
    "signature as dtypes": lambda m: m.add(ints(m), ints(m), signature=("float32", "float32", "float32"), casting="unsafe"),
    "sig": lambda m: m.add(ints(m), ints(m), sig="dd->d"),
    "signature of another length": lambda m: m.add(ints(m), ints(m), signature="d->d"),
    "signature and dtype": lambda m: m.add(ints(m), ints(m), signature="dd->d", dtype="float64"),
    "no such loop": lambda m: m.divide(ints(m), 2, dtype="int64", casting="unsafe"),
    "order": lambda m: m.add(ints(m), 1, order="F", subok=False),
    "unknown order": lambda m: m.add(ints(m), 1, order="Q"),
    "unknown keyword": lambda m: m.add(ints(m), 1, bogus=1),
    "composed dtype": lambda m: m.fmax(ints(m), 2, dtype="float32"),
    "composed casting": lambda m: m.fmax(ints(m), 2.5, casting="no"),
    "composed out and where": lambda m: m.fmax(ints(m), 2, out=m.zeros((2, 2, 3)), where=[True, False, True]),
    "composed order": lambda m: m.rint(floats(m)[0], order="Q"),
    "numbers of Python": lambda m: m.add(3.0, 4.0, dtype="int64", casting="unsafe"),
    "numbers of Python, safe": lambda m: m.add(3.0, 4.0, dtype="int64", casting="safe"),
    "numbers of Python compared": lambda m: m.equal(3, 4.5, casting="safe"),
    "a number and a smaller dtype": lambda m: m.add(ints(m).astype("int8"), 1, casting="no"),
    "two results": lambda m: m.divmod(ints(m), 2, out=(m.zeros((2, 3), int), m.zeros((2, 3), int))),
    "two results at places": lambda m: m.modf(floats(m)[0], m.zeros(3), m.zeros(3)),
    "two results, one out": lambda m: m.divmod(ints(m), 2, out=(None, m.zeros((2, 3), int))),
    "two results, out alone": lambda m: m.divmod(ints(m), 2, out=m.zeros((2, 3), int)),
    "two results, where": lambda m: m.divmod(ints(m), 2, out=(m.zeros((2, 3), int), m.zeros((2, 3), int)), where=[True, False, True]),
    "unary": lambda m: m.negative(ints(m), dtype="float32", casting="unsafe"),
    "comparison": lambda m: m.less(ints(m), 2.5, casting="no"),
    "matmul dtype": lambda m: m.matmul(ints(m), ints(m).T, dtype="float32", casting="unsafe"),
    "matmul axes": lambda m: m.matmul(ints(m), ints(m), axes=[(1, 0), (0, 1), (1, 0)]),
    "matmul axis": lambda m: m.matmul(ints(m), ints(m).T, axis=0),
    "matmul out": lambda m: m.matmul(ints(m), ints(m).T, m.zeros((2, 2))),
    "vecdot axis": lambda m: m.vecdot(ints(m), ints(m), axis=-2, keepdims=True),
    "vecdot axes": lambda m: m.vecdot(ints(m), ints(m).T, axes=[0, 1]),
    "vecdot out": lambda m: m.vecdot(ints(m), ints(m), m.zeros(2)),
    "matvec axes": lambda m: m.matvec(ints(m), ints(m)[0], axes=[(0, 1), 0, 0]),
    "vecmat dtype": lambda m: m.vecmat(ints(m)[:, 0], ints(m), dtype="float64"),
}


@pytest.mark.parametrize("name", RULES)
def test_what_numpys_elementwise_functions_take_means_the_same(name):
    assert outcome(RULES[name], wf) == outcome(RULES[name], np)


KEYWORD_CALLS = {
    "sum": lambda m: m.sum(a=ints(m), axis=0, initial=10, where=[[True, False, True], [True, True, False]]),
    "sum at places": lambda m: m.sum(ints(m), 1, None, None, False, 5, [True, False, True]),
    "max at places": lambda m: m.max(ints(m), 1, None, False, 5, [True, False, True]),
    "sort": lambda m: m.sort(a=ints(m), axis=0, kind="heapsort"),
    "sort kind": lambda m: m.sort(ints(m), kind="bogus"),
    "sort order": lambda m: m.sort(ints(m), order="f"),
    "argsort kind": lambda m: m.argsort(ints(m), kind="bogus"),
    "method sort kind": lambda m: ints(m).sort(kind="bogus"),
    "method sort at places": lambda m: ints(m).sort(0, "stable", "f"),
    "isin": lambda m: m.isin(ints(m), [1, 2], False, True, kind="sort"),
    "isin kind": lambda m: m.isin(ints(m), [1, 2], kind="bogus"),
    "reshape order": lambda m: m.reshape(ints(m), shape=(3, 2), order="F"),
    "zeros order": lambda m: m.zeros(3, order="Q"),
    "array order": lambda m: m.array([1, 2], order="Q"),
    "astype order": lambda m: ints(m).astype(float, order="Q"),
    "full_like shape": lambda m: m.full_like(ints(m), 2, "float32", "C", True, (2,)),
    "take mode": lambda m: m.take(a=ints(m), indices=[7, -9], mode="clip"),
    "take bools": lambda m: m.take(ints(m), [True, False]),
    "nansum": lambda m: m.nansum(floats(m), 1, None, None, False, 3.0, [True, False, True]),
    "nanmax": lambda m: m.nanmax(a=floats(m), axis=1, initial=-5, where=[True, False, True]),
    "nanmean": lambda m: m.nanmean(floats(m), axis=1, where=[True, True, False]),
    "nanvar": lambda m: m.nanvar(floats(m), axis=1, where=[True, True, False], correction=1),
    "nanvar of too few": lambda m: m.nanvar(floats(m)[:, :1], axis=1, ddof=3),
    "nanstd mean": lambda m: m.nanstd(floats(m), axis=1, mean=m.asarray([[1.0], [2.0]])),
    "hstack": lambda m: m.hstack([ints(m), ints(m)], dtype="float32"),
    "vstack casting": lambda m: m.vstack([floats(m)], dtype="int32"),
    "logspace axis": lambda m: m.round(m.logspace([0, 1], 2, 3, base=[2.0, 10.0], axis=1), 9),
    "clip names": lambda m: m.clip(ints(m), a_min=2, a_max=4),
    "clip both": lambda m: m.clip(ints(m), a_min=2, min=1),
    "einsum dtype": lambda m: m.einsum("ij->i", floats(m), dtype="int32"),
    "einsum casting": lambda m: m.einsum("ij->i", floats(m)[:1], dtype="int32", casting="unsafe"),
    "index_exp": lambda m: m.index_exp[2],
    "like": lambda m: m.arange(3, like=m.zeros(1)),
    "array ndmin": lambda m: m.array(object=[1, 2], ndmin=3),
    "permute_dims": lambda m: m.permute_dims(ints(m)),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", KEYWORD_CALLS)
def test_named_arguments_mean_the_same(name):
    assert outcome(KEYWORD_CALLS[name], wf) == outcome(KEYWORD_CALLS[name], np)


def test_like_is_for_arrays_of_weft():
    with pytest.raises(TypeError, match="zeros: makes arrays of Weft, so `like` is a weft.Array: got ndarray"):
        wf.zeros(3, like=np.zeros(3))
    assert isinstance(np.zeros(3, like=wf.zeros(1)), wf.Array)
    assert isinstance(np.asarray([1, 2], like=wf.zeros(1)), wf.Array)


def test_real_and_imag_are_views():
    for m in (np, wf):
        x, z = m.asarray([1.0, 2.0]), m.asarray([1.0 + 2.0j, 3.0])
        m.real(x)[0] = 5
        m.real(z)[1] = 7
        m.imag(z)[1] = 9
        assert x[0] == 5 and z[1] == 7 + 9j
