"""What goes to NumPy's memory by NumPy's rules: the functions, under both libraries' names, that write to their first argument."""

from __future__ import annotations

import builtins
import functools

from weft import _core
from weft._base.host import asked, device_of, from_host, to_host
from weft._base.memory import give_back, is_numpys

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable

# They give nothing.
written_first = ("copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal")


def into_numpys(numpys: Any, args: Any, options: Any) -> Any:
    """What NumPy's function writes to arrays of NumPy's, which it gives: by its rules, since the memory is its own."""
    import numpy

    outs = options.get("out")
    outs = outs if isinstance(outs, tuple) else (outs if outs is not None else args[0],)
    for out in outs:
        if isinstance(out, numpy.ndarray):
            give_back(out)
    result = asked(numpys, numpys.__name__, *to_host(tuple(args)), **{name: to_host(value) for name, value in options.items()})
    device = device_of([*args, *options.values()])
    if device:
        _core.note_answer(numpys.__name__, None)

    def given(one: Any) -> Any:
        return one if builtins.any(one is out for out in outs) else from_host(one, device)

    return tuple(map(given, result)) if isinstance(result, tuple) else given(result)


def numpys_too(f: Callable[..., Any]) -> Callable[..., Any]:
    """f, which writes to its first argument; to arrays of NumPy's NumPy's function of that name writes."""
    first = f.__code__.co_varnames[0]

    @functools.wraps(f)
    def written(*args: Any, **options: Any) -> Any:
        target = args[0] if args else options.get(first)
        if not is_numpys(target):
            return f(*args, **options)
        import numpy

        others = {name: value for name, value in options.items() if args or name != first}
        return into_numpys(getattr(numpy, f.__name__), args or (target,), others)

    return written
