"""Why programs were planned: what is new beside the nearest that was there before, with the line."""

import inspect
import os
import subprocess
import sys

import numpy as np
import pytest
import weft as wf

HERE = os.path.basename(__file__)


def mapped(x):
    return wf.eval(wf.exp2(wf.cos(x)) * 0.3 + 1.7)


def reason():
    return wf.why(1).splitlines()[1].strip()


LINE = mapped.__code__.co_firstlineno + 1


def test_it_says_what_differs_in_the_users_words():
    x = wf.eval(wf.asarray(np.linspace(0, 1, 24_000)))
    mapped(x)
    assert f"{HERE}:{LINE}: cos, exp2, multiply, add of f64(24000,)" in wf.why(1)
    mapped(wf.eval(wf.astype(x, "float32")))
    assert reason() == "the same lines and operations were planned before: array 0: its dtype is f32, and was f64"
    mapped(wf.eval(wf.asarray(np.linspace(0, 1, 23_000))))
    assert reason().endswith("array 0: its shape is (23000,), and was (24000,)")
    mapped(wf.eval(wf.asarray(np.ones((240, 100)))))
    assert "array 0: it has 2 axes, and had 1" in reason()


def test_it_says_the_value_that_is_another():
    x = wf.eval(wf.asarray(np.linspace(0, 1, 26_000).reshape(130, 200)))
    for axis in (0, 1):
        wf.eval(wf.sum(wf.tan(x), axis=axis) * 0.7); line = inspect.currentframe().f_lineno  # noqa: E702
    assert reason() == f"the same lines and operations were planned before: sum axes=[1] at {HERE}:{line}, and was sum axes=[0]"


def test_known_programs_are_not_planned_again():
    x = wf.eval(wf.asarray(np.linspace(0, 1, 24_500)))
    mapped(x)
    before = wf.why(1000)
    mapped(x)
    assert wf.why(1000) == before


def test_more_operations_on_the_same_line():
    x = wf.eval(wf.asarray(np.linspace(0, 1, 21_000)))
    for more in range(2):
        y = wf.tan(x)
        y = [y, wf.sinh(y)][more]
        wf.eval(y)
    assert "tan" in wf.why(2)


def test_other_lines_with_the_same_operations_are_named():
    x = wf.eval(wf.asarray(np.linspace(0, 1, 25_500)))
    mapped(x)
    wf.eval(wf.exp2(wf.cos(wf.eval(wf.astype(x, "float32")))) * 0.3 + 1.7); line = inspect.currentframe().f_lineno  # noqa: E702
    assert f"{HERE}:{line}: cos, exp2, multiply, add of f32(25500,)" in wf.why(1) and "the same operations" in reason()


def test_the_log_says_it_as_it_happens():
    code = "import numpy as np, weft as wf\nx = wf.eval(wf.asarray(np.ones(50_000)))\nwf.eval(wf.exp(x) * 2)\n"
    told = subprocess.run([sys.executable, "-c", code], env={**os.environ, "WEFT_LOG": "info"}, capture_output=True, text=True, timeout=300, check=True)
    assert "planned <string>:3: exp, multiply: it is the first of these lines and operations" in told.stderr


def test_bad_input():
    with pytest.raises(ValueError, match="takes 0 programs or more: got -1"):
        wf.why(-1)
    assert wf.why(0) == ""


def test_as_many_other_operations_are_named():
    x = wf.eval(wf.linspace(0, 1, 10_000))
    for op in (wf.tanh, wf.cos):
        wf.eval(op(x) * 3 + x)
    assert "these lines were planned before, for other operations (tanh, multiply, add)" in wf.why(1)
