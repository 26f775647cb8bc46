"""The workloads of second_workloads.py as Numba's users write them: loops by hand, fused and parallel. NumPy's halves are not known to Numba."""


def loops():
    from math import asin, cos, exp, floor, log, sin, sqrt, tanh

    import numpy as np
    from numba import get_num_threads, prange

    f4 = np.float32

    def hash_i64(a):
        o = np.empty_like(a)
        for i in prange(a.size):
            h = a[i] * -7046029254386353131
            h = (h ^ (h >> 31)) * -4658895280553007687
            h = (h ^ (h >> 27)) * -7723592293110705685
            o[i] = h ^ (h >> 33)
        return o

    def blend_u8(a, b):
        o = np.empty_like(a)
        for i in prange(a.size):
            o[i] = np.uint8((np.int16(a[i]) * np.int16(3) + np.int16(b[i]) * np.int16(5)) >> np.int16(3))
        return o

    def calendar_i64(seconds):
        day, hour, minute = np.empty_like(seconds), np.empty_like(seconds), np.empty_like(seconds)
        for i in prange(seconds.size):
            days = seconds[i] // 86400
            left = seconds[i] - days * 86400
            day[i], hour[i], minute[i] = days % 7, left // 3600, left % 3600 // 60
        return day, hour, minute

    def count_matches(a, b):
        n = 0
        for i in prange(a.size):
            n += ((a[i] > 1000) & (a[i] < 600000)) | (b[i] == 7)
        return n

    def haversine_f64(lat1, lon1, lat2, lon2):
        o = np.empty_like(lat1)
        for i in prange(o.size):
            s = sin((lat2[i] - lat1[i]) / 2) ** 2 + cos(lat1[i]) * cos(lat2[i]) * sin((lon2[i] - lon1[i]) / 2) ** 2
            o[i] = 12742.0 * asin(sqrt(s))
        return o

    def norm_rows_f64(a):
        o = np.empty(a.shape[0])
        for r in prange(a.shape[0]):
            s = 0.0
            for i in range(a.shape[1]):
                s += a[r, i] * a[r, i]
            o[r] = sqrt(s)
        return o

    def logsumexp_f64(a):
        o = np.empty(a.shape[0])
        for r in prange(a.shape[0]):
            m = a[r].max()
            s = 0.0
            for i in range(a.shape[1]):
                s += exp(a[r, i] - m)
            o[r] = log(s) + m
        return o

    def every_second(a, b):
        o = np.empty(a.size // 2, a.dtype)
        for i in prange(o.size):
            o[i] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1]
        return o

    def reversed_difference(a):
        o = np.empty_like(a)
        for i in prange(a.size):
            o[i] = a[a.size - 1 - i] - a[i]
        return o

    def channels_last(a, scale, shift):
        n, c, h, w = a.shape
        o = np.empty((n, h, w, c), a.dtype)
        for p in prange(n * h):
            i, j = p // h, p % h
            for k in range(w):
                for l in range(c):
                    o[i, j, k, l] = a[i, l, j, k] * scale[l] + shift[l]
        return o

    def choose(a):
        o = np.empty_like(a)
        for i in prange(a.size):
            o[i] = log(a[i]) if a[i] > f4(0.5) else a[i] * a[i]
        return o

    def masked_mean_rows(a, m):
        o = np.empty(a.shape[0], np.float64)
        for r in prange(a.shape[0]):
            s, n = f4(0), 0
            for i in range(a.shape[1]):
                s += a[r, i] if m[r, i] else f4(0)
                n += m[r, i]
            o[r] = s / n
        return o

    def look_up(t, i, w):
        o = np.empty_like(w)
        for k in prange(w.size):
            o[k] = t[i[k]] * w[k]
        return o

    def embedding_bags(e, i):
        o = np.zeros((i.shape[0], e.shape[1]), e.dtype)
        for r in prange(i.shape[0]):
            for k in range(i.shape[1]):
                for j in range(e.shape[1]):
                    o[r, j] += e[i[r, k], j]
        return o

    def sample_bilinear(image, y, x):
        o = np.empty_like(y)
        for k in prange(y.size):
            r, c = int(floor(y[k])), int(floor(x[k]))
            v, u = y[k] - f4(r), x[k] - f4(c)
            top = image[r, c] * (f4(1) - u) + image[r, c + 1] * u
            bottom = image[r + 1, c] * (f4(1) - u) + image[r + 1, c + 1] * u
            o[k] = top * (f4(1) - v) + bottom * v
        return o

    def scatter_add(t, i, v):
        parts = get_num_threads()
        partial = np.zeros((parts, t.size), t.dtype)
        for p in prange(parts):
            for k in range(p * i.size // parts, (p + 1) * i.size // parts):
                partial[p, i[k]] += v[k]
        return partial.sum(0)

    def histogram_u8(a):
        parts = get_num_threads()
        partial = np.zeros((parts, 256), np.int64)
        for p in prange(parts):
            for k in range(p * a.size // parts, (p + 1) * a.size // parts):
                partial[p, a[k]] += 1
        return partial.sum(0)

    def cumsum_rows(a):
        o = np.empty_like(a)
        for r in prange(a.shape[0]):
            s = f4(0)
            for i in range(a.shape[1]):
                s += a[r, i]
                o[r, i] = s
        return o

    def drawdown(p):
        parts = get_num_threads()
        tops = np.empty(parts, p.dtype)
        lows = np.empty(parts, p.dtype)
        for q in prange(parts):
            tops[q] = p[q * p.size // parts:(q + 1) * p.size // parts].max()
        for q in prange(parts):
            m = tops[:q].max() if q else p[0]
            low = f4(1)
            for i in range(q * p.size // parts, (q + 1) * p.size // parts):
                m = max(m, p[i])
                low = min(low, p[i] / m)
            lows[q] = low
        return lows.min() - f4(1)

    def laplace_3d(u):
        n, m, k = u.shape
        o = np.empty((n - 2, m - 2, k - 2), u.dtype)
        for i in prange(n - 2):
            for j in range(m - 2):
                for l in range(k - 2):
                    c = u[i + 1, j + 1, l + 1]
                    o[i, j, l] = c + f4(0.1) * (u[i + 2, j + 1, l + 1] + u[i, j + 1, l + 1] + u[i + 1, j + 2, l + 1]
                                                + u[i + 1, j, l + 1] + u[i + 1, j + 1, l + 2] + u[i + 1, j + 1, l] - f4(6) * c)
        return o

    def box_3d_f64(u):
        n, m, k = u.shape
        o = np.empty((n - 2, m - 2, k - 2), u.dtype)
        for i in prange(n - 2):
            for j in range(m - 2):
                for l in range(k - 2):
                    s = 0.0
                    for x in range(3):
                        for y in range(3):
                            s += u[i + x, j + y, l] + u[i + x, j + y, l + 1] + u[i + x, j + y, l + 2]
                    o[i, j, l] = s / 27.0
        return o

    def advect_by_rolls(u):
        o = np.empty_like(u)
        n, m = u.shape
        for i in prange(n):
            above = i - 1 if i else n - 1
            o[i, 0] = u[i, 0] - f4(0.2) * (u[i, 0] - u[above, 0]) - f4(0.3) * (u[i, 0] - u[i, m - 1])
            for j in range(1, m):
                o[i, j] = u[i, j] - f4(0.2) * (u[i, j] - u[above, j]) - f4(0.3) * (u[i, j] - u[i, j - 1])
        return o

    def nearest(a, b):
        o = np.empty(a.shape[0], a.dtype)
        x, y, z = b[:, 0].copy(), b[:, 1].copy(), b[:, 2].copy()
        for i in prange(a.shape[0]):
            low = f4(np.inf)
            for j in range(x.size):
                d = (a[i, 0] - x[j]) ** 2 + (a[i, 1] - y[j]) ** 2 + (a[i, 2] - z[j]) ** 2
                low = min(low, d)
            o[i] = sqrt(low)
        return o

    def many_small(a):
        o = np.empty_like(a)
        for i in range(a.size):
            o[i] = tanh(a[i] * f4(0.5) + f4(1))
        return o

    def boundaries(u):
        n, m = u.shape
        y = np.empty_like(u)
        for r in prange(n):
            i = min(max(np.int64(r), 1), n - 2)
            for j in range(1, m - 1):
                y[r, j] = u[i, j] + f4(0.2) * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - f4(4) * u[i, j])
            y[r, 0] = f4(0)
            y[r, m - 1] = f4(1)
        return y

    def normalize_middle(a):
        n, m, k = a.shape
        o = np.empty_like(a)
        for p in prange(n):
            s, q = np.zeros(k, a.dtype), np.zeros(k, a.dtype)
            for i in range(m):
                for j in range(k):
                    s[j] += a[p, i, j]
            s /= f4(m)
            for i in range(m):
                for j in range(k):
                    q[j] += (a[p, i, j] - s[j]) * (a[p, i, j] - s[j])
            for j in range(k):
                q[j] = f4(1) / f4(sqrt(q[j] / f4(m) + f4(1e-5)))
            for i in range(m):
                for j in range(k):
                    o[p, i, j] = (a[p, i, j] - s[j]) * q[j]
        return o

    def complex_chain(z, w):
        o = np.empty(z.size, np.float32)
        for i in prange(z.size):
            c = z[i] * w[i] + z[i].conjugate()
            o[i] = sqrt(c.real * c.real + c.imag * c.imag)
        return o

    def mandelbrot(c):
        n, m = c.shape
        count = np.zeros((n, m), np.int32)
        for i in prange(n):
            for j in range(m):
                x, y, a, b = 0.0, 0.0, c[i, j].real, c[i, j].imag
                for _ in range(24):
                    if x * x + y * y >= 4.0:
                        break
                    x, y = x * x - y * y + a, 2 * x * y + b
                    count[i, j] += x * x + y * y < 4.0
        return count

    found = locals()
    for helper in "asin cos exp floor log sin sqrt tanh np get_num_threads prange f4".split():
        del found[helper]
    return found
