"""What explain says: text that begins with what is moved, and the same as data, of arrays and of functions."""

import copy
import os
import pickle
import re

import numpy as np
import pytest
import weft as wf


def scaled():
    x = wf.eval(wf.asarray(np.ones((1000, 500), np.float32)))
    return wf.exp(x) * 2 + 1


def test_it_begins_with_what_is_moved():
    first, second, third, blank, *_ = wf.explain(scaled()).splitlines()
    assert first == "1 kernel does 3 operations: 2.0 MB read and 2.0 MB written"
    assert second == "op by op, as NumPy computes, it would be 12.0 MB read and written: 3.0 times as much"
    assert third.startswith("at the 20.0 GB/s of this machine's memory that takes about 200 us, op by op 600 us;") and blank == ""


def grown(x):
    return wf.exp(x) * 2


def grown_twice(x):
    return grown(grown(x))


def line_of(text):
    lines = open(__file__).read().splitlines()
    return f"test_explain.py:{lines.index(text) + 1}"


def test_callers_tell_two_calls_of_a_helper_apart():
    x, here = wf.eval(wf.ones(5000)), line_of("    return wf.exp(x) * 2")

    def model(x):
        first = grown(x)  # the first
        return first, grown_twice(x - 1)  # and two more

    first = line_of("        first = grown(x)  # the first")
    twice = line_of("    return grown(grown(x))") + " from " + line_of("        return first, grown_twice(x - 1)  # and two more")
    said = wf.explain(model, x)
    assert f"writes multiply : f64(5000,) at {here} from {first}\n" in said and f"writes multiply : f64(5000,) at {here} from {twice}\n" in said
    values = [value for value in said.to_dict()["programs"][0]["values"] if value["op"] == "multiply"]
    callers = [[f"{os.path.basename(one['file'])}:{one['line']}" for one in value["lines"][0]["callers"]] for value in values]
    assert sorted(callers, key=len) == [[first], twice.split(" from ")]
    assert f"{here} from {first}" in wf.compile(model).lower(x).show("dot")
    # What is recorded otherwise has none, unless it is asked for, and only of the user's own code.
    assert " from " not in wf.explain(*model(x), detail="kernels")
    with wf.set_callers():
        noted = model(x)[0]
    plain = model(x)[0]
    assert f"{here} from {first} from " in wf.explain(noted) and " from " not in wf.explain(plain, detail="kernels")
    assert "python.py:" not in wf.explain(noted) and wf.settings()["callers"] is False


def test_a_program_that_was_compiled_for_other_callers_names_these(on_cpu):
    def once(x):
        return wf.log1p(x) * 0.125  # asks for a kernel

    x = wf.eval(wf.ones(70_000))
    with wf.set_callers():
        for _ in range(2):
            y = once(x)
            assert wf.eval(y) is y
            wf.finish_kernels()
        with wf.profile() as p:
            wf.eval(once(x))  # this time
    (row,) = [row for row in p.to_dict()["rows"] if row["kind"] in ("kernel", "blocks")]
    assert line_of("        return wf.log1p(x) * 0.125  # asks for a kernel").split(":")[1] in {str(line["line"]) for line in row["lines"]}


def test_detail_says_less():
    y = scaled() / scaled().sum(axis=1, keepdims=True)
    texts = [wf.explain(y, detail=detail) for detail in ("summary", "kernels", "all")]
    assert texts[1].startswith(texts[0]) and texts[2].startswith(texts[1]) and texts[2] == wf.explain(y)
    assert "step 0" not in texts[0] and "fused:" not in texts[1] and "fused:" in texts[2]
    with pytest.raises(wf.Error, match="the detail is summary, kernels, all or compiled: got 'much'"):
        wf.explain(y, detail="much")


def test_it_is_data_too():
    made = wf.explain(scaled())
    everything = made.to_dict()
    assert (everything["schema"], everything["version"]) == ("weft.explain", 2)
    (program,) = everything["programs"]
    assert program["summary"]["op_by_op_bytes"] == 12_000_000 and program["summary"]["seconds"] == pytest.approx(4e6 / 20e9)
    (step,) = program["steps"]
    (written,) = step["writes"]
    assert program["values"][written]["op"] == "add" and program["values"][written]["shape"] == [1000, 500]
    assert program["values"][written]["lines"][0]["file"] == __file__
    assert wf.explain(wf.eval(scaled())).to_dict()["programs"] == []


def test_what_was_computed_says_by_which_program_and_what_looked_at_it():
    y = wf.eval(scaled())
    text = wf.explain(y)
    line = scaled.__code__.co_firstlineno + 2
    asked = test_what_was_computed_says_by_which_program_and_what_looked_at_it.__code__.co_firstlineno + 1
    assert text.startswith("the value lies in memory: nothing to compute\nit was computed by this program, "
                           f"of test_explain.py:{line}, as eval() at test_explain.py:{asked} looked at it:\n")
    assert "step 0: kernel over" in text and "exp, multiply, add" in text
    assert wf.explain(y[3]).startswith("a view of a value that lies in memory") and "it was computed by this program" in wf.explain(y[3])
    assert wf.explain(y).to_dict()["computed"] == [text.split("\n", 1)[1]]


