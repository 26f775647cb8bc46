"""Settings of all Python tests: kernels go to a folder of their own, and hypothesis sets no clock."""

import os
import tempfile

_cache = tempfile.TemporaryDirectory(prefix="weft-test-")
os.environ["WEFT_CACHE_DIR"] = _cache.name

from hypothesis import settings  # noqa: E402

settings.register_profile("weft", deadline=None, max_examples=60, print_blob=True)
settings.load_profile("weft")
