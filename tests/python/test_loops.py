"""scan(), while_loop(), fori_loop(), cond() and switch() beside loops of Python's: values, many values, refusals."""

import collections
import dataclasses
import threading

import numpy as np
import pytest
import weft as wf
from scanned import arguments, by_hand, close, leaky, recurrent, unrolled

rng = np.random.default_rng(17)


Pair = collections.namedtuple("Pair", "h c")


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("width", [3, 1000])  # by the interpreter, and by kernels
@pytest.mark.parametrize("compiled", [False, True])
def test_scan_gives_the_bits_of_a_loop(width, reverse, compiled):
    xs, init = rng.normal(size=(20, width)), rng.normal(size=width)
    run = lambda a, x: wf.scan(leaky, a, x, reverse=reverse)  # noqa: E731
    carry, ys = (wf.compile(run) if compiled else run)(wf.asarray(init), wf.asarray(xs))
    want, stacked = unrolled(leaky, init, list(xs), reverse)
    np.testing.assert_array_equal(np.asarray(carry), want)
    np.testing.assert_array_equal(np.asarray(ys), stacked)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8", "complex64"])
def test_scan_of_every_kind_of_number(dtype):
    xs = wf.asarray(rng.integers(0, 5, size=(7, 300))).astype(dtype)
    carry, ys = wf.scan(lambda c, x: (c * 3 + x, c - x), xs[0], xs)
    c, out = np.asarray(xs[0]), []
    for x in np.asarray(xs):
        c, y = c * np.asarray(3, c.dtype) + x, c - x
        out.append(y)
    np.testing.assert_array_equal(np.asarray(carry), c)
    np.testing.assert_array_equal(np.asarray(ys), np.stack(out))


@dataclasses.dataclass
class State:
    position: object
    velocity: object


def test_carries_trees():
    def body(carry, x):
        state, (count, pair) = carry
        state = State(state.position + state.velocity, state.velocity * x["factor"])
        return (state, [count + 1, Pair(pair.c, pair.h)]), {"at": state.position, "nothing": None}

    init = (State(wf.zeros(400), wf.ones(400)), [0, Pair(wf.ones(400), wf.zeros(400))])
    (state, (count, pair)), ys = wf.scan(body, init, {"factor": wf.asarray([1.0, 0.5, 0.25])})
    assert isinstance(state, State) and isinstance(pair, Pair) and ys["nothing"] is None
    assert int(count) == 3
    assert ys["at"].shape == (3, 400)
    assert ys["at"][:, 0].tolist() == [1.0, 2.0, 2.5]
    assert state.position[0].item() == 2.5 and state.velocity[0].item() == 0.125
    assert pair.h[0].item() == 0.0 and pair.c[0].item() == 1.0  # exchanged three times


def test_the_body_is_called_once_and_sees_the_outside():
    calls, k = [], wf.asarray(rng.normal(size=500))

    def body(i, v):
        calls.append(1)
        return v + k * i

    got = wf.fori_loop(2, 50, body, wf.zeros(500))
    assert len(calls) == 1
    want = wf.zeros(500)
    for i in range(2, 50):
        want = want + k * i  # by the same multiply-adds
    np.testing.assert_array_equal(np.asarray(got), np.asarray(want))


def test_writes_inside_stay_inside():
    init = wf.asarray(rng.normal(size=2000))
    before = np.asarray(init).copy()

    def step(i, u):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0] = 1.0
        return u

    got = wf.fori_loop(0, 30, step, init)
    np.testing.assert_array_equal(np.asarray(init), before)
    want = wf.asarray(before)
    for i in range(30):
        want = step(i, want)
    np.testing.assert_array_equal(np.asarray(got), np.asarray(want))
    carried, memory = init, before
    carried, ys = wf.scan(lambda u, _: (step(0, u), u), carried, None, 3)  # what is stacked is what was written
    np.testing.assert_array_equal(np.asarray(ys[-1]), np.asarray(carried))
    np.testing.assert_array_equal(np.asarray(init), memory)


