"""How other libraries see an array, and the methods that arrays have."""

import sys


def __getattr__(name: str) -> object:
    if name == "from_dlpack":  # which pickles of before name here
        return sys.modules["weft"].from_dlpack
    raise AttributeError(f"module 'weft._protocols' has no attribute {name!r}")
