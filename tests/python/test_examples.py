"""The examples run, small, and their libraries agree."""

import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/examples/python"
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py") if path.name not in ("beside.py", "compare.py"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_example_runs_and_agrees_with_other_libraries(script):
    if script in ("block_sizes.py", "own_kernels.py") and "WEFT_TEST_WITHOUT_JIT" in os.environ:
        pytest.skip("this library compiles no kernels")
    run = subprocess.run([sys.executable, str(FOLDER / script), "--quick"], capture_output=True, text=True, check=False, timeout=500)
    assert run.returncode == 0, run.stderr
    if run.stdout.startswith("skipped: "):
        pytest.skip(run.stdout.strip().removeprefix("skipped: "))
    assert "x numpy" in run.stdout or "value and gradient: weft" in run.stdout
