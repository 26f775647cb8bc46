"""What a compiled function was recorded for, in words: how often, what each recording depends on, and what changed outside since the one before."""

from __future__ import annotations

import sys
import warnings

from weft import _core
from weft._core import Array
from weft._base.origin import package
from weft._base.recorded import described

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_many = 8  # recordings, after which a function's user may not know of them


def _level_of_caller() -> int:
    """The level at which a warning that the function calling this gives names the first line outside of the package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        level, frame = level + 1, frame.f_back
    return level


def _instead(places: list[int], names: list[str], decided: dict[int, str]) -> str:
    """What to write where nothing but numbers at these places differ whose values were asked for; else nothing."""
    if not places or not all(decided.get(place) for place in places):
        return ""
    asked = " and ".join(f"the value of `{names[place]}` was asked for at {decided[place]}" for place in places)
    arrays = " and ".join(f"`wf.asarray({names[place]})`" for place in places)
    return (f"A number is an argument of one recording unless its value is asked for, and {asked}: write {arrays} there, "
            "and `wf.where` for a branch that it decides")


class Recordings:
    """A line for each recording of a function."""

    def __init__(self, name: str, parameters: tuple[str, ...]) -> None:
        self.name, self.parameters = name, parameters
        self.lines: list[str] = []
        self.last: list[str] = []  # what the last one was for, argument by argument

    def names(self, count: int) -> list[str]:
        """Of so many arguments."""
        return [self.parameters[place] if place < len(self.parameters) else f"value {place + 1}" for place in range(count)]

    def note(self, args: list[Any], names: list[str], numbers: list[int], decided: dict[int, str], changed: str) -> None:
        """`changed`: what did, outside, since the function was recorded for such arguments; empty where nothing did."""
        parts = []
        for place, (one, name) in enumerate(zip(args, names)):
            if isinstance(one, Array):
                parts.append(f"{name}: {described(one)}")
            elif place in numbers and place not in decided:
                parts.append(f"{name}: any {type(one).__name__}")
            else:
                shown = repr(one)
                shown = shown if len(shown) <= 40 else shown[:37] + "..."
                parts.append(f"{name} = {shown}" + (f" (its value was asked for at {decided[place]})" if decided.get(place) else ""))
        if self.last and _core.profile_time():
            places = [place for place, (now, then) in enumerate(zip(parts, self.last)) if now != then]
            differs = [f"{parts[place]} (before: {self.last[place]})" for place in places]
            _core.note_recording("; ".join(differs + [changed] * bool(changed)), "" if changed else _instead(places, names, decided))
        self.last = parts
        self.lines.append((", ".join(parts) or "no arguments") + (f"; outside, {changed}" if changed else ""))
        if len(self.lines) == _many:
            warnings.warn(f"compile: {self.name} has been recorded {_many} times, the last time for {self.lines[-1]}: why() lists all of them",
                          stacklevel=_level_of_caller())

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
