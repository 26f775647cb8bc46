"""Linear algebra beside NumPy's, of every dtype and stack, and in compiled, derived and mapped functions."""

import pickle

import numpy as np
import pytest

import weft as wf

pytestmark = pytest.mark.usefixtures("on_cpu")

FLOATS = ["float32", "float64", "complex64", "complex128"]
rng = np.random.default_rng(11)


def values(shape, dtype="float64"):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def positive(shape, dtype="float64"):
    a = values(shape, dtype)
    return (a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(shape[-1])).astype(dtype)


def square(shape, dtype="float64"):
    return (values(shape, dtype) + 3 * np.eye(shape[-1])).astype(dtype)


def near(got, expected, dtype="float64", times=1.0):
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.dtype == expected.dtype and got.shape == expected.shape
    close = 5e-4 if np.finfo(dtype).bits == 32 else 1e-10
    np.testing.assert_allclose(got, expected, close * times, close * times)


# What has one answer, beside NumPy's.
ONE_ANSWER = {
    "cholesky": (lambda m, a: m.linalg.cholesky(a), positive),
    "cholesky_upper": (lambda m, a: m.linalg.cholesky(a, upper=True), positive),
    "inv": (lambda m, a: m.linalg.inv(a), square),
    "det": (lambda m, a: m.linalg.det(a), square),
    "sign": (lambda m, a: m.linalg.slogdet(a).sign, square),
    "logabsdet": (lambda m, a: m.linalg.slogdet(a).logabsdet, square),
    "solve": (lambda m, a: m.linalg.solve(a, a[..., :2] * 2), square),
    "eigvalsh": (lambda m, a: m.linalg.eigvalsh(a), positive),
    "eigvalsh_upper": (lambda m, a: m.linalg.eigvalsh(a, "u"), positive),
    "eigh": (lambda m, a: m.linalg.eigh(a).eigenvalues, positive),
    "svdvals": (lambda m, a: m.linalg.svdvals(a), square),
    "svd_s": (lambda m, a: m.linalg.svd(a).S, square),
    "svd_without_uv": (lambda m, a: m.linalg.svd(a, compute_uv=False), square),
    "pinv": (lambda m, a: m.linalg.pinv(a), square),
    "rank": (lambda m, a: m.linalg.matrix_rank(a), square),
    "cond": (lambda m, a: m.linalg.cond(a), positive),
    "cond_1": (lambda m, a: m.linalg.cond(a, 1), positive),
    "cond_fro": (lambda m, a: m.linalg.cond(a, "fro"), positive),
    "cond_nuc": (lambda m, a: m.linalg.cond(a, "nuc"), positive),
    "power": (lambda m, a: m.linalg.matrix_power(a, 3), square),
    "power_-1": (lambda m, a: m.linalg.matrix_power(a, -1), square),
    "norm_2": (lambda m, a: m.linalg.norm(a, 2, (-2, -1)), square),
    "norm_nuc": (lambda m, a: m.linalg.matrix_norm(a, ord="nuc", keepdims=True), square),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ONE_ANSWER)
def test_values_and_dtypes_are_numpys(name, dtype):
    f, make = ONE_ANSWER[name]
    for shape in ((1, 1), (4, 4), (3, 3, 3), (2, 1, 20, 20), (300, 2, 2), (0, 3, 3)):
        a = make(shape, dtype)
        near(f(wf, wf.asarray(a)), f(np, a), dtype)
        near(f(wf, wf.asarray(a)[..., ::-1, ::-1]), f(np, a[..., ::-1, ::-1]), dtype)


@pytest.mark.parametrize("name", [name for name in ONE_ANSWER if not name.startswith(("cond", "norm"))])
def test_matrices_without_elements(name):
    f, _ = ONE_ANSWER[name]
    for shape in ((0, 0), (2, 0, 0)):
        near(f(wf, wf.zeros(shape)), f(np, np.zeros(shape)))


