#!/usr/bin/env python3
"""What a user would pick instead of Weft, and Weft, measured beside each other in one run.

Prints a JSON line for each workload and peer, then the tables. Peers take short turns in many rounds, in an order drawn
for each, so that what else the machine does hits them alike: `ms` is the median of a peer's turns, `over_weft` the
quartiles of its time over Weft's of the same round. Every peer is asked at its best: compiled where it compiles, loops
and expressions where its users write those, waiting after each call or once after many, whichever is faster.
"""
import argparse
import contextlib
import functools
import gc
import importlib.metadata
import json
import os
import pathlib
import random
import statistics
import sys
import time
import warnings

PEERS = {
    "cpu": ["numpy", "numexpr", "numba", "torch", "torch.compile", "jax", "mlx", "weft", "weft-py", "weft-py.compile"],
    "gpu": ["torch", "torch.compile", "jax", "cupy", "weft", "weft-py", "weft-py.compile"],
}
WEFT = ("weft", "weft-py", "weft-py.compile")
# What a processor that slept takes until it reads memory as fast as it can, and a little more: on a Xeon calls of 1.2 ms take
# twice as long in the first 4 ms.
WARM_S = 0.006


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--set", choices=["first", "second"], default="first",
                        help="the seventeen of workloads.py, or the thirty of second_workloads.py, which Weft runs from Python")
    parser.add_argument("--only", help="workloads, with commas between")
    parser.add_argument("--peers", help="peers, with commas between; without it every one that is installed")
    parser.add_argument("--size", choices=["gpu", "cpu", "tiny"], help="the device's own unless told; tiny for --check")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the CPU")
    parser.add_argument("--check", action="store_true",
                        help="compare results with NumPy in float64 instead of measuring; fails on a difference")
    parser.add_argument("--rounds", type=int, default=40, help="at most, of the peers that come within twice the best")
    parser.add_argument("--budget", type=float, default=4, help="seconds for a workload's rounds")
    parser.add_argument("--slice", type=float, default=10, help="milliseconds of a peer's turn, at least one call")
    parser.add_argument("--library", help="libweft_workloads.so, or its folder")
    parser.add_argument("--json", help="file to write the JSON lines to, too")
    settings = parser.parse_args()
    settings.gpu = settings.device == "gpu"
    settings.size = settings.size or ("tiny" if settings.check else settings.device)
    return settings


def prepare_environment(settings):
    """Read by the peers when they are imported."""
    for name in ("OMP", "NUMEXPR", "NUMBA", "OPENBLAS", "MKL"):
        os.environ[f"{name}_NUM_THREADS"] = str(settings.threads)
    os.environ["NUMEXPR_MAX_THREADS"] = str(settings.threads)
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    if not settings.gpu:
        os.environ["JAX_PLATFORMS"] = "cpu"
    warnings.filterwarnings("ignore")


def known_peers(settings):
    if settings.set == "second":
        import second_peers

        return second_peers.PEERS
    import peer_libraries
    import peer_loops
    import peer_weft

    return {
        "numpy": peer_libraries.numpy, "numexpr": peer_loops.numexpr, "numba": peer_loops.numba,
        "torch": peer_libraries.torch, "torch.compile": peer_libraries.torch_compile, "jax": peer_libraries.jax,
        "cupy": peer_libraries.cupy, "mlx": peer_libraries.mlx, "weft": peer_weft.weft,
        "weft-py": peer_weft.weft_python, "weft-py.compile": peer_weft.weft_python_compiled,
    }


def choose_peers(settings, known, emit):
    """Those that can be imported; the others are named with the reason."""
    from peer_weft import import_package

    chosen = []
    for name in settings.peers.split(",") if settings.peers else [p for p in PEERS[settings.device] if p in known]:
        module = {"torch.compile": "torch", "mlx": "mlx.core"}.get(name, name)
        try:
            if name not in WEFT:
                importlib.import_module(module)
            elif name != "weft":
                import_package()
            chosen.append(name)
        except ImportError as error:
            emit({"peer": name, "missing": str(error)})
    return chosen


def versions(peers):
    packages = sorted({{"torch.compile": "torch"}.get(p, p) for p in peers} - set(WEFT))
    found = {}
    for package in packages:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:  # CuPy's package is named after its CUDA
            found[package] = sys.modules[package].__version__
    return found


def machine(settings):
    if settings.gpu and "torch" in sys.modules:
        return sys.modules["torch"].cuda.get_device_name()
    if settings.gpu and "cupy" in sys.modules:
        return sys.modules["cupy"].cuda.runtime.getDeviceProperties(0)["name"].decode()
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        return next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), "a CPU")


