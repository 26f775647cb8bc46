"""Fourier transforms, answered by NumPy on host memory; what only moves elements is recorded as other functions are."""

from __future__ import annotations

from weft import _core
from weft._core import Array
from weft._array.answered import answered_by
from weft._array.shaping import normalized, roll
from weft._base.asarray import asarray

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

for _name in __all__:
    if not _name.endswith(("freq", "shift")):
        globals()[_name] = answered_by("numpy.fft", _name)


def _shifted(op: str, x: Any, axes: Any, by: Callable[[int], int]) -> Array:
    x = asarray(x)
    if axes is None:
        axes = range(x.ndim)
    elif hasattr(axes, "__index__"):
        axes = (axes,)
    axes = tuple(normalized(op, one, x.ndim) for one in axes)
    return roll(x, tuple(by(x.shape[k]) for k in axes), axes)


def fftshift(x: Any, axes: Any = None) -> Array:
    """The frequency 0 in the middle of these axes, of all unless told, and the negative ones before it."""
    return _shifted("fftshift", x, axes, lambda n: n // 2)


def ifftshift(x: Any, axes: Any = None) -> Array:
    """What fftshift() made of it is given back."""
    return _shifted("ifftshift", x, axes, lambda n: -(n // 2))


def _frequencies(name: str, n: int, d: float, device: Any, dtype: Any) -> Array:
    import numpy

    to = _core.dtype("float64" if dtype is None else dtype)
    if to.kind not in "fV":
        raise TypeError(f"{name}: frequencies are real floats: got dtype {to}")
    return _core.astype(asarray(getattr(numpy.fft, name)(n, d), device=device), to)


def fftfreq(n: int, d: float = 1.0, device: Any = None, *, dtype: Any = None) -> Array:
    """The frequencies of fft() of n samples d apart: from 0 up, then the negative ones."""
    return _frequencies("fftfreq", n, d, device, dtype)


def rfftfreq(n: int, d: float = 1.0, device: Any = None, *, dtype: Any = None) -> Array:
    """The frequencies of rfft() of n samples d apart, from 0 up."""
    return _frequencies("rfftfreq", n, d, device, dtype)