@pytest.mark.parametrize("name", ["inv", "det", "solve", "svdvals", "pinv", "eigvalsh", "power"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16"])
def test_other_dtypes_are_numpys(name, dtype):
    f, _ = ONE_ANSWER[name]
    a = np.array([[2, 1], [1, 3]]).astype(dtype) if dtype != "bool" else np.array([[True, True], [False, True]])
    try:
        expected = f(np, a)
    except TypeError:
        with pytest.raises(TypeError):
            f(wf, wf.asarray(a))
        return
    got = np.asarray(f(wf, wf.asarray(a)))
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got.astype("f8"), expected.astype("f8"), rtol=1e-12, atol=1e-14)


SHAPES = [(4, 4), (6, 3), (3, 6), (3, 30, 5), (2, 2, 5, 30), (0, 3), (3, 0), (2, 0, 3), (0, 2, 3), (40, 4, 4)]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_factors_give_the_matrix(shape, dtype):
    a = values(shape, dtype)
    w = wf.asarray(a)
    for full in (True, False):
        u, s, vh = (np.asarray(x) for x in wf.linalg.svd(w, full_matrices=full))
        for got, expected in zip((u, s, vh), np.linalg.svd(a, full_matrices=full)):
            assert got.shape == expected.shape and got.dtype == expected.dtype
        k = s.shape[-1]
        near((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, dtype)
        near(np.conj(np.swapaxes(u, -1, -2)) @ u, np.broadcast_to(np.eye(u.shape[-1], dtype=dtype), u.shape[:-2] + 2 * u.shape[-1:]), dtype)
    for mode in ("reduced", "complete"):
        got, expected = wf.linalg.qr(w, mode), np.linalg.qr(a, mode)
        near(got.Q, expected.Q, dtype)
        near(got.R, expected.R, dtype)
    near(wf.linalg.qr(w, "r"), np.linalg.qr(a, "r"), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 4, 4), (2, 2, 20, 20), (0, 0), (2, 0, 0)])
def test_eigenvectors(shape, dtype):
    a, h = values(shape, dtype), positive(shape, dtype)
    for lower in ("L", "U"):
        w, v = (np.asarray(x) for x in wf.linalg.eigh(wf.asarray(h), lower))
        near(h @ v, v * w[..., None, :], dtype, 20)
    w, v = (np.asarray(x) for x in wf.linalg.eig(wf.asarray(a)))
    near(a @ v if np.iscomplexobj(v) else (a @ v).astype(v.dtype), v * w[..., None, :], dtype, 20)
    got, wanted = (np.sort_complex(np.asarray(x, "complex128")) for x in (wf.linalg.eigvals(wf.asarray(a)), np.linalg.eigvals(a)))
    near(got, wanted, dtype, 20)


def test_eigenvalues_are_real_where_all_are_and_complex_while_recorded(monkeypatch):
    a = np.triu(values((4, 4)))
    assert wf.linalg.eigvals(wf.asarray(a)).dtype == np.linalg.eigvals(a).dtype
    assert wf.linalg.eig(wf.asarray(a)).eigenvectors.dtype == np.linalg.eig(a).eigenvectors.dtype
    for version, dtype in (("2.4.6", "float64"), ("2.5.0", "complex128")):
        monkeypatch.setattr(np, "__version__", version)
        assert wf.linalg.eigvals(wf.asarray(a)).dtype == wf.linalg.eig(wf.asarray(a)).eigenvectors.dtype == dtype
    a = wf.asarray(a)
    turn = wf.asarray([[0.0, -1.0], [1.0, 0.0]])
    assert wf.linalg.eigvals(turn).dtype == wf.linalg.eig(turn).eigenvalues.dtype == "complex128"
    assert wf.compile(wf.linalg.eigvals)(a).dtype == "complex128"


