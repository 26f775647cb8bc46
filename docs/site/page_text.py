"""What the checks and the site need of a Markdown page: its headings' anchors, and its links where they stand."""

import os
import re
from pathlib import Path

SKIPPED_FOLDERS = re.compile(r"(build|dist|__pycache__|\.).*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_INLINE = re.compile(r"(?:\]\(\s*<?)(?P<target>[^)\s>]+)(?=>?(\s+\"[^\"]*\")?\s*\))")
_REFERENCE = re.compile(r"(?:^ {0,3}\[[^\]^][^\]]*\]:\s+<?)(?P<target>[^\s>]+)")
_ATTRIBUTE = re.compile(r"(?:<[a-zA-Z][^<>]*?\b(?:href|src|srcset)=\")(?P<target>[^\"\s]+)")
_OUTSIDE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")


def files(top: Path) -> list[str]:
    """Every file of the tree, but for what is built and what is hidden."""
    found = []
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if not SKIPPED_FOLDERS.fullmatch(name))
        found += [str((Path(folder) / name).relative_to(top)) for name in sorted(names)]
    return found


def pages(top: Path) -> list[str]:
    return [name for name in files(top) if name.endswith(".md")]


def is_outside(target: str) -> bool:
    """Whether a link names another host, or a scheme such as mailto."""
    return bool(_OUTSIDE.match(target)) or target.startswith("//")


def _lines(text: str) -> list[tuple[str, bool]]:
    """Each line, and whether it is prose: neither fenced code nor the fence."""
    result: list[tuple[str, bool]] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            closes = mark and mark[1].startswith(fence) and not line.strip().strip(fence[0])
            result.append((line, False))
            fence = "" if closes else fence
        elif mark:
            fence = mark[1]
            result.append((line, False))
        else:
            result.append((line, True))
    return result


def _without_code(line: str) -> str:
    """The line with code spans blanked out, every other character where it was."""
    return re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", lambda code: " " * len(code[0]), line)


def with_links(text: str, change) -> str:
    """The page with every link's target replaced by change(target, line number)."""
    result = []
    for number, (line, prose) in enumerate(_lines(text), 1):
        if prose:
            bare = _without_code(line)
            spots = {match.span("target") for form in (_INLINE, _REFERENCE, _ATTRIBUTE) for match in form.finditer(bare)}
            done, at = "", 0
            for start, end in sorted(spots):
                done += line[at:start] + change(line[start:end], number)
                at = end
            line = done + line[at:]
        result.append(line)
    return "\n".join(result)


def links(text: str) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []

    def note(target: str, number: int) -> str:
        found.append((target, number))
        return target

    with_links(text, note)
    return found


def title(text: str) -> str:
    """The first heading, as plain text."""
    return next((_plain(line[2:]) for line, prose in _lines(text) if prose and line.startswith("# ")), "")


def _plain(heading: str) -> str:
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().rstrip("#").strip())
    return re.sub(r"[`*]", "", heading)


def anchors(text: str) -> set[str]:
    """What a link may name after `#`: the headings, spelled as code forges and the site do, and explicit ids."""
    found: dict[str, int] = {}
    result = set()
    for line, prose in _lines(text):
        if not prose:
            continue
        result |= set(re.findall(r"<[a-zA-Z][^<>]*?\b(?:id|name)=\"([^\"]+)\"", line))
        heading = re.match(r" {0,3}#{1,6}\s+(.+)", line)
        if heading:
            slug = re.sub(r"\s", "-", re.sub(r"[^\w\- ]", "", _plain(heading[1]).lower()).strip())
            count = found.get(slug, 0)
            found[slug] = count + 1
            result.add(slug if count == 0 else f"{slug}-{count}")
    return result
