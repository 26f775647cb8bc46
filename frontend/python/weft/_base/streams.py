"""Streams of a device, whose work may run beside each other; events in them; page-locked memory for copies beside work."""

from __future__ import annotations

import contextvars

from weft import _core
from weft._base.devices import Device

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

# (stream, the value around it), or None: every task and thread has its own.
_chosen: contextvars.ContextVar[Any] = contextvars.ContextVar("weft.streams", default=None)


class Event:
    """A point in a stream's work, made by Stream.record()."""

    __slots__ = ("_event",)

    def __init__(self, event: Any) -> None:
        self._event = event

    @property
    def done(self) -> bool:
        """Whether the work before it is done."""
        return bool(self._event.done())

    def synchronize(self) -> None:
        """Returns when the work before it is done."""
        self._event.synchronize()

    def milliseconds_since(self, earlier: Event) -> float:
        """Time on the device between two events of it, both done."""
        return float(self._event.milliseconds_since(earlier._event))


class Stream:
    """An order of work on a device. What is computed or copied in `with stream:` goes to it.

    Arrays may be used from any stream: where two share memory, Weft makes one wait for the other. What is recorded in the block
    and looked at after it runs where it is looked at: call wf.eval in the block. On the CPU work is done when the call that
    gave it returns, and streams change nothing.
    """

    __slots__ = ("_stream",)

    def __init__(self, device: Any = None) -> None:
        self._stream = _core.Stream("" if device is None else Device(device))

    @classmethod
    def current(cls, device: Any = None) -> Stream:
        """The one that takes this thread's or task's work."""
        self = cls.__new__(cls)
        name = Device(device)
        chain = _chosen.get()
        while chain is not None and chain[0].device() != name:
            chain = chain[1]
        self._stream = _core.Stream.current(name) if chain is None else chain[0]
        return self

    def __repr__(self) -> str:
        return f"<weft.Stream of {self.device}>"

    def __enter__(self) -> Stream:
        _core.choose_streams_by(_chosen)
        _chosen.set((self._stream, _chosen.get()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _chosen.set(_chosen.get()[1])

    @property
    def device(self) -> Device:
        """The device whose work it orders."""
        return Device(self._stream.device())

    @property
    def handle(self) -> int:
        """CUDA's own name of the stream, for other libraries; 0 on the CPU."""
        return int(self._stream.handle())

    @property
    def done(self) -> bool:
        """Whether it has done all that it was given."""
        return bool(self._stream.done())

    def synchronize(self) -> None:
        """Returns when it has done all that it was given."""
        self._stream.synchronize()

    def record(self) -> Event:
        """An event after what the stream was given so far."""
        return Event(self._stream.record())

    def wait(self, event: Event) -> None:
        """What the stream is given from now on runs after the event, whose stream may be another."""
        self._stream.wait(event._event)


class _Pinned:
    """Keeps page-locked memory for the NumPy array over it."""

    __slots__ = ("__array_interface__", "_memory")

    def __init__(self, shape: tuple[int, ...], dtype: Any, address: int, memory: Any) -> None:
        self.__array_interface__ = {"shape": shape, "typestr": "|u1", "data": (address, False), "version": 3}
        self._memory = memory


def pinned_empty(shape: Any, dtype: Any = "float64", *, device: Any = "cuda:0") -> Any:
    """A NumPy array in page-locked memory, its values undefined, which a GPU copies from and to beside its other work."""
    import numpy

    shape = tuple(shape) if hasattr(shape, "__iter__") else (shape,)
    dtype = _core.dtype(dtype)
    bytes = dtype.itemsize
    for extent in shape:
        bytes *= extent
    address, memory = _core.pinned(bytes, Device(device))
    return numpy.asarray(_Pinned((bytes,), dtype, address, memory)).view(dtype).reshape(shape)


def pinned(values: Any, *, device: Any = "cuda:0") -> Any:
    """A copy of the values as a NumPy array in page-locked memory."""
    import numpy

    values = numpy.asarray(values)
    result = pinned_empty(values.shape, values.dtype, device=device)
    result[...] = values
    return result
