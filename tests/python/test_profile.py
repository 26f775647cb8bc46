"""The profiler: what ran, how often, from which lines; with threads, first runs, NumPy's answers; bad input."""

import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
import weft as wf

HERE = __file__


def line_here():
    return inspect.currentframe().f_back.f_lineno


def of_kind(profile, *kinds):
    return [row for row in profile.to_dict()["rows"] if row["kind"] in kinds]


def lines_of(row):
    return {(line["file"], line["line"]) for line in row["lines"]}


def large(n=200_000):
    x = wf.asarray(np.linspace(0, 1, n))
    return wf.eval(x)


def test_kernels_are_counted_with_bytes_and_lines():
    x = large()
    with wf.set_tier("compile"), wf.profile() as p:
        for _ in range(3):
            y = wf.exp(x) + 1.25; line = line_here()  # noqa: E702
            wf.eval(y)
    (row,) = of_kind(p, "kernel", "blocks")
    assert row["count"] == 3 and row["what"].split(", ") == ["exp", "add"]
    assert lines_of(row) == {(HERE, line)}
    assert row["bytes_read"] == row["bytes_written"] == 3 * x.nbytes
    assert 0 < row["least_ns"] <= row["most_ns"] <= row["total_ns"] <= p.to_dict()["wall_ns"]
    (compiled,) = of_kind(p, "compile", "load") or [None]
    if compiled:
        assert compiled["count"] == 1 and lines_of(compiled) == {(HERE, line)}
    (plan,) = of_kind(p, "plan")
    assert plan["count"] == 1 and lines_of(plan) == {(HERE, line)}


def test_a_known_program_says_the_lines_of_who_runs_it():
    x = large()
    first = wf.sin(x) * 0.5 + 2.5
    wf.eval(first)
    with wf.profile() as p:
        again = wf.sin(x) * 0.75 + 3.5; line = line_here()  # noqa: E702
        wf.eval(again)
    (row,) = of_kind(p, "kernel", "blocks")
    assert lines_of(row) == {(HERE, line)}
    assert not of_kind(p, "plan")


def test_library_calls_say_their_operations():
    a = wf.eval(wf.asarray(np.ones((300, 200))))
    b = wf.eval(wf.asarray(np.ones((200, 100))))
    with wf.profile() as p:
        wf.eval(a @ b)
    (row,) = of_kind(p, "library")
    assert row["count"] == 1 and row["operations"] == 2 * 300 * 200 * 100
    assert row["bytes_written"] == 300 * 100 * 8 and row["bytes_read"] == (300 * 200 + 200 * 100) * 8


def test_what_numpy_answers_is_a_row_of_its_own(on_cpu):
    x = large(5000)
    with wf.profile() as p:
        wf.histogram(x); line = line_here()  # noqa: E702
        wf.partition(x, 3)
    rows = {row["what"]: row for row in of_kind(p, "host")}
    assert set(rows) == {"numpy.histogram", "numpy.partition"}
    assert lines_of(rows["numpy.histogram"]) == {(HERE, line)}
    assert rows["numpy.partition"]["bytes_read"] == rows["numpy.partition"]["bytes_written"] == x.nbytes


def test_first_runs_say_that_they_were_interpreted_or_ran_in_blocks(on_cpu):
    with wf.profile() as p:
        small = 7 - wf.abs(wf.floor(wf.asarray([1.0, 2.0, 3.0]) * 2.5)) * 3  # which no other test has had compiled
        assert small.tolist() == [1.0, -8.0, -14.0]
    rows = of_kind(p, "interpret", "blocks")
    assert sum(row["count"] for row in rows) == 1
    x = large(20_000)
    with wf.set_tier("blocks"), wf.profile() as p:
        wf.eval(wf.tanh(x * 1.5) - x)
    (row,) = of_kind(p, "blocks")
    assert row["count"] == 1 and "blocks: " in str(p)


def test_compiled_functions_say_their_own_lines_and_when_they_were_recorded():
    x = large()

    @wf.compile
    def step(x):
        return wf.cos(x) * x

    line = inspect.getsourcelines(step.__wrapped__)[1] + 2
    with wf.profile() as p:
        for _ in range(4):
            wf.eval(step(x))
    (recorded,) = of_kind(p, "record")
    assert recorded["count"] == 1 and recorded["what"].endswith("step")
    rows = of_kind(p, "kernel", "blocks")
    assert sum(row["count"] for row in rows) == 4
    assert all(lines_of(row) == {(HERE, line)} for row in rows)


