"""That python_layers.py finds what it is there to find."""

import tempfile
import unittest
from pathlib import Path

import python_layers

PAGE = """# Layers

## What Python's rooms may import

| room | may import |
|---|---|
| `_base` | |
| `_array` | {array} |

## What Python imports inside functions

| module | where | why |
|---|---|---|
{late}
"""


class PythonLayers(unittest.TestCase):
    def faults(self, files, array="`_base`", late=""):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            written = {f"frontend/python/weft/{name}": text for name, text in files.items()}
            for name, text in {"docs/layers.md": PAGE.format(array=array, late=late), **written}.items():
                (top / name).parent.mkdir(parents=True, exist_ok=True)
                (top / name).write_text(text)
            return python_layers.faults(top)

    good = {"_base/a.py": "import os\nfrom weft import _core\nfrom weft._core import Array\n", "_array/b.py": "from weft._base import a\n"}

    def test_what_keeps_to_the_tables_is_fine(self):
        self.assertEqual(self.faults(self.good), [])

    def test_an_import_upwards(self):
        upwards = {**self.good, "_base/c.py": "from weft._array.b import f\n"}
        self.assertEqual(self.faults(upwards), ["_base/c.py imports weft._array.b: _base may import nothing"])

    def test_a_module_that_is_gone(self):
        gone = {**self.good, "_array/c.py": "from weft._arrays import f\n"}
        self.assertEqual(self.faults(gone), ["_array/c.py imports weft._arrays, which is not there"])

    def test_a_room_that_is_in_no_table(self):
        self.assertEqual(self.faults({**self.good, "_else/a.py": ""}), ["_else/a.py is in no room of the table"])

    def test_a_right_that_nobody_uses(self):
        self.assertEqual(self.faults({"_base/a.py": ""}), ["the table lets _array import _base, and no module does"])

    def test_imports_inside_of_functions_are_listed(self):
        late = {**self.good, "_array/c.py": "def f():\n    import numpy\n"}
        self.assertEqual(self.faults(late), ["_array/c.py imports numpy inside of a function, and is not listed"])
        self.assertEqual(self.faults(late, late="| `numpy` | everywhere | slow |"), [])
        self.assertEqual(self.faults(late, late="| `numpy` | `_array/c.py` | slow |"), [])
        self.assertEqual(self.faults(self.good, late="| `numpy` | everywhere | slow |"), ["everywhere imports no numpy inside of a function, and is listed"])

    def test_what_only_type_checkers_read_is_no_import(self):
        self.assertEqual(self.faults({**self.good, "_base/c.py": "if TYPE_CHECKING:\n    from weft._array.b import f\n"}), [])

    def test_a_circle_by_way_of_a_function(self):
        circle = {**self.good, "_array/c.py": "from weft._array import d\n", "_array/d.py": "def f():\n    from weft._array import c\n"}
        self.assertEqual(self.faults(circle, late="| `weft._array.c` | `_array/d.py` | here |"), ["a circle: weft._array.c, weft._array.d"])


if __name__ == "__main__":
    unittest.main()
