"""Weft beside its peers as bars, from the tables in docs/benchmarks.

A picture has a row for each workload and a bar for each library. The fastest library fills its row. Rows in which Weft is
slowest beside the best peer come first. Rows that Weft does not surely win are marked: the median or a quartile is below 1.
"""

import csv
import statistics
from math import log
from pathlib import Path

from canvas import Canvas

TABLES = Path(__file__).resolve().parent.parent / "benchmarks"
NOT_PEERS = {"workload", "unit", "weft", "weft-py", "weft-py.compile", "best_peer", "weft_over_best", "quartile_1", "quartile_3"}
PEER_COLOURS = ["muted", "green", "purple", "pink", "orange_fill", "line"]
LABEL, BARS, WIDTH, TOP = 132, 520, 936, 84
BAR, GAP = 6, 9


def rows(name: str) -> list[dict[str, str]]:
    with (TABLES / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def run_of(name: str) -> dict[str, str]:
    """The machine, the date and the command of a table."""
    return next(run for run in rows("runs") if run["table"] == name)


def peers_of(table: list[dict[str, str]]) -> list[str]:
    return [column for column in table[0] if column not in NOT_PEERS]


def speed(row: dict[str, str], library: str) -> float | None:
    """Work in a unit of time; None where the library has no such workload."""
    if not row[library]:
        return None
    value = float(row[library])
    return 1 / value if row["unit"] == "us" else value


def behind_first(table: list[dict[str, str]]) -> list[dict[str, str]]:
    return sorted(table, key=lambda row: float(row["weft_over_best"]))


def surely_ahead(row: dict[str, str]) -> bool:
    return min(float(row["weft_over_best"]), float(row["quartile_1"])) >= 1.005


def legend(c: Canvas, y: float, names: list[tuple[str, str]]):
    x = 16.0
    for name, colour in names:
        c.box(x, y - 9, 12, 10, colour, "none")
        c.text(x + 17, y, name, 12)
        x += 34 + 7.2 * len(name)


def beside_peers(name: str, title: str):
    table = behind_first(rows(f"peers_{name}"))
    peers = peers_of(table)
    step = BAR * (1 + len(peers)) + GAP
    height = TOP + step * len(table) + 34
    run = run_of(f"peers_{name}")

    def draw(c: Canvas):
        c.text(16, 28, title, 16, bold=True)
        c.text(16, 46, f"{run['machine']}, {run['date']}. Longer is faster; the fastest fills its row.", 12, "muted")
        legend(c, 68, [("Weft", "blue"), *zip(peers, PEER_COLOURS)])
        c.text(WIDTH - 16, 68, "Weft beside the best peer", 12, at="end")
        y = TOP
        for row in table:
            libraries = ["weft", *peers]
            best = max(v for v in (speed(row, library) for library in libraries) if v is not None)
            ahead = surely_ahead(row)
            c.text(LABEL, y + step / 2, row["workload"], 12, "ink" if ahead else "orange", "end", bold=not ahead)
            for k, library in enumerate(libraries):
                value = speed(row, library)
                if value is not None:
                    c.box(LABEL + 10, y + k * BAR, max(BARS * value / best, 1), BAR - 1, "blue" if k == 0 else PEER_COLOURS[k - 1], "none")
            ratio = f"{float(row['weft_over_best']):.2f} × {row['best_peer']}" + ("" if ahead else f" ({row['quartile_1']} to {row['quartile_3']})")
            c.text(WIDTH - 16, y + step / 2, ratio, 12, "ink" if ahead else "orange", "end", bold=not ahead)
            y += step
        c.text(16, height - 12, "Orange: level or behind; the median of the rounds' ratios, and their quartiles.", 11.5, "muted")

    return (f"bars_{name}", f"{title}: speeds of each workload by Weft and its peers", WIDTH, height, draw)


def beside_numpy(name: str, title: str, column: str, tables: list[tuple[str, str]]):
    """A bar for each program: NumPy's time over Weft's, the slowest first; a line where both take as long."""
    entries = []
    for table, key in tables:
        entries += [(row[key], float(row[column]), table) for row in rows(table)]
    entries.sort(key=lambda entry: entry[1])
    step, height = 18, TOP - 16 + 18 * len(entries) + 34
    run = run_of(tables[0][0])
    most = max(value for _, value, _ in entries)
    # Of a geometric scale, so that a half is as far from 1 as 2 is.
    least = min(value for _, value, _ in entries + [("", 1.0, "")])

    def at(value: float) -> float:
        return LABEL + 40 + (BARS + 100) * log(value / least) / log(most / least)

    def draw(c: Canvas):
        c.text(16, 28, title, 16, bold=True)
        c.text(16, 46, f"{run['machine']}, {run['date']}. NumPy's time over Weft's; the scale is logarithmic.", 12, "muted")
        y = TOP - 16
        c.line(at(1), y - 4, at(1), y + step * len(entries), "ink", 1.2)
        c.text(at(1), y - 8, "as fast", 11.5, "muted", "middle")
        for program, value, _ in entries:
            colour = "orange" if value < 1 else "blue"
            left, right = sorted((at(1), at(value)))
            c.text(LABEL + 30, y + 11, program, 12, "orange" if value < 1 else "ink", "end", bold=value < 1)
            c.box(left, y + 2, max(right - left, 1), 11, colour, "none")
            c.text(right + 6, y + 12, f"{value:g}", 11.5, "orange" if value < 1 else "ink")
            y += step
        c.text(16, height - 12, "Orange: slower than NumPy.", 11.5, "muted")

    return (name, f"{title}: NumPy's time over Weft's for each program", WIDTH, height, draw)


PICTURES = [
    beside_peers("cpu_2", "Two cores"),
    beside_peers("second_cpu_2", "Thirty more, from Python, two cores"),
    beside_peers("cpu_16", "Sixteen cores"),
    beside_peers("h200", "One H200"),
    beside_peers("h100", "One H100"),
    beside_numpy("bars_loops", "Loops that write to parts of arrays, from Python", "numpy_over_weft", [("loops_cpu_2", "program")]),
    beside_numpy("bars_npbench", "Whole-array programs of npbench, size M, from Python", "numpy_over_weft", [("npbench_cpu_2", "program")]),
]


# ---- the tables that docs/benchmarks.md shows of these files


def markdown(header: list[str], body: list[list[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in body]) + "\n"


def behind_table() -> str:
    body = []
    for row in rows("behind"):
        around = f"{row['low']} to {row['high']}" if row["low"] else ""
        body.append([row["workload"], row["machine"], row["date"], row["weft_over_best"] or around, around if row["weft_over_best"] else "", row["best_peer"]])
    return markdown(["workload", "machine", "date", "Weft / best", "quartiles", "best peer"], body)


def slower_than_numpy() -> str:
    ratios = sorted((float(row["numpy_later_ms"]) / float(row["weft_later_ms"]), row["program"]) for row in rows("npbench_s_cpu_1"))
    return ", ".join(f"`{program}` {ratio:.2f}" for ratio, program in ratios if ratio < 1) + ".\n"


def positions_table() -> str:
    body = []
    for row in rows("positions_h200"):
        body.append([row["what"], row["weft_ms"], row["cupy_ms"], f"{float(row['cupy_ms']) / float(row['weft_ms']):.2f}"])
    body.sort(key=lambda row: float(row[3]))
    return markdown(["2²⁴ elements (*few*: 2²⁰)", "Weft, ms", "CuPy, ms", "CuPy / Weft"], body)


def small_table() -> str:
    body = []
    for row in rows("beside_numpy_cpu_1"):
        numpy, weft = (float(row[key].replace(",", "")) for key in ("numpy_us", "weft_us"))
        body.append([row["what"], row["numpy_us"], row["weft_us"], f"{numpy / weft:.2f}"])
    body.sort(key=lambda row: float(row[3]))
    return markdown(["", "NumPy, us", "Weft, us", "NumPy / Weft"], body)


def first_calls_table() -> str:
    """Medians over the workloads of the seconds of the first call."""
    runs = {"two cores": "first_calls_cpu_2", "sixteen cores": "first_calls_cpu_16", "one H200": "first_calls_h200", "one H100": "first_calls_h100"}
    libraries: list[str] = []
    for name in runs.values():
        libraries += [column for column in rows(name)[0] if column != "workload" and column not in libraries]
    libraries = [one for one in libraries if not one.startswith("weft-")]
    libraries.sort(key=lambda one: one != "weft")
    body = []
    for title, name in runs.items():
        table = rows(name)
        cells = []
        for library in libraries:
            values = [float(row[library]) for row in table if row.get(library)]
            cells.append(f"{statistics.median(values):.3f}" if values else "")
        body.append([title, *cells])
    return markdown(["median of the workloads, s", *libraries], body)


def in_blocks_table() -> str:
    """Blocks beside NumPy, numexpr and the same program's kernel: the geometric mean of all expressions, and the least."""
    table = rows("blocks_cpu_2")
    body = []
    for elements in sorted({int(row["elements"]) for row in table}):
        cells = [f"10^{len(str(elements)) - 1}"]
        for peer in ("numpy_ms", "numexpr_ms", "kernel_ms"):
            ratios = [float(row[peer]) / float(row["blocks_ms"]) for row in table if int(row["elements"]) == elements]
            cells.append(f"{statistics.geometric_mean(ratios):.2f} ({min(ratios):.2f})")
        body.append(cells)
    return markdown(["elements", "NumPy / blocks", "numexpr / blocks", "kernel / blocks"], body)


def first_programs_table() -> str:
    """First calls of npbench's programs, the slowest beside NumPy first."""
    table = rows("first_programs_cpu_2")
    ratio = {(row["program"], row["size"]): float(row["weft_ms"]) / float(row["numpy_ms"]) for row in table}
    body = []
    for size in ("S", "M"):
        names = sorted((name for name, of in ratio if of == size), key=lambda name: -ratio[name, size])
        middle = statistics.median(ratio[name, size] for name in names)
        body.append([size, f"{middle:.2f}", ", ".join(f"`{name}` {ratio[name, size]:.2f}" for name in names)])
    return markdown(["size", "median", "Weft's first call over NumPy's"], body)


def gradients_table(name: str) -> str:
    """A value with its gradients: milliseconds of each peer, and the best one's time over Weft's."""
    body = []
    for row in rows(name):
        ratio = float(row["weft_ms"]) / float(row["weft_forward_ms"])
        peers = [row[f"{peer}_ms"] or "none" for peer in ("weft", "jax", "torch", "torch.compile")]
        quartiles = f" ({row['quartile_1']} to {row['quartile_3']})" if row["quartile_1"] else ""
        body.append([f"`{row['program']}`", *peers, row["best_over_weft"] + quartiles, f"{ratio:.1f}"])
    return markdown(["program", "weft ms", "jax ms", "torch ms", "torch.compile ms", "best peer / Weft", "Weft / its value alone"], body)


def npbench_gradients_table(name: str) -> str:
    """Gradients of npbench's programs: time of the processor beside that of the value and of JAX's gradient."""
    body = []
    for row in rows(name):
        own, value, jax = (float(row[f"cpu_{way}_ms"]) if row[f"cpu_{way}_ms"] else None for way in ("weft", "forward", "jax"))
        note = [row["note"]] if own is None else [f"{own:.3g}", f"{own / value:.1f}", f"{own / jax:.2f}" if jax else "", f"{float(row['cold_ms']) / 1e3:.2f}", f"{float(row['error']):.0e}"]
        body.append([f"`{row['program']}`", *note, *[""] * (5 - len(note))])
    return markdown(["program", "Weft ms", "Weft / its value", "Weft / JAX", "first call, s", "error"], body)


def graphs_table(name: str) -> str:
    """Programs of many small kernels: microseconds of a turn as CUDA graphs, started one by one, and by JAX."""
    body = [[row["program"], row["kernels"] if row["kernels"] != "0" else "", row["graphs"], row["one_by_one"], row["jax"]] for row in rows(name)]
    return markdown(["program", "kernels and products", "graphs µs", "one by one µs", "jax µs"], body)


def loops_table(name: str) -> str:
    """Loops in a graph: microseconds a turn, and the peers' over Weft's."""
    body = []
    for row in rows(name):
        body.append([f"`{row['program']}`", *(f"{float(row[peer]):.3g}" for peer in ("weft", "jax", "cupy")), f"{min(float(row['jax']), float(row['cupy'])) / float(row['weft']):.1f}"])
    return markdown(["program", "weft µs", "jax µs", "CuPy µs", "best peer / Weft"], body)


def own_code_table(name: str) -> str:
    """Code of one's own: microseconds of Weft's, and the peers' over it."""
    body = []
    for row in rows(name):
        body.append([row["function"], row["weft"], *(f"{float(row[peer]) / float(row['weft']):.2f}" if row[peer] else "" for peer in ("cupy", "numba"))])
    return markdown(["function", "weft µs", "CuPy / Weft", "Numba / Weft"], body)


def processors_table() -> str:
    """For each machine and set of programs: what is lost first, then how far it is ahead of the best peer."""
    sets = [
        ("peers_cpu_2", "seventeen", "weft_over_best"),
        ("peers_second_cpu_2", "thirty more", "weft_over_best"),
        ("npbench_cpu_2", "npbench, M", "numpy_over_weft"),
        ("npbench_s_cpu_1", "npbench, S, later calls", "numpy_later_ms/weft_later_ms"),
        ("peers_cpu_16", "seventeen", "weft_over_best"),
        ("peers_h100", "seventeen", "weft_over_best"),
        ("peers_h200", "seventeen", "weft_over_best"),
        ("peers_second_h200", "thirty more", "weft_over_best"),
    ]
    body = []
    for table, what, column in sets:
        over, _, under = column.partition("/")
        found = [
            (float(row[over]) / (float(row[under]) if under else 1), next(iter(row.values()))) for row in rows(table) if row[over] and (not under or row[under])
        ]
        lost = ", ".join(f"`{name}` {ratio:.2f}" for ratio, name in sorted(found) if ratio < 1)
        ratios = sorted(ratio for ratio, _ in found)
        run = run_of(table)
        machine, date = run["machine"].removesuffix(", Debian 12"), run["date"]
        mean = statistics.geometric_mean(ratios)
        body.append([machine, date, f"[{what}](benchmarks/{table}.csv)", lost or "none", f"{mean:.2f}", f"{ratios[len(ratios) // 4]:.2f}", str(len(ratios))])
    return markdown(["machine", "date", "programs", "lost", "geometric mean", "lower quartile", "of"], body)


def runs_table() -> str:
    body = []
    for run in rows("runs"):
        libraries = "" if run["with"].startswith("as ") else run["with"]
        body.append([f"[{run['table']}](benchmarks/{run['table']}.csv)", run["machine"], run["date"], f"`{run['command']}`" if "as " not in run["command"][:3] else run["command"], libraries])
    return markdown(["table", "machine", "date", "command", "beside"], body)


PAGE = Path(__file__).resolve().parent.parent / "benchmarks.md"
SECTIONS = {
    "behind": behind_table,
    "slower": slower_than_numpy,
    "positions": positions_table,
    "small": small_table,
    "first calls": first_calls_table,
    "in blocks": in_blocks_table,
    "first programs": first_programs_table,
    "gradients on one H100": lambda: gradients_table("gradients_h100"),
    "gradients on one H200": lambda: gradients_table("gradients_h200"),
    "gradients of npbench": lambda: npbench_gradients_table("npbench_gradients_cpu_2"),
    "gradients of pyhpc": lambda: npbench_gradients_table("pyhpc_gradients_cpu_2"),
    "CUDA graphs": lambda: graphs_table("cuda_graphs_h100"),
    "CUDA graphs on one H200": lambda: graphs_table("cuda_graphs_h200"),
    "loops on one H200": lambda: loops_table("loops_h200"),
    "own code on one H100": lambda: own_code_table("own_code_h100"),
    "own code on one H200": lambda: own_code_table("own_code_h200"),
    "processors": processors_table,
    "runs": runs_table,
}


def page(text: str) -> str:
    """The page with what stands between `<!-- NAME -->` and `<!-- end -->` made anew."""
    for name, make in SECTIONS.items():
        opening = f"<!-- {name} -->\n"
        before, found, rest = text.partition(opening)
        if not found:
            raise SystemExit(f"{PAGE.name} has no place <!-- {name} -->")
        text = before + opening + "\n" + make() + "\n<!-- end -->" + rest.partition("<!-- end -->")[2]
    return text
