"""What type checkers see of the package is sound, and tells right uses from wrong ones."""

import os
import subprocess
import sys

import pytest
import weft as wf

pytest.importorskip("mypy", reason="mypy is not installed")

USES = """
import weft as wf
x: wf.Array = wf.asarray([1.0, 2.0])
y: wf.Array = (x * 2 + 1) @ x
z: float = float(y)
n: int = x.ndim
w: wf.Array = wf.atan2(x, y, out=None)
x[0] = wf.sum(x, axis=0)
s: tuple[int, ...] = x.shape
wf.compile(lambda a: a)(x)
def plain(a: wf.Array, rate: float = 1.0) -> tuple[wf.Array, int]:
    return a * rate, 2
compiled = wf.compile(plain)
t: tuple[wf.Array, int] = compiled(x, rate=0.5)
count: int = compiled.recordings
@wf.compile(donate="a")
def given(a: wf.Array, rate: float = 1.0) -> wf.Array:
    return a * rate
g: wf.Array = given(x, rate=0.5)
said: str = compiled.why() + compiled.explain(x, 0.5) + compiled.lower(x).show("graph")
d = wf.float32
b: bool = wf.allclose(x, x)
v: wf.Array = wf.unique_all(x).values
o: wf.Array = wf.add.outer(x, y)
r: wf.Array = wf.maximum.reduce(x, axis=0)
i: int = wf.add.nin
p = wf.vectorize(lambda q, n: q + n)(x, wf.index(0))
k: dict[wf.Array, int] = {x[0]: 1}
spectrum: wf.Array = wf.fft.rfft(x, n=4, norm="ortho")
image: wf.Array = wf.fft.ifft2(wf.fft.fftn(x, axes=(0,)))
q, upper = wf.linalg.qr(x)
whole: wf.Array = wf.linalg.qr(x, "complete").Q @ wf.linalg.qr(x, "r")
left, values, right = wf.linalg.svd(x, full_matrices=False)
total: wf.Array = left @ values + wf.linalg.svd(x, compute_uv=False) + wf.linalg.svd(x).Vh
sizes: wf.Array = wf.linalg.eigh(x).eigenvalues + wf.linalg.eig(x).eigenvectors + wf.linalg.slogdet(x).logabsdet
fitted: wf.Array = wf.linalg.lstsq(x, y)[0]
"""

WRONG = ["wf.no_such_function(x)", "wf.index('rows')", "wf.atan2(x)", "wf.sum(x, axes=1)", "x.no_such_method()", "q: int = wf.sin(x)", "wf.add.no_such_method(x)", "wf.add.outer(x)", "compiled(x, 1.0, 2.0)", "compiled(x, 'fast')", "given(x, 'fast')", "wf.compile(plain, donate=1.5)", "bad: int = compiled(x)",
         "wf.fft.fft(x, m=4)", "bad2: int = wf.fft.irfft(x)", "bad3: int = wf.linalg.svd(x).S", "wf.linalg.eigh(x).values", "bad4: wf.Array = wf.linalg.qr(x)", "wf.linalg.qr(x, 1)"]


def mypy(folder, *options):
    """What mypy says. It finds an installed package by itself, and refuses to be shown where."""
    place = os.path.dirname(os.path.dirname(wf.__file__))
    environment = os.environ if "site-packages" in place else dict(os.environ, MYPYPATH=place)
    run = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), *options],
                         env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert "Success: " in run.stdout or "Found " in run.stdout, run.stdout + run.stderr
    return run


def check(text, folder):
    file = folder / "use.py"
    file.write_text(text)
    return mypy(folder, "--follow-imports=silent", str(file))


def test_right_uses_pass_and_wrong_ones_do_not(tmp_path):
    assert (run := check(USES, tmp_path)).returncode == 0, run.stdout
    wrong = check(USES + "\n".join(WRONG) + "\n", tmp_path)
    for line in range(len(USES.splitlines()) + 1, len(USES.splitlines()) + 1 + len(WRONG)):
        assert f"use.py:{line}: error" in wrong.stdout, wrong.stdout


def test_the_stub_itself_is_sound(tmp_path):
    stub = os.path.join(os.path.dirname(wf.__file__), "__init__.pyi")
    run = mypy(tmp_path, "-p", "weft")
    assert os.path.exists(stub)
    assert "__init__.pyi" not in run.stdout, run.stdout
