"""Draws the pictures of the pages: docs/pictures/NAME-light.svg and NAME-dark.svg. Bars, and the tables of docs/benchmarks.md, are
made of the CSVs in docs/benchmarks.

Usage: python3 docs/pictures/draw.py [--check]. With --check nothing is written, and files that differ are named.
"""

import sys
from pathlib import Path

import bars
import calls
import fusion
import readme
import schedules
import stages
from canvas import COLOURS, Canvas

PICTURES = readme.PICTURES + stages.PICTURES + fusion.PICTURES + schedules.PICTURES + bars.PICTURES + calls.PICTURES  # each: name, title, width, height, function


def drawn() -> dict[str, str]:
    """The text of each file by its name."""
    out = {}
    for name, title, width, height, draw in PICTURES:
        for mode in COLOURS:
            canvas = Canvas(title, width, height, mode)
            draw(canvas)
            out[f"{name}-{mode}.svg"] = canvas.svg()
    return out


def main() -> int:
    folder = Path(__file__).resolve().parent
    files = drawn()
    if "--check" not in sys.argv[1:]:
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        bars.PAGE.write_text(bars.page(bars.PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    stale = [name for name, text in files.items() if not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text]
    stale += [path.name for path in folder.glob("*.svg") if path.name not in files]
    text = bars.PAGE.read_text(encoding="utf-8")
    if text != bars.page(text):
        stale.append("../benchmarks.md")
    print("\n".join(f"docs/pictures/{name} is not what draw.py writes" for name in stale) or "the pictures are what draw.py draws")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
