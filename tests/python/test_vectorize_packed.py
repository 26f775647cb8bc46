"""Loops whose elements leave at different turns: vectors of those that are left are packed together, which nothing may tell."""

import cmath
import math

import numpy as np
import pytest
import weft as wf

table = (3, 1, 4, 1, 5, 9, 2, 6)


def collatz(n):
    turns = 0
    while n > 1:
        n = 3 * n + 1 if n % 2 == 1 else n // 2
        turns += 1
    return turns


def escape(re, im, most):
    z = 0j
    c = complex(re, im)
    for turn in range(most):
        if abs(z) > 2:
            return turn
        z = z * z + c
    return most


def three_results(x, y):
    low, high, seen = x, y, False
    for k in range(60):
        middle = 0.5 * (low + high)
        if middle * middle < 20.0:
            low = middle
        else:
            high, seen = middle, not seen
        if high - low < 1e-9:
            break
    return low, seen, k


def nested(n, m):
    total = 0
    while n > 0:
        k = n
        while k > 0 and total < 10_000:
            total += k % m
            k //= m
        n -= 1 + total % 3
    return total


def from_a_table(n):
    at, steps = n % 8, 0
    while table[at] != 9 and steps < 40:
        at = (at + table[at] + n) % 8
        steps += 1
    return steps * 10 + table[at]


