"""Finds classes of compiler/ with more than 30 data members.

Whoever changes one of these has to hold all of it in mind. Static members do not count: they are constants. clang-tidy counts the lines of
functions. Usage: sizes.py [TOP].
"""

import re
import sys
from pathlib import Path

MOST = 30
TOKEN = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.S | re.M)
TEMPLATE = re.compile(r"<[^<>;]*>")
KIND = re.compile(r"^(?:template\s*<.*?>\s*)?(?:typedef\s+)?(class|struct|union|enum)\b(?:\s+class\b)?\s*(?:alignas\([^)]*\)\s*)?(\w*)", re.S)


def blanked(text: str) -> str:
    """The code without strings, comments and directives, every line where it was."""
    return TOKEN.sub(lambda match: ('""' if match[0][0] in "R\"'" else " ") + "\n" * match[0].count("\n"), text)


def without_templates(text: str) -> str:
    while (shorter := TEMPLATE.sub("", text)) != text:
        text = shorter
    return text


def members_of(statement: str) -> int:
    """How many data members a statement of a class declares."""
    text = re.sub(r"^\s*(?:public|private|protected)\s*:", "", without_templates(statement)).strip()
    text = re.sub(r"\[\[.*?\]\]", "", text).strip()
    if not text or re.match(r"(using|typedef|friend|static|template|enum|class|struct|union)\b", text):
        return 0
    declared = re.split(r"=|\{", text)[0]
    return 0 if "(" in declared or "operator" in declared else len(re.sub(r"(=\s*[^,]*|\{[^}]*\}|\[[^\]]*\])", "", text).split(","))


class Scope:
    def __init__(self, kind: str, name: str, line: int) -> None:
        self.kind, self.name, self.line, self.statement, self.members = kind, name, line, "", 0


def opened(outer: Scope, header: str, line: int) -> Scope:
    """The scope that a brace behind a header opens, by what it is in."""
    head = header.strip()
    first = line - head.count("\n")
    kind = KIND.match(head)
    if re.match(r"(inline\s+)?namespace\b|extern\s+\"\"", head):
        return Scope("namespace", "", first)
    if kind and "(" not in without_templates(head[kind.end() :].split(":")[0]) and not head.endswith(("=", ")")):
        return Scope("class" if kind[1] != "enum" else "other", kind[2], first)
    plain = without_templates(head)
    if outer.kind in ("namespace", "class") and "(" in plain and not re.search(r"=\s*$", plain) and not re.match(r"[\w:\s*&]+=", plain):
        return Scope("function", re.split(r"\s+", plain.split("(")[0].strip())[-1], first)
    return Scope("other", "", first)


def sizes(text: str):
    """(line, name, data members) of each class."""
    scopes, line = [Scope("namespace", "", 1)], 1
    for char in blanked(text):
        here = scopes[-1]
        line += char == "\n"
        if char == "{":
            scopes.append(opened(here, here.statement, line))
        elif char == "}" and len(scopes) > 1:
            scopes.pop()
            outer = scopes[-1]
            if here.kind == "class":
                yield here.line, here.name, here.members
            # What follows an initializer, or names a type's objects, belongs to the same statement.
            ends = here.kind == "function" or here.kind == "namespace" or outer.kind not in ("class", "namespace")
            outer.statement = "" if ends else outer.statement + "{}"
        elif char == ";":
            here.members += members_of(here.statement) if here.kind == "class" else 0
            here.statement = ""
        else:
            here.statement = (here.statement + char).lstrip() if here.kind in ("class", "namespace") or here.statement or not char.isspace() else ""


def faults(top: Path) -> list[str]:
    out = []
    for file in sorted((top / "compiler").rglob("*")):
        if file.suffix not in (".h", ".cpp"):
            continue
        for line, name, members in sizes(file.read_text(encoding="utf-8")):
            if members > MOST:
                out.append(f"{file.relative_to(top)}:{line}: class {name} has {members} data members, more than {MOST}")
    return out


if __name__ == "__main__":
    broken = faults(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
    print("\n".join(broken) or "no class of compiler has too many members")
    sys.exit(bool(broken))