def release_pools():
    gc.collect()
    if "torch" in sys.modules and sys.modules["torch"].cuda.is_available():
        sys.modules["torch"].cuda.empty_cache()
    if "cupy" in sys.modules:
        sys.modules["cupy"].get_default_memory_pool().free_all_blocks()


def seconds(f):
    start = time.perf_counter()
    f()
    return time.perf_counter() - start


def copy_bandwidth(settings):
    """Bytes read and written in a second by a copy, the yardstick that the peers themselves do not set."""
    if settings.gpu:
        import torch

        source = torch.ones(1 << 28, device="cuda")
        target = torch.empty_like(source)

        def copy():
            target.copy_(source)
            torch.cuda.synchronize()
    else:
        import numba
        import numpy as np

        source = np.ones(1 << 25, np.float32)
        target = np.zeros_like(source)

        @numba.njit(parallel=True)
        def loop(to, of):
            for i in numba.prange(of.size):
                to[i] = of[i]

        copy = functools.partial(loop, target, source)
    copy()
    return 8 * (1 << (28 if settings.gpu else 25)) / statistics.median(seconds(copy) for _ in range(9))


def settle():
    """Returns when no thread works any more: those of some libraries spin for a while in wait of the next call."""
    for _ in range(50):
        start, used = time.perf_counter(), time.process_time()
        time.sleep(0.002)
        if time.process_time() - used < 0.1 * (time.perf_counter() - start):
            break


