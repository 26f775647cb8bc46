"""Programs of many small kernels on a GPU, started as CUDA graphs and one by one, beside JAX where it is installed.

    python tests/benchmarks/cuda_graphs.py [--rounds N] [--csv FILE]

Each way runs in a process of its own, twice in turn. The median of rounds is taken, and the lesser of the two printed, in microseconds a turn. A turn is one call, and turns
follow each other without waiting. `as it goes` gives each turn the last one's result, so that memory changes places.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np

N = 1 << 14
TURNS = 200


def chain(np_, x, kernels):
    """So many sums that each need the one before."""
    for _ in range(kernels):
        x = x * (1.0 / (1.0 + np_.sum(x * x)))
    return x


def sums(np_, x, kernels):
    """So many running sums, which no kernel has in common."""
    for _ in range(kernels):
        x = np_.cumsum(x) * 0.001
    return x


def layers(np_, x, weights):
    """Small products with a norm after each."""
    for w in weights:
        h = np_.tanh(x @ w)
        x = (h - np_.mean(h, axis=1, keepdims=True)) / (1.0 + np_.sum(h * h, axis=1, keepdims=True))
    return x


def programs():
    rng = np.random.default_rng(0)
    x = rng.normal(size=N).astype("float32")
    for kernels in (4, 8, 16, 32, 64):
        yield f"chain of {kernels}", lambda np_, v, n=kernels: chain(np_, v, n), (x,), False
    yield "16 running sums", lambda np_, v: sums(np_, v, 16), (x,), False
    yield "chain of 32, as it goes", lambda np_, v: chain(np_, v, 32), (x,), True
    large = rng.normal(size=1 << 24).astype("float32")
    yield "chain of 8, 2^24", lambda np_, v: chain(np_, v, 8), (large,), False
    weights = [rng.normal(size=(128, 128)).astype("float32") / 12 for _ in range(12)]
    yield "12 layers of 128", lambda np_, v, *w: layers(np_, v, w), (rng.normal(size=(128, 128)).astype("float32"), *weights), False


def loops(wf):
    u = np.random.default_rng(0).normal(size=100_000)

    def step(i, u):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        return u

    def while_step(state):
        return state[0] * 0.5 + 1.0, state[1] + 1

    def filtered(state, x):
        y = 0.1 * x + state[0]
        return (state[1] - 0.2 * y + 0.2 * x, 0.1 * x - 0.5 * y), y

    yield "diffusion, 100 turns", wf.compile(lambda v: wf.fori_loop(0, 100, step, v)), (u,)
    xs = np.random.default_rng(1).normal(size=(100, 1000))
    yield "filter, 100 turns", wf.compile(lambda v: wf.scan(filtered, (v[0] * 0, v[0] * 0), v)[1]), (xs,)
    yield "until, 100 turns", wf.compile(lambda v: wf.while_loop(lambda s: s[1] < 100, while_step, (v, 0))[0]), (np.zeros(1),)


def time_of(run, wait, rounds):
    for _ in range(30):
        run()
    wait()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(TURNS):
            run()
        wait()
        times.append((time.perf_counter() - start) / TURNS * 1e6)
    return statistics.median(times)


def weft(rounds):
    import weft as wf

    device = wf.device("cuda")
    with device:
        for name, f, args, goes in programs():
            compiled = wf.compile(lambda *a, f=f: f(wf, *a))
            arrays = [wf.asarray(x) for x in args]
            compiled.warm(*arrays)
            state = arrays[:1]

            def run(compiled=compiled, arrays=arrays, state=state, goes=goes):
                y = compiled(*state, *arrays[1:])
                wf.eval(y)
                if goes:
                    state[0] = y

            wf.reset_stats() if hasattr(wf, "reset_stats") else None
            before = wf.stats()["kernels_launched"] + wf.stats()["library_calls"]
            run()
            started = wf.stats()["kernels_launched"] + wf.stats()["library_calls"] - before
            yield name, time_of(run, device.synchronize, rounds), started
        for name, compiled, args in loops(wf):
            arrays = [wf.asarray(x) for x in args]
            compiled.warm(*arrays)
            yield name, time_of(lambda c=compiled, a=arrays: wf.eval(c(*a)), device.synchronize, max(rounds // 4, 3)), 0


def jax(rounds):
    import jax
    import jax.numpy as jnp

    for name, f, args, goes in programs():
        compiled = jax.jit(lambda *a, f=f: f(jnp, *a))
        arrays = [jnp.asarray(x) for x in args]
        state = arrays[:1]
        last = [None]

        def run(compiled=compiled, arrays=arrays, state=state, goes=goes, last=last):
            last[0] = compiled(*state, *arrays[1:])
            if goes:
                state[0] = last[0]

        yield name, time_of(run, lambda last=last: last[0].block_until_ready(), rounds), 0


WAYS = {"graphs": (weft, "1"), "one by one": (weft, "0"), "jax": (jax, "1")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--csv")
    parser.add_argument("--way")
    options = parser.parse_args()
    if options.way:
        for name, microseconds, kernels in WAYS[options.way][0](options.rounds):
            print(json.dumps([name, microseconds, kernels]), flush=True)
        return
    found, kernels = {}, {}
    for _ in range(2):
        for way, (_, graphs) in WAYS.items():
            environment = dict(os.environ, WEFT_CUDA_GRAPHS=graphs, XLA_PYTHON_CLIENT_PREALLOCATE="false", JAX_ENABLE_X64="0")
            command = [sys.executable, __file__, "--way", way, "--rounds", str(options.rounds)]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if done.returncode:
                print(f"{way}: {done.stderr.strip().splitlines()[-1:]}")
            for line in done.stdout.splitlines():
                name, microseconds, started = json.loads(line)
                found.setdefault(name, {}).setdefault(way, []).append(microseconds)
                kernels[name] = max(started, kernels.get(name, 0))
    print(f"{'program':<26}{'kernels':>8}" + "".join(f"{way:>12}" for way in WAYS) + "   µs a turn")
    rows = []
    for name, ways in found.items():
        best = {way: min(times) for way, times in ways.items()}
        print(f"{name:<26}{kernels[name]:>8}" + "".join(f"{best[way]:>12.1f}" if way in best else f"{'-':>12}" for way in WAYS))
        rows.append({"program": name, "kernels": kernels[name], **{way.replace(" ", "_"): f"{best[way]:.1f}" for way in WAYS if way in best}})
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=["program", "kernels", "graphs", "one_by_one", "jax"])
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
