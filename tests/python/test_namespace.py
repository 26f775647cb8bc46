"""The namespace: every name is there, has documentation and a signature, and NumPy's own answer."""

import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import weft as wf

FUNCTIONS = sorted(
    name for name in wf.__all__ if inspect.isroutine(getattr(wf, name)) and not inspect.isclass(getattr(wf, name))
)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_signature_and_documentation(name):
    f = getattr(wf, name)
    assert f.__doc__ and f.__doc__.strip()
    assert inspect.signature(f).parameters or name in ("stats", "sync", "default_device", "geterr", "tier", "finish_kernels", "settings", "show_versions", "metrics", "profile")


def test_dir_holds_what_users_call():
    assert not [name for name in dir(wf) if name.startswith("_") and not name.endswith("__")]
    assert {*wf.__all__, "compile", "float32", "testing"} <= {*dir(wf)} and "builtins" not in dir(wf)
    import weft

    assert all(hasattr(weft, name) for name in dir(wf))


LATER = """
import sys, threading, weft as wf
assert float((wf.asarray([1.0, 2.0]) + 1).sum()) == 5
few = ("weft.linalg", "weft.random", "weft.fft", "weft.lib", "weft._vectorize.vectorized", "weft._derive.transforms", "weft._compile.compiled", "weft._numpy.files")
assert not [name for name in few if name in sys.modules]
assert "multiply" in str(wf.explain(lambda x: x * 2, wf.ones(1000))) and "weft._compile.compiled" in sys.modules
found = []
threads = [threading.Thread(target=lambda: found.append((wf.grad, wf.linalg.solve, wf.random.normal, wf.vectorize))) for _ in range(8)]
for one in threads: one.start()
for one in threads: one.join()
assert len(set(found)) == 1 and wf.grad.__module__ == "weft" and wf.grad is wf.grad
assert "Examples" in wf.grad.__doc__ and "Examples" in wf.linalg.solve.__doc__ and "Examples" in wf.random.normal.__doc__
import pickle
assert pickle.loads(pickle.dumps(wf.vmap)) is wf.vmap
from weft import *
assert load is wf.load and linalg is wf.linalg and [name for name in wf.__all__ if not hasattr(wf, name)] == []
import weft.linalg as by_path
assert by_path is wf.linalg
"""


