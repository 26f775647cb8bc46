"""Fourier transforms, recorded as other functions are; those of a GPU's arrays NumPy answers on host memory."""

from __future__ import annotations

from operator import index as _index

from weft import _core
from weft._core import Array
from weft._array.answered import answered_by
from weft._array.shaping import normalized, roll
from weft._base.asarray import asarray
from weft._base.devices import is_gpu as _is_gpu
from weft._base.errors import missing as _missing
from weft._base.helped import attach as _attach_help

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Callable, Protocol

    class _Transform(Protocol):
        def __call__(self, a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Array: ...

    class _Transforms(Protocol):
        def __call__(self, a: Any, s: Any = None, axes: Any = None, norm: str | None = None, out: Any = None) -> Array: ...

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

_norms = {None: 0, "backward": 0, "ortho": 1, "forward": 2}


def _host(name: str, *args: Any) -> Any:
    """NumPy's answer, for arrays of a GPU and for results that are given."""
    return answered_by("numpy.fft", name)(*args)


def _of_gpu(a: Any) -> bool:
    return isinstance(a, Array) and _is_gpu(a.device)


def _norm(norm: Any) -> int:
    if norm not in _norms:
        raise ValueError(f'fft: norm is "backward", "ortho" or "forward": got {norm!r}')
    return _norms[norm]


def _along(name: str, what: str) -> _Transform:
    """The transform along one axis."""
    compute = getattr(_core, name)

    def f(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Array:
        if out is not None or _of_gpu(a):
            return _host(name, a, n, axis, norm, out)
        return compute(asarray(a), None if n is None else _index(n), _index(axis), _norm(norm))

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"""{what}

    a: real or complex numbers, of at least one axis. n: so many elements along the axis, cut or filled with zeros; a's own
    unless told. norm: "backward" divides by n on the way back, "forward" on the way there, "ortho" by its root both ways.
    Gives complex64 for float32 and halves, else complex128; irfft and hfft give real numbers. numpy.fft.{name} is the same."""
    return f


fft = _along("fft", "The sums of a[j] exp(-2 pi i j k / n) over j, along an axis.")
ifft = _along("ifft", "The array of which fft() gives this one.")
rfft = _along("rfft", "The first n // 2 + 1 elements of fft() of real numbers; the others are their conjugates.")
irfft = _along("irfft", "The n real numbers of which rfft() gives this array; n is 2 (count - 1) unless told.")
hfft = _along("hfft", "The real spectrum of a signal whose second half are conjugates of the first, which is given.")
ihfft = _along("ihfft", "The first half of the signal of which hfft() gives this real spectrum.")


def _axes(a: Array, s: Any, axes: Any, halved: bool) -> list[tuple[int, int]]:
    """The axes, with the number of elements along each."""
    lengths = None if s is None else [_index(one) for one in s]
    if axes is None:
        axes = range(a.ndim) if lengths is None else range(-len(lengths), 0)
    axes = [normalized("fft", _index(one), a.ndim) for one in axes]
    if lengths is not None and len(lengths) != len(axes):
        raise ValueError(f"fft: s and axes have one length: got {len(lengths)} and {len(axes)}")
    if lengths is None:
        lengths = [a.shape[k] for k in axes]
        if halved and lengths:
            lengths[-1] = 2 * (lengths[-1] - 1)
    return [(k, a.shape[k] if n == -1 else n) for k, n in zip(axes, lengths)]


def _over(name: str, each: Callable[..., Array], last: Callable[..., Array], default: Any) -> _Transforms:
    """Along several axes: NumPy's order, in which the halved axis of real numbers is whole for the shortest time."""
    back = last is irfft

    def f(a: Any, s: Any = None, axes: Any = default, norm: str | None = None, out: Any = None) -> Array:
        if out is not None or _of_gpu(a):
            return _host(name, a, s, axes, norm, out)
        a = asarray(a)
        steps = _axes(a, s, axes, back)
        if not steps:
            return _host(name, a, s, axes, norm)
        whole, (axis, n) = steps[:-1], steps[-1]
        if not back:
            a = last(a, n, axis, norm)
        for k, count in whole if back else reversed(whole):
            a = each(a, count, k, norm)
        return last(a, n, axis, norm) if back else a

    f.__name__ = f.__qualname__ = name
    one = name.rstrip("2n")
    f.__doc__ = f"""{one}() along several axes: {"the last two" if default else "all"} unless told. s: the number of elements along each.

    The real ones halve the last of the axes. numpy.fft.{name} is the same."""
    return f


fft2, fftn = (_over(name, fft, fft, default) for name, default in (("fft2", (-2, -1)), ("fftn", None)))
ifft2, ifftn = (_over(name, ifft, ifft, default) for name, default in (("ifft2", (-2, -1)), ("ifftn", None)))
rfft2, rfftn = (_over(name, fft, rfft, default) for name, default in (("rfft2", (-2, -1)), ("rfftn", None)))
irfft2, irfftn = (_over(name, ifft, irfft, default) for name, default in (("irfft2", (-2, -1)), ("irfftn", None)))


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


def __dir__() -> list[str]:
    """What users call."""
    return __all__


def __getattr__(name: str) -> Any:
    raise _missing(".fft", name)


_attach_help(__name__)
