"""That cards.py finds what it is there to find."""

import tempfile
import unittest
from pathlib import Path

import cards


class Cards(unittest.TestCase):
    def faults(self, text, file="compiler/plan/a.cpp"):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            (top / file).parent.mkdir(parents=True, exist_ok=True)
            (top / file).write_text(text)
            return [line.split(": ")[1] for line in cards.faults(top)]

    def test_names_in_code(self):
        for text in ("if (on_h100(target)) return;", "constexpr int kA100 = 1;", 'emit("sm_90");', "case Card::RTX4090:", "int zen4 = 0;", 'R"(asm on H200)"'):
            self.assertEqual(len(self.faults(text)), 1, text)

    def test_comments_and_what_only_looks_like_a_name(self):
        for text in ("// 3 % faster on an H200.", "/* an A100\n has none */ int x;", "float l2 = 0; sm = 3;", "has_clusters(target)", 'R"(// as on an H200\n)"'):
            self.assertEqual(self.faults(text), [], text)

    def test_machine_may(self):
        self.assertEqual(self.faults("int h100 = 0;", "compiler/machine/a.h"), [])

    def test_the_line_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            (top / "compiler").mkdir()
            (top / "compiler/a.cpp").write_text("/* one\ntwo */\nint h100;\n")
            self.assertTrue(cards.faults(top)[0].startswith("compiler/a.cpp:3: h100"))


if __name__ == "__main__":
    unittest.main()
