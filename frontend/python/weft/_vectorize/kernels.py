"""cpu_kernel() and cuda_kernel(): kernels of a user's own text, which are launched as they stand."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from weft import _core
from weft._base.asarray import asarray
from weft._core import Array, Error
from weft._vectorize.outside import is_numpy_number

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"[^\n]*$', re.MULTILINE)


class KernelOutput:
    """A result of a kernel: its shape and dtype, in the place of an argument."""

    def __init__(self, shape: Any, dtype: Any):
        self.shape = (int(shape),) if isinstance(shape, int) else tuple(int(n) for n in shape)
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"kernel_output({self.shape}, {self.dtype!r})"


def kernel_output(shape: Any, dtype: Any) -> Any:
    """What is given to a kernel for a parameter that is a result: an array of this shape and dtype, which the kernel sets."""
    return KernelOutput(shape, dtype)


class Occupancy(NamedTuple):
    """What launches in blocks of one size take of a GPU."""

    blocks: int  # that a multiprocessor runs at once
    share: float  # of the threads that a multiprocessor runs at most
    multiprocessors: int
    registers: int  # of a thread
    spilled_bytes: int  # of a thread
    shared_bytes: int  # of a block, without extern __shared__
    most_shared_bytes: int  # of a block, with it


class Kernel:
    """A kernel that a text is."""

    def __init__(self, kind: str, source: str, name: str):
        self._texts = (kind, source, name)
        self._kernel = (_core.define_cuda_kernel if kind == "cuda" else _core.define_cpu_kernel)(source, name)
        self.__name__ = name

    def __repr__(self) -> str:
        parameters = ", ".join(("const " if const and pointer else "") + kind + ("* " if pointer else " ") + name
                               for name, kind, pointer, const in self._kernel.parameters)
        return f"<weft.{self._texts[0]}_kernel {self.__name__}({parameters})>"

    def __reduce__(self) -> Any:
        return type(self), self._texts

    def _launch(self, grid: list[int], block: list[int], others: list[int], args: Any, constants: Any = None) -> Any:
        if not isinstance(args, (tuple, list)):
            raise TypeError(f"{self.__name__}: the arguments are a tuple: got {type(args).__name__}")
        given, changed, outputs = [], [], []
        parameters = self._kernel.parameters
        for k, one in enumerate(args):
            if isinstance(one, KernelOutput):
                outputs.append(len(outputs) + len(changed))
                given.append((one.shape, one.dtype))
            elif k < len(parameters) and parameters[k][2] and not parameters[k][3]:
                if not isinstance(one, Array):
                    raise TypeError(f"{self.__name__}: {parameters[k][0]} is written to: give an array of Weft, or kernel_output(shape, dtype): "
                                    f"got {type(one).__name__}")
                changed.append((one, len(outputs) + len(changed)))
                given.append((one,))
            else:
                if k < len(parameters) and not parameters[k][2] and is_numpy_number(one):
                    one = one.item()  # whose value is known, so that it has to fit
                given.append(one if type(one) in (bool, int, float, complex) else asarray(one))
        named = dict(constants or {})
        results = self._kernel(grid, block, others, given, [*named], [asarray(one) for one in named.values()])
        for array, number in changed:
            array[...] = results[number]
        made = [results[number] for number in outputs]
        return None if not made else made[0] if len(made) == 1 else tuple(made)


class CpuKernel(Kernel):
    """A kernel for the CPU: kernel(range, arguments)."""

    def check(self) -> None:
        """Compiles the text now, which the first call would do. Error where it does not compile."""
        self._kernel.check([1, 1, 1])

    def __call__(self, range: int, args: Any, *, grain: int = 1024) -> Any:  # noqa: A002
        return self._launch([int(range), 1, 1], [1, 1, 1], [int(grain), 0, 1], args)


class CudaKernel(Kernel):
    """A kernel for CUDA: kernel(grid, block, arguments)."""

    def __call__(self, grid: Any, block: Any, args: Any, *, shared_mem: int = 0, cluster: int = 1, constants: Any = None) -> Any:
        return self._launch(self._extents("grid", grid), self._extents("block", block), [1, int(shared_mem), int(cluster)], args, constants)

    def check(self, block: Any = 256) -> None:
        """Compiles the text, for blocks of this size, by NVRTC, which takes no GPU. Error where it does not compile."""
        self._kernel.check(self._extents("block", block))

    def occupancy(self, block: Any, *, shared_mem: int = 0, device: str = "cuda") -> Occupancy:
        """What launches in blocks of this size take of a GPU, as its driver says: how many blocks a multiprocessor runs at once."""
        return Occupancy(*self._kernel.occupancy(self._extents("block", block), int(shared_mem), str(device)))

    def _extents(self, what: str, given: Any) -> list[int]:
        extents = [int(given)] if isinstance(given, int) else [int(n) for n in given]
        if not 1 <= len(extents) <= 3:
            raise Error(f"{self.__name__}: the {what} has one to three extents: got {len(extents)}")
        return extents + [1] * (3 - len(extents))


def _with_includes(op: str, source: str, called: str, include_dirs: Sequence[str], seen: set[str]) -> str:
    """The text with its own files in it: what is compiled is the text alone, and so is what the caches know."""
    def text_of(match: Any) -> str:
        name = match.group(1)
        for folder in include_dirs:
            path = os.path.abspath(os.path.join(folder, name))
            if not os.path.isfile(path):
                continue
            if path in seen:
                return ""
            seen.add(path)
            with open(path, encoding="utf-8") as file:
                text = file.read().replace("#pragma once", "")
            line = source.count("\n", 0, match.start()) + 2
            inside = _with_includes(op, text, name, [os.path.dirname(path), *include_dirs], seen)
            return f'#line 1 "{name}"\n{inside}\n#line {line} "{called}"'
        raise Error(f"{op}: no file {name!r} in include_dirs: got {list(include_dirs)}")

    return _INCLUDE.sub(text_of, source)


def _checked(op: str, source: Any, name: Any, include_dirs: Sequence[str]) -> str:
    for what, text in (("source", source), ("name", name)):
        if not isinstance(text, str):
            raise TypeError(f"{op}: {what} is a text: got {type(text).__name__}")
    called = name.split("<")[0].strip() + (".cu" if op == "cuda_kernel" else ".cpp")
    return _with_includes(op, source, called, include_dirs, set())


def cpu_kernel(source: str, name: str, *, include_dirs: Sequence[str] = ()) -> Any:
    """A kernel of C++ for the CPU: kernel(range, arguments, grain=1024) calls name(begin, end, …) for parts of the range, on all threads.

    An argument is an array for a parameter such as "const float* x", a number for "float a", and kernel_output(shape, dtype) for a result, "float* r".
    An array that is given for "float* x" is changed. The call gives the results. The text has the functions of <cmath> and the types of <cstdint>."""
    return CpuKernel("cpu", _checked("cpu_kernel", source, name, include_dirs), name)


def cuda_kernel(source: str, name: str, *, include_dirs: Sequence[str] = ()) -> Any:
    """A kernel of CUDA C++: kernel(grid, block, arguments, shared_mem=0, cluster=1, constants=None) launches the __global__ function of that name.

    The grid and the block are a number or up to three; shared_mem counts the bytes of extern __shared__; constants={"weights": x} gives
    __constant__ arrays their elements. kernel.occupancy(block) asks the driver how many blocks run at once. Arguments are those of cpu_kernel(). A template's
    name says its types, as in "saxpy<float>"."""
    return CudaKernel("cuda", _checked("cuda_kernel", source, name, include_dirs), name)
