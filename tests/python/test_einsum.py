"""einsum of random subscripts, shapes and dtypes is NumPy's, and asked again it is no other."""

import numpy as np
import pytest
import weft as wf
from hypothesis import example, given
from hypothesis import strategies as st

DTYPES = ["float64", "int32", "complex128", "float32"]


@st.composite
def calls(draw):
    extents = {label: draw(st.integers(0, 3)) for label in "abcd"}
    terms, operands = [], []
    for _ in range(draw(st.integers(1, 3))):
        term = draw(st.text("abcd", max_size=4))
        shape = [extents[label] if draw(st.integers(0, 9)) else 1 for label in term]
        if draw(st.booleans()):
            place, more = draw(st.integers(0, len(term))), draw(st.lists(st.just(2), max_size=2))
            term, shape = term[:place] + "..." + term[place:], shape[:place] + more + shape[place:]
        terms.append(term)
        operands.append((np.arange(np.prod(shape, dtype=int)).reshape(shape) % 5).astype(draw(st.sampled_from(DTYPES))))
    subscripts = ",".join(terms)
    if draw(st.booleans()):
        labels = sorted(set(subscripts) - set(",."))
        subscripts += "->" + "..." * ("..." in subscripts) + "".join(draw(st.permutations(labels))[: draw(st.integers(0, len(labels)))])
    return subscripts, operands


def numpy_reads_beyond(subscripts, operands):
    """Whether an operand has a label twice, of extents 0 and 1: NumPy takes these for equal and reads what is nowhere."""
    for term, x in zip(subscripts.split("->")[0].split(","), operands):
        before, _, after = term.partition("...")
        extents = {}
        for label, n in [*zip(before, x.shape), *zip(after[::-1], x.shape[::-1])]:
            extents.setdefault(label, set()).add(n)
        if {0, 1} in extents.values():
            return True
    return False


@given(calls())
@example(("abbc->abc", [np.zeros((1, 0, 1, 1))]))
@example(("abaa,aaab,b", [np.zeros((1, 0, 1, 1)), np.zeros((1, 1, 1, 1)), np.zeros(1)]))  # nothing meets one, which is nothing
def test_random_subscripts(call):
    subscripts, operands = call
    ours = [wf.asarray(x) for x in operands]
    try:
        want = np.einsum(subscripts, *operands)
    except ValueError:
        with pytest.raises(ValueError):
            wf.einsum(subscripts, *ours)
        return
    if numpy_reads_beyond(subscripts, operands):
        with pytest.raises(ValueError, match="the extents of '.' differ: got"):
            wf.einsum(subscripts, *ours)
        return
    for _ in range(2):
        got = wf.einsum(subscripts, *ours)
        assert got.shape == want.shape and got.dtype == want.dtype
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-6)


@pytest.mark.parametrize("f", [
    lambda m, x, w: m.bincount(x, weights=w), lambda m, x, w: m.bincount(x, minlength=9), lambda m, x, w: m.interp(w, x[:5], w[:5]),
    lambda m, x, w: m.convolve(w, w[:3]), lambda m, x, w: m.correlate(w, w[:3]),
])  # fmt: skip
@pytest.mark.parametrize("size", [7, 100_000])
def test_functions_that_numpy_answers_leave_what_they_read_alone(f, size):
    x, w = np.arange(size), np.linspace(0, 1, size)
    ours, weights = wf.asarray(x), wf.asarray(w)
    np.testing.assert_allclose(np.asarray(f(wf, ours, weights)), f(np, x, w))
    np.testing.assert_array_equal(np.asarray(ours), x)
    np.testing.assert_array_equal(np.asarray(weights), w)


@pytest.mark.parametrize("subscripts", ["...ij->", "...i->i", "...->"])
def test_axes_that_dots_stand_for_are_not_summed(subscripts):
    a = np.ones((2, 3, 4))
    for library in (np, wf):
        with pytest.raises(ValueError):
            library.einsum(subscripts, library.asarray(a))
