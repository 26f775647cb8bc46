"""Holds the built site to two rules: every link leads to a file and an anchor of it, and no page asks anything of another host.

Usage: check_site.py SITE.
"""

import html.parser
import re
import sys
import urllib.parse
from pathlib import Path

# Attributes that make a browser ask for something; what <a> names is asked for by the reader.
ASKED = {"link": "href", "script": "src", "img": "src", "source": "srcset", "iframe": "src", "object": "data", "video": "src"}
RELATIONS_NOT_ASKED = {"canonical", "next", "prev"}


class Page(html.parser.HTMLParser):
    """The anchors of a page, what its links name, and what it asks for."""

    def __init__(self, text: str):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.asked: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in ASKED and ASKED[tag] in values and values.get("rel") not in RELATIONS_NOT_ASKED:
            self.asked.append(values[ASKED[tag]])
        if "style" in values:
            self.asked += re.findall(r"url\(['\"]?([^'\")]+)", values["style"])


def faults(site: Path) -> list[str]:
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        if path == site / "404.html":  # served in place of any page, so its links are not relative
            continue
        name = path.relative_to(site)
        for target in page.links + page.asked:
            address = urllib.parse.urlsplit(target)
            if address.scheme or address.netloc:
                if target in page.asked and address.scheme != "data":
                    found.append(f"{name} asks another host: {target}")
                continue
            file = (path.parent / urllib.parse.unquote(address.path)).resolve() if address.path else path
            file = file / "index.html" if file.is_dir() else file
            anchor = urllib.parse.unquote(address.fragment)
            if not file.is_file():
                found.append(f"{name}: {target} leads to no file")
            elif anchor and file in pages and not anchor.startswith("__") and anchor not in pages[file].anchors:
                found.append(f"{name}: {target} leads to no anchor")
    for style in sorted(site.rglob("*.css")):
        outside = re.findall(r"url\(['\"]?((?:https?:)?//[^'\")]+)", style.read_text(encoding="utf-8"))
        found += [f"{style.relative_to(site)} asks another host: {one}" for one in outside]
    return found


def main() -> None:
    site = Path(sys.argv[1]).resolve()
    found = sorted(set(faults(site)))
    print("\n".join([*found, f"{len(list(site.rglob('*.html')))} pages, {len(found)} faults"]))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
