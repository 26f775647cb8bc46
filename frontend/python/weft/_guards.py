"""What a function that is recorded may have read besides its arguments, as far as its code names it.

From the variables of the function and of those that it calls by name, values are followed through the attributes that
this code names, through the methods that operators, brackets and loops call, and through Python's containers. A recording
holds for as long as each of them is what it was.
"""

from __future__ import annotations

import collections
import functools
import sys
import types

from weft import _core
from weft._core import Array

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_plain = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_others = (set, frozenset, collections.deque, bytearray)  # containers that are compared by what an iterator gives
# Methods that are called without being named. Those that dataclasses write (__init__, __repr__, __eq__, __hash__) read every field,
# so following them would record again for fields that the function does not use.
_unnamed = frozenset(f"__{name}__" for name in (
    "call get getattr getattribute getitem missing iter next reversed len contains bool int float complex index enter exit array "
    "lt le gt ge neg pos abs invert round").split()) | frozenset(
    f"__{kind}{name}__" for kind in ("", "r", "i") for name in
    "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or".split())
_most = 256  # elements of a container that is followed
_locked_from = 256 * 1024  # bytes of an array of NumPy's, beyond which it is locked; comparing less costs little


@functools.lru_cache(maxsize=1024)
def _names(code: types.CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """The global variables and the attributes that the code names, that of functions inside of it too."""
    import dis

    variables, attributes = set(), set()
    for one in dis.get_instructions(code):
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            variables.add(one.argval)
        elif one.opname in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"):
            attributes.add(one.argval)
        elif isinstance(one.argval, types.CodeType):
            inner = _names(one.argval)
            variables |= inner[0]
            attributes |= inner[1]
    return frozenset(variables), frozenset(attributes)


@functools.lru_cache(maxsize=1024)
def _foreign(module: Any) -> bool:
    """Whether what belongs to a module of this name stays as it is: Weft, Python's own and installed packages."""
    top = str(module).partition(".")[0]
    if top == "weft" or (top in sys.stdlib_module_names and top != "__main__"):
        return True
    file = getattr(sys.modules.get(top), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file


class _Walk:
    def __init__(self, attributes: set[str]) -> None:
        self.attributes = attributes
        self.guards: list[tuple[Any, Any, Any]] = []
        self.seen: dict[int, Any] = {}

    def bound(self, holder: Any, key: Any, value: Any) -> None:
        """The value that a name, an attribute or a place stands for."""
        if isinstance(value, types.ModuleType):
            self.visit(value)
            return
        self.guards.append((holder, key, value))
        if not isinstance(value, _plain):
            self.visit(value)

    def visit(self, value: Any) -> None:
        if isinstance(value, _plain) or isinstance(value, Array) or id(value) in self.seen:
            return
        self.seen[id(value)] = value
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(value, numpy.ndarray):
            self.array(value)
        elif isinstance(value, types.FunctionType):
            self.function(value)
        elif isinstance(value, types.MethodType):
            self.visit(value.__func__)
            self.visit(value.__self__)
        elif isinstance(value, _core.CompiledFunction):
            self.visit(getattr(value, "__wrapped__", None))
        elif isinstance(value, functools.partial):
            for part in (value.func, value.args, value.keywords):
                self.visit(part)
        elif isinstance(value, (tuple, list, dict, *_others)):
            self.container(value)
            self.instance(value)
        elif isinstance(value, types.ModuleType):
            if not _foreign(value.__name__):
                for name in self.attributes & value.__dict__.keys():
                    self.bound(value.__dict__, name, value.__dict__[name])
        elif isinstance(value, type):
            if not _foreign(value.__module__):
                self.class_of(value, value)
        elif str(type(value).__module__).partition(".")[0] not in ("weft", "numpy"):
            self.instance(value)

    def container(self, value: Any) -> None:
        if len(value) > _most:
            return
        parts: tuple[Any, ...]
        if isinstance(value, dict):  # a subclass may give others itself
            parts = tuple(part for pair in dict.items(value) for part in pair)
        elif isinstance(value, list):
            parts = tuple(list.__iter__(value))
        else:
            parts = tuple(value)
        if not isinstance(value, tuple):
            self.guards.append((value, None, parts))
        for one in parts:
            self.visit(one)

    def array(self, value: Any) -> None:
        from weft._memory import _loan

        loan = _loan(value) if value.nbytes >= _locked_from else None
        if loan is not None:
            self.guards.append((loan, None, loan))
        elif not value.dtype.hasobject:
            import numpy

            # Masked arrays have a tobytes() of their own, which fills them.
            self.guards.append((value, None, numpy.ndarray.tobytes(value)))

    def function(self, f: types.FunctionType) -> None:
        if _foreign(f.__module__):
            self.visit(getattr(f, "__wrapped__", None))
            return
        variables, attributes = _names(f.__code__)
        self.attributes |= attributes
        for name in variables & f.__globals__.keys():
            self.bound(f.__globals__, name, f.__globals__[name])
        for cell in f.__closure__ or ():
            try:
                self.bound(cell, None, cell.cell_contents)
            except ValueError:  # it is empty
                continue
        for value in (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()):
            self.visit(value)

    def class_of(self, kind: type, holder: Any) -> None:
        """What a class has under the names; `holder`: it, or an object of it."""
        for base in kind.__mro__:
            if _foreign(base.__module__):
                continue
            for name in (self.attributes | _unnamed) & base.__dict__.keys():
                value = base.__dict__[name]
                if isinstance(value, types.MemberDescriptorType):
                    if holder is kind:
                        continue
                    try:
                        now = value.__get__(holder)
                    except AttributeError:  # it is not set
                        continue
                    self.bound(holder, name, now)
                elif isinstance(value, property):
                    self.guards.append((base, name, value))
                    self.visit(value.fget)
                elif isinstance(value, (staticmethod, classmethod, functools.cached_property)):
                    self.visit(value.__func__ if not isinstance(value, functools.cached_property) else value.func)
                elif isinstance(value, (types.FunctionType, _core.CompiledFunction)):
                    self.bound(base, name, value)
                elif hasattr(type(value), "__get__"):
                    self.visit(value)
                else:
                    self.bound(base if holder is kind else holder, name, value)

    def instance(self, value: Any) -> None:
        try:
            own = object.__getattribute__(value, "__dict__")  # where the object's own code may raise
        except AttributeError:  # it has slots alone
            own = {}
        for name in self.attributes & own.keys():
            self.bound(value, name, own[name])
        self.class_of(type(value), value)


def guards(f: Any, arguments: list[Any]) -> list[tuple[Any, Any, Any]]:
    """Where the values lie that the function may have read, and what they are now: (variable's cell, None, value),
    (namespace, name, value), (object, attribute, value), (container, None, its parts), (NumPy's array, None, its bytes)."""
    attributes: set[str] = set()
    while True:
        walk = _Walk(set(attributes))
        for root in (f, *arguments):
            walk.visit(root)
        # Names that were found late may be those of what was seen before.
        if walk.attributes == attributes:
            return walk.guards
        attributes = walk.attributes
