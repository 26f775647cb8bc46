"""Whether results are right: `wf.verify(f, *args)` computes them in other ways and compares."""

from __future__ import annotations

from weft import _core
from weft._core import Array
from weft._base.explained import preformatted
from weft._base.session import without_keywords

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


class Verification:
    """What `verify` found. It is true where all agrees; `print` says each result, and the first op that differs, with its line and values."""

    __slots__ = ("_json", "_text", "agrees")

    def __init__(self, agrees: bool, text: str, json: str) -> None:
        self.agrees = agrees
        self._text, self._json = text, json

    def __bool__(self) -> bool:
        return self.agrees

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return preformatted(self._text)

    def to_json(self) -> str:
        """The same as JSON: docs/seeing_inside.md has the schema."""
        return self._json

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as a dict."""
        import json

        return json.loads(self._json)  # type: ignore[no-any-return]


def _arrays_in(value: Any, found: list[Array]) -> None:
    if isinstance(value, Array):
        found.append(value)
    elif isinstance(value, dict):
        for one in value.values():
            _arrays_in(one, found)
    elif isinstance(value, (list, tuple)):
        for one in value:
            _arrays_in(one, found)


def _judged(op: str, arrays: tuple[Any, ...], keywords: dict[str, Any]) -> Verification:
    """Of the arrays, or of what a function computes and gives of its arguments."""
    if not (arrays and callable(arrays[0]) and not isinstance(arrays[0], Array)):
        without_keywords(op, keywords)
        return Verification(*getattr(_core, op)(_some(op, arrays)))
    f = arrays[0].__wrapped__ if isinstance(arrays[0], _core.CompiledFunction) else arrays[0]
    return Verification(*getattr(_core, op + "_run")(lambda: _some(op, f(*arrays[1:], **keywords))))


def _some(op: str, given: Any) -> list[Array]:
    found: list[Array] = []
    _arrays_in(given, found)
    if not found:
        raise TypeError(f"{op}: takes arrays, or a function that gives some and its arguments: got none")
    return found


def verify(*arrays: Any, **keywords: Any) -> Verification:
    """Computes the arrays as fused kernels and op by op, and compares both with the reference interpreter: exact for integers, else by what rounding explains.

    `verify(f, *args, **keywords)`: of what the function gives of these arguments, and of each part that it computes on the way, as loops, gradients,
    sorts and looks at values do.
    """
    return _judged("verify", arrays, keywords)


def bisect(*arrays: Any, **keywords: Any) -> Verification:
    """Where results are wrong, says what makes them so: a pass over the graph, an op by itself, or ops that share a kernel. Takes what `verify` takes.

    `verify` says whether there is anything to search for.
    """
    return _judged("bisect", arrays, keywords)
