#!/usr/bin/env python3
"""What a user would pick instead of Weft, and Weft, measured beside each other in one run.

Prints a JSON line for each workload and peer, then the tables. A call's time is the median over the rounds of the
better of two ways to call: waiting after each call, and once after many. The rounds go over all peers in turn, so that
what else the machine does hits them alike. Every peer is asked at its best: compiled where it compiles, loops and
expressions where its users write those.
"""
import argparse
import functools
import gc
import importlib.metadata
import json
import os
import statistics
import sys
import time
import warnings

PEERS = {
    "cpu": ["numpy", "numexpr", "numba", "torch", "torch.compile", "jax", "mlx", "weft", "weft-py", "weft-py.compile"],
    "gpu": ["torch", "torch.compile", "jax", "cupy", "weft", "weft-py", "weft-py.compile"],
}
WEFT = ("weft", "weft-py", "weft-py.compile")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--only", help="workloads, with commas between")
    parser.add_argument("--peers", help="peers, with commas between; without it every one that is installed")
    parser.add_argument("--size", choices=["gpu", "cpu", "tiny"], help="the device's own unless told; tiny for --check")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of the CPU")
    parser.add_argument("--check", action="store_true",
                        help="compare results with NumPy in float64 instead of measuring; fails on a difference")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--budget", type=float, help="seconds for a workload and peer (cpu 1.5, gpu 0.6)")
    parser.add_argument("--library", help="libweft_workloads.so, or its folder")
    parser.add_argument("--json", help="file to write the JSON lines to, too")
    settings = parser.parse_args()
    settings.gpu = settings.device == "gpu"
    settings.size = settings.size or ("tiny" if settings.check else settings.device)
    settings.budget = settings.budget or (0.6 if settings.gpu else 1.5)
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


def known_peers():
    import peer_libraries
    import peer_loops
    import peer_weft

    return {
        "numpy": peer_libraries.numpy, "numexpr": peer_loops.numexpr, "numba": peer_loops.numba,
        "torch": peer_libraries.torch, "torch.compile": peer_libraries.torch_compile, "jax": peer_libraries.jax,
        "cupy": peer_libraries.cupy, "mlx": peer_libraries.mlx, "weft": peer_weft.weft,
        "weft-py": peer_weft.weft_python, "weft-py.compile": peer_weft.weft_python_compiled,
    }


def choose_peers(settings, emit):
    """Those that can be imported; the others are named with the reason."""
    from peer_weft import import_package

    chosen = []
    for name in settings.peers.split(",") if settings.peers else PEERS[settings.device]:
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


class Contestant:
    """A peer with one workload made ready, and what was measured of it."""

    def __init__(self, peer, inputs, name, body, settings):
        self.call, self.wait = None, None
        self.rounds, self.synchronous, self.error, self.first = [], [], None, None
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

    def measure(self, budget):
        try:
            results = self.once()
            times = [seconds(self.once)]
            end = time.perf_counter() + budget / 2 - times[0]
            while len(times) < 200 and (time.perf_counter() < end or (len(times) < 3 and times[0] < budget)):
                times.append(seconds(self.once))
            alone = statistics.median(times)
            count = max(1, min(2000, int(budget / 2 / alone)))
            start = time.perf_counter()
            for _ in range(count):
                results = self.call()
            self.wait(results)
            self.rounds.append(min(alone, (time.perf_counter() - start) / count))
            self.synchronous.append(alone)
        except Exception as error:
            self.fail(error)


def contest(name, workload, sizes, peers, known, settings, emit):
    inputs = workload.inputs(sizes)
    contestants = {}
    for peer in peers:
        contestants[peer] = Contestant(known[peer], inputs, name, workload.body, settings)
        if settings.gpu:
            release_pools()
    for _ in range(settings.rounds):
        for contestant in contestants.values():
            if contestant.ready():
                contestant.measure(settings.budget / settings.rounds)
            if settings.gpu:
                release_pools()
    for peer, c in contestants.items():
        line = {"workload": name, "peer": peer}
        if c.error:
            line["error"] = c.error
        elif not c.ready():
            continue
        else:
            best = statistics.median(c.rounds)
            line.update(first_s=round(c.first, 4), ms=round(best * 1e3, 5),
                        sync_ms=round(statistics.median(c.synchronous) * 1e3, 5),
                        spread=round(max(c.rounds) / min(c.rounds), 2), unit=workload.unit)
            line["value"] = best * 1e6 if workload.unit == "us" else (
                workload.work(sizes) / best / (1e9 if workload.unit == "GB/s" else 1e12))
            line["value"] = float(f"{line['value']:.4g}")
        emit(line)


def check(name, workload, sizes, peers, known, settings, emit):
    """The relative error of every peer against NumPy in float64; true when all are small."""
    import numpy as np
    from peer_libraries import numpy_namespace, to_host

    inputs = workload.inputs(sizes)
    wanted = to_host(workload.body(numpy_namespace(), *[i.astype(np.float64) for i in inputs]))
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
            line["sound"] = line["relative_error"] < 1e-4  # not so for NaN
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
    from workloads import SIZES, WORKLOADS

    lines = []
    out = open(settings.json, "w", encoding="ascii") if settings.json else None

    def emit(line):
        lines.append(line)
        for file in filter(None, (sys.stdout, out)):
            print(json.dumps(line), file=file, flush=True)

    names = settings.only.split(",") if settings.only else list(WORKLOADS)
    known, sizes = known_peers(), SIZES[settings.size]
    peers = choose_peers(settings, emit)
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
