"""With WEFT_CHECK=1 a kernel of the user's own text that leaves its arrays is an error, and the process goes on."""

import json
import os
import subprocess
import sys

import pytest
import weft as wf

pytestmark = [
    pytest.mark.skipif("cpu" not in str(wf.asarray(0).device), reason="kernels of C++ are for the CPU"),
    pytest.mark.skipif("WEFT_TEST_WITHOUT_JIT" in os.environ, reason="this library compiles no kernels"),
]

COPY = "void f(long b, long e, const float* x, float* r) {{ for (long i = b; i < e; ++i) {0}; }}"
NONE = "f: something is written to an address that is in none of its arrays"

# The text, what it is called with, and what comes of it: the result's elements, or the error.
CASES = {
    "in order": (COPY.format("r[i] = 2 * x[i]"), "x, o", [0, 2, 4, 6, 8]),
    "read behind": (COPY.format("r[i] = x[i + 1]"), "x, o", "f: x[5] is read, but x has 5 elements"),
    "written before": (COPY.format("r[i - 1] = x[i]"), "x, o", "f: r[-1] is written to, but r has 5 elements"),
    "far out": (COPY.format("r[i] = x[i + 1000000000000L]"), "x, o", "f: x[1000000000000] is read, but x has 5 elements"),
    "far before": (COPY.format("r[i] = x[i - 1000000000000L]"), "x, o", "f: x[-1000000000000] is read, but x has 5 elements"),
    "through a function": ("struct P { const float* p; float at(int i) const { return p[i]; } };\nstatic float two(P p, int i) { return p.at(i + 2); }\n"
                           + COPY.format("r[i] = two(P{x}, i)"), "x, o", "f: x[5] is read, but x has 5 elements"),
    "by an address as a number": (COPY.format("*(float*)((unsigned long)r + 4 * i) = *(const float*)((unsigned long)x + 4 * i)"), "x, o", [0, 1, 2, 3, 4]),
    "half an element": (COPY.format("*(double*)(r + i) = 1"), "x, o", "f: r[5] is written to, but r has 5 elements"),
    "a loop without an end": (COPY.format("while (x[i++] >= 0);"), "x, o", "f: x[5] is read, but x has 5 elements"),
    "a local array": ("void f(long b, long e, float* r) { float l[3] = {3, 2, 1}; for (long i = b; i < e; ++i) r[i] = l[i % 3]; }", "o", [3, 2, 1, 3, 2]),
    "copied": ("void f(long b, long e, const float* x, float* r) { memcpy(r + b, x + b, (e - b) * 4); }", "x, o", [0, 1, 2, 3, 4]),
    "too much copied": ("void f(long b, long e, const float* x, float* r) { memcpy(r + b, x + b, (e - b) * 4 + 1); }", "x, o",
                        "f: x[5] is read, but x has 5 elements"),
    "too much filled": ("void f(long b, long e, float* r) { memset(r + b, 0, (e - b) * 8); }", "o", "f: r[5] is written to, but r has 5 elements"),
    "at once": ("void f(long b, long e, int n, int* r) { for (long i = b; i < e; ++i) __atomic_fetch_add(&r[n], 1, 5); }",
                "5, wf.kernel_output(5, 'int32')", "f: r[5] is written to, but r has 5 elements"),
    "nowhere": ("void f(long b, long e, float* r) { *(float*)0 = 1; }", "o", NONE),
    "in place": ("void f(long b, long e, float* r) { for (long i = b; i <= e; ++i) r[i] = 1; }", "x + 0", "f: r[5] is written to, but r has 5 elements"),
    "empty": ("void f(long b, long e, const double* x, float* r) { for (long i = b; i < e; ++i) r[i] = x[i]; }", "wf.zeros(0), o",
              "f: x[0] is read, but x has 0 elements"),
    "a number that is computed": ("void f(long b, long e, float a, const float* x, float* r) { for (long i = b; i < e; ++i) r[i] = a * x[i]; }",
                                  "wf.sum(x), x, o", [0, 10, 20, 30, 40]),
}

PROGRAM = """
import json, sys
import weft as wf
assert wf.settings()["check"] is True
found = {}
for name, (text, arguments, _) in json.load(sys.stdin).items():
    x, o = wf.arange(5, dtype="float32"), wf.kernel_output(5, "float32")
    try:
        given = eval(f"({arguments},)")
        r = wf.cpu_kernel(text, "f")(5, given)
        found[name] = (given[0] if r is None else r).tolist()
    except wf.Error as error:
        found[name] = str(error)
# On all threads, and again of another length with the same text.
k = wf.cpu_kernel("void g(long b, long e, long n, const float* x, float* r) { for (long i = b; i < e; ++i) r[i] = x[i + n]; }", "g")
for n in (200_000, 300_000):
    x = wf.arange(n, dtype="float32")
    assert k(n, (0, x, wf.kernel_output(n, "float32"))).tolist() == x.tolist()
    try:
        wf.eval(k(n, (1, x, wf.kernel_output(n, "float32"))))
    except wf.Error as error:
        assert f"g: x[{n}] is read, but x has {n} elements" in str(error), error
    else:
        raise AssertionError("nothing was found")
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found():
    env = {**os.environ, "WEFT_CHECK": "1"}
    run = subprocess.run([sys.executable, "-c", PROGRAM], input=json.dumps(CASES), env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("name", CASES)
def test_an_access_outside_is_found(found, name):
    wanted = CASES[name][2]
    if isinstance(wanted, str):
        assert wanted in str(found[name])
    else:
        assert found[name] == wanted


def test_the_variable_takes_0_or_1():
    assert wf.settings()["check"] is False
    run = subprocess.run([sys.executable, "-c", "import weft; weft.settings()"], env={**os.environ, "WEFT_CHECK": "yes"}, capture_output=True, text=True, check=False)
    assert "WEFT_CHECK: takes 0 or 1: got 'yes'" in run.stderr
