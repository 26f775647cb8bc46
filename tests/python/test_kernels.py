"""cpu_kernel() and cuda_kernel(): kernels of a user's own text, beside NumPy, and what is refused."""

import os
import pickle

import numpy as np
import pytest
import weft as wf

RNG = np.random.default_rng(3)

SAXPY = """#include <cmath>
void saxpy(long begin, long end, float a, const float* x, const float* __restrict__ y, float* r) {
  for (long i = begin; i < end; ++i) r[i] = a * x[i] + y[i];
}"""

pytestmark = [
    pytest.mark.skipif("cpu" not in str(wf.asarray(0).device), reason="kernels of C++ are for the CPU"),
    pytest.mark.skipif("WEFT_TEST_WITHOUT_JIT" in os.environ, reason="this library compiles no kernels"),
]


@pytest.fixture(scope="module")
def saxpy():
    return wf.cpu_kernel(SAXPY, "saxpy")


@pytest.mark.parametrize("n", [0, 1, 5, 1000, 100_003])
def test_sets_its_result(saxpy, n):
    x, y = RNG.normal(size=n).astype("f4"), RNG.normal(size=n).astype("f4")
    r = saxpy(n, (2, wf.asarray(x), wf.asarray(y), wf.kernel_output(n, "float32")))
    assert r.dtype == "float32" and r.shape == (n,)
    np.testing.assert_array_equal(np.asarray(r), np.float32(2) * x + y)


def test_takes_what_is_recorded_and_views_and_gives_to_others(saxpy):
    x = RNG.normal(size=(40, 30)).astype("f4")
    a = wf.asarray(x)
    half = x[::-2, ::3].T
    y = saxpy(half.size, (0.5, a[::-2, ::3].T * 2, a[::-2, ::3].T, wf.kernel_output(half.shape, wf.float32)), grain=7)
    np.testing.assert_allclose(float(wf.sum(y + 1)), (half + half + 1).sum(dtype="f8"), rtol=1e-6)


def test_changes_arrays_that_it_may_write_to():
    add = wf.cpu_kernel("void add(long begin, long end, const int *x, int *total) { for (long i = begin; i < end; ++i) total[i] += x[i]; }", "add")
    total, x = wf.arange(10, dtype="int32"), wf.full(10, 3, dtype="int32")
    before = total + 0
    view = total[2:6]
    assert add(10, (x, total)) is None
    assert total.tolist() == [3 + k for k in range(10)] and before.tolist() == list(range(10)) and view.tolist() == [5, 6, 7, 8]
    add(4, (x[:4], view))
    assert total.tolist() == [3, 4, 8, 9, 10, 11, 9, 10, 11, 12]


def test_gives_several_results():
    parts = wf.cpu_kernel(
        "void parts(long b, long e, const double* x, double* whole, double* rest) { for (long i = b; i < e; ++i) rest[i] = x[i] - (whole[i] = floor(x[i])); }",
        "parts")
    x = RNG.normal(size=100) * 9
    out = wf.kernel_output(100, "float64")
    whole, rest = parts(100, (wf.asarray(x), out, out))
    np.testing.assert_array_equal(np.asarray(whole), np.floor(x))
    np.testing.assert_array_equal(np.asarray(rest), x - np.floor(x))


@pytest.mark.parametrize(("name", "kind"), [
    ("bool", "bool"), ("char", "int8"), ("unsigned char", "uint8"), ("short", "int16"), ("uint16_t", "uint16"), ("int", "int32"), ("unsigned", "uint32"),
    ("long long", "int64"), ("size_t", "uint64"), ("float", "float32"), ("double", "float64")])
def test_every_type(name, kind):
    f = wf.cpu_kernel(f"void f(long b, long e, const {name}* x, {name} y, {name}* r) {{ for (long i = b; i < e; ++i) r[i] = x[i] + y; }}", "f")
    x = RNG.integers(0, 9, 20).astype(kind)
    r = f(20, (wf.asarray(x), kind == "bool" or 1, wf.kernel_output(20, kind)))
    np.testing.assert_array_equal(np.asarray(r), x | True if kind == "bool" else x + x.dtype.type(1))


def test_templates_and_functions_of_mathematics():
    f = wf.cpu_kernel("""
template <class T, int K>
T power(T x) { return K == 0 ? T(1) : x * power<T, (K > 0 ? K - 1 : 0)>(x); }
template <class T, int K>
void f(long b, long e, const T* x, T* r) {
  for (long i = b; i < e; ++i) r[i] = std::exp(power<T, K>(x[i])) + atan2(x[i], T(2)) + fmaf(1, 2, 3);
}""", "f<double, 3>")
    x = RNG.normal(size=50)
    np.testing.assert_allclose(np.asarray(f(50, (wf.asarray(x), wf.kernel_output(50, "f8")))), np.exp(x**3) + np.arctan2(x, 2) + 5, rtol=1e-14)


