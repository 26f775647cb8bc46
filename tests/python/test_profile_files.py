"""A profile's files: traces, rows, pages, and what the environment asks for, also where the program dies."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import weft as wf

HERE = __file__


def large(n=200_000):
    x = wf.asarray(np.linspace(0, 1, n))
    return wf.eval(x)


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


def ended(tmp_path, code, **more):
    path = tmp_path / "whole.html"
    begin = "import os, signal, sys, numpy as np, weft as wf\nx = wf.eval(wf.asarray(np.ones(50_000)))\nwf.eval(wf.exp(x) * 2)\n"
    done = subprocess.run([sys.executable, "-c", begin + code], env={**os.environ, "WEFT_PROFILE": str(path), **more}, capture_output=True, text=True, timeout=300)
    return done, path.read_text(encoding="utf-8") if path.exists() else None


@pytest.mark.parametrize("code, status, error", [
    ("1 / 0", 1, "ZeroDivisionError at <string>:4 (division by zero)"),
    ("sys.exit(3)", 3, ""),
    ("os.kill(os.getpid(), signal.SIGTERM)", -15, "SIGTERM at <string>:4"),
    # A shell's background jobs ignore it, and so would their children.
    ("signal.signal(signal.SIGINT, signal.default_int_handler); os.kill(os.getpid(), signal.SIGINT)", -2, "KeyboardInterrupt at <string>:4"),
])
def test_a_program_that_dies_leaves_its_profile(tmp_path, code, status, error):
    done, page = ended(tmp_path, code + "\n")
    assert done.returncode == status, done.stderr
    assert "exp, multiply" in page and f'"error":"{error}"' in page.replace("\\u003c", "<")


def test_a_programs_own_handler_of_a_signal_stays(tmp_path):
    done, page = ended(tmp_path, "signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\nos.kill(os.getpid(), signal.SIGTERM)\n")
    assert done.returncode == 5 and "exp, multiply" in page


def test_a_forked_child_saves_no_profile(tmp_path):
    done, page = ended(tmp_path, "pid = os.fork()\nif pid == 0:\n    sys.exit(0)\nos.waitpid(pid, 0)\nprint(os.path.exists(os.environ['WEFT_PROFILE']))\n")
    assert done.stdout == "False\n" and page


@pytest.mark.parametrize("code, name", [("os.abort()", "SIGABRT"), ("os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV")])
def test_a_program_that_crashes_says_that_its_profile_is_lost(tmp_path, code, name):
    done, page = ended(tmp_path, code + "\n")
    assert page is None and done.returncode == -getattr(signal, name)
    assert f"weft: WEFT_PROFILE: {name} ended the program: nothing was written to {tmp_path}/whole.html\n" in done.stderr


def test_a_profile_that_cannot_be_saved_says_so(tmp_path):
    done, _ = ended(tmp_path, "", WEFT_PROFILE=str(tmp_path / "no" / "where.html"))
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert "weft: WEFT_PROFILE: the profile was not written: profile: " in done.stderr
    assert done.stderr.startswith(f"weft: WEFT_PROFILE: the profile will not be written: {tmp_path / 'no'} is no folder\n")


def test_a_program_that_changes_its_folder_saves_its_profile_where_it_began(tmp_path):
    code = "import os, weft as wf\nos.chdir('/')\nwf.eval(wf.ones(9) + 1)\n"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "WEFT_PROFILE": "own.html"}, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and not done.stderr and (tmp_path / "own.html").exists(), done.stderr


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
