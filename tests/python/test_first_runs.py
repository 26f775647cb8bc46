"""A program gives the same bits in its first run as in later ones, and its second run compiles nothing, though what was needed
twice is kept from then on: each graph is computed as it was when it was first seen."""

import numpy as np
import pytest
import weft as wf


def sinkhorn(n=400, turns=90, eps=0.05):
    rng = np.random.default_rng(0)
    x, y = wf.asarray(rng.random((n, 2))), wf.asarray(rng.random((n, 2)))
    cost = ((x[:, None] - y[None]) ** 2).sum(-1)
    weight = wf.log(wf.ones(n) / n)
    f, g = wf.zeros(n), wf.zeros(n)

    def log_sum(z, axis):
        most = z.max(axis, keepdims=True)
        return (most + wf.log(wf.exp(z - most).sum(axis, keepdims=True))).squeeze(axis)

    for _ in range(turns):
        g = eps * (weight - log_sum((f[:, None] - cost) / eps, 0))
        f = eps * (weight - log_sum((g[None] - cost) / eps, 1))
    return f, g, (wf.exp((f[:, None] + g[None] - cost) / eps) * cost).sum()


def scaled(n=150, turns=3, eps=0.05):
    """Sinkhorn's factors themselves, with a look at how far they move in each turn."""
    rng = np.random.default_rng(0)
    x, y = wf.asarray(rng.random((n, 2))), wf.asarray(rng.random((n + 3, 2)))
    kernel = wf.exp(-((x[:, None] - y[None]) ** 2).sum(-1) / eps)
    u, v = wf.ones(n) / n, wf.ones(n + 3) / (n + 3)
    p, q = u, v
    for _ in range(turns):
        old = u
        u = p / (kernel @ v)
        v = q / (kernel.T @ u)
        if float(wf.abs(u - old).max()) < 1e-14:
            break
    return u, v, (u[:, None] * kernel * v[None]).sum(0)


def mixture(n=600, k=3, d=2, turns=60):
    rng = np.random.default_rng(1)
    x = wf.asarray(rng.normal(size=(n, d)) + rng.integers(0, 3, (n, 1)) * 3)
    mean, variance, share = wf.asarray(rng.normal(size=(k, d)) * 2), wf.ones((k, d)), wf.ones(k) / k
    seen = []
    for turn in range(turns):
        logs = -0.5 * ((x[:, None] - mean[None]) ** 2 / variance[None] + wf.log(2 * np.pi * variance)[None]).sum(-1) + wf.log(share)[None]
        most = logs.max(1, keepdims=True)
        total = most + wf.log(wf.exp(logs - most).sum(1, keepdims=True))
        r = wf.exp(logs - total)
        count = r.sum(0)
        mean = (r.T @ x) / count[:, None]
        variance = (r[:, :, None] * (x[:, None] - mean[None]) ** 2).sum(0) / count[:, None] + 1e-6
        share = count / n
        if turn % 7 == 0:
            seen.append(float(total.sum()))
    return mean, variance, share, wf.asarray(seen)


def words(vocabulary=300, width=16, steps=40, others=5):
    rng = np.random.default_rng(2)
    near, far = (wf.asarray(rng.normal(size=(vocabulary, width)) * 0.1) for _ in range(2))
    wanted = wf.asarray(np.r_[1, np.zeros(others)])
    losses = []
    for step in range(steps):
        centre, context = wf.asarray(rng.integers(0, vocabulary, 64)), wf.asarray(rng.integers(0, vocabulary, (64, others + 1)))
        w, q = near[centre], far[context]
        p = 1 / (1 + wf.exp(-(w[:, None] * q).sum(-1)))
        slope = (p - wanted) * 0.05
        wf.add.at(near, centre, -(slope[..., None] * q).sum(1))
        wf.add.at(far, context.reshape(-1), -(slope[..., None] * w[:, None]).reshape(-1, width))
        if step % 10 == 0:
            losses.append(float(-wf.log(wf.where(wanted > 0, p, 1 - p)).sum()))
    return near, far, wf.asarray(losses)


def metropolis(n=540, steps=300):
    x, taken, total = wf.zeros(n), wf.zeros(n), wf.zeros(n)
    key = wf.random.key(0)
    for _ in range(steps):
        key, first, second = wf.random.split(key, 3)
        y = x + wf.random.normal(first, (n,)) * 0.5
        better = wf.random.uniform(second, (n,)) < wf.exp(-(y**2 - x**2) / 2)
        x, taken = wf.where(better, y, x), taken + better
        total = total + x**2
    return x, taken, total


def one_result_is_looked_at(n=40):
    """A loop that looks at one value in each turn, and carries another on."""
    x = wf.asarray(np.random.default_rng(3).random((n, 50)))
    for _ in range(12):
        y = x - x.mean(1, keepdims=True)
        if float((y * y).sum()) < 0:
            break
        x = wf.exp(y) * 0.5 + y
    return x, y


