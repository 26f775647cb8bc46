"""numexpr and Numba: the same work as their users write it, an expression or a parallel loop for each workload.

The functions are peers as in peer_libraries.py; they return None for workloads that their library has no way to do.
"""


# ---- numexpr: expressions; what it lacks (maxima along an axis, matrix products) falls to NumPy

def _softmax(evaluate, a):
    e = evaluate("exp(a - m)", a=a, m=a.max(1, keepdims=True))
    return evaluate("e / s", e=e, s=e.sum(1, keepdims=True))


def _layernorm(evaluate, a, gain, bias):
    m = a.mean(1, keepdims=True)
    v = evaluate("sum((a - m) * (a - m), axis=1)", a=a, m=m)[:, None] / a.shape[1]
    return evaluate("(a - m) / sqrt(v + 1e-5) * g + b", a=a, m=m, v=v.astype(a.dtype), g=gain, b=bias)


def _mean_var(evaluate, a):
    m = a.mean(1, keepdims=True)
    return m[:, 0], evaluate("sum((a - m) * (a - m), axis=1)", a=a, m=m) / a.shape[1]


_EXPRESSIONS = {
    "axpy_chain": lambda ev, a, b, c: ev(
        "tanh(a*b+c) * (1 / (1 + exp(-(a*b+c)))) + exp(-(a*b+c) * (a*b+c))", a=a, b=b, c=c),
    "maximum_3d": lambda ev, a, b: ev("where(a > b, a, b)", a=a, b=b),
    "softmax_rows": _softmax,
    "softmax_wide": _softmax,
    "layernorm": _layernorm,
    "sum_all": lambda ev, a: ev("sum(a)", a=a),
    "sum_cols": lambda ev, a: ev("sum(a, axis=0)", a=a),
    "mean_var_rows": _mean_var,
    "dot_exp_reduce": lambda ev, a, b: ev("sum(exp(-a * b) * a)", a=a, b=b),
    "matvec": lambda ev, a, v: ev("sum(a * v, axis=1)", a=a, v=v),
    "add_transposed": lambda ev, a, b: ev("a + b * 2", a=a, b=b.T),
    "heat5": lambda ev, u: ev("c + t * (s + n + e + w - 4 * c)", c=u[1:-1, 1:-1], s=u[2:, 1:-1], n=u[:-2, 1:-1],
                              e=u[1:-1, 2:], w=u[1:-1, :-2], t=u.dtype.type(0.1)),
    "small_chain": lambda ev, a, b: ev(
        "sqrt(((tanh((a*b+1)*a-b)+a)*(tanh((a*b+1)*a-b)+a)+b)*((tanh((a*b+1)*a-b)+a)*(tanh((a*b+1)*a-b)+a)+b)+1)*a",
        a=a, b=b),
}


def numexpr(inputs, name, body, settings, expressions=None):
    import numexpr as ne

    ne.set_num_threads(settings.threads)
    expression = (expressions or _EXPRESSIONS).get(name)
    if not expression:
        return None

    def evaluate(text, **arrays):
        return ne.evaluate(text, local_dict=arrays, global_dict={})

    return (lambda: expression(evaluate, *inputs)), (lambda results: results)


# ---- Numba: loops written by hand, fused and parallel

