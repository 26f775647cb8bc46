"""The pictures of README.md: what fusion does to a softmax, and how fast Weft is beside its peers."""

import math

import bars
import stages
from canvas import Canvas

# Each op of a softmax, the arrays of the matrix's size that it reads, and whether it writes one.
OPS = [("max", ["x"], ""), ("subtract", ["x"], "a"), ("exp", ["a"], "b"), ("sum", ["b"], ""), ("divide", ["b"], "y")]
STEP, FIRST = 50, 94


def memory(c: Canvas, x, y, h):
    c.box(x, y, 74, h, "orange_fill", "orange", 6)
    c.text(x + 37, y + h / 2 + 4, "memory", 12, at="middle")


def op(c: Canvas, x, y, name):
    c.box(x, y - 15, 96, 30, "blue_fill", "line", 15)
    c.text(x + 48, y + 4.5, name, 13, at="middle")


def fused(c: Canvas):
    c.text(24, 32, "Op by op: 5 kernels, 8 arrays through memory", 15, bold=True)
    memory(c, 24, 60, 268)
    for k, (name, reads, writes) in enumerate(OPS):
        y = FIRST + k * STEP
        op(c, 250, y, name)
        c.arrow(98, y - 6, 248, y - 6)
        c.text(173, y - 11, f"reads {reads[0]}", 11.5, "muted", "middle")
        if writes:
            c.arrow(248, y + 8, 98, y + 8, "orange")
            c.text(173, y + 22, f"writes {writes}", 11.5, "orange", "middle")
    c.line(468, 24, 468, 330)
    c.text(496, 32, "Weft: 1 kernel, 2 arrays through memory", 15, bold=True)
    memory(c, 496, 60, 268)
    left, top = 672, 78
    (x, _), (y, last) = stages.NODES["x"], stages.NODES["divide"]
    c.box(left, top + 22, 248, 228, "none", "blue", 12, dashed=True, thick=1.6)
    stages.nodes(c, left, top, ())
    c.lines(left + 164, top + 178, "a row stays\non the chip", 11.5, "blue")
    c.arrow(570, top, left + x - 40, top)
    c.text(640, top - 6, "reads x", 11.5, "muted", "middle")
    c.arrow(left + y - 40, top + last, 570, top + last, "orange")
    c.text(622, top + last + 16, "writes y", 11.5, "orange", "middle")


def means(table: list[dict[str, str]]) -> list[tuple[str, float]]:
    """The geometric mean of each library's speed over Weft's, in the workloads that it has; the fastest first."""
    result = []
    for library in ["weft", *bars.peers_of(table)]:
        speeds = [(bars.speed(row, library), bars.speed(row, "weft")) for row in table]
        ratios = [math.log(theirs / ours) for theirs, ours in speeds if theirs is not None]
        result.append((library, math.exp(sum(ratios) / len(ratios))))
    return sorted(result, key=lambda entry: -entry[1])


def beside_peers(c: Canvas):
    for left, name, title in ((24, "cpu_2", "Two CPU cores"), (492, "h200", "One H200 GPU")):
        table, run = bars.rows(f"peers_{name}"), bars.run_of(f"peers_{name}")
        c.text(left, 32, title, 15, bold=True)
        c.text(left, 50, f"{run['machine']}, {run['date']}", 11.5, "muted")
        y = 66
        for library, mean in means(table):
            ours = library == "weft"
            c.text(left + 96, y + 14, "Weft" if ours else library, 12.5, "ink", "end", bold=ours)
            c.box(left + 106, y, 250 * mean, 19, "blue" if ours else "muted", "none", 3)
            c.text(left + 114 + 250 * mean, y + 14, f"{mean:.2f}", 12, "ink", bold=ours)
            y += 27
    c.text(24, 224, "Geometric means of the speeds in seventeen workloads, Weft's as 1. Longer is faster. A library is compared in the workloads that it has.", 11.5, "muted")


PICTURES = [
    ("fused", "A softmax op by op is five kernels; Weft makes one of it, which reads and writes memory once", 936, 346, fused),
    ("beside_peers", "Speeds of Weft and its peers on two cores and on one GPU, as geometric means of seventeen workloads", 936, 240, beside_peers),
]
