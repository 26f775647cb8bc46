"""What Weft costs from Python besides its kernels, beside NumPy. Run it by a Python that has Weft:

    python tests/benchmarks/python_overhead.py

Minima of many short rounds, in microseconds: they say little on a busy machine, but less wrongly than means. Of 64 elements nearly all is
overhead. `import` is processor time beyond that of an interpreter that imports nothing, its bytecode kept from before.
"""

import os
import resource
import subprocess
import sys
import time

os.environ.setdefault("WEFT_CACHE_DIR", "off")

import numpy as np
import weft as wf


def best(f, calls=300, rounds=300):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            f()
        times.append((time.perf_counter() - start) / calls)
    return min(times) * 1e6


def chain(x, a, b):
    y = a * b + 1.0
    y = y * a - b
    y = x.tanh(y) + a
    y = y * y + b
    return x.sqrt(y * y + 1.0) * a


def import_time(code):
    # As an installed package has it, whatever the environment says.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, env=kept)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(10)) * 1e3


def main():
    rows = []
    for count in (64, 4096):
        operands = [np.random.default_rng(k).uniform(0.2, 1, count).astype(np.float32) for k in range(2)]
        a, b = map(wf.array, operands)
        compiled = wf.compile(lambda a, b: chain(wf, a, b))
        rows.append((f"ten maps of {count} f32, undecorated", best(lambda: chain(wf, a, b).eval()), best(lambda: chain(np, *operands))))
        rows.append((f"ten maps of {count} f32, compiled", best(lambda: compiled(a, b)), None))
    identity = wf.compile(lambda a: a)
    rows.append(("a compiled function that gives its argument", best(lambda: identity(a)), None))
    rows.append(("an op recorded, a + b", best(lambda: a + b), best(lambda: operands[0] + operands[1])))
    gib = np.ones(1 << 27)
    rows.append(("asarray of 1 GiB", best(lambda: wf.asarray(gib), 1, 1000), best(lambda: np.asarray(gib), 1, 1000)))
    print("| microseconds | Weft | NumPy |\n|---|---|---|")
    for what, ours, numpys in rows:
        print(f"| {what} | {ours:.2f} | {'' if numpys is None else f'{numpys:.2f}'} |")
    nothing = import_time("pass")
    print(f"| import, processor ms | {import_time('import weft') - nothing:.0f} | {import_time('import numpy') - nothing:.0f} |")


if __name__ == "__main__":
    main()
