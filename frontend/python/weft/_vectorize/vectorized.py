"""vectorize(): a function of numbers, read from its source and compiled for the dtypes that it is called with."""

from __future__ import annotations

import builtins
import functools
import sys
import types

from weft import _core
from weft._core import Array, Error
from weft._base.arguments import check_flags
from weft._base.asarray import asarray
from weft._base.host import answered
from weft._vectorize.index import Index, placed
from weft._vectorize.options import check_function, checked_excluded, checked_otypes, checked_signature, places_of
from weft._vectorize.outside import as_known, known_as
from weft._vectorize.references import checked_ulps, reference_for, widened

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_MOST_KEPT = 64


class Vectorized:
    """A function of arrays that computes a function of numbers for each of their elements, which broadcast."""

    def __init__(self, pyfunc: Any, otypes: Any, doc: str | None, excluded: Any, signature: str | None, fallback: bool, reference: Any = None,
                 ulps: float = 4):
        functools.update_wrapper(self, pyfunc)
        if doc is not None:
            self.__doc__ = doc
        self.__name__ = getattr(pyfunc, "__name__", type(pyfunc).__name__)
        self._shown = "lambda" if self.__name__ == "<lambda>" else self.__name__ if self.__name__.isidentifier() and self.__name__.isascii() else "function"
        self.pyfunc, self.signature, self.fallback = pyfunc, signature, fallback
        self.otypes, self.excluded = otypes, excluded
        self.reference, self.ulps = reference, ulps
        self._reference_for = None if reference is None else reference_for(self.__name__, reference)
        self._known: dict[Any, list[Any]] = {}
        self._by_element: Any = None
        self._bound: Any = None  # of the object whose method was asked for last

    @property
    def _weft_scalar_function(self) -> Any:
        return self.pyfunc

    def __repr__(self) -> str:
        return f"<weft.vectorize of {self.__name__}>"

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        # The object is known, and so are the numbers that it holds. The last one's is kept with what was compiled for it.
        if self._bound is None or self._bound.pyfunc.__self__ is not instance:
            excluded = {one - 1 if isinstance(one, int) else one for one in self.excluded if one != 0}
            self._bound = Vectorized(types.MethodType(self.pyfunc, instance), self.otypes, self.__doc__, excluded, self.signature, self.fallback, self.reference,
                                     self.ulps)
        return self._bound

    def __reduce__(self) -> Any:
        # A decorated function's own name leads to this object.
        if _is_found(self, self.pyfunc):
            return _found, (self.pyfunc.__module__, self.pyfunc.__qualname__)
        if isinstance(self.pyfunc, types.FunctionType):
            from weft._vectorize.carried import carried, importable

            if not importable(self.pyfunc):  # by its source
                return _remade, (carried(self.pyfunc), self.otypes, self.__doc__, self.excluded, self.signature, self.fallback, self.reference, self.ulps)
        return Vectorized, (self.pyfunc, self.otypes, self.__doc__, self.excluded, self.signature, self.fallback, self.reference, self.ulps)

    def text(self, *args: Any, **keywords: Any) -> str:
        """The scalar function that calls with arguments of these dtypes compute, as text."""
        return self._compiled(*self._with_positions(args, keywords))[0].function.text

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if self.signature is not None:
            return self._of_rows(args, keywords)
        args, keywords = self._with_positions(args, keywords)
        compiled = None
        try:
            compiled, arrays = self._compiled(args, keywords)
            results = compiled.function(arrays)
        except (Error, TypeError) as error:
            from weft._vectorize.source import Unreadable

            if not isinstance(error, Error) or compiled is not None or not (self.fallback or isinstance(error, Unreadable)):
                told = self._given_otherwise(args, keywords)
                if not told:
                    raise
                raise type(error)(f"{error}\n  {told}") from None
            if not self.fallback:
                import warnings

                warnings.warn(f"{error}; Python calls it for each element, as with fallback=True", RuntimeWarning, stacklevel=2)
            return self._by_python(args, keywords, "one element after the other", error)
        return self._given(results, compiled.is_several)

    def _given_otherwise(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> str:
        """Which excluded argument a call gives by its place and not by the name that excludes it, or the other way round: it is an array's element then."""
        places = places_of(self.pyfunc)
        for k, name in enumerate(places):
            if name in self.excluded and k not in self.excluded and k < len(args):
                return f"{name} is excluded by its name, and is given by its place, so it counts as an array: write {name}=… in the call, or exclude {k} as well"
            if k in self.excluded and name not in self.excluded and name in keywords:
                return f"{name} is excluded by its place, {k}, and is given by its name, so it counts as an array: write it without {name}=, or exclude {name!r} as well"
        return ""

    def _for_dtypes(self, dtypes: list[str]) -> Any:
        """The scalar function for arguments of these dtypes."""
        from weft._vectorize.compiled import Compiled
        from weft._vectorize.types import Type

        return Compiled(self.pyfunc, [Type(one, False) for one in dtypes], {}, "reference").function

    def _with_positions(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """The arguments, with arrays in the place of index()."""
        if not any(type(one) is Index for one in (*args, *keywords.values())):
            return args, keywords
        names = [*range(len(args)), *keywords]
        known = {k for k, name in enumerate(names) if name in self.excluded}
        given = placed(self.__name__, (*args, *keywords.values()), known)
        return tuple(given[: len(args)]), dict(zip(keywords, given[len(args) :]))

    def _given(self, results: list[Array], is_several: bool) -> Any:
        """The results as the caller gets them."""
        if self.otypes is not None:
            wanted = [_core.dtype(one) for one in self.otypes]
            if len(wanted) != len(results):
                raise Error(f"{self.__name__}: otypes has a dtype for each result: got {len(wanted)} for {len(results)}")
            results = [_core.astype(x, dtype) for x, dtype in zip(results, wanted)]
        results = [x if x.ndim else _core.as_value(x) for x in results]
        return tuple(results) if is_several else results[0]

    def _of_rows(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """A call by the signature: recorded once for all rows, or by Python, one row after the other, where that cannot be."""
        from weft._vectorize.rows import Mismatch, Rows

        numpys = self._numpys  # which looks at the signature
        rows = Rows(self.signature)  # type: ignore[arg-type]
        places = [i for i in range(len(args)) if i not in self.excluded]
        arrays = [asarray(args[i]) for i in places]
        if set(keywords) - self.excluded:  # arrays by name, which NumPy puts in the order of the call
            return answered(numpys, *args, **keywords)
        loop, extents = rows.loop(arrays, self.__name__)

        def f(*parts: Any) -> Any:
            given = list(args)
            for i, part in zip(places, parts):
                given[i] = part
            return self.pyfunc(*given, **keywords)

        try:
            results = rows.results(f, arrays, loop, extents, self.__name__)
        except Mismatch as error:
            raise ValueError(str(error)) from None
        except Exception as error:
            # Python's own run raises what is the function's fault.
            return self._by_python(args, keywords, "one row after the other", error)
        return self._given(results, len(rows.gives) > 1)

    def _by_python(self, args: tuple[Any, ...], keywords: dict[str, Any], how: str, why: Exception) -> Any:
        if _core.records():
            raise Error(f"{self.__name__}: Python calls it, {how}, and compile(), vmap() and loops record no such call: call it outside, and give its result as an argument; or "
                        f"mend what keeps it from being compiled: {why}")
        results = answered(self._numpys, *args, **keywords)
        for x in results if isinstance(results, tuple) else (results,):
            if isinstance(x, Array):
                _core.say_of(x, f"{self.__name__}: computed by Python, {how}, since {why}")
        return results

    @property
    def _numpys(self) -> Any:
        """The loop over elements, or rows, that Python runs; errors call it by the function's name."""
        if self._by_element is None:
            import numpy

            loop = numpy.vectorize(self.pyfunc, self.otypes, None, self.excluded or None, False, self.signature)

            def by_element(*args: Any, **keywords: Any) -> Any:
                return loop(*args, **keywords)

            by_element.__name__ = self.__name__
            by_element.pyfunc = self.pyfunc  # type: ignore[attr-defined]  # as of numpy.vectorize: the name of what answers says so
            self._by_element = by_element
        return self._by_element

    def _compiled(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """The function for these arguments, and those of them that are arrays."""
        arrays: list[Any] = []
        key: list[Any] = []

        def typed(place: Any, one: Any) -> Any:
            is_known = place in self.excluded
            if is_known:
                one = as_known(one)
                key.append(known_as(one))
                return one
            if type(one) in (bool, int, float, complex):
                t: Any = type(one)
            else:
                try:
                    one = asarray(one)
                except TypeError as error:
                    raise TypeError(f"{self.__name__}: argument {place}: {error}") from None
                t = str(one.dtype)
            arrays.append(one)
            key.append(t)
            return t

        places = [typed(i, one) for i, one in enumerate(args)]
        names = {name: typed(name, one) for name, one in keywords.items()}
        key.append(tuple(names))
        known = self._known.get(tuple(key), ())
        for compiled in known:
            if compiled.captured.unchanged():
                return compiled, arrays
        from weft._vectorize.compiled import Compiled
        from weft._vectorize.types import Type, type_of_dtype
        from weft._vectorize.wrong_calls import check_call

        check_call(self.pyfunc, args, keywords)
        if not arrays:
            raise Error(f"{self.__name__}: takes one array at least: got none")
        def type_of(t: Any, is_known: bool) -> Any:
            if is_known:
                return t
            weak = {bool: "bool", int: "i64", float: "f64", complex: "c128"}
            return Type(weak[t], True) if isinstance(t, type) else type_of_dtype(t)

        compiled = Compiled(self.pyfunc, [type_of(t, i in self.excluded) for i, t in enumerate(places)],
                            {n: type_of(t, n in self.excluded) for n, t in names.items()}, self._shown)
        if self._reference_for is not None:
            function = compiled.function
            compiled.function = function.with_reference(self._reference_for([widened(one) for one in function.arguments]), self.ulps)
        if len(self._known) > _MOST_KEPT:
            self._known.clear()
        self._known[tuple(key)] = [compiled, *known][:4]
        return compiled, arrays


def _found(module: str, name: str) -> Any:
    """What a module has under a qualified name. AttributeError where it has nothing."""
    if not isinstance(module, str):  # of what exec() made
        raise AttributeError(f"{name} is in no module")
    found = sys.modules.get(module)
    if found is None:
        found = __import__(module, fromlist=["_"])
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _is_found(vectorized: Any, pyfunc: Any) -> builtins.bool:
    try:
        return _found(pyfunc.__module__, pyfunc.__qualname__) is vectorized
    except (AttributeError, ImportError):
        return False


def _remade(pyfunc: Any, *rest: Any) -> Any:
    from weft._vectorize.carried import made

    return Vectorized(made(pyfunc), *rest)


# What Numba's decorators take, and why Weft's does not.
_NUMBAS = {
    "target": "arrays say where a call runs, on all of the CPU's threads or on a GPU: leave it out", "nopython": "every function is compiled as a whole: leave it out",
    "parallel": "elements run on all threads: leave it out", "fastmath": "results are those of Python's operators: leave it out",
    "identity": "write weft.reduction for reductions of your own", "forceobj": "write fallback=True, and Python calls what cannot be compiled", "inline": "leave it out",
    "nogil": "kernels run without Python's lock: leave it out", "writable_args": "return the results: they are new arrays",
    "boundscheck": "places in tables are held to those that they have: leave it out", "error_model": "divisions by 0 give what NumPy gives: leave it out", "signatures": "leave it out",
}


def _tells_of_numba(f: Any) -> Any:
    """The same function, which says of arguments of Numba's decorator what to write."""

    @functools.wraps(f)
    def vectorize(*args: Any, **keywords: Any) -> Any:
        for name in keywords:
            if name in _NUMBAS:
                raise TypeError(f"vectorize() got an unexpected keyword argument {name!r}: {_NUMBAS[name]}")
        if args and isinstance(args[0], (str, list, tuple)):
            raise TypeError(f"vectorize: takes a function: got {type(args[0]).__name__}: the types of arguments are those of each call, so leave them out; axes of rows are "
                            'signature="(n),(n)->()"')
        return f(*args, **keywords)

    return vectorize


@_tells_of_numba
def vectorize(pyfunc: Any = None, otypes: Any = None, doc: str | None = None, excluded: Any = None, cache: builtins.bool = False,
              signature: str | None = None, *, fallback: builtins.bool = False, reference: Any = None, ulps: float = 4) -> Any:
    """A function of numbers as a function of arrays: read from its source, compiled for the dtypes of its arguments, and fused with what is
    around it. What cannot be compiled is an error that says what to write; with fallback=True Python runs it for each element.

    `verify` compares the results with those of `reference`, another function of numbers or an op as text, which is computed in float64. They may be
    `ulps` units of the last place off.

    With a signature such as "(n),(n)->()" it is a function of rows, recorded with arrays of these axes once for all rows; Python runs it for
    each row where that cannot be."""
    if pyfunc is None:
        return lambda f: vectorize(f, otypes, doc, excluded, cache, signature, fallback=fallback, reference=reference, ulps=ulps)
    if not callable(pyfunc):
        raise TypeError(f"vectorize: takes a function: got {type(pyfunc).__name__}")
    if signature is None:
        check_function(pyfunc)
    else:
        checked_signature(signature)
    if doc is not None and not isinstance(doc, str):
        raise TypeError(f"vectorize: doc is a text: got {type(doc).__name__}")
    if reference is not None and not callable(reference):
        raise TypeError(f"vectorize: reference is a function: got {type(reference).__name__}")
    if reference is not None and signature is not None:
        raise Error("vectorize: a function of rows takes no reference: verify compares its ops with the interpreter")
    check_flags("vectorize", cache=cache, fallback=fallback)
    ulps = checked_ulps("vectorize", ulps)
    if reference is not None and not hasattr(reference, "_for_dtypes"):
        reference = vectorize(reference)
    return Vectorized(pyfunc, checked_otypes(otypes), doc, checked_excluded(pyfunc, excluded), signature, bool(fallback), reference, ulps)