def centres(n=700, k=4, turns=15):
    """k-means, with a look at what is left of the distances in each turn."""
    rng = np.random.default_rng(4)
    x = wf.asarray(rng.normal(size=(n, 2)) + rng.integers(0, 4, (n, 1)) * 2)
    middle = x[:k] + 0.1
    for _ in range(turns):
        apart = ((x[:, None] - middle[None]) ** 2).sum(-1)
        own = apart.argmin(1)[:, None] == wf.arange(k)[None]
        count = wf.maximum(own.sum(0), 1)
        following = (own[:, :, None] * x[:, None]).sum(0) / count[:, None]
        if float(wf.abs(following - middle).max()) < 1e-9:
            break
        middle = following
    return middle, apart.min(1).sum()


def pendulums(n=400, turns=150, h=0.02):
    """Runge and Kutta's steps; the energy is looked at now and then."""
    angle, speed = wf.linspace(-3, 3, n), wf.zeros(n)
    energies = []
    for turn in range(turns):
        def slope(a, s):
            return s, -wf.sin(a) - 0.1 * s
        a1, s1 = slope(angle, speed)
        a2, s2 = slope(angle + h / 2 * a1, speed + h / 2 * s1)
        a3, s3 = slope(angle + h / 2 * a2, speed + h / 2 * s2)
        a4, s4 = slope(angle + h * a3, speed + h * s3)
        angle, speed = angle + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4), speed + h / 6 * (s1 + 2 * s2 + 2 * s3 + s4)
        if turn % 13 == 0:
            energies.append(float((speed**2 / 2 - wf.cos(angle)).sum()))
    return angle, speed, wf.asarray(energies)


def two_looks(n=30):
    """Two values that share work are looked at one after the other, and what is carried on is computed in each turn."""
    x = wf.asarray(np.random.default_rng(5).random((n, 40)))
    seen = []
    for _ in range(6):
        y = wf.exp(-x) / (1 + wf.sin(x) ** 2)
        seen.append(float(y.sum()))
        z = y - y.mean(0)
        seen.append(float((z * z).sum()))
        x = z + 1
        wf.eval(x)
    return x, wf.asarray(seen)


def compiled_sinkhorn(n=60, turns=30, eps=0.05):
    rng = np.random.default_rng(0)
    x, y = wf.asarray(rng.random((n, 2))), wf.asarray(rng.random((n, 2)))

    @wf.compile
    def turn(f, g, cost, weight):
        def log_sum(z, axis):
            most = z.max(axis, keepdims=True)
            return (most + wf.log(wf.exp(z - most).sum(axis, keepdims=True))).squeeze(axis)

        g = eps * (weight - log_sum((f[:, None] - cost) / eps, 0))
        return eps * (weight - log_sum((g[None] - cost) / eps, 1)), g

    cost = ((x[:, None] - y[None]) ** 2).sum(-1)
    f, g = wf.zeros(n), wf.zeros(n)
    for _ in range(turns):
        f, g = turn(f, g, cost, wf.log(wf.ones(n) / n))
    return f, g, (wf.exp((f[:, None] + g[None] - cost) / eps) * cost).sum()


def compiled_mixture(n=600, k=3, d=2, turns=20):
    rng = np.random.default_rng(1)

    @wf.compile
    def turn(x, mean, variance, share):
        logs = -0.5 * ((x[:, None] - mean[None]) ** 2 / variance[None] + wf.log(2 * np.pi * variance)[None]).sum(-1) + wf.log(share)[None]
        most = logs.max(1, keepdims=True)
        total = most + wf.log(wf.exp(logs - most).sum(1, keepdims=True))
        r = wf.exp(logs - total)
        count = r.sum(0)
        mean = (r.T @ x) / count[:, None]
        variance = (r[:, :, None] * (x[:, None] - mean[None]) ** 2).sum(0) / count[:, None] + 1e-6
        return mean, variance, count / n, total

    x = wf.asarray(rng.normal(size=(n, d)) + rng.integers(0, 3, (n, 1)) * 3)
    mean, variance, share = wf.asarray(rng.normal(size=(k, d)) * 2), wf.ones((k, d)), wf.ones(k) / k
    seen = []
    for number in range(turns):
        mean, variance, share, total = turn(x, mean, variance, share)
        if number % 7 == 0:
            seen.append(float(total.sum()))
    return mean, variance, share, wf.asarray(seen)


