"""First calls of npbench's programs in new processes, beside NumPy's: nothing is compiled or on disk before.

    python tests/benchmarks/first_programs.py CHECKOUT [--sizes S,M] [--only NAME,...] [--csv FILE]

CHECKOUT is one of github.com/spcl/npbench. Its NumPy programs run with nothing but `import numpy as np` replaced. Each runs in a process of
its own, NumPy's and Weft's in turn; results and changed arguments are computed within the time. Milliseconds of the first call, the middle of
`--rounds` processes; programs that need SciPy, or that take NumPy longer than a minute, are left out and named.

`--later` measures the processor's time instead, which other work on the machine changes less: of the first call, and the least of twelve once
all kernels are there.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def load(path, numpy):
    """The module of a program's file with another numpy."""
    text = Path(path).read_text(encoding="utf-8").replace("import numpy as np", "np = _np_")
    names = {"__name__": Path(path).stem, "_np_": numpy}
    exec(compile(text, str(path), "exec"), names)
    return names


def one(library, checkout, name, size, later):
    import numpy

    info = json.loads((checkout / "bench_info" / f"{name}.json").read_text())["benchmark"]
    folder = checkout / "npbench" / "benchmarks" / info["relative_path"]
    values = dict(info["parameters"][size])
    made = load(folder / f"{info['module_name']}.py", numpy)[info["init"]["func_name"]](*(values[k] for k in info["init"]["input_args"]))
    values.update(zip(info["init"]["output_args"], made if isinstance(made, tuple) else (made,)))
    if library == "weft":
        import weft

        numpy.asarray(weft.asarray(numpy.ones(300)) + 1)  # opens the device
        convert = lambda x: weft.asarray(x) if isinstance(x, numpy.ndarray) else x  # noqa: E731
        with_numpy = weft
    else:
        convert = lambda x: x  # noqa: E731
        with_numpy = numpy
    kernel = load(folder / f"{info['module_name']}_numpy.py", with_numpy)[info["func_name"]]

    def call(clock):
        arguments = [convert(x.copy() if isinstance(x := values[k], numpy.ndarray) else x) for k in info["input_args"]]
        start = clock()
        result = kernel(*arguments)
        for x in [*(result if isinstance(result, tuple) else (result,)), *arguments]:
            if hasattr(x, "shape"):
                numpy.asarray(x)
        return (clock() - start) * 1e3

    measured = {"ms": call(time.process_time if later else time.perf_counter)}
    if later:
        for _ in range(5):
            call(time.process_time)
        if library == "weft":
            weft.finish_kernels()
        measured["later"] = min(call(time.process_time) for _ in range(12))
    print(json.dumps(measured | {"compiles": with_numpy.stats()["compiles"] if library == "weft" else 0}))


def first_call(library, given, name, size, folder):
    command = [sys.executable, __file__, str(given.checkout), "--one", f"{library},{name},{size}", *(["--later"] if given.later else [])]
    environment = {**os.environ, "WEFT_CACHE_DIR": tempfile.mkdtemp(dir=folder)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--sizes", default="S,M")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--csv")
    parser.add_argument("--later", action="store_true")
    parser.add_argument("--one")
    given = parser.parse_args()
    if given.one:
        library, name, size = given.one.split(",")
        return one(library, given.checkout, name, size, given.later)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for file in sorted((given.checkout / "bench_info").glob("*.json")):
            name = file.stem
            if given.only and name not in given.only.split(","):
                continue
            for size in given.sizes.split(","):
                try:
                    runs = [(first_call("numpy", given, name, size, folder), first_call("weft", given, name, size, folder))
                            for _ in range(given.rounds)]
                except (RuntimeError, KeyError, subprocess.TimeoutExpired) as error:
                    print(f"{name} {size}: left out: {error}", flush=True)
                    continue
                numpy_ms, weft_ms = (statistics.median(run[k]["ms"] for run in runs) for k in (0, 1))
                rows.append([name, size, f"{numpy_ms:.4g}", f"{weft_ms:.4g}", runs[-1][1]["compiles"]])
                print(f"{name:<24} {size} NumPy {numpy_ms:9.2f} ms, Weft {weft_ms:9.2f} ms: {weft_ms / numpy_ms:6.2f} times NumPy's; "
                      f"{runs[-1][1]['compiles']} kernels compiled", flush=True)
                if given.later:
                    later = [min(run[k]["later"] for run in runs) for k in (0, 1)]
                    rows[-1] += [f"{ms:.4g}" for ms in later]
                    print(f"{'':<24}   later: NumPy {later[0]:.2f} ms, Weft {later[1]:.2f} ms", flush=True)
    for size in given.sizes.split(","):
        ratios = sorted(float(row[3]) / float(row[2]) for row in rows if row[1] == size)
        if ratios:
            print(f"{size}: {len(ratios)} programs, median {statistics.median(ratios):.2f} times NumPy's, most {ratios[-1]:.2f}")
    if given.csv:
        with open(given.csv, "w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            later = ["numpy_later_ms", "weft_later_ms"] if given.later else []
            writer.writerow(["program", "size", "numpy_ms", "weft_ms", "kernels_compiled", *later])
            writer.writerows(rows)


if __name__ == "__main__":
    main()
