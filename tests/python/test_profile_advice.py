"""What a profile advises: how much of the time each advice is about, what it names, and what it counts."""

import inspect
import os
import pathlib
import re

import numpy as np
import pytest
import weft as wf

HERE = __file__


def line_here():
    return inspect.currentframe().f_back.f_lineno


def of_kind(profile, *kinds):
    return [row for row in profile.to_dict()["rows"] if row["kind"] in kinds]


def large(n=200_000):
    x = wf.asarray(np.linspace(0, 1, n))
    return wf.eval(x)


def test_advice_is_sorted_by_its_size_and_small_advice_is_marked(on_cpu):
    x, rows = large(2_000_000), wf.eval(wf.asarray(np.ones((60, 400))))
    narrow = wf.eval(wf.asarray(np.ones(5000, np.float32)))
    for _ in range(2):
        with wf.set_tier("compile"), wf.profile() as p:
            for _ in range(20):
                wf.eval(wf.exp(wf.sin(x)) / 3)
            wf.eval(narrow * wf.asarray(np.ones(5000)))
            for row in range(60):
                float(wf.sum(rows[row] * 2.5))
    advice = p.advice()
    assert {one["cause"] for one in advice} == {"widened", "small kernels"}
    assert [one["ns"] for one in advice] == sorted((one["ns"] for one in advice), reverse=True)
    assert all(one["small"] == (one["ns"] * 20 < one["of_ns"]) for one in advice)
    (widened,) = (one for one in advice if one["cause"] == "widened")
    assert widened["small"] and f"advice: widened at {os.path.basename(HERE)}:" in str(p) and ": small, " in str(p)
    (loop,) = (one for one in advice if one["cause"] == "small kernels")
    assert "`wf.sum(x, axis=1)` in the place of `float(wf.sum(x[i]))`" in loop["text"]
    said = p.to_dict()
    assert (said["conclusion"].startswith("nothing here is worth changing: ")) == loop["small"]


def test_advice_on_recordings_says_what_changed():
    x = large(20_000)

    @wf.compile
    def scaled(x, unit):
        return x * {"m": 1, "cm": 100, "mm": 1000}[unit]

    with wf.profile() as p:
        for unit in ("m", "cm", "mm"):
            wf.eval(scaled(x, unit))
    (one,) = p.advice()
    assert one["cause"] == "recorded again" and "scaled was recorded again 2 times after the first: the last time for unit = 'mm' (before: unit = 'cm')." in one["text"]


def test_advice_on_recordings_names_the_number_whose_value_was_asked_for():
    x = large(20_000)

    @wf.compile
    def scaled(of, by):
        return of["x"] * int(by)
    line = scaled.__wrapped__.__code__.co_firstlineno + 2

    with wf.profile() as p:
        for by in (2.5, 3.5, 4.5):
            wf.eval(scaled({"x": x}, by))
    (one,) = (one for one in p.advice() if one["cause"] == "recorded again")
    assert "scaled was recorded again 2 times" in one["text"].partition("<locals>.")[2]
    assert f"the value of `by` was asked for at {os.path.basename(HERE)}:{line}: write `wf.asarray(by)` there" in one["text"]
    assert "Give what changes as an array or a number" not in one["text"] and "unpacked" not in str(p)


def test_all_that_recordings_lead_to_is_their_time(on_cpu):
    x = large(2_000)

    @wf.compile
    def moved(x, by):
        return wf.exp(x)[int(by):] * 2.25 + 0.125

    with wf.set_tier("compile"), wf.profile() as p:
        for by in range(6):
            wf.eval(moved(x, by))
    (one,) = (one for one in p.advice() if one["cause"] == "recorded again")
    plans = of_kind(p, "plan", "compile", "load", "setup")
    most = max(row["most_ns"] for row in plans)
    assert sum(row["count"] for row in of_kind(p, "plan")) >= 6
    # Each recording's first call is counted, but for the dearest: more than recording alone.
    assert one["ns"] > sum(row["wall_ns"] for row in of_kind(p, "record")) and one["of_ns"] == p.to_dict()["wall_ns"]
    assert not one["small"] and p.to_dict()["conclusion"] == ""
    assert most > 0


def test_the_first_recording_counts_for_nothing(on_cpu):
    x = large(20_000)

    @wf.compile
    def scaled(x, unit):
        return x * unit[0] + unit[1]

    def advice_of(units):
        with wf.set_tier("compile"), wf.profile() as p:
            for unit in units:
                wf.eval(scaled(x, unit))
        return p, [one for one in p.advice() if one["cause"] == "recorded again"]

    p, (one,) = advice_of([(n, n + 1) for n in range(2, 6)])
    assert "scaled was recorded again 3 times after the first" in one["text"]
    # Compiling was of the first recording alone: the others have its kernel.
    assert one["ns"] > 0 and sum(row["count"] for row in p.to_dict()["rows"] if row["kind"] == "compile") == 1
    assert advice_of([(n, n + 1) for n in range(6, 8)])[1] == []


def test_lines_that_are_compiled_again_are_counted_after_the_first(on_cpu):
    arrays = [wf.eval(wf.asarray(np.ones(9000, dtype))) for dtype in ("f4", "f8", "i4")]
    with wf.set_tier("compile"), wf.profile() as p:
        for x in arrays:
            wf.eval(x * x + x + x)
    (one,) = (one for one in p.advice() if one["cause"] == "compiled again")
    assert "were compiled again 2 times after the first" in one["text"] and 0 < one["ns"] < p.to_dict()["first_calls_ns"]


def compiled_again(run, *turns):
    with wf.set_tier("compile"), wf.profile() as p:
        for turn in turns:
            run(turn)
    (one,) = (one for one in p.advice() if one["cause"] == "compiled again")
    return one["text"]


