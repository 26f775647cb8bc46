"""cpu_kernel() and cuda_kernel(): kernels of a user's own text, which are launched as they stand."""

from __future__ import annotations

import hashlib
import os
import re
from typing import NamedTuple

from weft import _core
from weft._base.arguments import whole_shape
from weft._base.asarray import asarray
from weft._core import Array, Error
from weft._vectorize.outside import is_numpy_number

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)[^\n]*$', re.MULTILINE)
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(ifdef|ifndef|if|endif)\b([^\n]*)$", re.MULTILINE)
_PRAGMA_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b", re.MULTILINE)


class KernelOutput:
    """A result of a kernel: its shape and dtype, in the place of an argument."""

    def __init__(self, shape: Any, dtype: Any):
        self.shape = whole_shape("kernel_output", shape)
        if any(n >= 2**63 for n in self.shape):
            raise OverflowError(f"kernel_output: extents have 63 bits at most: got {self.shape}")
        if any(n < 0 for n in self.shape):
            raise Error(f"kernel_output: extents are not negative: got {self.shape}")
        self.dtype = _core.dtype(dtype)

    def __repr__(self) -> str:
        return f"kernel_output({self.shape}, {str(self.dtype)!r})"


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

    def _launch(self, how: Any, args: Any, constants: Any = None) -> Any:
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
                given.append(one if type(one) in (bool, int, float, complex) else self._array(parameters[k][0] if k < len(parameters) else f"argument {k}", one))
        named = {} if constants is None else constants
        if not isinstance(named, dict) or not all(isinstance(one, str) for one in named):
            raise TypeError(f'{self.__name__}: constants is a dict of names and arrays, as {{"weights": x}}: got {constants!r}')
        results = self._kernel(how, given, [*named], [self._array(name, one) for name, one in named.items()])
        for array, number in changed:
            array[...] = results[number]
        made = [results[number] for number in outputs]
        return None if not made else made[0] if len(made) == 1 else tuple(made)


    def _array(self, parameter: str, given: Any) -> Array:
        try:
            return asarray(given)
        except TypeError as error:
            raise TypeError(f"{self.__name__}: {parameter}: {error}") from None


class CpuKernel(Kernel):
    """A kernel for the CPU: kernel(range, arguments)."""

    def check(self) -> None:
        """Compiles the text now, which the first call would do. Error where it does not compile."""
        self._kernel.check(1)

    def __call__(self, range: int, args: Any, *, grain: int = 1024) -> Any:  # noqa: A002
        return self._launch(_core.cpu_launch(self.__name__, range, grain), args)


class CudaKernel(Kernel):
    """A kernel for CUDA: kernel(grid, block, arguments)."""

    def __call__(self, grid: Any, block: Any, args: Any, *, shared_mem: int = 0, cluster: int = 1, constants: Any = None) -> Any:
        return self._launch(_core.cuda_launch(self.__name__, grid, block, shared_mem, cluster), args, constants)

    def check(self, block: Any = 256) -> None:
        """Compiles the text, for blocks of this size, by NVRTC, which takes no GPU. Error where it does not compile."""
        self._kernel.check(block)

    def occupancy(self, block: Any, *, shared_mem: int = 0, device: str = "cuda") -> Occupancy:
        """What launches in blocks of this size take of a GPU, as its driver says: how many blocks a multiprocessor runs at once."""
        return Occupancy(*self._kernel.occupancy(block, shared_mem, str(device)))


def _guard(text: str) -> str:
    """How a text says that it is taken once: "#pragma once", "#ifndef" around all of it, or ""."""
    if _PRAGMA_ONCE.search(text):
        return "#pragma once"
    first = _CONDITION.search(text)
    return "#ifndef" if first and (first.group(1) == "ifndef" or "!defined" in first.group(2).replace(" ", "")) else ""


def _is_conditional(text: str, at: int, guard: str) -> bool:
    """Whether a place stands between #if and #endif, of which a guard around all of the text is none."""
    words = [one.group(1) for one in _CONDITION.finditer(text, 0, at)]
    return len(words) - 2 * words.count("endif") > (guard == "#ifndef")


def _with_includes(op: str, source: str, called: str, include_dirs: Sequence[str], seen: set[str], within: tuple[str, ...] = ()) -> str:
    """The text with its own files in it: what is compiled is the text alone, and so is what the caches know.

    What is in no folder stays as it is where it is named by <…>, since Weft has some of the system's headers, and where #if may leave it out.
    `seen`: the files that the text has had for certain, and that say that they are taken once; `within`: those that this text is in."""
    own_guard = _guard(source) if within else ""

    def text_of(match: Any) -> str:
        name = match.group(1) or match.group(2)
        if match.group(2) and _core.is_known_header(name):
            return match.group(0)
        may_be_left_out = _is_conditional(source, match.start(), own_guard)
        for folder in include_dirs:
            path = os.path.abspath(os.path.join(folder, name))
            if not os.path.isfile(path):
                continue
            if path in seen or path in within:
                return ""
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if _guard(text) and not may_be_left_out:
                seen.add(path)
            line = source.count("\n", 0, match.start()) + 2
            inside = _with_includes(op, text, name, [os.path.dirname(path), *include_dirs], set(seen) if may_be_left_out else seen, (*within, path))
            return f'#line 1 "{name}"\n{_taken_once(inside, path, name)}\n#line {line} "{called}"'
        if match.group(2) or within or may_be_left_out:
            return match.group(0)
        raise Error(f"{op}: no file {name!r} in include_dirs: got {list(include_dirs)}")

    return _INCLUDE.sub(text_of, source)


def _taken_once(text: str, path: str, name: str) -> str:
    """The text, with what "#pragma once" means where the text may stand twice; its lines keep their numbers."""
    if _guard(text) != "#pragma once":
        return text
    macro = "WEFT_HAS_" + hashlib.sha256(path.encode()).hexdigest()[:16]
    return f'#ifndef {macro}\n#define {macro}\n#line 1 "{name}"\n{_PRAGMA_ONCE.sub("", text)}\n#endif'


def _checked(op: str, source: Any, name: Any, include_dirs: Any) -> str:
    for what, text in (("source", source), ("name", name)):
        if not isinstance(text, str):
            raise TypeError(f"{op}: {what} is a text: got {type(text).__name__}")
    if not name.strip():
        raise Error(f"{op}: name is that of a function of the text: got {name!r}")
    if not isinstance(include_dirs, (list, tuple)) or not all(isinstance(one, (str, os.PathLike)) for one in include_dirs):
        raise TypeError(f"{op}: include_dirs is a list of folders: got {include_dirs!r}")
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
