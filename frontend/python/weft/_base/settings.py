"""What Weft runs with: the variables that it reads, settings that change while it runs, and the versions and devices around it."""

from __future__ import annotations

import os
import sys

from weft import _core
from weft._base.arguments import no_value, whole
from weft._base.devices import default_device

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

variables = tuple(_core.variables())


def check_environment() -> None:
    """Warns of variables that are nearly those which Weft reads, and of those whose values mean nothing: the first array, or what reads them, is an
    Error."""
    said = [f"the environment has {name}, which Weft does not read: did you mean {meant}?" for name, meant in _core.misspelt_variables()]
    said += [f"the environment: {refused}" for refused in _core.refused_variables()]
    for text in said:
        import warnings

        warnings.warn(f"weft: {text}", stacklevel=3)
    if "logging" in os.environ.get("WEFT_LOG", "").split(","):
        import atexit

        _core.send_log()
        atexit.register(_core.give_log)


class Setting:
    """What a `set_...` function did: `with wf.set_threads(1): ...` sets it back at the end of the block."""

    __slots__ = ("_said", "_set", "_was")

    def __init__(self, name: str, get: Callable[[], Any], set: Callable[..., None], value: tuple[Any, ...]):
        self._was, self._set = get(), set
        set(*value)
        self._said = f"<{name}: {_said(get())}, was {_said(self._was)}>"

    def __enter__(self) -> Setting:
        return self

    def __exit__(self, *error: object) -> None:
        self._set(*self._was) if isinstance(self._was, tuple) else self._set(self._was)

    def __repr__(self) -> str:
        return self._said


def _said(value: Any) -> str:
    if not isinstance(value, tuple):
        return str(value)
    return f"{value[0]} to {value[1]}" if isinstance(value[1], str) else f"{value[0] or 'nowhere'}, {value[1]} bytes"


def _number(op: str, value: Any) -> int:
    number = whole(op, value, "takes a whole number", False)
    if not 0 <= number < 1 << 63:
        raise ValueError(f"{op}: takes a number of 0 or more: got {number}")
    return number


