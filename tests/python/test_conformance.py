"""The Array API standard's own tests, from a checkout that WEFT_ARRAY_API_TESTS names."""

import os
import subprocess
import sys

import pytest

CHECKOUT = os.environ.get("WEFT_ARRAY_API_TESTS")


@pytest.mark.skipif(not CHECKOUT, reason="WEFT_ARRAY_API_TESTS names no checkout of data-apis/array-api-tests")
def test_array_api_tests_pass():
    environment = dict(os.environ, ARRAY_API_TESTS_MODULE="weft", ARRAY_API_TESTS_VERSION="2025.12")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--hypothesis-disable-deadline", "--max-examples", "20", "-p", "no:cacheprovider",
         "--disable-extension", "linalg", "fft"],
        cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:]