def test_work_of_all_threads_is_counted():
    x = large()

    def work():
        for _ in range(5):
            wf.eval(wf.sqrt(x) + 0.5)

    with wf.profile() as p:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert sum(row["count"] for row in of_kind(p, "kernel", "blocks")) == 20
    said = p.to_dict()
    assert 0 < said["accounted_ns"] <= said["wall_ns"]


def test_all_of_the_time_is_in_a_row():
    x = large(100_000)
    with wf.profile() as p:
        for turn in range(20):
            wf.eval(wf.exp(x) * (turn + 0.5))
        sum(range(100_000))
    said = p.to_dict()
    rows = {row["kind"]: row for row in said["rows"]}
    assert rows["your code"]["count"] == 1 and rows["your code"]["lines"] == []
    assert said["accounted_ns"] + rows["your code"]["total_ns"] == said["wall_ns"]
    assert sum(row["wall_ns"] for row in said["rows"]) == said["wall_ns"]
    # One thread did it: no moment counts twice.
    alone = sum(row["total_ns"] for row in said["rows"] if not row["behind"])
    assert abs(alone - said["wall_ns"]) <= 0.03 * said["wall_ns"]
    assert "your code: the rest: your own code, Python, and recording operations" in str(p)


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
    rows = p.to_dict()["rows"]
    assert 0 < one["ns"] < p.to_dict()["first_calls_ns"] - sum(row["wall_ns"] for row in rows if row["kind"] in ("compile", "load")) / 2
    assert advice_of([(n, n + 1) for n in range(6, 8)])[1] == []


def test_what_goes_around_a_first_call_is_of_first_calls(on_cpu):
    x = large(20_000)
    with wf.set_tier("compile"), wf.profile() as p:
        for _ in range(3):
            wf.eval(wf.exp(x) * 3 + wf.sqrt(x) * 7)
    count = {kind: sum(row["count"] for row in p.to_dict()["rows"] if row["kind"] == kind) for kind in ("setup", "overhead", "plan")}
    assert count == {"setup": 1, "overhead": 2, "plan": 1}
    assert p.to_dict()["first_calls_ns"] == sum(row["wall_ns"] for row in p.to_dict()["rows"] if row["kind"] in ("compile", "load", "plan", "setup"))


def test_lines_that_are_compiled_again_are_counted_after_the_first(on_cpu):
    arrays = [wf.eval(wf.asarray(np.ones(9000, dtype))) for dtype in ("f4", "f8", "i4")]
    with wf.set_tier("compile"), wf.profile() as p:
        for x in arrays:
            wf.eval(x * x + x + x)
    (one,) = (one for one in p.advice() if one["cause"] == "compiled again")
    assert "were compiled again 2 times after the first" in one["text"] and 0 < one["ns"] < p.to_dict()["first_calls_ns"]


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


def test_what_loops_compute_op_by_op_is_in_it(on_cpu):
    table = wf.eval(wf.asarray(np.ones((64, 300))))
    with wf.profile() as p:
        for number in range(1, 64):
            row = table[number]
            row[:] = row * 0.5 + table[number - 1]; line = inspect.currentframe().f_lineno  # noqa: E702
        wf.eval(table)
    done = of_kind(p, "interpret")
    assert sum(row["count"] for row in done) >= 63
    assert all(row["what"].endswith("op by op") and (HERE, line) in lines_of(row) for row in done)


def test_small_arrays_run_as_they_do_without_a_profile_and_are_counted(on_cpu, tmp_path):
    x = wf.eval(wf.asarray(np.linspace(0, 1, 500)))

    def work():
        before = wf.stats()
        for turn in range(50):
            wf.eval(wf.exp(x) * 2 + (turn + 0.25))
            wf.eval(wf.sqrt(x) + 1.5)
        after = wf.stats()
        return [after[name] - before[name] for name in ("interpreted", "kernels_launched", "program_hits", "program_misses")]

    with wf.set_tier("auto"):
        alone = work()
        with wf.profile() as p:
            profiled = work()
    assert profiled == alone == [100, 0, 0, 0]
    rows = {row["what"]: row for row in of_kind(p, "interpret")}
    assert sorted(rows) == ["exp, multiply, add, op by op", "sqrt, add, op by op"]
    for row in rows.values():
        assert row["count"] == 50 and 0 < row["least_ns"] <= row["most_ns"] and row["total_ns"] >= 50 * row["least_ns"]
        ((by, count),) = [(one["by"], one["count"]) for one in row["asked"]]
        assert (by, count) == ("eval()", 50) and len(row["lines"]) == 1
    p.save(tmp_path / "trace.json")
    events = [one for one in json.loads((tmp_path / "trace.json").read_text())["traceEvents"] if one.get("ph") == "X" and one["name"].endswith("op by op")]
    assert len(events) == 100 and all(a["ts"] <= b["ts"] for a, b in zip(events, events[1:]))


