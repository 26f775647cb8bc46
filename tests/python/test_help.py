"""help() of every public function: each parameter, an example that gives what it says, and where more stands."""

import doctest
import importlib
import inspect
import io

import numpy as np
import pytest
import weft as wf
from weft._help import TEXTS

MODULES = {"": "weft", "fft.": "weft.fft", "linalg.": "weft.linalg", "random.": "weft.random"}


def public():
    for prefix, module in MODULES.items():
        part = importlib.import_module(module)
        names = part.__all__ if prefix else [name for name in dir(wf) if not name.startswith("_")]
        for name in names:
            f = getattr(part, name)
            if callable(f) and not inspect.isclass(f) and getattr(f, "__module__", "").startswith("weft"):
                yield pytest.param(f, id=prefix + name)


@pytest.mark.parametrize("f", [*public()])
def test_help_says_each_parameter_and_has_an_example_and_a_link(f):
    text = inspect.getdoc(f)
    said = text.partition("\nParameters\n----------\n")[2].partition("\n\nExamples\n--------\n")[0]
    for parameter in inspect.signature(f).parameters.values():
        assert any(line.lstrip("*").startswith(parameter.name + " : ") for line in said.splitlines()), parameter.name
    assert "\nExamples\n--------\n>>> import weft as wf\n>>> " in text
    assert "  # see the pages" not in text and "\n    any\n" not in text
    assert text.splitlines()[-1].startswith(("NumPy's function of this name: https://numpy.org/", "See docs/"))
    assert text.splitlines()[0].strip() and not text.startswith("Parameters")


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_examples_give_what_they_say(name, tmp_path, monkeypatch):
    if wf.default_device() != "cpu":
        pytest.skip("the examples are written for the CPU")
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(TEXTS[name], {}, name, None, None)
    assert test.examples
    test.examples = [example for example in test.examples if "  # " not in example.source]
    said = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    with np.printoptions(precision=8, threshold=1000, linewidth=75, suppress=False):
        assert runner.run(test, out=said.write).failed == 0, said.getvalue()


def test_help_of_a_sum_and_of_a_ufunc(capsys):
    help(wf.sum)
    said = capsys.readouterr().out
    assert "axis : int, tuple of ints or None, default None" in said and "array([4, 6])" in said and "numpy.sum.html" in said
    help(wf.atan2)
    said = capsys.readouterr().out
    assert "broadcast" in said and "docs/ops.md" in said and "x1 : array_like" in said
