"""The profiler: what ran, how often, from which lines; with threads, first runs, NumPy's answers; bad input."""

import inspect
import json
import os
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
    wf.eval(wf.exp(x) * 0.5)
    wf.finish_kernels()  # or a busy machine compiles them behind, in the middle of the loop
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


def test_what_goes_around_a_first_call_is_of_first_calls(on_cpu):
    x = large(20_000)
    with wf.set_tier("compile"), wf.profile() as p:
        for _ in range(3):
            wf.eval(wf.exp(x) * 3 + wf.sqrt(x) * 7)
    count = {kind: sum(row["count"] for row in p.to_dict()["rows"] if row["kind"] == kind) for kind in ("setup", "overhead", "plan")}
    assert count == {"setup": 1, "overhead": 2, "plan": 1}
    assert p.to_dict()["first_calls_ns"] == sum(row["wall_ns"] for row in p.to_dict()["rows"] if row["kind"] in ("compile", "load", "plan", "setup"))


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
    assert list(said) == ["schema", "version", "wall_ns", "accounted_ns", "first_calls_ns", "first_calls", "conclusion", "waited_ns", "threads_waited_ns", "busy", "error", "dropped", "processor", "rows", "advice", "memory"]
    assert said["schema"] == "weft.profile" and said["version"] == 3
    page = open(os.path.join(os.path.dirname(HERE), "../../docs/seeing_inside.md"), encoding="utf-8").read()
    for name in [*said, *said["rows"][0], *said["memory"], "instructions", "cycles", "cache_misses", "problem"]:
        assert f"`{name}`" in page, name
    assert json.loads(p.to_json()) == said


def test_memory_has_its_owners_at_the_peak():
    x = large(400_000)
    with wf.profile() as p:
        y = wf.eval(wf.exp(x) + 0.75)
    memory = p.to_dict()["memory"]
    assert memory["most_bytes"] >= y.nbytes and sum(one["bytes"] for one in memory["owners"]) == memory["most_bytes"]
    assert any(one["owner"].startswith("add : f64(400000,) at test_profile.py") and one["bytes"] >= y.nbytes for one in memory["owners"])
    assert "memory: at most" in str(p) and "MB add : f64(400000,)" in str(p)


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
    assert p.to_dict()["error"] == f"ZeroDivisionError at {os.path.basename(HERE)}:{line} (division by zero)"
    assert f"it ended with {p.to_dict()['error']}: what would have come after that is missing" in str(p)
    with wf.profile():
        pass


def test_a_profile_of_a_block_that_raised_before_anything_ran_says_so(tmp_path):
    with pytest.raises(wf.Error):
        with wf.profile() as p:
            line = line_here(); large(20) + large(30)  # noqa: E702
    assert p.to_dict()["rows"] == [] or of_kind(p, "kernel", "blocks") == []
    assert p.to_dict()["error"].startswith(f"Error at {os.path.basename(HERE)}:{line} (add: ")  # not a line of the package
    with pytest.raises(KeyError):
        with wf.profile() as nothing:
            line = line_here(); {}["no"]  # noqa: E702
    assert f": nothing ran before it ended with KeyError at {os.path.basename(HERE)}:{line} ('no')" in str(nothing)
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
    with pytest.raises(wf.Error, match="profile: the block was not entered"):
        wf.profile().__exit__(None, None, None)


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


def test_functions_of_the_library_are_no_kernels(on_cpu):
    x, a = wf.eval(wf.linspace(0, 1, 5000)), wf.eval(wf.eye(30) * 2 + 0.1)
    with wf.profile() as p:
        wf.eval(wf.abs(wf.fft.fft(x)))
        wf.linalg.inv(a)
    rows = {row["what"]: row["kind"] for row in p.to_dict()["rows"]}
    assert rows["fourier"] == "library" and rows["inv"] == "library"
    found = wf.explain(wf.abs(wf.fft.fft(x)), detail="compiled").to_dict()["programs"][0]
    assert (found["summary"]["library_calls"], found["summary"]["kernels"]) == (1, 2)
    assert [step["kind"] for step in found["steps"]] == ["kernel", "library", "kernel"] and found["steps"][1]["compiled"] is None
    wf.show(wf.abs(wf.fft.fft(x)), "asm")
