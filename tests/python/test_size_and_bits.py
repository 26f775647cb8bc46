"""The same numbers in arrays of different sizes: functions give the same bits, sums have a stated bound."""

import re
from pathlib import Path

import numpy as np
import pytest

import weft as wf

# The bounds of docs/ops.md, which is written from the op table: "2 (f64: 1.5), complex 8".
ROW = re.compile(r"\| `(\w+)` \| ([12]) \| ([^|]*) \| same \| ([\d.]+)(?: \(f64: ([\d.]+)\))?[^|]* \|")
BOUNDS = [(name, int(operands), float(f32), float(f64 or f32))
          for name, operands, dtypes, f32, f64 in ROW.findall(Path("docs/ops.md").read_text()) if "float" in dtypes]
# The bound of this one counts other units than those of its result.
MAPS = [row for row in BOUNDS if hasattr(wf, row[0]) and row[0] != "logaddexp"]

def test_the_page_names_the_ops():
    assert {"sin", "exp", "tanh", "pow", "atan2"} <= {row[0] for row in MAPS} and len(MAPS) > 40


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("name, operands, f32, f64", MAPS, ids=[row[0] for row in MAPS])
def test_functions_of_a_part_have_the_bits_of_the_whole(name, operands, f32, f64, dtype, on_cpu):
    numbers = np.random.default_rng(5).uniform(-9, 9, (2, 4096))
    numbers[:, ::3] /= 16
    function, numbers = getattr(wf, name), [wf.asarray(n).astype(dtype) for n in numbers[:operands]]
    whole = np.asarray(function(*numbers)).astype("float64")
    for k in (1, 2, 7, 20, 100, 128, 250):
        part = np.asarray(function(*(wf.eval(wf.copy(n[:k])) for n in numbers))).astype("float64")
        np.testing.assert_array_equal(part, whole[:k])
    element = function(*(n[3] for n in numbers))
    np.testing.assert_array_equal(np.float64(element), whole[3])


def test_sums_whose_terms_are_products_are_rounded_once_in_every_size(on_cpu):
    x, y, z = (wf.asarray(n) for n in np.random.default_rng(6).normal(size=(3, 4096)))
    whole = np.asarray(x * y + z)
    for k in (1, 3, 20, 80, 300):
        np.testing.assert_array_equal(np.asarray(wf.copy(x[:k]) * wf.copy(y[:k]) + wf.copy(z[:k])), whole[:k])


# What the passes take away between a product and the sum that it is rounded with.
BETWEEN = [lambda x: -(-x), lambda x: +x, lambda x: x / 1, lambda x: x / 2, lambda x: x * 1, lambda x: -1 * x, lambda x: x - 0,
           lambda x: wf.where(x > 0, x, x), lambda x: x.astype(x.dtype), lambda x: wf.conj(x), lambda x: -x, lambda x: x[::-1][::-1].T]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("between", BETWEEN)
def test_products_behind_what_goes_away_are_rounded_alike_in_every_size(between, dtype, on_cpu):
    x, y, z = (wf.asarray(n).astype(dtype) for n in np.random.default_rng(8).normal(size=(3, 4096)))
    for program in (lambda a, b, c: between(a * b) + c, lambda a, b, c: c - between(a * b)):
        whole = np.asarray(program(x, y, z))
        for k in (1, 3, 15, 20, 80, 300):
            np.testing.assert_array_equal(np.asarray(program(wf.copy(x[:k]), wf.copy(y[:k]), wf.copy(z[:k]))), whole[:k])


def test_a_sum_has_the_same_bits_whatever_is_computed_with_it(on_cpu):
    x = wf.asarray(np.random.default_rng(7).normal(size=90))
    alone = float(x.sum())
    padded = wf.concatenate([x, wf.zeros(5000)])
    assert alone == float(wf.stack([x, x + 1])[0].sum()) == float(padded[:90].sum())


# A lane adds 16 numbers of f32 before they go on in f64, and 128 of f64.
@pytest.mark.parametrize("dtype, bound", [("float32", 17 * 2.0**-24), ("float64", 137 * 2.0**-53)])
@pytest.mark.parametrize("count", [250, 256, 257, 300, 5000])
def test_sums_that_cancel_differ_within_their_bound(dtype, bound, count):
    random = np.random.default_rng(count)
    half = random.normal(size=count).astype(dtype)
    numbers = np.concatenate([half, -half])
    random.shuffle(numbers)
    exact = float(np.sum(numbers.astype(np.longdouble)))
    size = float(np.abs(numbers.astype(np.longdouble)).sum())
    assert abs(float(wf.asarray(numbers).sum()) - exact) <= bound * size
    for part in (numbers[:count], numbers[count:]):
        assert abs(float(wf.asarray(part.copy()).sum()) - float(np.sum(part.astype(np.longdouble)))) <= bound * size