def test_the_processors_counters_are_there_or_it_says_why():
    x = large()
    with wf.profile() as p:
        wf.eval(wf.exp(x) + 0.375)
    said = p.to_dict()["processor"]
    if "problem" in said:
        assert said["problem"] and "processor:" not in str(p)
    else:
        assert said["instructions"] > 10_000 and said["cycles"] > 0 and f"processor: {said['instructions']} instructions" in str(p)


def test_loops_show_the_kernels_of_their_bodies():
    x = large(50_000)
    with wf.profile() as p:
        wf.eval(wf.fori_loop(0, 6, lambda i, y: wf.sqrt(y) + wf.mean(y), x))
    assert sum(row["count"] for row in of_kind(p, "kernel", "blocks")) >= 6


def test_nothing_is_noted_when_it_is_off():
    x = large()
    with wf.profile() as p:
        pass
    wf.eval(x * 3.5)
    assert p.to_dict()["rows"] == [] and "nothing ran" in str(p)


def test_the_table_has_a_line_for_each_row_and_says_what_kinds_are():
    x = large()
    with wf.set_tier("compile"), wf.profile() as p:
        wf.eval(wf.exp2(x))
    text = str(p)
    assert "kernel" in text and f"{os.path.basename(HERE)}:" in text and "GB/s" in text
    assert "kernel: a compiled kernel" in text or "blocks: " in text
    assert repr(p) == text


def test_the_dict_follows_the_schema():
    x = large(1000)
    with wf.profile() as p:
        wf.eval(x + 0.25)
    said = p.to_dict()
    assert list(said) == ["schema", "version", "wall_ns", "accounted_ns", "first_calls_ns", "first_calls", "conclusion", "error", "dropped", "processor", "rows", "advice", "memory"]
    assert said["schema"] == "weft.profile" and said["version"] == 3
    page = open(os.path.join(os.path.dirname(HERE), "../../docs/seeing_inside.md"), encoding="utf-8").read()
    for name in [*said, *said["rows"][0], *said["memory"], "instructions", "cycles", "cache_misses", "problem"]:
        assert f"`{name}`" in page, name
    assert json.loads(p.to_json()) == said


def test_the_trace_has_an_event_for_each_piece_of_work(tmp_path):
    x = large()
    with wf.profile() as p:
        wf.eval(wf.exp(x) - 0.125)
        wf.eval(wf.exp(x) - 0.25)
    path = tmp_path / "trace.json"
    p.save(path)
    assert os.listdir(tmp_path) == ["trace.json"]
    events = [event for event in json.loads(path.read_text())["traceEvents"] if event["ph"] == "X"]
    assert len(events) == sum(row["count"] for row in p.to_dict()["rows"] if row["kind"] != "your code")
    wall = p.to_dict()["wall_ns"] / 1e3
    assert all(0 <= event["ts"] and event["ts"] + event["dur"] <= wall for event in events), (wall, events)
    assert all(set(event) == {"ph", "name", "cat", "ts", "dur", "pid", "tid", "args"} for event in events)


def test_memory_has_its_owners_at_the_peak():
    x = large(400_000)
    with wf.profile() as p:
        y = wf.eval(wf.exp(x) + 0.75)
    memory = p.to_dict()["memory"]
    assert memory["most_bytes"] >= y.nbytes and sum(one["bytes"] for one in memory["owners"]) == memory["most_bytes"]
    assert any(one["owner"].startswith("add : f64(400000,) at test_profile.py") and one["bytes"] >= y.nbytes for one in memory["owners"])
    assert "memory: at most" in str(p) and "MB add : f64(400000,)" in str(p)


