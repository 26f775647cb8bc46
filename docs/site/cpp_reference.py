"""The C++ reference: a page for each installed header, with every public declaration and the comment that stands at it.

Clang reads the headers; comments and declarations are their own text. A comment above a declaration speaks for all that follow it
without a blank line or another comment, as in the headers. A header's page is docs/cpp_api/NAME_h.md.
"""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from clang import cindex
from clang.cindex import AccessSpecifier, CursorKind, TokenKind

FOLDER = "docs/cpp_api"
HIDDEN = {"detail", "ir"}  # namespaces
CLASSES = {CursorKind.CLASS_DECL, CursorKind.STRUCT_DECL, CursorKind.CLASS_TEMPLATE}
FUNCTIONS = {
    CursorKind.FUNCTION_DECL,
    CursorKind.FUNCTION_TEMPLATE,
    CursorKind.CXX_METHOD,
    CursorKind.CONSTRUCTOR,
    CursorKind.CONVERSION_FUNCTION,
}
OTHERS = {
    CursorKind.FIELD_DECL,
    CursorKind.VAR_DECL,
    CursorKind.ENUM_DECL,
    CursorKind.TYPEDEF_DECL,
    CursorKind.TYPE_ALIAS_DECL,
    CursorKind.TYPE_ALIAS_TEMPLATE_DECL,
    CursorKind.CONCEPT_DECL,
}


ALONE = {CursorKind.ENUM_DECL, CursorKind.CONCEPT_DECL}
MOST_IN_HEADING = 6


@dataclass
class Header:
    """One header's text, and where in it the declarations stand."""

    path: str
    text: str
    lines: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = self.text.split("\n")

    def opening(self) -> str:
        """The comment at the top: what the header is for."""
        end = next(number for number, line in enumerate(self.lines) if not line.startswith("//"))
        return prose(self.lines[:end])

    def comment_above(self, line: int) -> list[str]:
        """The comment that ends right above this line, which counts from 1."""
        start = line - 1
        while start > 0 and self.lines[start - 1].strip().startswith("//"):
            start -= 1
        return [one.strip() for one in self.lines[start : line - 1]]

    def starts_group(self, line: int) -> bool:
        before = self.lines[line - 2].strip() if line >= 2 else ""
        return not before or before.startswith(("//", "#")) or before.endswith((":", "{"))


@dataclass
class Entry:
    """What stands under one heading: declarations that share a comment."""

    names: list[str]
    declarations: list[str]
    comment: str
    section: str
    kind: str  # a run of fields and what a macro made are entries of their own
    last_line: int = 0


def prose(comment: list[str]) -> str:
    """A comment's text as Markdown: its paragraphs, with what is no code escaped."""
    lines = [re.sub(r"^//+ ?", "", line.strip()) for line in comment]
    lines = [line for line in lines if not line.startswith(("----", "NOLINT", "clang-format"))]
    paragraphs = [" ".join(part.split("\n")) for part in re.split(r"\n\s*\n", "\n".join(lines))]
    return "\n\n".join(escaped(paragraph.strip()) for paragraph in paragraphs if paragraph.strip())


def escaped(text: str) -> str:
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([*_<>\[\]\\])", r"\\\1", part) for part in parts)


def declaration(cursor: cindex.Cursor, header: Header) -> str:
    """The text of a declaration without a function's body or a constructor's initializers, with the comment behind it."""
    if made_by_macro(cursor, header):
        return expanded(cursor)
    tokens = list(cursor.get_tokens())
    end = cursor.extent.end.offset
    data = header.text.encode()
    if cursor.kind in FUNCTIONS:
        depth = 0
        for token in tokens:
            text = token.spelling
            depth += {"(": 1, ")": -1}.get(text, 0)
            if depth == 0 and token.kind == TokenKind.PUNCTUATION and text in "{:;" and token.extent.start.offset > cursor.location.offset:
                end = token.extent.start.offset
                break
    text = re.sub(r" *// ?NOLINT.*", "", data[cursor.extent.start.offset : end].decode())
    text = text.rstrip().removesuffix(";").removeprefix("inline ") + ";"
    behind = re.search(r"[;}{].*?(//(?! ?NOLINT).*)$", header.lines[cursor.extent.end.line - 1])
    if behind and cursor.kind not in CLASSES | {CursorKind.ENUM_DECL}:
        text += "  " + behind[1]
    return dedented(text, cursor.extent.start.column - 1)


def made_by_macro(cursor: cindex.Cursor, header: Header) -> bool:
    """Whether the line does not spell the name."""
    return re.split(r"[^\w~]", cursor.spelling)[0] not in header.lines[cursor.location.line - 1]


def dedented(text: str, by: int) -> str:
    return "\n".join(line[by:] if not line[:by].strip() else line for line in text.split("\n"))


def expanded(cursor: cindex.Cursor) -> str:
    """What a macro made."""
    taken = ", ".join(f"{one.type.spelling} {one.spelling}".strip() for one in cursor.get_arguments())
    reference = {1: " &", 2: " &&"}.get(cursor.type.get_ref_qualifier().value, "")
    text = f"{cursor.result_type.spelling} {cursor.spelling}({taken}){reference};"
    return re.sub(r"(?<=\w) (&|\*)(?= ?\w)", r"\1", re.sub(r"\bweft::", "", text)).replace("&operator", "& operator")


