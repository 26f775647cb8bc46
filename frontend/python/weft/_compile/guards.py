"""What a function that is recorded may have read besides its arguments, as far as its code names it.

From the variables of the function and of those that it calls by name, values are followed through the attributes that
this code names, through the methods that operators, brackets and loops call, and through Python's containers. A recording
holds for as long as each of them is what it was, and none is there that was not.
"""

from __future__ import annotations

import collections
import functools
import gc
import os
import sys
import types

from weft import _core
from weft._core import Array
from weft._base.memory import _loan
from weft._base.origin import module_of, package

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_plain = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
# Containers that are compared by what an iterator gives.
_others = (set, frozenset, collections.deque, bytearray, type({}.keys()), type({}.values()), type({}.items()))
# Methods that are called without being named. Those that dataclasses write (__init__, __repr__, __eq__, __hash__) read every field,
# so following them would record again for fields that the function does not use.
_unnamed = frozenset(f"__{name}__" for name in (
    "call get getattr getattribute getitem missing iter next reversed len contains bool int float complex index enter exit array "
    "lt le gt ge neg pos abs invert round").split()) | frozenset(
    f"__{kind}{name}__" for kind in ("", "r", "i") for name in
    "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or".split())
_by_name = frozenset(("getattr", "hasattr", "vars", "dir", "attrgetter", "__dict__", "__getattribute__"))  # read attributes that no code names
_exact = frozenset(("type", "issubclass"))  # tell a number that is recorded from the float that it stands for, which isinstance() does not
_exact_modules = frozenset(("datetime", "decimal", "json", "statistics"))  # of Python's own: ask for the type of numbers in their code
_most = 256  # elements of a container that is followed
_digested_from = 256 * 1024  # bytes of an array of NumPy's, beyond which a digest is kept in place of a copy


@functools.lru_cache(maxsize=1024)
def _names(code: types.CodeType) -> tuple[frozenset[str], frozenset[str], bool]:
    """The global variables and the attributes that the code names, that of functions inside of it too, and whether it goes on where one is missing."""
    import dis

    variables, attributes = set(), set()
    handles = bool(getattr(code, "co_exceptiontable", b""))
    for one in dis.get_instructions(code):
        handles |= one.opname == "SETUP_FINALLY"  # before Python 3.11
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            variables.add(one.argval)
        elif one.opname in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"):
            attributes.add(one.argval)
        elif isinstance(one.argval, types.CodeType):
            inner = _names(one.argval)
            variables |= inner[0]
            attributes |= inner[1]
            handles |= inner[2]
    if not _by_name.isdisjoint(variables | attributes):
        handles = True  # or asks first, or gives what is to be taken instead
        attributes.update(text for text in code.co_consts if isinstance(text, str) and text.isidentifier())
    return frozenset(variables), frozenset(attributes), handles


def _line_of(code: types.CodeType, name: str) -> str | None:
    """The line at which the code, or that of a function inside of it, names a variable or imports a module."""
    import dis

    line, starts = code.co_firstlineno, dict(dis.findlinestarts(code))
    for one in dis.get_instructions(code):
        line = starts.get(one.offset) or line
        if isinstance(one.argval, types.CodeType):
            if (inner := _line_of(one.argval, name)) is not None:
                return inner
        elif one.argval == name and one.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "IMPORT_NAME"):
            return f"{os.path.basename(code.co_filename)}:{line}"
    return None


def _asks_for_types(name: str, *value: Any) -> bool:
    """Whether what a variable of this name is, Python's own where no value is given, tells a number from one that stands for it."""
    if not value:
        return name in _exact
    one = value[0]
    if isinstance(one, types.ModuleType):
        return one.__name__.partition(".")[0] in _exact_modules
    return one is type or one is issubclass or (callable(one) and module_of(one).partition(".")[0].lstrip("_") in _exact_modules)


@functools.lru_cache(maxsize=1024)
def _imported(code: types.CodeType) -> str | None:
    """The name of such a module that the code imports itself, that of functions inside of it too."""
    import dis

    for one in dis.get_instructions(code):
        if one.opname == "IMPORT_NAME" and one.argval.partition(".")[0] in _exact_modules:
            return str(one.argval)
        if isinstance(one.argval, types.CodeType) and (inner := _imported(one.argval)) is not None:
            return inner
    return None


