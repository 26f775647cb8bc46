"""What the campaigns about the running process share: starting a Python that imports weft, and what a process holds."""

import os
import signal
import subprocess
import sys


def start(text, cache, **environment):
    """A Python that runs the text, with its kernels in a folder."""
    own = {**os.environ, "WEFT_CACHE_DIR": str(cache), **environment}
    return subprocess.Popen([sys.executable, "-c", text], env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(child, seconds=600):
    """Its output; AssertionError with all that it said where it failed."""
    out, err = child.communicate(timeout=seconds)
    how = signal.Signals(-child.returncode).name if child.returncode < 0 else f"status {child.returncode}"
    assert child.returncode == 0, f"{how}\n{out}\n{err}"
    return out


def held():
    """Of this process: KiB in memory, memory maps, open files, threads."""
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return {
        "KiB": int(status["VmRSS"].split()[0]),
        "maps": sum(1 for _ in open("/proc/self/maps")),
        "files": len(os.listdir("/proc/self/fd")),
        "threads": int(status["Threads"]),
    }


# Random programs beside NumPy: each number is another kernel, and another shape.
PROGRAMS = '''
import sys
import numpy as np
import weft as wf

def program(xp, x, number):
    y = x * 1.5 + number % 7
    for bit in range(3 + number % 5):
        y = (xp.sin(y) if number >> bit & 1 else xp.cos(y)) + x[::-1] * (1 if number >> bit & 2 else -1)
    if number % 3 == 0:
        y = xp.exp(y - xp.max(y)) if number % 2 else y - xp.mean(y)
    return xp.cumsum(y) if number % 4 == 1 else y

def check(number):
    x = np.arange(500 + number % 777) * 0.01
    np.testing.assert_allclose(np.asarray(program(wf, wf.asarray(x), number)), program(np, x, number), rtol=1e-9, atol=1e-9, err_msg=str(number))
'''
