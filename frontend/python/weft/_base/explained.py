"""What `wf.explain` gives: text, which is data as well."""

from __future__ import annotations

import os
import sys

from weft import _core

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def _takes_colours(file: Any) -> bool:
    return file is not None and file.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


class Explanation(str):
    """What runs and why: text for people, and the same as data. It is a string: print it, or look for words in it."""

    __slots__ = ("_json",)
    _json: str

    def __new__(cls, text: str, json: str) -> Explanation:
        made = super().__new__(cls, text)
        made._json = json
        return made

    def __getnewargs__(self) -> Any:
        return str(self), self._json

    def __repr__(self) -> str:
        return _core.coloured(str(self)) if _takes_colours(sys.stdout) else str(self)

    def print(self, color: bool | None = None) -> None:
        """Prints the text: in colours where the output is a terminal that takes them, or as `color` says. NO_COLOR in the environment asks for none."""
        print(_core.coloured(str(self)) if (_takes_colours(sys.stdout) if color is None else color) else str(self))

    def _repr_html_(self) -> str:
        return preformatted(str(self))

    def to_json(self) -> str:
        """The same as JSON: docs/seeing_inside.md has the schema."""
        return self._json

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as a dict."""
        import json

        return json.loads(self._json)  # type: ignore[no-any-return]


def preformatted(text: str) -> str:
    """Text of fixed width for a notebook."""
    import html

    return f"<pre>{html.escape(text)}</pre>"