@functools.lru_cache(maxsize=1024)
def _foreign(module: str) -> bool:
    """Whether what belongs to a module of this name stays as it is: Weft, Python's own and installed packages."""
    top = module.partition(".")[0]
    if top == "weft" or (top in sys.stdlib_module_names and top != "__main__"):
        return True
    file = getattr(sys.modules.get(top), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file or bool(file) and _holds_packages(_folder_of(file))


def _folder_of(file: str) -> str:
    """The folder that a module or a package is found in."""
    folder, name = os.path.split(file)
    return os.path.dirname(folder) if name.startswith("__init__.") else folder


@functools.lru_cache(maxsize=1024)
def _holds_packages(folder: str) -> bool:
    """Whether packages were installed there, as `pip install --target` does wherever it is told to."""
    try:
        return any(name.endswith(".dist-info") for name in os.listdir(folder or "."))
    except OSError:  # what an archive holds, say
        return False


class Same:
    """Stands for an object that is told apart by what it is: what a function reads of it is followed."""

    def __init__(self, it: Any) -> None:
        self.it = it

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Same) and other.it is self.it

    def __hash__(self) -> int:
        return id(self.it)


def followed(value: Any) -> bool:
    """Whether all that can be read of an object is."""
    if isinstance(value, (*_others, types.MappingProxyType, collections.ChainMap, collections.UserDict, collections.UserList)):
        return len(value) <= _most
    if isinstance(value, types.SimpleNamespace) or _is_memory(value):
        return True
    return isinstance(type(value), type) and not _foreign(module_of(type(value)))


class _Sought:
    """What code may ask for: attributes of these names; or any, by names that it computes; and whether it goes on where one is missing."""

    def __init__(self) -> None:
        self.attributes: frozenset[str] = frozenset()
        self.any = self.misses = False

    def __eq__(self, other: Any) -> bool:
        return vars(self) == vars(other)