def compiled_words(vocabulary=300, width=16, steps=30, others=5):
    rng = np.random.default_rng(2)

    @wf.compile
    def step(near, far, centre, context, wanted):
        w, q = near[centre], far[context]
        p = 1 / (1 + wf.exp(-(w[:, None] * q).sum(-1)))
        slope = (p - wanted) * 0.05
        wf.add.at(near, centre, -(slope[..., None] * q).sum(1))
        wf.add.at(far, context.reshape(-1), -(slope[..., None] * w[:, None]).reshape(-1, width))
        return -wf.log(wf.where(wanted > 0, p, 1 - p)).sum()

    near, far = (wf.asarray(rng.normal(size=(vocabulary, width)) * 0.1) for _ in range(2))
    wanted = wf.asarray(np.r_[1, np.zeros(others)])
    losses = []
    for _ in range(steps):
        centre, context = wf.asarray(rng.integers(0, vocabulary, 64)), wf.asarray(rng.integers(0, vocabulary, (64, others + 1)))
        losses.append(float(step(near, far, centre, context, wanted)))
    return near, far, wf.asarray(losses)


def compiled_metropolis(n=500, steps=40):
    @wf.compile
    def step(key, x, taken, total):
        key, first, second = wf.random.split(key, 3)
        y = x + wf.random.normal(first, (n,)) * 0.5
        better = wf.random.uniform(second, (n,)) < wf.exp(-(y**2 - x**2) / 2)
        x = wf.where(better, y, x)
        return key, x, taken + better, total + x**2

    key, x, taken, total = wf.random.key(0), wf.zeros(n), wf.zeros(n), wf.zeros(n)
    for _ in range(steps):
        key, x, taken, total = step(key, x, taken, total)
    return x, taken, total


def compiled_pendulums(n=400, turns=40, h=0.02):
    @wf.compile
    def step(angle, speed):
        middle, faster = angle + h / 2 * speed, speed - h / 2 * wf.sin(angle)
        return angle + h * faster, speed - h * wf.sin(middle)

    angle, speed = wf.linspace(-3, 3, n), wf.zeros(n)
    for _ in range(turns):
        angle, speed = step(angle, speed)
        energy = (speed**2 / 2 - wf.cos(angle)).sum()
        if float(energy) > 1e9:
            break
    return angle, speed, energy


PROGRAMS = (sinkhorn, scaled, mixture, words, metropolis, one_result_is_looked_at, centres, pendulums, two_looks)
COMPILED = (compiled_sinkhorn, compiled_mixture, compiled_words, compiled_metropolis, compiled_pendulums)


@pytest.mark.parametrize("old_results_live", [False, True])
@pytest.mark.parametrize("program", PROGRAMS + COMPILED)
def test_first_and_later_runs_are_equal_bit_for_bit(program, old_results_live):
    size = program.__defaults__[0] + old_results_live  # no graph that the other of the two has seen
    runs, unknown, alive = [], [], []
    for _ in range(4):
        before = wf.stats()["program_misses"]  # whose kernels the disk may have, or not
        results = program(size)
        runs.append([np.array(one) for one in results])
        unknown.append(wf.stats()["program_misses"] - before)
        alive = alive + [results] if old_results_live else []
    for later in runs[1:]:
        for one, other in zip(runs[0], later, strict=True):
            assert one.tobytes() == other.tobytes()
    assert unknown[1:] == [0, 0, 0]


def programs(f):
    """How many programs f computed, and what it gives."""
    before = wf.stats()
    value = np.asarray(f())
    after = wf.stats()
    return sum(after[name] - before[name] for name in ("program_hits", "program_misses")), value


def test_loops_are_cut_early_and_lines_that_come_once_are_not():
    x, a = wf.eval(wf.arange(1000.0)), wf.eval(wf.arange(1000.0) / 1000)

    def loop():
        y = x
        for _ in range(500):
            y = y * 0.5 + a
        return y

    scope = {"x": x, "a": a}
    exec(compile("def straight():\n    y = x\n" + "    y = y * 0.5 + a\n" * 500 + "    return y\n", "straight.py", "exec"), scope)
    in_turns, of_loop = programs(loop)
    at_once, of_lines = programs(scope["straight"])
    assert at_once == 1 and in_turns > 2
    np.testing.assert_array_equal(of_loop, of_lines)
    assert programs(loop)[0] == in_turns  # at the same places again


def test_turns_of_nested_loops_share_programs():
    def nested(u):
        for _ in range(30):
            for k in range(10):
                u = u * 0.5 + k
                u = wf.maximum(u, -u)
            u = u - 1
            u = u * 0.25
        return u

    u = wf.eval(wf.arange(1000.0))
    wf.eval(nested(u))
    before = wf.stats()["program_misses"]
    for _ in range(3):
        wf.eval(nested(u + 1))
    later = wf.stats()["program_misses"] - before
    expected = np.arange(1000.0) + 1
    for _ in range(30):
        for k in range(10):
            expected = np.abs(expected * 0.5 + k)
        expected = (expected - 1) * 0.25
    np.testing.assert_allclose(np.asarray(nested(u + 1)), expected, rtol=1e-12)
    assert later <= 1  # its first turn starts from another array
