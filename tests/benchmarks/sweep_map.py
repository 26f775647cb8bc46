#!/usr/bin/env python3
"""Heat maps of what `sweep` measured: bandwidth over the length and the number of rows, cliffs framed in red.

usage: sweep_map.py TABLE.csv PICTURE.png
"""
import csv
import sys

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.colors import LogNorm  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402

OPS = ["map", "sum", "max", "softmax"]
DTYPES = ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "c64", "c128"]
FULL = "f32"  # the dtype that is measured on the whole grid


def size_text(n):
    return f"{n >> 20}M" if n >= 1 << 20 and n % (1 << 20) == 0 else f"{n >> 10}K" if n >= 1024 and n % 1024 == 0 else str(n)


def draw(axes, cells, norm, labels):
    rows, lengths = (sorted({int(c[key]) for c in cells}) for key in ("rows", "length"))
    image = [[float("nan")] * len(lengths) for _ in rows]
    for c in cells:
        y, x = rows.index(int(c["rows"])), lengths.index(int(c["length"]))
        image[y][x] = float(c["GBps"])
        if c["cliff"] == "1":
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, edgecolor="red", linewidth=0.8))
    shown = axes.imshow(image, norm=norm, origin="lower", aspect="auto", cmap="viridis", interpolation="nearest")
    axes.set_xticks(range(len(lengths)) if labels else [])
    axes.set_yticks(range(len(rows)) if labels else [])
    if labels:
        axes.set_xticklabels([size_text(n) for n in lengths], rotation=90, fontsize=6)
        axes.set_yticklabels([size_text(n) for n in rows], fontsize=6)
    return shown


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="ascii", newline="") as file:
        table = list(csv.DictReader(file))
    groups = {}
    for cell in table:
        groups.setdefault((cell["op"], cell["dtype"]), []).append(cell)
    full = [(op, FULL) for op in OPS if op != "max" and (op, FULL) in groups]
    dtypes = [d for d in DTYPES if any((op, d) in groups and (op, d) not in full for op in OPS)]
    speeds = [float(c["GBps"]) for c in table]
    norm = LogNorm(max(min(speeds), max(speeds) / 1e4), max(speeds))

    figure = pyplot.figure(figsize=(18, 13), layout="constrained")
    large, small = figure.subfigures(2, 1, height_ratios=[3, 2])
    panels = large.subplots(1, len(full), squeeze=False)[0]
    for axes, (op, dtype) in zip(panels, full):
        shown = draw(axes, groups[op, dtype], norm, True)
        axes.set_title(f"{op}, {dtype}")
        axes.set_xlabel("elements of a row")
        axes.set_ylabel("rows")
    large.colorbar(shown, ax=list(panels), label="GB/s, read and written")
    for line, op in zip(small.subplots(len(OPS), len(dtypes), squeeze=False), OPS):
        for axes, dtype in zip(line, dtypes):
            cells = groups.get((op, dtype)) if (op, dtype) not in full else None
            if cells:
                draw(axes, cells, norm, False)
                axes.set_title(f"{op}, {dtype}", fontsize=8)
            else:
                axes.axis("off")
    cliffs = sum(c["cliff"] == "1" for c in table)
    figure.suptitle(f"{table[0]['device']}: {len(table)} cells; {cliffs} reach less than three quarters of a "
                    "neighbour's bandwidth and share of a copy (red)")
    figure.savefig(sys.argv[2], dpi=80)


if __name__ == "__main__":
    main()
