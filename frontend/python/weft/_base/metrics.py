"""Counters and histograms for services: what was done so far under names that stay, as a dict and as Prometheus' text."""

from __future__ import annotations

from weft import _core
from weft._base.devices import default_device, device

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

# Of each name its kind, and what it counts.
_said = {
    "weft_kernels_launched_total": ("counter", "Kernels started; two where a second launch joins parts."),
    "weft_blocks_launched_total": ("counter", "Of the kernels started, those that ran without a compiled kernel."),
    "weft_library_calls_total": ("counter", "Matrix products by a library."),
    "weft_interpreted_total": ("counter", "Graphs that were too small for a kernel."),
    "weft_host_answers_total": ("counter", "Calls that NumPy answered, on the host."),
    "weft_compiles_total": ("counter", "Kernels given to Clang or NVRTC."),
    "weft_compiles_behind_total": ("counter", "Of these, while their programs ran without them."),
    "weft_compile_seconds_total": ("counter", "Time in Clang and NVRTC, of all threads."),
    "weft_kernel_memory_hits_total": ("counter", "Kernels that were found loaded."),
    "weft_kernel_disk_hits_total": ("counter", "Kernels loaded from the disk cache."),
    "weft_kernel_disk_misses_total": ("counter", "Kernels that the disk cache did not have."),
    "weft_program_hits_total": ("counter", "Graphs whose program was known."),
    "weft_program_misses_total": ("counter", "Graphs that were planned."),
    "weft_read_bytes_total": ("counter", "Bytes that kernels read, as planned."),
    "weft_written_bytes_total": ("counter", "Bytes that kernels wrote, as planned."),
    "weft_kernel_compile_seconds": ("histogram", "Time that Clang or NVRTC took for a kernel."),
    "weft_kernel_load_seconds": ("histogram", "Time to load a kernel from the disk cache."),
    "weft_plan_seconds": ("histogram", "Time from a new graph to its program."),
    "weft_memory_in_use_bytes": ("gauge", "Memory of the device that arrays hold."),
    "weft_memory_pooled_bytes": ("gauge", "Memory of the device that is free in Weft's pool."),
}  # fmt: skip

_of_stats = {
    "weft_interpreted_total": "interpreted", "weft_kernel_memory_hits_total": "memory_hits", "weft_kernel_disk_hits_total": "disk_hits",
    "weft_kernel_disk_misses_total": "disk_misses", "weft_read_bytes_total": "bytes_read", "weft_written_bytes_total": "bytes_written",
}  # fmt: skip


class Metrics(dict[str, float]):
    """The numbers by name. `prometheus()` is their text."""

    __slots__ = ()

    def prometheus(self) -> str:
        """The text that a Prometheus server reads, of the format's version 0.0.4."""
        lines: list[str] = []
        last = ""
        for key, value in self.items():
            name = key.split("{")[0]
            if name not in _said:  # a part of a histogram
                name = name.rpartition("_")[0]
            if name != last:
                kind, meaning = _said[name]
                lines += [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
                last = name
            lines.append(f"{key} {value}")
        return "\n".join(lines) + "\n"


def _add_histogram(found: Metrics, name: str, bounds: list[float], counts: list[int], seconds: float) -> None:
    """As Prometheus has it: each bound counts what took as long or less."""
    total = 0
    for bound, count in zip([*map(repr, bounds), "+Inf"], counts):
        total += count
        found[f'{name}_bucket{{le="{bound}"}}'] = total
    found[f"{name}_sum"] = seconds
    found[f"{name}_count"] = total


def metrics() -> Any:  # Metrics, a name that the namespace does not have
    """What was done so far, and the memory in use, by names that stay: a dict, whose `prometheus()` is the text for a Prometheus server."""
    stats = _core.stats()
    found = Metrics()
    for name, (kind, _) in _said.items():
        if kind != "counter":
            continue
        if name == "weft_compile_seconds_total":
            found[name] = stats["compile_ns"] / 1e9
        else:
            found[name] = stats[_of_stats.get(name) or name.removeprefix("weft_").removesuffix("_total")]
    for work, (bounds, counts, seconds) in _core.times().items():
        _add_histogram(found, f"weft_{work}_seconds", bounds, counts, seconds)
    devices = {str(one): one for one in (device("cpu"), default_device())}
    for name, (kind, _) in _said.items():
        if kind == "gauge":
            for called, one in devices.items():
                found[f'{name}{{device="{called}"}}'] = one.memory_in_use if "in_use" in name else one.memory_pooled
    return found
