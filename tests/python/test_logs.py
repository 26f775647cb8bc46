"""The log: its levels, what they say, and where it goes."""

import logging
import os
import subprocess
import sys

import pytest
import weft as wf


def run(code, **variables):
    return subprocess.run([sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True, timeout=300, check=True)


class Kept(logging.Handler):
    def __init__(self):
        super().__init__(1)
        self.records = []

    def emit(self, record):
        self.records.append((record.name, record.levelno, record.getMessage()))


@pytest.fixture(name="kept")
def listening():
    handler, logger = Kept(), logging.getLogger("weft")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(1)
    yield handler.records
    logger.removeHandler(handler)
    logger.setLevel(level)


def test_messages_go_to_logging(kept):
    with wf.set_log("info", to="logging"):
        assert wf.settings()["log_to"] == "logging"
        x = wf.eval(wf.linspace(0, 1, 40_123) * 1.5)
        for _ in range(2):
            wf.interp(x, x, x)
    assert wf.settings()["log_to"] == "stderr"
    planned = [one for one in kept if one[2].startswith("planned test_logs.py:")]
    assert planned and {one[:2] for one in planned} == {("weft.recompiles", logging.INFO)}
    answered = [one for one in kept if "numpy.interp answered" in one[2]]
    assert [one[:2] for one in answered] == [("weft", logging.INFO)]


def test_trace_says_what_is_computed_and_what_looked(kept):
    with wf.set_log("trace", to="logging"):
        float(wf.sum(wf.linspace(0, 1, 40_124) * 1.5))
    (said,) = (text for name, level, text in kept if level == 5 and "sum" in text)
    assert said.startswith("computes sum : f64() at test_logs.py:") and ", as float() at test_logs.py:" in said and said.endswith(" looked")


def test_recompiles_are_logged_at_any_level(kept):
    with wf.set_log("error,recompiles", to="logging"):
        assert wf.settings()["log_level"] == "error,recompiles"
        wf.eval(wf.linspace(0, 1, 40_125) * 2.5)
        wf.interp(wf.ones(3), wf.ones(3), wf.ones(3))
    assert {name for name, *_ in kept} == {"weft.recompiles"}
    assert wf.settings()["log_level"] in ("warn", os.environ.get("WEFT_LOG", "warn"))


def test_a_handler_that_fails_raises_its_error():
    class Failing(logging.Handler):
        def handle(self, record):
            raise OSError("disk full")

    handler, logger = Failing(), logging.getLogger("weft")
    logger.addHandler(handler)
    level, logger.level = logger.level, 1
    try:
        with pytest.raises(OSError, match="disk full"):
            with wf.set_log("trace", to="logging"):
                wf.eval(wf.linspace(0, 1, 40_126) * 2.5)
                for _ in range(1000):
                    pass
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


PROGRAM = """
import logging, sys
logging.basicConfig(level=1, stream=sys.stdout, format="%(name)s %(levelname)s %(message)s")
import weft as wf
wf.eval(wf.linspace(0, 1, 40_127) * 2.5)
x = wf.ones(3)
wf.interp(x, x, x)
"""


@pytest.mark.parametrize(("words", "planned", "answers"), [("info,logging", True, True), ("logging,recompiles", True, False), ("logging,warn", False, False)])
def test_the_variable_takes_a_list(words, planned, answers):
    told = run(PROGRAM, WEFT_LOG=words)
    assert told.stderr == ""
    assert ("weft.recompiles INFO planned <string>:5" in told.stdout) == planned
    assert ("weft INFO numpy.interp answered on the host for <string>:7" in told.stdout) == answers


def test_without_logging_it_goes_to_stderr():
    told = run(PROGRAM, WEFT_LOG="recompiles")
    assert told.stdout == "" and "planned <string>:5" in told.stderr and "answered" not in told.stderr


def test_messages_of_other_threads_come_too(kept):
    import threading

    with wf.set_log("info", to="logging"):
        thread = threading.Thread(target=lambda: wf.eval(wf.linspace(0, 1, 40_128) * 2.5))
        thread.start()
        thread.join()
        for _ in range(1000):
            pass
    assert any("planned test_logs.py" in text for *_, text in kept)


@pytest.mark.parametrize(("call", "says"), [
    (lambda: wf.set_log(), "takes a level, where the log goes, or both: got neither"),
    (lambda: wf.set_log("loud"), "and recompiles, with commas between them: got 'loud'"),
    (lambda: wf.set_log("info,logging"), "got 'info,logging'"), (lambda: wf.set_log("info,warn"), "got 'info,warn'"), (lambda: wf.set_log(""), "got ''"),
    (lambda: wf.set_log(to="syslog"), "the log goes to 'stderr' or to 'logging': got 'syslog'"), (lambda: wf.set_log(3), "takes a string: got int"),
])  # fmt: skip
def test_what_means_nothing_is_an_error(call, says):
    before = wf.settings()
    with pytest.raises((TypeError, ValueError), match=says):
        call()
    assert wf.settings() == before
