"""Weft where a machine gives little: folders that cannot be written, no shared memory, a control group's limits, a second copy of the package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import weft as wf

PACKAGE = Path(wf.__file__).parent
WORK = """
import weft as wf
x = wf.arange(1000.0) + 1
for _ in range(3):
    x = x * 1.5 + wf.sin(x)
print(round(float(x.sum()), 3))
"""


@pytest.fixture(scope="module")
def inside():
    """Runs a text of Python where the shell's commands have changed what is mounted, for that process alone."""
    shell = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec"]
    if not shutil.which("unshare") or subprocess.run([*shell, "mount -t tmpfs none /mnt"], capture_output=True, check=False).returncode:
        pytest.skip("no mounts of one's own: the system allows no user namespaces")

    def run(commands, text, **environment):
        whole = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}
        whole |= {"WEFT_DEVICE": "cpu", "PYTHONPATH": f"{PACKAGE.parent}:{os.environ.get('PYTHONPATH', '')}", **environment}
        return subprocess.run([*shell, f"{commands}\nexec \"$@\"", "sh", sys.executable, "-c", text],
                              env=whole, capture_output=True, text=True, timeout=300, check=False)  # fmt: skip

    return run


def expected():
    x = np.arange(1000.0) + 1
    for _ in range(3):
        x = x * 1.5 + np.sin(x)
    return f"{round(float(x.sum()), 3)}\n"


def test_a_package_that_cannot_be_written(inside):
    done = inside(f"mount --bind '{PACKAGE}' '{PACKAGE}'; mount -o remount,ro,bind '{PACKAGE}'\n! touch '{PACKAGE}/written' 2> /dev/null", WORK)
    assert (done.returncode, done.stdout, done.stderr) == (0, expected(), "")


def test_a_home_that_cannot_be_written_is_warned_of_once(inside):
    done = inside("mount -t tmpfs -o ro none /mnt", WORK, HOME="/mnt", XDG_CACHE_HOME="")
    assert (done.returncode, done.stdout) == (0, expected()), done.stderr
    assert done.stderr.count("RuntimeWarning: weft: no disk cache: ") <= 1 and "Traceback" not in done.stderr
    forced = inside("mount -t tmpfs -o ro none /mnt", WORK, HOME="/mnt", XDG_CACHE_HOME="", WEFT_TIER="compile")
    if "WEFT_TEST_WITHOUT_JIT" not in os.environ:
        assert forced.stdout == expected() and forced.stderr.count("RuntimeWarning: weft: no disk cache: ") == 1, forced.stderr


def test_no_shared_memory_is_needed(inside):
    done = inside("mount -t tmpfs -o ro none /dev/shm", WORK)
    assert (done.returncode, done.stdout, done.stderr) == (0, expected(), "")


def test_a_control_groups_limits_are_kept(inside, tmp_path):
    """Files that say one processor and 300 MB, in the place and the words of both versions of control groups."""
    for folder, files in {
        "": {"cpu.max": "100000 100000", "memory.max": "300000000", "memory.current": "100000000"},
        "cpu": {"cpu.cfs_quota_us": "100000", "cpu.cfs_period_us": "100000"},
        "memory": {"memory.limit_in_bytes": "300000000", "memory.usage_in_bytes": "100000000"},
    }.items():
        (tmp_path / folder).mkdir(exist_ok=True)
        for name, value in files.items():
            (tmp_path / folder / name).write_text(value + "\n")
    done = inside(f"mount --bind '{tmp_path}' /sys/fs/cgroup", WORK + """
print(wf.settings()["threads"])
print(float(wf.ones(10**6).sum()))
try:
    wf.eval(wf.ones(10**8))
except wf.OutOfMemory as error:
    print(error)
print(float(wf.ones(10**6).sum()))
""")
    assert done.returncode == 0, done.stderr
    first, threads, before, refusal, after = done.stdout.splitlines()
    assert (first + "\n", threads, before, after) == (expected(), "1", "1000000.0", "1000000.0") and "800000000 bytes" in refusal


def test_two_copies_in_one_process_compute_each(tmp_path):
    """A second copy's classes are its own; arrays of the first are to it what other libraries' arrays are."""
    shutil.copytree(PACKAGE, tmp_path / "weft")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", f"""
import sys
import weft as first
a = first.arange(5.0)
for name in [name for name in sys.modules if name.partition(".")[0] == "weft"]:
    del sys.modules[name]
sys.path.insert(0, {str(tmp_path)!r})
import weft as second
assert second.__file__ != first.__file__
b = second.arange(5.0) * 2
print(type(a) is type(b), (a * 2).tolist() == b.tolist() == second.asarray(a * 2).tolist(), (a + 1).sum().tolist())
"""], capture_output=True, text=True, timeout=300, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "False True 15.0\n"), done.stderr
