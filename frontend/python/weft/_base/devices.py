"""Devices as objects: what they are, what they hold, and which one new arrays lie on."""

from __future__ import annotations

import contextvars

from weft import _core

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

# (device, the value around it), or None: every task and thread has its own.
_chosen: contextvars.ContextVar[Any] = contextvars.ContextVar("weft.device", default=None)


def is_gpu(device: str) -> bool:
    """Whether arrays of this device lie where the host cannot read them."""
    return device.startswith("cuda")


class Device(str):
    """A device by its name, 'cpu' or 'cuda:N' ('cuda' is 'cuda:0'); a string equal to that name.

    In `with wf.device("cuda:0"):` it is where arrays lie that name no device, for this thread or task. Making the object opens
    nothing; what it says of the device does, and is weft.Error where there is none.
    """

    __slots__ = ()

    def __new__(cls, name: Any = None) -> Device:
        if name is None:
            return default_device()
        if isinstance(name, Device):
            return name
        if not isinstance(name, str):
            raise TypeError(f"device: takes a name, 'cpu' or 'cuda:N': got {type(name).__name__}")
        return super().__new__(cls, _core.device_name(name))

    def __repr__(self) -> str:
        return f"weft.device({str(self)!r})"

    def __enter__(self) -> Device:
        _core.device_info(self)  # raises where there is none
        _core.choose_default_device()
        _chosen.set((self, _chosen.get()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _chosen.set(_chosen.get()[1])

    @property
    def kind(self) -> str:
        """'cpu' or 'cuda'."""
        return self.partition(":")[0]

    @property
    def index(self) -> int:  # type: ignore[override]
        """The number among the devices of its kind."""
        return int(self.partition(":")[2] or 0)

    @property
    def name(self) -> str:
        """The vendor's name of the part."""
        return self._info("description")

    @property
    def architecture(self) -> str:
        """What kernels are compiled for, such as 'znver4' or 'sm_90'."""
        return self._info("architecture")

    @property
    def compute_capability(self) -> tuple[int, int] | None:
        """Of a CUDA device, such as (9, 0); None of the CPU."""
        digits = self.architecture.removeprefix("sm_")
        return (int(digits[:-1]), int(digits[-1])) if self.kind == "cuda" else None

    @property
    def processors(self) -> int:
        """Multiprocessors of a CUDA device; worker threads of the CPU."""
        return self._info("threads")

    @property
    def cache_bytes(self) -> int:
        """The L2 cache of a CUDA device; the last-level cache of the CPU."""
        return self._info("cache_bytes")

    @property
    def shared_bytes(self) -> int:
        """The most shared memory that one block of a CUDA device can have; 0 of the CPU."""
        return self._info("shared_bytes")

    @property
    def vector_bytes(self) -> int:
        """The width of a vector register of the CPU; 0 of a CUDA device."""
        return self._info("vector_bytes")

    @property
    def memory_bytes(self) -> int:
        """All memory that the device has."""
        return self._info("memory_bytes")

    @property
    def memory_in_use(self) -> int:
        """Bytes that Weft's arrays hold there."""
        return self._info("in_use")

    @property
    def memory_peak(self) -> int:
        """The most bytes that Weft's arrays held there so far."""
        return self._info("peak")

    @property
    def memory_pooled(self) -> int:
        """Bytes that Weft keeps there, free for its next arrays; trim() gives them back."""
        return self._info("pooled")

    @property
    def facts(self) -> dict[str, Any]:
        """What the machine is, as a dict: threads, cores, vectors, caches, and under 'speeds' what calibrate() measured, else None."""
        return _core.machine_facts(self)

    def calibrate(self) -> dict[str, Any]:
        """Measures how fast the device is, in less than two seconds, keeps it in the cache of kernels, and returns `facts`.

        explain and profiles tell expected times by it; results do not depend on it. WEFT_CALIBRATION=0 forbids it.
        """
        return _core.calibrate(self)

    def _info(self, field: str) -> Any:
        return _core.device_info(self)[field]

    def trim(self) -> None:
        """Gives the free memory of Weft's pool back to the system."""
        _core.trim_device(self)

    def synchronize(self) -> None:
        """Returns when the device has done all that it was given."""
        _core.synchronize_device(self)


device = Device


def devices(kind: str | None = None) -> list[Device]:
    """Every device that can be had, the CPU first, or those of one kind, 'cpu' or 'cuda'."""
    if kind not in (None, "cpu", "cuda"):
        raise ValueError(f"devices: the kind is 'cpu' or 'cuda': got {kind!r}")
    return [one for one in map(Device, _core.device_names()) if kind in (None, one.kind)]


def default_device() -> Device:
    """Where arrays lie that name no device: that of the innermost `with wf.device(...)`, else WEFT_DEVICE, else the CPU."""
    return _core.default_device()


_core.use_device_objects(Device, _chosen)
