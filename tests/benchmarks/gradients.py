#!/usr/bin/env python3
"""Gradients of what people train, beside JAX and PyTorch in one run: norms, losses, attention, a transformer block's training step, a
heat equation written with slice assignments.

    python tests/benchmarks/gradients.py [--device gpu] [--only NAME,...] [--check]

Each peer is asked at its best: Weft by wf.compile(wf.value_and_grad(f)), JAX by jit(value_and_grad(f)), PyTorch twice, with its own
fused functions and through torch.compile. Peers take turns as those of peers.py do; `over_weft` is a peer's time over Weft's of the
same round. `forward_ms` is Weft's time of the value alone. All arrays are float32.
"""
import argparse
import json
import os
import statistics
import sys
import time
from types import SimpleNamespace

import numpy as np
import peers

SIZES = {
    "gpu": SimpleNamespace(rows=16384, columns=4096, classes=32768, batch=8, heads=16, length=1024, width=64, grid=2048, turns=100),
    "cpu": SimpleNamespace(rows=2048, columns=1024, classes=4096, batch=2, heads=4, length=256, width=64, grid=256, turns=100),
    "tiny": SimpleNamespace(rows=33, columns=70, classes=40, batch=2, heads=2, length=17, width=8, grid=20, turns=5),
}


class Program:
    """A function of arrays that gives a number; `inputs` makes them, of which the first `wrt` have gradients. `own` is the same by PyTorch's fused
    functions; with `step`, what is timed updates the first `wrt` by plain descent, and gives them back."""

    def __init__(self, loss, inputs, wrt, own=None, step=False):
        self.loss, self.inputs, self.wrt, self.own, self.step = loss, inputs, wrt, own, step


def draws(*shapes, seed=3):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape).astype(np.float32) for shape in shapes]


def normalized(xp, x, axis):
    centred = x - xp.mean(x, axis)
    return centred * xp.rsqrt(xp.mean(centred * centred, axis) + 1e-5)


def layer_norm(xp, x, scale, shift, t):
    return xp.total((normalized(xp, x, -1) * scale + shift) * t)


def rms_norm(xp, x, scale, t):
    return xp.total(x * xp.rsqrt(xp.mean(x * x, -1) + 1e-5) * scale * t)


def batch_norm(xp, x, scale, shift, t):
    return xp.total((normalized(xp, x, 0) * scale + shift) * t)


def softmax(xp, x):
    e = xp.exp(x - xp.max(x, -1))
    return e / xp.sum(e, -1)


def cross_entropy(xp, logits, labels):
    shifted = logits - xp.max(logits, -1)
    return -xp.total(xp.pick(shifted, labels) - xp.log(xp.sum(xp.exp(shifted), -1))) / len(labels)


def attend(xp, q, k, v):
    return xp.matmul(softmax(xp, xp.matmul(q, xp.swap(k)) * q.shape[-1] ** -0.5), v)


def attention(xp, q, k, v, t):
    return xp.total(attend(xp, q, k, v) * t)


def gelu(xp, x):
    return 0.5 * x * (1 + xp.erf(x * 0.5**0.5))


