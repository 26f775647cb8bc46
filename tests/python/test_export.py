"""Functions exported to C: compiled by the system's compiler and run by processes that know no Python; what is refused, and how."""

import functools
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import exported_calls
import weft as wf

pytestmark = [
    pytest.mark.skipif("WEFT_TEST_WITHOUT_JIT" in os.environ, reason="this library compiles no kernels"),
    pytest.mark.usefixtures("on_cpu"),
]

_root = pathlib.Path(__file__).resolve().parents[2]
_package = pathlib.Path(wf.__file__).parent
_on_cpu = {**os.environ, "WEFT_DEVICE": "cpu"}


def _compiled(folder, source, *archives):
    places = exported_calls.places()
    if exported_calls.compiler is None or places is None or not (places[0] / "weft_runtime.h").exists():
        pytest.skip("there is no C compiler, or no libweft_runtime")
    header, library = places
    program = folder / "program"
    subprocess.run([exported_calls.compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", source, f"-I{folder}", f"-I{header}", *archives, library,
                    f"-Wl,-rpath,{library.parent}", "-o", program], check=True)
    return program


def test_the_example_gives_what_python_gives(tmp_path):
    example = _root / "docs/examples/exported"
    subprocess.run([sys.executable, example / "diffuse.py", tmp_path], check=True, env=_on_cpu)
    said = subprocess.run([_compiled(tmp_path, example / "diffuse.c", tmp_path / "libdiffuse.a")], check=True, capture_output=True, text=True).stdout
    scope = {"__name__": "diffuse"}
    exec((example / "diffuse.py").read_text(), scope)
    plate = wf.zeros((256, 256), dtype="f4")
    plate[118:138, 118:138] = 100
    after = wf.compile(scope["diffuse"])(plate, wf.asarray(0.2, dtype="f4"))
    assert said == f"the hottest point has {float(after[128, 128]):.4f} degrees\n"


def test_weights_numbers_and_shapes(tmp_path):
    rng = np.random.default_rng(5)
    weights = wf.asarray(rng.standard_normal((7, 3)))

    def scores(x, temperature, mode):
        assert mode == "softmax"
        e = wf.exp(x @ weights / temperature)
        return e / e.sum(axis=1, keepdims=True), e.argmax(axis=1)

    wide, narrow = (wf.asarray(rng.standard_normal((n, 7))) for n in (5, 40))
    wf.export(scores, (wide, 0.5, "softmax"), (narrow, 0.5, "softmax"), folder=tmp_path)
    header = (tmp_path / "scores.h").read_text()
    assert "scores(x f64[5, 7], temperature f64[]) -> result0 f64[5, 3], result1 i64[5]" in header
    assert "scores(x f64[40, 7], temperature f64[]) -> result0 f64[40, 3], result1 i64[40]" in header
    np.asarray(narrow).tofile(tmp_path / "x")
    (tmp_path / "main.c").write_text("""#include <stdio.h>
#include "scores.h"
int main(void) {
  double x[280], t = 0.25;
  weft_array inputs[] = {{x, WEFT_F64, 2, {40, 7}, 0}, {&t, WEFT_F64, 0, {0}, 0}}, results[2] = {{0}, {0}};
  if (fread(x, 8, 280, stdin) != 280 || scores(inputs, results) != WEFT_OK) return 1;
  if (fwrite(results[0].data, 8, 120, stdout) != 120 || fwrite(results[1].data, 8, 40, stdout) != 40) return 2;
  weft_release(&results[0]);
  weft_release(&results[1]);
  return 0;
}
""")
    program = _compiled(tmp_path, tmp_path / "main.c", tmp_path / "libscores.a")
    with open(tmp_path / "x", "rb") as x:
        out = subprocess.run([program], stdin=x, check=True, capture_output=True).stdout
    p, k = wf.compile(scores)(narrow, 0.25, "softmax")
    assert out == np.asarray(p).tobytes() + np.asarray(k).tobytes()


def test_a_compiled_function_and_its_parameters_by_partial(tmp_path):
    wf.export(wf.compile(lambda x: x + 1), (wf.ones(3),), folder=str(tmp_path), name="plus_one")
    assert "plus_one(x f64[3]) -> result f64[3]" in (tmp_path / "plus_one.h").read_text()
    wf.export(functools.partial(lambda x, n: wf.broadcast_to(x, (n, 3)) * 1, n=2), (np.ones(3, "f4"),), folder=tmp_path, name="repeated",
              processor="x86-64-v2")
    assert "repeated(x f32[3]) -> result f32[2, 3]" in (tmp_path / "repeated.h").read_text()


class _Model:
    def score(self, new, inputs, *rest):
        return new * inputs + sum(rest)