def test_turns_index_arrays():
    table = wf.asarray(rng.normal(size=(6, 300)))
    got = wf.fori_loop(0, 6, lambda i, v: v + table[i], wf.zeros(300))
    np.testing.assert_array_equal(np.asarray(got), np.add.accumulate(np.asarray(table))[-1])


def test_no_turns_and_no_elements():
    x = wf.asarray(rng.normal(size=600))
    carry, ys = wf.scan(leaky, x, wf.zeros((0, 600)))
    np.testing.assert_array_equal(np.asarray(carry), np.asarray(x))
    assert ys.shape == (0, 600)
    np.testing.assert_array_equal(np.asarray(wf.fori_loop(5, 2, lambda i, v: v * 2, x)), np.asarray(x))
    np.testing.assert_array_equal(np.asarray(wf.while_loop(lambda v: wf.asarray(False), lambda v: v * 2, x)), np.asarray(x))
    carry, ys = wf.scan(leaky, wf.zeros(0), wf.zeros((4, 0)))
    assert carry.shape == (0,) and ys.shape == (4, 0)
    assert wf.scan(lambda c, x: (c, x), (), wf.zeros(3))[0] == ()
    carry, ys = wf.compile(lambda x: wf.scan(leaky, x, wf.zeros((0, 600))))(x)
    np.testing.assert_array_equal(np.asarray(carry), np.asarray(x))


def test_results_are_arrays_of_their_own():
    x = wf.asarray(rng.normal(size=700))
    before = np.asarray(x).copy()
    same, twice = wf.fori_loop(0, 3, lambda i, v: (v[0], v[0]), (x, x * 2))
    same += 1
    twice *= 3
    np.testing.assert_array_equal(np.asarray(x), before)
    np.testing.assert_array_equal(np.asarray(same), before + 1)
    np.testing.assert_array_equal(np.asarray(twice), before * 3)
    a, b = wf.fori_loop(0, 5, lambda i, v: (v[0] + v[1], v[0]), (wf.ones(900), wf.zeros(900)))
    assert a[0].item() == 8.0 and b[0].item() == 5.0


@pytest.mark.parametrize("width", [2, 3000])
def test_while_loops(width):
    x = wf.asarray(rng.uniform(1, 2, size=width))

    def collatz(v):
        n, steps = v
        return wf.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    n, steps = wf.while_loop(lambda v: v[0] != 1, collatz, (27, 0))
    assert (int(n), int(steps)) == (1, 111)
    got = wf.while_loop(lambda v: wf.max(v) < 1e6, lambda v: v * v + 1, x)
    want = x
    while bool(wf.max(want) < 1e6):
        want = want * want + 1  # by the same multiply-adds
    want = np.asarray(want)
    # A GPU's small arrays are computed by the interpreter, which rounds the product, too.
    rtol = 0 if x.device == wf.device("cpu") else 1e-13
    np.testing.assert_allclose(np.asarray(got), want, rtol=rtol)
    limit = wf.asarray(1e6)
    again = wf.compile(lambda x, limit: wf.while_loop(lambda v: wf.max(v) < limit, lambda v: v * v + 1, x))
    np.testing.assert_array_equal(np.asarray(again(x, limit)), want)


def test_fori_loop_of_arrays():
    run = wf.compile(lambda n, v: wf.fori_loop(0, n, lambda i, v: v + i, v))
    for n in (0, 1, 7):
        assert float(run(wf.asarray(n), wf.zeros(3))[1]) == n * (n - 1) / 2
    assert int(wf.fori_loop(wf.asarray(3), wf.asarray(6), lambda i, v: v * i, 1)) == 60


def test_branches():
    x = wf.asarray(rng.normal(size=800))
    both = [lambda v, k: v * k, lambda v, k: v + k]
    for compiled in (False, True):
        choose = lambda p, x: wf.cond(p, *both, x, 3.0)  # noqa: E731
        choose = wf.compile(choose) if compiled else choose
        for predicate in (True, False):
            want = np.asarray(x) * 3 if predicate else np.asarray(x) + 3
            np.testing.assert_array_equal(np.asarray(choose(wf.asarray(predicate), x)), want)
    of = [lambda v: {"r": v}, lambda v: {"r": v * 10}, lambda v: {"r": -v}]
    for index, factor in ((-4, 1), (0, 1), (1, 10), (2, -1), (9, -1)):
        np.testing.assert_array_equal(np.asarray(wf.switch(index, of, x)["r"]), np.asarray(x) * factor)
    assert float(wf.cond(2.5, lambda: 1.0, lambda: 0.0)) == 1.0