def is_ordinary(cursor: cindex.Cursor, commented: bool) -> bool:
    """Whether it says nothing to a reader: copies, moves, what is deleted, doors to what is inside."""
    if "detail::" in cursor.result_type.spelling:
        return True
    copies = cursor.is_copy_constructor() or cursor.is_move_constructor() or cursor.is_copy_assignment_operator_method() or cursor.is_move_assignment_operator_method()
    return cursor.is_deleted_method() or (copies and not commented)


class Page:
    """Gathers a header's declarations, in their order."""

    def __init__(self, header: Header):
        self.header = header
        self.parts: list[str] = []
        self.names: list[tuple[str, str]] = []  # name, anchor
        self.anchors: dict[str, int] = {}

    def heading(self, level: int, names: list[str], owner: str = "", kind: str = "") -> None:
        """A heading with an anchor of its own: the first name, with its class before it."""
        anchor = re.sub(r"[^\w.-]+", "-", ".".join(filter(None, [owner, names[0]]))).strip("-") or "operators"
        count = self.anchors.get(anchor, 0)
        self.anchors[anchor] = count + 1
        anchor += f".{count + 1}" if count else ""
        shown = [f"`{name}`" for name in names[:MOST_IN_HEADING]] + (["…"] if len(names) > MOST_IN_HEADING else [])
        self.parts.append(f"{'#' * level} {kind}{', '.join(shown)} {{ #{anchor} }}")
        if not owner:
            self.names += [(name, anchor) for name in names]

    def code(self, text: str) -> None:
        self.parts.append(f"```cpp\n{text}\n```")

    def say(self, text: str) -> None:
        if text:
            self.parts.append(text)

    def scope(self, children: list[cindex.Cursor], level: int, owner: str = "") -> None:
        """The declarations of a namespace or a class."""
        entries: list[Entry] = []
        section = ""
        for child in children:
            comment = self.header.comment_above(child.extent.start.line)
            for one in comment:
                named = re.match(r"// ?---- (.+)", one)
                section = named[1].strip(" -") if named else section
            if child.kind in CLASSES:
                self.flush(entries, level, owner)
                self.of_class(child, level, comment)
            else:
                self.add(entries, child, comment, section, owner)
        self.flush(entries, level, owner)

    def add(self, entries: list[Entry], child: cindex.Cursor, comment: list[str], section: str, owner: str) -> None:
        text = declaration(child, self.header)
        if child.kind in FUNCTIONS and is_ordinary(child, "//" in text):
            return
        name = plain_name(child, owner)
        kind = "macro" if made_by_macro(child, self.header) else "fields" if child.kind == CursorKind.FIELD_DECL else ""
        last = entries[-1] if entries else None
        alike = last is not None and last.section == section and last.kind == kind
        if kind == "fields":  # with their comments, as the header has them
            if not alike:
                entries.append(Entry(["Fields"], [], "", section, kind))
            self.lines_of(child, len(comment), entries[-1])
        elif alike and not self.header.starts_group(child.extent.start.line) and child.kind not in ALONE:
            last.declarations.append(text)
            last.names += [name] if name not in last.names else []
        else:
            entries.append(Entry([name], [text], prose(comment), section, kind))

    def lines_of(self, child: cindex.Cursor, comment_lines: int, entry: Entry) -> None:
        """The field's lines in the header: several may stand in one."""
        start, end = child.extent.start.line - comment_lines, child.extent.end.line
        lines = self.header.lines[max(start - 1, entry.last_line) : end]
        entry.last_line = max(entry.last_line, end)
        entry.declarations += [re.sub(r" *// ?NOLINT.*", "", dedented(line, child.extent.start.column - 1)) for line in lines]

    def flush(self, entries: list[Entry], level: int, owner: str) -> None:
        section = ""
        for entry in entries:
            if entry.section != section:
                section = entry.section
                first, _, rest = (section[0].upper() + section[1:]).partition(". ")
                self.parts.append(f"{'#' * level} {escaped(first)}")
                self.say(escaped(rest))
            if entry.kind == "fields" and not section and entry is entries[0]:
                self.code("\n".join(entry.declarations))
                continue
            self.heading(level + (1 if section else 0), entry.names, owner)
            self.code("\n".join(entry.declarations))
            self.say(entry.comment)
        entries.clear()

    def of_class(self, cursor: cindex.Cursor, level: int, comment: list[str]) -> None:
        if not cursor.is_definition():
            return
        self.heading(level, [cursor.spelling], kind="struct " if cursor.kind == CursorKind.STRUCT_DECL else "class ")
        self.say(prose(comment))
        head = self.header.text.encode()[cursor.extent.start.offset : cursor.extent.end.offset].decode().split("{")[0].strip()
        if ":" in head or "template" in head:
            self.code(f"{head};")
        shown = [one for one in cursor.get_children() if one.access_specifier == AccessSpecifier.PUBLIC and wanted(one)]
        self.scope(shown, level + 1, cursor.spelling)


