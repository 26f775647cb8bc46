#!/usr/bin/env python3
"""Libraries that bring an LLVM or an OpenMP of their own, imported beside Weft in every order, each computing.

    python tests/install/import_orders.py [--only torch,numba] [--jobs N]

Each order runs in a process of its own, in the environment of the interpreter, where Weft is installed from a wheel. What is not installed is named and
left out. Prints the orders that failed and ends with 1 where one did.
"""

import argparse
import concurrent.futures
import importlib.util
import itertools
import subprocess
import sys

# Each imports, and later computes something that compiles.
USES = {
    "weft": ("import weft as wf", "assert float(wf.sum(wf.exp(wf.zeros(5000)) * 2)) == 10000; assert float((wf.ones((64, 64)) @ wf.ones((64, 64)))[0, 0]) == 64"),
    "torch": ("import torch", "assert float(torch.exp(torch.zeros(5000)).sum()) == 5000; assert float((torch.ones(64, 64) @ torch.ones(64, 64))[0, 0]) == 64"),
    "numba": ("import numba", "assert numba.njit(lambda n: n * 2)(4) == 8"),
    "jax": ("import jax", "assert float(jax.jit(lambda x: jax.numpy.exp(x).sum())(jax.numpy.zeros(5000))) == 5000"),
    "llvmlite": ("import llvmlite.binding as llvm", "assert 'target triple' in str(llvm.parse_assembly('target triple = \"x86_64\"'))"),
    "drjit": ("import drjit", "assert drjit.sum(drjit.llvm.Float(1, 2, 3))[0] == 6"),
    "numexpr": ("import numexpr, numpy", "assert numexpr.evaluate('a + 1', {'a': numpy.zeros(9)}).sum() == 9"),
}


def run(order):
    """What the process said; None where all is well."""
    lines = [USES[name][0] for name in order] + [USES[name][1] for name in reversed(order)]
    try:
        done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        return "it did not end within ten minutes"
    return None if done.returncode == 0 else f"status {done.returncode}: {done.stderr.strip()[-400:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="names with commas between, beside weft")
    parser.add_argument("--jobs", type=int, default=2)
    settings = parser.parse_args()
    wanted = settings.only.split(",") if settings.only else [name for name in USES if name != "weft"]
    missing = [name for name in wanted if importlib.util.find_spec(name) is None]
    names = ["weft", *(name for name in wanted if name not in missing)]
    if missing:
        print("not installed:", ", ".join(missing))
    orders = list(itertools.permutations(names))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(settings.jobs) as pool:
        for order, said in zip(orders, pool.map(run, orders)):
            if said:
                failed += 1
                print(", ".join(order), "-", said)
    print(f"{len(orders)} orders of {', '.join(names)}: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