def waited():
    """Seconds that this process's threads have waited for a processor that others used."""
    total = 0
    for path in pathlib.Path("/proc/self/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # a thread that has ended
            total += int(path.read_text(encoding="ascii").split()[1])
    return total / 1e9


class Contestant:
    """A peer with one workload made ready, and what was measured of it."""

    def __init__(self, peer, inputs, name, body, settings):
        self.call, self.wait = None, None
        self.turns, self.error, self.first = [], None, None
        self.count, self.waits, self.slow = 1, True, False
        try:
            ways = peer(inputs, name, body, settings)
            if ways:
                self.call, self.wait = ways
                self.first = seconds(self.once)
        except Exception as error:  # a peer that fails is a result, and the others go on
            self.fail(error)

    def fail(self, error):
        self.error = f"{type(error).__name__}: {str(error).strip()[:200]}"

    def ready(self):
        return self.call is not None and self.error is None

    def once(self):
        results = self.call()
        self.wait(results)
        return results

    def turn(self):
        """Seconds of a call, in a batch of calls after some that leave caches, threads and clocks as calls leave them."""
        if not self.slow:
            end = time.perf_counter() + WARM_S
            results = self.once()
            while time.perf_counter() < end:
                results = self.once()
        start = time.perf_counter()
        for _ in range(self.count):
            results = self.call()  # the results of the call before live until now
            if self.waits:
                self.wait(results)
        self.wait(results)
        return (time.perf_counter() - start) / self.count

    def calibrate(self, slice_s):
        """Chooses how many calls fill a slice of time, and whether waiting after each is faster than once after all."""
        try:
            self.once()
            one = min(seconds(self.once) for _ in range(2))
            self.slow = one > 10 * slice_s
            self.count = max(1, min(2000, round(slice_s / one)))
            if self.count > 1:
                times = {waits: [] for waits in (True, False)}
                for _ in range(3):
                    for self.waits in times:
                        times[self.waits].append(self.turn())
                self.waits = statistics.median(times[True]) <= statistics.median(times[False])
        except Exception as error:
            self.fail(error)

    def measure(self):
        """Takes a turn; again when other processes held its threads up, and of three the least disturbed."""
        try:
            tries = []
            for _ in range(1 if self.slow else 3):
                settle()
                before = waited()
                tries.append((self.turn(), waited() - before))
                if tries[-1][1] < 0.02 * tries[-1][0] * self.count:
                    break
            self.turns.append(min(tries, key=lambda t: t[1])[0])
        except Exception as error:
            self.fail(error)


def paired(of, to):
    """Quartiles of the ratios of two contestants' times in the same rounds."""
    ratios = [o / t for o, t in zip(of.turns, to.turns)]
    quarters = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    return [float(f"{q:.3g}") for q in quarters]


def contest(name, workload, sizes, peers, known, settings, emit):
    inputs = workload.inputs(sizes)
    contestants = {}
    for peer in peers:
        contestants[peer] = Contestant(known[peer], inputs, name, workload.body, settings)
        if settings.gpu:
            release_pools()

    def ready():
        return [c for c in contestants.values() if c.ready()]

    def play(players):
        for contestant in random.sample(players, len(players)):
            contestant.measure()
            if settings.gpu:
                release_pools()

    for contestant in ready():
        settle()
        contestant.calibrate(settings.slice / 1e3)
    for _ in range(2):
        play(ready())
    # Those that can be the best, and Weft, go on.
    fastest = min((min(c.turns) for c in ready()), default=0)
    players = [c for p, c in contestants.items() if c.ready() and (p in WEFT or min(c.turns) < 2 * fastest)]
    end, rounds = time.perf_counter() + settings.budget, 0
    while rounds < 3 or (rounds < settings.rounds and time.perf_counter() < end):
        play([c for c in players if c.ready()])
        rounds += 1
    for peer, c in contestants.items():
        line = {"workload": name, "peer": peer}
        if c.error:
            line["error"] = c.error
        elif not c.ready():
            continue
        else:
            median = statistics.median(c.turns)
            line.update(first_s=round(c.first, 4), ms=round(median * 1e3, 5), best_ms=round(min(c.turns) * 1e3, 5),
                        rounds=len(c.turns), calls=c.count, unit=workload.unit)
            weft = contestants.get("weft") or contestants.get("weft-py")
            if weft and weft.ready():
                line["over_weft"] = paired(c, weft)
            line["value"] = median * 1e6 if workload.unit == "us" else (
                workload.work(sizes) / median / (1e9 if workload.unit == "GB/s" else 1e12))
            line["value"] = float(f"{line['value']:.4g}")
        emit(line)


def check(name, workload, sizes, peers, known, settings, emit):
    """The relative error of every peer against NumPy in float64; true when all are small."""
    import numpy as np
    from peer_libraries import numpy_namespace, to_host

    inputs = workload.inputs(sizes)
    wide = [i.astype(np.result_type(i, np.float64)) if i.dtype.kind in "fc" else i for i in inputs]
    wanted = to_host(workload.body(numpy_namespace() if settings.set == "first" else np, *wide))
    bound = 2e-3 if any(i.dtype == np.float16 for i in inputs) else 1e-4
    sound = True
    for peer in peers:
        line = {"workload": name, "peer": peer}
        try:
            ways = known[peer](inputs, name, workload.body, settings)
            if not ways:
                continue
            call, wait = ways
            results = call()
            wait(results)
            got = results.results() if peer == "weft" else to_host(results)
            if len(got) != len(wanted):
                raise ValueError(f"{len(got)} results instead of {len(wanted)}")
            errors = [np.linalg.norm(g.reshape(w.shape) - w) / np.linalg.norm(w) for g, w in zip(got, wanted)]
            line["relative_error"] = float(f"{max(errors):.3g}")
            line["sound"] = line["relative_error"] < bound  # not so for NaN
            if peer == "weft":
                line["launches"] = results.launches()
        except Exception as error:
            line.update(error=f"{type(error).__name__}: {str(error).strip()[:200]}", sound=False)
        sound = sound and line["sound"]
        emit(line)
    return sound


def main():
    settings = parse_arguments()
    prepare_environment(settings)
    from report import peer_tables
    if settings.set == "first":
        from workloads import SIZES, WORKLOADS
    else:
        from second_workloads import SIZES, WORKLOADS

    lines = []
    out = open(settings.json, "w", encoding="ascii") if settings.json else None

    def emit(line):
        lines.append(line)
        for file in filter(None, (sys.stdout, out)):
            print(json.dumps(line), file=file, flush=True)

    names = settings.only.split(",") if settings.only else list(WORKLOADS)
    known, sizes = known_peers(settings), SIZES[settings.size]
    peers = choose_peers(settings, known, emit)
    if settings.check:
        sound = [check(n, WORKLOADS[n], sizes, peers, known, settings, emit) for n in names]
        sys.exit(0 if all(sound) else 1)
    emit({"device": settings.device, "machine": machine(settings), "threads": settings.threads, "size": settings.size,
          "date": time.strftime("%Y-%m-%d"), "load": round(os.getloadavg()[0], 2), "peers": peers,
          "versions": versions(peers), "copy_GBps": round(copy_bandwidth(settings) / 1e9, 1)})
    for name in names:
        contest(name, WORKLOADS[name], sizes, peers, known, settings, emit)
        release_pools()
    print("\n" + peer_tables(lines))


if __name__ == "__main__":
    main()