class Walk:
    def __init__(self, sought: _Sought) -> None:
        self.sought = sought
        self.found = _Sought()
        self.guards: list[tuple[Any, ...]] = []
        self.filled: list[tuple[Any, Any]] = []
        self.seen: dict[int, Any] = {}
        self.asked: set[tuple[int, str]] = set()
        self.asks_for_types: str | None = None  # the line of code that may ask what type a number has

    def bound(self, holder: Any, key: Any, value: Any) -> None:
        """The value that a name, an attribute or a place stands for."""
        if isinstance(value, types.ModuleType):
            self.visit(value)
            return
        self.guards.append((holder, key, value))
        if not isinstance(value, _plain):
            self.visit(value)

    def missing(self, holder: Any, key: Any) -> None:
        self.guards.append((holder, key))

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
            self.instance(value)
        elif isinstance(value, functools.partial):
            for part in (value.func, value.args, value.keywords):
                self.visit(part)
            self.instance(value)
        elif isinstance(value, types.MappingProxyType):
            self.items(value)
        elif isinstance(value, collections.ChainMap):
            self.visit(value.maps)
            self.instance(value)
        elif isinstance(value, (collections.UserDict, collections.UserList)):
            self.bound(value, "data", value.data)
            self.instance(value)
        elif _is_memory(value):
            self.guards.append((value, None, value.tobytes()))
        elif isinstance(value, (tuple, list, dict, *_others)):
            self.container(value)
            self.instance(value)
        elif isinstance(value, types.ModuleType):
            if not _foreign(value.__name__):
                self.namespace(value.__dict__, value.__dict__, self.sought.attributes)
        elif isinstance(value, type):
            if not _foreign(module_of(value)):
                self.class_of(value, value)
                if type(value) is not type:
                    self.class_of(type(value), value)
        elif isinstance(value, Same):
            self.visit(value.it)
        elif module_of(type(value)).startswith("weft.") and hasattr(value, "_weft_scalar_function"):
            self.visit(value._weft_scalar_function)  # what its Python code reads
        elif module_of(type(value)).partition(".")[0] not in ("weft", "numpy"):
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
        if isinstance(value, collections.defaultdict):
            self.filled.append((value, None))
        elif not isinstance(value, tuple):
            self.guards.append((value, None, parts))
        for one in parts:
            self.visit(one)

    def items(self, value: Any) -> None:
        if len(value) > _most:
            return
        pairs = tuple(value.items())
        self.guards.append((value.items(), None, pairs))
        for pair in pairs:
            self.visit(pair)

    def array(self, value: Any) -> None:
        import numpy

        large = value.nbytes >= _digested_from
        if large and (loan := _loan(value, asked=False)) is not None:
            self.guards.append((loan, None, loan))  # constant: nothing to compare
        elif not value.dtype.hasobject:
            # Masked arrays have a tobytes() of their own, which fills them.
            self.guards.append((value, None, _core.digest(value) if large else numpy.ndarray.tobytes(value)))

    def namespace(self, holder: Any, values: Any, names: Any) -> None:
        """What a dict has under the names: the globals of a module, or an object's attributes; and what it has not, where that matters."""
        for name in names:
            if name in values:
                self.bound(holder, name, values[name])
            elif self.sought.misses:
                self.missing(values, name)

    def function(self, f: types.FunctionType) -> None:
        if _foreign(module_of(f)):
            self.visit(getattr(f, "__wrapped__", None))
            return
        variables, attributes, handles = _names(f.__code__)
        self.found.attributes |= attributes
        self.found.any |= not _by_name.isdisjoint(variables | attributes)
        self.found.misses |= handles
        self.types_asked(f, variables)
        for name in variables:
            if name in f.__globals__:
                self.bound(f.__globals__, name, f.__globals__[name])
            else:  # it is Python's own, or an exception is caught
                self.missing(f.__globals__, name)
        for cell in f.__closure__ or ():
            try:
                self.bound(cell, None, cell.cell_contents)
            except ValueError:  # it is empty
                self.missing(cell, None)
        for value in (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()):
            self.visit(value)
        self.instance(f)

    def types_asked(self, f: types.FunctionType, variables: frozenset[str]) -> None:
        """Notes where the function names type(), issubclass() or what asks for types itself."""
        if self.asks_for_types is not None or f.__code__.co_filename.startswith(package):  # Weft's own knows such numbers
            return
        values = {name: bound_now(cell, None) for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ())}
        named = [name for name in variables if _asks_for_types(name, *([f.__globals__[name]] if name in f.__globals__ else []))]
        named += [name for name, value in values.items() if _asks_for_types(name, value)]
        name = next(iter(named), None) or _imported(f.__code__)
        if name is not None:
            self.asks_for_types = _line_of(f.__code__, name) or f.__qualname__

    def class_of(self, kind: type, holder: Any, own: Any = None) -> None:
        """What a class has under the names; `holder`: it, or an object of it, whose attributes are `own`."""
        for name in self.sought.attributes | _unnamed:
            base = next((base for base in kind.__mro__ if name in base.__dict__), None)
            if base is None:
                if self.sought.misses and name not in _unnamed:
                    self.once(kind, name)
                continue
            if _foreign(module_of(base)):
                continue
            value = base.__dict__[name]
            if isinstance(holder, type) and holder is not kind:  # an attribute of a metaclass
                if name not in _unnamed and not any(name in one.__dict__ for one in holder.__mro__):
                    self.once(holder, name)
                self.once(kind, name, value)
                self.found.misses |= name == "__getattr__"
                self.visit(value.fget if isinstance(value, property) else value)
                continue
            if isinstance(value, types.MemberDescriptorType):
                if holder is kind:
                    continue
                try:
                    self.bound(holder, value, value.__get__(holder))
                except AttributeError:  # it is not set
                    self.missing(holder, value)
                continue
            called = isinstance(value, (property, staticmethod, classmethod, functools.cached_property, types.FunctionType,
                                        _core.CompiledFunction)) or hasattr(type(value), "__get__")  # fmt: skip
            if not called and holder is not kind:
                self.bound(holder, name, value)
                continue
            self.once(kind, name, value)
            if own is not None and not isinstance(value, property) and name not in _unnamed and name not in own:
                if isinstance(value, functools.cached_property):
                    self.filled.append((own, name))
                else:
                    self.missing(own, name)
            if isinstance(value, property):
                self.visit(value.fget)
            elif isinstance(value, (staticmethod, classmethod)):
                self.visit(value.__func__)
            elif isinstance(value, functools.cached_property):
                self.visit(value.func)
            else:
                if name == "__getattr__":
                    self.found.misses = True
                self.visit(value)

    def once(self, kind: type, name: str, *value: Any) -> None:
        """What a class has under a name, or nothing: for all of its objects."""
        if (id(kind), name) not in self.asked:
            self.asked.add((id(kind), name))
            self.guards.append((kind, name, *value))

    def instance(self, value: Any) -> None:
        try:
            own = object.__getattribute__(value, "__dict__")  # where the object's own code may raise
        except AttributeError:  # it has slots alone
            own = None
        if own is not None:
            names = self.sought.attributes
            if self.sought.any and len(own) <= _most:
                self.guards.append((own, None, tuple(part for pair in own.items() for part in pair)))
                names |= own.keys()
            in_class = {name for base in type(value).__mro__ for name in base.__dict__}
            self.namespace(value, own, names - (in_class - own.keys()))
        self.class_of(type(value), value, own)


