"""Settings of all Python tests: kernels go to a folder of their own, and hypothesis sets no clock.

CTest starts them in an environment of their own (tests/environment.cmake). Started otherwise, they see no settings of Weft or of BLAS
but those that are meant for them.
"""

import os
import subprocess
import sys
import tempfile

# A file of one line for each test: its outcome, its name and, where it is skipped, why. `./dev test` counts by it.
_report = os.environ.pop("WEFT_TEST_REPORT", None)

for _name in list(os.environ):
    _meant = _name in ("WEFT_DEVICE", "WEFT_TEST_EXAMPLES", "WEFT_ARRAY_API_TESTS", "WEFT_FAKE_CUDA", "WEFT_INTERPRET_LIMIT", "WEFT_UPDATE_GOLDENS",
                       "WEFT_TEST_WITHOUT_JIT")
    if not _meant and _name.startswith(("WEFT_", "OPENBLAS_", "GOTO_", "OMP_", "SCIPY_", "NPY_", "LC_")):
        del os.environ[_name]
os.environ["LC_ALL"] = "C.UTF-8"
os.environ["WEFT_MEMORY_SPEED"] = "20"  # explanations tell the time by it
# JAX takes three quarters of a GPU's memory at its first call otherwise, and nothing is left for the tests beside it.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

# Kernels that compile behind may still be written while it is removed.
_cache = tempfile.TemporaryDirectory(prefix="weft-test-", ignore_cleanup_errors=True)
os.environ["WEFT_CACHE_DIR"] = _cache.name

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

settings.register_profile("weft", deadline=None, max_examples=int(os.environ.get("WEFT_TEST_EXAMPLES", "60")), print_blob=True)
settings.load_profile("weft")


def _note(outcome, name, why=""):
    if _report:
        with open(_report, "a", encoding="utf-8") as file:
            print(outcome, name, " ".join(why.split()), sep="\t", file=file)


def _reason(report):
    """Why it was skipped."""
    return report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else getattr(report, "wasxfail", "")


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        _note(report.outcome, report.nodeid, _reason(report) if report.outcome == "skipped" else "")


_whole_files_skipped = []


def pytest_collectreport(report):
    if report.outcome != "passed":
        _note(report.outcome, report.nodeid, _reason(report) if report.outcome == "skipped" else "")
    if report.outcome == "skipped":
        _whole_files_skipped.append(report.nodeid)


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and _whole_files_skipped:
        session.exitstatus = pytest.ExitCode.OK


@pytest.fixture
def on_cpu():
    """For tests of host memory: the CPU is the default device, whatever WEFT_DEVICE says."""
    import weft as wf

    with wf.device("cpu"):
        yield


@pytest.fixture
def kernels_first():
    """For tests that count compilations: what counts those that calls wait for. None of an earlier test's is missing, and none starts behind
    a call because the machine is busy. A kernel that was under way behind a call when the test began is counted apart when it ends."""
    import weft as wf

    wf.finish_kernels()
    with wf.set_tier("compile"):
        yield lambda: wf.stats()["compiles"] - wf.stats()["compiles_behind"]


@pytest.fixture
def with_fake_gpu():
    """Runs a text in a process whose CUDA driver is the tests' stand-in: copies work, kernels do not."""
    folder = os.environ.get("WEFT_FAKE_CUDA")
    if not folder:
        pytest.skip("WEFT_FAKE_CUDA names no folder with the stand-in for CUDA's driver")

    def run(text):
        head = "import numpy as np\nimport pytest\nimport weft as wf\n"
        environment = {**os.environ, "LD_LIBRARY_PATH": folder + ":" + os.environ.get("LD_LIBRARY_PATH", "")}
        done = subprocess.run([sys.executable, "-c", head + text], env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr

    return run
