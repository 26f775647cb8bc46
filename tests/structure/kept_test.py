"""That kept.py finds what it is there to find."""

import tempfile
import unittest
from pathlib import Path

import kept

PAGE = """# Layers

## What a thread or the process keeps

| where | what | why |
|---|---|---|
{rows}
"""


class Kept(unittest.TestCase):
    def test_what_is_found(self):
        for text, names in {
            "thread_local Turns turns;\n": {"turns"},
            "thread_local const std::string* scoped = nullptr;\n": {"scoped"},
            "  static inline thread_local bool may_stop_ = false;\n": {"may_stop_"},
            "inline Gate working;\n": {"working"},
            "  static inline std::atomic<int> threads_{0};\n": {"threads_"},
            "std::atomic<const std::string* (*)()> chosen{nullptr};\n": {"chosen"},
            "std::mutex waiting;\n": {"waiting"},
            "  static auto* names = new std::set<std::string>;\n": {"names"},
            "  static SharedThreads threads;\n": {"threads"},
            "  static OneDnn found{};\n": {"found"},
            "  Canonical& graph = PerThread<Canonical>::get();\n": {"Canonical"},
            "// thread_local in a comment;\n": set(),
            "inline int twice(int x) { return 2 * x; }\n": set(),
            "inline constexpr int kMost = 3;\n": set(),
            "  static constexpr int kMost = 3;\n": set(),
            "  static const std::regex number(\"[0-9]\");\n": set(),
            "  static PyObject* module = nullptr;\n": set(),
            "  static Scalar of(double x);\n": set(),
            "  std::mutex mutex_;\n": set(),
        }.items():
            with self.subTest(text):
                self.assertEqual(kept.kept(text), names)

    def faults(self, rows, text="thread_local int mine = 0;\n"):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            for name, content in {"docs/layers.md": PAGE.format(rows=rows), "runtime/a.cpp": text}.items():
                (top / name).parent.mkdir(parents=True, exist_ok=True)
                (top / name).write_text(content)
            return kept.faults(top)

    def test_the_table_is_held_to_the_code_both_ways(self):
        self.assertEqual(self.faults("| `runtime/a.cpp` | `mine` | it counts |"), [])
        self.assertEqual(self.faults(""), ["runtime/a.cpp keeps mine, which is not listed"])
        self.assertEqual(self.faults("| `runtime/a.cpp` | `mine`, `yours` | both |"), ["runtime/a.cpp keeps no yours, and it is listed"])
        self.assertEqual(self.faults("| `runtime/b.cpp` | `mine` | gone |", ""), ["runtime/b.cpp is listed, and is not there"])


if __name__ == "__main__":
    unittest.main()
