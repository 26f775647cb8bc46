#!/usr/bin/env python3
"""Tables in Markdown from what peers.py and the Google Benchmark programs wrote.

usage: report.py FILE...    peers' JSON lines (.jsonl) and Google Benchmark's JSON (.json)
"""
import json
import statistics
import sys
from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Row:
    """What one benchmark is reported as: a counter of it, or its time, and the goal for that."""

    benchmark: str
    text: str
    unit: str
    counter: Optional[str] = None
    at_most: Optional[float] = None
    at_least: Optional[float] = None
    median: str = ""  # of all that the benchmark was run on, under this name
    devices: tuple = ()  # all of them unless told

    def goal(self):
        return f"at most {self.at_most:g}" if self.at_most else f"at least {self.at_least:g}" if self.at_least else ""

    def met(self, value):
        return "no" if value > (self.at_most or value) or value < (self.at_least or value) else "yes"


ROWS = [
    Row("set_up", "opening the library and the device, in a new process", "ms", at_most=20),
    Row("set_up", "that process as a whole, loading its libraries included", "ms", "process_ms"),
    Row("graph_to_source", "graph to kernel text", "ms"),
    Row("cold_kernel", "compiling and loading a kernel never seen", "ms"),
    Row("cold_workload", "compiling and loading a kernel never seen", "ms", at_most=15,
        median="median of the {} workloads", devices=("cpu",)),
    Row("cold_workload", "compiling and loading a kernel never seen", "ms", at_most=40,
        median="median of the {} workloads", devices=("cuda", "nvrtc")),
    Row("kernel_from_disk", "a kernel from the disk cache", "ms", at_most=2),
    Row("record_node", "recording a node", "ns", "record_ns", at_most=200),
    Row("seen_chain", "ten maps seen before: record, look up, launch, less the kernel", "us", "beyond_us", at_most=3),
    Row("seen_chain", "the same with its kernel, 1024 elements", "us", "call_us"),
    Row("passes", "the passes over a graph", "s", at_most=1),
    Row("graph_to_sources", "all of compile() over a graph, without Clang", "s"),
    Row("beside_copy", "maps beside a streaming copy by the same threads", "of the copy", "of_copy", at_least=0.8),
    Row("beside_copy", "the same", "GB/s", "GBps"),
    Row("peak_memory", "peak memory of a fused chain, over its inputs and output", "times",
        "peak_over_needed", at_most=1),
]


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
    from_cpp = "weft" in peers
    python = from_cpp and "weft-py" in peers
    for name, of in results.items():
        measured = {p: r for p, r in of.items() if "ms" in r}
        unit = next((r["unit"] for r in measured.values()), "")
        others = [p for p in measured if not p.startswith("weft")]
        best = min(others, key=lambda p: measured[p]["ms"], default=None)
        low, middle, high = measured[best].get("over_weft", [None] * 3) if best else [None] * 3
        ratio = [f"{middle:.2f}", f"{low:.2f} to {high:.2f}"] if middle else ["", ""]
        if python:
            over = measured.get("weft-py", {}).get("over_weft")
            ratio.append(f"{1 / over[1]:.2f}" if over else "")
        cell = {p: number(measured[p]["value"]) if p in measured else "failed" if p in of else "" for p in peers}
        speeds.append([name, unit] + [cell[p] for p in peers] + [best or "", *ratio])
        firsts.append([name] + [f"{measured[p]['first_s']:.3f}" if p in measured else "" for p in peers])
    of = f"{head['machine']}" + (f", {head['threads']} threads" if head["device"] == "cpu" else "")
    used = ", ".join(f"{k} {v}" for k, v in head["versions"].items())
    text = [
        f"{of}; sizes `{head['size']}`; copy {head['copy_GBps']:.0f} GB/s; {head['date']}, load {head['load']} at the "
        f"start; {used}. GB/s over the fewest bytes, TFLOP/s, or microseconds a call; `weft/best` is the best "
        f"peer's time over Weft's from {'C++' if from_cpp else 'undecorated Python'}, the median and the quartiles of the rounds: above 1 "
        "Weft is faster"
        + ("; beside it C++'s time over undecorated Python's." if python else "."), "",
        table(["workload", "unit"] + peers + ["best peer", "weft/best", "quartiles"] + ["py/C++"] * python, speeds), "",
        "Seconds of the first call, compiling included:", "", table(["workload"] + peers, firsts)]
    missing = [f"{line['peer']} ({line['missing']})" for line in lines if "missing" in line]
    failed = [f"{line['workload']}, {line['peer']}: {line['error']}" for line in lines if "error" in line]
    if missing:
        text += ["", "Not installed: " + ", ".join(missing) + "."]
    if failed:
        text += ["", "Failed:"] + [f"- {f}" for f in failed]
    return "\n".join(text)


def measured(row, of, device, value):
    goal = row.goal()
    return [row.text, of, device, number(value), row.unit, goal, row.met(value) if goal else ""]


def program_tables(files):
    """The rows above, from Google Benchmark's files; medians where a benchmark was repeated."""
    rows = []
    found = [b for f in files for b in f["benchmarks"] if b.get("aggregate_name", "median") == "median"]
    for row in ROWS:
        medians = {}  # device -> values
        for b in found:
            # As in "cold_kernel/softmax/cpu/iterations:1/real_time": what, which, where, and how it was measured.
            words = [w for w in b["run_name"].split("/") if ":" not in w and not w.endswith("_time")]
            if words[0] != row.benchmark:
                continue
            device = words.pop() if words[-1] in ("cpu", "cuda", "nvrtc") else ""
            if row.devices and device not in row.devices:
                continue
            if b.get("error_occurred"):
                rows.append([row.text, " ".join(words[1:]), device, "failed: " + b["error_message"], row.unit, "", ""])
                continue
            value = b[row.counter] if row.counter else b["real_time"]
            if row.median:
                medians.setdefault(device, []).append(value)
            else:
                rows.append(measured(row, " ".join(words[1:]), device, value))
        for device, values in medians.items():
            rows.append(measured(row, row.median.format(len(values)), device, statistics.median(values)))
    return table(["what", "of", "device", "measured", "unit", "goal", "met"], rows)


def main():
    programs = []
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            if name.endswith(".jsonl"):
                print(peer_tables([json.loads(line) for line in file]) + "\n")
            else:
                programs.append(json.load(file))
    if programs:
        print(program_tables(programs))


if __name__ == "__main__":
    main()
