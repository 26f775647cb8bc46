"""Time against calls of one function, from docs/benchmarks/calls_cpu_2.csv: what a first call costs, and when it has paid."""

from math import log10

from bars import rows, run_of
from canvas import Canvas

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 936, 420, 74, 790, 70, 366
LINES = {"NumPy": "muted", "Numba": "green", "Weft, compile": "purple", "Weft, auto": "blue"}


def of(library: str, table: list[dict[str, str]]) -> list[tuple[int, float]]:
    return [(int(row["calls"]), float(row["ms"])) for row in table if row["library"] == library]


def spread(ends: list[tuple[float, str]], apart: float) -> list[tuple[float, str]]:
    """Places for names at the ends of lines, moved down where they would touch."""
    out: list[tuple[float, str]] = []
    for y, name in sorted(ends):
        out.append((max(y, out[-1][0] + apart) if out else y, name))
    return out


def time_against_calls(c: Canvas):
    table = rows("calls_cpu_2")
    run = run_of("calls_cpu_2")
    points = {library: of(library, table) for library in LINES}
    times = [ms for line in points.values() for _, ms in line]
    low, high = log10(min(times)) - 0.1, log10(max(times)) + 0.1
    last = log10(max(calls for line in points.values() for calls, _ in line))

    def place(calls: float, ms: float) -> tuple[float, float]:
        return LEFT + (RIGHT - LEFT) * log10(calls) / last, BOTTOM - (BOTTOM - TOP) * (log10(ms) - low) / (high - low)

    c.text(16, 28, "A function of ten operations on 100,000 elements: time until its n-th call is over", 16, bold=True)
    c.text(16, 46, f"{run['machine']}, {run['date']}. Lower is faster.", 12, "muted")
    for power in range(-3, 6):
        ms = 10.0**power
        if low <= power <= high:
            y = place(1, ms)[1]
            c.line(LEFT, y, RIGHT, y)
            c.text(LEFT - 8, y + 4, f"{ms:g} ms" if ms < 1000 else f"{ms / 1000:g} s", 12, "muted", "end")
    for calls in (1, 10, 100, 1000):
        x = place(calls, 1)[0]
        c.line(x, TOP, x, BOTTOM)
        c.text(x, BOTTOM + 18, f"{calls}", 12, "muted", "middle")
    c.text((LEFT + RIGHT) / 2, BOTTOM + 38, "calls", 12, "muted", "middle")
    ends = []
    for library, colour in LINES.items():
        at = [place(calls, ms) for calls, ms in points[library]]
        for (x1, y1), (x2, y2) in zip(at, at[1:]):
            c.line(x1, y1, x2, y2, colour, 2.2)
        ends.append((at[-1][1], library))
    for y, library in spread(ends, 17):
        c.text(RIGHT + 10, y + 4, library, 13, LINES[library], bold=library == "Weft, auto")


PICTURES = [
    ("calls", "Lines: time until the n-th call of one function is over, for NumPy, Numba and Weft", WIDTH, HEIGHT, time_against_calls),
]
