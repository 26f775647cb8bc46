"""What NumPy answers on the host leaves a trace: in explain, the counters, the log and profiles, with the user's line."""

import os
import subprocess
import sys

import numpy as np
import pytest
import weft as wf

HERE = "test_host_answers.py"


def lines_of(text):
    with open(__file__) as file:
        return [number for number, line in enumerate(file, 1) if text in line and "lines_of(" not in line]


def answers():
    return wf.metrics()["weft_host_answers_total"]


def interpolated():
    x = wf.eval(wf.linspace(0, 1, 20_000))
    return wf.interp(x, wf.linspace(0, 1, 50), wf.linspace(1, 2, 50))  # interpolated here


def test_explain_names_what_numpy_made_of_what_is_read():
    (line,) = lines_of("# interpolated here")
    said = wf.explain(interpolated() * 2, detail="summary")
    assert f"f64(20000,): made by numpy.interp at {HERE}:{line}, on the host\n" in said
    assert f"advice: host round trip at {HERE}:{line}: numpy.interp is NumPy's answer: " in said and "Weft computes this instead: " in said
    (program,) = said.to_dict()["programs"]
    (trip,) = program["round_trips"]
    assert (trip["function"], trip["dtype"], trip["shape"], trip["lines"][0]["line"]) == ("numpy.interp", "f64", [20_000], line)
    (advice,) = (one for one in program["advice"] if one["cause"] == "host round trip")
    assert advice["lines"][0]["line"] == line and advice["ns"] is None


def test_what_nobody_computed_since_says_who_made_it():
    (line,) = lines_of("# interpolated here")
    assert f"it was made by numpy.interp, of {HERE}:{line}: NumPy answered, on the host" in wf.explain(interpolated())


def test_what_weft_computes_has_no_round_trips():
    x = wf.eval(wf.linspace(0, 1, 20_000))
    said = wf.explain(wf.exp(x))
    assert said.to_dict()["programs"][0]["round_trips"] == [] and "made by" not in said


def test_a_copy_of_it_is_made_by_numpy_too(on_cpu):
    found = interpolated()
    seen = np.asarray(memoryview(found))  # lends the memory to be written
    seen[0] = 5
    assert "made by numpy.interp" in wf.explain(found * 2, detail="summary")


@pytest.mark.parametrize(("call", "name"), [
    (lambda x: wf.interp(x, x, x), "numpy.interp"), (lambda x: wf.histogram(x)[0], "numpy.histogram"), (lambda x: wf.convolve(x, x[:3]), "numpy.convolve"),
    (lambda x: wf.apply_along_axis(sorted, 0, x), "numpy.apply_along_axis"), (lambda x: np.trapezoid(x) if hasattr(np, "trapezoid") else np.trapz(x), None),
    (lambda x: wf.unique_counts(wf.round(x)).values, "numpy.unique_counts"),
])  # fmt: skip
def test_each_call_counts_once(call, name, on_cpu):
    x, before = wf.eval(wf.asarray(np.linspace(0, 1, 100))), answers()
    made = call(x)
    if name is None:
        return
    assert answers() == before + 1
    assert f"made by {name}, of {HERE}:" in wf.explain(made) or f"made by {name} at {HERE}:" in wf.explain(made + 1)


def test_results_without_arrays_are_counted():
    x, before = wf.eval(wf.linspace(0, 1, 100)), answers()
    target = np.zeros(100)
    np.copyto(target, x)
    wf.maximum.at(wf.eval(wf.ones(5)), np.array([1, 1]), np.array([2.0, 3.0]))
    assert answers() == before + 2 and target[-1] == 1


def test_errors_of_numpy_are_no_answers():
    before = answers()
    with pytest.raises(ValueError, match="interp"):
        wf.interp(wf.ones(3), wf.ones(2), wf.ones(3))
    assert answers() == before


def test_the_log_says_each_lines_first_answer():
    code = "import weft as wf\nx = wf.eval(wf.linspace(0, 1, 100))\nfor _ in range(3):\n    wf.interp(x, x, x)\n"
    for level, count in (("warn", 0), ("info", 1), ("debug", 3)):
        told = subprocess.run([sys.executable, "-c", code], env={**os.environ, "WEFT_LOG": level}, capture_output=True, text=True, timeout=300, check=True)
        assert told.stderr.count("numpy.interp answered on the host for <string>:4") == count, told.stderr


def test_a_profile_names_the_part_of_numpy():
    x = wf.eval(wf.asarray(np.eye(8) * 2))
    with wf.profile() as p:
        np.linalg.cond(x, 1)
    names = [row["what"] for row in p.to_dict()["rows"] if row["kind"] == "host"]
    assert names in ([], ["numpy.linalg.cond"])


def test_sorts_are_named_where_their_results_are_read(on_cpu):
    x = wf.eval(wf.asarray(np.random.default_rng(0).random(20000)))
    for f, name in ((wf.sort, "sort"), (wf.argsort, "argsort")):
        said = wf.explain(f(x) + 1)
        assert f": made by {name} at " in said and "which fuses with nothing" in said and "host round trip" not in said
        assert said.to_dict()["programs"][0]["round_trips"][0]["function"] == name
