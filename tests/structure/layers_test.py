"""That layers.py finds what it is there to find."""

import tempfile
import unittest
from pathlib import Path

import layers

PAGE = """# Layers

## What may include what

| layer | may include |
|---|---|
| `compiler/base` | |
| `compiler/ir` | {ir} |
"""


class Layers(unittest.TestCase):
    def faults(self, files, ir="`compiler/base`"):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            for name, text in {"docs/layers.md": PAGE.format(ir=ir), **files}.items():
                (top / name).parent.mkdir(parents=True, exist_ok=True)
                (top / name).write_text(text)
            return layers.faults(top)

    good = {"compiler/base/a.h": "", "compiler/ir/b.h": '#include "compiler/base/a.h"\n'}

    def test_what_keeps_to_the_table_is_fine(self):
        self.assertEqual(self.faults(self.good), [])

    def test_an_include_upwards(self):
        upwards = {**self.good, "compiler/base/a.cpp": '#include "compiler/ir/b.h"\n'}
        self.assertEqual(self.faults(upwards)[0], "compiler/base/a.cpp includes compiler/ir/b.h: compiler/base may include nothing")

    def test_a_file_outside(self):
        self.assertEqual(self.faults({**self.good, "runtime/c.h": ""}), ["runtime/c.h is in no layer of the table"])

    def test_a_right_that_nobody_uses(self):
        self.assertEqual(self.faults({"compiler/base/a.h": "", "compiler/ir/b.h": ""}), ["the table lets compiler/ir include compiler/base, and no file does"])

    def test_a_circle_by_way_of_a_source_file(self):
        circle = {**self.good, "compiler/ir/b.cpp": '#include "compiler/ir/c.h"\n', "compiler/ir/c.h": '#include "b.h"\n'}
        self.assertEqual(self.faults(circle), ["a circle: compiler/ir/b, compiler/ir/c"])


if __name__ == "__main__":
    unittest.main()
