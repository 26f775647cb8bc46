"""elementwise(), ops as text: beside NumPy, in compiled functions, with derivatives, and what it refuses."""

import math
import pickle

import numpy as np
import pytest
import weft as wf

X = np.linspace(-3, 3, 24).reshape(4, 6)


def elu(**more):
    return wf.elementwise("r = x > 0 ? x : a * expm1(x)", "T x, T a", "T r", "elu", **more)


def of_elu(x, a):
    return np.where(x > 0, x, a * np.expm1(x))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("view", [lambda v: v, lambda v: v.T, lambda v: v[::-2, ::-1], lambda v: v[:, :0], lambda v: v[1, 2]])
def test_gives_what_numpy_gives(dtype, view):
    x = X.astype(dtype)
    got = elu()(view(wf.asarray(x)), 0.5)
    want = of_elu(view(x), np.dtype(dtype).type(0.5))
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(np.asarray(got), want, rtol=4 * np.finfo(dtype).eps, atol=0)


def test_operands_broadcast_and_types_meet():
    f = wf.elementwise("r = x * y + n", "T x, T y, int32 n", "T r")
    x, y = np.arange(3, dtype="float32")[:, None], np.arange(4, dtype="float64")
    got = f(wf.asarray(x), wf.asarray(y), 2)
    assert got.dtype == "float64"
    np.testing.assert_array_equal(np.asarray(got), x * y + 2)
    assert f(wf.arange(3, dtype="int16"), 2, 1).dtype == "int16"
    assert f(wf.asarray(x), 2.5, 1).dtype == "float32"
    assert f(wf.arange(3), 0.5, 1).dtype == "float64"


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"])
def test_takes_every_real_dtype(dtype):
    x = np.array([0, 1, 0, 1, 1], dtype) if dtype == "bool" else np.array([0, 1, 5, 100, 7], dtype)
    got = wf.elementwise("r = x > 2 ? x : x + 1", "T x", "T r")(wf.asarray(x))
    assert got.dtype == dtype
    np.testing.assert_array_equal(np.asarray(got), np.where(x > 2, x, x + x.dtype.type(1)))


def test_takes_complex_numbers():
    z = np.array([1 + 2j, -3j, 0.5])
    f = wf.elementwise("n = z.real() * z.real() + z.imag() * z.imag(); c = conj(z) * complex<double>(0, 1)", "complex128 z", "double n, complex128 c")
    n, c = f(wf.asarray(z))
    np.testing.assert_allclose(np.asarray(n), abs(z) ** 2)
    np.testing.assert_allclose(np.asarray(c), z.conj() * 1j)