def test_broadcasts_of_solutions():
    for a, b in (((2, 3, 3), (3,)), ((2, 1, 3, 3), (4, 3, 2)), ((3, 3), (5, 3, 1)), ((2, 3, 3), (1, 3, 4))):
        x, y = square(a), values(b)
        near(wf.linalg.solve(wf.asarray(x), wf.asarray(y)), np.linalg.solve(x, y))
    near(wf.linalg.solve(wf.asarray(square((2, 3, 3), "float32")) * 0 + wf.eye(3, dtype="float32"), wf.ones(3, dtype="complex64")), np.ones((2, 3), "complex64"), "float32")


@pytest.mark.parametrize("shape, columns", [((7, 3), (7, 2)), ((7, 3), (7,)), ((3, 7), (3, 2)), ((4, 4), (4,))])
def test_least_squares_recorded_too(shape, columns):
    a, b = values(shape), values(columns)
    expected = np.linalg.lstsq(a, b, rcond=None)
    for f in (wf.linalg.lstsq, wf.compile(wf.linalg.lstsq)):
        for got, want in zip(f(wf.asarray(a), wf.asarray(b)), expected):
            np.testing.assert_allclose(np.asarray(got), want, rtol=1e-9, atol=1e-10)
            assert np.shape(got) == np.shape(want)


def test_ranks_by_tolerances():
    a = np.stack([np.diag([1.0, 1e-3, 1e-20]), np.zeros((3, 3))])
    w = wf.asarray(a)
    for options in ({}, {"tol": 1e-2}, {"tol": np.array([1e-2, 1.0])}, {"rtol": 1e-2}, {"hermitian": True}):
        np.testing.assert_array_equal(np.asarray(wf.linalg.matrix_rank(w, **options)), np.linalg.matrix_rank(a, **options))
        near(wf.linalg.pinv(w, 1e-2), np.linalg.pinv(a, 1e-2))
    assert int(wf.linalg.matrix_rank(wf.ones(3))) == np.linalg.matrix_rank(np.ones(3)) == 1


def test_products_of_many():
    shapes = [(4,), (4, 9), (9, 2), (2, 7), (7,)]
    xs = [values(s) for s in shapes]
    for part in (xs, xs[1:], xs[:-1], xs[1:-1], xs[1:3]):
        near(wf.linalg.multi_dot([wf.asarray(x) for x in part]), np.linalg.multi_dot(part))
    out = wf.zeros((4, 2))
    wf.linalg.multi_dot(xs[1:3], out=out)
    near(out, xs[1] @ xs[2])
    for wrong in ([xs[0]], [xs[1], xs[1]], [xs[1], np.ones((1, 2, 3))]):
        with pytest.raises(ValueError):
            np.linalg.multi_dot(wrong)
        with pytest.raises(ValueError, match="multi_dot"):
            wf.linalg.multi_dot(wrong)
    powers = np.array([[1, 1], [0, 1]])
    for n in (0, 1, 2, 5):
        near(wf.linalg.matrix_power(wf.asarray(powers), n).astype(float), np.linalg.matrix_power(powers, n).astype(float))
    with pytest.raises(TypeError, match="matrix_power: the exponent is an integer: got float"):
        wf.linalg.matrix_power(wf.eye(2), 1.5)


@pytest.mark.parametrize("dtype", FLOATS)
def test_equations_of_tensors(dtype):
    for shape, ind in (((2, 3, 6), 2), ((6, 2, 3), 1), ((2, 3, 2, 3), 2)):
        a = values(shape, dtype)
        near(wf.linalg.tensorinv(wf.asarray(a), ind), np.linalg.tensorinv(a, ind), dtype, 20)
    assert wf.linalg.tensorinv(wf.zeros((2, 0, 0), dtype=dtype)).shape == (0, 2, 0)
    for shape, of_b, axes in (((2, 3, 6), (2, 3), None), ((2, 3, 6), (3, 2), None), ((6, 2, 3), (6,), ()), ((2, 6, 3), (2, 3), (1,)), ((2, 6, 3), (6,), (0, 2)), ((3, 6, 2), (6,), [2, 0])):
        a, b = values(shape, dtype), values(of_b, dtype)
        near(wf.linalg.tensorsolve(wf.asarray(a), wf.asarray(b), axes), np.linalg.tensorsolve(a, b, axes), dtype, 20)
    a, b = values((2, 3, 6), dtype), values((2, 3), dtype)
    x = wf.linalg.tensorsolve(wf.asarray(a), wf.asarray(b))
    near(wf.tensordot(wf.asarray(a), x, 1), b, dtype, 20)
    near(np.linalg.tensorsolve(wf.asarray(a), b), np.asarray(x), dtype)
    near(wf.linalg.tensorsolve(wf.asarray(a), wf.asarray(b), [-1]), np.linalg.tensorsolve(a, b, [2]), dtype, 20)


