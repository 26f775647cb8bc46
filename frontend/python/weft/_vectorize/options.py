"""What vectorize() takes, looked at where it is given: the function, the dtypes of its results, its excluded arguments, its signature."""

from __future__ import annotations

import re
import types

from weft import _core
from weft._base.origin import module_of
from weft._core import Error

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_ARRAYS_OWN = {
    "Elementwise": "elementwise() made it, and it takes arrays: call it as it is",
    "Reduction": "reduction() made it, and it takes arrays: call it as it is",
    "CpuKernel": "cpu_kernel() made it, and it takes arrays: call it as it is",
    "CudaKernel": "cuda_kernel() made it, and it takes arrays: call it as it is",
    "CompiledFunction": "compile() made it, and it takes arrays: pass the function that it was made of",
}
_AXES = r"\(\s*(?:\w+\s*(?:,\s*\w+\s*)*)?\)"
_SIGNATURE = re.compile(rf"\s*{_AXES}\s*(?:,\s*{_AXES}\s*)*->\s*{_AXES}\s*(?:,\s*{_AXES}\s*)*")
_ANY_PLACE, _ANY_NAME = 0x04, 0x08  # of a code object: *args, **keywords


def check_function(f: Any) -> None:
    """Refuses what is no function of numbers."""
    rule = _ARRAYS_OWN.get(type(f).__name__) if module_of(type(f)).partition(".")[0] == "weft" else None
    if rule is not None:
        raise TypeError(f"vectorize: takes a function of numbers: got {getattr(f, '__name__', f)!s}: {rule}")


def checked_signature(signature: Any) -> None:
    """Refuses what does not name the axes of arguments and results."""
    if not isinstance(signature, str):
        raise TypeError(f"vectorize: signature is a text: got {type(signature).__name__}")
    if not _SIGNATURE.fullmatch(signature):
        raise ValueError(f'vectorize: signature names the last axes of each argument and each result, as "(n),(n)->()": got {signature!r}')


def checked_otypes(otypes: Any) -> Any:
    """A dtype for each result, by NumPy's letters or as a list; None where the function says them."""
    if otypes is None:
        return None
    if not isinstance(otypes, (str, list, tuple)):
        raise TypeError(f"vectorize: otypes is a list of dtypes, as ['float32'], or a text of NumPy's letters, as 'f': got {otypes!r}")
    for one in otypes:
        try:
            _core.dtype(one)
        except TypeError as error:
            raise TypeError(f"vectorize: otypes: {error}") from None
    return otypes if isinstance(otypes, str) else [*otypes]


def checked_excluded(f: Any, excluded: Any) -> set[Any]:
    """The places and names of arguments that are no arrays."""
    if excluded is None:
        return set()
    if not isinstance(excluded, (set, frozenset, list, tuple)):
        raise TypeError(f"vectorize: excluded is a set of places and names of arguments, as {{1}} or {{'p'}}: got {excluded!r}")
    for one in excluded:
        if type(one) not in (int, str) or type(one) is int and one < 0:
            raise TypeError(f"vectorize: excluded has places of arguments, from 0 on, and their names: got {one!r}")
        _check_has(f, one)
    return set(excluded)


def places_of(f: Any) -> tuple[str, ...]:
    """The names of what a function of Python's takes by place; none of others."""
    return f.__code__.co_varnames[: f.__code__.co_argcount] if isinstance(f, types.FunctionType) else ()


def _check_has(f: Any, argument: Any) -> None:
    """Refuses a place or a name that a function of Python's does not have."""
    code = f.__code__ if isinstance(f, types.FunctionType) else None
    if code is None or code.co_flags & (_ANY_PLACE if type(argument) is int else _ANY_NAME):
        return
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if argument not in names and not (type(argument) is int and argument < code.co_argcount):
        raise Error(f"vectorize: excluded has arguments of {f.__name__}, which takes {', '.join(names) or 'none'}: got {argument!r}")