def test_is_recorded_by_compile(saxpy):
    calls = []

    @wf.compile
    def twice(x, a):
        calls.append(1)
        y = saxpy(8, (a, wf.exp(x), x, wf.kernel_output(8, "float32")))
        total = wf.zeros(8, dtype="float32")
        wf.cpu_kernel("void keep(long b, long e, const float* x, float* t) { for (long i = b; i < e; ++i) t[i] += 2 * x[i]; }", "keep")(8, (y, total))
        return total

    for k in range(4):
        x = np.arange(8, dtype="f4") * k / 8
        np.testing.assert_allclose(np.asarray(twice(wf.asarray(x), 1.0 + k)), 2 * ((1 + k) * np.exp(x) + x), rtol=1e-5)
    assert len(calls) <= 4


def test_is_one_kernel_for_all_numbers_and_lengths(saxpy, kernels_first):
    def call(n, a):
        x = wf.ones(n, dtype="float32") * 3
        return saxpy(n, (a, x, x, wf.kernel_output(n, "float32"))).tolist()

    call(7, 1.0)
    before = kernels_first()
    assert call(9, 2.0) == [9] * 9
    assert kernels_first() == before


def test_says_itself_in_explain(saxpy):
    x = wf.ones(5, dtype="float32")
    text = str(wf.explain(saxpy(5, (1, x, x, wf.kernel_output(5, "float32")))))
    assert "kernel of the user's text: saxpy" in text
    text = str(wf.explain(wf.exp(saxpy(5, (1, wf.exp(x), x, wf.kernel_output(5, "float32"))))))
    assert "a kernel of your own reads it" in text
    assert "a kernel of your own computes it" in text
    transformed = str(wf.explain(wf.abs(wf.fft.fft(wf.eval(wf.linspace(0, 1, 50_000)))) * 2))
    assert "a library reads it" in transformed and "a library computes it" in transformed and "your own" not in transformed


def test_pickles(saxpy):
    again = pickle.loads(pickle.dumps(saxpy))  # noqa: S301
    x = wf.ones(5, dtype="float32")
    assert again(5, (1, x, x, wf.kernel_output(5, "float32"))).tolist() == [2] * 5
    assert repr(again) == "<weft.cpu_kernel saxpy(float a, const float* x, const float* y, float* r)>"


def test_includes_files(tmp_path):
    (tmp_path / "inner.h").write_text("#pragma once\ninline int three() { return 3; }\n")
    (tmp_path / "outer.h").write_text('#pragma once\n#include "inner.h"\n')
    text = '#include "outer.h"\n#include "inner.h"\nvoid f(long b, long e, int* r) { for (long i = b; i < e; ++i) r[i] = three(); }'
    assert wf.cpu_kernel(text, "f", include_dirs=[tmp_path])(2, (wf.kernel_output(2, "int32"),)).tolist() == [3, 3]
    with pytest.raises(wf.Error, match="no file 'outer.h'"):
        wf.cpu_kernel(text, "f")
    broken = '#include "outer.h"\nvoid f(long b, long e, int* r) {\n  r[0] = four();\n}'
    with pytest.raises(wf.Error, match=r"f\.cpp:3:10: error: use of undeclared identifier 'four'"):
        wf.cpu_kernel(broken, "f", include_dirs=[tmp_path])(2, (wf.kernel_output(2, "int32"),))


def test_includes_files_by_either_form(tmp_path):
    (tmp_path / "three.h").write_text("inline int three() { return 3; }\n")
    (tmp_path / "cmath").write_text("#error this one is Weft's own\n")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "six.h").write_text('#include "../three.h"\n#if 0\n#include "nowhere.h"\n#endif\ninline int six() { return 2 * three(); }\n')
    text = "#include <cmath>\n#include <parts/six.h>\nvoid f(long b, long e, int* r) { r[0] = six() + (int)sqrt(4.0); }"
    assert wf.cpu_kernel(text, "f", include_dirs=[tmp_path])(1, (wf.kernel_output(1, "int32"),)).tolist() == [8]
    with pytest.raises(wf.Error, match=r"(?s)f\.cpp:2:10: fatal error: 'parts/six.h' file not found.*In Python include_dirs names folders"):
        wf.cpu_kernel(text, "f").check()


