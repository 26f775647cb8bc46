"""Holds tables of pages to the code that they describe. Usage: pages.py [--update] [TOP].

docs/passes.md has a row for each pass of kPasses in compiler/compile.cpp, in their order, and says which are required.
docs/fusion.md has a row for each reason that fusion may give, in the words of compiler/fusion, with an ellipsis for what is filled in.
docs/add_a_backend.md counts the files and lines of folders, each within a quarter of the truth; --update counts again.
docs/glossary.md has the words of all schedules that docs/schedules_chosen.md lists, which a test writes; numbers are ellipses there.
"""

import re
import sys
from pathlib import Path


def passes(top: Path) -> list[tuple[str, bool]]:
    """The passes as the compiler lists them, and whether each is required."""
    text = (top / "compiler/compile.cpp").read_text(encoding="utf-8")
    listed = re.search(r"kPasses\[\] = \{\n(.*?)\n\};", text, re.S)
    if listed is None:
        sys.exit("compiler/compile.cpp has no list kPasses")
    return [(match[1], "kRequired" in match[0]) for match in re.finditer(r'\{"(\w+)",.*?\},?$', listed[1], re.M)]


def rows(top: Path) -> list[tuple[str, bool]]:
    """The passes as the page lists them."""
    text = (top / "docs/passes.md").read_text(encoding="utf-8")
    return [(match[1], "required" in match[2]) for match in re.finditer(r"^\| \[`(\w+)`\].*\|([^|]*)\|$", text, re.M)]


def reasons(top: Path) -> set[str]:
    """The sentences in the code of fusion that are no internal errors; explain prints them."""
    out = set()
    for file in (top / "compiler/fusion").glob("*.cpp"):
        code = re.sub(r"//[^\n]*|#include[^\n]*|InternalError\([^;]*;", "", file.read_text(encoding="utf-8"))
        for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', code):
            words = text.replace("{}", "…")
            out |= {words + "…" if words.endswith(" ") else words} if " " in words.strip() else set()
    return out


def reason_rows(top: Path) -> set[str]:
    _, _, table = (top / "docs/fusion.md").read_text(encoding="utf-8").partition("| explain says | because |\n|---|---|\n")
    return {match[1] for match in re.finditer(r"^\| (.*?) \|", table, re.M)}


COUNTED = re.compile(r"`([\w/]+)` \| (\d+) \| (\d+)(?= \|)")


def counts(top: Path, folder: str) -> tuple[int, int]:
    """The source files of a folder and their lines; without files, as of a folder that is gone, 0."""
    files = [file for file in (top / folder).rglob("*") if file.suffix in (".h", ".cpp", ".inc")]
    return len(files), sum(file.read_text(encoding="utf-8").count("\n") for file in files)


def counted_again(top: Path) -> str:
    text = (top / "docs/add_a_backend.md").read_text(encoding="utf-8")
    return COUNTED.sub(lambda row: "`{}` | {} | {}".format(row[1], *counts(top, row[1])), text)


def faults_of_counts(top: Path) -> list[str]:
    out = []
    for folder, files, lines in COUNTED.findall((top / "docs/add_a_backend.md").read_text(encoding="utf-8")):
        for what, said, now in zip(("files", "lines"), (int(files), int(lines)), counts(top, folder)):
            if now == 0 or abs(said - now) > max(now / 4, 2):
                out.append(f"docs/add_a_backend.md: {folder} has {now} {what}, not {said}: run tests/structure/pages.py --update")
    return out


def words_of_schedules(top: Path) -> set[str]:
    """What stands between the commas of printed schedules."""
    text = (top / "docs/schedules_chosen.md").read_text(encoding="utf-8")
    printed = re.findall(r"^  (?:cpu|cuda) +[\w -]+?: (.*?)(?: \(.*\))?$", text, re.M)
    return {re.sub(r"\d+", "…", words) for schedule in printed for words in schedule.split(", ")}


def faults_of_glossary(top: Path) -> list[str]:
    page = (top / "docs/glossary.md").read_text(encoding="utf-8")
    words = words_of_schedules(top)
    missing = [f"docs/glossary.md does not say what '{one}' means in a printed schedule" for one in sorted(words) if f"`{one}`" not in page]
    return missing if words else ["docs/schedules_chosen.md lists no schedules"]


def faults(top: Path) -> list[str]:
    in_code, in_page = reasons(top), reason_rows(top)
    out = [f"docs/fusion.md has no row for the reason '{one}'" for one in sorted(in_code - in_page)]
    out += [f"docs/fusion.md has a row for '{one}', which fusion never says" for one in sorted(in_page - in_code)]
    return out + faults_of_passes(top) + faults_of_counts(top) + faults_of_glossary(top)


def faults_of_passes(top: Path) -> list[str]:
    code, page = passes(top), rows(top)
    if code == page:
        return []
    out = [f"docs/passes.md has no row for the pass {name}" for name, _ in code if name not in dict(page)]
    out += [f"docs/passes.md has a row for {name}, which is no pass" for name, _ in page if name not in dict(code)]
    out += [f"docs/passes.md: whether {name} is required" for name, required in page if dict(code).get(name, required) != required]
    return out or ["docs/passes.md lists the passes in another order than compiler/compile.cpp"]


if __name__ == "__main__":
    given = [one for one in sys.argv[1:] if one != "--update"]
    tree = Path(given[0] if given else ".").resolve()
    if "--update" in sys.argv[1:]:
        (tree / "docs/add_a_backend.md").write_text(counted_again(tree), encoding="utf-8")
    broken = faults(tree)
    print("\n".join(broken) or "the tables of pages are what the code says")
    sys.exit(bool(broken))
