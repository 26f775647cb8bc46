"""What runs in a block, and how long it takes: `with wf.profile() as p: ...`, then `print(p)`."""

from __future__ import annotations

import os
import sys

from weft import _core
from weft._core import Error
from weft._base.explained import preformatted
from weft._base.origin import package

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def _ended_with(error: Any, value: Any, trace: Any) -> str:
    """The type of an error, the last line outside of the package that it came through, and what it says."""
    where = ""
    says = " ".join(str(value).split())
    if len(says) > _longest:
        says = says[: _longest - 1] + "…"
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(package):
            where = f" at {os.path.basename(file)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{error.__name__}{where}{f' ({says})' if says else ''}"


_longest = 400  # letters of an error's text


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
        if self._core is None:
            raise Error("profile: the block was not entered: write `with wf.profile() as p:`")
        self._end(*error)

    def _end(self, error: Any = None, value: Any = None, trace: Any = None) -> None:
        """Ends it. `error`: the type of what ended the block, or its name."""
        self._core.stop("" if error is None else error if isinstance(error, str) else _ended_with(error, value, trace))

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
        """Writes one page for a browser where the name ends in .html, the rows of the table where in .csv, else each piece of work, on its thread, for Perfetto or
        chrome://tracing.

        The file is written whole or not at all.
        """
        self._ended().save(os.fsdecode(path))


def _uncaught() -> tuple[Any, Any, Any]:
    """The type, the value and the trace of the error that ends the program; none where none does. A prompt goes on after its errors."""
    if hasattr(sys, "ps1") or not hasattr(sys, "last_type"):
        return None, None, None
    return sys.last_type, sys.last_value, sys.last_traceback


def profile_the_program() -> None:
    """Profiles all that runs until the program ends, and saves it where WEFT_PROFILE says.

    It ends by an error, too, and by SIGTERM or SIGHUP where the program does not handle them itself. Where it crashes, a line says that nothing was saved.
    """
    path = os.environ.get("WEFT_PROFILE")
    if not path:
        return
    import atexit
    import signal

    path = os.path.abspath(path)  # wherever the program goes meanwhile
    folder = os.path.dirname(path)
    if not os.access(folder, os.W_OK | os.X_OK):
        print(f"weft: WEFT_PROFILE: the profile will not be written: {folder} is {'not writable' if os.path.isdir(folder) else 'no folder'}", file=sys.stderr)
    process, whole, saved = os.getpid(), Profile().__enter__(), False

    def save(error: Any = None, value: Any = None, trace: Any = None) -> None:
        nonlocal saved
        if saved or os.getpid() != process:  # a forked child runs what its parent was to do at the end
            return
        saved = True
        try:
            whole._end(error, value, trace)
            whole.save(path)
        except (Error, OSError) as problem:
            print(f"weft: WEFT_PROFILE: the profile was not written: {problem}", file=sys.stderr)

    def on_signal(number: int, frame: Any) -> None:
        where = f" at {os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}" if frame else ""
        save(signal.Signals(number).name + where)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        try:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, on_signal)
        except ValueError:  # only the main thread may
            break
    _core.say_at_crash("weft: WEFT_PROFILE: ", f" ended the program: nothing was written to {path}\n")
    atexit.register(lambda: save(*_uncaught()))


def profile() -> Profile:
    """A profile for a block: `with wf.profile() as p: ...`, then `print(p)`, `p.to_dict()`, `p.save("report.html")` or `p.save("trace.json")`. Profiles do not nest."""
    return Profile()