def test_an_include_stands_under_the_if_around_it(tmp_path):
    (tmp_path / "once.h").write_text("#pragma once\ninline int once() { return 1; }\n")
    (tmp_path / "guarded.h").write_text('#ifndef GUARDED\n#define GUARDED\n#include "once.h"\ninline int guarded() { return once() + 1; }\n#endif\n')
    (tmp_path / "item.def").write_text("+ ITEM\n")

    def given(text):
        return wf.cpu_kernel(text, "f", include_dirs=[tmp_path])(1, (wf.kernel_output(1, "int32"),)).tolist()

    body = "void f(long b, long e, int* r) { r[0] = 0"
    left_out = '#if 0\n#include "once.h"\n#include "guarded.h"\n#include "nowhere.h"\n#endif\n'
    assert given(left_out + '#include "guarded.h"\n#include "once.h"\n' + body + " + guarded() + once(); }") == [3]
    assert given('#ifdef NOT\n#include "nowhere.h"\n#else\n#include "once.h"\n#endif\n#include "once.h"\n#include "guarded.h"\n' + body + " + guarded(); }") == [2]
    assert given(body + '\n#define ITEM 2\n#include "item.def"\n#undef ITEM\n#define ITEM 5\n#include "item.def"\n; }') == [7]  # as often as it is written
    with pytest.raises(wf.Error, match=r"f\.cpp:2:10: fatal error: 'nowhere.h' file not found"):
        given('#if 1\n#include "nowhere.h"\n#endif\n' + body + "; }")
    with pytest.raises(wf.Error, match=r"once\.h:3:21: error: use of undeclared identifier 'y'"):
        (tmp_path / "once.h").write_text("#pragma once\n\nint once() { return y; }\n")
        given('#include "once.h"\n' + body + "; }")


@pytest.mark.parametrize(("text", "name", "message"), [
    ("void g(long b, long e) {}", "f", "f: the text defines no function of this name: it defines g"),
    ("", "f", "f: the text defines no function of this name$"),
    ("void f(long b, long e, int x);", "f", "defines no function of this name"),
    ("// void f(long b, long e) {}\n", "f", "defines no function of this name"),
    ("int f(long b, long e, int* x) {}", "f", "f:1:5: a kernel gives nothing back: write void"),
    ("\n  void f(int b, int e, int* x) {}", "f", "long begin, long end"),
    ("void f(float* x) {}", "f", "long begin, long end"),
    ("void f(long b, long e, float** x) {}", "f", "f:1:24: an address of addresses"),
    ("void f(long b, long e, float &x) {}", "f", "f:1:24: a reference cannot be given"),
    ("struct S { int x; };\nvoid f(long b, long e, S x) {}", "f", "f:2:24: x is taken by its value as S"),
    ("void f(long b, long e, float) {}", "f", "f:1:24: a parameter has a type and a name"),
    ("template <class T> void f(long b, long e, T* x) {}", "f", 'f:1:25: f is a template: name it with its types, as in "f<float>"'),
    ("void f(long b, long e, float* x) {}", "f<float>", "f is no template"),
    ("void f(long b, long e, float* x", "f", "f:1:7: this [(] is not closed"),
])
def test_refuses_texts(text, name, message):
    with pytest.raises(wf.Error, match=message):
        wf.cpu_kernel(text, name)


def per_element(body, before="", name="f"):
    """A kernel that sets r[i] of x[i], both f64, and what it gives of three numbers."""
    kernel = wf.cpu_kernel(before + "\nvoid f(long begin, long end, const double* x, double* r) { for (long i = begin; i < end; ++i) { " + body + " } }", name)
    return np.asarray(kernel(3, (wf.asarray([1.0, 2.5, 9.0]), wf.kernel_output(3, "float64"))))