def test_loops_nest():
    def powers(i, v):
        return wf.fori_loop(0, 2, lambda j, w: w * (i + j + 1), v) + wf.cond(i < 2, lambda a: a, lambda a: -a, v)

    got = wf.fori_loop(0, 4, powers, wf.ones(300))
    want = 1.0
    for i in range(4):
        inner = want
        for j in range(2):
            inner = inner * (i + j + 1)
        want = inner + (want if i < 2 else -want)
    assert got[0].item() == want


# ---- many values


def test_vmap_of_scans():
    params, _ = arguments()
    xs = wf.asarray(rng.normal(size=(5, 9, 4)))
    each = wf.vmap(lambda x: recurrent(wf.scan, params, x))(xs)
    close([each], [[float(recurrent(by_hand, params, x)) for x in xs]])
    over = wf.vmap(wf.grad(lambda x: recurrent(wf.scan, params, x)))(xs)
    close([over], [wf.stack([wf.grad(lambda x: recurrent(by_hand, params, x))(x) for x in xs])])
    under = wf.grad(lambda x: wf.sum(wf.vmap(lambda x: recurrent(wf.scan, params, x))(x)))(xs)
    close([under], [over])
    carry, ys = wf.vmap(lambda a, x: wf.scan(leaky, a, x), in_axes=(0, None))(xs[:, 0], xs[0])
    for k in range(5):
        want, stacked = unrolled(leaky, np.asarray(xs[k, 0]), list(np.asarray(xs[0])))
        np.testing.assert_array_equal(np.asarray(carry[k]), want)
        np.testing.assert_array_equal(np.asarray(ys[k]), stacked)


def test_vmap_of_while_loops_gives_each_its_own_turns():
    def turns(c):
        z, n = wf.while_loop(lambda v: (wf.abs(v[0]) < 2.0) & (v[1] < 50), lambda v: (v[0] * v[0] + c, v[1] + 1), (c * 0, 0))
        return z, n

    c = rng.uniform(-2, 1, size=400) + 1j * rng.uniform(-1, 1, size=400)
    z, n = wf.vmap(turns)(wf.asarray(c))
    for k in range(0, 400, 13):
        want_z, want_n = turns(wf.asarray(c[k]))
        assert int(n[k]) == int(want_n)
        np.testing.assert_allclose(np.asarray(z[k]), np.asarray(want_z), rtol=1e-9)


def test_vmap_of_branches():
    x, p = wf.asarray(rng.normal(size=(6, 40))), wf.asarray([True, False, True, True, False, False])
    f = lambda p, v: wf.cond(p, lambda v: v * 2, lambda v: -v, v)  # noqa: E731
    np.testing.assert_array_equal(np.asarray(wf.vmap(f)(p, x)), np.where(np.asarray(p)[:, None], np.asarray(x) * 2, -np.asarray(x)))
    np.testing.assert_array_equal(np.asarray(wf.vmap(f, in_axes=(None, 0))(wf.asarray(True), x)), np.asarray(x) * 2)
    g = lambda i, v: wf.switch(i, [lambda v: v, lambda v: v * 10, lambda v: v * 100], v)  # noqa: E731
    index = np.array([-1, 0, 1, 2, 3, 1])
    np.testing.assert_array_equal(np.asarray(wf.vmap(g)(wf.asarray(index), x)), np.asarray(x) * np.array([1, 1, 10, 100, 100, 10])[:, None])


# ---- refusals


