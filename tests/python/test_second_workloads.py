"""The workloads of tests/benchmarks/second_workloads.py give what NumPy's float64 gives, op by op recorded and compiled."""

import sys
from pathlib import Path

import numpy as np
import pytest

import weft as wf

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
import second_workloads as second  # noqa: E402


def as_list(results):
    return [np.asarray(one) for one in (results if isinstance(results, (list, tuple)) else [results])]


@pytest.mark.parametrize("name", second.WORKLOADS)
def test_gives_numpys_results(name):
    workload = second.WORKLOADS[name]
    inputs = workload.inputs(second.SIZES["tiny"])
    wide = [i.astype(np.result_type(i, np.float64)) if i.dtype.kind in "fc" else i for i in inputs]
    wanted = as_list(workload.body(np, *wide))
    bound = 2e-3 if any(i.dtype == np.float16 for i in inputs) else 1e-5
    for f in (lambda *a: workload.body(wf, *a), wf.compile(lambda *a: workload.body(wf, *a))):
        for _ in range(2):
            got = as_list(f(*map(wf.array, inputs)))
            assert [one.shape for one in got] == [one.shape for one in wanted]
            for one, other in zip(got, wanted, strict=True):
                np.testing.assert_allclose(one, other, rtol=bound, atol=bound * np.abs(other).max())
