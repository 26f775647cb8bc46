"""That sizes.py finds what it is there to find."""

import tempfile
import unittest
from pathlib import Path

import sizes


class Sizes(unittest.TestCase):
    def sizes(self, text):
        return [(name, members) for _, name, members in sizes.sizes(text)]

    def test_what_is_no_class(self):
        for text in ("int f(struct A a) {\n  int b;\n}", "const auto f = [](int a) {\n int b;\n};", "enum class E { A, B };", "#define F(x) \\\n  struct x { int a; }\n"):
            self.assertEqual(self.sizes(text), [], text)

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
        self.assertEqual(self.sizes(text), [("Inner", 1), ("A", 7)])

    def test_faults_name_the_line(self):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            (top / "compiler").mkdir()
            for name, members in (("a", 30), ("b", 31)):
                (top / f"compiler/{name}.h").write_text("// one\nclass C {\n" + "".join(f"  int a{k};\n" for k in range(members)) + "};\n")
            self.assertEqual(sizes.faults(top), ["compiler/b.h:2: class C has 31 data members, more than 30"])


if __name__ == "__main__":
    unittest.main()
