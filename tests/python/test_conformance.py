"""The Array API standard's own tests, from a checkout that WEFT_ARRAY_API_TESTS names."""

import os
import subprocess
import sys

import numpy as np
import pytest

CHECKOUT = os.environ.get("WEFT_ARRAY_API_TESTS")


@pytest.mark.skipif(not CHECKOUT, reason="WEFT_ARRAY_API_TESTS names no checkout of data-apis/array-api-tests")
def test_array_api_tests_pass():
    environment = dict(os.environ, ARRAY_API_TESTS_MODULE="weft", ARRAY_API_TESTS_VERSION="2025.12")
    # Eigenvalues are NumPy's. Before 2.5 they are real where all of a real matrix's are, where the standard wants complex ones.
    is_older = np.lib.NumpyVersion(np.__version__) < "2.5.0"
    as_numpys = [f"--deselect=array_api_tests/test_linalg.py::{name}" for name in ("test_eig", "test_eigvals") if is_older]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--hypothesis-disable-deadline", "--max-examples", "20", "-p", "no:cacheprovider", *as_numpys],
        cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:]
