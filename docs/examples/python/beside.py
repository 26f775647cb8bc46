"""Runs one loss's value and gradient in several libraries: checks that they agree, and times them beside each other.

A loss is a function of a namespace and arrays, `loss(xp, *arrays)`. Weft is always there; JAX and PyTorch join where they can be
imported. Every script takes --quick, which is for checking that it works, not for timing.
"""

import statistics
import sys
import time

import numpy as np

import weft as wf

quick = "--quick" in sys.argv


def missing(package, why):
    """Ends the script, without an error, where it needs a package that is not installed."""
    print(f"skipped: needs {package} {why}: pip install {package}")
    sys.exit(0)


def of_weft(loss, wrt, compiled):
    derived = wf.value_and_grad(lambda *a: loss(wf, *a), wrt)
    return wf.asarray, wf.compile(derived) if compiled else derived


def of_jax(loss, wrt, compiled):
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")  # as the others: on a GPU it would keep 10 bits of each factor
    derived = jax.jit(jax.value_and_grad(lambda *a: loss(jax.numpy, *a), wrt))
    return jax.numpy.asarray, lambda *a: jax.block_until_ready(derived(*a))


def of_torch(loss, wrt, compiled):
    import torch

    def derived(*arrays):
        arrays = [one.clone().requires_grad_(i in wrt) if i in wrt else one for i, one in enumerate(arrays)]
        value = loss(torch, *arrays)
        return value.detach(), torch.autograd.grad(value, [arrays[i] for i in wrt])

    return torch.tensor, derived


def beside(what, loss, *inputs, wrt=(0,), tolerance=1e-6, rounds=15, compiled=True, others=None):
    """Prints each library's milliseconds for the value and the gradients by the inputs at these places: the first call, and the median of
    later ones. `others`: losses for libraries that write it in another way, by name; None leaves a library out."""
    ready, wanted = {}, None
    for name, make in {"weft": of_weft, "jax": of_jax, "torch": of_torch}.items():
        its = (others or {}).get(name, loss)
        if its is None:
            continue
        try:
            asarray, derived = make(its, wrt, compiled)
        except ImportError:
            continue
        arrays = [asarray(one) for one in inputs]
        begin = time.perf_counter()
        value, gradients = derived(*arrays)
        got = [np.asarray(value), *(np.asarray(one) for one in gradients)]
        ready[name] = derived, arrays, time.perf_counter() - begin, []
        wanted = got if wanted is None else wanted
        for one, other in zip(got, wanted):
            difference = np.linalg.norm(one - other) / np.linalg.norm(other)
            assert difference < tolerance, f"{what}: {name} differs by {difference}"
    for _ in range(1 if quick else rounds):
        for derived, arrays, _, times in ready.values():
            begin = time.perf_counter()
            value, _ = derived(*arrays)
            float(value)
            times.append(time.perf_counter() - begin)
    columns = ", ".join(f"{name} {1e3 * statistics.median(times):.2f} ms (first {1e3 * first:.0f})" for name, (_, _, first, times) in ready.items())
    print(f"{what}, value and gradient: {columns}")
