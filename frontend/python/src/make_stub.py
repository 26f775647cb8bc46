"""Writes weft/__init__.pyi from the package itself, so that what type checkers see is what there is."""

import inspect
import sys

import weft
from weft import _core
from weft._array.elementwise import Composed
from weft._base import dtypes
from weft._names import NAMES

HEAD = '''"""Generated from the package: its functions, the class Array, the dtypes."""

import builtins
import os
from typing import Any, Callable, Generic, Iterable, Iterator, ParamSpec, Sequence, TypeVar, overload

from weft import fft as fft
from weft import lib as lib
from weft import linalg as linalg
from weft import random as random
from weft import testing as testing
from weft._base.devices import Device
from weft._base.devices import Device as device
from weft._base.dtypes import FloatInfo as FloatInfo
from weft._base.dtypes import IntegerInfo as IntegerInfo
from weft._array.elementwise import Composed as ComposedFunction
from weft._array.layout import Flags as Flags
from weft._compile.recordings import Lowered as Lowered
from weft._numpy.files import Archive as Archive
from weft._numpy.by_numpy import UniqueAll as UniqueAll
from weft._numpy.by_numpy import UniqueCounts as UniqueCounts
from weft._numpy.by_numpy import UniqueInverse as UniqueInverse
from weft._base.settings import Setting as Setting
from weft._base.streams import Event as Event
from weft._base.streams import Stream as Stream

__version__: str
__array_api_version__: str
e: float
pi: float
inf: float
nan: float
newaxis: None

P = ParamSpec("P")
R = TypeVar("R", covariant=True)

class CompiledFunction(Generic[P, R]):
    __wrapped__: Callable[P, R]
    @property
    def recordings(self) -> int: ...
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    def __get__(self, instance: Any, owner: Any = None) -> Callable[..., R]: ...
    def why(self) -> str: ...
    def explain(self, *args: P.args, **kwargs: P.kwargs) -> str: ...
    def lower(self, *args: P.args, **kwargs: P.kwargs) -> Lowered: ...
    def warm(self, *args: P.args, **kwargs: P.kwargs) -> None: ...

Axis = int | tuple[int, ...] | None
Shape = int | Sequence[int]

class Error(ValueError): ...
class OutOfMemory(Error, MemoryError): ...
class InternalError(RuntimeError): ...
'''

# What Python's operators give that is no array.
OTHER_RESULTS = {
    "__bool__": "builtins.bool",
    "__int__": "int",
    "__float__": "float",
    "__complex__": "builtins.complex",
    "__index__": "int",
    "__len__": "int",
    "__contains__": "builtins.bool",
    "__iter__": "Iterator[Array]",
    "__divmod__": "tuple[Array, Array]",
    "__rdivmod__": "tuple[Array, Array]",
    "__setitem__": "None",
    "__delitem__": "None",
}
PROPERTIES = {"dtype": "Any", "shape": "tuple[int, ...]", "ndim": "int", "size": "int", "itemsize": "int", "nbytes": "int",
              "device": "device", "T": "Array", "mT": "Array", "real": "Array", "imag": "Array", "flat": "Array",
              "strides": "tuple[int, ...]", "flags": "Flags"}
ASSIGNED = {"shape", "real", "imag", "flat"}


def parameter(p):
    annotation = p.annotation if isinstance(p.annotation, str) else "Any"
    stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    default = ""
    if p.default is not p.empty:
        simple = p.default is None or isinstance(p.default, (bool, int, float, str))
        finite = not isinstance(p.default, float) or abs(p.default) < float("inf")
        default = f" = {p.default!r}" if simple and finite else " = ..."
    return f"{stars}{p.name}: {annotation}{default}"


