"""That pages.py finds what it is there to find."""

import tempfile
import unittest
from pathlib import Path

import pages

CODE = """constexpr passes::Pass kPasses[] = {
    {"first", passes::first, passes::kRequired},
    {"second", [](auto& g, auto&, auto& o) { return passes::second(g, o); }},
};
"""
ROWS = ["| [`first`](a.h) | does this | required |", "| [`second`](b.h) | does that | |"]


FUSION = """#include "a b.h"
// says "no such thing"
if (x) return refuse(fmt::format("a row of {} is long", 3));
why = "it lines up otherwise than " + name;
throw InternalError("fuse: groups wait");
"""
REASONS = ["| explain says | because |", "|---|---|", "| a row of … is long | it is |", "| it lines up otherwise than … | it does |"]

CHOSEN = """map
  cpu   rows: axis 1 by 16 lanes, masked (lanes along the row, short)
  cuda  pointwise: axis 0 by 4 lanes
"""
GLOSSARY = ["| `axis … by … lanes` | what lanes run along |", "| `masked` | with masks |"]


class Pages(unittest.TestCase):
    def faults(self, rows=ROWS, reasons=REASONS, counts="| fusion | `compiler/fusion` | 1 | 5 |\n", glossary=GLOSSARY):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            texts = {"compiler/compile.cpp": CODE, "compiler/fusion/a.cpp": FUSION, "docs/passes.md": "\n".join(rows) + "\n", "docs/fusion.md": "\n".join(reasons) + "\n"}
            texts |= {"docs/add_a_backend.md": counts, "docs/schedules_chosen.md": CHOSEN, "docs/glossary.md": "\n".join(glossary)}
            for name, text in texts.items():
                (top / name).parent.mkdir(parents=True, exist_ok=True)
                (top / name).write_text(text)
            return pages.faults(top)

    def test_a_page_that_says_the_same(self):
        self.assertEqual(self.faults(), [])

    def test_a_reason_that_is_missing_or_never_given(self):
        self.assertEqual(self.faults(reasons=REASONS[:3]), ["docs/fusion.md has no row for the reason 'it lines up otherwise than …'"])
        self.assertEqual(self.faults(reasons=[*REASONS, "| it is Monday | |"]), ["docs/fusion.md has a row for 'it is Monday', which fusion never says"])

    def test_a_row_that_is_missing_or_too_many(self):
        self.assertEqual(self.faults(ROWS[:1]), ["docs/passes.md has no row for the pass second"])
        self.assertEqual(self.faults([*ROWS, "| [`third`](c.h) | | |"]), ["docs/passes.md has a row for third, which is no pass"])

    def test_counts_that_are_far_off_and_folders_that_are_gone(self):
        self.assertEqual(self.faults(counts="| `compiler/fusion` | 1 | 6 | `compiler/fusion` | 3 | 5 |\n"), [])
        self.assertEqual(
            self.faults(counts="| `compiler/fusion` | 1 | 50 | `compiler/gone` | 1 | 5 |\n"),
            [f"docs/add_a_backend.md: {what}: run tests/structure/pages.py --update" for what in
             ("compiler/fusion has 5 lines, not 50", "compiler/gone has 0 files, not 1", "compiler/gone has 0 lines, not 5")],
        )  # fmt: skip

    def test_the_order_and_what_is_required(self):
        self.assertEqual(self.faults(ROWS[::-1]), ["docs/passes.md lists the passes in another order than compiler/compile.cpp"])
        self.assertEqual(self.faults([ROWS[0].replace("required", ""), ROWS[1]]), ["docs/passes.md: whether first is required"])

    def test_a_word_of_schedules_that_the_glossary_lacks(self):
        self.assertEqual(self.faults(glossary=GLOSSARY[:1]), ["docs/glossary.md does not say what 'masked' means in a printed schedule"])


if __name__ == "__main__":
    unittest.main()
