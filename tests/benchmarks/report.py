#!/usr/bin/env python3
"""Tables in Markdown from what peers.py and the Google Benchmark programs wrote.

usage: report.py FILE...    peers' JSON lines (.jsonl) and Google Benchmark's JSON (.json)
"""
import json
import sys


def table(header, rows):
    cells = [header] + rows
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 \
        else f"{value:.2g}"


def peer_tables(lines):
    """Speeds of every workload and peer, Weft against the best other one, and the seconds of first calls."""
    head = next(line for line in lines if "copy_GBps" in line)
    peers = head["peers"]
    results = {}
    for line in lines:
        if "workload" in line:
            results.setdefault(line["workload"], {})[line["peer"]] = line
    speeds, firsts = [], []
    for name, of in results.items():
        measured = {p: r for p, r in of.items() if "ms" in r}
        unit = next((r["unit"] for r in measured.values()), "")
        others = [p for p in measured if p != "weft"]
        best = min(others, key=lambda p: measured[p]["ms"], default=None)
        ratio = f"{measured[best]['ms'] / measured['weft']['ms']:.2f}" if best and "weft" in measured else ""
        cell = {p: number(measured[p]["value"]) if p in measured else "failed" if p in of else "" for p in peers}
        speeds.append([name, unit] + [cell[p] for p in peers] + [best or "", ratio])
        firsts.append([name] + [f"{measured[p]['first_s']:.3f}" if p in measured else "" for p in peers])
    of = f"{head['machine']}" + (f", {head['threads']} threads" if head["device"] == "cpu" else "")
    used = ", ".join(f"{k} {v}" for k, v in head["versions"].items())
    text = [
        f"{of}; sizes `{head['size']}`; copy {head['copy_GBps']:.0f} GB/s; {head['date']}, load {head['load']} at the "
        f"start; {used}. GB/s over the fewest bytes, TFLOP/s, or microseconds a call; the last column is the best "
        "peer's time over Weft's: above 1 Weft is faster.", "",
        table(["workload", "unit"] + peers + ["best peer", "weft/best"], speeds), "",
        "Seconds of the first call, compiling included:", "", table(["workload"] + peers, firsts)]
    missing = [f"{line['peer']} ({line['missing']})" for line in lines if "missing" in line]
    failed = [f"{line['workload']}, {line['peer']}: {line['error']}" for line in lines if "error" in line]
    if missing:
        text += ["", "Not installed: " + ", ".join(missing) + "."]
    if failed:
        text += ["", "Failed:"] + [f"- {f}" for f in failed]
    return "\n".join(text)
