"""How notebooks show arrays: what they are, a picture of small images, a plot of vectors, and the values as NumPy prints them."""

from __future__ import annotations

import base64
import html
import struct
import zlib

from weft import _core
from weft._base.memory import to_numpy
from weft._base.recorded import described

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

    from weft._core import Array

_MOST_POINTS = 400  # of a plot
_MOST_PIXELS = 256  # of a picture, each way
_LEAST = 16  # elements each way: fewer are read sooner as numbers
_WIDTH, _HEIGHT = 400, 80  # of a plot


def repr_html(x: Array) -> str:
    """The array for a notebook. It is computed for it, as for print()."""
    head = f"<div><code>{html.escape(f'{tuple(x.shape)} {x.dtype} on {x.device}, {_size(x.nbytes)}')}</code></div>"
    if _core.records() and _core.depends_on_arguments(x):
        return head + f"<pre>{html.escape(f'<recorded {described(x)}>')}</pre>"
    values = to_numpy(x)
    return head + _drawn(values) + f"<pre>{html.escape(repr(values))}</pre>"


def _size(count: int) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.4g} {unit}"
        count /= 1000  # type: ignore[assignment]
    raise AssertionError


def _drawn(values: Any) -> str:
    """A picture or a plot; nothing where numbers say more."""
    if values.dtype.kind not in "fiub" or values.size == 0:
        return ""
    is_picture = values.ndim == 3 and values.shape[2] in (3, 4) and (values.dtype == "uint8" or values.dtype.kind == "f")
    if min(values.shape[:2], default=0) < _LEAST:
        return ""
    if values.ndim == 2 or is_picture:
        return _picture(values)
    return _plot(values) if values.ndim == 1 else ""


def _picture(values: Any) -> str:
    """A PNG of every n-th row and column. Floats of colours are taken from 0 to 1; what has no colours from its least to its largest value."""
    import numpy as np

    step = max(1, -(-max(values.shape[:2]) // _MOST_PIXELS))
    shown = values[::step, ::step]
    if shown.dtype != "uint8":
        shown = shown.astype("float64")
        finite = np.isfinite(shown)
        low, high = (0.0, 1.0) if shown.ndim == 3 else (shown[finite].min(), shown[finite].max()) if finite.any() else (0.0, 0.0)
        scale = float(high) - float(low)  # may overflow
        shown = np.where(finite, shown, low)
        shown = np.clip((shown / 2 - low / 2) / (scale / 2) if np.isfinite(scale) and scale > 0 else shown * 0, 0, 1) * 255 + 0.5
        shown = shown.astype("uint8")
    height, width = shown.shape[:2]
    kind = 0 if shown.ndim == 2 else 2 if shown.shape[2] == 3 else 6
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(shown))

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    png = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0))
           + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))  # fmt: skip
    said = "" if step == 1 else f" alt='every {step} elements' title='every {step} elements'"
    return f"<img{said} src='data:image/png;base64,{base64.b64encode(png).decode()}'>"


def _plot(values: Any) -> str:
    """A line of at most so many points, which has gaps where values are not finite."""
    import numpy as np

    step = max(1, -(-values.size // _MOST_POINTS))
    shown = values[::step].astype("float64")
    finite = shown[np.isfinite(shown)]
    if finite.size == 0:
        return ""
    low, high = float(finite.min()), float(finite.max())
    across, lines, gap = _WIDTH / max(1, shown.size - 1), "", True
    for i, value in enumerate(shown.tolist()):
        if not np.isfinite(value):
            gap = True
            continue
        # Halves, since the difference of two large numbers may overflow.
        up = (value / 2 - low / 2) / (high / 2 - low / 2) if high > low else 0.5
        lines += f"{'M' if gap else 'L'}{i * across:.1f} {_HEIGHT - 2 - up * (_HEIGHT - 4):.1f}"
        gap = False
    return (f"<svg width='{_WIDTH}' height='{_HEIGHT}'><path d='{lines}' fill='none' stroke='currentColor'/></svg>"
            f"<div><code>{low:.6g} to {high:.6g}</code></div>")
