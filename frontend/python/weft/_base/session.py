"""Evaluation, and looking into it."""

from __future__ import annotations

from weft import _core
from weft._base.arguments import whole
from weft._core import Array
from weft._base.explained import Explanation

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any


def _flat(op: str, arrays: Any) -> list[Array]:
    flat: list[Array] = []
    for one in arrays:
        several = one if isinstance(one, (list, tuple)) else (one,)
        for array in several:
            if not isinstance(array, Array):
                raise TypeError(f"{op}: takes arrays, or lists of them: got {type(array).__name__}")
        flat += several
    return flat


def without_keywords(op: str, keywords: dict[str, Any]) -> None:
    """Only functions take them."""
    for name in keywords:
        raise TypeError(f"{op}: {name}= is for a function's arguments, as {op}(f, x, {name}=...): got arrays")


def eval(*arrays: Any) -> Any:
    """Computes the arrays in one program, so that what they share is computed once; gives them back."""
    if len(arrays) == 1:
        (x,) = arrays
        if not _core.eval_one(x):
            _core.eval(_flat("eval", arrays))
        return x
    _core.eval(_flat("eval", arrays))
    return arrays


def _looked_at(f: Any, what: str, stage: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    return __import__("weft._compile.compiled", fromlist=["looked_at"]).looked_at(f, what, stage, args, keywords)


def explain(*arrays: Any, detail: str = "all", **keywords: Any) -> Explanation:
    """How one program computes the arrays, views as they are shown: how much it moves against op by op, what to change, kernels, and for each
    edge why it was fused or not.

    `explain(f, *args, **keywords)`: how the function is computed of these arguments, as it is recorded: gradients and loops are in it. What cannot be
    recorded, as it looks at values, is run, unless it is a function of `wf.compile`: each part that it computes is explained, with what looked.
    `detail` is "summary", "kernels", "all", or "compiled", which compiles the kernels, too, and says what became of them. The result is text that has `to_dict()` and `to_json()`.
    """
    if arrays and callable(arrays[0]) and not isinstance(arrays[0], Array):
        return _looked_at(arrays[0], "explain", detail, arrays[1:], keywords)  # type: ignore[no-any-return]
    without_keywords("explain", keywords)
    flat = _flat("explain", arrays)
    if not flat:
        raise TypeError("explain: takes arrays, lists of them, or a function and its arguments: got none")
    return explained(flat, detail)


def explained(arrays: list[Array], detail: str) -> Explanation:
    """explain() of these arrays."""
    text, json = _core.explain(arrays, detail)
    return Explanation(text, json)


def why(most: int = 20) -> str:
    """Why the last programs were planned, at most `most`: for each what the nearest before it had not, as another dtype, shape, step between
    elements, or other operations, with the lines. `f.why()` of a compiled function lists its recordings.
    """
    if whole("why", most, "the number of programs is an integer; f.why() is of a compiled function") < 0:
        raise ValueError(f"why: takes 0 programs or more: got {most}")
    return _core.why(most)


def show(x: Any, *args: Any, stage: str | None = None, **keywords: Any) -> str:
    """The text of a stage of compiling: graph, simplified, fused, plan, cpp (or cuda), asm (or ptx); '' is all. Of an array, or of a list of them in one program.

    `show(f, *args, **keywords)`: of the function as it is recorded for these arguments. What looks at values is run, as `explain` does, and each part is shown.
    The stage may stand last without its name: `show(x, "plan")`.

    "dot" is a drawing for Graphviz: the nodes of each kernel in a frame, with the bytes and the time that it takes; "svg" is the picture that
    Graphviz makes of it.
    """
    if stage is None and args and isinstance(args[-1], str):
        stage, args = args[-1], args[:-1]
    if callable(x) and not isinstance(x, Array):
        return _looked_at(x, "show", stage or "", args, keywords)  # type: ignore[no-any-return]
    without_keywords("show", keywords)
    if args:
        raise TypeError(f"show: takes an array or a list of them and a stage, or a function with its arguments: got {len(args)} more: {args[0]!r:.40}")
    return _core.show(_flat("show", (x,)), stage or "")


def tune(x: Any, seconds: float = 10.0) -> str:
    """Searches faster schedules for the kernels of an array, or of a list of them, by running them; says what was tried, and keeps what is faster."""
    return _core.tune(_flat("tune", (x,)), seconds)


def one_kernel(*arrays: Any) -> Any:
    """The arrays, computed; weft.Error with the reasons when they take more than one kernel together."""
    _core.one_kernel(_flat("one_kernel", arrays))
    return arrays[0] if len(arrays) == 1 else arrays


def stats() -> dict[str, int]:
    """What was done so far: kernels launched, compiles, hits of caches, bytes."""
    return _core.stats()


def sync() -> None:
    """Returns when all devices are done."""
    _core.sync()


def finish_kernels() -> None:
    """Compiles the kernels that are waiting to be compiled while their programs run without them; returns when they are there."""
    _core.finish_kernels()
