"""NumPy, PyTorch, JAX, CuPy and MLX: for each, the namespace that the workloads' bodies are written over.

A peer is a function (inputs, workload's name, body, settings) -> (call, wait), or None where it has no way to do the
work. `call()` returns results, which may still be computed; `wait(results)` returns when they are there.
"""
from types import SimpleNamespace


def _library_namespace(module, **own):
    names = ("tanh", "exp", "log", "sqrt", "maximum", "matmul")
    return SimpleNamespace(**{n: getattr(module, n) for n in names}, **own)


def _nothing(results):
    return results


def numpy_namespace():
    import numpy as np
    from scipy.special import erf

    return _library_namespace(
        np, erf=erf, rsqrt=lambda a: 1 / np.sqrt(a),
        max=lambda a, axis, keep: a.max(axis, keepdims=keep), sum=lambda a, axis, keep: a.sum(axis, keepdims=keep),
        mean=lambda a, axis, keep: a.mean(axis, keepdims=keep))


def numpy(inputs, name, body, settings):
    x = numpy_namespace()
    return (lambda: body(x, *inputs)), _nothing


def torch(inputs, name, body, settings, compiled=False, x=None):
    import torch as t

    t.set_num_threads(settings.threads)

    def total(a, axis, keep):
        return a.sum() if axis is None else a.sum(axis, keepdim=keep)

    x = x or _library_namespace(
        t, erf=t.erf, rsqrt=t.rsqrt, max=lambda a, axis, keep: t.amax(a, axis, keepdim=keep), sum=total,
        mean=lambda a, axis, keep: a.mean(axis, keepdim=keep))
    arrays = [t.from_numpy(i).to("cuda" if settings.gpu else "cpu") for i in inputs]

    def f(*a):
        return body(x, *a)

    if compiled:
        t._dynamo.reset()
        f = t.compile(f, dynamic=False)
    return (lambda: f(*arrays)), (lambda results: t.cuda.synchronize() if settings.gpu else results)


def torch_compile(inputs, name, body, settings):
    return torch(inputs, name, body, settings, compiled=True)


def jax(inputs, name, body, settings):
    import jax as j
    import jax.numpy as jnp

    x = SimpleNamespace(
        tanh=jnp.tanh, exp=jnp.exp, log=jnp.log, sqrt=jnp.sqrt, maximum=jnp.maximum, erf=j.scipy.special.erf,
        rsqrt=j.lax.rsqrt, matmul=lambda a, b: jnp.matmul(a, b, precision="highest"),
        max=lambda a, axis, keep: jnp.max(a, axis=axis, keepdims=keep),
        sum=lambda a, axis, keep: jnp.sum(a, axis=axis, keepdims=keep),
        mean=lambda a, axis, keep: jnp.mean(a, axis=axis, keepdims=keep))
    arrays = [jnp.asarray(i) for i in inputs]
    f = j.jit(lambda *a: body(x, *a))
    return (lambda: f(*arrays)), j.block_until_ready


def cupy(inputs, name, body, settings):
    import cupy as cp
    from cupyx.scipy.special import erf

    x = _library_namespace(
        cp, erf=erf, rsqrt=lambda a: 1 / cp.sqrt(a), max=lambda a, axis, keep: cp.max(a, axis=axis, keepdims=keep),
        sum=lambda a, axis, keep: cp.sum(a, axis=axis, keepdims=keep),
        mean=lambda a, axis, keep: cp.mean(a, axis=axis, keepdims=keep))
    arrays = [cp.asarray(i) for i in inputs]
    return (lambda: body(x, *arrays)), (lambda results: cp.cuda.Device().synchronize())


def mlx(inputs, name, body, settings):
    import mlx.core as mx

    x = _library_namespace(
        mx, erf=mx.erf, rsqrt=mx.rsqrt, max=lambda a, axis, keep: mx.max(a, axis=axis, keepdims=keep),
        sum=lambda a, axis, keep: mx.sum(a, axis=axis, keepdims=keep),
        mean=lambda a, axis, keep: mx.mean(a, axis=axis, keepdims=keep))
    arrays = [mx.array(i) for i in inputs]
    f = mx.compile(lambda *a: body(x, *a))

    def call():
        results = f(*arrays)
        mx.eval(results)
        return results

    return call, _nothing


def to_host(results):
    """What a peer returned, as float64 arrays of NumPy."""
    import numpy as np

    def one(a):
        if type(a).__module__.startswith("cupy"):
            a = a.get()
        elif type(a).__module__.startswith("torch"):
            a = a.cpu().numpy()
        return np.asarray(a, dtype=np.float64)

    return [one(a) for a in (results if isinstance(results, (tuple, list)) else [results])]
