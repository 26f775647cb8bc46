"""The peers of second_workloads.py. NumPy, JAX and Weft run the bodies as they are, but where a library lacks a part of NumPy; PyTorch
has its own names; numexpr and Numba have the same work as their users write it.

A peer is a function as in peer_libraries.py: (inputs, workload's name, body, settings) -> (call, wait), or None.
"""
import os
from types import SimpleNamespace

import peer_libraries
import peer_loops
import second_loops
from peer_weft import import_package


def _nothing(results):
    return results


def numpy(inputs, name, body, settings):
    import numpy as np

    return (lambda: body(np, *inputs)), _nothing


def weft(inputs, name, body, settings, compiled=False):
    os.environ.update(WEFT_THREADS=str(settings.threads), WEFT_CACHE_DIR="off")
    wf = import_package()
    device = "cuda" if settings.gpu else "cpu"
    arrays = [wf.array(i, device=device) for i in inputs]

    def on_device(*a):  # what the body makes of nothing lies there, too
        with wf.device(device):
            return body(wf, *a)

    if compiled:
        f = wf.compile(on_device)
        return (lambda: f(*arrays)), (lambda results: wf.sync())

    def call():
        results = on_device(*arrays)
        wf.eval(*results) if isinstance(results, (tuple, list)) else wf.eval(results)
        return results

    return call, (lambda results: wf.sync())


def weft_compiled(inputs, name, body, settings):
    return weft(inputs, name, body, settings, compiled=True)


# ---- JAX: arrays are not written in place

def _jax_forms():
    import jax.numpy as jnp

    def scatter_add(np, t, i, v):
        return jnp.zeros_like(t).at[i].add(v)

    def boundaries(np, u):
        y = u.at[1:-1, 1:-1].add(0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]))
        y = y.at[0, :].set(y[1, :])
        y = y.at[-1, :].set(y[-2, :])
        return y.at[:, 0].set(0.0).at[:, -1].set(1.0)

    def histogram_u8(np, a):
        return jnp.bincount(a, length=256)

    return {"scatter_add": scatter_add, "boundaries": boundaries, "histogram_u8": histogram_u8}


def jax(inputs, name, body, settings):
    import jax as j
    import jax.numpy as jnp

    j.config.update("jax_enable_x64", True)
    body = _jax_forms().get(name, body)
    arrays = [jnp.asarray(i) for i in inputs]
    f = j.jit(lambda *a: body(jnp, *a))
    return (lambda: f(*arrays)), j.block_until_ready


# ---- PyTorch: its names, and its forms where these are others

def _torch_forms(t):
    def blend_u8(x, a, b):
        return ((a.to(t.int16) * 3 + b.to(t.int16) * 5) >> 3).to(t.uint8)

    def softmax_f16(x, a):
        return t.softmax(a, 1)

    def norm_rows_f64(x, a):
        return t.linalg.vector_norm(a, dim=1)

    def logsumexp_f64(x, a):
        return t.logsumexp(a, 1)

    def reversed_difference(x, a):
        return t.flip(a, (0,)) - a

    def channels_last(x, a, scale, shift):
        return (a.permute(0, 2, 3, 1) * scale + shift).contiguous()

    def embedding_bags(x, e, i):
        return t.nn.functional.embedding_bag(i, e, mode="sum")

    def sample_bilinear(x, image, y, xs):
        r, c = t.floor(y).to(t.int32), t.floor(xs).to(t.int32)
        v, u = y - r.to(y.dtype), xs - c.to(xs.dtype)
        top = image[r, c] * (1 - u) + image[r, c + 1] * u
        bottom = image[r + 1, c] * (1 - u) + image[r + 1, c + 1] * u
        return top * (1 - v) + bottom * v

    def scatter_add(x, to, i, v):
        return t.zeros_like(to).index_add_(0, i, v)

    def drawdown(x, p):
        return t.amin(p / t.cummax(p, 0).values) - 1

    def nearest(x, a, b):
        return t.sqrt(t.amin(t.sum((a[:, None, :] - b[None, :, :]) ** 2, 2), 1))

    def mandelbrot(x, c):
        z, count = c * 0, t.zeros(c.shape, dtype=t.int32, device=c.device)
        for _ in range(24):
            z = t.where(z.real * z.real + z.imag * z.imag < 4.0, z * z + c, z)
            count = count + (z.real * z.real + z.imag * z.imag < 4.0)
        return count

    forms = locals()
    del forms["t"]
    return forms


