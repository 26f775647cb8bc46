"""Finds code of compiler/ that names a card, a processor or an architecture outside of compiler/machine.

What a kernel runs on is a value, Target, and compiler/machine says what follows from it: code that asks for a name would know one
machine only. Comments may name where something was measured. Usage: cards.py [TOP].
"""

import re
import sys
from pathlib import Path

NAMES = re.compile(
    r"h100|h200|gh200|a100|a10g?|l4|l40s?|v100|rtx\w*|[34]090|b[12]00|sm_?\d+|compute_\d+|volta|turing|ampere|hopper|lovelace|blackwell"
    r"|xeon|epyc|ryzen|zen\d?|znver\d|skylake\w*|icelake\w*|sapphire\w*|haswell|nehalem|neoverse\w*",
    re.I,
)
# Comments are blanked, strings are kept: a name in a message or in emitted text is a name.
TOKEN = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)


def code(text: str) -> str:
    def without(match: re.Match) -> str:
        token = match[0]
        if not token.startswith("/"):
            # A raw string is the text of a kernel, with comments of its own.
            return re.sub(r"//[^\n]*", "", token) if token.startswith("R") else token
        return "\n" * token.count("\n")

    return TOKEN.sub(without, text)


def faults(top: Path) -> list[str]:
    out = []
    for file in sorted((top / "compiler").rglob("*")):
        if file.suffix not in (".h", ".cpp", ".inc") or (top / "compiler/machine") in file.parents:
            continue
        for number, line in enumerate(code(file.read_text(encoding="utf-8")).split("\n"), 1):
            # Parts of names count: `on_h100`, `kA100`.
            for word in re.findall(r"\w+", line):
                if any(NAMES.fullmatch(part) for part in [word, *word.split("_"), *re.findall(r"[A-Z]?[a-z]+\d*|[A-Z]+\d*", word)]):
                    out.append(f"{file.relative_to(top)}:{number}: {word}: ask compiler/machine what the target has")
    return out


if __name__ == "__main__":
    broken = faults(Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve())
    print("\n".join(broken) or "no code above compiler/machine names a card")
    sys.exit(bool(broken))