def test_loops_are_what_python_runs():
    f = wf.elementwise("""
        int n = 0;  // steps to 1
        T v = x;
        while (v != 1) { v = v % 2 ? 3 * v + 1 : v / 2; ++n; }
        steps = n;""", "T x", "int steps", "collatz")

    def steps(v):
        n = 0
        while v != 1:
            v, n = (3 * v + 1 if v % 2 else v // 2), n + 1
        return n

    x = np.arange(1, 200)
    np.testing.assert_array_equal(np.asarray(f(wf.asarray(x))), [steps(v) for v in x.tolist()])


def test_i_is_the_number_of_the_element():
    f = wf.elementwise("r = x + i", "T x", "T r")
    np.testing.assert_array_equal(np.asarray(f(wf.zeros((3, 4), dtype="int64"))), np.arange(12).reshape(3, 4))
    np.testing.assert_array_equal(np.asarray(f(wf.zeros((4, 3), dtype="int64").T)), np.arange(12).reshape(3, 4))
    assert f(wf.zeros((0, 3))).shape == (0, 3)


def test_functions_of_a_preamble_are_inlined():
    f = wf.elementwise("r = wrapped(x, (T)1)", "T x", "T r", preamble="""
        template <typename T> __device__ T wrapped(T x, T most) {
            for (;;) { if (x < most) return x; x -= most; }
        }""")
    x = np.array([0.25, 1.5, 7.75])
    np.testing.assert_array_equal(np.asarray(f(wf.asarray(x))), [0.25, 0.5, 0.75])


def test_is_one_kernel_with_what_is_around_it_and_named():
    x = wf.asarray(X)
    y = wf.sum(elu()(x * 2, 0.5) + 1)
    wf.one_kernel(y)
    told = wf.explain(wf.sum(elu()(x * 2, 0.5) + 1))
    assert "multiply, elu, add, sum" in told and told.count("step ") == 1


def test_out_takes_the_results():
    f = wf.elementwise("s = x + y; d = x - y", "T x, T y", "T s, T d", "both")
    x, y = wf.arange(4.0), wf.ones(4)
    s, d = wf.zeros(4), wf.zeros(4)
    assert f(x, y, s, d)[0] is s
    np.testing.assert_array_equal(np.asarray(d), np.arange(4) - 1)
    f(x, x, out=(s, d))
    np.testing.assert_array_equal(np.asarray(s), np.arange(4) * 2)
    beside = np.zeros(4), np.zeros(4)
    assert f(x, x, out=beside)[0] is beside[0]
    np.testing.assert_array_equal(beside[0], np.arange(4) * 2)
    with pytest.raises(wf.Error, match=r"both: out has the shape of the result, \(4,\): got \(3,\)"):
        f(x, y, out=(s, wf.zeros(3)))


@pytest.mark.parametrize(("given", "kept", "holds"), [
    ("float64", "float32", True), ("int32", "int8", True), ("int32", "float32", True), ("uint8", "int32", True), ("float64", "int64", False),
    ("int32", "uint32", False), ("float32", "bool", False), ("complex64", "float64", False),
])
def test_out_takes_what_same_kind_converts(given, kept, holds):
    assert np.can_cast(given, kept, "same_kind") == holds
    double = wf.elementwise("r = x + x", "T x", "T r", "double")
    total = wf.reduction("x + x", "a + b", "r = a", 0, "T x", "T r", "total")
    for name, call, shape in (("double", double, (2,)), ("total", total, ())):
        out = wf.ones(shape, dtype=kept)
        if holds:
            np.testing.assert_array_equal(np.asarray(call(wf.asarray([3, 3], dtype=given), out=out)), np.full(shape, 6 if name == "double" else 12, kept))
            continue
        with pytest.raises(TypeError, match=rf"{name}: the result 'T r' is {given}, which no out of {kept} holds: give one of {given}, or "):
            call(wf.asarray([3, 3], dtype=given), out=out)
        np.testing.assert_array_equal(np.asarray(out), np.ones(shape))


def test_takes_complex_numbers_of_a_generic_type():
    f = wf.elementwise("r = x * t; a = abs(x)", "complex<T> x, T t", "complex<T> r, T a", "scaled")
    z = np.array([3 + 4j, -1j])
    for given, t, of, parts in ((z, 2.0, "complex128", "float64"), (z.astype("c8"), 2, "complex64", "float32"),
                                (z.astype("c8"), np.ones(2), "complex128", "float64"), (np.array([3, -2]), 2.0, "complex128", "float64")):
        r, a = f(wf.asarray(given), t if isinstance(t, (int, float)) else wf.asarray(t))
        assert (str(r.dtype), str(a.dtype)) == (of, parts)
        np.testing.assert_array_equal(np.asarray(r), given * t)
        np.testing.assert_array_equal(np.asarray(a), abs(given))
    joined = wf.elementwise("r = complex<T>(x, y)", "T x, T y", "complex<T> r", "joined")
    assert joined(wf.ones(1), 2.0).item() == 1 + 2j
    with pytest.raises(wf.Error, match="joined: output parameters:1:1: T is i64 here, and complex numbers have parts of f32 or f64"):
        joined(wf.asarray([1]), 2)
    with pytest.raises(wf.Error, match="scaled: input parameters:1:1: T is c128 here"):
        f(wf.asarray(z), wf.asarray(z))


@pytest.mark.parametrize("derivative", ["", "dr_dx = x > 0 ? 1 : r + a; dr_da = x > 0 ? 0 : expm1(x)"])
def test_has_derivatives(derivative):
    f = elu(derivative=derivative)
    x, a = wf.asarray(X), wf.asarray(np.full(X.shape, 0.5))
    by_x, by_a = wf.grad(lambda v, w: wf.sum(f(v, w)), argnums=(0, 1))(x, a)
    np.testing.assert_allclose(np.asarray(by_x), np.where(X > 0, 1, 0.5 * np.exp(X)), rtol=1e-12)
    np.testing.assert_allclose(np.asarray(by_a), np.where(X > 0, 0, np.expm1(X)), rtol=1e-12, atol=1e-15)
    _, second = wf.jvp(wf.grad(lambda v: wf.sum(f(v, 0.5))), (x,), (wf.ones(X.shape),))
    np.testing.assert_allclose(np.asarray(second), np.where(X > 0, 0, 0.5 * np.exp(X)), rtol=1e-12, atol=1e-15)


def test_the_derivative_that_is_given_counts():
    f = wf.elementwise("r = x * x", "T x", "T r", derivative="dr_dx = 100")
    np.testing.assert_array_equal(np.asarray(wf.grad(lambda v: wf.sum(f(v)))(wf.ones(3))), [100, 100, 100])


def test_branches_that_are_not_taken_leave_no_nan_in_derivatives():
    f = wf.elementwise("r = x > 0 ? sqrt(x) : 0", "T x", "T r")
    np.testing.assert_array_equal(np.asarray(wf.grad(lambda v: wf.sum(f(v)))(wf.asarray([0.0, 4.0]))), [0, 0.25])


def test_works_in_compiled_functions_vmap_and_loops():
    f = elu()
    x = wf.asarray(X)
    want = of_elu(X, 0.5)
    np.testing.assert_allclose(np.asarray(wf.compile(lambda v: f(v, 0.5))(x)), want, rtol=1e-14)
    np.testing.assert_allclose(np.asarray(wf.vmap(lambda v: f(v, 0.5))(x)), want, rtol=1e-14)
    last, _ = wf.scan(lambda c, _: (f(c, 0.5), c), x, wf.arange(3))
    np.testing.assert_allclose(np.asarray(last), of_elu(of_elu(want, 0.5), 0.5), rtol=1e-13)


def test_is_pickled_by_its_text():
    f = pickle.loads(pickle.dumps(elu(derivative="dr_dx = 3; dr_da = 0")))
    assert repr(f) == "<weft.elementwise elu(T x, T a) -> (T r): r = x > 0 ? x : a * expm1(x)>"
    np.testing.assert_array_equal(np.asarray(wf.grad(lambda v: wf.sum(f(v, 0.5)))(wf.ones(2))), [3, 3])


def test_takes_another_op_for_its_derivative():
    slope = wf.elementwise("dr_dx = slope(x); dr_da = 1", "T x, T a", "T dr_dx, T dr_da", "slope", preamble="template <typename T> T slope(T x) { return 3 * x; }")
    f = wf.elementwise("r = x * x + a", "T x, T a", "T r", "square", derivative=slope)
    x = wf.asarray([1.0, -2.0])
    np.testing.assert_array_equal(np.asarray(wf.grad(lambda v: wf.sum(f(v, 0.5)))(x)), [3, -6])
    np.testing.assert_array_equal(np.asarray(slope(x, 1.0)[0]), [3, -6])
    again = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(np.asarray(wf.grad(lambda v: wf.sum(again(v, 0.5)))(x)), [3, -6])
    with pytest.raises(wf.Error, match="derivative:1:1: 'dr_dx' is never assigned: .*: got s"):
        wf.elementwise("r = x", "T x", "T r", "f", derivative=wf.elementwise("s = x", "T x", "T s", "g"))(wf.ones(2))


def of_numbers(x, a):
    return x if x > 0 else a * math.expm1(x)


REFERENCES = {
    "text": "r = x > 0 ? x : 2 * a * sinh(x / 2) * exp(x / 2)",
    "function": of_numbers,
    "lambda": lambda x, a: x if x > 0 else a * math.expm1(x),
    "vectorized": wf.vectorize(of_numbers),
    "op": wf.elementwise("most = v > 0 ? v : b * expm1(v)", "T v, T b", "T most"),
}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("reference", REFERENCES.values(), ids=REFERENCES.keys())
def test_verify_holds_it_to_its_reference(reference, dtype):
    f = pickle.loads(pickle.dumps(elu(reference=reference, ulps=4)))
    found = wf.verify(lambda x: wf.sum(f(x, 0.5)), wf.asarray(X.astype(dtype)))
    assert found, found
    (checked,) = found.to_dict()["functions"]
    assert (checked["name"], checked["bound"], checked["elements"]) == ("elu", 4, X.size)
    assert checked["ulps"] <= 4
    assert "elu at test_elementwise.py:" in str(found) and "beside its reference: agrees" in str(found)


def test_verify_finds_an_op_that_leaves_its_reference():
    cancels = wf.elementwise("r = x > 0 ? x : a * (exp(x) - 1)", "T x, T a", "T r", "elu", reference=of_numbers)
    x = wf.asarray([-1.0, -1e-6, 2.0], dtype="float32")
    found = wf.verify(cancels, x, 0.5)
    assert not found
    (checked,) = found.to_dict()["functions"]
    assert not checked["agrees"] and checked["ulps"] > 1e4
    assert "beside its reference: DISAGREES" in str(found) and "at (1,)" in str(found)
    assert wf.verify(wf.elementwise("r = x > 0 ? x : a * (exp(x) - 1)", "T x, T a", "T r", "elu", reference=of_numbers, ulps=1e9), x, 0.5)


def test_a_reference_of_integers_complex_numbers_and_the_index_is_compared():
    x = wf.asarray(np.arange(-6, 6, dtype="int32"))
    assert wf.verify(wf.elementwise("r = x * x; n = i", "T x", "T r, long n", "f", reference="r = x * x; n = i"), x)
    wrong = wf.verify(wf.elementwise("r = x * x + (x == 3)", "T x", "T r", "f", reference=lambda x: x * x), x)
    assert not wrong and "10 instead of 9 at (9,)" in str(wrong)
    z = wf.asarray(np.array([1 + 2j, -3j, 1e30 + 1j], "complex64"))
    assert wf.verify(wf.elementwise("r = z * conj(z)", "T z", "T r", "f", reference=lambda z: abs(z) ** 2), z[:2])
    assert not wf.verify(wf.elementwise("r = z + 1", "T z", "T r", "f", reference="r = z"), z)
    nothing = wf.verify(wf.elementwise("r = x + 1", "T x", "T r", "f", reference="r = x"), x[:0])
    assert nothing


def test_values_that_a_dtype_cannot_hold_are_compared_as_it_holds_them():
    f = wf.elementwise("r = x * x", "T x", "T r", "f", reference="r = x * x", ulps=0.5)
    assert wf.verify(f, wf.asarray(np.array([1e30, np.inf, np.nan, 1e-30, 3], "float32")))
    g = wf.elementwise("r = x == 3 ? NAN : x * x", "T x", "T r", "f", reference="r = x * x")
    assert not wf.verify(g, wf.asarray(np.array([1, 3], "float32")))


def test_takes_a_text_for_each_target():
    f = wf.elementwise({"cpu": "r = cpu(x)", "cuda": "r = cuda(x)"}, "T x", "T r", "f",
                       preamble={"cpu": "template <typename T> T cpu(T x) { return x + 1; }", "cuda": "template <typename T> T cuda(T x) { return x + 2; }"})
    assert repr(f) == "<weft.elementwise f(T x) -> (T r): r = cpu(x) | r = cuda(x)>"
    x = wf.asarray(X)
    got = np.asarray(pickle.loads(pickle.dumps(f))(x))
    # A few elements of a GPU's may be computed on the host.
    assert (got == X + 1).all() or (x.device != "cpu" and (got == X + 2).all())
    text = f.text(x)
    assert "1.0" in text and "} cuda(" in text and "2.0" in text
    np.testing.assert_array_equal(np.asarray(wf.grad(lambda v: wf.sum(f(v)))(x)), np.ones_like(X))

    longest = wf.reduction({"cpu": "fabs(x)", "cuda": "x < 0 ? -x : x"}, {"cpu": "a > b ? a : b", "cuda": "fmax(a, b)"}, "y = a", 0, "T x", "T y", "longest")
    np.testing.assert_array_equal(np.asarray(longest(x, axis=0)), abs(X).max(0))
    assert pickle.loads(pickle.dumps(longest))(x).item() == 3


def test_takes_positions():
    f = wf.elementwise("r = x * k", "T x, long k", "T r", "ramp")
    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(np.asarray(f(wf.asarray(x), wf.index(-1))), x * np.arange(4))
    out = wf.zeros((3, 4))
    f(wf.asarray(x), wf.index(0), out)
    np.testing.assert_array_equal(np.asarray(out), x * np.arange(3)[:, None])


@pytest.mark.parametrize(("call", "message"), [
    (lambda f: f(wf.ones(3)), "elu: takes 2 operands: got 1"),
    (lambda f: f(1.0, 2.0), "elu: takes one array at least: got numbers alone"),
    (lambda f: f(wf.ones(3), wf.ones(4)), "elu: .*(3).*(4)"),
    (lambda f: wf.elementwise("r = x", "float x", "float r", "f")(wf.ones(3, dtype="complex64")), r"f: x is f32, which takes real numbers: got c64, which astype\(\) converts"),
    (lambda f: wf.elementwise("r = n", "int n", "int r", "f")(wf.ones(3)), "f: n is i32, which takes integers and bools: got f64"),
    (lambda f: wf.elementwise("r = n + k", "int n, int k", "int r", "f")(wf.ones(3, dtype="int32"), 0.5), "f: k is i32, .*: got f64"),
    (lambda f: wf.elementwise("r = n + k", "int n, int8 k", "int r", "f")(wf.ones(3, dtype="int32"), 1000), "f: .*1000"),
    (lambda f: wf.elementwise("r = x +\n  y + exq(1)", "T x", "T r", "f")(wf.ones(3)), "f:2:3: 'y' is not defined"),
    (lambda f: wf.elementwise("r = x +\n  ☃", "T x", "T r", "f"), "f:2:3: expected a value, got '☃'\n  +☃\n  +[\\^]"),
    (lambda f: wf.elementwise("r = é × x", "T x", "T r", "f"), "f:1:5: expected a value, got 'é'"),
    (lambda f: wf.elementwise("r = x × x", "T x", "T r", "f"), "f:1:7: expected ';', got '×'"),
    (lambda f: f("a", 1), "elu: argument 0: asarray: takes .*got str"),
    (lambda f: wf.elementwise({"cpu": "r = x"}, "T x", "T r", "f"), "operation is a text, or one for each of 'cpu' and 'cuda': got 'cpu'"),
    (lambda f: wf.elementwise({"cpu": "r = x", "cuda": " "}, "T x", "T r", "f"), "operation is empty for 'cuda'"),
    (lambda f: wf.elementwise({"cpu": "r = x", "cuda": "r = y"}, "T x", "T r", "f")(wf.ones(2)), "f on cuda:1:5: 'y' is not defined"),
    (lambda f: wf.elementwise({"cpu": "r = x", "cuda": 3}, "T x", "T r", "f"), "a text of 'cuda' is a text: got int"),
    (lambda f: wf.elementwise("r = x", "T x", "T r", "f", reference="s = x"), "f: reference:1:1: 'r' is never assigned"),
    (lambda f: wf.elementwise("r = x", "T x", "T r", "f", reference=3), "reference is a text or a function: got int"),
    (lambda f: wf.elementwise("r = x", "T x", "T r", "f", reference="r = x", ulps=-1), "ulps is a finite number that is not below 0: got -1"),
    (lambda f: wf.elementwise("r = x", "T x", "T r", "f", reference=lambda x, y: x)(wf.ones(2)), "f: reference: "),
    (lambda f: wf.elementwise("r = x", "T x", "T r", "f", reference=lambda x: (x, x))(wf.ones(2)), "function f: its reference has to give a number of the same kind for each"),
    (lambda f: wf.elementwise("r = x", "T x", "T r", "not a name"), "elementwise: name is an identifier: got 'not a name'"),
])
def test_errors_say_what_is_wrong(call, message):
    with pytest.raises((wf.Error, TypeError, OverflowError), match=message):
        call(elu())


def test_takes_texts_alone():
    with pytest.raises(TypeError, match="elementwise: in_params is a text: got list"):
        wf.elementwise("r = x", ["T x"], "T r")


@pytest.mark.parametrize(("dtype", "size"), [("int8", 1), ("float32", 4), ("float64", 8), ("complex64", 8)])
def test_sizeof_and_statements_between_commas(dtype, size):
    x = wf.ones(3, dtype=dtype)
    sizes = wf.elementwise("r = sizeof(T) + sizeof x * 100 + sizeof(int) * 10000", "T x", "long r", "sizes")
    assert sizes(x).tolist() == [size * 101 + 40000] * 3
    count = wf.elementwise("int k, j; long q = 1; for (k = 0, j = 3; k < j; ++k, --j) q += 1; q *= 2, r = q", "T x", "long r", "count")
    assert count(x).tolist() == [6] * 3
