"""That sizes.py finds what it is there to find."""

import tempfile
import unittest
from pathlib import Path

import sizes


class Sizes(unittest.TestCase):
    def sizes(self, text):
        return [(kind, name, size) for _, kind, name, size in sizes.sizes(text)]

    def test_lines_of_functions(self):
        self.assertEqual(self.sizes("int f(int a,\n      int b) {\n  return a;\n}\n"), [("function", "f", 4)])
        self.assertEqual(self.sizes("namespace n {\ntemplate <class T>\nstd::vector<T> A::g() const {\n  if (x) {\n  }\n}\n}\n"), [("function", "A::g", 5)])

    def test_what_is_no_function(self):
        for text in ("constexpr int k[] = {1, 2};", "const auto f = [](int a) {\n return a;\n};", "enum class E { A, B };", 'extern "C" {\n}\n', "#define F(x) \\\n  f(x) {\n"):
            self.assertEqual([one for one in self.sizes(text) if one[0] == "function"], [], text)

    def test_members_of_classes(self):
        text = """struct A : B<int> {
  int a = 1, b;
  std::map<int, std::pair<int, char>> c = {}, d;
  std::function<void(int)> e;
  static constexpr int kNone = 0;
  using T = int;
  A(int x) : a(x) {}
  int f(int x, int y) const;
  bool operator==(const A&) const = default;
  struct Inner {
    int g;
  };
  Inner h{1};

 private:
  int i_;
};
"""
        self.assertEqual([one for one in self.sizes(text) if one[0] == "class"], [("class", "Inner", 1), ("class", "A", 7)])

    def test_faults_name_the_line(self):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            (top / "compiler").mkdir()
            (top / "compiler/a.cpp").write_text("// one\nvoid f() {\n" + "  g();\n" * 79 + "}\nvoid h() {\n" + "  g();\n" * 78 + "}\n")
            (top / "compiler/b.h").write_text("class C {\n" + "".join(f"  int a{k};\n" for k in range(31)) + "};\n")
            want = ["compiler/a.cpp:2: function f has 81 lines, more than 80", "compiler/b.h:1: class C has 31 data members, more than 30"]
            self.assertEqual(sizes.faults(top), want)


if __name__ == "__main__":
    unittest.main()