def test_what_is_compiled_again_says_for_what(on_cpu):
    long = wf.eval(wf.asarray(np.linspace(0, 1, 90_000)))
    parts = [wf.eval(long[:size] * 1.0) for size in (9000, 9001, 9002)]
    text = compiled_again(lambda x: wf.eval(wf.cosh(x) * x + 0.5), *parts)
    assert "2 times after the first, 2 times for another shape. The last time array 0: its shape is (9002,), and was (9001,). Keep shapes" in text
    text = compiled_again(lambda step: wf.eval(wf.cosh(long[::step]) * 3.5 + 0.25), 2, 3, 4)
    assert "2 times for " in text and "The last time " in text
    cube = wf.eval(wf.asarray(np.ones((30, 30, 30))))
    text = compiled_again(lambda axis: wf.eval(wf.sum(wf.cosh(cube), axis=axis) * 0.7), 0, 1, 2)
    assert "2 times for other positions, axes or numbers in an operation. The last time sum axes=[2]" in text


def test_widened_names_the_operand(on_cpu):
    narrow = wf.eval(wf.asarray(np.ones(9000, "f4")))
    wide = wf.eval(wf.asarray(np.ones(9000)) * 2)
    made = line_here() - 1

    def said(run):
        with wf.profile() as p:
            wf.eval(run())
        (one,) = (one for one in p.advice() if one["cause"] == "widened")
        return one["text"]

    assert f"as the other operand is an array in memory, f64(9000,), of {os.path.basename(HERE)}:{made}, and what follows" in said(lambda: narrow * wide)
    text = said(lambda: narrow + wf.cos(wide))
    assert f"as the other operand is cos : f64(9000,) at {os.path.basename(HERE)}:{line_here() - 1}, and" in text
    whole = wf.eval(wf.asarray(np.arange(9000)))
    assert "as the other operand is an array in memory, i64(9000,)" in said(lambda: narrow - whole)
    assert "leave the cast to f64 out" in said(lambda: narrow.astype("float64"))


def test_denormals_name_the_lines_that_make_them_and_those_that_read_them(on_cpu):
    x = wf.eval(wf.asarray(np.linspace(1, 2, 40_000)))
    with wf.set_tier("compile"), wf.profile() as p:
        faint = wf.eval(x * 1e-310)
        wf.eval(wf.reshape(faint, (200, 200)) * 1e300 + 1)
        wf.eval(x * 2.5)
    (one,) = p.advice()
    made = next(number for number, text in enumerate(pathlib.Path(__file__).read_text(encoding="utf-8").splitlines(), 1) if "faint = wf.eval(x" in text)
    lines = {line["line"] for line in one["lines"]}
    assert one["cause"] == "denormals" and {made, made + 1} <= lines and made + 2 not in lines
    assert "that multiply gives" in one["text"]


def test_denormals_that_were_given_name_the_line_that_reads_them(on_cpu):
    x = wf.eval(wf.asarray(np.full(40_000, 1e-310)))
    with wf.set_tier("compile"), wf.profile() as p:
        wf.eval(x * 1e300 + 1)
    (one,) = p.advice()
    assert one["cause"] == "denormals" and "that multiply reads" in one["text"]


def test_the_same_advice_is_given_once(on_cpu):
    x = large()
    with wf.profile() as p:
        for bins in (8, 16, 32):
            wf.histogram(x, bins)
        for turn in range(3):
            wf.eval(wf.exp(wf.asarray(np.ones(20_000, np.float32)) * wf.asarray(np.ones(20_000)) + turn))
    causes = [(one["cause"], tuple(line["line"] for line in one["lines"])) for one in p.advice()]
    assert len(causes) == len(set(causes)) >= 2


@pytest.mark.parametrize("name", ["histogram", "partition", "percentile", "interp", "convolve", "digitize", "gradient"])
def test_what_numpy_answers_has_a_substitute_that_is_right(on_cpu, name):
    """What the advice tells to write gives what NumPy gives, and NumPy does not answer it."""
    x = large(4001) * 0.999
    low, high, n, m, q, k = 0.0, 1.0, 16, 3, 30, 7
    y, w, bins = wf.sin(x) * 2, wf.asarray([0.25, 0.5, 0.125]), wf.asarray([0.125, 0.5, 0.75])
    asked = {
        "histogram": lambda: wf.histogram(x, n, (low, high))[0], "partition": lambda: wf.partition(x, 9), "percentile": lambda: wf.percentile(x, q, method="nearest"),
        "interp": lambda: wf.interp(t0, at0, y), "convolve": lambda: wf.convolve(x, w, "valid"), "digitize": lambda: wf.digitize(x, bins), "gradient": lambda: wf.gradient(x)[1:-1],
    }
    t0, at0 = wf.asarray([0.25, 17.5, 3999.0]), wf.arange(4001, dtype="float64")
    with wf.profile() as p:
        right = wf.eval(asked[name]())
    (advice,) = (one for one in p.advice() if one["cause"] == "host round trip")
    codes = re.findall("`([^`]*)`", advice["text"])
    names = {"wf": wf, "x": x, "y": y, "w": w, "bins": bins, "low": low, "high": high, "n": n if name == "histogram" else 4001, "m": m, "q": q, "k": k, "range": range, "sum": sum}
    if name == "interp":
        names |= {"x": t0, "x0": 0.0, "step": 1.0}
    with wf.profile() as p:
        for code in codes[:-1]:
            exec(code, names)
        instead = wf.eval(eval(codes[-1], names))
    assert not of_kind(p, "host")
    np.testing.assert_allclose(np.sort(np.asarray(instead)) if name == "partition" else np.asarray(instead), np.sort(np.asarray(right)) if name == "partition" else np.asarray(right), rtol=1e-12)