def test_what_few_programs_need_is_imported_when_it_is_asked_for():
    done = subprocess.run([sys.executable, "-c", LATER], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", ["linalg", "fft", "random"])
def test_modules_show_what_users_call(module):
    ours = getattr(wf, module)
    shown = dir(ours)
    assert sorted({*ours.__all__} - {*shown}) == [] and {*shown} - {*ours.__all__} <= {"LinAlgError"}
    assert all(hasattr(ours, name) for name in shown)
    if module != "random":
        assert {*getattr(np, module).__all__} <= {*shown}
    with pytest.raises(AttributeError, match=f"did you mean weft.{module}.{shown[0]}\\?"):
        getattr(ours, shown[0] + "x")


@pytest.mark.parametrize("name, says", [
    ("jit", "weft.compile does that"), ("tensor", "weft.array does that"), ("softmx", r"did you mean weft.softmax\?"), ("jitt", r"did you mean weft.compile\?"), ("trapz", "weft.trapezoid does that"), ("in1d", "weft.isin does that"), ("vmapp", r"did you mean weft.vmap\?"),
    ("arrange", r"did you mean weft.arange\?"), ("quite_another", "attribute 'quite_another'$"), ("_cor", "attribute '_cor'$"),
])  # fmt: skip
def test_a_name_that_is_not_there_says_which_is(name, says):
    with pytest.raises(AttributeError, match=says):
        getattr(wf, name)
    with pytest.raises(AttributeError, match=r"did you mean weft.fft.fft\?"):
        wf.fft.ftt
    with pytest.raises(AttributeError, match="weft.linalg.inv does that"):
        wf.linalg.inverse
    with pytest.raises(AttributeError, match=r"did you mean weft.linalg.solve\?"):
        wf.linalg.solv


def test_versions_and_misspelt_variables(capsys, monkeypatch):
    monkeypatch.setenv("WEFT_NUMERICS", "strict")
    wf.show_versions()
    said = capsys.readouterr().out
    said_first = Path(__file__, "../../../CMakeLists.txt").resolve().read_text().splitlines()[1]
    assert f"project(weft VERSION {wf.__version__} " in said_first
    assert f"weft {wf.__version__}\n" in said and f"numpy {np.__version__}\n" in said and "\ncpu: " in said and "WEFT_NUMERICS=strict" in said
    monkeypatch.setenv("WEFT_TREADS", "2")
    with pytest.warns(UserWarning, match=r"has WEFT_TREADS, which Weft does not read: did you mean WEFT_THREADS\?"):
        wf._settings.check_environment()
    page = Path(__file__, "../../../docs/settings.md").resolve().read_text()
    assert sorted(wf._settings.variables) == sorted(line.split("`")[1] for line in page.splitlines() if line.startswith("| `WEFT_"))


def test_signatures_come_from_the_op_table():
    assert str(inspect.signature(wf.atan2)) == "(x1, x2, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None)"
    assert "ordinate" in wf.atan2.__doc__
    assert wf.atan2.__module__ == "weft" and wf.atan2.__name__ == "atan2"


ONE = {
    "median": lambda m, a: m.median(a),
    "cumsum": lambda m, a: m.cumsum(a, axis=1),
    "nancumsum": lambda m, a: m.nancumsum(m.where(a > a[1, 1], m.nan, a), axis=1),
    "nancumprod": lambda m, a: m.nancumprod(m.where(a > a[1, 1], m.nan, a)),
    "nanmedian": lambda m, a: m.nanmedian(m.where(a > a[1, 1], m.nan, a)),
    "unravel_index": lambda m, a: m.unravel_index(m.argmax(a), a.shape)[1],
    "ravel_multi_index": lambda m, a: m.ravel_multi_index((m.asarray([1, 2]), m.asarray([0, 3])), (3, 4)),
    "cumprod flat": lambda m, a: m.cumprod(a),
    "cov": lambda m, a: m.cov(a),
    "corrcoef": lambda m, a: m.corrcoef(a),
    "average": lambda m, a: m.average(a, axis=1, weights=m.asarray([1.0, 2.0, 3.0, 4.0])),
    "histogram": lambda m, a: m.histogram(a, bins=4)[0],
    "hstack": lambda m, a: m.hstack([a, a[:, :1]]),
    "vstack": lambda m, a: m.vstack([a, a]),
    "dstack": lambda m, a: m.dstack([a, a]),
    "column_stack": lambda m, a: m.column_stack([a[:, 0], a]),
    "concatenate": lambda m, a: m.concatenate((a, a), axis=-1),
    "outer": lambda m, a: m.outer(a[0], a[1]),
    "dot": lambda m, a: a.dot(a.T),
    "inner": lambda m, a: m.inner(a, a),
    "vdot": lambda m, a: m.vdot(a, a),
    "kron": lambda m, a: m.kron(a, m.eye(2)),
    "tensordot": lambda m, a: m.tensordot(a, a, axes=([0], [0])),
    "einsum trace": lambda m, a: m.einsum("ii", a[:3, :3]),
    "einsum product": lambda m, a: m.einsum("ij,kj->ik", a, a),
    "einsum batch": lambda m, a: m.einsum("ij,ij->i", a, a),
    "einsum three": lambda m, a: m.einsum("ij,kj,k->i", a, a, a[:, 0]),
    "einsum dots": lambda m, a: m.einsum("...j,j->...", a, a[0]),
    "mgrid": lambda m, a: m.mgrid[0:3, 0:4] * a,
    "meshgrid": lambda m, a: m.meshgrid(a[0], a[:, 0])[1],
    "indices": lambda m, a: m.indices((3, 4)) * a,
    "diag": lambda m, a: m.diag(a[0], 1) + m.diag(m.diag(a[:, :3]), 2),
    "diagonal": lambda m, a: m.diagonal(a, offset=1),
    "trace": lambda m, a: m.trace(a),
    "tril": lambda m, a: m.tril(a, -1) + m.triu(a, 2),
    "roll": lambda m, a: m.roll(a, (1, 2), axis=(0, 1)),
    "rot90": lambda m, a: m.rot90(a),
    "repeat": lambda m, a: m.repeat(a, 2, axis=1),
    "tile": lambda m, a: m.tile(a, (2, 1)),
    "pad": lambda m, a: m.pad(a, ((1, 0), (2, 1))),
    "pad edge": lambda m, a: m.pad(a, 1, mode="edge"),
    "gradient": lambda m, a: m.gradient(a[0]),
    "diff": lambda m, a: m.diff(a, axis=0),
    "interp": lambda m, a: m.interp(a[0], m.asarray([0.0, 9.0]), m.asarray([1.0, 2.0])),
    "trapezoid": lambda m, a: m.trapezoid(a, dx=0.5),
    "percentile": lambda m, a: m.percentile(a, 30),
    "nanmean": lambda m, a: m.nanmean(m.where(a > 8, m.nan, a), axis=0),
    "nanstd": lambda m, a: m.nanstd(m.where(a > 8, m.nan, a)),
    "nanmax": lambda m, a: m.nanmax(m.where(a > 10, m.nan, a), axis=1),
    "nan_to_num": lambda m, a: m.nan_to_num(m.where(a > 8, m.inf, a), posinf=3.0),
    "select": lambda m, a: m.select([a > 8, a > 3], [a, -a], 7.0),
    "cross": lambda m, a: m.cross(a[:, :3], a[:, 1:]),
    "clip": lambda m, a: a.clip(2, 5),
    "round": lambda m, a: m.round(a / 7, 2),
    "fmod": lambda m, a: m.fmod(-a, 3),
    "power": lambda m, a: m.power(a, 2),
    "arctan2": lambda m, a: m.arctan2(a, 2.0),
    "sort": lambda m, a: m.sort(-a, axis=0),
    "argsort": lambda m, a: (-a).argsort(axis=1),
    "searchsorted": lambda m, a: m.searchsorted(a[0], a[1]),
    "unique": lambda m, a: m.unique(a // 3),
    "nonzero": lambda m, a: m.nonzero(a > 4)[1],
    "argwhere": lambda m, a: m.argwhere(a > 4),
    "take": lambda m, a: m.take(a, [0, -1], axis=1),
    "take_along_axis": lambda m, a: m.take_along_axis(a, m.argsort(-a, axis=1), axis=1),
    "compress": lambda m, a: m.compress([True, False, True], a, axis=0),
    "ptp": lambda m, a: m.ptp(a, axis=0),
    "std ddof": lambda m, a: a.std(axis=1, ddof=1),
    "sum where": lambda m, a: m.sum(a, axis=0, where=a > 3),
    "max initial": lambda m, a: m.max(a, initial=100.0),
    "any keepdims": lambda m, a: m.any(a > 10, axis=1, keepdims=True),
    "logspace": lambda m, a: m.logspace(0, 2, 5),
    "linspace": lambda m, a: m.linspace(0, 1, 7, endpoint=False),
    "arange": lambda m, a: m.arange(1, 2, 0.25),
    "isclose": lambda m, a: m.isclose(a, a + 1e-9),
    "sinc": lambda m, a: m.sinc(a / 3),
    "heaviside": lambda m, a: m.heaviside(a - 4, 0.5),
    "array_split": lambda m, a: m.array_split(a, 3, axis=1)[0],
    "flatten F": lambda m, a: a.flatten(order="F"),
    "reshape F": lambda m, a: m.reshape(a, (4, 3), order="F"),
    "ravel": lambda m, a: m.ravel(a.T),
    "swapaxes": lambda m, a: a.swapaxes(0, 1),
    "ix_": lambda m, a: a[m.ix_([0, 2], [1, 3])],
    "r_": lambda m, a: m.r_[0:3, a[0]],
    "convolve": lambda m, a: m.convolve(a[0], a[1]),
    "vander": lambda m, a: m.vander(a[0], 3),
    "moveaxis": lambda m, a: m.moveaxis(m.stack([a, a]), 0, -1),
    "cumulative initial": lambda m, a: m.cumulative_sum(a, axis=0, include_initial=True),
    "min": lambda m, a: a.min(axis=(0, 1)),
    "argmax": lambda m, a: a.argmax(),
    "prod dtype": lambda m, a: m.prod(a[0] + 1, dtype=m.float32),
    "complex parts": lambda m, a: (a * 1j).imag + m.angle(a + 1j),
    "logaddexp2": lambda m, a: m.logaddexp2(a, 1.0),
}


@pytest.mark.parametrize("name", ONE)
def test_answers_are_numpys(name):
    values = np.arange(12.0).reshape(3, 4) + 0.5
    expected = np.asarray(ONE[name](np, values))
    got = ONE[name](wf, wf.asarray(values))
    assert isinstance(got, wf.Array)
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-6 if expected.dtype == np.float32 else 1e-12, atol=1e-12)


def test_numpys_functions_take_weft_arrays():
    x = wf.arange(6.0).reshape(2, 3)
    assert isinstance(np.add(x, 1), wf.Array)
    assert isinstance(np.concatenate([x, x]), wf.Array)
    assert isinstance(np.add.reduce(x, axis=1), wf.Array)
    assert np.add.reduce(x).tolist() == [3, 5, 7]
    assert isinstance(np.ones((2, 3)) * x, wf.Array)
    assert isinstance(np.float64(2) * x, wf.Array)
    assert np.mean(x, axis=0).tolist() == [1.5, 2.5, 3.5]
    assert float(np.linalg.norm(x)) == pytest.approx(float(np.linalg.norm(np.asarray(x))))
    assert np.fft.fft(x).dtype == np.complex128
    out = np.zeros(3)
    assert np.add(np.ones(3), wf.ones(3), out=out) is out and out.tolist() == [2, 2, 2]


def test_the_standards_namespace():
    x = wf.zeros(2)
    assert x.__array_namespace__() is wf
    assert wf.__array_namespace_info__().devices()[0] == "cpu"
    assert wf.isdtype(wf.float32, "real floating") and not wf.isdtype(wf.int8, "unsigned integer")
    assert wf.finfo(wf.float32).bits == 32 and wf.iinfo(wf.int16).max == 32767
    assert wf.finfo(wf.bfloat16).bits == 16
    assert wf.can_cast(wf.int32, wf.float64) and not wf.can_cast(wf.float64, wf.int32)
    with pytest.raises(AttributeError):
        wf.no_such_name


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8"])
def test_fmod_of_the_least_integer_has_the_sign_of_the_dividend(dtype: str) -> None:
    least = np.iinfo(dtype).min
    a, b = np.array([-11, 54, least, least, 7], dtype), np.array([least, least, 10, -10, -3], dtype)
    np.testing.assert_array_equal(np.asarray(wf.fmod(a, b)), np.fmod(a, b))


def test_numpys_functions_for_tests_compare_arrays_of_weft():
    x = wf.asarray([[1.0, float("nan")], [3.0, 4.0]])
    wf.testing.assert_equal(x, x)
    wf.testing.assert_allclose(x, x + 0.0, rtol=1e-12)
    wf.testing.assert_array_equal(x[0], (x + 0.0)[0])
    with pytest.raises(AssertionError, match="nan location mismatch"):
        wf.testing.assert_array_equal(actual=x, desired=wf.asarray([[1.0, 2.0], [3.0, 4.0]]))
    wf.testing.assert_raises(IndexError, x.__getitem__, 7)
    with pytest.raises(AttributeError, match="module 'weft.testing' has no attribute 'nothing'"):
        wf.testing.nothing


@pytest.mark.parametrize("dtype", [None, "float16", "float32", "float64"])
def test_frequencies_have_the_dtype_that_is_asked_for(dtype):
    for name in ("fftfreq", "rfftfreq"):
        got, want = getattr(wf.fft, name)(7, d=0.5, dtype=dtype), getattr(np.fft, name)(7, 0.5).astype(dtype or "float64")
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(np.asarray(got), want)
        with pytest.raises(TypeError, match="real floats"):
            getattr(wf.fft, name)(7, dtype="int64")


def test_functions_of_linalg_go_by_the_last_axes():
    x = np.arange(24.0).reshape(2, 3, 4)
    for f in (lambda m, x: m.linalg.diagonal(x), lambda m, x: m.linalg.diagonal(x, offset=-1), lambda m, x: m.linalg.trace(x), lambda m, x: m.linalg.matrix_transpose(x),
              lambda m, x: m.linalg.cross(x[..., :3], x[..., 1:]), lambda m, x: m.linalg.vecdot(x, x), lambda m, x: m.linalg.matrix_norm(x), lambda m, x: m.linalg.vector_norm(x)):  # fmt: skip
        np.testing.assert_allclose(np.asarray(f(wf, wf.asarray(x))), f(np, x))