def _word(op: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{op}: takes a string: got {type(value).__name__}")
    return value


def set_threads(threads: int | None) -> Setting:
    """How many threads of the CPU compute from now on; None for all that the process may use. Results do not depend on it.

    Also in `with wf.set_threads(1): ...`, as every `set_...` function: at the end of the block it is set back.
    """
    number = 0 if threads is None else _number("set_threads", threads)
    return Setting("threads", _core.threads, _core.set_threads, (min(number, (1 << 31) - 1),))


def set_numerics(numerics: str) -> Setting:
    """How closely results follow the reference: 'strict', 'standard' or 'fast'.

    What is computed from now on follows it. Functions of `wf.compile` that were recorded before stay as they are.
    """
    return Setting("numerics", _core.numerics, _core.set_numerics, (_word("set_numerics", numerics),))


def set_tier(tier: str) -> Setting:
    """What first calls do from now on: 'auto' runs without kernels where that takes less time than to compile them, and has them compiled
    meanwhile; 'compile' waits for kernels; 'blocks' compiles none that it can do without."""
    return Setting("tier", _core.tier, _core.set_tier, (_word("set_tier", tier),))


def tier() -> str:
    """What first calls do: 'auto', 'compile' or 'blocks'."""
    return _core.tier()


def set_cache(directory: str | os.PathLike[str] | None = no_value, limit: int | None = None) -> Setting:
    """Where compiled kernels are kept from now on, None for nowhere, and the most bytes of them there.

    What is not given stays as it is. A directory that cannot be used is weft.Error, and the one before it stays.
    """
    if directory is no_value:
        if limit is None:
            raise TypeError("set_cache: takes a directory, None for none, a limit, or both: got neither")
        directory = _core.cache()[0] or None
    where = "" if directory is None else os.fsdecode(os.path.expanduser(directory))
    most = _core.cache()[1] if limit is None else _number("set_cache: limit", limit)
    return Setting("cache", _core.cache, _core.set_cache, (where, most))


def set_log_level(level: str) -> Setting:
    """What is logged from now on: 'trace', 'debug', 'info', 'warn', 'error' or 'off'. Warnings are Python's own in any case. set_log() says where it goes."""
    return Setting("log level", _core.log_level, _core.set_log_level, (_word("set_log_level", level),))


def set_log(level: str | None = None, *, to: str | None = None) -> Setting:
    """What is logged from now on, and where it goes: to 'stderr', or to Python's 'logging', to its logger "weft". What is not given stays as it is.

    `level` is as set_log_level() takes it, or "recompiles" beside it, as in "warn,recompiles": why programs are planned is logged, whatever the
    level, by the logger "weft.recompiles". Of the levels that Python's logging has no name for, trace is 5. Messages of other threads wait for the main one.
    """
    if level is None and to is None:
        raise TypeError("set_log: takes a level, where the log goes, or both: got neither")
    now = _core.log_setting()
    return Setting("log", _core.log_setting, _core.set_log, tuple(was if given is None else _word("set_log", given) for given, was in zip((level, to), now)))


def debug_nans(on: bool = True, *, infinities: bool = False) -> Setting:
    """From now on, or in `with wf.debug_nans(): ...`: weft.Error where an operation makes a NaN, which names the operation, your line, the place and the operands.

    A NaN that was in the data is no error, nor one that no result is made of, as what `where` leaves out. `infinities=True` looks for infinities,
    too. Results are looked through as they are computed; functions of `wf.compile` run as they are written meanwhile.
    """
    for name, value in (("on", on), ("infinities", infinities)):
        if value not in (True, False):
            raise TypeError(f"debug_nans: {name} is True or False: got {value!r}")
    return Setting("debug_nans", _core.watch, _core.set_watch, (("infinities" if infinities else "nans") if on else "off",))


def set_callers(on: bool = True) -> Setting:
    """Whether lines of your code that are recorded from now on have the lines that called, as `helper.py:3 from main.py:10`: explain(), show() and
    errors then tell one call of a function from another.

    It has each operation look at the frames around it. What explain() and show() of a function record has callers in any case.
    """
    if on not in (True, False):
        raise TypeError(f"set_callers: on is True or False: got {on!r}")
    return Setting("callers", _core.callers, _core.set_callers, (bool(on),))


def settings() -> dict[str, Any]:
    """What is set now, by functions or by variables, as a dict: the device, threads, numerics, tier, cache, log, limits of recorded graphs, and what
    is on or off."""
    directory, most = _core.cache()
    graph, interpret, check, graphs = _core.limits()
    return {
        "device": str(default_device()), "threads": _core.threads(), "numerics": _core.numerics(), "tier": _core.tier(),
        "cache_directory": directory or None, "cache_limit": most, "log_level": _core.log_level(), "log_to": _core.log_setting()[1], "debug_nans": _core.watch(), "callers": _core.callers(),
        "graph_limit": graph, "interpret_limit": interpret, "check": check, "cuda_graphs": graphs,
    }  # fmt: skip


def _about(device: str) -> str:
    try:
        about = _core.device_info(device)
    except _core.Error as error:
        return f"{device}: cannot be used: {error}"
    cache, memory = f"{about['cache_bytes'] / 2**20:.1f} MiB of", f"{about['memory_bytes'] / 2**30:.1f} GiB of memory"
    parts = [f"{about['threads']} threads", f"vectors of {about['vector_bytes']} bytes", f"{cache} cache"] if device == "cpu" else [f"{cache} L2 cache"]
    return f"{device}: " + ", ".join([about["description"], about["architecture"], *parts, memory])


def show_versions() -> None:
    """Prints what a report of a problem should say: versions of Weft, Python, the libraries inside and those that were found; the machine, its
    devices, and the variables that Weft reads."""
    import platform
    from importlib import metadata

    lines = [f"weft {sys.modules['weft'].__version__}", f"Python {platform.python_version()} ({platform.python_implementation()})"]
    for name in ("numpy", "ml_dtypes", "scipy", "dask", "torch", "cupy", "jax"):
        try:
            lines.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            pass
    lines += [f"{name}: {what}" for name, what in _core.libraries()]
    lines += [platform.platform(), f"{os.cpu_count()} processors, {len(os.sched_getaffinity(0))} of them for this process"]
    lines += [_about(name) for name in _core.device_names()]
    if reason := _core.no_cuda_because():
        lines.append(f"cuda: none: {reason}")
    lines += [f"{name}={os.environ[name]}" for name in variables if name in os.environ]
    print("\n".join(lines))
