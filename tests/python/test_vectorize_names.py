"""Names of vectorized functions that an expression sets, and defaults of functions inside: they are as Python has them."""

import numpy as np
import pytest
import weft as wf

VALUES = np.array([5, 10, -3, 0, 100, 7, 1, 2])


def ends_below(x):
    n = 0
    while (y := x - n * n) > 0:
        n += 1
    return y


def has_another_end(x):
    m = 0
    while (m := m + 1) < 5:
        if m == x:
            break
    else:
        m = m * 100
    return m


def goes_on_early(x):
    n = 0
    s = 0
    while (q := n * n) < x:
        n += 1
        if n % 3 == 0:
            continue
        s += q
    else:
        return q * 10 + s


def asks_in_turn(x):
    n = 0
    while (y := x - n) > 0 and n < 4 and (z := y * 2) != 6:
        n += 1
    return y * 100 + n


def nests(x):
    n = 0
    t = 0
    while (q := x - n) > 0:
        n += 1
        k = 0
        while (p := q - k) > 2:
            k += 2
            if k == 6:
                break
        else:
            t += p
        t += 10 * p
    return q * 100 + t


def returns_from_within(x):
    y = 0
    while (y := y + 1) < x:
        if y == 7:
            return -y
    return y


def sets_either(x):
    n = 0
    y = 50
    while n > 3 or (y := x - n) > 0:
        n += 1
        if n > 9:
            break
    else:
        return y
    return y * 100 + n


def sets_in_a_call(x):
    def last(v):
        while (v := v - 3) > 0:
            pass
        return v

    return last(x) + last(x + 1)


def reads_behind_else(x):
    for i in range(3):
        q = i * x
    else:
        return q


def keeps_a_default(x):
    k = 1
    g = lambda q, k=k: q * k  # noqa: E731
    k = 5
    return g(x) + k


def keeps_defaults_by_name(x):
    n = 2

    def g(q, n=n, *, s=n + 1):
        return q * n + s

    for n in range(5):
        pass
    return g(x) + g(x, s=1) + n


def keeps_those_of_turns(x):
    t = 0
    for i in range(4):
        h = lambda q, i=i: q * i  # noqa: E731
        t += h(x)
    return t


def leaves_out_no_text(x):
    def g(q, mode="no"):
        return q * 2

    return g(x, 3)


@pytest.mark.parametrize("f", [
    ends_below, has_another_end, goes_on_early, asks_in_turn, nests, returns_from_within, sets_either, sets_in_a_call, reads_behind_else,
    keeps_a_default, keeps_defaults_by_name, keeps_those_of_turns, leaves_out_no_text,
])  # fmt: skip
def test_names_are_pythons(f):
    got = np.asarray(wf.vectorize(f)(VALUES))
    assert got.tolist() == [f(int(x)) for x in VALUES]


def test_derivatives_follow_what_the_test_set():
    f = wf.vectorize(ends_below)
    assert np.asarray(wf.grad(lambda v: wf.sum(f(v) * f(v)))(wf.asarray([5.0, 10.0]))).tolist() == [-8, -12]


def test_a_default_that_cannot_be_read_is_told_where_it_is_asked_for():
    with pytest.raises(wf.Error, match="a string cannot be compiled"):
        wf.vectorize(lambda x: (lambda q, mode="a": q)(x))(VALUES)
