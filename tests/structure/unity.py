"""Holds the names of unnamed namespaces to one file of a library: the builds with sanitizers compile several files as one (CMAKE_UNITY_BUILD).

Which files meet changes with every new file, so that two equal names may lie side by side unseen for weeks.
Libraries that say UNITY_BUILD OFF in their CMakeLists.txt are left out.
Usage: unity.py [TOP]: prints what breaks the rule, and fails if anything does.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

NOT_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#[^\n]*(?:\\\n[^\n]*)*', re.S | re.M)
NAMESPACE = re.compile(r"\bnamespace\s*([\w:]*)\s*$")
TYPE = re.compile(r"\b(?:struct|class|enum|union)\s+(?:class\s+)?(\w+)(?:\s+final)?(?:\s*:(?!:).*)?$", re.S)
FUNCTION = re.compile(r"[\w>&*]\s+[&*]*(\w+)\s*\((.*)\)[\s\w]*$", re.S)
VARIABLE = re.compile(r"[\w>&*]\s+[&*]*(\w+)\s*(?:\[.*\])?\s*(?:=.*)?$", re.S)


def types_of(parameters: str) -> str:
    """Parameters without their names and defaults: of "const Node& node, int times = 4" what tells overloads apart."""
    apart = re.split(r",(?![^<(]*[>)])", " ".join(parameters.split()))
    return ", ".join(re.sub(r"(?<=[\w>&*]) ?\b(?<!::)(?!int\b|bool\b|auto\b|double\b|float\b|char\b)\w+$", "", one.split("=")[0].strip()) for one in apart)


def declared(head: str) -> str:
    """What the text before a "{" or ";" declares, or nothing."""
    if head.startswith(("using ", "template", "static_assert", "friend ")) or "operator" in head:
        return ""  # equal aliases may stand side by side; templates and operators are told apart by more than this reads
    if match := TYPE.search(head):
        return match.group(1)
    if "(" in head.split("=")[0]:
        match = FUNCTION.search(head)
        return f"{match.group(1)}({types_of(match.group(2))})" if match else ""
    match = VARIABLE.search(head)
    return match.group(1) if match else ""


def names(text: str) -> set[tuple[str, str]]:
    """(namespace, name) of what the unnamed namespaces of a file define."""
    code = NOT_CODE.sub(lambda match: '""' if match.group(0)[0] in "R\"'" else " ", text)
    out, open_braces, start = set(), [], 0
    for mark in re.finditer(r"[{};]", code):
        head = code[start : mark.start()].strip()
        if mark.group(0) != "}" and head and "" in open_braces and None not in open_braces and (name := declared(head)):
            if mark.group(0) == "{" or "(" not in head.split("=")[0]:  # a prototype alone may be repeated
                out.add(("::".join(filter(None, open_braces)), name))
        if mark.group(0) == "{":
            opened = NAMESPACE.search(head)
            open_braces.append(opened.group(1) if opened else None)
        elif mark.group(0) == "}" and open_braces:
            open_braces.pop()
        start = mark.end()
    return out


def library_of(file: Path) -> Path:
    return next(folder for folder in file.parents if (folder / "CMakeLists.txt").exists())


def faults(top: Path) -> list[str]:
    found = defaultdict(list)
    for root in ("compiler", "runtime", "frontend"):
        for file in sorted((top / root).rglob("*.cpp")):
            library = library_of(file)
            if "UNITY_BUILD OFF" in (library / "CMakeLists.txt").read_text(encoding="utf-8"):
                continue
            for namespace, name in names(file.read_text(encoding="utf-8")):
                found[library, namespace, name].append(str(file.relative_to(top)))
    return [f"{name} is defined in the unnamed namespaces of {', '.join(files)}" for (_, _, name), files in sorted(found.items()) if len(files) > 1]


if __name__ == "__main__":
    broken = faults(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
    print("\n".join(broken) or "no two files of a library define the same name in unnamed namespaces")
    sys.exit(bool(broken))
