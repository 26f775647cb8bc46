"""How `./dev test` counts: each test of CTest, and of a file of Python tests each test in its report."""

import subprocess
import tempfile
import unittest
from pathlib import Path

DEV = Path(__file__).resolve().parents[2] / "dev"


def case(name, status="run", inside=""):
    return f'\t<testcase name="{name}" classname="{name}" time="0.1" status="{status}">\n{inside}\t\t<system-out></system-out>\n\t</testcase>\n'


class Counting(unittest.TestCase):
    def counted(self, cases, reports=()):
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder) / "results.xml"
            results.write_text(f"<testsuite>\n{''.join(cases)}</testsuite>\n")
            for name, lines in dict(reports).items():
                (Path(folder) / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
            done = subprocess.run([DEV, "count", results, folder], capture_output=True, text=True)
            return done.stdout.splitlines(), done.returncode

    def test_each_test_of_ctest(self):
        failed = case("A.Fails", "fail", '\t\t<failure message=""/>\n')
        skipped = '\t<testcase name="A.Skips" status="notrun">\n\t\t<skipped message="SKIP_RETURN_CODE=4"/>\n\t\t<system-out>a_test.cpp:3: Skipped\nno GPU\n</system-out>\n\t</testcase>\n'
        self.assertEqual(self.counted([case("A.Passes")]), (["1 passed, 0 failed, 0 skipped"], 0))
        self.assertEqual(self.counted([case("A.Passes"), failed]), (["failed: A.Fails", "1 passed, 1 failed, 0 skipped"], 1))
        self.assertEqual(self.counted([case("A.Passes"), skipped]), (["skipped: A.Skips: no GPU", "1 passed, 0 failed, 1 skipped"], 0))
        self.assertEqual(self.counted([]), (["0 passed, 0 failed, 0 skipped"], 1))

    def test_each_line_of_a_report_is_a_test(self):
        lines = ["passed\ta::b\t", "passed\ta::c\t", "skipped\ta::d\tno GPU", "skipped\ta::e\tno GPU", "skipped\ta::f\tno room"]
        said, code = self.counted([case("python.a"), case("A.Passes")], {"python.a": lines})
        self.assertEqual(code, 0)
        self.assertEqual(sorted(said[:2]), ["skipped: python.a: 1 test: no room", "skipped: python.a: 2 tests: no GPU"])
        self.assertEqual(said[2], "3 passed, 0 failed, 3 skipped")

    def test_what_fails_in_a_file_is_named_and_counted_once(self):
        failed = case("python.a", "fail", '\t\t<failure message=""/>\n')
        lines = ["passed\ta::b\t", "failed\ta::c\t"]
        self.assertEqual(self.counted([failed], {"python.a": lines}), (["failed: python.a: a::c", "1 passed, 1 failed, 0 skipped"], 1))

    def test_a_file_that_ends_before_its_tests_do_has_failed(self):
        failed = case("python.a", "fail", '\t\t<failure message=""/>\n')
        said = ["failed: python.a: it ended before its tests did", "1 passed, 1 failed, 0 skipped"]
        self.assertEqual(self.counted([failed], {"python.a": ["passed\ta::b\t"]}), (said, 1))
        self.assertEqual(self.counted([case("A.Passes"), failed]), (["failed: python.a", "1 passed, 1 failed, 0 skipped"], 1))


if __name__ == "__main__":
    unittest.main()
