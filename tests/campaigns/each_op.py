"""Every example, workload and program below, as one graph each, fused beside op by op: `weft run --each-op`.

    build/venv/bin/python tests/campaigns/each_op.py [--runs 20] [--within 0.1] [--keep FOLDER] [NAME...]
    build/venv/bin/python tests/campaigns/each_op.py --counted build/bin/campaigns/count_work

Fused may never be slower than op by op: a ratio below 1 - within, four times over, fails. A program that fails
is kept as a graph where `--keep` names a folder. The times are of kernels and library calls, without recording and compiling.

`--counted` asks no clock: it compares what the kernels move and compute, as tests/support/counted_work.h counts it. That is the
short form, which says the same on every machine.
"""

import argparse
import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

root = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(root / "tests/benchmarks"), str(root / "docs/examples/python"), str(root / "tests/campaigns")]

import compare  # noqa: E402
import each_op_programs  # noqa: E402
import workloads  # noqa: E402

import weft as wf  # noqa: E402


class Namespace:
    """What workloads.py asks of a library, of Weft."""

    def __getattr__(self, name):
        return getattr(wf, name)

    def sum(self, a, axis, keep):
        return wf.sum(a, axis=axis, keepdims=keep)

    def mean(self, a, axis, keep):
        return wf.mean(a, axis=axis, keepdims=keep)

    def max(self, a, axis, keep):
        return wf.max(a, axis=axis, keepdims=keep)

    def rsqrt(self, a):
        return 1 / wf.sqrt(a)

    def erf(self, a):
        return wf.erf(a)


def text_of(f, *arrays):
    """The graph of what a program is about to compute."""
    out = f(*[wf.array(a) if isinstance(a, np.ndarray) else a for a in arrays])
    out = [one for one in (out if isinstance(out, (tuple, list)) else [out]) if isinstance(one, wf.ndarray)]
    return wf.show(out, "graph")


def examples():
    """The programs of docs/examples, as they hand themselves to compare()."""
    taken = []
    compare.compare = lambda title, f, *arrays, **how: taken.append((title, f, arrays))
    for file in sorted((root / "docs/examples/python").glob("*.py")):
        if file.stem in ("compare", "svd_streams") or "compare(" not in file.read_text():
            continue
        spec = importlib.util.spec_from_file_location(f"example_{file.stem}", file)
        before = len(taken)
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
        for k, (_, f, arrays) in enumerate(taken[before:]):
            yield f"example {file.stem} {k}", lambda f=f, arrays=arrays: text_of(lambda *a: f(wf, *a), *arrays)
    for file in sorted((root / "docs/examples").glob("*.weft")):
        yield f"example {file.name}", file.read_text


def suites():
    sizes = workloads.SIZES["cpu"]
    sizes = workloads.Sizes(1 << 21, (1024, 2048), 96, (4096, 512), 1024, 1024, (512, 64, 512), (128, 256, 512), (32, 65536))
    for name, w in workloads.WORKLOADS.items():
        yield f"workload {name}", lambda w=w: text_of(lambda *a: w.body(Namespace(), *a), *w.inputs(sizes))
    for name, f in each_op_programs.PROGRAMS.items():
        yield f"program {name}", lambda f=f: text_of(lambda: f(wf))


def ratio(file, runs):
    command = [str(root / "build/bin/weft"), "run", str(file), "--random", "1", "--each-op", f"--time={runs}"]
    told = subprocess.run(command, capture_output=True, text=True)
    if told.returncode:
        raise RuntimeError(told.stderr.strip())
    ms = [float(re.search(rf"^{line} +\d+ .*?([\d.]+) ms", told.stdout, re.M)[1]) for line in ("op by op", "fused")]
    return ms[0] / ms[1], ms[1]


def counted(program, names, files):
    """What fusing makes of each graph's cost; a byte that is moved costs as much as an operation."""
    told = subprocess.run([program, *files], stdout=subprocess.PIPE, text=True).stdout.splitlines()
    if len(told) < len(names):
        raise SystemExit(f"{names[len(told)]}: cannot be counted")
    failed = 0
    for name, line in zip(names, told):
        steps, bytes_, work, cost, each_steps, each_bytes, each_work, each_cost = (float(n) for n in line.split())
        ratio = each_cost / cost if cost else 1
        failed += ratio < 1
        print(f"{name:44} {each_steps:3.0f} -> {steps:3.0f} steps  moved {bytes_ / max(each_bytes, 1):5.2f}  computed {work / max(each_work, 1):5.2f}  "
              f"cost {1 / ratio:5.2f}{'  MORE THAN OP BY OP' if ratio < 1 else ''}")
    print(f"{len(names) - failed} of {len(names)} cost no more than op by op")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20, help="runs of each, of which the median counts")
    parser.add_argument("--within", type=float, default=0.1, help="how much slower fused may be")
    parser.add_argument("--keep", type=Path, help="a folder for the graphs that fail")
    parser.add_argument("name", nargs="*", help="only programs whose names hold one of these")
    parser.add_argument("--counted", metavar="PROGRAM", help="count by this program, count_work, in place of timing")
    asked = parser.parse_args()
    sys.argv[1:] = []
    failed, ratios = [], []
    with tempfile.TemporaryDirectory() as folder:
        if asked.counted:
            names, files = [], []
            for name, text in [*suites(), *examples()]:
                graph = "" if asked.name and not any(one in name for one in asked.name) else text()
                if graph and "= kernel" not in graph:  # nobody knows what a kernel of one's own computes
                    names.append(name)
                    files.append(Path(folder) / f"{len(files)}.weft")
                    files[-1].write_text(graph)
            sys.exit(counted(asked.counted, names, files) > 0)
        file = Path(folder) / "graph.weft"
        for name, text in [*suites(), *examples()]:
            if asked.name and not any(one in name for one in asked.name):
                continue
            file.write_text(text())
            for _ in range(4):
                times, fused = ratio(file, asked.runs)
                if times >= 1 - asked.within:
                    ratios.append(times)
                    break
            else:
                failed.append(name)
                if asked.keep:
                    asked.keep.mkdir(parents=True, exist_ok=True)
                    (asked.keep / (re.sub(r"\W+", "_", name) + ".weft")).write_text(file.read_text() )
            slower = "" if times >= 1 - asked.within else "  SLOWER THAN OP BY OP"
            print(f"{name:44} {fused:9.4f} ms {times:7.2f}{slower}", flush=True)
    ratios.sort()
    if ratios:
        print(f"{len(ratios)} of {len(ratios) + len(failed)} are as fast as op by op; median {ratios[len(ratios) // 2]:.2f} times as fast")
    sys.exit(bool(failed))


main()
