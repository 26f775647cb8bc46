"""How far apart the same numbers may be in arrays of different sizes: small graphs are interpreted, large ones compiled."""

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
# The interpreter rounds what the host's functions give in more digits, or in f64 to within one unit.
INTERPRETED = 1


def test_the_page_names_the_ops():
    assert {"sin", "exp", "tanh", "pow", "atan2"} <= {row[0] for row in MAPS} and len(MAPS) > 40


def steps_apart(a, b):
    """How many floats lie between two, elementwise; 0 for two NaNs."""
    whole = a.dtype.str.replace("f", "i")
    a, b = np.where(np.isnan(a), 0, a), np.where(np.isnan(b), 0, b)
    a, b = (x.view(whole).astype(object) for x in (a, b))
    least = int(np.iinfo(whole).min)
    a, b = (np.where(x < 0, least - x, x) for x in (a, b))
    return np.abs(a - b)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name, operands, f32, f64", MAPS, ids=[row[0] for row in MAPS])
def test_functions_of_a_part_differ_within_their_bound(name, operands, f32, f64, dtype):
    numbers = np.random.default_rng(5).uniform(-9, 9, (2, 4096)).astype(dtype)
    numbers[:, ::3] /= 16
    if name == "lgamma":
        numbers = np.abs(numbers)  # its bound counts other units for negative numbers
    function, bound = getattr(wf, name), (f32 if dtype == "float32" else f64)
    whole = np.array(function(*(wf.asarray(n) for n in numbers[:operands])))
    for k in (1, 20, 100, 128, 250):
        part = np.array(function(*(wf.asarray(n[:k].copy()) for n in numbers[:operands])))
        assert np.array_equal(np.isnan(part), np.isnan(whole[:k]))
        assert steps_apart(part, whole[:k]).max() <= bound + INTERPRETED


# A lane adds 16 numbers of f32 before they go on in f64, and 128 of f64; the interpreter's sums are exact to a rounding.
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