@pytest.mark.parametrize(("body", "expected"), [
    ("r[i] = sin(x[i]) + cos(x[i]);", lambda x: np.sin(x) + np.cos(x)),
    ("r[i] = sqrt(2) + pow(x[i], 2) + pow(2, (int)x[i]) + pow((float)x[i], 2.0) + std::pow(10.0, x[i]) + sin(1);",
     lambda x: np.sqrt(2) + x**2 + 2.0 ** np.trunc(x) + x**2 + 10**x + np.sin(1)),
    ("r[i] = isnan(x[i]) + 2 * std::isfinite(x[i]) + 4 * signbit(-x[i]) + 8 * isinf(x[i] / 0.0);", lambda x: 0 * x + 14),
    ("int e; const double m = frexp(x[i], &e); r[i] = m + e + ldexp(m, 3);", lambda x: np.frexp(x)[0] * 9 + np.frexp(x)[1]),
    ("double whole; r[i] = modf(x[i], &whole) * 10 + whole + lround(x[i]) + logb(x[i]) + std::clamp(x[i], 2.0, 3.0);",
     lambda x: (x % 1) * 10 + np.trunc(x) + np.floor(x + 0.5) + np.floor(np.log2(x)) + np.clip(x, 2, 3)),
    ("const __int128 wide = (__int128)(long)(x[i] * 1e17) * 1000; r[i] = (double)(wide / 7000000000000l);", lambda x: np.trunc(x * 1e20 / 7e12)),
    ("r[i] = std::numeric_limits<int>::max() + (double)std::numeric_limits<float>::lowest() + std::numeric_limits<double>::epsilon();",
     lambda x: 0 * x + (2**31 - 1 + float(np.finfo("f4").min) + np.finfo("f8").eps)),
    ("_Float16 h = x[i]; __bf16 b = (float)x[i]; r[i] = (float)(h * h) + (float)b;", lambda x: x**2 + x),
])
def test_has_the_functions_of_the_headers(body, expected):
    np.testing.assert_allclose(per_element(body, "#include <cmath>\n#include <limits>"), expected(np.array([1.0, 2.5, 9.0])), rtol=1e-14)


@pytest.mark.parametrize(("body", "before", "message"), [
    ("r[i] = twice(x[i]);", "double twice(double);", r"f: does not compile:\ntwice\(double\): declared, and not defined: a kernel calls the functions of its own text"),
    ("r[i] = puts(0);", 'extern "C" int puts(const char*);', r"puts: declared, and not defined"),
    ("r[i] = s;", "static double s = lgamma(3.5);", "^f: does not compile:\ns: C[+][+] computes its value when a program starts"),
    ("static double s = g(); r[i] = s;", "static double g() { return lgamma(3.5); }", "f[(].*[)]::s: C[+][+] computes its value when the function is first called"),
    ("r[i] = roud(x[i]) + round(x[i]);", "", r"(?s)f.cpp:2:.*roud(?!.*weft)"),
])
def test_names_what_is_not_there(body, before, message):
    with pytest.raises(wf.Error, match=message):
        per_element(body, before)


def test_variables_start_with_what_can_be_computed():
    table = "struct Table { double v[3]; Table() { for (int i = 0; i < 3; ++i) v[i] = 2 * i; } };\nstatic const Table table; static const double two = sqrt(4.0);"
    np.testing.assert_array_equal(per_element("r[i] = table.v[i] + two;", table), [2, 4, 6])


@pytest.mark.parametrize(("part", "whole", "real"), [("float", "complex64", "float32"), ("double", "complex128", "float64")])
def test_takes_complex_numbers(part, whole, real):
    kernel = wf.cpu_kernel("""#include <complex>
template <class T> void f(long begin, long end, const complex<T>* x, std::complex<T> s, T t, complex<T>* r, T* a) {
  for (long i = begin; i < end; ++i) {
    complex<T> z = x[i];
    for (int k = 0; k < 3; ++k) z = z * z / (s + T(1.5)) + exp(-z) * t;
    r[i] = sqrt(z) + 1;
    r[i] *= conj(z);
    a[i] = abs(z) + std::arg(z) + norm(log(z));
  }
}""", f"f<{part}>")
    rng = np.random.default_rng(3)
    x = rng.normal(size=10) + 1j * rng.normal(size=10)
    r, a = kernel(10, (wf.asarray(x, dtype=whole), 0.3 + 0.2j, 0.5, wf.kernel_output(10, whole), wf.kernel_output(10, real)))
    z = x
    for _ in range(3):
        z = z * z / (1.8 + 0.2j) + np.exp(-z) * 0.5
    close = 1e-12 if part == "double" else 1e-4
    np.testing.assert_allclose(np.asarray(r), (np.sqrt(z) + 1) * np.conj(z), rtol=close)
    np.testing.assert_allclose(np.asarray(a), abs(z) + np.angle(z) + abs(np.log(z)) ** 2, rtol=close)
    with pytest.raises(TypeError, match=r"const complex<\w+>[*] x: takes elements of c"):
        kernel(10, (wf.ones(10), 0.3, 0.5, wf.kernel_output(10, whole), wf.kernel_output(10, real)))


