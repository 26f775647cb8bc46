"""Arrays in files, buffers and text, in NumPy's formats and by its functions."""

from __future__ import annotations

import builtins

from weft._core import Array
from weft._array.answered import answered_by
from weft._base.asarray import asarray, heed
from weft._base.host import to_host

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any, Iterable, Iterator


def save(file: Any, arr: Any, allow_pickle: builtins.bool = True) -> None:
    """Writes an array to a file of NumPy's format .npy."""
    import numpy

    numpy.save(file, to_host(arr), allow_pickle=allow_pickle)


def savez(file: Any, *args: Any, allow_pickle: builtins.bool = True, **kwds: Any) -> None:
    """Writes several arrays to one file of NumPy's format .npz, under their keywords' names or as arr_0, arr_1, …"""
    import numpy

    numpy.savez(file, *to_host(args), allow_pickle=allow_pickle, **{name: to_host(x) for name, x in kwds.items()})


def savez_compressed(file: Any, *args: Any, allow_pickle: builtins.bool = True, **kwds: Any) -> None:
    """As savez(), compressed."""
    import numpy

    numpy.savez_compressed(file, *to_host(args), allow_pickle=allow_pickle, **{name: to_host(x) for name, x in kwds.items()})


def _read(values: Any) -> Array:
    # NumPy's files keep bfloat16 as two bytes without a meaning, and Weft writes no others.
    if values.dtype.str == "|V2":
        import ml_dtypes

        values = values.view(ml_dtypes.bfloat16)
    return asarray(values)


class Archive:
    """What load() gives of a file with several arrays: each is read when it is asked for by its name."""

    def __init__(self, opened: Any) -> None:
        self._opened = opened
        self.files: list[str] = opened.files

    def __getitem__(self, name: str) -> Array:
        return _read(self._opened[name])

    def __contains__(self, name: object) -> builtins.bool:
        return name in self._opened

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def keys(self) -> list[str]:
        """The arrays' names."""
        return list(self.files)

    def values(self) -> Iterator[Array]:
        """The arrays."""
        return (self[name] for name in self.files)

    def items(self) -> Iterator[tuple[str, Array]]:
        """The arrays with their names."""
        return ((name, self[name]) for name in self.files)

    def close(self) -> None:
        """Closes the file."""
        self._opened.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def load(
    file: Any, mmap_mode: Any = None, allow_pickle: builtins.bool = False, fix_imports: builtins.bool = True, encoding: str = "ASCII", *,
    max_header_size: int = 10000,
) -> Any:
    """The array in a file .npy, or the arrays of a file .npz by their names."""
    import numpy

    loaded = numpy.load(file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size)
    return Archive(loaded) if isinstance(loaded, numpy.lib.npyio.NpzFile) else _read(loaded)


def savetxt(fname: Any, X: Any, fmt: Any = "%.18e", delimiter: str = " ", newline: str = "\n", header: str = "", footer: str = "",
            comments: str = "# ", encoding: str | None = None) -> None:
    """Writes an array of one axis or two as text, a line for each row."""
    import numpy

    numpy.savetxt(fname, to_host(X), fmt, delimiter, newline, header, footer, comments, encoding)


loadtxt = answered_by("numpy", "loadtxt")
genfromtxt = answered_by("numpy", "genfromtxt")


def fromfile(file: Any, dtype: Any = float, count: int = -1, sep: str = "", offset: int = 0, *, like: Any = None) -> Array:
    """The numbers in a file that holds nothing else, as bytes or as text with a separator."""
    import numpy

    heed("fromfile", None, like)
    if not isinstance(file, (str, bytes)) and not hasattr(file, "__fspath__") and not hasattr(file, "fileno"):
        raise TypeError(f"fromfile: takes a path or an open file: got {type(file).__name__}")
    return asarray(numpy.fromfile(file, dtype, count, sep, offset))


def frombuffer(buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0, *, like: Any = None) -> Array:
    """The numbers whose bytes a buffer holds. What others may write to is copied."""
    import numpy

    heed("frombuffer", None, like)
    return asarray(numpy.frombuffer(buffer, dtype, count, offset))


def fromiter(iter: Iterable[Any], dtype: Any, count: int = -1, *, like: Any = None) -> Array:
    """The numbers that an iterable gives, along one axis."""
    import numpy

    heed("fromiter", None, like)
    return asarray(numpy.fromiter(iter, dtype, count))


def fromstring(string: str, dtype: Any = float, count: int = -1, *, sep: str, like: Any = None) -> Array:
    """The numbers in a text, with a separator between them."""
    import numpy

    heed("fromstring", None, like)
    return asarray(numpy.fromstring(string, dtype, count, sep=sep))