@pytest.mark.parametrize(
    ("kind", "text", "call"),
    [
        (TypeError, r"scan: what is carried keeps its dtype and its shape: carry\['h'\] is float64\(3,\): got float32\(3,\)",
         lambda: wf.scan(lambda c, x: ({"h": c["h"].astype("float32")}, x), {"h": wf.zeros(3)}, wf.zeros(2))),
        (TypeError, r"fori_loop: what is carried keeps .*: carry\[1\] is float64\(3,\): got float64\(4,\)",
         lambda: wf.fori_loop(0, 2, lambda i, v: (v[0], wf.zeros(4)), (wf.zeros(3), wf.zeros(3)))),
        (TypeError, r"while_loop: the body gives a tree like that which it carries: got carry for carry\[0\], carry\[1\]",
         lambda: wf.while_loop(lambda v: v[0] < 3, lambda v: v[0], (1, 2))),
        (TypeError, r"scan: the body gives a tree like .*: lacks carry\['b'\]",
         lambda: wf.scan(lambda c, x: ({"a": c["a"]}, x), {"a": wf.zeros(3), "b": wf.zeros(3)}, wf.zeros(2))),
        (TypeError, "scan: the body gives a pair of what is carried and what is stacked: got Array", lambda: wf.scan(lambda c, x: c, wf.zeros(3), wf.zeros(2))),
        (ValueError, r"scan: what is scanned has one extent along its first axis: xs\[1\] has 3: got 2 besides",
         lambda: wf.scan(lambda c, x: (c, None), 0.0, (wf.zeros(2), wf.zeros(3)))),
        (ValueError, "scan: what is scanned has one extent along its first axis, the length: xs has 2: got 4 besides",
         lambda: wf.scan(lambda c, x: (c, None), 0.0, wf.zeros(2), length=4)),
        (ValueError, "scan: what is scanned has a first axis: xs is a number", lambda: wf.scan(lambda c, x: (c, None), 0.0, 3.0)),
        (ValueError, "scan: takes something to scan, or a length: got neither", lambda: wf.scan(lambda c, x: (c, None), 0.0)),
        (ValueError, "scan: length is not negative: got -1", lambda: wf.scan(lambda c, x: (c, None), 0.0, length=-1)),
        (TypeError, "scan: length is an integer: got float", lambda: wf.scan(lambda c, x: (c, None), 0.0, length=2.0)),
        (TypeError, r"while_loop: the condition gives one bool: got bool\(3,\)", lambda: wf.while_loop(lambda v: v < 3, lambda v: v, wf.zeros(3))),
        (TypeError, r"while_loop: the condition gives one bool: got f64\(\)", lambda: wf.while_loop(lambda v: v, lambda v: v, 1.0)),
        (TypeError, "fori_loop: lower is an integer: got float", lambda: wf.fori_loop(0.5, 2, lambda i, v: v, 1.0)),
        (TypeError, r"fori_loop: upper is one integer: got f64\(\)", lambda: wf.fori_loop(0, wf.asarray(2.5), lambda i, v: v, 1.0)),
        (TypeError, r"cond: the predicate is one bool: got bool\(2,\); where\(\)", lambda: wf.cond(wf.asarray([True, False]), lambda: 1, lambda: 2)),
        (TypeError, r"cond: all branches give results of one dtype and shape: result: got int64\(\) and float64\(\)", lambda: wf.cond(True, lambda: 1, lambda: 2.0)),
        (TypeError, r"cond: all branches give trees of one structure: got result\[0\] and result", lambda: wf.cond(True, lambda: (1,), lambda: 2)),
        (ValueError, "switch: takes a sequence of one branch at least", lambda: wf.switch(0, [], 1)),
        (TypeError, r"switch: the index is one integer: got float64\(\)", lambda: wf.switch(0.5, [lambda x: x], 1)),
        (TypeError, "scan: takes functions: got int", lambda: wf.scan(3, 0.0, length=2)),
        (wf.Error, "have no values while it is recorded", lambda: wf.fori_loop(0, 3, lambda i, v: v if float(v) > 0 else -v, 1.0)),
        (wf.Error, "writes to an array that it did not take", lambda: wf.fori_loop(0, 3, lambda i, v: outside.__iadd__(v), wf.zeros(3))),
    ],
)
def test_refusals(kind, text, call):
    with pytest.raises(kind, match=text):
        call()


outside = wf.zeros(3)