def test_numbers_fit_their_parameters():
    filled = wf.cpu_kernel("void filled(long begin, long end, unsigned char n, double* r) { for (long i = begin; i < end; ++i) r[i] = n; }", "filled")
    for n in (7, np.int64(7), np.uint8(7), True, wf.asarray(7, dtype="uint64")):
        assert filled(1, (n, wf.kernel_output(1, "float64"))).item() == int(n)
    for n in (300, -1, np.int64(300), np.int16(-1)):
        with pytest.raises(OverflowError, match=f"filled: unsigned char n: the number does not fit .*u8: got {n}"):
            filled(1, (n, wf.kernel_output(1, "float64")))
    with pytest.raises(TypeError, match="unsigned char n: takes a number of u8: got i64, which astype"):
        filled(1, (wf.asarray(7), wf.kernel_output(1, "float64")))


def test_refuses_arguments(saxpy):
    x = wf.ones(4, dtype="float32")
    r = wf.kernel_output(4, "float32")
    for args, message in [
        ((1, x, x), "takes 4 arguments behind the range: got 3"),
        ((1, x, x, r, r), "takes 4 arguments behind the range: got 5"),
        ((1, x.astype("float64"), x, r), r"saxpy: const float[*] x: takes elements of f32: got f64[(]4,[)], which astype"),
        ((1, x, x, wf.kernel_output(4, "int32")), r"float[*] r: takes elements of f32"),
        ((x, x, x, r), r"float a: takes a number by its value: got f32[(]4,[)]"),
        ((1j, x, x, r), "float a: takes a number of f32: got c"),
        ((wf.asarray(1j), x, x, r), "float a: takes a number of f32: got c128, which astype"),
        ((1, 2.0, x, r), "const float[*] x: takes an array: got a number"),
        ((1, r, x, r), "const float[*] x: is const"),
        ((r, x, x, r), "float a: takes a number by its value: got a result"),
        ((1, x, x, np.ones(4, "f4")), "r is written to: give an array of Weft"),
    ]:
        with pytest.raises((wf.Error, TypeError), match=message):
            saxpy(4, args)
    with pytest.raises(TypeError, match="the arguments are a tuple"):
        saxpy(4, x)
    with pytest.raises(wf.Error, match="a range is not negative: got -1"):
        saxpy(-1, (1, x, x, r))
    with pytest.raises(wf.Error, match="the grain is one at least: got 0"):
        saxpy(4, (1, x, x, r), grain=0)
    count = wf.cpu_kernel("void f(long b, long e, int n, const float* x) {}", "f")
    with pytest.raises(wf.Error, match="without a result"):
        count(4, (1, x))
    with pytest.raises(OverflowError):
        count(4, (2**40, x))
    with pytest.raises(TypeError, match="source is a text"):
        wf.cpu_kernel(3, "f")


@pytest.mark.parametrize(("body", "message"), [
    ("r[0] = x[0] + nothing;", r"f\.cpp:2:17: error: use of undeclared identifier 'nothing'"),
    ("r[0] = x[0]", r"f\.cpp:2:14: error: expected ';'"),
    ("r = x;", r"f\.cpp:2:7: error"),
    ("x[0] = 1;", r"f\.cpp:2:8: error: read-only variable is not assignable"),
])
def test_errors_of_the_compiler_are_at_the_text(body, message):
    f = wf.cpu_kernel(f"void f(long b, long e, const float* x, float* r) {{\n  {body}\n}}", "f")
    with pytest.raises(wf.Error, match="f: does not compile:") as caught:
        f(1, (wf.ones(1, dtype="float32"), wf.kernel_output(1, "float32")))
    assert pytest.importorskip("re").search(message, str(caught.value)), str(caught.value)
    assert "weft_user_" not in str(caught.value)


def test_has_no_derivative_and_no_vmap(saxpy):
    def total(x):
        return wf.sum(saxpy(4, (1, x, x, wf.kernel_output(4, "float32"))))

    x = wf.ones(4, dtype="float32")
    with pytest.raises(wf.Error, match="saxpy: it has no derivative: its text is not read"):
        wf.grad(total)(x)
    with pytest.raises(wf.Error, match="saxpy is a kernel of its own text"):
        wf.vmap(total)(wf.ones((2, 4), dtype="float32"))


def test_has_a_derivative_that_is_given():
    cube = wf.cpu_kernel("void cube(long b, long e, const double* x, double* r) { for (long i = b; i < e; ++i) r[i] = x[i] * x[i] * x[i]; }", "cube")

    @wf.custom_vjp
    def f(x):
        return cube(x.size, (x, wf.kernel_output(x.shape, "float64")))

    f.defvjp(lambda x: (cube(x.size, (x, wf.kernel_output(x.shape, "float64"))), x), lambda x, c: (c * 3 * x * x,))
    assert wf.grad(lambda x: wf.sum(f(x)))(wf.asarray([1.0, 2.0])).tolist() == [3, 12]


