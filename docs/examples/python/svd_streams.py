"""Pictures from their first singular values, several in flight: on a GPU the copies of one run beside the products of another.

The parts lie in page-locked memory, and each picture's work goes to one of a few streams. On the CPU streams change nothing, and the
pictures are computed one after another.
"""

import time

import numpy as np
from compare import quick, read_photograph

import weft as wf

device = next(iter(wf.devices("cuda")), wf.device("cpu"))
on_gpu = device.startswith("cuda")
rank, count = (8, 2) if quick else (64, 12)
light = read_photograph().astype(np.float32).mean(2)
if quick:
    light = light[::4, ::4]


def page_locked(part):
    return wf.pinned(part) if on_gpu else np.ascontiguousarray(part)


pictures = [np.roll(light, 17 * k, axis=1) for k in range(count)]
parts = []
for picture in pictures:
    u, s, vt = np.linalg.svd(picture, full_matrices=False)
    parts.append([page_locked(part) for part in (u[:, :rank], s[:rank], vt[:rank])])
results = [wf.pinned_empty(p.shape, p.dtype) if on_gpu else np.empty_like(p) for p in pictures]


def rebuild(xp, u, s, vt):
    return xp.clip(xp.matmul(u * s, vt), 0, 255)


def in_flight(streams):
    for k, (part, result) in enumerate(zip(parts, results)):
        with streams[k % len(streams)]:
            given = [wf.asarray(p, device=device, blocking=not on_gpu) for p in part]
            there = wf.eval(rebuild(wf, *given))
            if on_gpu:
                there.numpy(out=result, blocking=False)
            else:
                result[:] = np.asarray(there)
    device.synchronize()


def milliseconds(f):
    f()
    times = []
    for _ in range(1 if quick else 7):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def there():
    return [[wf.asarray(p, device=device) for p in part] for part in parts]


given = there()
copies_in = milliseconds(lambda: (wf.eval(*[x for part in there() for x in part]), device.synchronize()))
products = milliseconds(lambda: ([wf.eval(rebuild(wf, *part)) for part in given], device.synchronize()))
made = [wf.eval(rebuild(wf, *part)) for part in given]
copies_out = milliseconds(lambda: [np.array(x) for x in made])
print(f"{count} pictures at rank {rank} on {device}: {copies_in:.2f} ms to the device, {products:.2f} ms in kernels, {copies_out:.2f} ms back")
for n in (1, 2, 3):
    streams = [wf.Stream(device) for _ in range(n)]
    last = milliseconds(lambda: in_flight(streams))
    print(f"in flight on {n} streams: {last:.2f} ms")

numpys = milliseconds(lambda: [rebuild(np, *part) for part in parts])
for result, part in zip(results, parts):
    assert np.linalg.norm(result - rebuild(np, *part)) < 1e-4 * np.linalg.norm(result)
print(f"NumPy: {numpys:.2f} ms; weft {numpys / last:.1f} x numpy")
