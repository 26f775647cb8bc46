"""How much of the time a profile accounts for: Weft's own rows, and with the program's. Several kinds of work, each the median of seven profiles."""

import statistics

import numpy as np
import weft as wf

large = wf.eval(wf.asarray(np.linspace(0, 1, 2_000_000)))
small = wf.eval(wf.asarray(np.linspace(0, 1, 1000)))
square = wf.eval(wf.asarray(np.linspace(0, 1, 512 * 512).reshape(512, 512)))


def maps():
    for turn in range(10):
        wf.eval(wf.exp(large) * 2 + float(turn))


def small_maps():
    for turn in range(500):
        wf.eval(wf.exp(small) * 2 + float(turn))


def softmax():
    for _ in range(20):
        e = wf.exp(square - wf.max(square, axis=1, keepdims=True))
        wf.eval(e / wf.sum(e, axis=1, keepdims=True))


def products():
    for _ in range(10):
        wf.eval(wf.tanh(square @ square) @ square)


def stencil():
    x = square
    for _ in range(30):
        x = wf.eval(0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])) if x.shape[0] > 100 else square


def rows_in_a_loop():
    table = wf.eval(square * 1.0)
    for number in range(1, 512):
        table[number] = table[number] * 0.5 + table[number - 1]
    wf.eval(table)


@wf.compile
def step(x):
    return x * 0.5 + wf.sin(x) * 0.25


def compiled_function():
    x = large
    for _ in range(10):
        x = step(x)
    wf.eval(x)


def host_round_trips():
    for _ in range(10):
        wf.eval(wf.abs(wf.fft.rfft(large[:100_000])) * 2)


def main():
    print(f"{'workload':20} {'Weft':>7} {'rows together':>14}")
    for work in (maps, small_maps, softmax, products, stencil, rows_in_a_loop, compiled_function, host_round_trips):
        for _ in range(2):
            work()
            wf.finish_kernels()
        shares = []
        for _ in range(7):
            with wf.profile() as p:
                work()
            said = p.to_dict()
            rows = sum(row["total_ns"] for row in said["rows"] if not row["behind"])
            shares.append((100 * said["accounted_ns"] / said["wall_ns"], 100 * rows / said["wall_ns"]))
        weft, together = (statistics.median(one) for one in zip(*shares))
        print(f"{work.__name__:20} {weft:5.1f} % {together:12.1f} %", flush=True)


if __name__ == "__main__":
    main()