def test_cuda_kernels_are_read_anywhere():
    k = wf.cuda_kernel("template <typename T> __global__ void twice(const T* x, T *y, const int n) { y[threadIdx.x] = x[0] * n; }", "twice<float>")
    assert repr(k) == "<weft.cuda_kernel twice<float>(const float* x, float* y, int n)>"
    with pytest.raises(wf.Error, match="f:1:6: f is no kernel: write __global__ before it"):
        wf.cuda_kernel("void f(float* x) {}", "f")
    x = wf.ones(4, dtype="float32")
    with pytest.raises(wf.Error, match="twice: is a kernel for CUDA: got arrays of cpu"):
        k(1, 4, (x, wf.kernel_output(4, "float32"), 3))
    for grid, block, message in [((1, 1, 1, 1), 1, "grid has one to three"), (1, 0, "one thread at least"), (1, (32, 64), "at most 1024 threads: got 2048"),
                                 ((1, 70000), 1, "at most 65535 blocks")]:
        with pytest.raises(wf.Error, match=message):
            k(grid, block, (x, wf.kernel_output(4, "float32"), 3))


WEIGHTED = """__constant__ float weights[3];
static const __constant__ double halves[2] = {0.5, 0.5};
__constant__ unsigned int shift;
__global__ void smooth(const float* x, float* r) { r[threadIdx.x] = weights[0] * x[threadIdx.x] + halves[0] + shift; }"""


def test_constants_of_cuda_are_given_by_name():
    smooth = wf.cuda_kernel(WEIGHTED, "smooth")
    x = wf.ones(4, dtype="float32")
    args = (x, wf.kernel_output(4, "float32"))
    weights, shift = wf.ones(3, dtype="float32"), wf.zeros((), dtype="uint32")
    for constants, message in [
        (None, r'the __constant__ weights has no elements: give an array for it, as in constants={"weights": x}'),
        ({"weights": weights}, "the __constant__ shift has no elements"),
        ({"weights": weights, "shift": shift, "halves": weights}, "the text declares no __constant__ halves without elements"),
        ({"weights": weights.astype("float64"), "shift": shift}, r"__constant__ float weights: takes elements of f32: got f64\(3,\), which astype"),
        ({"weights": weights, "shift": shift}, "is a kernel for CUDA: got arrays of cpu"),
    ]:
        with pytest.raises((wf.Error, TypeError), match=message):
            smooth(1, 4, args, constants=constants)
    with pytest.raises(wf.Error, match="f:1:1: declare each __constant__ array on its own"):
        wf.cuda_kernel("__constant__ float a[2], b[2];\n__global__ void f(float* r) {}", "f")


def test_occupancy_is_of_gpus(saxpy):
    twice = wf.cuda_kernel("__global__ void twice(const float* x, float* y) { y[threadIdx.x] = x[0] * 2; }", "twice")
    with pytest.raises(wf.Error, match="twice: is a kernel for CUDA: got cpu"):
        twice.occupancy(256, device="cpu")
    with pytest.raises(wf.Error, match="the block has one to three extents: got 4"):
        twice.occupancy((1, 1, 1, 1))
    assert not hasattr(saxpy, "occupancy")


def test_check_compiles_and_runs_nothing():
    assert wf.cpu_kernel(SAXPY, "saxpy").check() is None
    with pytest.raises(wf.Error, match="f: does not compile:\nf.cpp:2:10: error: use of undeclared identifier 'y'"):
        wf.cpu_kernel("void f(long begin, long end, float* r) {\n  r[0] = y;\n}", "f").check()


@pytest.mark.parametrize(("text", "name", "message"), [
    ("template <typename T> void f(long begin, long end, T* r) { r[0] = 1; }", "f<floot>", "f<floot>: use of undeclared identifier 'floot'; did you mean 'float'?\n"),
    ("template <typename T, typename U> void f(long begin, long end, T* r) {}", "f<float>",
     "f<float>: no matching function for call to 'f'\nf.cpp:1:40: note: candidate template ignored: couldn't infer template argument 'U'\n"),
    ("void f(long begin, long end, foo* r) {}", "f", "f.cpp:1:30: error: unknown type name 'foo'\n"),
    ("template <typename T> void f(long begin, long end, T* r) { T::q(); }", "f<float>",
     "f.cpp:1:60: error: type 'float' cannot be used prior to '::' because it has no members\n"),
])  # fmt: skip
def test_lines_that_the_user_did_not_write_are_not_shown(text, name, message):
    with pytest.raises(wf.Error) as caught:
        wf.cpu_kernel(text, name).check()
    said = [line for line in str(caught.value).splitlines(keepends=True)[1:] if not line.startswith(" ")]
    assert "".join(said) == message