def test_rows_are_comma_separated_values(tmp_path):
    import csv

    x = large()
    with wf.profile() as p:
        wf.eval(wf.exp(x) - 0.625)
    p.save(tmp_path / "rows.csv")
    with open(tmp_path / "rows.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["kind"], row["what"], int(row["total_ns"])) for row in rows] == [(row["kind"], row["what"], row["total_ns"]) for row in p.to_dict()["rows"]]
    assert any(f"{HERE}:" in row["lines"] for row in rows)


@pytest.mark.parametrize("name", ["whole.html", "whole.csv", "whole.json"])
def test_the_environment_asks_for_a_profile_of_the_whole_program(tmp_path, name):
    code = "import numpy as np, weft as wf\nx = wf.eval(wf.asarray(np.ones(50_000)))\nwf.eval(wf.exp(x) * 2)\n"
    environment = {**os.environ, "WEFT_PROFILE": str(tmp_path / name)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=300)
    assert os.listdir(tmp_path) == [name] and "exp, multiply" in (tmp_path / name).read_text(encoding="utf-8")


def test_profiles_do_not_nest():
    with wf.profile() as p:
        with pytest.raises(wf.Error, match="profiles do not nest"):
            with wf.profile():
                pass
        wf.eval(large(1000) * 0.5)
    assert p.to_dict()["rows"]
    with wf.profile():
        pass


def test_a_profile_ends_with_its_block_also_where_that_raises():
    x = large()
    with pytest.raises(ZeroDivisionError):
        with wf.profile() as p:
            wf.eval(x - 1.5)
            line = line_here(); 1 / 0  # noqa: E702
    assert sum(row["count"] for row in of_kind(p, "kernel", "blocks")) == 1
    assert p.to_dict()["error"] == f"ZeroDivisionError at {os.path.basename(HERE)}:{line}"
    assert f"it ended with {p.to_dict()['error']}: what would have come after that is missing" in str(p)
    with wf.profile():
        pass


def test_a_profile_of_a_block_that_raised_before_anything_ran_says_so(tmp_path):
    with pytest.raises(wf.Error):
        with wf.profile() as p:
            line = line_here(); large(20) + large(30)  # noqa: E702
    assert p.to_dict()["rows"] == [] or of_kind(p, "kernel", "blocks") == []
    assert p.to_dict()["error"].endswith(f" at {os.path.basename(HERE)}:{line}")  # not a line of the package
    with pytest.raises(KeyError):
        with wf.profile() as nothing:
            line = line_here(); {}["no"]  # noqa: E702
    assert f": nothing ran before it ended with KeyError at {os.path.basename(HERE)}:{line}" in str(nothing)
    with wf.profile() as quiet:
        pass
    assert quiet.to_dict()["error"] == "" and "nothing ran: what is recorded runs" in str(quiet)


def test_what_is_asked_too_early_or_twice_is_an_error():
    p = wf.profile()
    with pytest.raises(wf.Error, match="nothing was profiled yet"):
        p.to_dict()
    assert repr(p) == "<weft.Profile, not begun>"
    with p:
        assert repr(p) == "<weft.Profile, running>"
        with pytest.raises(wf.Error, match="still running"):
            str(p)
    with pytest.raises(wf.Error, match="used before"):
        with p:
            pass


def test_a_file_that_cannot_be_written_is_an_error_and_leaves_nothing(tmp_path):
    with wf.profile() as p:
        wf.eval(large(1000) * 1.5)
    with pytest.raises(wf.Error, match="no_such_folder"):
        p.save(tmp_path / "no_such_folder" / "trace.json")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(wf.Error, match="folder"):
        p.save(folder)
    assert os.listdir(tmp_path) == ["folder"] and os.listdir(folder) == []
    with pytest.raises(TypeError):
        p.save(3.5)


def test_work_says_what_looked_at_values(on_cpu):
    x = large()
    with wf.profile() as p:
        first = line_here() + 1
        float(wf.sum(wf.exp(x)))
        np.asarray(x * 3)
        repr(x + 0.5)
        if wf.any(x > 5):
            pass
        wf.eval(x - 7.5)
    asked = [one for row in of_kind(p, "overhead", "setup") for one in row["asked"]]
    assert sorted((one["by"], one["line"] - first) for one in asked) == [("eval()", 5), ("float()", 0), ("if or bool()", 3), ("numpy()", 1), ("print or repr", 2)]
    assert all(one["file"] == HERE and one["count"] == 1 for one in asked)
    assert f", as float() at {os.path.basename(HERE)}:{first} asked" in str(p)


def test_what_goes_around_calls_of_compiled_functions_is_no_code_of_yours():
    x = large()
    f = wf.compile(lambda x: wf.exp(x) * 2)
    f(x)
    with wf.profile() as p:
        for _ in range(4):
            f(x); line = line_here()  # noqa: E702
    (row,) = of_kind(p, "overhead")
    assert row["count"] == 4 and row["asked"] == [{"by": "a call of a compiled function", "file": HERE, "line": line, "count": 4}]
