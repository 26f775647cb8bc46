"""That unity.py finds what it is there to find."""

import tempfile
import unittest
from pathlib import Path

import unity


def in_unnamed(code: str) -> str:
    return f"namespace weft {{\nnamespace {{\n{code}\n}}\n}}\n"


class Names(unittest.TestCase):
    def test_what_is_defined(self):
        for code, names in {
            "constexpr int kTimes = 4;": {"kTimes"},
            "[[maybe_unused]] const bool kAdded = add(kSingle) && add(kDouble);": {"kAdded"},
            "constexpr std::string_view kNames[] = {\"a\", \"b\"};": {"kNames"},
            "struct Flags {\n  int times = 2;\n};": {"Flags"},
            "class Checker final : public Base {\n  int times_;\n};": {"Checker"},
            "enum class Way { one, other };": {"Way"},
            "int run(const Flags& flags, std::vector<int> more = 2) {\n  int inner = 3;\n  return inner;\n}": {"run(const Flags&, std::vector<int>)"},
            "using nlohmann::ordered_json;": set(),
            "int run(int times);": set(),
            "// constexpr int kTimes = 4;\n": set(),
            "const char* kText = R\"(constexpr int kTimes = 4;)\";": {"kText"},
        }.items():
            self.assertEqual({name for _, name in unity.names(in_unnamed(code))}, names, code)

    def test_named_namespaces_are_the_linkers(self):
        self.assertEqual(unity.names("namespace weft {\nconstexpr int kTimes = 4;\n}\n"), set())


class Faults(unittest.TestCase):
    def faults(self, cmake: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            for library in ("ir", "plan"):
                (top / "compiler" / library / "deep").mkdir(parents=True)
                (top / "compiler" / library / "CMakeLists.txt").write_text(cmake)
                (top / "compiler" / library / "a.cpp").write_text(in_unnamed(f"constexpr int k{library} = 4;\nvoid f(int a) {{}}"))
                (top / "compiler" / library / "deep" / "b.cpp").write_text(in_unnamed("constexpr int kir = 5;\nvoid f(long b) {}"))
            return unity.faults(top)

    def test_twice_in_a_library(self):
        self.assertEqual(self.faults(""), ["kir is defined in the unnamed namespaces of compiler/ir/a.cpp, compiler/ir/deep/b.cpp"])

    def test_libraries_that_are_never_compiled_as_one(self):
        self.assertEqual(self.faults("set_target_properties(x PROPERTIES UNITY_BUILD OFF)"), [])


if __name__ == "__main__":
    unittest.main()
