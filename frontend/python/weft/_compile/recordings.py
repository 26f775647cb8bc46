"""What a compiled function was recorded for, in words: how often, and what each recording depends on."""

from __future__ import annotations

import warnings

from weft import _core
from weft._core import Array
from weft._base.recorded import described

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_many = 8  # recordings, after which a function's user may not know of them


class Recordings:
    """A line for each recording of a function."""

    def __init__(self, name: str, parameters: tuple[str, ...]) -> None:
        self.name, self.parameters = name, parameters
        self.lines: list[str] = []
        self.last: list[str] = []  # what the last one was for, argument by argument

    def note(self, args: list[Any], numbers: list[int], decided: dict[int, str], is_leaves: bool) -> None:
        parts = []
        for place, one in enumerate(args):
            named = not is_leaves and place < len(self.parameters)
            name = self.parameters[place] if named else f"value {place + 1}"
            if isinstance(one, Array):
                parts.append(f"{name}: {described(one)}")
            elif place in numbers and place not in decided:
                parts.append(f"{name}: any {type(one).__name__}")
            else:
                shown = repr(one)
                shown = shown if len(shown) <= 40 else shown[:37] + "..."
                parts.append(f"{name} = {shown}" + (f" (its value was asked for at {decided[place]})" if decided.get(place) else ""))
        if self.last and _core.profile_time():
            _core.note_recording("; ".join(f"{now} (before: {then})" for now, then in zip(parts, self.last) if now != then))
        self.last = parts
        self.lines.append(", ".join(parts) or "no arguments")
        if len(self.lines) == _many:
            warnings.warn(f"compile: {self.name} has been recorded {_many} times, the last time for {self.lines[-1]}: why() lists all of them",
                          stacklevel=3)

    def why(self) -> str:
        """A line for each recording so far: the arguments that it is for."""
        return "".join(f"{number}. {line}\n" for number, line in enumerate(self.lines, 1)) or "not recorded yet\n"


class Lowered:
    """A function as it is recorded for these arguments."""

    def __init__(self, look: Any) -> None:
        self._look = look

    def explain(self) -> str:
        """Its kernels, and for each edge why it was fused or not: see weft.explain()."""
        return self._look("explain", None)  # type: ignore[no-any-return]

    def show(self, stage: str = "") -> str:
        """The text of a stage of compiling: see weft.show()."""
        return self._look("show", stage)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return self.show("graph")