def test_wrong_tensors():
    for f, says in (
        (lambda: wf.linalg.tensorinv(wf.ones((2, 3, 6)), 0), "tensorinv: ind is the number of axes of the first side, one at least: got 0"),
        (lambda: wf.linalg.tensorinv(wf.ones((2, 3, 6)), 1), r"tensorinv: takes as many elements along the first 1 axes as along the others: got shape \(2, 3, 6\)"),
        (lambda: wf.linalg.tensorinv(wf.ones((2, 3)), 5), "tensorinv: takes as many elements"),
        (lambda: wf.linalg.tensorinv(wf.ones((2, 3, 6)), 2), "inv: the matrix is singular"),
        (lambda: wf.linalg.tensorsolve(wf.ones((2, 3, 6)), wf.ones(3)), r"tensorsolve: takes as many unknowns.*got shapes \(2, 3, 6\) and \(3,\)"),
        (lambda: wf.linalg.tensorsolve(wf.ones((2, 3, 5)), wf.ones((2, 3))), "tensorsolve: takes as many unknowns"),
        (lambda: wf.linalg.tensorsolve(wf.ones((2, 3, 6)), wf.ones((2, 3)), (4,)), "tensorsolve: axis out of range for rank 3: got 4"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=says):
            f()


def test_which_matrix_fails_is_said():
    good, bad = np.eye(3), -np.eye(3)
    for f, x, says in (
        (wf.linalg.cholesky, np.stack([good, good, bad]), "cholesky: matrix 2 of the stack is not positive definite"),
        (wf.linalg.cholesky, bad, "cholesky: the matrix is not positive definite"),
        (wf.linalg.inv, np.stack([good, good * 0])[:, None], r"inv: matrix \(1, 0\) of the stack is singular"),
        (wf.linalg.svd, good * np.nan, "svd: the matrix has elements that are not finite"),
        (wf.linalg.svdvals, np.full((2, 2), np.inf), "not finite"),
        (wf.linalg.eigh, good * np.nan, "not finite"),
        (wf.linalg.eigvals, np.full((2, 2), np.inf), "not finite"),
        (wf.linalg.inv, np.ones((2, 3)), "takes square matrices"),
        (wf.linalg.qr, np.ones(3), "takes a matrix or a stack"),
    ):
        with pytest.raises(np.linalg.LinAlgError, match=says):
            f(wf.asarray(x))
    # As with NumPy, what is NaN goes through these.
    for f in (wf.linalg.inv, wf.linalg.det, lambda a: wf.linalg.qr(a)[1]):
        assert np.isnan(np.asarray(f(wf.asarray(np.array([[np.nan, 1.0], [2.0, 3.0]]))))).any()


@pytest.mark.parametrize("name", ["cholesky", "inv", "det", "logabsdet", "solve", "eigvalsh", "svdvals", "pinv", "rank", "cond", "cond_1", "power", "power_-1", "norm_2"])
def test_compiled_functions_and_maps_have_them(name):
    f, make = ONE_ANSWER[name]
    a = make((5, 3, 3))
    compiled = wf.compile(lambda x: f(wf, x * 2) + 1)
    for k in (1, 2):
        near(compiled(wf.asarray(a * k)), f(np, a * k * 2) + 1)
    assert compiled.recordings == 1
    near(wf.vmap(lambda x: f(wf, x))(wf.asarray(a)), f(np, a))


def test_within_what_is_compiled_the_result_is_nan():
    a = np.stack([np.eye(2) * 4, np.eye(2) * -1])
    got = np.asarray(wf.compile(wf.linalg.cholesky)(wf.asarray(a)))
    assert np.array_equal(got[0], np.eye(2) * 2) and np.isnan(got[1]).all()
    got = np.asarray(wf.compile(lambda x: wf.linalg.svd(x).S)(wf.asarray(a * np.nan)))
    assert np.isnan(got).all()


def test_a_filter_step_runs_in_a_loop():
    """A Kalman filter's covariance, recorded as one loop."""
    f, h = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[1.0, 0.0]])

    def step(m, p):
        p = f @ p @ f.T + np.eye(2) * 0.01 if m is np else wf.asarray(f) @ p @ wf.asarray(f.T) + wf.eye(2) * 0.01
        hm = h if m is np else wf.asarray(h)
        gain = p @ hm.T @ m.linalg.inv(hm @ p @ hm.T + 1.0)
        return p - gain @ hm @ p

    def run(m, p):
        for _ in range(20):
            p = step(m, p)
        return p

    near(wf.compile(lambda p: run(wf, p))(wf.eye(2)), run(np, np.eye(2)))


