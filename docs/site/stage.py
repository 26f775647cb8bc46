"""The pages as the site has them: where they lie in the tree, with the files that they link to as pages, too.

Links stay what they are, but for those to files, which become pages named after them: `../compiler/ir/ops/op.h` is `../compiler/ir/ops/op.h.md`.
"""

import os
import re
import shutil
from pathlib import Path

import page_text

AS_THEY_ARE = (".png", ".svg", ".jpg", ".gif", ".webp", ".csv", ".npy")
LOOKS = {"docs/site/site.css", "docs/site/favicon.svg", "docs/site/iframe-worker.js"}
LANGUAGES = {".h": "cpp", ".cpp": "cpp", ".inc": "cpp", ".cu": "cuda", ".py": "python", ".sh": "bash", ".cmake": "cmake", ".yml": "yaml"}


def source_page(name: str, text: str) -> str:
    """A page that shows a file of the tree; search leaves it out."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    language = LANGUAGES.get(Path(name).suffix, "text")
    return f"---\nsearch:\n  exclude: true\nhide: [navigation, toc]\n---\n\n# `{name}`\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"


def folder_page(name: str, files: list[str]) -> str:
    rows = "\n".join(f"- [`{file}`]({file})" for file in files)
    return f"---\nsearch:\n  exclude: true\nhide: [navigation, toc]\n---\n\n# `{name}/`\n\n{rows}\n"


def with_both_pictures(text: str) -> str:
    """A <picture> of a light and a dark image follows the reader's browser; the site's follow its own switch."""

    def images(picture: re.Match) -> str:
        dark = re.search(r"<source[^>]*prefers-color-scheme: *dark[^>]*srcset=\"([^\"]+)\"", picture[0])
        light = re.search(r"<img[^>]*\bsrc=\"([^\"]+)\"[^>]*>", picture[0])
        if dark is None or light is None:
            return picture[0]
        both = [light[0].replace(light[1], f"{image}#only-{kind}") for kind, image in (("light", light[1]), ("dark", dark[1]))]
        return "".join(both)

    return re.sub(r"<picture>.*?</picture>", images, text, flags=re.S)


def with_blank_lines(text: str) -> str:
    """Python's Markdown takes a list for a list after a blank line only."""
    result: list[str] = []
    fenced = False
    item = re.compile(r"([-*+]|\d+\.) ")
    for line in text.split("\n"):
        fenced ^= line.lstrip().startswith("```")
        before = result[-1] if result else ""
        if not fenced and item.match(line) and before.strip() and not item.match(before) and not before.startswith(" "):
            result.append("")
        result.append(line)
    return "\n".join(result)


def with_short_labels(text: str) -> str:
    """The table of contents shows a long heading up to its colon."""
    long_heading = re.compile(r"^(#{2,4} (?!.*[{`])(.{3,50}?): .{10,})$", re.M)
    return long_heading.sub(r'\1 { data-toc-label="\2" }', text)


LONGEST_LINE_BESIDE = 58


def with_languages_beside(text: str) -> str:
    """A block of C++ that follows one of Python at once says the same: short ones stand beside each other."""

    def beside(blocks: re.Match) -> str:
        if max(map(len, blocks[0].split("\n"))) > LONGEST_LINE_BESIDE:
            return blocks[0]
        return f'<div class="beside" markdown>\n\n{blocks[0]}\n\n</div>'

    return re.sub(r"^```python\n(?:(?!```).*\n)*```\n\n```cpp\n(?:(?!```).*\n)*```$", beside, text, flags=re.M)


class Stage:
    """The staged pages, by their paths; what they link to is staged as it is met."""

    def __init__(self, top: Path, generated: dict[str, str], pages_of_headers: dict[str, str]):
        self.top = top
        self.texts = {page: (top / page).read_text(encoding="utf-8") for page in page_text.pages(top)} | generated
        self.pages_of_headers = pages_of_headers
        self.sources: dict[str, str] = {}
        self.copies: set[str] = set()

    def target(self, page: str, target: str) -> str:
        """What a link of this page becomes on the site."""
        path, mark, anchor = target.partition("#")
        if page_text.is_outside(target) or not path:
            return target
        folder = os.path.dirname(page)
        file = os.path.normpath(os.path.join(folder, path))
        return os.path.relpath(self.place(file), folder or ".") + mark + anchor

    def place(self, file: str) -> str:
        if file in self.texts:
            return file
        if file in self.pages_of_headers:
            return self.pages_of_headers[file]
        path = self.top / file
        if file.endswith(AS_THEY_ARE):
            self.copies.add(file)
            return file
        staged = f"{file}/index.md" if path.is_dir() else f"{file}.md"
        if staged in self.texts or staged in self.sources:
            return staged
        if path.is_dir():
            inside = sorted(one.name for one in path.iterdir() if one.is_file())
            page = folder_page(file, inside)
        else:
            page = source_page(file, path.read_text(encoding="utf-8"))
        self.sources[staged] = page
        if path.is_dir():  # its files are met by its links
            self.sources[staged] = self.page(staged, page)
        return staged

    def page(self, name: str, text: str) -> str:
        text = with_languages_beside(with_short_labels(with_blank_lines(with_both_pictures(text))))
        return page_text.with_links(self.with_titles(name, text), lambda target, _: self.target(name, target))

    def with_titles(self, name: str, text: str) -> str:
        """A link whose text is a page's file name shows the page's title: the site has no such files."""

        def titled(link: re.Match) -> str:
            file = os.path.normpath(os.path.join(os.path.dirname(name), link[2]))
            named = file in self.texts and link[1].strip("`").endswith(os.path.basename(file))
            return f"[{page_text.title(self.texts[file])}]({link[2]}{link[3] or ''})" if named else link[0]

        return re.sub(r"\[([^\]\s]+\.md`?)\]\(([^)#\s]+)(#[^)\s]*)?\)", titled, text)

    def write(self, to: Path) -> None:
        pages = {name: self.page(name, text) for name, text in sorted(self.texts.items())}
        shutil.rmtree(to, ignore_errors=True)
        for name, text in (pages | self.sources).items():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            (to / name).write_text(text, encoding="utf-8")
        for name in sorted(self.copies | LOOKS):
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.top / name, to / name)