def test_results_of_compiled_functions_say_their_program_too():
    f = wf.compile(lambda x: wf.exp(x) * 3 + 1)
    x = wf.eval(wf.ones((1000, 500), dtype="float32"))
    f(x)
    text = wf.explain(f(x))
    assert "it was computed by this program, as a call of a compiled function at test_explain.py:" in text and "exp, multiply, add" in text


def test_what_nothing_is_known_of_says_what_to_explain_instead():
    x = wf.asarray(np.ones(100_000))
    assert "what computed it is not known: it was given" in wf.explain(x) and "f.explain(arguments)" in wf.explain(x)
    y = wf.eval(scaled())
    for _ in range(300):
        wf.eval(wf.exp(x))
    assert "256 results have been computed since" in wf.explain(y)


def test_functions_are_explained_as_they_are_recorded():
    def f(x):
        return wf.exp(x) * 2 + 1

    x = wf.ones((1000, 500), dtype="float32")
    for text in (wf.explain(f, x, detail="summary"), wf.explain(wf.compile(f), x, detail="summary")):
        assert text.startswith("1 kernel does 3 operations") and "step" not in text
    assert wf.compile(f).explain(x).to_dict()["programs"][0]["summary"]["kernels"] == 1
    assert wf.compile(f).lower(x).explain().to_dict() == wf.explain(f, x).to_dict()


def test_it_is_a_string_that_can_be_kept():
    made = wf.explain(scaled())
    assert isinstance(made, str) and repr(made) == str(made)
    for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert again == made and again.to_json() == made.to_json()


def test_what_to_change_is_said_before_anything_runs():
    x = wf.eval(wf.asarray(np.ones(10_000, np.float32)))
    window = wf.eval(wf.asarray(np.hanning(10_000)))
    before = wf.stats()["kernels_launched"]
    advice = wf.explain(x * window).to_dict()["programs"][0]["advice"]
    assert [one["cause"] for one in advice] == ["widened"] and advice[0]["lines"][0]["file"] == __file__
    assert wf.stats()["kernels_launched"] == before


def test_advice_says_how_much_of_the_time_it_is_about(on_cpu):
    wide, narrow = wf.eval(wf.asarray(np.ones(1_000_000))), wf.eval(wf.asarray(np.ones(20_000, np.float32)))
    rows = wf.eval(wf.asarray(np.ones((2, 500_000))))
    scale = wf.eval(wf.asarray(np.ones(20_000)))
    widens = narrow * scale
    total = wf.sum(rows, axis=1)
    made = wf.explain(widens, wf.exp(wide) * 2, total)
    first, *others = advice = made.to_dict()["programs"][0]["advice"]
    assert {one["cause"] for one in advice} == {"widened", "split reduction"}
    seconds = made.to_dict()["programs"][0]["summary"]["seconds"]
    assert all(abs(one["of_ns"] - seconds * 1e9) < 2 for one in advice)
    assert [one["ns"] for one in advice] == sorted((one["ns"] for one in advice), reverse=True)
    widened = next(one for one in advice if one["cause"] == "widened")
    # 20,000 elements of f32 and f64 are read, as many of f64 written, at 20 GB/s.
    assert widened["ns"] == 20_000 * 20 / 20 and widened["small"] and f"small, {100 * widened['ns'] / widened['of_ns']:.1f} %: 0.02 ms of " in made
    assert made.index("advice: " + first["cause"]) < made.index("advice: " + others[-1]["cause"])


def test_no_time_is_estimated_of_what_is_moved_in_no_time():
    narrow = wf.eval(wf.asarray(np.ones(4500, np.float32)))
    (one,) = wf.explain(narrow * wf.eval(wf.asarray(np.ones(4500)))).to_dict()["programs"][0]["advice"]
    assert one["cause"] == "widened" and one["ns"] is None and one["of_ns"] is None and not one["small"]


def test_a_costly_stencil_says_why_it_is_stored():
    x = wf.eval(wf.asarray(np.ones((500, 500))))
    e = wf.exp(wf.sin(x) + wf.log(wf.abs(x) + 1))
    text = wf.explain(e[1:-1] + e[:-2] + e[2:])
    assert "it is read at many positions: computed at each, it would take longer than stored once" in text
    assert "advice: stored stencil at test_explain.py:" in text


def test_a_scan_counts_with_its_turns():
    def running(rows):
        return wf.scan(lambda total, row: (total * 2.5 + row + wf.max(row), None), rows[0], rows)[0]

    summary = wf.explain(running, wf.ones((64, 500))).to_dict()["programs"][0]["summary"]
    assert summary["loops"] == 1 and not summary["unknown_turns"] and summary["op_by_op_bytes"] is None
    assert summary["bytes_written"] >= 64 * 500 * 8


def test_a_loop_whose_turns_nobody_knows_says_so():
    def halved(x):
        return wf.while_loop(lambda v: wf.max(v) > 1, lambda v: v / 2, x)

    made = wf.explain(halved, wf.ones(5000) * 9)
    assert made.to_dict()["programs"][0]["summary"]["unknown_turns"] and "of loops and branches for one turn" in made