LOSSES = {
    "cholesky": (lambda a: wf.sum(wf.linalg.cholesky(a @ a.mT + wf.eye(3)) ** 3), (2, 3, 3)),
    "inv": (lambda a: wf.sum(wf.linalg.inv(a) ** 3), (2, 3, 3)),
    "det": (lambda a: wf.sum(wf.linalg.det(a) ** 2), (2, 3, 3)),
    "slogdet": (lambda a: wf.sum(wf.linalg.slogdet(a).logabsdet ** 2), (2, 3, 3)),
    "solve": (lambda a: wf.sum(wf.linalg.solve(a, wf.ones(3)) ** 3), (2, 3, 3)),
    "eigh": (lambda a: wf.sum(wf.linalg.eigh(a + a.mT).eigenvectors[..., 0] ** 4), (2, 3, 3)),
    "eigvalsh": (lambda a: wf.sum(wf.linalg.eigvalsh(a + a.mT) ** 3), (2, 3, 3)),
    "svdvals": (lambda a: wf.sum(wf.linalg.svdvals(a) ** 3), (2, 4, 3)),
    "svd": (lambda a: wf.sum(wf.linalg.svd(a, full_matrices=False).U[..., 0] ** 4), (2, 4, 3)),
    "qr": (lambda a: wf.sum(wf.linalg.qr(a).Q ** 3) + wf.sum(wf.linalg.qr(a).R ** 3), (2, 4, 3)),
    "pinv": (lambda a: wf.sum(wf.linalg.pinv(a) ** 3), (4, 3)),
    "lstsq": (lambda a: wf.sum(wf.linalg.lstsq(a, wf.ones(4))[0] ** 3), (4, 3)),
    "nuclear": (lambda a: wf.linalg.norm(a, "nuc"), (4, 3)),
    "cond": (lambda a: wf.linalg.cond(a), (3, 3)),
    "power": (lambda a: wf.sum(wf.linalg.matrix_power(a, -2)), (3, 3)),
    "tensorinv": (lambda a: wf.sum(wf.linalg.tensorinv(wf.reshape(a, (3, 1, 3)), 1) ** 3), (3, 3)),
    "tensorsolve": (lambda a: wf.sum(wf.linalg.tensorsolve(wf.reshape(a, (1, 3, 3)), wf.ones((1, 3)) + a[:1]) ** 3), (3, 3)),
}


