"""Holds every import of the Python package to the tables of docs/layers.md, and finds circles between its modules.

A room is a folder of frontend/python/weft, or a module beside them. Imports inside functions count as all others do, and have to be listed
with a reason. Usage: python_layers.py [TOP]: prints what breaks the rules, and fails if anything does.
"""

import ast
import sys
from pathlib import Path

from layers import circles, table

PACKAGE = "frontend/python/weft"
EXTENSION = "weft._core"
WRITTEN = "weft._help"  # by the build


def modules(top: Path) -> dict[str, Path]:
    """The package's modules by their names."""
    found = {}
    for file in sorted((top / PACKAGE).rglob("*.py")):
        parts = ["weft", *file.relative_to(top / PACKAGE).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imported(tree: ast.Module, known: dict[str, Path]) -> list[tuple[str, bool]]:
    """The modules that this one imports, and whether inside of a function; typing's, which never run, are left out."""
    found: list[tuple[str, bool]] = []

    def look(node: ast.AST, inside: bool) -> None:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        if isinstance(node, ast.Import):
            found.extend((one.name, inside) for one in node.names)
        if isinstance(node, ast.ImportFrom) and node.module:
            for one in node.names:
                whole = f"{node.module}.{one.name}"
                found.append((whole if whole in known or whole == EXTENSION else node.module, inside))
        for child in ast.iter_child_nodes(node):
            look(child, inside or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)))

    look(tree, False)
    return found


def room_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def faults(top: Path) -> list[str]:
    page = (top / "docs/layers.md").read_text(encoding="utf-8")
    allowed = {row[0]: row[1].split(", ") if row[1] else [] for row in table(page, "What Python's rooms may import")}
    late = {row[0]: row[1].split(", ") for row in table(page, "What Python imports inside functions")}
    known = modules(top)
    out = []
    edges: dict[str, set[str]] = {}
    used, used_late = set(), set()
    for module, file in known.items():
        name, own = str(file.relative_to(top / PACKAGE)), room_of(module)
        if own not in allowed:
            out.append(f"{name} is in no room of the table")
            continue
        for other, inside in imported(ast.parse(file.read_text(encoding="utf-8")), known):
            if inside:
                used_late.add((other, name))
                if "everywhere" not in late.get(other, []) and name not in late.get(other, []):
                    out.append(f"{name} imports {other} inside of a function, and is not listed")
            if other in (EXTENSION, WRITTEN) or other.split(".")[0] != "weft":
                continue
            if other not in known:
                out.append(f"{name} imports {other}, which is not there")
                continue
            edges.setdefault(module, set()).add(other)
            room = room_of(other)
            if room != own:
                used.add((own, room))
                if room not in allowed[own]:
                    out.append(f"{name} imports {other}: {own} may import {', '.join(allowed[own]) or 'nothing'}")
    out += [f"the table lets {one} import {other}, and no module does" for one in allowed for other in allowed[one] if (one, other) not in used]
    for other, names in late.items():
        importers = {name for one, name in used_late if one == other}
        out += [f"{name} imports no {other} inside of a function, and is listed" for name in names if name not in importers and (name != "everywhere" or not importers)]
    out += [f"a circle: {', '.join(one)}" for one in circles(edges)]
    return out


if __name__ == "__main__":
    broken = faults(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
    print("\n".join(broken) or "every import keeps to the rooms")
    sys.exit(bool(broken))