def _torch_namespace(t):
    names = "exp log tanh sin cos arcsin sqrt where abs conj floor roll cumsum bincount".split()

    def along(reduce, all_of=None):
        def f(a, axis=None, keepdims=False):
            return (all_of or reduce)(a) if axis is None else reduce(a, axis, keepdim=keepdims)

        return f

    return SimpleNamespace(**{n: getattr(t, n) for n in names}, sum=along(t.sum), mean=along(t.mean), max=along(t.amax),
                           min=along(t.amin))


def torch(inputs, name, body, settings, compiled=False):
    import torch as t

    return peer_libraries.torch(inputs, name, _torch_forms(t).get(name, body), settings, compiled, _torch_namespace(t))


def torch_compile(inputs, name, body, settings):
    return torch(inputs, name, body, settings, compiled=True)


def cupy(inputs, name, body, settings):
    import cupy as cp

    arrays = [cp.asarray(i) for i in inputs]
    return (lambda: body(cp, *arrays)), (lambda results: cp.cuda.Device().synchronize())


# ---- numexpr: expressions; what it lacks falls to NumPy

def _logsumexp(evaluate, a):
    import numpy as np

    m = a.max(1, keepdims=True)
    return np.log(evaluate("sum(exp(a - m), axis=1)", a=a, m=m)) + m[:, 0]


def _normalize_middle(evaluate, a):
    m = a.mean(1, keepdims=True)
    v = evaluate("sum((a - m) * (a - m), axis=1)", a=a, m=m)[:, None] / a.shape[1]
    return evaluate("(a - m) / sqrt(v + 1e-5)", a=a, m=m, v=v.astype(a.dtype))


def _boundaries(evaluate, u):
    y = u * 1
    y[1:-1, 1:-1] = evaluate("c + t * (s + n + e + w - 4 * c)", c=u[1:-1, 1:-1], s=u[2:, 1:-1], n=u[:-2, 1:-1], e=u[1:-1, 2:],
                             w=u[1:-1, :-2], t=u.dtype.type(0.2))
    y[0, :], y[-1, :], y[:, 0], y[:, -1] = y[1, :], y[-2, :], 0, 1
    return y


def _haversine(evaluate, a, b, c, d):
    return evaluate("12742.0 * arcsin(sqrt(sin((c - a) / 2)**2 + cos(a) * cos(c) * sin((d - b) / 2)**2))", a=a, b=b, c=c, d=d)


def _laplace(evaluate, u):
    return evaluate("c + t * (s + n + e + w + f + b - 6 * c)", c=u[1:-1, 1:-1, 1:-1], s=u[2:, 1:-1, 1:-1], n=u[:-2, 1:-1, 1:-1],
                    e=u[1:-1, 2:, 1:-1], w=u[1:-1, :-2, 1:-1], f=u[1:-1, 1:-1, 2:], b=u[1:-1, 1:-1, :-2], t=u.dtype.type(0.1))


_EXPRESSIONS = {
    "count_matches": lambda ev, a, b: ev("sum(where(((a > 1000) & (a < 600000)) | (b == 7), 1, 0))", a=a, b=b),
    "haversine_f64": _haversine,
    "norm_rows_f64": lambda ev, a: ev("sum(a * a, axis=1)", a=a) ** 0.5,
    "logsumexp_f64": _logsumexp,
    "every_second": lambda ev, a, b: ev("a * b + c", a=a[::2], b=b[1::2], c=a[1::2]),
    "reversed_difference": lambda ev, a: ev("b - a", a=a, b=a[::-1]),
    "channels_last": lambda ev, a, s, t: ev("a * s + t", a=a.transpose(0, 2, 3, 1), s=s, t=t),
    "choose": lambda ev, a: ev("where(a > h, log(a), a * a)", a=a, h=a.dtype.type(0.5)),
    "masked_mean_rows": lambda ev, a, m: ev("sum(where(m, a, 0), axis=1)", a=a, m=m) / m.sum(1),
    "laplace_3d": _laplace,
    "boundaries": _boundaries,
    "normalize_middle": _normalize_middle,
}


def numexpr(inputs, name, body, settings):
    return peer_loops.numexpr(inputs, name, body, settings, _EXPRESSIONS)


def numba(inputs, name, body, settings):
    import numba as nb

    nb.set_num_threads(settings.threads)
    loop = second_loops.loops().get(name)
    if not loop:
        return None
    if name == "many_small":  # starting threads costs more than an array
        one = nb.njit(loop, fastmath=True)
        return (lambda: [one(a) for a in inputs]), _nothing
    f = nb.njit(loop, parallel=True, fastmath=True)
    return (lambda: f(*inputs)), _nothing


PEERS = {
    "numpy": numpy, "numexpr": numexpr, "numba": numba, "torch": torch, "torch.compile": torch_compile, "jax": jax, "cupy": cupy,
    "weft-py": weft, "weft-py.compile": weft_compiled,
}