def _loops():
    from math import erf, exp, log, sqrt, tanh

    import numpy as np
    from numba import prange

    f4 = np.float32

    def axpy_chain(a, b, c):
        o = np.empty_like(a)
        for i in prange(a.size):
            y = a[i] * b[i] + c[i]
            o[i] = tanh(y) * (f4(1) / (f4(1) + exp(-y))) + exp(-y * y)
        return o

    def maximum_3d(a, b):
        o = np.empty_like(a)
        for i in prange(a.shape[0]):
            for j in range(a.shape[1]):
                for k in range(a.shape[2]):
                    o[i, j, k] = max(a[i, j, k], b[i, j, k])
        return o

    def black_scholes(s, k, t):
        call, put = np.empty_like(s), np.empty_like(s)
        r, v, half = f4(0.02), f4(0.3), f4(0.5)
        for i in prange(s.size):
            root = v * f4(sqrt(t[i]))
            d1 = (log(s[i] / k[i]) + (r + v * v * half) * t[i]) / root
            d2 = d1 - root
            discounted = k[i] * exp(-r * t[i])
            c = s[i] * half * (f4(1) + erf(d1 * f4(0.7071067811865476))) - (
                discounted * half * (f4(1) + erf(d2 * f4(0.7071067811865476))))
            call[i] = c
            put[i] = c - s[i] + discounted
        return call, put

    def softmax(a):
        o = np.empty_like(a)
        for r in prange(a.shape[0]):
            m = a[r].max()
            s = f4(0)
            for i in range(a.shape[1]):
                e = exp(a[r, i] - m)
                o[r, i] = e
                s += e
            for i in range(a.shape[1]):
                o[r, i] /= s
        return o

    def layernorm(a, gain, bias):
        o = np.empty_like(a)
        n = a.shape[1]
        for r in prange(a.shape[0]):
            s = f4(0)
            for i in range(n):
                s += a[r, i]
            mean = s / f4(n)
            v = f4(0)
            for i in range(n):
                v += (a[r, i] - mean) * (a[r, i] - mean)
            q = f4(1) / f4(sqrt(v / f4(n) + f4(1e-5)))
            for i in range(n):
                o[r, i] = (a[r, i] - mean) * q * gain[i] + bias[i]
        return o

    def sum_all(a):
        s = f4(0)
        for i in prange(a.size):
            s += a[i]
        return s

    def sum_cols(a):
        parts = 64
        partial = np.zeros((parts, a.shape[1]), a.dtype)
        for p in prange(parts):
            for r in range(p * a.shape[0] // parts, (p + 1) * a.shape[0] // parts):
                for i in range(a.shape[1]):
                    partial[p, i] += a[r, i]
        return partial.sum(0)

    def mean_var_rows(a):
        n = a.shape[1]
        means, variances = np.empty(a.shape[0], a.dtype), np.empty(a.shape[0], a.dtype)
        for r in prange(a.shape[0]):
            s = f4(0)
            for i in range(n):
                s += a[r, i]
            mean = s / f4(n)
            v = f4(0)
            for i in range(n):
                v += (a[r, i] - mean) * (a[r, i] - mean)
            means[r], variances[r] = mean, v / f4(n)
        return means, variances

    def dot_exp_reduce(a, b):
        s = f4(0)
        for i in prange(a.size):
            s += exp(-a[i] * b[i]) * a[i]
        return s

    def matvec(a, v):
        o = np.empty(a.shape[0], a.dtype)
        for r in prange(a.shape[0]):
            s = f4(0)
            for i in range(a.shape[1]):
                s += a[r, i] * v[i]
            o[r] = s
        return o

    def add_transposed(a, b):
        o = np.empty_like(a)
        n, tile = a.shape[0], 32
        for block in prange((n + tile - 1) // tile):
            for left in range(0, n, tile):
                for i in range(block * tile, min(n, (block + 1) * tile)):
                    for j in range(left, min(n, left + tile)):
                        o[i, j] = a[i, j] + b[j, i] * f4(2)
        return o

    def heat5(u):
        o = np.empty((u.shape[0] - 2, u.shape[1] - 2), u.dtype)
        for i in prange(o.shape[0]):
            for k in range(o.shape[1]):
                c = u[i + 1, k + 1]
                o[i, k] = c + f4(0.1) * (u[i + 2, k + 1] + u[i, k + 1] + u[i + 1, k + 2] + u[i + 1, k] - f4(4) * c)
        return o

    def nbody_pairs(p, q, r):
        x, y, z = np.empty_like(p), np.empty_like(p), np.empty_like(p)
        for i in prange(p.size):
            ax, ay, az = f4(0), f4(0), f4(0)
            for k in range(p.size):
                dx, dy, dz = p[k] - p[i], q[k] - q[i], r[k] - r[i]
                w = f4(1) / f4(sqrt(dx * dx + dy * dy + dz * dz + f4(1e-3)))
                w = w * w * w
                ax += dx * w
                ay += dy * w
                az += dz * w
            x[i], y[i], z[i] = ax, ay, az
        return x, y, z

    def small_chain(a, b):
        o = np.empty_like(a)
        for i in range(a.size):
            y = a[i] * b[i] + f4(1)
            y = y * a[i] - b[i]
            y = tanh(y) + a[i]
            y = y * y + b[i]
            o[i] = sqrt(y * y + f4(1)) * a[i]
        return o

    loops = locals()
    return {**loops, "softmax_rows": softmax, "softmax_wide": softmax}


def numba(inputs, name, body, settings):
    import numba as nb

    nb.set_num_threads(settings.threads)
    loop = _loops().get(name)
    if not loop:
        return None
    # Starting threads costs more than the small chain itself.
    f = nb.njit(loop, parallel=name != "small_chain", fastmath=True)
    return (lambda: f(*inputs)), (lambda results: results)