def test_parameters_have_the_names_of_python_as_far_as_c_lets_them(tmp_path):
    x = wf.ones(3)
    wf.export(_Model().score, (x, x, x, 2.0), folder=tmp_path)
    assert "score(new_ f64[3], inputs f64[3], a2 f64[3], a3 f64[]) -> result f64[3]" in (tmp_path / "score.h").read_text()
    names = ["result", "weft_run", "WEFT_F64", "linux", "é", "wchar_t", "_Bool", "EOF"]
    scope = {}
    exec(f"def f({', '.join(names)}): return {' + '.join(names)}", scope)
    wf.export(scope["f"], tuple(wf.ones(2) * k for k in range(len(names))), folder=tmp_path)
    (tmp_path / "main.c").write_text("""#include <stdio.h>
#include "f.h"
#include "score.h"
int main(void) {
  double x[8][2], r[2], s[3] = {1, 2, 3}, t = 2, out[3];
  int k;
  for (k = 0; k < 16; ++k) x[k / 2][k % 2] = k / 2;
  if (f(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], r) != WEFT_OK || r[1] != 28) return 1;
  if (f(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], NULL) != WEFT_WRONG_INPUT) return 2;
  return score(s, s, s, &t, out) == WEFT_OK && out[2] == 14 ? 0 : 3;
}
""")
    subprocess.run([_compiled(tmp_path, tmp_path / "main.c", tmp_path / "libf.a", tmp_path / "libscore.a")], check=True)


@pytest.mark.parametrize("check", [{}, {"WEFT_CHECK": "1"}])
def test_kernels_of_the_users_own_text(tmp_path, check):
    (tmp_path / "export.py").write_text("""import weft as wf
def kernel(factor):
    return wf.cpu_kernel("static float helper(float x) { return x * %d; } float total;"
                         "void k(long b, long e, const float* x, float* r) { for (long i = b; i < e; ++i) r[i] = helper(x[i]); }" % factor, "k")
out = wf.kernel_output(8, "float32")
for name, a, b in (("one", 2, 3), ("two", 2, 5)):
    wf.export(lambda x: kernel(a)(8, (x, out)) + kernel(b)(8, (x, out)), (wf.ones(8, dtype="f4"),), folder=".", name=name)
""")
    subprocess.run([sys.executable, "export.py"], check=True, cwd=tmp_path, env={**_on_cpu, **check})
    (tmp_path / "main.c").write_text("""#include "one.h"
#include "two.h"
int main(void) {
  float x[8] = {0, 1, 2, 3, 4, 5, 6, 7}, r[8], s[8];
  return one(x, r) == WEFT_OK && two(x, s) == WEFT_OK && r[7] == 35 && s[7] == 49 ? 0 : 1;
}
""")
    subprocess.run([_compiled(tmp_path, tmp_path / "main.c", tmp_path / "libone.a", tmp_path / "libtwo.a")], check=True)


def test_refusals(tmp_path):
    x = wf.ones((2, 3))

    def refused(kind, message, *args, **keywords):
        with pytest.raises(kind, match=message):
            wf.export(*args, folder=tmp_path / "none", **keywords)
        assert not (tmp_path / "none").exists()

    def writes(x):
        x[0] = 1
        return x

    refused(TypeError, "export: takes a function: got int", 3)
    refused(TypeError, "at least one tuple of arguments", lambda x: x)
    refused(TypeError, "takes tuples of arguments, one for each set of shapes: got Array", lambda x: x, x)
    refused(wf.Error, "needs a name in C: give name=, got '<lambda>'", lambda x: x * 2, (x,))
    refused(wf.Error, "needs a name in C: give name=, got '2d'", lambda x: x * 2, (x,), name="2d")
    refused(wf.Error, "needs a name in C: give name=, got 3", lambda x: x * 2, (x,), name=3)
    refused(wf.Error, "the name must be one of C, and none of Weft's: got 'new'", lambda x: x * 2, (x,), name="new")
    refused(wf.Error, "the name must be one of C, and none of Weft's: got 'weft'", lambda x: x * 2, (x,), name="weft")
    refused(wf.Error, "examples 0 and 1 have the same dtypes and shapes", lambda x, t: x * len(t), (x, "a"), (x, "bb"), name="f")
    refused(wf.Error, "processor: takes x86-64-v4, x86-64-v3, x86-64-v2: got zen", lambda x: x * 2, (x,), name="f", processor="zen")
    refused(wf.Error, "the value of argument 1 decides something at .*test_export.py.*functools.partial", lambda x, n: wf.ones(n) * x.sum(), (x, 4),
            name="f")
    refused(wf.Error, "takes functions that give arrays: got None", lambda x: None, (x,), name="f")
    refused(wf.Error, "takes functions that give arrays: got a result that is none", lambda x: (x * 2, "text"), (x,), name="f")
    refused(wf.Error, "the function writes to argument 0: let it return what it computes", writes, (x,))
    refused(wf.Error, "arrays and numbers in the same places", lambda x, y: x * 2, (x, 1.0), (x, None), name="f")
    refused(wf.Error, "same number of arguments and of results", lambda x: (x * 2,) * x.shape[0], (x,), (wf.ones((3, 3)),), name="f")


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(wf.Error, match="export: '.*file/in' cannot be made"):
        wf.export(lambda x: x * 2, (wf.ones(3),), folder=tmp_path / "file" / "in", name="f")