def block(xp, qkv, out, up, down, scale1, scale2, x, t, heads):
    """A transformer block before its residual sum, and the mean squared distance of its result from t."""
    batch, length, model = x.shape
    h = xp.matmul(normalized(xp, x, -1) * scale1, qkv)
    parts = xp.reshape(h, (batch, length, 3, heads, model // heads))
    q, k, v = (xp.permute(parts[:, :, i], (0, 2, 1, 3)) for i in range(3))
    x = x + xp.matmul(xp.reshape(xp.permute(attend(xp, q, k, v), (0, 2, 1, 3)), (batch, length, model)), out)
    x = x + xp.matmul(gelu(xp, xp.matmul(normalized(xp, x, -1) * scale2, up)), down)
    return xp.total((x - t) ** 2) / (batch * length * model)


def transformer(xp, *arrays):
    *params, x, t = arrays
    return block(xp, *params, x, t, heads=max(1, x.shape[-1] // 64))


def block_of_torch(F, qkv, out, up, down, scale1, scale2, x, t):
    """The same by PyTorch's fused functions."""
    batch, length, model = x.shape
    heads = max(1, model // 64)
    q, k, v = (F.layer_norm(x, (model,), scale1) @ qkv).reshape(batch, length, 3, heads, model // heads).permute(2, 0, 3, 1, 4)
    x = x + F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, length, model) @ out
    x = x + F.gelu(F.layer_norm(x, (model,), scale2) @ up) @ down
    return F.mse_loss(x, t)


def heat(xp, k, u, t, turns):
    u = u + 0.0
    for _ in range(turns):
        flow = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        u = xp.add_inside(u, k[1:-1, 1:-1] * flow)
    return xp.total((u - t) ** 2)


def logistic(xp, w, b, x, y):
    z = xp.matmul(x, w) + b
    return xp.total(xp.log(1 + xp.exp(-xp.abs(z))) + xp.maximum(z, 0 * z) - y * z) / len(y)


def programs(s):
    import functools

    def own(write):
        def loss(*a):
            import torch
            return write(torch.nn.functional, *a)
        return loss

    model = 64 * s.heads if s.rows > 100 else 16
    block_inputs = draws((model, 3 * model), (model, model), (model, 4 * model), (4 * model, model), (model,), (model,),
                         (s.batch, s.length, model), (s.batch, s.length, model))
    for weights in block_inputs[:4]:
        weights *= weights.shape[0] ** -0.5
    heads = (s.batch, s.heads, s.length, s.width)
    labels = np.random.default_rng(5).integers(0, s.classes, s.rows // 4)
    truth = (np.random.default_rng(6).uniform(size=s.rows) < 0.5).astype(np.float32)
    grids = draws(*[(s.grid, s.grid)] * 3)
    grids[0] = np.abs(grids[0]) * 0.05
    return {
        "layer_norm": Program(layer_norm, draws((s.rows, s.columns), (s.columns,), (s.columns,), (s.rows, s.columns)), 3,
                              own(lambda F, x, g, b, t: (F.layer_norm(x, x.shape[-1:], g, b) * t).sum())),
        "rms_norm": Program(rms_norm, draws((s.rows, s.columns), (s.columns,), (s.rows, s.columns)), 2,
                            own(lambda F, x, g, t: (F.rms_norm(x, x.shape[-1:], g, 1e-5) * t).sum())),
        "batch_norm": Program(batch_norm, draws((s.rows, s.columns), (s.columns,), (s.columns,), (s.rows, s.columns)), 3,
                              own(lambda F, x, g, b, t: (F.batch_norm(x, None, None, g, b, True) * t).sum())),
        "cross_entropy": Program(cross_entropy, draws((s.rows // 4, s.classes)) + [labels], 1,
                                 own(lambda F, x, y: F.cross_entropy(x, y))),
        "attention": Program(attention, draws(heads, heads, heads, heads), 3,
                             own(lambda F, q, k, v, t: (F.scaled_dot_product_attention(q, k, v) * t).sum())),
        "logistic": Program(logistic, draws((s.columns,), (1,), (s.rows, s.columns)) + [truth], 2, step=True),
        "transformer_step": Program(transformer, block_inputs, 6, own(block_of_torch), step=True),
        "heat": Program(functools.partial(heat, turns=s.turns), grids, 1),
    }


RATE = 1e-3


def keep(f):
    return lambda x, axis: f(x, axis=axis, keepdims=True)


def stepping(program, gradient):
    """What is timed: the value, and the gradients or the arrays after a step down."""
    def step(*a):
        value, grads = gradient(*a)
        return (value, *((p - RATE * g for p, g in zip(a, grads)) if program.step else grads))

    return step


def weft(program, settings):
    os.environ.update(WEFT_THREADS=str(settings.threads), WEFT_TIER="compile", WEFT_DEVICE="cuda" if settings.gpu else "cpu")
    from peer_weft import import_package

    wf = import_package()

    def add_inside(u, what):
        u[1:-1, 1:-1] += what
        return u

    xp = SimpleNamespace(
        mean=keep(wf.mean), sum=keep(wf.sum), max=keep(wf.max), total=wf.sum, rsqrt=wf.rsqrt, exp=wf.exp, log=wf.log, erf=wf.erf, abs=wf.abs,
        maximum=wf.maximum, matmul=wf.matmul, swap=lambda x: wf.swapaxes(x, -1, -2), permute=wf.permute_dims, reshape=wf.reshape, add_inside=add_inside,
        pick=lambda x, at: wf.take_along_axis(x, at[:, None], axis=1))
    arrays = [wf.array(i) for i in program.inputs]
    gradient = wf.value_and_grad(lambda *a: program.loss(xp, *a), argnums=tuple(range(program.wrt)))

    f, forward = wf.compile(stepping(program, gradient)), wf.compile(lambda *a: program.loss(xp, *a))
    return (lambda: f(*arrays)), (lambda results: wf.sync()), (lambda: forward(*arrays))


def jax(program, settings):
    import jax as j
    import jax.numpy as jnp

    j.config.update("jax_default_matmul_precision", "highest")

    xp = SimpleNamespace(
        mean=keep(jnp.mean), sum=keep(jnp.sum), max=keep(jnp.max), total=jnp.sum, rsqrt=j.lax.rsqrt, exp=jnp.exp, log=jnp.log, abs=jnp.abs,
        erf=j.scipy.special.erf, maximum=jnp.maximum, matmul=jnp.matmul, swap=lambda x: jnp.swapaxes(x, -1, -2), permute=jnp.transpose,
        reshape=jnp.reshape, add_inside=lambda u, what: u.at[1:-1, 1:-1].add(what),
        pick=lambda x, at: jnp.take_along_axis(x, at[:, None], axis=1))
    arrays = [jnp.asarray(i) for i in program.inputs]
    gradient = j.value_and_grad(lambda *a: program.loss(xp, *a), argnums=tuple(range(program.wrt)))

    f = j.jit(stepping(program, gradient))
    return (lambda: f(*arrays)), j.block_until_ready


def torch(program, settings, compiled=False):
    import torch as t

    t.set_num_threads(settings.threads)
    t.backends.cuda.matmul.allow_tf32 = False

    def add_inside(u, what):
        return u + t.nn.functional.pad(what, (1, 1, 1, 1))

    xp = SimpleNamespace(
        mean=keep(t.mean), sum=keep(t.sum), max=keep(t.amax), total=t.sum, rsqrt=t.rsqrt, exp=t.exp, log=t.log, erf=t.erf, abs=t.abs, maximum=t.maximum,
        matmul=t.matmul, swap=lambda x: x.transpose(-1, -2), permute=t.permute, reshape=t.reshape, add_inside=add_inside,
        pick=lambda x, at: t.take_along_dim(x, at[:, None], 1))
    device = "cuda" if settings.gpu else "cpu"
    arrays = [t.from_numpy(np.ascontiguousarray(i)).to(device) for i in program.inputs]
    for a in arrays[:program.wrt]:
        a.requires_grad_()
    if compiled:
        t._dynamo.reset()
        loss = t.compile(lambda *a: program.loss(xp, *a), dynamic=False)
    else:
        loss = program.own or (lambda *a: program.loss(xp, *a))

    def step():
        value = loss(*arrays)
        grads = t.autograd.grad(value, arrays[:program.wrt])
        if not program.step:
            return (value.detach(), *grads)
        with t.no_grad():
            return (value.detach(), *t._foreach_add(arrays[:program.wrt], grads, alpha=-RATE))

    return step, (lambda results: t.cuda.synchronize() if settings.gpu else results)


PEERS = {"jax": jax, "torch": torch, "torch.compile": lambda program, settings: torch(program, settings, compiled=True), "weft": weft}


def check(name, program, chosen, settings):
    """Whether all peers give the same value and gradients, by the norm of the difference."""
    from peer_libraries import to_host

    program.step = False  # a step changes the arrays by less than would tell
    found = {}
    for peer in chosen:
        call, wait, *_ = PEERS[peer](program, settings)
        results = call()
        wait(results)
        found[peer] = to_host([r.detach() if hasattr(r, "detach") else r for r in results])
    mine, sound = found["weft"], True
    for peer, theirs in found.items():
        far = [float(np.linalg.norm(a - b.reshape(a.shape)) / max(np.linalg.norm(b), 1e-30)) for a, b in zip(mine, theirs)]
        print(json.dumps({"workload": name, "peer": peer, "far": float(f"{max(far):.3g}")}), flush=True)
        sound = sound and max(far) < 2e-4
    return sound


def contest(name, program, chosen, settings, emit):
    contestants = {p: peers.Contestant(lambda *_, p=p: PEERS[p](program, settings)[:2], None, name, None, settings) for p in chosen}
    forward = peers.Contestant(lambda *_: (PEERS["weft"](program, settings)[2], PEERS["weft"](program, settings)[1]), None, name, None, settings)
    everyone = {**contestants, "forward": forward}
    for c in everyone.values():
        if c.ready():
            peers.settle()
            c.calibrate(settings.slice / 1e3)
    end, rounds = time.perf_counter() + settings.budget, 0
    while rounds < 5 or (rounds < settings.rounds and time.perf_counter() < end):
        for peer in np.random.default_rng(rounds).permutation(list(everyone)):
            if everyone[peer].ready():
                everyone[peer].measure()
        rounds += 1
    for peer, c in contestants.items():
        line = {"workload": name, "peer": peer}
        if c.error:
            line["error"] = c.error
        else:
            line.update(ms=round(statistics.median(c.turns) * 1e3, 4), first_s=round(c.first, 3), rounds=len(c.turns))
            if contestants["weft"].ready():
                line["over_weft"] = peers.paired(c, contestants["weft"])
            if peer == "weft" and forward.ready():
                line["forward_ms"] = round(statistics.median(forward.turns) * 1e3, 4)
                line["over_forward"] = peers.paired(c, forward)
        emit(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    parser.add_argument("--only", help="programs, with commas between")
    parser.add_argument("--peers", default="jax,torch,torch.compile,weft")
    parser.add_argument("--check", action="store_true", help="compare what the peers give, at tiny sizes, instead of measuring")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--budget", type=float, default=6, help="seconds for a program's rounds")
    parser.add_argument("--slice", type=float, default=10, help="milliseconds of a turn, at least one call")
    parser.add_argument("--json", help="file to write the JSON lines to, too")
    settings = parser.parse_args()
    settings.gpu = settings.device == "gpu"
    settings.size = "tiny" if settings.check else settings.device
    peers.prepare_environment(settings)
    all_programs = programs(SIZES[settings.size])
    chosen = []
    for peer in settings.peers.split(","):
        try:
            __import__(peer.split(".")[0] if peer != "weft" else "peer_weft")
            chosen.append(peer)
        except ImportError as error:
            print(json.dumps({"peer": peer, "missing": str(error)}))
    names = settings.only.split(",") if settings.only else list(all_programs)
    if settings.check:
        sys.exit(0 if all([check(n, all_programs[n], chosen, settings) for n in names]) else 1)
    lines = []
    out = open(settings.json, "w", encoding="ascii") if settings.json else None

    def emit(line):
        lines.append(line)
        for file in filter(None, (sys.stdout, out)):
            print(json.dumps(line), file=file, flush=True)

    emit({"device": settings.device, "machine": peers.machine(settings), "threads": settings.threads, "date": time.strftime("%Y-%m-%d"),
          "versions": peers.versions([p for p in chosen if p != "weft"])})
    for name in names:
        contest(name, all_programs[name], chosen, settings, emit)
        peers.release_pools()
    print("\n| program | " + " | ".join(f"{p} ms" for p in chosen) + " | best peer over Weft | Weft over its forward |\n" + "|---" * (len(chosen) + 3) + "|")
    for name in names:
        row = {line["peer"]: line for line in lines if line.get("workload") == name}
        times = [str(row[p].get("ms", "failed")) for p in chosen]
        ratios = [row[p]["over_weft"][1] for p in chosen if p != "weft" and "over_weft" in row[p]]
        print(f"| {name} | " + " | ".join(times) + f" | {min(ratios, default='')} | {row['weft'].get('over_forward', ['', ''])[1]} |")


if __name__ == "__main__":
    main()
