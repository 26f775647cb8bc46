"""The order of the site's pages. A row is a page or a pattern, which stands for what no row before it took, by title."""

import fnmatch
from pathlib import Path

import page_text

SECTIONS = {
    "Start": ["README.md", "docs/quick_start.md", "docs/install.md", "docs/versions.md", "docs/changelog.md"],
    "Guides": [
        "docs/python.md",
        "docs/cpp.md",
        "docs/lazy_evaluation.md",
        "docs/memory.md",
        "docs/differences.md",
        "docs/compile.md",
        "docs/derivatives.md",
        "docs/loops.md",
        "docs/ladder.md",
        "docs/your_code.md",
        "docs/first_calls.md",
        "docs/performance.md",
        "docs/seeing_inside.md",
        "docs/devices.md",
        "docs/random.md",
        "docs/other_libraries.md",
        "docs/dask.md",
        "docs/threads.md",
        "docs/export.md",
        "docs/settings.md",
        "docs/debugging.md",
        "docs/examples.md",
    ],
    "Reference": [
        "docs/python_api.md",
        "docs/ops.md",
        "docs/ir.md",
        "docs/glossary.md",
        "docs/benchmarks.md",
        "docs/examples/data/README.md",
        "docs/cpp_api.md",
        "docs/cpp_api/*.md",
    ],
    "For engineers": [
        "CONTRIBUTING.md",
        "docs/architecture.md",
        "docs/layers.md",
        "docs/evaluation.md",
        "docs/passes.md",
        "docs/fusion.md",
        "docs/schedules*.md",
        "docs/emitters.md",
        "docs/tuning.md",
        "docs/add_an_op.md",
        "docs/add_a_*.md",
        "tests/*.md",
    ],
    "Notes": ["docs/notes/README.md", "docs/notes/*.md", "docs/benchmarks/*.md"],
}
# Pages of these folders, and the page beside of the folder's name, stand in a section of their own within the section.
FOLDED = {"docs/cpp_api": "C++ API"}


def placed(texts: dict[str, str]) -> tuple[dict[str, list[str]], list[str]]:
    """The pages of each section in their order, and the pages that no row takes."""
    left = set(texts)
    result: dict[str, list[str]] = {}
    for section, rows in SECTIONS.items():
        taken: list[str] = []
        for row in rows:
            titles = {page: page_text.title(texts[page]) for page in left if fnmatch.fnmatchcase(page, row)}
            # Of headers, the library's own come before those that lie deeper.
            found = sorted(titles, key=lambda page: (titles[page].count("/"), titles[page]))
            left -= set(found)
            taken += found
        result[section] = taken
    return result, sorted(left)


def tree(texts: dict[str, str]) -> list[dict]:
    """The navigation as MkDocs takes it."""
    sections, _ = placed(texts)
    result = []
    for section, pages in sections.items():
        entries: list = []
        for page in pages:
            folder = FOLDED.get(str(Path(page).parent)) or FOLDED.get(page.removesuffix(".md"))
            entry = {page_text.title(texts[page]): page}
            if folder is None:
                entries.append(entry)
                continue
            group = next((one[folder] for one in entries if folder in one), None)
            if group is None:
                group = []
                entries.append({folder: group})
            group.append(entry)
        if entries:
            result.append({section: entries})
    return result