def differences(f, x):
    out = np.empty_like(x)
    for k in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[k] = 1e-6
        out[k] = (float(f(wf.asarray(x + step))) - float(f(wf.asarray(x - step)))) / 2e-6
    return out


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_are_differences(name):
    loss, shape = LOSSES[name]
    a = values(shape) + (2 * np.eye(3) if shape[-2] == 3 else 0)
    expected = differences(loss, a)
    scale = 1 + np.abs(expected).max()
    got = np.asarray(wf.grad(loss)(wf.asarray(a)))
    np.testing.assert_allclose(got, expected, rtol=0, atol=2e-6 * scale)
    np.testing.assert_allclose(np.asarray(wf.compile(wf.grad(loss))(wf.asarray(a))), got, rtol=1e-9, atol=1e-9 * scale)
    t = values(shape)
    moved = float(wf.jvp(loss, (wf.asarray(a),), (wf.asarray(t),))[1])
    np.testing.assert_allclose(moved, (got * t).sum(), rtol=1e-7, atol=1e-8 * scale)
    second = wf.grad(lambda x: wf.sum(wf.grad(loss)(x) * wf.asarray(t)))(wf.asarray(a))
    want = differences(lambda x: wf.sum(wf.grad(loss)(x) * wf.asarray(t)), a)
    np.testing.assert_allclose(np.asarray(second), want, rtol=0, atol=2e-5 * (1 + np.abs(want).max()))
    rows = wf.asarray(np.stack([a, a * 1.5]))
    each = np.stack([np.asarray(wf.grad(loss)(x)) for x in rows])
    np.testing.assert_allclose(np.asarray(wf.vmap(wf.grad(loss))(rows)), each, rtol=1e-8, atol=1e-9 * scale)


def test_what_has_no_derivative_says_so():
    for f, says in (
        (lambda a: wf.sum(wf.abs(wf.linalg.eigvals(a))), "eigvals: has no derivatives; eigh"),
        (lambda a: wf.sum(wf.abs(wf.linalg.eig(a)[1])), "eig: has no derivatives"),
        (lambda a: wf.sum(wf.linalg.qr(a[:2])[1]), "qr: has derivatives of matrices with as many rows"),
        (lambda a: wf.sum(wf.linalg.svd(a[:2])[1]), "svd: has derivatives of as many vectors"),
    ):
        with pytest.raises(wf.Error, match=says):
            wf.grad(f)(wf.eye(3) + 1)


def test_results_have_numpys_names_and_can_be_pickled():
    for ours, theirs in ((wf.linalg.eigh(wf.eye(2)), np.linalg.eigh(np.eye(2))), (wf.linalg.svd(wf.eye(2)), np.linalg.svd(np.eye(2))), (wf.linalg.slogdet(wf.eye(2)), np.linalg.slogdet(np.eye(2))), (wf.linalg.qr(wf.eye(2)), np.linalg.qr(np.eye(2))), (wf.linalg.eig(wf.eye(2)), np.linalg.eig(np.eye(2)))):
        assert ours._fields == theirs._fields and type(ours).__name__ == type(theirs).__name__
        again = pickle.loads(pickle.dumps(ours))
        assert type(again) is type(ours) and all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in zip(ours, again))


def test_numpy_answers_where_there_is_no_lapack(monkeypatch):
    monkeypatch.setattr(wf.linalg, "_available", False)
    a = positive((2, 3, 3))
    near(wf.linalg.cholesky(wf.asarray(a)), np.linalg.cholesky(a))
    near(wf.linalg.svd(wf.asarray(a)).S, np.linalg.svd(a).S)
    near(wf.linalg.inv(wf.asarray(a[0])), np.linalg.inv(a[0]))
    near(wf.linalg.solve(wf.asarray(a[0]), wf.ones(3)), np.linalg.solve(a[0], np.ones(3)))
    near(wf.linalg.norm(wf.asarray(a[0]), 2), np.linalg.norm(a[0], 2))
    near(wf.linalg.matrix_power(wf.asarray(a), -2), np.linalg.matrix_power(a, -2))
    with pytest.raises(wf.Error, match="looks at values"):
        wf.compile(wf.linalg.cholesky)(wf.asarray(a))
