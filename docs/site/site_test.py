"""That the scripts of the site find what they are there to find."""

import tempfile
import unittest
from pathlib import Path

import check_site
import links
import navigation
import page_text
import stage


class InAFolder(unittest.TestCase):
    def laid(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        top = Path(folder.name).resolve()
        for name, text in files.items():
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            (top / name).write_text(text, encoding="utf-8")
        return top


class Links(InAFolder):
    def faults(self, text, **others):
        return links.faults(self.laid({"docs/a.md": text, "docs/b.md": "# B\n\n## Two words, `code()`\n\n## Twice\n\n## Twice\n", "src/c.h": "", **others}))

    def test_links_that_lead_somewhere(self):
        self.assertEqual(self.faults("# A\n[b](b.md) [head](b.md#two-words-code) [own](#a) [c](../src/c.h) [out](https://x.org/y) [folder](../src)\n"), [])
        self.assertEqual(self.faults("[second](b.md#twice-1) ![picture](b.md \"title\") <a href=\"b.md#b\">b</a> [angle](<b.md>)\n\n[ref]: b.md\n"), [])

    def test_no_such_file(self):
        self.assertEqual(self.faults("one\n[b](c.md)\n"), ["docs/a.md:2: c.md leads to no file"])
        self.assertEqual(self.faults("[ref]: c.md\n"), ["docs/a.md:1: c.md leads to no file"])
        self.assertEqual(self.faults("<img src=\"c.svg\">\n"), ["docs/a.md:1: c.svg leads to no file"])
        self.assertEqual(self.faults("<source srcset=\"c.svg\">\n"), ["docs/a.md:1: c.svg leads to no file"])

    def test_no_such_heading(self):
        self.assertEqual(self.faults("[b](b.md#Twice)\n"), ["docs/a.md:1: b.md#Twice names no heading of docs/b.md"])
        self.assertEqual(self.faults("[b](b.md#twice-2)\n"), ["docs/a.md:1: b.md#twice-2 names no heading of docs/b.md"])
        self.assertEqual(self.faults("[own](#b)\n"), ["docs/a.md:1: #b names no heading of docs/a.md"])
        self.assertEqual(self.faults("[c](../src/c.h#L1)\n"), ["docs/a.md:1: ../src/c.h#L1 names a place in a file that has no headings"])

    def test_out_of_the_tree(self):
        self.assertEqual(self.faults("[c](../../c.md) [d](/docs/b.md)\n"), ["docs/a.md:1: ../../c.md leads out of the tree", "docs/a.md:1: /docs/b.md leads out of the tree"])

    def test_code_is_no_link(self):
        self.assertEqual(self.faults("`a[0](x)` ``b[`](y)``\n\n```cpp\na[0](x)\n# no heading\n```\n\n~~~\n```\n[z](z)\n~~~\n"), [])
        self.assertEqual(self.faults("```\n# Code\n```\n[own](#code)\n"), ["docs/a.md:4: #code names no heading of docs/a.md"])

    def test_what_is_built_is_no_page(self):
        self.assertEqual(self.faults("", **{"build-x/d.md": "[gone](gone.md)"}), [])


class Staging(InAFolder):
    def staged(self, text, **files):
        pages = stage.Stage(self.laid({"docs/a.md": text, "src/c.h": "int c;\n", "docs/p.svg": "", **files}), {"docs/api/d_h.md": "# d\n"}, {"src/d.h": "docs/api/d_h.md"})
        return pages.page("docs/a.md", pages.texts["docs/a.md"]), pages

    def test_a_source_becomes_a_page(self):
        text, pages = self.staged("[c](../src/c.h)")
        self.assertEqual(text, "[c](../src/c.h.md)")
        self.assertIn("```cpp\nint c;\n```", pages.sources["src/c.h.md"])

    def test_a_folder_becomes_a_page_of_its_files(self):
        text, pages = self.staged("[src](../src/)")
        self.assertEqual(text, "[src](../src/index.md)")
        self.assertIn("[`c.h`](c.h.md)", pages.sources["src/index.md"])
        self.assertIn("src/c.h.md", pages.sources)

    def test_a_header_of_the_reference_leads_to_its_page(self):
        self.assertEqual(self.staged("[d](../src/d.h)")[0], "[d](api/d_h.md)")

    def test_pictures_are_copied_and_follow_the_switch(self):
        text, pages = self.staged('<picture><source media="(prefers-color-scheme: dark)" srcset="p.svg"><img alt="x" src="p.svg"></picture>')
        self.assertEqual(text, '<img alt="x" src="p.svg#only-light"><img alt="x" src="p.svg#only-dark">')
        self.assertEqual(pages.copies, {"docs/p.svg"})

    def test_a_list_after_a_paragraph_stays_a_list(self):
        self.assertEqual(self.staged("text:\n- one\n- two\n")[0], "text:\n\n- one\n- two\n")

    def test_short_blocks_of_both_languages_stand_beside_each_other(self):
        both, far = "```python\nx = 1\n```\n\n```cpp\nint x = 1;\n```", "x = " + "1 + " * 20 + "1"
        self.assertEqual(self.staged(f"one\n\n{both}\n")[0], f'one\n\n<div class="beside" markdown>\n\n{both}\n\n</div>\n')
        for text in (both.replace("x = 1", far, 1), both.replace("\n\n", "\n\nand\n\n"), both.replace("python", "text")):
            self.assertEqual(self.staged(text)[0], text)

    def test_a_file_name_as_text_becomes_the_title(self):
        self.assertEqual(self.staged("[b.md](b.md#x), [page](b.md)", **{"docs/b.md": "# Bees\n"})[0], "[Bees](b.md#x), [page](b.md)")


class Navigation(unittest.TestCase):
    def test_pages_without_a_place_are_named(self):
        sections, left = navigation.placed({"README.md": "# Weft", "docs/never_heard_of.md": "# What"})
        self.assertEqual((sections["Start"], left), (["README.md"], ["docs/never_heard_of.md"]))

    def test_a_page_stands_once(self):
        pages = {name: f"# {name}" for name in ("README.md", "docs/add_an_op.md", "docs/add_a_pass.md", "docs/notes/x.md", "docs/cpp_api/a_h.md")}
        sections, left = navigation.placed(pages)
        self.assertEqual((sorted(sum(sections.values(), [])), left), (sorted(pages), []))


class Site(InAFolder):
    def faults(self, text):
        return check_site.faults(self.laid({"a.html": text, "b/c.html": '<h1 id="head">'}))

    def test_a_good_page(self):
        self.assertEqual(self.faults('<a href="b/c.html#head">c</a> <a href="https://x.org">x</a> <img src="data:image/png;base64,">'), [])

    def test_dead_links(self):
        self.assertEqual(self.faults('<a href="b/d.html">d</a>'), ["a.html: b/d.html leads to no file"])
        self.assertEqual(self.faults('<a href="b/c.html#tail">c</a>'), ["a.html: b/c.html#tail leads to no anchor"])

    def test_what_asks_another_host(self):
        self.assertEqual(self.faults('<script src="https://x.org/y.js"></script>'), ["a.html asks another host: https://x.org/y.js"])
        self.assertEqual(self.faults('<link rel="stylesheet" href="//x.org/y.css">'), ["a.html asks another host: //x.org/y.css"])


class PageText(unittest.TestCase):
    def test_anchors(self):
        text = "# A `b()` *c*\n## Where it differs — and why?\n## [Link](x.md) it\n"
        self.assertEqual(page_text.anchors(text), {"a-b-c", "where-it-differs--and-why", "link-it"})


if __name__ == "__main__":
    unittest.main()
