"""What Weft runs with: the variables that it reads, and the versions and devices around it, for reports."""

from __future__ import annotations

import os
import sys

from weft._base.devices import devices

# Those of docs/settings.md.
variables = (
    "WEFT_CACHE_DIR", "WEFT_CACHE_LIMIT", "WEFT_DEVICE", "WEFT_GRAPH_LIMIT", "WEFT_INTERPRET_LIMIT", "WEFT_LOG", "WEFT_NUMERICS", "WEFT_THREADS", "WEFT_TIER",
)  # fmt: skip


def check_environment() -> None:
    """Warns of variables that are nearly those which Weft reads."""
    for name in [one for one in os.environ if one.upper().startswith("WEFT") and one not in variables]:
        import difflib
        import warnings

        near = difflib.get_close_matches(name.upper(), variables, 1, 0.85)
        if near:
            warnings.warn(f"weft: the environment has {name}, which Weft does not read: did you mean {near[0]}?", stacklevel=3)


def show_versions() -> None:
    """Prints what a report of a problem should say: versions, machine, devices, and the variables that Weft reads."""
    import platform
    from importlib import metadata

    lines = [f"weft {sys.modules['weft'].__version__}", f"Python {platform.python_version()}"]
    for name in ("numpy", "ml_dtypes", "scipy", "torch", "cupy", "jax"):
        try:
            lines.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            pass
    lines += [platform.platform(), f"{os.cpu_count()} processors", f"devices: {', '.join(str(one) for one in devices())}"]
    lines += [f"{name}={os.environ[name]}" for name in variables if name in os.environ]
    print("\n".join(lines))
