"""What Weft computes itself, where the arguments lie on a GPU or have no values yet, and else NumPy answers."""

from __future__ import annotations

from weft._base import selected, signatures
from weft._base.devices import is_gpu
from weft._base.host import _numpy, answered, device_of
from weft._base.recorded import of_arguments, refuse_arguments

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


# Those whose results have shapes that need no values, so that they can be recorded.
_recordable = ("argpartition", "argsort", "isin", "lexsort", "median", "partition", "percentile", "quantile", "searchsorted", "sort")
# Others that are recorded, by their names, and what finds their functions: _numpy/by_numpy.py puts them here.
recorded_by: dict[str, Any] = {}


def computed_there(name: str, *args: Any, **options: Any) -> Any:
    """What is computed where the arguments lie, if that is a GPU, or of what is being recorded; else NotImplemented."""
    is_recorded = (name in _recordable or name in recorded_by) and of_arguments((*args, *options.values()))
    if is_recorded and name in recorded_by:
        return recorded_by[name](name)(*args, **options)
    if not is_recorded:
        if not is_gpu(device_of((*args, *options.values()) if options else args)):
            return NotImplemented
        refuse_arguments(name, [*args, *options.values()])
    from weft._array import on_gpu

    f = getattr(on_gpu, name, None)
    return NotImplemented if f is None else f(*args, **options)


def there_or_answered(name: str, *args: Any, **options: Any) -> Any:
    there = computed_there(name, *args, **options)
    return answered(getattr(_numpy(), name), *args, **options) if there is NotImplemented else there


# Where these take an array for the result; behind it they are told whether their operand may be overwritten.
_outs = {"median": 2, "nanmedian": 2, "percentile": 3, "quantile": 3, "nanpercentile": 3, "nanquantile": 3}


def answered_by(module: str, name: str) -> Any:
    """NumPy's function of this name, over Weft's arrays."""

    here = None

    def f(*args: Any, **options: Any) -> Any:
        nonlocal here
        if here is None:
            import importlib

            here = selected.selecting(name) if module == "numpy" and name in selected.names else getattr(importlib.import_module(module), name)
        if module == "numpy" and (there := computed_there(name, *args, **options)) is not NotImplemented:
            return there
        if name in _outs and len(args) > _outs[name] and args[_outs[name]] is not None:
            options["out"] = args[_outs[name]]
            args = (*args[: _outs[name]], None, *args[_outs[name] + 1 :])
        if name in _outs and len(args) > _outs[name] + 1:
            args = (*args[: _outs[name] + 1], False, *args[_outs[name] + 2 :])
        return answered(here, *args, **options)

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{module}.{name}, answered by NumPy: help({module}.{name}) says what it takes."
    if name in signatures.taken.get(module, ()):
        f.__wrapped__ = signatures.taken[module][name]  # type: ignore[attr-defined]
    return f