def declaration(name, f, returns="Array", own=None):
    signature = inspect.signature(f)
    parts, seen_keyword_only = [], False
    parameters = list(signature.parameters.values())
    for i, p in enumerate(parameters):
        if p.kind is p.KEYWORD_ONLY and not seen_keyword_only:
            seen_keyword_only = True
            if not any(q.kind is q.VAR_POSITIONAL for q in parameters):
                parts.append("*")
        parts.append("self" if own and i == 0 else parameter(p))
        if p.kind is p.VAR_POSITIONAL:
            seen_keyword_only = True
        last = i + 1 == len(parameters) or parameters[i + 1].kind is not p.POSITIONAL_ONLY
        if p.kind is p.POSITIONAL_ONLY and last:
            parts.append("/")
    if isinstance(signature.return_annotation, str):
        returns = signature.return_annotation
    return f"def {name}({', '.join(parts)}) -> {returns}: ..."


def array_class():
    lines = ["class Array:"]
    for name, kind in PROPERTIES.items():
        lines += ["    @property", f"    def {name}(self) -> {kind}: ..."]
        if name in ASSIGNED:
            lines += [f"    @{name}.setter", f"    def {name}(self, value: Any) -> None: ..."]
    for name, method in sorted(vars(weft.Array).items()):
        if name in PROPERTIES or name in ("__doc__", "__module__", "__weaklistoffset__", "__hash__", "__new__", "__getattr__"):
            continue
        if isinstance(method, type(object.__init__)):  # a slot
            # The third argument of pow() is for integers alone.
            count = 1 if "pow" in name else len(inspect.signature(method).parameters) - 1
            others = "".join(f", other{i}: Any, /" if i == count - 1 else f", other{i}: Any" for i in range(count))
            ignore = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
            if name not in ("__getattribute__", "__repr__", "__str__", "__buffer__", "__release_buffer__"):
                lines.append(f"    def {name}(self{others}) -> {OTHER_RESULTS.get(name, 'Array')}: ...{ignore}")
        elif name == "__reduce__":
            lines.append("    def __reduce__(self) -> Any: ...")
        elif callable(method):
            result = {"item": "Any", "__complex__": "builtins.complex"}.get(name, "Array")
            lines.append("    " + declaration(name, method, result, own=True))
    lines.append("    def __hash__(self) -> int: ...")
    return lines


def function_classes():
    """What the elementwise functions are: one class for each number of operands, since that is what they differ in."""
    lines = []
    of_arity = {getattr(_core, name).nin: getattr(_core, name) for name in _core.map_names}
    for arity, function in sorted(of_arity.items()):
        call = declaration("__call__", function).replace("(", "(self, ", 1)
        lines += ["", f"class Function{arity}:", "    __name__: str", f"    {call}"]
        for name, member in sorted(vars(_core.Function).items()):
            if inspect.isfunction(member):
                lines.append("    " + declaration(name, member, own=True))
            elif name in ("nin", "nout", "nargs", "identity"):
                lines += ["    @property", f"    def {name}(self) -> {'Any' if name == 'identity' else 'int'}: ..."]
    return lines


def main(path):
    lines = [HEAD, *array_class(), *function_classes(), "", "ndarray = Array", ""]
    known = {"fft", "lib", "linalg", "random", "testing", "ndarray", "Array", "Error", "OutOfMemory", "InternalError", "e", "pi", "inf", "nan", "newaxis", "device", "Event", "Stream"}
    names = {name for listed in NAMES.values() for name in listed}
    for name in sorted(names - known):
        value = getattr(weft, name)
        if isinstance(value, _core.Function):
            lines.append(f"{name}: Function{value.nin}")
        elif isinstance(value, Composed):
            lines.append(f"{name}: ComposedFunction")
        elif name == "compile":  # which keeps the signature of what it takes
            lines.append("@overload\ndef compile(f: Callable[P, R], *, donate: str | int | Sequence[str | int] = ()) -> CompiledFunction[P, R]: ...")
            lines.append("@overload\ndef compile(*, donate: str | int | Sequence[str | int] = ()) -> Callable[[Callable[P, R]], CompiledFunction[P, R]]: ...")
        elif inspect.isroutine(value):
            lines.append(declaration(name, value, "Array"))
        else:
            lines.append(f"{name}: Any")
    lines += [f"{name}: Any" for name in (*dtypes.names, *weft._numpys) if name not in names]
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    assert _core.map_names
    main(sys.argv[1])