def narrow(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def endings(x):
    count = 0.0
    other = -1.0
    while True:
        count += 1
        if x > 50:
            other = x
            break
        if count > 30:
            return -2.0
        if x < 0:
            continue
        x = x * 1.25 + 0.5
    return count + other


def before_and_after(x, y):
    scale = math.exp(-abs(x)) + 1.0
    z = y * scale
    turns = 0
    while z < 100.0 and turns < 500:
        z = z * scale + abs(y) * 0.01
        turns += 1
    return z / scale + x if turns > 3 else cmath.exp(complex(x, y)).real - turns


def carried_truth(n):
    odd, flips = False, 0
    while n > 0:
        if n % 3 == 0:
            odd = not odd
            flips += 1
        n = n // 2 if odd else n - 3
    return flips if odd else -flips


RNG = np.random.default_rng(3)
N = 3001
CASES = {
    "collatz": (collatz, [RNG.integers(1, 3000, N)]),
    "collatz of 32 bits": (collatz, [RNG.integers(1, 3000, N).astype(np.int32)]),
    "escape": (escape, [RNG.uniform(-2, 1, N), RNG.uniform(-1, 1, N), np.full(N, 60)]),
    "three results": (three_results, [RNG.uniform(0, 4, N), RNG.uniform(5, 900, N)]),
    "nested": (nested, [RNG.integers(-3, 60, N), RNG.integers(2, 7, N)]),
    "from a table": (from_a_table, [RNG.integers(0, 1000, N)]),
    "narrow": (narrow, [RNG.integers(1, 127, N).astype(np.int8), RNG.integers(0, 127, N).astype(np.int8)]),
    "narrow unsigned": (narrow, [RNG.integers(1, 60000, N).astype(np.uint16), RNG.integers(0, 60000, N).astype(np.uint16)]),
    "endings": (endings, [RNG.uniform(-1, 60, N)]),
    "before and after": (before_and_after, [RNG.uniform(-6, 6, N), RNG.uniform(-1, 30, N)]),
    "carried truth": (carried_truth, [RNG.integers(0, 4000, N)]),
}


def by_python(f, arrays):
    rows = [f(*(x.item() for x in one)) for one in zip(*arrays)]
    return [np.array(column) for column in zip(*rows)] if isinstance(rows[0], tuple) else [np.array(rows)]


def of_weft(g, arrays):
    found = g(*arrays)
    return [np.asarray(x) for x in (found if isinstance(found, tuple) else (found,))]


@pytest.fixture(scope="module")
def wanted():
    return {name: by_python(f, arrays) for name, (f, arrays) in CASES.items()}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("count", [1, 15, 16, 17, 255, 256, 257, 300, N])
def test_gives_what_python_gives_for_any_number_of_elements(name, count, wanted):
    f, arrays = CASES[name]
    for got, want in zip(of_weft(wf.vectorize(f), [wf.asarray(x[:count]) for x in arrays]), wanted[name]):
        np.testing.assert_allclose(got, want[:count], rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", CASES)
def test_arguments_that_are_the_same_for_all_and_that_lie_apart(name, wanted):
    f, arrays = CASES[name]
    g = wf.vectorize(f)
    apart = [wf.asarray(np.repeat(x, 3))[::3] for x in arrays]
    for got, want in zip(of_weft(g, apart), wanted[name]):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=0)
    if len(arrays) > 1:
        one = [wf.asarray(arrays[0]), *(x[7].item() for x in arrays[1:])]
        of_one = by_python(f, [arrays[0], *(np.full(N, x[7]) for x in arrays[1:])])
        for got, want in zip(of_weft(g, one), of_one):
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", CASES)
def test_fuses_with_what_is_around_it(name, wanted):
    f, arrays = CASES[name]
    g = wf.vectorize(f)

    @wf.compile
    def around(*xs):
        found = g(*(-(-x) for x in xs))
        found = (found[-1] if isinstance(found, tuple) else found) * 1.0
        return wf.sum(found * 2), found + xs[0], wf.max(found)

    total, added, most = around(*map(wf.asarray, arrays))
    want = wanted[name][-1] * 1.0
    np.testing.assert_allclose(float(total), float(want.sum()) * 2, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(added), want + arrays[0], rtol=1e-12)
    assert float(most) == pytest.approx(float(want.max()), rel=1e-12)


def test_rows_and_columns_are_reduced():
    x = np.arange(1, 1 + 37 * 300).reshape(37, 300)
    want = np.vectorize(collatz)(x)
    found = wf.vectorize(collatz)(wf.asarray(x))
    for axis in (0, 1, None):
        np.testing.assert_array_equal(np.asarray(wf.sum(found, axis)), want.sum(axis))
        np.testing.assert_array_equal(np.asarray(wf.max(wf.vectorize(collatz)(wf.asarray(x).T), axis)), want.T.max(axis))


def test_a_result_that_takes_its_argument_s_memory():
    def halved(x):
        while x > 1.0:
            x *= 0.5 if x > 8.0 else 0.75
        return x

    n = np.random.default_rng(1).uniform(0, 1e6, 5000)
    x = wf.asarray(n) * 1.0
    wf.eval(x)
    x = wf.vectorize(halved)(x) + x * 0
    want = np.array([halved(v) for v in n.tolist()])
    np.testing.assert_array_equal(np.asarray(x), want)


def test_derivatives_and_vmap_go_through_such_loops():
    def power(x, n):
        r = 1.0
        while n > 0:
            if n % 2 == 1:
                r *= x
            x *= x
            n //= 2
        return r

    x, n = np.linspace(0.5, 1.5, 700), np.arange(700) % 23
    g = wf.vectorize(power)
    slope = wf.grad(lambda v: wf.sum(g(v, wf.asarray(n))))(wf.asarray(x))
    np.testing.assert_allclose(np.asarray(slope), n * x ** np.maximum(n - 1, 0), rtol=1e-10)
    rows = wf.vmap(g, in_axes=(0, None))(wf.asarray(np.stack([x, x + 1])), wf.asarray(n))
    np.testing.assert_allclose(np.asarray(rows), np.stack([x, x + 1]) ** n, rtol=1e-10)


def test_a_loop_of_many_more_turns_than_are_done_between_two_looks():
    def counted(n):
        turns = 0
        while n > 0:
            n -= 3
            turns += 1
        return turns

    n = np.array([0, 5, 100_000, 7, 30_000, 12_288, 12_289] * 60)
    np.testing.assert_array_equal(np.asarray(wf.vectorize(counted)(wf.asarray(n))), (n + 2) // 3)


def left_by_count(n):
    total = 0
    for k in range(n):
        if k == 5:
            break
        total += k
    else:
        total = -total
    return total


def by_a_float_of_all(x):
    step, turns = 1.0, 0
    while x > turns * 0.25:
        step *= 0.5
        if step == 0.0625:
            break
        turns += 1
    return step + turns


def by_a_truth_of_all(n):
    odd, k = False, 0
    while k < n and not (odd and k > 6):
        odd = not odd
        k += 1
    return k * 2 + odd


def by_a_byte_of_all(n):
    small = np.uint8(250)
    k = 0
    while n > k:
        small += np.uint8(1)
        if small == np.uint8(2):
            return int(small) + 1000
        k += 1
    return int(small)


def skipped_then_left(n):
    total = 0
    for k in range(n):
        if k % 2:
            continue
        if k > 10:
            break
        total += k
    else:
        return -total
    return total


def in_an_inner_loop(n, m):
    total = 0
    for i in range(n):
        for k in range(m):
            if k == 3:
                break
            total += k + i
        if i == 4:
            return total + 1000
    return total


@pytest.mark.parametrize("f", [left_by_count, by_a_float_of_all, by_a_truth_of_all, by_a_byte_of_all, skipped_then_left, in_an_inner_loop], ids=lambda f: f.__name__)
@pytest.mark.parametrize("order", [1, -1, 7])
def test_what_is_the_same_for_all_that_are_left_ends_the_loop_of_each(f, order):
    """The first element of a vector may have left before."""
    n = np.roll(np.arange(600) % 23, order)[::order]
    arrays = [n, (n + 3) % 7][: f.__code__.co_argcount]
    with np.errstate(over="ignore"):
        want = np.array([f(*(int(x) for x in row)) for row in zip(*arrays)])
    for one in ([x[:20] for x in arrays], arrays):
        np.testing.assert_array_equal(np.asarray(wf.vectorize(f)(*map(wf.asarray, one))), want[: one[0].size])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_vectors_of_one_width_of_floats(dtype):
    def turns(re, im):
        x = y = count = re * 0
        while x * x + y * y < 4 and count < 60:
            x, y = x * x - y * y + re, 2 * x * y + im
            count += 1
        return count

    re, im = (RNG.uniform(-2, 1, 4001).astype(dtype) for _ in range(2))
    with np.errstate(all="ignore"):
        want = np.array([turns(*pair) for pair in zip(re, im)])
    got = np.asarray(wf.vectorize(turns)(wf.asarray(re), wf.asarray(im)))
    assert got.dtype == want.dtype
    # A multiply-add may round once where NumPy rounds twice, which a point near the edge tells.
    assert np.mean(got == want) > 0.99
