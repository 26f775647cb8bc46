"""Numbers as arguments of compiled functions: arguments of the program, unless their value decides something."""

import cmath
import collections
import datetime
import decimal
import json
import math
import operator
import os
import statistics
import sys
import warnings

import numpy as np
import pytest
import weft as wf

SEVERAL = (0.1, 0.25, -3.0, 0.0, -0.0, 1e300, math.inf, math.nan)


def same(have, want):
    have, want = ([*one] if isinstance(one, (tuple, list)) else [one] for one in (have, want))
    for h, w in zip(have, want, strict=True):
        assert getattr(h, "dtype", type(h)) == getattr(w, "dtype", type(w))
        h, w = (np.asarray(one).astype("float32") if np.asarray(one).dtype.kind == "V" else np.asarray(one) for one in (h, w))  # whose NaNs differ
        if "cuda" in os.environ.get("WEFT_DEVICE", "") and h.dtype.kind in "fc":  # a kernel may join what several rounded
            np.testing.assert_allclose(h, w, rtol=4 * np.finfo(h.dtype).eps)
        else:
            np.testing.assert_array_equal(h, w)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "bfloat16", "complex64"])
@pytest.mark.parametrize("body", [
    lambda x, a: x * a, lambda x, a: a * x, lambda x, a: x - a, lambda x, a: a - x, lambda x, a: x / a, lambda x, a: x + 2 * a, lambda x, a: x + (a - 1) * a,
    lambda x, a: x * -a, lambda x, a: x * abs(a), lambda x, a: x * (a * a), lambda x, a: wf.multiply(x, a), lambda x, a: wf.add(a, x), lambda x, a: x.sum() * a,
    lambda x, a: wf.where(x == a, x, a), lambda x, a: wf.asarray(a) + x, lambda x, a: wf.exp(a) + x, lambda x, a: wf.full(3, a) + x,
    lambda x, a: wf.stack([x, x * a]), lambda x, a: wf.concatenate([x, [a]]), lambda x, a: wf.select([x == 1], [a], x), lambda x, a: (x == a, a != x),
    lambda x, a: wf.dot(x, a), lambda x, a: x**a, lambda x, a: (a, x), lambda x, a: x * (a / 2 + 1.5 - a),
], ids=range(25))  # fmt: skip
def test_results_are_the_functions_own(dtype, body):
    x = wf.asarray(np.arange(3.0), dtype=dtype)
    f = wf.compile(body)
    for a in (*SEVERAL, 2, 3, -1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of recordings, and of divisions
            same(f(x, a), body(x, a))


FUNCTIONS = [
    lambda x, a: x * wf.sin(a), lambda x, a: x * np.exp(-a), lambda x, a: x + np.hypot(a, 3) * 2, lambda x, a: wf.maximum(a, 0.5) - x, lambda x, a: wf.sqrt(a),
    lambda x, a: x / wf.arctan2(a, a + 1), lambda x, a: wf.where(x > wf.floor(a), x, wf.floor(a)), lambda x, a: x.astype("float32") * np.cos(2 * a),
    lambda x, a: wf.tanh(wf.exp(a) - 1) ** 2 + x, lambda x, a: wf.stack([wf.sin(a), wf.cos(a)]), lambda x, a: wf.sin(a).reshape(1), lambda x, a: abs(-wf.sin(a)) * x,
]  # fmt: skip


@pytest.mark.parametrize("body", FUNCTIONS, ids=range(len(FUNCTIONS)))
def test_functions_of_numbers_alone_do_not_ask(body):
    x, f = wf.arange(3.0), wf.compile(body)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, of roots of negative numbers
        for a in SEVERAL:
            have, want = (np.asarray(one) for one in (f(x, a), body(x, a)))
            assert have.dtype == want.dtype
            np.testing.assert_allclose(have, want, rtol=1e-15)  # where NumPy computes outside, an ulp apart
    assert f.recordings == 1


MADE = [
    lambda x, a: wf.where(x > 1, a, 0.0), lambda x, a: np.where(x > 1, 0, a), lambda x, a: wf.where(x > 1, a, -a), lambda x, a: wf.where(x > 1, a, True), lambda x, a: np.where(x > 1, a, a + 1),
    lambda x, a: wf.full(3, a) + x, lambda x, a: wf.full((2, 3), a, dtype="float32"), lambda x, a: wf.full_like(x * 1.0, a),
    lambda x, a: np.select([x > 1, x > 0], [a, x], 0.0), lambda x, a: wf.select([x > 1], [a]), lambda x, a: wf.select([x > 1, x > 0], [a, 2 * a], a), lambda x, a: wf.select([x > 1], [wf.float32(2)], a),
    lambda x, a: wf.result_type(x, a).type(1) * x,
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("body", MADE, ids=range(len(MADE)))
def test_what_is_made_of_numbers_does_not_ask(body, dtype):
    x, f = wf.arange(3, dtype=dtype), wf.compile(body)
    for a in (0.1, -2.5, 3.0, 1e30, 7.25):
        same(f(x, a), body(x, a))
    assert f.recordings == 1


@pytest.mark.parametrize("derived", [wf.grad, wf.value_and_grad, lambda f: wf.grad(f, argnums=(0, 1)), wf.jacrev, wf.jacfwd, wf.checkpoint], ids=range(6))
def test_derivatives_take_numbers_as_arguments(derived):
    g, w = derived(lambda w, a: wf.sum(w**2 * wf.sin(a))), wf.arange(1.0, 4.0)
    f = wf.compile(g)
    for a in (0.1, 0.2, 0.3):
        have, want = f(w, a), g(w, a)
        for h, x in zip(have if isinstance(have, tuple) else (have,), want if isinstance(want, tuple) else (want,), strict=True):
            np.testing.assert_allclose(h, x, rtol=1e-14)
    assert f.recordings == 1


def test_what_looks_at_a_functions_number_decides():
    x = wf.arange(5.0)
    for body in (
        lambda x, a: x[: int(np.ceil(a))], lambda x, a: x if np.isnan(a) else -x, lambda x, a: x * (2 if wf.sqrt(a) > 1.5 else 3), lambda x, a: np.sin(a),
        lambda x, a: [x * i for i in range(int(wf.floor(a)))], lambda x, a: x * math.sin(np.sqrt(a)), lambda x, a: wf.ldexp(a, 3) + x,
    ):  # fmt: skip
        f = wf.compile(body)
        for a in (1.5, 2.5, 1.5):
            have, want = f(x, a), body(x, a)
            assert type(have) is type(want)
            same(have, want)
    same(wf.compile(lambda x, n: x * wf.sqrt(n))(x, 4), x * wf.sqrt(4))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64", "bool", "float32"])
def test_integers_beside_every_dtype(dtype):
    x = wf.asarray(np.array([0, 1, 1]), dtype=dtype)
    for body in (lambda x, n: x * n, lambda x, n: x + n, lambda x, n: n - x, lambda x, n: x == n, lambda x, n: wf.maximum(x, n), lambda x, n: x / n):
        f = wf.compile(body)
        for n in (1, 3, 100):
            same(f(x, n), body(x, n))
    if dtype in ("int8", "uint8"):
        f = wf.compile(lambda x, n: x + n)
        f(x, 1)
        with pytest.raises(OverflowError):
            f(x, 300)


def test_another_number_is_no_other_recording():
    @wf.compile
    def step(u, dt, options):
        u += dt
        u[0] = dt / 2
        return (u * options["rate"]).sum() * dt

    for dt in SEVERAL[:4]:
        u = wf.ones(50)
        want = wf.ones(50) + dt
        want[0] = dt / 2
        # A GPU may sum the pieces in another order where the writes to u are in the same kernel.
        assert float(step(u, dt, {"rate": dt + 1})) == pytest.approx(float((want * (dt + 1)).sum() * dt), rel=1e-15)
        np.testing.assert_array_equal(np.asarray(u), np.asarray(want))  # it is written in place
    assert step.recordings == 1 and "any float" in step.why()
    squared = wf.compile(lambda x, a: x * a**2)
    assert [squared(wf.ones(1), a).tolist() for a in (2.0, -3.0)] == [[4], [9]] and squared.recordings == 1
    assert float(step(wf.ones(50), dt=0.5, options={"rate": 2.0})) > 0


@pytest.mark.parametrize("decides", [
    lambda x, n: x if n > 1 else -x, lambda x, n: x[n], lambda x, n: x * len(range(n)), lambda x, n: wf.ones((n, 2)), lambda x, n: x * math.sqrt(n),
    lambda x, n: x * {1: 5, 2: 6, 3: 7}[n], lambda x, n: wf.roll(x, n), lambda x, n: x * int(f"{n}"), lambda x, n: x.reshape(-1, n), lambda x, n: x * (n % 2),
    lambda x, n: x * (n // 2), lambda x, n: x * np.sqrt(n), lambda x, n: x * [1, 2, 3, 4][n], lambda x, n: wf.sum(wf.stack([x] * n)), lambda x, n: x if n else 0,
    lambda x, n: x * round(n), lambda x, n: wf.asarray([n, 1]), lambda x, n: x * (n & 1), lambda x, n: x if isinstance(n, int) and n == 2 else 2 * x,
    lambda x, n: x * sum([n] * 2), lambda x, n: x * np.asarray([n, 1.0]).sum(), lambda x, n: x * float(n), lambda x, n: x * n**3, lambda x, n: x * n * n,
], ids=range(24))  # fmt: skip
def test_a_value_that_decides_something_is_followed(decides):
    x = wf.arange(6.0)
    f = wf.compile(decides)
    for _ in range(2):
        for n in (1, 2, 3):
            same(f(x, n), decides(x, n))
    assert f.recordings <= 3


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int64", "uint8", "bool", "complex64"])
@pytest.mark.parametrize("body", [
    lambda x, a: x * a, lambda x, a: a * x, lambda x, a: a - x, lambda x, a: x / a, lambda x, a: x + 2 * a, lambda x, a: x + (a - 1) * a, lambda x, a: x * -a,
    lambda x, a: x * abs(a), lambda x, a: wf.multiply(x, a), lambda x, a: x.sum() * a, lambda x, a: wf.where(x == a, x, a), lambda x, a: wf.asarray(a) + x,
    lambda x, a: wf.exp(a) + x, lambda x, a: wf.clip(x.real, a, None), lambda x, a: wf.stack([x, x * a]), lambda x, a: wf.concatenate([x, [a]]), lambda x, a: x**a,
    lambda x, a: (a, x), lambda x, a: x * (1 / a), lambda x, a: x * a**2, lambda x, a: x * a**3, lambda x, a: x if a > 0.5 else x + a, lambda x, a: x * np.sqrt(a * a),
    lambda x, a: x * a.dtype.itemsize, lambda x, a: x * float(a), lambda x, a: np.float64(3) * a * x, lambda x, a: x * (a // 2), lambda x, a: x * math.atan(a),
], ids=range(28))  # fmt: skip
def test_numpys_float64_is_an_argument_with_its_dtype(dtype, body):
    x = wf.asarray(np.array([0.0, 1, 2])).astype(dtype)
    f = wf.compile(body)
    for a in (0.1, 0.25, -3.0, 1e300, math.inf, math.nan):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of recordings and of overflows
            same(f(x, np.float64(a)), body(x, np.float64(a)))


def test_another_float64_of_numpys_is_no_other_recording():
    f = wf.compile(lambda x, a: x * a + (1 - a) / 2)
    x = wf.ones(3, dtype="float32")
    for a in np.linspace(0, 1, 5):
        same(f(x, a), x * a + (1 - a) / 2)
        assert f(x, a).dtype == np.float64
    assert f.recordings == 1 and "a: any float64" in f.why()
    assert f(x, 0.5).dtype == np.float32 and f.recordings == 2

    @wf.compile
    def stores(x, a):
        x[0] = a
        x += a

    for a in np.linspace(0, 1, 5):
        y, z = wf.ones(3, dtype="float32"), wf.ones(3, dtype="float32")
        stores(y, a)
        z[0] = a
        z += a
        same(y, z)
    assert stores.recordings == 1


def test_numbers_in_a_tuple_are_arguments_too():
    body = lambda x, t: x * t[0] + t[1]  # noqa: E731
    f = wf.compile(body)
    for t in ((0.5, 1), (2.5, 3), (-0.0, 4)):
        same(f(wf.ones(3), t), body(wf.ones(3), t))
    assert f.recordings == 1 and "t[0]: any float, t[1]: any int" in f.why()
    nested = wf.compile(lambda x, t: x * t[0][1] if t[1] == "scaled" else x)
    for a, name in ((2.0, "scaled"), (3.0, "scaled"), (4.0, "left")):
        assert nested(wf.ones(1), ((1, a), name)).tolist() == [a if name == "scaled" else 1]
    assert nested.recordings == 2
    numpys = wf.compile(body)
    for a in (0.5, 1.5):
        same(numpys(wf.ones(3, dtype="f4"), (np.float64(a), 1)), body(wf.ones(3, dtype="f4"), (np.float64(a), 1)))
    assert numpys.recordings == 1
    pair = collections.namedtuple("pair", "a b")
    named = wf.compile(lambda x, t: x * t.a + t.b)
    assert [named(wf.ones(1), pair(a, 1.0)).tolist() for a in (2.0, 3.0)] == [[3], [4]] and named.recordings == 1
    assert wf.compile(lambda x, t: x * t.epsilon)(wf.ones(1), sys.float_info).tolist() == [sys.float_info.epsilon]  # cannot be made again
    shaped = wf.compile(lambda x, shape: x.reshape(shape))
    assert [shaped(wf.ones(6), one).shape for one in ((2, 3), (3, 2))] == [(2, 3), (3, 2)] and shaped.recordings == 2


def test_only_what_decides_is_recorded_again():
    @wf.compile
    def f(x, a, n):
        for _ in range(n):
            x = x * a
        return x

    for n in (1, 2):
        for a in (2.0, 3.0, 4.0):
            assert f(wf.ones(2), a, n).tolist() == [a**n] * 2
    assert f.recordings == 2
    assert "a: any float, n = 2 (its value was asked for at test_compiled_numbers.py:" in f.why()


@wf.compile
def of_a_helper(x, a):
    return _doubled_if_float(x, a)


def _doubled_if_float(x, a):
    return x * 2 if type(a) is float else x * 3


kind_of = type


def _imports(x, a):
    from statistics import mean

    return x * mean([a, 1])


class _Scales:
    def __init__(self, factor):
        self.factor = factor

    def scaled(self, x, a):
        return x * self.factor if issubclass(type(a), float) else x

    __hash__ = None


@pytest.mark.parametrize("body", [
    _doubled_if_float, lambda x, a: x * 2 if type(a) in (int, float) else x, lambda x, a: x * 2 if type(a) == int else x, lambda x, a: x * type(a)(3),  # noqa: E721
    lambda x, a: x * {int: 2, float: 3, np.float64: 4}[type(a)], lambda x, a: x * 2 if kind_of(a) is float else x, lambda x, a: (lambda: x * type(a)(2))(),
    lambda x, a: x * 2 if [*map(type, (a,))] == [float] else x, _Scales(5).scaled, lambda x, a: x * statistics.mean([a, 1]), _imports,
    lambda x, a: x * len(json.dumps(a)), lambda x, a: x * float(decimal.Decimal(a)), lambda x, a: x * datetime.timedelta(seconds=a).total_seconds(),
], ids=range(14))  # fmt: skip
def test_code_that_asks_for_a_numbers_type_gets_the_number(body):
    x = wf.arange(3.0)
    f = wf.compile(body)
    for a in (1.5, 2, np.float64(2.5)):
        same(f(x, a), body(x, a))
        same(f(x, a=a), body(x, a))
    assert "any" not in f.why() and "a = 1.5 (its value was asked for at test_compiled_numbers.py:" in f.why()


def test_the_line_that_asks_for_a_type_is_named_where_it_is_in_a_function_that_is_called():
    line = _doubled_if_float.__code__.co_firstlineno + 1
    of_a_helper(wf.ones(2), 1.5)
    assert f"a = 1.5 (its value was asked for at test_compiled_numbers.py:{line})" in of_a_helper.why()
    no_type = wf.compile(lambda x, a: x * a if isinstance(a, float) and a.__class__ is float else x)
    assert no_type(wf.ones(2), 1.5).tolist() == [1.5] * 2 and "a: any float" in no_type.why()


@pytest.mark.parametrize("a", [1.5, 2, np.float64(2.5)])
@pytest.mark.parametrize("body", [
    lambda x, a: x * complex(a), lambda x, a: x * complex(a, 1), lambda x, a: x * cmath.sqrt(a), lambda x, a: x[:a], lambda x, a: x * len(range(a)),
    lambda x, a: x.sum(axis=a - 2), lambda x, a: x * ~a, lambda x, a: x * (a << 1), lambda x, a: x * (1 >> a), lambda x, a: x * (a & 1), lambda x, a: x * (1 | a),
    lambda x, a: x * (a ^ 3), lambda x, a: x * operator.index(a), lambda x, a: x * divmod(7, a)[1], lambda x, a: x * (7 % a), lambda x, a: x * (7 // a),
    lambda x, a: x if a < "s" else -x, lambda x, a: x * math.floor(a), lambda x, a: x * round(a, 1), lambda x, a: x * math.trunc(a),
], ids=range(20))  # fmt: skip
def test_operators_of_a_number_give_and_raise_what_pythons_do(body, a):
    x = wf.arange(6.0)
    try:
        expected = body(x, a)
    except TypeError as error:
        with pytest.raises(TypeError) as raised:
            wf.compile(body)(x, a)
        assert str(raised.value) == str(error)
    else:
        same(wf.compile(body)(x, a), expected)


def test_a_number_that_is_returned_is_asked_for_there():
    def gives(x, a):
        return x, a

    f = wf.compile(gives)
    f(wf.ones(2), 1.5)
    f(wf.ones(2), a=2.5)
    assert f.why().count("(its value was asked for at the return of gives)") == 2


def test_a_number_that_is_kept_is_a_number():
    kept = []

    @wf.compile
    def f(x, a):
        kept.append(a)
        kept.append(a * 2)
        return x * a

    f(wf.ones(2), 1.5)
    a, twice = kept
    assert a + 1 == 2.5 and twice == 3.0 and float(a) == 1.5 and repr(a) == "1.5" and (wf.ones(2) * a).tolist() == [1.5] * 2


def test_a_division_by_a_number_that_is_zero_at_first_raises_as_pythons_does():
    f = wf.compile(lambda x, a: x * (1 / a))
    with pytest.raises(ZeroDivisionError):
        f(wf.ones(2), 0.0)
    assert f(wf.ones(2), 2.0).tolist() == [0.5] * 2


def test_many_recordings_warn_once():
    @wf.compile
    def f(x, n):
        return x if n > 0 else -x

    with pytest.warns(UserWarning, match=r"f has been recorded 8 times, the last time for x: \(2,\) f64, n = 8 .*why\(\)") as warned:
        for n in range(1, 13):
            f(wf.ones(2), n)
    assert len(warned) == 1 and f.recordings == 12 and f.why().count("\n") == 12


@pytest.mark.parametrize("call", [lambda f, n: f(wf.ones(2), n), lambda f, n: f(wf.ones(2), n=n), lambda f, n: f(x=wf.ones(2), n=[n])], ids=["place", "keyword", "list"])
def test_the_warning_of_many_recordings_names_the_line_that_calls(call):
    f = wf.compile(lambda x, n: x * len(str(n)))
    with pytest.warns(UserWarning, match="has been recorded 8 times") as warned:
        for n in range(8):
            call(f, n)
    assert warned[0].filename == __file__ and warned[0].lineno == call.__code__.co_firstlineno


def test_a_methods_arguments_have_their_names():
    class Steps:
        rate = 0.5

        def step(self, u, dt):
            return u + self.rate * dt

    f = wf.compile(Steps().step, donate="u")
    u = wf.ones(100)
    f(u, wf.ones(100))
    assert f.why().startswith("1. u: (100,) f64, dt: (100,) f64")
    with pytest.raises(wf.Error, match="donated"):
        u.tolist()


def test_what_is_printed_while_recording(capsys):
    @wf.compile
    def f(x):
        print(x, repr(x > 0), f"{x.sum()}", wf.ones(1))
        return x

    f(wf.ones(1000))
    assert capsys.readouterr().out == "<recorded (1000,) f64> <recorded (1000,) bool> <recorded () f64> [1.]\n"


@pytest.mark.parametrize("formatted", [lambda x: f"{x.sum():.2f}", lambda x: format(x, ">3"), lambda x: "{:e}".format(x[0])])
def test_a_format_of_a_value_that_is_not_known_is_refused(formatted):
    with pytest.raises(wf.Error, match="^format: .* have no values while it is recorded: got .*: without a format it is shown"):
        wf.compile(lambda x: (x, formatted(x)))(wf.ones(1000))


def test_explain_shows_a_function_as_it_is_recorded():
    x = wf.ones(1000)
    gradient = wf.grad(lambda c: (wf.sin(c) ** 2).sum())
    for text in (wf.explain(gradient, x), wf.compile(gradient).explain(x), wf.compile(gradient).lower(x).explain()):
        assert "\nstep 0: kernel over (1000,)" in text and "cos" in text
    looped = wf.explain(lambda x, n: wf.fori_loop(0, n, lambda i, y: wf.sin(y), x), x, 10)
    assert "sin" in looped and "loop" in looped

    @wf.compile
    def writes(x, a):
        x += a

    assert "kernel over (1000,)" in writes.explain(x, 2.0) and x.tolist() == [1] * 1000
    lowered = writes.lower(x, a=2.0)
    assert "add" in lowered.show("graph") and repr(lowered) == lowered.show("graph")
    assert wf.explain(lambda: wf.ones(3)) and writes.recordings == 0


@pytest.mark.parametrize("n", [0, 1, 2, 3, 2.0])
@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "c8"])
def test_a_power_has_the_dtype_that_it_has_outside(n, dtype):
    a = np.array([True, False, True]).astype(dtype)
    result = wf.compile(lambda x, n: x**n)(wf.asarray(a), n)
    assert result.dtype == (a**n).dtype and result.tolist() == (a**n).tolist()
    if dtype != "?":
        changed, expected = wf.asarray(a), a.copy()
        if dtype != "i4" or isinstance(n, int):
            wf.compile(lambda x, n: x.__ipow__(n) * 1)(changed, n)
            expected **= n
            assert changed.tolist() == expected.tolist()