def skip_without_nvrtc(capsys):
    wf.show_versions()
    if "NVRTC: none" in capsys.readouterr().out:
        pytest.skip("there is no NVRTC")


def test_errors_of_nvrtc_show_what_the_user_wrote(capsys):
    skip_without_nvrtc(capsys)
    with pytest.raises(wf.Error) as caught:
        wf.cuda_kernel("__global__ void f(float* r) { int unused; r[0] = y; }", "f").check()
    lines = ['f.cu:1:50: error: identifier "y" is undefined', "  __global__ void f(float* r) { int unused; r[0] = y; }", "                                                   ^"]
    assert str(caught.value).splitlines() == ["f: does not compile:", *lines]
    with pytest.raises(wf.Error) as caught:
        wf.cuda_kernel("template <typename T> __global__ void f(T* r) {\n  T::q();\n}", "f<float>").check()
    assert str(caught.value).startswith("f: does not compile:\nf.cu:2:") and "call of" not in str(caught.value)
    with pytest.raises(wf.Error) as caught:
        wf.cuda_kernel("template <typename T> __global__ void f(T* r) {}", "f<floot>").check()
    assert str(caught.value).splitlines()[1] == 'f<floot>: identifier "floot" is undefined'


def test_check_of_cuda_takes_no_gpu(capsys):
    skip_without_nvrtc(capsys)
    text = "template <typename T> __global__ void f(const T* x, const double2 s, complex<T>* r) {\n  r[threadIdx.x] = x[0] * s.%s;\n}"
    wf.cuda_kernel(text % "x", "f<float>").check()
    wf.cuda_kernel(text % "y", "f<double>").check((16, 16))
    with pytest.raises(wf.Error, match=r'f: does not compile:\nf.cu:2:29: error: .*"w"(\n.*){2}\n$'):
        wf.cuda_kernel(text % "w", "f<float>").check()
    with pytest.raises(wf.Error, match="f: a block has at most 1024 threads"):
        wf.cuda_kernel(text % "x", "f<float>").check(2048)


@pytest.mark.parametrize(("text", "message"), [
    ("__global__ void f(float* r) { __shared__ float a[20000]; a[threadIdx.x] = r[0]; __syncthreads(); r[0] = a[1]; }",
     "f: __shared__ arrays of 80000 bytes, where a block has at most 49152 whose size the text says: declare one as extern __shared__, and give its bytes as shared_mem\n"),
    ("__global__ void __launch_bounds__(2048) f(float* r) { r[0] = 1; }", "f: __launch_bounds__ says 2048 threads: a block has at most 1024"),
])  # fmt: skip
def test_check_of_cuda_knows_what_a_block_may_have(capsys, text, message):
    skip_without_nvrtc(capsys)
    with pytest.raises(wf.Error) as caught:
        wf.cuda_kernel(text, "f").check()
    assert str(caught.value).removeprefix("f: does not compile:\n") == message


@pytest.mark.parametrize("bounds", ["64", " 64 , 2"])
def test_launches_keep_to_launch_bounds(bounds):
    kernel = wf.cuda_kernel(f"__global__ void __launch_bounds__({bounds}) f(float* r) {{ r[0] = 1; }}", "f")
    with pytest.raises(wf.Error, match="f: its __launch_bounds__ says that a block has at most 64 threads: got 128"):
        kernel(1, (32, 4), (wf.kernel_output(4, "float32"),))


def test_has_limits_and_atomic_updates():
    k = wf.cpu_kernel("""#include <climits>
#include <float.h>
void f(long b, long e, const int* x, int* most, double* widest) {
  int own = INT_MIN;
  for (long i = b; i < e; ++i) own = std::max(own, x[i]);
  for (int seen = *most; seen < own && !__atomic_compare_exchange_n(most, &seen, own, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED););
  __atomic_store_n((long*)widest, __builtin_bit_cast(long, DBL_MAX), __ATOMIC_SEQ_CST);
}""", "f")
    x = RNG.integers(-1000, 1000, 50_000, dtype="i4")
    most = wf.full(1, -(2**31), dtype="int32")
    widest = k(x.size, (wf.asarray(x), most, wf.kernel_output(1, "float64")), grain=100)
    assert most.tolist() == [x.max()] and widest.tolist() == [np.finfo("f8").max]


