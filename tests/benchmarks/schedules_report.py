"""What build/bin/schedules measured: how well expected times rank shapes and schedules, and how much slower the rules' schedule is than the best
of its neighbours.

    python schedules_report.py schedules_cpu.csv
"""

from __future__ import annotations

import argparse
import csv
import statistics
from collections import defaultdict
from pathlib import Path

Key = tuple[str, str, int, int]


def ranks(values: list[float]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for k in range(first, last + 1):
            out[order[k]] = (first + last) / 2  # equal values share a rank
        first = last + 1
    return out


def rank_correlation(a: list[float], b: list[float]) -> float:
    """Spearman's."""
    if len(set(a)) < 2 or len(set(b)) < 2:
        return float("nan")
    return statistics.correlation(ranks(a), ranks(b))


def read(path: Path) -> dict[Key, list[dict[str, str]]]:
    shapes: dict[Key, list[dict[str, str]]] = defaultdict(list)
    with path.open(newline="") as table:
        for row in csv.DictReader(table):
            shapes[row["kind"], row["dtype"], int(row["rows"]), int(row["length"])].append(row)
    return shapes


def bias(row: dict[str, str]) -> str:
    return ", ".join(f"{name} {row[name]}" for name in ("frugal", "width", "work") if row[name] != "0") or "the rules' own"


def report(shapes: dict[Key, list[dict[str, str]]], worst: int) -> str:
    own = [rows[0] for rows in shapes.values()]  # the rules' own comes first
    lines = [f"{len(shapes)} shapes, {sum(map(len, shapes.values()))} schedules"]
    expected, measured = ([float(row[column]) for row in own] for column in ("expected_us", "measured_us"))
    off = sorted(e / m for e, m in zip(expected, measured, strict=True))
    lines.append(f"expected over measured: median {statistics.median(off):.2f}, quartiles {off[len(off) // 4]:.2f} and {off[3 * len(off) // 4]:.2f}")
    lines.append(f"rank correlation over shapes: {rank_correlation(expected, measured):.3f}")
    slower, by_kind = {}, defaultdict(list)
    for key, rows in shapes.items():
        best = min(rows, key=lambda row: float(row["measured_us"]))
        slower[key] = float(rows[0]["measured_us"]) / float(best["measured_us"]) - 1, best
        by_kind[key[0]].append(slower[key][0])
    parts = sorted(share for share, _ in slower.values())
    lines.append(
        f"slower than the best neighbour: median {statistics.median(parts):.1%}, nine tenths within {parts[len(parts) * 9 // 10]:.1%}, worst {parts[-1]:.1%}"
    )
    lines += ["", "| kind | shapes | rank correlation | slower: median | worst |", "|---|---|---|---|---|"]
    for kind, of_kind in by_kind.items():
        rows = [row for row in own if row["kind"] == kind]
        correlation = rank_correlation([float(r["expected_us"]) for r in rows], [float(r["measured_us"]) for r in rows])
        lines.append(f"| {kind} | {len(rows)} | {correlation:.3f} | {statistics.median(of_kind):.1%} | {max(of_kind):.1%} |")
    lines += ["", "| the worst | rows | length | slower | best neighbour |", "|---|---|---|---|---|"]
    for key, (share, best) in sorted(slower.items(), key=lambda item: -item[1][0])[:worst]:
        lines.append(f"| {key[0]} {key[1]} | {key[2]} | {key[3]} | {share:.1%} | {bias(best)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", type=Path)
    parser.add_argument("--worst", type=int, default=15, help="how many of the worst are listed")
    arguments = parser.parse_args()
    print(report(read(arguments.csv), arguments.worst))