def wanted(cursor: cindex.Cursor) -> bool:
    return cursor.kind in CLASSES | FUNCTIONS | OTHERS


def plain_name(cursor: cindex.Cursor, owner: str) -> str:
    """The name without what templates add to a constructor's."""
    name = cursor.spelling
    return name.split("<")[0] if owner and name.startswith(owner + "<") else name


def installed(top: Path) -> list[str]:
    """The headers that `cmake --install` lays down for users, the library's own first: the closure of their includes."""
    pending = sorted(str(one.relative_to(top)) for one in (top / "frontend/cpp/weft").glob("*.h"))
    found: list[str] = []
    while pending:
        header = pending.pop(0)
        if header not in found:
            found.append(header)
            pending += [name for name in re.findall(r'^#include "([^"]+\.h)"', (top / header).read_text(encoding="utf-8"), re.M)]
    return found


def parsed(top: Path, headers: list[str]) -> cindex.TranslationUnit:
    library = Path(subprocess.run(["llvm-config-19", "--libdir"], check=True, capture_output=True, text=True).stdout.strip()) / "libclang.so.1"
    if not cindex.Config.loaded:
        cindex.Config.set_library_file(str(library if library.exists() else library.with_name("libclang.so")))
    text = "".join(f'#include "{header}"\n' for header in headers)
    unit = cindex.Index.create().parse("reference.cpp", args=["-std=c++20", f"-I{top}"], unsaved_files=[("reference.cpp", text)])
    errors = [str(one) for one in unit.diagnostics if one.severity >= cindex.Diagnostic.Error]
    if errors:
        raise SystemExit("the C++ reference: " + "\n".join(errors))
    return unit


def declared(scope: cindex.Cursor, top: Path, by_file: dict[str, list[cindex.Cursor]]) -> None:
    """Sorts the public declarations of the namespace weft by the file in which they stand."""
    for child in scope.get_children():
        if child.kind == CursorKind.NAMESPACE and child.spelling not in HIDDEN and (scope.kind == CursorKind.NAMESPACE or child.spelling == "weft"):
            declared(child, top, by_file)
        elif scope.kind == CursorKind.NAMESPACE and wanted(child) and child.location.file:
            path = Path(child.location.file.name).resolve()
            if path.is_relative_to(top) and not child.semantic_parent.kind in CLASSES:
                by_file.setdefault(str(path.relative_to(top)), []).append(child)


def table_of_ops(top: Path, table: str, functions: list[cindex.Cursor]) -> str:
    """The functions that the rows of a table make, each with its row's words."""
    words = dict(re.findall(r'^WEFT_MAP\d\((\w+),.*\.doc = "((?:[^"\\]|\\.)*)"', (top / table).read_text(encoding="utf-8"), re.M))
    rows = ["| function | gives |", "|---|---|"]
    for one in functions:
        taken = ", ".join(argument.spelling for argument in one.get_arguments())
        rows.append(f"| `{one.spelling}({taken})` | {escaped(words.get(one.spelling, '')).replace('|', chr(92) + '|')} |")
    return "\n".join(rows)


def pages(top: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The pages' texts by their paths, and the page of each header."""
    headers = installed(top)
    by_file: dict[str, list[cindex.Cursor]] = {}
    declared(parsed(top, headers).cursor, top, by_file)
    texts: dict[str, str] = {}
    of_header: dict[str, str] = {}
    rows = []
    for path in headers:
        header = Header(path, (top / path).read_text(encoding="utf-8"))
        page = Page(header)
        page.scope(by_file.get(path, []), 2)
        for table in re.findall(r'^#include "([^"]+\.inc)"', header.text, re.M):
            functions = by_file.get(table, [])
            page.parts += ["## One function for each op", "Each takes operands (`const Operand&`) and gives an `Array`.", table_of_ops(top, table, functions)]
            page.names += [(one.spelling, "one-function-for-each-op") for one in functions]
        if not page.parts:
            continue
        name = Path(path).stem
        include = path.removeprefix("frontend/cpp/") if path.startswith("frontend/cpp/weft/") else f"weft/{path}"
        file = f"{FOLDER}/{name}_h.md"
        of_header[path] = file
        texts[file] = "\n\n".join([f"# {include}", f"`#include <{include}>`", header.opening(), *page.parts]) + "\n"
        names = ", ".join(f"[`{one}`](cpp_api/{name}_h.md#{anchor})" for one, anchor in dict(page.names).items())
        rows.append(f"| [{include}](cpp_api/{name}_h.md) | {names} |")
    texts[f"{FOLDER}.md"] = "\n".join(
        [
            "# All headers",
            "",
            "Made from the installed headers: every public class and function, with the comment that stands at it. `#include <weft/weft.h>`",
            "has them all, in the namespace `weft`.",
            "",
            "| header | declares |",
            "|---|---|",
            *rows,
        ]
    ) + "\n"
    return texts, of_header
