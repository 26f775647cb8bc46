"""What Python calls for each element since it cannot be compiled, and where that is said."""

import numpy as np
import pytest
import weft as wf


def digits(x):
    return len(str(int(x)))


def test_falls_back_when_told_to():
    x = wf.asarray([1, 20, 300])
    with pytest.raises(wf.Error):
        wf.vectorize(digits)(x)
    lengths = wf.vectorize(digits, fallback=True)(x)
    np.testing.assert_array_equal(np.asarray(lengths), [1, 2, 3])
    told = wf.explain(lengths)
    assert told.startswith("digits: computed by Python, one element after the other, since digits: ") and "test_vectorize_fallback.py" in told
    assert "by Python" not in wf.explain(wf.vectorize(lambda v: v * 2)(x))


def test_explain_says_it_behind_other_operations():
    x = wf.asarray([1, 20, 300])
    f, g = wf.vectorize(digits, fallback=True), wf.vectorize(lambda v: int(f"{int(v)}1"), fallback=True)
    long = wf.arange(3000)
    for told in (wf.explain(f(x) * 2 + 1), wf.explain(wf.sum(f(x) + 1)), wf.explain(f(long)[1:] + long[1:])):
        assert told.count("digits: computed by Python, one element after the other") == 1
    both = wf.explain(f(x) + g(x))
    assert both.count("computed by Python") == 2 and "<lambda>: computed by Python" in both
    assert "digits: computed by Python" in " ".join(wf.explain(f(x) + 1).to_dict()["computed"])
    kept = f(x)
    np.asarray(kept)  # whose memory NumPy has as well
    many = [f(x) for _ in range(300)]
    assert "computed by Python" in wf.explain(kept + 1) and len(many) == 300


@pytest.mark.parametrize("count", [12, 3000])
def test_explain_says_it_of_small_parts(count):
    found = wf.vectorize(digits, fallback=True)(wf.arange(count))
    parts = [found[1:5], found[1:5] + 1, found[::-3][:2], found.reshape(2, -1)[0, :3] * 2, found[[0, 1]], wf.sum(found[2:4])]
    for told in map(wf.explain, parts):
        assert told.count("digits: computed by Python, one element after the other") == 1


def test_many_parts_are_told_of_in_little_time():
    rows = wf.vectorize(digits, fallback=True)(wf.ones((20_000, 2)))
    kept = list(rows)
    assert "computed by Python" in wf.explain(kept[-1] + 1) and len(kept) == 20_000


def test_a_function_that_is_recorded_names_it_and_what_could_not_be_compiled():
    f = wf.vectorize(digits, fallback=True)
    for call in (lambda: wf.compile(lambda v: f(v) + 1)(wf.ones(3)), lambda: wf.vmap(f)(wf.ones((2, 3)))):
        with pytest.raises(wf.Error, match=r"digits: Python calls it, one element after the other, and compile\(\), vmap\(\) and loops record no such call: .*: digits: a call of .*cannot be compiled"):
            call()


def test_what_python_computed_is_not_said_to_be_numpys(on_cpu):
    def name_of(x):
        return float(len(str(x)))

    y = wf.vectorize(name_of, fallback=True)(wf.asarray(np.linspace(0, 1, 3000)))
    said = wf.explain(y * 2)
    assert "made by numpy.vectorize(name_of) at " in said
    assert "numpy.vectorize(name_of) calls your function for each element, in Python: " in said and "is NumPy's answer" not in said
