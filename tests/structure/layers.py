"""Holds every #include of the tree to the table of layers in docs/layers.md, and finds circles between rooms.

A room is a header with the .cpp of its name. Usage: layers.py [TOP]: prints what breaks the rules, and fails if anything does.
"""

import os
import re
import sys
from pathlib import Path


def table(page: str, title: str) -> list[list[str]]:
    """The rows of the table that stands under this heading."""
    _, _, rest = page.partition(f"\n## {title}\n")
    if not rest:
        sys.exit(f"docs/layers.md has no heading '## {title}'")
    lines = [line for line in rest.split("\n#")[0].splitlines() if line.startswith("|")]
    return [[cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in lines[2:]]


def sources(top: Path) -> list[str]:
    return sorted(
        str((Path(folder) / name).relative_to(top))
        for root in ("compiler", "runtime", "frontend")
        for folder, _, names in os.walk(top / root)
        for name in names
        if name.endswith((".h", ".cpp", ".inc"))
    )


def included(top: Path, file: str, known: set[str]) -> list[str]:
    """The project's own files that this one includes."""
    names = re.findall(r'^#include "([^"]+)"', (top / file).read_text(), re.M)
    found = []
    for name in names:
        beside = os.path.normpath(os.path.join(os.path.dirname(file), name))
        own = next((one for one in (name, f"frontend/cpp/{name}", beside) if one in known), None)
        if own is None:
            sys.exit(f"{file} includes '{name}', which is not there")
        found.append(own)
    return found


def layer_of(file: str, layers: list[str]) -> str | None:
    """The longest of the layers that holds the file."""
    holding = [one for one in layers if file == one or file.startswith(one + "/")]
    return max(holding, key=len, default=None)


def circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected parts of more than one room (Tarjan's algorithm, without recursion)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []
    for start in edges:
        if start in number:
            continue
        path = [(start, iter(sorted(edges[start])))]
        number[start] = low[start] = len(number)
        stack.append(start)
        while path:
            room, rest = path[-1]
            for other in rest:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    path.append((other, iter(sorted(edges.get(other, ())))))
                    break
                if other in stack:
                    low[room] = min(low[room], number[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[room])
                if low[room] == number[room]:
                    at = stack.index(room)
                    part = sorted(stack[at:])
                    del stack[at:]
                    if len(part) > 1:
                        found.append(part)
    return sorted(found)


def faults(top: Path) -> list[str]:
    page = (top / "docs/layers.md").read_text(encoding="utf-8")
    allowed = {row[0]: row[1].split(", ") if row[1] else [] for row in table(page, "What may include what")}
    files = sources(top)
    known = set(files)
    out = []
    edges: dict[str, set[str]] = {}
    used = set()
    for file in files:
        own = layer_of(file, list(allowed))
        if own is None:
            out.append(f"{file} is in no layer of the table")
            continue
        room = file.rsplit(".", 1)[0]
        for other in included(top, file, known):
            target = other.rsplit(".", 1)[0]
            if target != room and not other.endswith(".inc"):
                edges.setdefault(room, set()).add(target)
            layer = layer_of(other, list(allowed))
            if layer != own:
                used.add((own, layer))
                if layer not in allowed[own]:
                    out.append(f"{file} includes {other}: {own} may include {', '.join(allowed[own]) or 'nothing'}")
    out += [f"the table lets {one} include {other}, and no file does" for one in allowed for other in allowed[one] if (one, other) not in used]
    return out + [f"a circle: {', '.join(one)}" for one in circles(edges)]


if __name__ == "__main__":
    broken = faults(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
    print("\n".join(broken) or "every include keeps to the layers")
    sys.exit(bool(broken))