def _is_memory(value: Any) -> bool:
    """Whether it is an array.array, or a memoryview in one piece."""
    try:
        return type(value).__module__ == "array" or (isinstance(value, memoryview) and value.c_contiguous)
    except ValueError:  # it was released
        return False


def guards_of_filled(filled: list[tuple[Any, Any]]) -> list[tuple[Any, ...]]:
    """What reading has put there, or nothing where it was not read."""
    found: list[tuple[Any, ...]] = []
    for holder, key in filled:
        if key is None:
            found.append((holder, None, tuple(part for pair in dict.items(holder) for part in pair)))
        else:
            found.append((holder, key, holder[key]) if key in holder else (holder, key))
    return found


def guards(f: Any, arguments: list[Any]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, Any]], str | None]:
    """Where the values lie that the function may have read, and what they are now: (variable's cell, None, value),
    (namespace, name, value), (object, attribute, value), (object, slot, value), (class, name, what it or a base has under it),
    (container, None, its parts), (what has bytes, None, these or their digest). Without a value: what is not there. And what reading itself
    fills, for guards_of_filled() afterwards: (defaultdict, None), (namespace, name of a cached property). And the line that may ask for a
    number's type."""
    walk = walked(f, arguments)
    return walk.guards, walk.filled, walk.asks_for_types


def walked(f: Any, arguments: list[Any], make: Any = Walk) -> Any:
    """The walk from the function and its arguments over all that its code may read."""
    sought = _Sought()
    while True:
        walk = make(sought)
        for root in (f, *arguments):
            walk.visit(root)
        # Names that were found late may be those of what was seen before.
        if walk.found == sought:
            return walk
        sought = walk.found


def bound_now(holder: Any, key: Any, missing: Any = None) -> Any:
    """What a guard's name, attribute, slot or variable stands for, `missing` where it is not there."""
    if isinstance(holder, types.CellType):
        try:
            return holder.cell_contents
        except ValueError:  # it is empty
            return missing
    if type(holder) is dict:
        return holder.get(key, missing)
    if isinstance(holder, type):
        return next((base.__dict__[key] for base in holder.__mro__ if key in base.__dict__), missing)
    if isinstance(key, str):
        return getattr(holder, key, missing)
    try:
        return missing if key is None else key.__get__(holder)
    except AttributeError:  # the slot is empty
        return missing


def bind(holder: Any, key: Any, value: Any) -> None:
    """Makes it stand for the value."""
    if isinstance(holder, types.CellType):
        holder.cell_contents = value
    elif type(holder) is dict:
        holder[key] = value
    else:
        setattr(holder, key if isinstance(key, str) else key.__name__, value)


def place_of(value: Any, holders: list[Any]) -> str | None:
    """Where an array is stored, in words: in one of these or whatever else Python's collector knows to hold it; None: a view may hold it."""
    it = id(value)  # what the expressions below named themselves would be held by them
    for holder in [*holders, *gc.get_referrers(value)]:
        own = holder if isinstance(holder, dict) else _own(holder)
        name = next((name for name, one in own.items() if id(one) == it), None)
        if name is None:
            name = next((name for name, one in _slots(holder) if id(one) == it), None)
        if isinstance(holder, dict) and name is not None:
            module = sys.modules.get(str(dict.get(holder, "__name__")))
            if module is not None and module.__dict__ is holder:
                return f"in the global variable {name!r}"
            owner = next((one for one in gc.get_referrers(holder) if _own(one) is holder), None)
            return f"under the key {name!r} of a dict" if owner is None else f"under the attribute {name!r} of a {type(owner).__name__}"
        if name is not None:
            of = f"the class {holder.__name__}" if isinstance(holder, type) else f"a {type(holder).__name__}"
            return f"under the attribute {name!r} of {of}"
        if isinstance(holder, types.CellType) and id(bound_now(holder, None)) == it:
            return "in a variable of an enclosing function"
        if isinstance(holder, (list, collections.deque)) and any(id(one) == it for one in holder):
            return f"in a {type(holder).__name__}"
    return None


def _own(holder: Any) -> Any:
    try:
        return object.__getattribute__(holder, "__dict__")  # where the object's own code may raise
    except AttributeError:
        return {}


def _slots(holder: Any) -> Any:
    for kind in type(holder).__mro__:
        for name, slot in kind.__dict__.items():
            if isinstance(slot, types.MemberDescriptorType):
                try:
                    yield name, slot.__get__(holder)
                except AttributeError:  # it is not set
                    pass