def test_numbers_of_pythons_take_the_bodys_dtype():
    x = wf.ones((3, 500), dtype="float32")
    last, _ = wf.scan(lambda c, x: (x.sum() + c.astype("float32"), None), 0.0, x)
    assert last.dtype == "float32" and float(last) == 1500
    assert wf.fori_loop(0, 3, lambda i, v: v * 0.5, 8).dtype == "float64"
    kept, _ = wf.scan(lambda c, x: (0, x), 5, x)  # a number that becomes another keeps its dtype
    assert kept.dtype == "int64" and int(kept) == 0


def test_threads():
    run = wf.compile(lambda a, x: wf.scan(leaky, a, x))
    xs = rng.normal(size=(8, 50, 600))
    want = [unrolled(leaky, np.zeros(600), list(x)) for x in xs]
    failures = []

    def work(k):
        for _ in range(10):
            carry, ys = run(wf.zeros(600), wf.asarray(xs[k]))
            if not (np.array_equal(np.asarray(carry), want[k][0]) and np.array_equal(np.asarray(ys), want[k][1])):
                failures.append(k)
            got = wf.fori_loop(0, k + 2, lambda i, v: v + i, wf.zeros(300))
            if got[0].item() != (k + 2) * (k + 1) / 2:
                failures.append(-k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_loop_of_elements_is_one_kernel_and_gives_the_bits_of_its_turns():
    def body(i, state):
        x, v = state
        return x + 0.01 * v, v - 0.01 * wf.sin(x) * i

    @wf.compile
    def swings(x, v):
        return wf.fori_loop(0, 40, body, (x, v))

    x, v = wf.asarray(np.linspace(-3, 3, 5000)), wf.zeros(5000)
    assert "loop_of_40_turns" in swings.explain(x, v)
    one_turn = wf.compile(lambda i, x, v: body(i, (x, v)))
    state = (x, v)
    for i in range(40):
        state = one_turn(i, *state)
    for got, want in zip(swings(x, v), state):
        np.testing.assert_array_equal(np.asarray(got), np.asarray(want))


def test_each_value_takes_its_own_turns():
    re, im = np.meshgrid(np.linspace(-2, 1, 60), np.linspace(-1, 1, 40))

    def escape(a, b):
        inside = lambda s: (s[0] * s[0] + s[1] * s[1] < 4) & (s[2] < 50)
        return wf.while_loop(inside, lambda s: (s[0] * s[0] - s[1] * s[1] + a, 2 * s[0] * s[1] + b, s[2] + 1), (a * 0, b * 0, 0))[2]

    counts = wf.compile(lambda a, b: wf.vmap(wf.vmap(escape))(a, b))
    want = np.zeros(re.shape, int)
    z = np.zeros(re.shape, complex)
    for _ in range(50):
        inside = z.real * z.real + z.imag * z.imag < 4
        z = np.where(inside, z * z + re + 1j * im, z)
        want += inside
    a, b = wf.asarray(re), wf.asarray(im)
    assert "loop scan" not in counts.explain(a, b) and "while_loop" in counts.explain(a, b)
    assert np.mean(np.asarray(counts(a, b)) == want) > 0.99  # a sum that is rounded once may end one turn sooner


def test_a_scan_of_elements_and_its_gradient_are_one_kernel_each():
    def loss(a, x):
        def turn(s, v):
            s = a * s + wf.tanh(v * s) + v
            return s, s

        return wf.sum(wf.scan(turn, wf.zeros(40), x)[1] ** 2)

    a, x = wf.asarray(rng.uniform(0.5, 0.9, size=40)), wf.asarray(rng.normal(size=(300, 40)))
    gradients = wf.compile(wf.grad(loss, argnums=(0, 1)))
    text = gradients.explain(a, x)
    assert text.count("scan_of_300_turns") >= 2 and "turn by turn" not in text
    for k, (gradient, at) in enumerate(zip(gradients(a, x), (a, x), strict=True)):
        towards, step = rng.normal(size=at.shape), 1e-6
        ends = [[a, x], [a, x]]
        ends[0][k], ends[1][k] = at + step * towards, at - step * towards
        slope = (float(loss(*ends[0])) - float(loss(*ends[1]))) / (2 * step)
        assert np.isclose(float(wf.sum(gradient * towards)), slope, rtol=1e-5)
