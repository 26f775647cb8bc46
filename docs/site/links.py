"""Holds every link of every Markdown page to a file or a heading that is there; asks no other host.

Usage: links.py [TOP]: prints the links that lead nowhere, and fails if there is one.
"""

import os
import sys
import urllib.parse
from pathlib import Path

import page_text


def faults(top: Path) -> list[str]:
    texts = {page: (top / page).read_text(encoding="utf-8") for page in page_text.pages(top)}
    anchors = {page: page_text.anchors(text) for page, text in texts.items()}
    found = []
    for page, text in texts.items():
        for target, line in page_text.links(text):
            if page_text.is_outside(target):
                continue
            path, _, anchor = urllib.parse.unquote(target).partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if path.startswith("/") or file.startswith(".."):
                found.append(f"{page}:{line}: {target} leads out of the tree")
            elif not (top / file).exists():
                found.append(f"{page}:{line}: {target} leads to no file")
            elif anchor and file not in anchors:
                found.append(f"{page}:{line}: {target} names a place in a file that has no headings")
            elif anchor and anchor not in anchors[file]:
                found.append(f"{page}:{line}: {target} names no heading of {file}")
    return found


def main() -> None:
    top = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    pages = page_text.pages(top)
    found = faults(top)
    print("\n".join([*found, f"{len(pages)} pages, {len(found)} links that lead nowhere"]))
    sys.exit(1 if found or not pages else 0)


if __name__ == "__main__":
    main()
