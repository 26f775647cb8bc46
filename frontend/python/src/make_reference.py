"""Writes docs/python_api.md from the package's signatures and docstrings: python make_reference.py docs/python_api.md."""

import importlib
import inspect
import sys

import weft
from weft._base import dtypes
from weft._names import NAMES

HEAD = """# Weft's Python names

Written from the package by `frontend/python/src/make_reference.py`. [python.md](python.md) says how they work together; `help()` says
more of each. What NumPy answers runs on host memory and takes NumPy's arguments. In signatures `…` stands for `/, out=None, *, where=True,
casting='same_kind', order='K', dtype=None, subok=True, signature=None`.
"""

TAKEN_BY_ALL = ", /, out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True, signature=None"


def first_line(value):
    return " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())


def default(value):
    return value.__name__ if isinstance(value, type) else repr(value)


def signature(f, bound=False):
    parts, previous = [], None
    parameters = list(inspect.signature(f).parameters.values())[1 if bound else 0 :]
    for p in parameters:
        if previous is p.POSITIONAL_ONLY and p.kind is not p.POSITIONAL_ONLY:
            parts.append("/")
        if p.kind is p.KEYWORD_ONLY and previous not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL):
            parts.append("*")
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        parts.append(stars + p.name + ("" if p.default is p.empty else f"={default(p.default)}"))
        previous = p.kind
    if previous is inspect.Parameter.POSITIONAL_ONLY:
        parts.append("/")
    return f"({', '.join(parts)})".replace(TAKEN_BY_ALL, ", …")


def by_numpy(f):
    return ", answered by NumPy: " in first_line(f)


def aliases(owner, names, bound=False):
    """Each thing of these names with its main name, its own where it is among them, and the others."""
    found = {}
    for name in names:
        value = inspect.getattr_static(owner, name) if bound else getattr(owner, name)
        found.setdefault(id(value), (value, []))[1].append(name)
    result = []
    for value, names_of_it in found.values():
        own = getattr(value, "__name__", "")
        main = own if own in names_of_it else names_of_it[0]
        result.append((main, value, [name for name in names_of_it if name != main]))
    return result


def quoted(names):
    return ", ".join(f"`{name}`" for name in sorted(names))


def listed(things, bound=False):
    """A line for each thing; one line for those that are NumPy's own."""
    lines, numpys, others = [], [], []
    for main, value, also in sorted(things, key=lambda thing: thing[0]):
        also_text = f" Also {quoted(also)}." if also else ""
        if callable(value) and not inspect.isclass(value) and by_numpy(value):
            numpys += [main, *also]
        elif callable(value) or isinstance(value, property):
            taken = signature(value, bound) if callable(value) and not inspect.isclass(value) else ""
            lines.append(f"- `{main}{taken}`: {first_line(value)}{also_text}")
        else:
            others += [main, *also]
    if numpys:
        lines.append(f"- Answered by NumPy: {quoted(numpys)}.")
    if others:
        lines.append(f"- Values and objects: {quoted(others)}.")
    return lines


def reference():
    lines = [HEAD]
    parts = {importlib.import_module(module): listed for module, listed in NAMES.items()}
    everything = aliases(weft, sorted(name for listed in NAMES.values() for name in listed))
    functions = {id(value): main for main, value, _ in everything}
    for part in sorted(parts, key=first_line):
        here = [thing for thing in everything if thing[0] in parts[part]]
        everything = [thing for thing in everything if thing not in here]
        if here:
            lines += [f"## {first_line(part).rstrip('.')}\n", *listed(here), ""]
    methods = {owner: sorted(one for one in dir(owner) if not one.startswith("_")) for owner in (weft.Array, weft.random.Generator)}
    for name in ("linalg", "fft", "random", "lib.stride_tricks"):
        module = weft
        for step in name.split("."):
            module = getattr(module, step)
        drawn = [one for one in module.__all__ if one in methods[weft.random.Generator]] if module is weft.random else []
        things = aliases(module, [one for one in module.__all__ if one not in drawn])
        again = [main for main, value, _ in things if id(value) in functions]
        things = [thing for thing in things if thing[0] not in again]
        lines += [f"## weft.{name}: {first_line(module).rstrip('.')}\n", *listed(things)]
        if again:
            lines.append(f"- As in weft itself: {quoted(again)}.")
        if drawn:
            lines.append(f"- As Generator's methods, of a generator that all share: {quoted(drawn)}.")
        lines.append("")
    for owner, names in methods.items():
        things = aliases(owner, names, bound=True)
        again = [main for main, value, _ in things if id(value) in functions]
        lines += [f"## {owner.__name__}: {first_line(owner).rstrip('.')}\n", *listed([t for t in things if t[0] not in again], bound=True)]
        if again:
            lines.append(f"- As the functions, of this array first: {quoted(again)}.")
        lines.append("")
    lines += ["## dtypes\n", f"{', '.join(f'`{name}`' for name in dtypes.names)}: NumPy's, and ml_dtypes' bfloat16.", ""]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(reference())
