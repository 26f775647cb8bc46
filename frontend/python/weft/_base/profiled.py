"""What runs in a block, and how long it takes: `with wf.profile() as p: ...`, then `print(p)`."""

from __future__ import annotations

import os

from weft import _core
from weft._core import Error
from weft._base.explained import preformatted
from weft._base.origin import package

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def _ended_with(error: Any, trace: Any) -> str:
    """The type of an error, and the last line outside of the package that it came through."""
    where = ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(package):
            where = f" at {os.path.basename(file)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{error.__name__}{where}"


class Profile:
    """What ran in the block of `with`: kernels, library calls, copies, compiles and what NumPy answered, with your lines. `print(p)` is a table.

    All threads are in it. On a GPU each launch is waited for, so that its time is its own.
    """

    __slots__ = ("_core",)

    def __init__(self) -> None:
        self._core: Any = None

    def __enter__(self) -> Profile:
        if self._core is not None:
            raise Error("profile: it was used before: make another one for each block")
        self._core = _core.Profile()
        return self

    def __exit__(self, *error: object) -> None:
        self._core.stop(_ended_with(error[0], error[2]) if error and error[0] is not None else "")

    def _ended(self) -> Any:
        if self._core is None:
            raise Error("profile: nothing was profiled yet: write `with wf.profile() as p:` around what is to be")
        return self._core

    def __str__(self) -> str:
        return self._ended().table()  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        if self._core is None or self._core.running():
            return f"<weft.Profile, {'not begun' if self._core is None else 'running'}>"
        return self._core.table()  # type: ignore[no-any-return]

    def _repr_html_(self) -> str:
        return preformatted(repr(self))

    def to_json(self) -> str:
        """The rows as JSON: docs/seeing_inside.md has the schema."""
        return self._ended().json()  # type: ignore[no-any-return]

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as a dict."""
        import json

        return json.loads(self.to_json())  # type: ignore[no-any-return]

    def advice(self) -> list[dict[str, Any]]:
        """What could be spared: for each the `cause`, the `lines` that have it, and a `text` that says what to write instead."""
        return self.to_dict()["advice"]  # type: ignore[no-any-return]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes one page for a browser where the name ends in .html, else each piece of work, on its thread, for Perfetto or chrome://tracing.

        The file is written whole or not at all.
        """
        self._ended().save(os.fsdecode(path))


def profile_the_program() -> None:
    """Profiles all that runs until the program ends, and saves it where WEFT_PROFILE says."""
    path = os.environ.get("WEFT_PROFILE")
    if not path:
        return
    import atexit

    whole = Profile().__enter__()

    def save() -> None:
        whole.__exit__()
        whole.save(path)

    atexit.register(save)


def profile() -> Profile:
    """A profile for a block: `with wf.profile() as p: ...`, then `print(p)`, `p.to_dict()`, `p.save("report.html")` or `p.save("trace.json")`. Profiles do not nest."""
    return Profile()
