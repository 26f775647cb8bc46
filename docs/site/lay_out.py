"""Lays out what MkDocs reads: the pages, those made from the C++ headers, and its settings with the order of all.

Usage: lay_out.py TO: writes TO/mkdocs.yml and TO/pages, from the top of the tree. Fails where a page has no place in navigation.py.
"""

import sys
from pathlib import Path

import cpp_reference
import navigation
import stage
import yaml


def main() -> None:
    to = Path(sys.argv[1]).resolve()
    top = Path(".").resolve()
    generated, pages_of_headers = cpp_reference.pages(top)
    pages = stage.Stage(top, generated, pages_of_headers)
    _, without_place = navigation.placed(pages.texts)
    if without_place:
        sys.exit("no row of docs/site/navigation.py takes " + ", ".join(without_place))
    pages.write(to / "pages")
    # MkDocs alone reads the settings' own tags: what is added here is added to their text.
    added = {
        "docs_dir": str(to / "pages"),
        "nav": navigation.tree(pages.texts),
        "not_in_nav": "\n".join("/" + name for name in sorted(pages.sources)),
    }
    settings = (top / "docs/site/mkdocs.yml").read_text(encoding="utf-8")
    (to / "mkdocs.yml").write_text(settings + yaml.safe_dump(added, sort_keys=False, allow_unicode=True), encoding="utf-8")


if __name__ == "__main__":
    main()
