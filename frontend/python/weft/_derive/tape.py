"""Gradients as PyTorch's users write them: requires_grad_(), backward(), grad and no_grad().

From requires_grad_() on a thread remembers what it computes. backward() derives, and forgets it; what is computed after it is
remembered anew.
"""

from __future__ import annotations

import functools
import threading
import weakref

from weft import _core
from weft._core import Array, Error

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class _Tape(threading.local):
    """What a thread remembers, and by which arrays it derives."""

    def __init__(self) -> None:
        self.derivation: Any = None
        self.leaves: list[Any] = []  # weak references, in the order of the derivation's leaves
        self.quiet: list[Any] = []

    def arrays(self) -> list[Array]:
        return [one for one in (reference() for reference in self.leaves) if one is not None]

    def has(self, x: Array) -> bool:
        return any(reference() is x for reference in self.leaves)

    def begin(self, arrays: list[Array]) -> None:
        """Remembers from now on, and nothing of before, what is computed of these."""
        self.end()
        if not arrays:
            return
        self.derivation = _core.Derivation()
        _core.show_elements()
        for one in arrays:
            _core.become(one, self.derivation.leaf(one))
            self.leaves.append(weakref.ref(one, self.lost))

    def end(self) -> None:
        if self.derivation is not None:
            self.derivation.abandon()
        self.derivation, self.leaves = None, []

    def lost(self, _: Any) -> None:
        if self.derivation is not None and not self.arrays():
            self.end()


_tape = _Tape()
_gradients: dict[int, tuple[Any, Array]] = {}  # by the array's id: a weak reference to it, and its gradient


def _refuse_inside(op: str) -> None:
    if _core.records() or (_core.derives() and _tape.derivation is None):
        raise Error(f"{op}: stands outside of grad(), vmap() and compiled functions, which have derivatives of their own")


def _is_computed(x: Array) -> bool:
    """Whether it is computed from an array that requires a gradient."""
    return _tape.derivation is not None and not _tape.has(x) and _core.is_derived(x)


def requires_grad_(x: Array, requires_grad: bool = True) -> Array:
    """Lets backward() give the array a gradient, or no longer; gives the array."""
    _refuse_inside("requires_grad_")
    if _is_computed(x):
        if not requires_grad:
            raise Error("requires_grad_: the array is computed from one that requires a gradient, so that it does, too; take stop_gradient() of it")
        return x
    if requires_grad and not _tape.has(x):
        if _core.is_view(x):
            raise Error("requires_grad_: takes an array of its own: got a view; copy it")
        if _tape.derivation is None:
            _tape.begin([x])
        else:
            _core.become(x, _tape.derivation.leaf(x))
            _tape.leaves.append(weakref.ref(x, _tape.lost))
    elif not requires_grad and _tape.has(x):
        _tape.begin([one for one in _tape.arrays() if one is not x])
    return x


def requires_grad(x: Array) -> bool:
    """Whether backward() gives the array a gradient, or goes through it to one that it is computed from."""
    return _tape.has(x) or _is_computed(x)


def backward(loss: Array, gradient: Any = None) -> None:
    """Adds the gradient of the array, one real number, to `grad` of all arrays that require one. gradient: the cotangent of an array of
    several. What was computed is forgotten then."""
    _refuse_inside("backward")
    leaves, derivation = [reference() for reference in _tape.leaves], _tape.derivation
    if derivation is None or not _core.is_derived(loss):
        raise Error("backward: the array comes from none that requires a gradient, or from before the last backward(): call requires_grad_() on what "
                    "derivatives are wanted by, and compute it anew")
    for one in leaves:
        if one is not None and not _core.is_leaf(one):
            raise Error(f"backward: an array that requires a gradient was written to, outside of no_grad(): got one of shape {one.shape}")
    seed = _core.gradient_seed(loss) if gradient is None else gradient
    derivation.finish([loss])
    found = derivation.vjp([seed])
    _core.eval(found)
    _tape.derivation = None
    for one, more in zip(leaves, found):
        if one is not None:
            before = grad_of(one)
            set_grad(one, more if before is None else _core.add(before, more))
    _tape.begin([one for one in leaves if one is not None])


def grad_of(x: Array) -> Array | None:
    """What backward() gave the array, or None."""
    held = _gradients.get(id(x))
    return held[1] if held is not None and held[0]() is x else None


def set_grad(x: Array, gradient: Array | None) -> None:
    """Sets `grad`; None forgets it."""
    if gradient is None:
        _gradients.pop(id(x), None)
        return
    if not isinstance(gradient, Array) or gradient.shape != x.shape:
        raise Error(f"grad: is an array of the shape {x.shape}, or None: got {type(gradient).__name__} {getattr(gradient, 'shape', '')}")
    key = id(x)
    _gradients[key] = weakref.ref(x, lambda _: _gradients.pop(key, None)), gradient


class no_grad:
    """with no_grad(): what is computed there has no derivatives, and arrays that require a gradient can be written to. A decorator, too."""

    def __enter__(self) -> None:
        _tape.quiet.append(_core.NoDerivatives())

    def __exit__(self, *_: Any) -> None:
        _tape.quiet.pop()
        arrays = _tape.arrays()
        if not _tape.quiet and not all(_core.is_leaf(one) for one in arrays):
            _core.eval(arrays)
            for one in arrays:
                _core.become(one, _core.forgotten(one))
            _tape.begin(arrays)

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(f)
        def quietly(*args: Any, **keywords: Any) -> Any:
            with no_grad():
                return f(*args, **keywords)

        return quietly