def test_it_says_how_loops_run_and_what_compiling_made_of_them(on_cpu):
    (step,) = wf.explain(scaled()).to_dict()["programs"][0]["steps"]
    assert step["schedule"]["text"].startswith("maps: axis 0 by ") and step["schedule"]["reason"].startswith("pointwise") and step["compiled"] is None
    made = wf.explain(scaled(), detail="compiled")
    (step,) = made.to_dict()["programs"][0]["steps"]
    compiled = step["compiled"]
    assert compiled["instructions"] > 20 and compiled["vector_bytes"] in (0, 16, 32, 64) and compiled["registers"] is None
    assert f"how step 0 runs: {step['schedule']['text']}\n  as: {step['schedule']['reason']}\n  compiled: {compiled['instructions']} instructions" in made
    assert made.startswith(wf.explain(scaled()))


def test_what_does_not_fuse_says_what_to_write_instead():
    x = wf.eval(wf.asarray(np.ones((64, 64))))
    (program,) = wf.explain(wf.sum((x * 2) @ x, axis=1)).to_dict()["programs"]
    apart = [edge for edge in program["edges"] if not edge["fused"]]
    assert apart and all("sum(x * v, 1)" in edge["instead"] for edge in apart if edge["reason"].startswith("a library"))
    assert all(edge["instead"] is None for edge in program["edges"] if edge["fused"])


def test_colours_are_for_terminals_that_take_them(monkeypatch, capsys):
    class Terminal:
        def isatty(self):
            return True

    text = wf.explain(scaled())
    assert "\x1b" not in repr(text) and repr(text) == str(text)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", Terminal())
        shown = repr(text)
        assert "\x1b" not in str(text)
        patch.setenv("NO_COLOR", "1")
        assert repr(text) == str(text)
    assert re.sub("\x1b\\[[0-9;]*m", "", shown) == str(text) and shown.count("\x1b[0m") >= 2
    text.print(color=True)
    text.print()
    assert capsys.readouterr().out == shown + "\n" + str(text) + "\n"


def test_a_product_beside_a_scan_is_apart_since_a_library_computes_it():
    x = wf.ones((64, 64)) @ wf.ones((64, 64)) + wf.cumulative_sum(wf.full((64, 64), 2.0), axis=0)
    reason = [line for line in wf.explain(x).split("\n") if line.startswith("not fused: dot")]
    assert len(reason) == 1 and reason[0].endswith("a library computes it")
    with pytest.raises(wf.Error, match="to change: dot .*: a library computes it"):
        wf.one_kernel(x)


MOVED = {  # bytes that are read, written, and moved op by op, of x: f64(1000, 1000) and three positions
    "a stencil": (lambda x, at: x[1:-1, 1:-1] + x[:-2, 1:-1], 998_998 * 8, 996_004 * 8, 3 * 996_004 * 8),
    "a part of each row": (lambda x, at: x[:, 900:] * 2, 100_000 * 8, 100_000 * 8, 200_000 * 8),
    "rows backwards": (lambda x, at: x[:500][::-1] * 2, 500_000 * 8, 500_000 * 8, 1_000_000 * 8),
    "two parts of rows": (lambda x, at: wf.sum(x[:, None, :100] * x[None, :5, :100], axis=-1), 100_000 * 8 + 500 * 8, 5000 * 8, (100_500 + 500_000) * 8 + 505_000 * 8),
    "some rows": (lambda x, at: x[at] * 2, 3000 * 8 + 24, 3000 * 8, 3000 * 8 + 24 + 3 * 3000 * 8),
    "joined": (lambda x, at: wf.concatenate([x, x]) * 2, 8_000_000, 16_000_000, 32_000_000 + 32_000_000),
    "padded": (lambda x, at: wf.pad(x, 1) * 2, 8_000_000, 1002 * 1002 * 8, 8_000_000 + 3 * 1002 * 1002 * 8),
}  # fmt: skip


@pytest.mark.parametrize("case", MOVED)
@pytest.mark.parametrize("computed", [True, False])
def test_the_bytes_are_those_of_what_is_read(case, computed, on_cpu):
    make, read, written, op_by_op = MOVED[case]
    x, at = wf.eval(wf.linspace(0, 1, 1_000_000).reshape(1000, 1000) + 0.5), wf.eval(wf.asarray(np.array([5, 700, 20])))
    said = wf.explain(make(x, at)) if computed else wf.explain(make, x, at)
    (program,) = said.to_dict()["programs"]
    found = program["summary"]
    assert (found["bytes_read"], found["bytes_written"], found["op_by_op_bytes"]) == (read, written, op_by_op)


def test_what_a_sort_made_is_said_to_be_made_by_it(on_cpu):
    x = wf.eval(wf.linspace(1, 0, 3000))
    assert f"it was made by sort, of test_explain.py:" in wf.explain(wf.sort(x)) and "step 0" not in wf.explain(wf.sort(x))
    assert f"it was made by argsort, of test_explain.py:" in wf.explain(wf.argsort(x))