@pytest.mark.parametrize(("launch", "message"), [
    (lambda k, r: k("3", (1, r, r, r)), "saxpy: range is an integer: got '3'"),
    (lambda k, r: k(3.7, (1, r, r, r)), "saxpy: range is an integer: got 3.7"),
    (lambda k, r: k(None, (1, r, r, r)), "saxpy: range is an integer: got None"),
    (lambda k, r: k(2**70, (1, r, r, r)), "saxpy: range is an integer of at most 64 bits: got 1180591620717411303424"),
    (lambda k, r: k(3, (1, r, r, r), grain=1.5), "saxpy: grain is an integer: got 1.5"),
    (lambda k, r: k(3, (1, "a", r, r)), "saxpy: x: asarray: takes .*got str"),
    (lambda k, r: wf.kernel_output((2, 2.5), "float32"), "kernel_output: a shape is an integer or a sequence of integers: got float"),
    (lambda k, r: wf.kernel_output("3", "float32"), "kernel_output: a shape is an integer or a sequence of integers: got str"),
    (lambda k, r: wf.kernel_output(2**70, "float32"), "kernel_output: extents have 63 bits at most"),
    (lambda k, r: wf.kernel_output(3, "zz"), "dtype: there is no such data type, as 'float32' is one: got 'zz'"),
    (lambda k, r: wf.cpu_kernel("", " "), "cpu_kernel: name is that of a function of the text: got ' '"),
    (lambda k, r: wf.cpu_kernel("", "f", include_dirs="here"), "cpu_kernel: include_dirs is a list of folders: got 'here'"),
])
def test_what_launches_take_is_looked_at(saxpy, launch, message):
    with pytest.raises((wf.Error, TypeError, OverflowError), match=message):
        launch(saxpy, wf.kernel_output(4, "float32"))


@pytest.mark.parametrize(("grid", "block", "more", "message"), [
    ("12", 1, {}, "copied: grid is an integer or a sequence of integers: got '12'"),
    ((1, 2.5), 1, {}, "copied: grid is an integer or a sequence of integers: got [(]1, 2.5[)]"),
    (1, None, {}, "copied: block is an integer or a sequence of integers: got None"),
    (1, {1, 2}, {}, "copied: block is an integer or a sequence of integers: got {1, 2}"),
    ((1, 1, 1, 1), 1, {}, "copied: the grid has one to three extents: got 4"),
    (1, 0, {}, "copied: a block has one thread at least: got 0"),
    (-1, 1, {}, "copied: a grid has no negative extent: got -1"),
    (1, 1, {"shared_mem": 1.5}, "copied: shared_mem is an integer: got 1.5"),
    (1, 1, {"shared_mem": -1}, "copied: shared memory has no negative size: got -1"),
    (1, 1, {"cluster": "2"}, "copied: cluster is an integer: got '2'"),
    (1, 1, {"constants": [1]}, "copied: constants is a dict of names and arrays"),
])
def test_what_launches_for_cuda_take_is_looked_at(grid, block, more, message):
    copied = wf.cuda_kernel("__global__ void copied(float* r) { r[0] = 1; }", "copied")
    with pytest.raises((wf.Error, TypeError), match=message):
        copied(grid, block, (wf.kernel_output(4, "float32"),), **more)


@pytest.mark.parametrize("name", ["w", "begin", "end"])
def test_names_of_kernels_are_the_users_own(name):
    kernel = wf.cpu_kernel(f"void {name}(long from, long to, int* r) {{ for (long i = from; i < to; ++i) r[i] = 7; }}", name)
    assert kernel(3, (wf.kernel_output(3, "int32"),)).tolist() == [7, 7, 7]


@pytest.mark.parametrize(("line", "told"), [
    ("r[threadIdx.x] = 1;", "threadIdx: it belongs to kernels for CUDA"), ("r[b] = __expf(1.0f);", "__expf: write expf"),
    ("float* q = (float*)malloc(8);", "malloc: no memory is allocated in a kernel"), ('printf("here");', "printf: a kernel prints nothing"),
    ("atomicAdd(r, 1.0f);", "atomicAdd: write __atomic_fetch_add"),
])
def test_names_that_are_not_there_are_told_with_what_to_write(line, told):
    with pytest.raises(wf.Error, match=rf"(?s)f: does not compile:\nf\.cpp:1:\d+: error: .*undeclared identifier.*\n{told}"):
        wf.cpu_kernel("void f(long b, long e, float* r) { " + line + " }", "f").check()


def test_null_and_lerp_are_there():
    k = wf.cpu_kernel("void f(long b, long e, const double* x, double* r) { if (x == NULL) return; for (long i = b; i < e; ++i) r[i] = std::lerp(x[i], 3.0, 0.25); }", "f")
    np.testing.assert_array_equal(np.asarray(k(3, (wf.asarray([1.0, -1.0, 5.0]), wf.kernel_output(3, "float64")))), [1.5, 0.0, 4.5])
