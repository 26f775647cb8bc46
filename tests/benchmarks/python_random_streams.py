"""Random numbers beside NumPy, PyTorch and JAX, and pictures in flight on several streams. Run it by a Python that has Weft:

    python tests/benchmarks/python_random_streams.py [--device cuda:0]

Minima of several rounds, in milliseconds. `stored`: the numbers in an array; `summed`: fused into their sum.
"""

import argparse
import time

import numpy as np
import weft as wf


def best(f, rounds=7):
    f(), f()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def random_numbers(device, count):
    print(f"{count} random numbers on {device}")
    for name in ("random", "standard_normal"):
        for dtype in ("float32", "float64"):

            def stored():
                wf.eval(getattr(wf.random.default_rng(1), name)(count, dtype))
                device.synchronize()

            def summed():
                float(getattr(wf.random.default_rng(1), name)(count, dtype).sum())

            with device:
                print(f"  weft {name} {dtype}: {best(stored):.2f} stored, {best(summed):.2f} summed")
            if device.kind == "cpu":
                print(f"  numpy {name} {dtype}: {best(lambda: getattr(np.random.default_rng(1), name)(count, dtype), 3):.2f} stored")
    few = count // 16
    draws = {
        "gamma(2.5)": lambda r: r.gamma(2.5, size=few),
        "beta(2, 3)": lambda r: r.beta(2, 3, few),
        "poisson(3)": lambda r: r.poisson(3, few),
        "poisson(30)": lambda r: r.poisson(30, few),
        "binomial(100, 0.3)": lambda r: r.binomial(100, 0.3, few),
        "hypergeometric(300, 200, 60)": lambda r: r.hypergeometric(300, 200, 60, few),
        "zipf(2.5)": lambda r: r.zipf(2.5, few),
        "vonmises(0, 2)": lambda r: r.vonmises(0, 2, few),
    }
    for name, draw in draws.items():

        def stored():
            wf.eval(draw(wf.random.default_rng(1)))
            device.synchronize()

        with device:
            ours = best(stored)
        theirs = f", numpy {best(lambda: draw(np.random.default_rng(1)), 3):.2f}" if device.kind == "cpu" else ""
        print(f"  {name}, {few} numbers: weft {ours:.2f}{theirs}")
    if device.kind == "cuda":
        try:
            import torch

            for f in (torch.rand, torch.randn):
                for dtype in (torch.float32, torch.float64):
                    time_of = best(lambda: (f(count, device="cuda", dtype=dtype), torch.cuda.synchronize()))
                    print(f"  {f.__name__} of torch, {dtype}: {time_of:.2f} stored")
        except ImportError:
            pass
        try:
            import jax

            for f in (jax.random.uniform, jax.random.normal):
                draw = jax.jit(lambda key: f(key, (count,), dtype="float32"))
                key = jax.random.key(1)
                print(f"  {f.__name__} of jax, float32: {best(lambda: draw(key).block_until_ready()):.2f} stored")
        except ImportError:
            pass


def develop(x):
    for _ in range(120):
        x = wf.sin(x) * 1.01 + wf.cos(x * 0.5)
    return x


def pictures_in_flight(device, side=2048, count=12):
    pictures = [wf.pinned(np.random.default_rng(i).random((side, side)).astype("float32")) for i in range(count)]
    results = [wf.pinned_empty((side, side), "float32") for _ in pictures]

    def on(streams):
        for i, (picture, result) in enumerate(zip(pictures, results)):
            with streams[i % len(streams)]:
                wf.eval(develop(wf.asarray(picture, device=device, blocking=False))).numpy(out=result, blocking=False)
        device.synchronize()

    def one_after_another():
        stream = wf.Stream(device)
        events = [stream.record()]
        with stream:
            there = [wf.asarray(picture, device=device, blocking=False) for picture in pictures]
            events.append(stream.record())
            done = [wf.eval(develop(one)) for one in there]
            events.append(stream.record())
            for one, result in zip(done, results):
                one.numpy(out=result, blocking=False)
            events.append(stream.record())
        events[-1].synchronize()
        return [after.milliseconds_since(before) for before, after in zip(events, events[1:])]

    one_after_another()
    there, work, back = one_after_another()
    print(f"{count} pictures of {side} x {side} float32: to the GPU {there:.2f}, kernels {work:.2f}, back {back:.2f}")
    for n in (1, 2, 3, 4):
        streams = [wf.Stream(device) for _ in range(n)]
        print(f"  {n} stream{'s' if n > 1 else ''}: {best(lambda: on(streams)):.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    chosen = wf.device(parser.parse_args().device)
    print(chosen, chosen.name)
    random_numbers(chosen, 1 << 28 if chosen.kind == "cuda" else 1 << 24)
    if chosen.kind == "cuda":
        pictures_in_flight(chosen)
