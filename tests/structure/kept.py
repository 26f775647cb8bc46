"""Holds what threads and the process keep to the table of docs/layers.md: thread-locals, variables that are inline or atomic, statics.

Python's own objects in the bindings (types, modules, methods: PyObject and its kin), which the one interpreter keeps, are no part of it.
Usage: kept.py [TOP]: prints what breaks the rule, and fails if anything does.
"""

import re
import sys
from pathlib import Path

from layers import table

TYPE = r"(?:[A-Za-z_][\w:]*(?:<[^;=(){}]*>)?(?:\([^)]*\))?(?:\s*[*&])?)"
PATTERNS = (
    # thread_local Turns turns;  static inline thread_local bool may_stop_ = false;
    re.compile(rf"\bthread_local\s+(?:const\s+)?{TYPE}\s*[*&]?\s*(?:const\s+)?(\w+)\s*(?:;|=|\{{)"),
    # inline Gate working;  static inline std::atomic<int> threads_{0};
    re.compile(rf"^\s*(?:static\s+)?inline\s+(?!constexpr|const\b|thread_local){TYPE}\s*[*&]?\s*(\w+)\s*(?:;|=|\{{\w*\}};)", re.M),
    # std::atomic<bool> forking{false};  std::mutex mutex;
    re.compile(r"^(?:static\s+)?std::(?:atomic<[^;=\n]*>|(?:shared_)?mutex|once_flag)\s+(\w+)\s*(?:;|=|\{)", re.M),
    # static std::mutex mutex;  static auto* names = new …;  static SharedThreads threads;  inside of functions
    re.compile(rf"^\s+static\s+(?!inline|const\b|constexpr|thread_local|PyObject|PyTypeObject|PyMethodDef|PyGetSetDef|TypeParts){TYPE}\s*[*&]?\s*(?:const\s+)?(\w+)\s*(?:;|=(?!=)|\{{)", re.M),
    # PerThread<Canonical>::get()
    re.compile(r"\bPerThread<(\w{2,})>::get\(\)"),
)
CONSTANT = re.compile(r"\bstatic auto\* const \w+ = \[\]|\bstatic PyObject\* const|\bstatic const")


def kept(text: str) -> set[str]:
    """The names of what a file keeps."""
    code = re.sub(r"//[^\n]*", "", text)
    return {match.group(1) for pattern in PATTERNS for match in pattern.finditer(code) if not CONSTANT.search(match.group(0) + code[match.end() : match.end() + 4])}


def faults(top: Path) -> list[str]:
    listed: dict[str, set[str]] = {}
    for row in table((top / "docs/layers.md").read_text(encoding="utf-8"), "What a thread or the process keeps"):
        listed.setdefault(row[0], set()).update(row[1].split(", "))
    out = []
    for root in ("compiler", "runtime", "frontend"):
        for file in sorted(path for path in (top / root).rglob("*") if path.suffix in (".h", ".cpp")):
            if (file.parent / "LICENSE").exists():
                continue  # of others
            name = str(file.relative_to(top))
            found, known = kept(file.read_text(encoding="utf-8")), listed.pop(name, set())
            out += [f"{name} keeps {one}, which is not listed" for one in sorted(found - known)]
            out += [f"{name} keeps no {one}, and it is listed" for one in sorted(known - found)]
    return out + [f"{name} is listed, and is not there" for name in listed]


if __name__ == "__main__":
    broken = faults(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
    print("\n".join(broken) or "nothing else is kept by a thread or the process")
    sys.exit(bool(broken))
