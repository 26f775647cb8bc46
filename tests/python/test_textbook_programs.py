"""Short programs of textbooks' topics, written for NumPy, that run unchanged with Weft under NumPy's name: the same values, shapes and dtypes."""

import numpy
import pytest
import weft

# Each leaves its answer in `r`. The first word names the topic.
PROGRAMS = """
mean: x = np.array([2.5, 3.1, 4.7, 5.0]); r = x.mean(), x.std(), x.var(ddof=1)
zscore: x = np.arange(10.0); r = (x - x.mean()) / x.std()
histogram: r = np.histogram([1, 2, 1, 4, 5, 2], bins=4)
histogram_density: h, e = np.histogram(np.linspace(0, 1, 50) ** 2, bins=5, density=True); r = (h * np.diff(e)).sum()
percentiles: r = np.percentile(np.arange(11.0), [25, 50, 75])
median: r = np.median(np.array([[3.0, 1, 2], [9, 7, 8]]), axis=1)
covariance: x = np.array([[1.0, 2, 4], [2.0, 1, 0]]); r = np.cov(x), np.corrcoef(x)
weighted_mean: r = np.average([1.0, 2, 3], weights=[3, 2, 1])
mode: v, c = np.unique([3, 1, 3, 2, 3, 1], return_counts=True); r = v[np.argmax(c)]
bootstrap: x = np.arange(5.0); i = np.array([[0, 1, 1], [4, 4, 2]]); r = x[i].mean(axis=1)
least_squares: x = np.arange(6.0); A = np.vstack([x, np.ones(6)]).T; r = np.linalg.lstsq(A, 2 * x + 1, rcond=None)[0]
polyfit: x = np.linspace(0, 3, 8); r = np.polyfit(x, x**2 - 1, 2)
polyval: r = np.polyval([1, -2, 3], np.arange(4))
roots: r = np.sort(np.roots([1, -6, 11, -6]).real)
solve: A = np.array([[3.0, 1], [1, 2]]); r = np.linalg.solve(A, np.array([9.0, 8]))
inverse: A = np.array([[4.0, 7], [2, 6]]); r = np.linalg.inv(A) @ A
determinant: r = np.linalg.det(np.array([[1.0, 2], [3, 4]]))
eigenvalues: r = np.linalg.eigvalsh(np.array([[2.0, 1], [1, 2]]))
eigenvectors: w, v = np.linalg.eigh(np.array([[2.0, 1], [1, 3]])); r = v @ np.diag(w) @ v.T
svd: A = np.arange(6.0).reshape(2, 3); u, s, vt = np.linalg.svd(A, full_matrices=False); r = u * s @ vt
rank: r = np.linalg.matrix_rank(np.array([[1.0, 2], [2, 4]]))
qr: q, t = np.linalg.qr(np.array([[1.0, 2], [3, 4]])); r = q @ t
cholesky: r = np.linalg.cholesky(np.array([[4.0, 2], [2, 3]]))
norms: x = np.array([3.0, -4]); r = np.linalg.norm(x), np.linalg.norm(x, 1), np.linalg.norm(x, np.inf)
gram_schmidt: A = np.array([[1.0, 1], [0, 1]]); q = A[:, 0] / np.linalg.norm(A[:, 0]); v = A[:, 1] - (q @ A[:, 1]) * q; r = v / np.linalg.norm(v)
power_iteration: A = np.array([[2.0, 1], [1, 3]]); v = np.ones(2)
    for _ in range(50): v = A @ v; v /= np.linalg.norm(v)
    r = v @ A @ v
jacobi: A = np.array([[4.0, 1], [2, 5]]); b = np.array([1.0, 2]); x = np.zeros(2); D = np.diag(A); R = A - np.diagflat(D)
    for _ in range(40): x = (b - R @ x) / D
    r = x
gauss_elimination: A = np.array([[2.0, 1, 5], [4, -6, -2]]); A[1] -= A[1, 0] / A[0, 0] * A[0]; r = A
lu_by_hand: A = np.array([[2.0, 1], [6, 8]]); L = np.eye(2); U = A.copy(); L[1, 0] = U[1, 0] / U[0, 0]; U[1] -= L[1, 0] * U[0]; r = L @ U, L, U
back_substitution: U = np.triu(np.arange(1.0, 10).reshape(3, 3)); b = np.array([1.0, 2, 3]); x = np.zeros(3)
    for i in range(2, -1, -1): x[i] = (b[i] - U[i, i + 1:] @ x[i + 1:]) / U[i, i]
    r = x
conjugate_gradient: A = np.array([[4.0, 1], [1, 3]]); b = np.array([1.0, 2]); x = np.zeros(2); q = b - A @ x; p = q.copy()
    for _ in range(2): a = q @ q / (p @ A @ p); x += a * p; n = q - a * (A @ p); p = n + n @ n / (q @ q) * p; q = n
    r = x
kronecker: r = np.kron(np.eye(2), np.ones((2, 2)))
outer: r = np.outer([1, 2, 3], [4, 5])
cross: r = np.cross([1, 0, 0], [0, 1, 0])
trace: r = np.trace(np.arange(9).reshape(3, 3))
einsum: A = np.arange(6.0).reshape(2, 3); r = np.einsum('ij,kj->ik', A, A)
tensordot: r = np.tensordot(np.ones((2, 3)), np.ones((3, 4)), axes=1)
matrix_power: r = np.linalg.matrix_power(np.array([[1, 1], [1, 0]]), 10)
trapezoid: x = np.linspace(0, np.pi, 101); r = np.trapezoid(np.sin(x), x)
simpson: x = np.linspace(0, 1, 11); y = x**3; r = (x[1] - x[0]) / 3 * (y[0] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum() + y[-1])
gradient: x = np.linspace(0, 1, 6); r = np.gradient(x**2, x)
derivative: x = np.arange(5.0); r = np.diff(x**2) / np.diff(x)
second_difference: r = np.diff(np.arange(6) ** 3, n=2)
euler: y = np.array([1.0, 0.0])
    for _ in range(10): y = y + 0.1 * np.array([y[1], -y[0]])
    r = y
runge_kutta: f = lambda y: -y; y = np.ones(3)
    for _ in range(5): k1 = f(y); k2 = f(y + 0.05 * k1); k3 = f(y + 0.05 * k2); k4 = f(y + 0.1 * k3); y = y + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    r = y
heat: u = np.zeros(11); u[5] = 1
    for _ in range(20): u[1:-1] += 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    r = u
wave: u = np.sin(np.linspace(0, np.pi, 9)); v = u.copy()
    for _ in range(5): w = 2 * u - v; w[1:-1] += 0.5 * (u[2:] - 2 * u[1:-1] + u[:-2]); v, u = u, w
    r = u
laplace: u = np.zeros((6, 6)); u[0] = 1
    for _ in range(10): u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    r = u
game_of_life: a = np.zeros((6, 6), int); a[2, 1:4] = 1; n = sum(np.roll(a, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - a; r = ((n == 3) | (a & (n == 2))).astype(int)
newton: x = np.array([1.0, 2.0, 3.0])
    for _ in range(6): x -= (x**2 - 2) / (2 * x)
    r = x
bisection: lo, hi = np.zeros(3), np.full(3, 4.0); t = np.array([1.0, 2, 3])
    for _ in range(30): m = (lo + hi) / 2; up = m * m < t; lo = np.where(up, m, lo); hi = np.where(up, hi, m)
    r = lo
newton_fractal: z = np.linspace(-1, 1, 4) + 1j * np.linspace(-1, 1, 3)[:, None]; z = z + (z == 0)
    for _ in range(5): z = z - (z**3 - 1) / (3 * z**2)
    r = z.real
mandelbrot: c = np.linspace(-2, 0.5, 6) + 1j * np.linspace(-1, 1, 4)[:, np.newaxis]; z = np.zeros_like(c); n = np.zeros(c.shape, int)
    for _ in range(8): m = np.abs(z) <= 2; z[m] = z[m] ** 2 + c[m]; n[m] += 1
    r = n
interpolation: r = np.interp([0.5, 1.5, 9], [0, 1, 2], [0, 10, 20])
lagrange: xs = np.array([0.0, 1, 2]); ys = xs**2; r = sum(ys[i] * np.prod([(1.5 - xs[j]) / (xs[i] - xs[j]) for j in range(3) if j != i]) for i in range(3))
vandermonde: r = np.vander([1, 2, 3], 3)
taylor: x = np.linspace(-1, 1, 5); t = np.ones(5); s = np.zeros(5)
    for k in range(1, 12): s = s + t; t = t * x / k
    r = s
fft: x = np.sin(2 * np.pi * np.arange(8) / 8); r = np.abs(np.fft.fft(x))
inverse_fft: x = np.arange(5.0); r = np.fft.ifft(np.fft.fft(x)).real
rfft: r = np.fft.rfft(np.array([1.0, 0, -1, 0])), np.fft.rfftfreq(4, 0.1)
fft2: r = np.fft.fftshift(np.abs(np.fft.fft2(np.eye(4))))
convolution: r = np.convolve([1, 2, 3], [0, 1, 0.5])
correlation: r = np.correlate([1, 2, 3, 4], [1, 1], 'valid')
moving_average: x = np.arange(8.0); r = np.cumsum(x); r[3:] = r[3:] - r[:-3]; r = r[2:] / 3
windows: r = np.hanning(5), np.hamming(5)
sliding: r = np.lib.stride_tricks.sliding_window_view(np.arange(6), 3).max(axis=1)
dft_matrix: k = np.arange(4); W = np.exp(-2j * np.pi * np.outer(k, k) / 4); r = W @ np.ones(4)
downsample: x = np.arange(12).reshape(3, 4); r = x[::2, ::2], x.reshape(3, 2, 2).mean(axis=2)
image_flip: im = np.arange(12, dtype=np.uint8).reshape(3, 4); r = im[::-1], im[:, ::-1], np.rot90(im)
greyscale: im = np.arange(24, dtype=np.uint8).reshape(2, 4, 3); r = (im @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)
brightness: im = np.array([[10, 200], [250, 0]], np.uint8); r = np.clip(im.astype(int) + 60, 0, 255).astype(np.uint8)
threshold: im = np.arange(9).reshape(3, 3); r = np.where(im > 4, 255, 0)
box_blur: im = np.arange(25.0).reshape(5, 5); p = np.pad(im, 1, mode='edge'); r = sum(p[i:i + 5, j:j + 5] for i in range(3) for j in range(3)) / 9
sobel: im = np.outer(np.ones(5), np.arange(5.0)); r = im[:-2, 2:] - im[:-2, :-2] + 2 * (im[1:-1, 2:] - im[1:-1, :-2]) + im[2:, 2:] - im[2:, :-2]
checkerboard: b = np.zeros((8, 8), int); b[1::2, ::2] = 1; b[::2, 1::2] = 1; r = b
border: a = np.ones((5, 5)); a[1:-1, 1:-1] = 0; r = a
tiles: r = np.tile(np.array([[0, 1], [1, 0]]), (2, 2))
meshgrid: x, y = np.meshgrid(np.arange(3), np.arange(2)); r = x**2 + y
mgrid: y, x = np.mgrid[0:3, 0:3]; r = np.hypot(x - 1, y - 1)
ogrid: y, x = np.ogrid[:4, :4]; r = (x - 1.5) ** 2 + (y - 1.5) ** 2 <= 2
distances: p = np.array([[0.0, 0], [3, 4], [6, 8]]); r = np.sqrt(((p[:, None] - p) ** 2).sum(-1))
nearest: p = np.array([[0.0, 0], [5, 5], [2, 1]]); r = np.argmin(((p - [2, 2]) ** 2).sum(axis=1))
rotation: t = np.pi / 6; R = np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]]); r = R @ np.array([[1.0, 0], [0, 1]])
polar: x, y = np.array([1.0, 0, -1]), np.array([0.0, 2, 0]); r = np.hypot(x, y), np.degrees(np.arctan2(y, x))
polygon_area: x, y = np.array([0.0, 4, 4, 0]), np.array([0.0, 0, 3, 3]); r = 0.5 * np.abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))
kmeans: x = np.array([[0.0, 0], [0, 1], [9, 9], [9, 8]]); c = x[[0, 2]]
    for _ in range(3): k = np.argmin(((x[:, None] - c) ** 2).sum(-1), axis=1); c = np.array([x[k == j].mean(axis=0) for j in range(2)])
    r = c
pca: x = np.array([[1.0, 2], [3, 4.5], [5, 6]]); x = x - x.mean(axis=0); r = np.linalg.eigvalsh(x.T @ x / 2)
softmax: x = np.array([[1.0, 2, 3], [1, 1, 1]]); e = np.exp(x - x.max(axis=1, keepdims=True)); r = e / e.sum(axis=1, keepdims=True)
sigmoid: r = 1 / (1 + np.exp(-np.linspace(-3, 3, 7)))
relu: r = np.maximum(np.array([-1.0, 0, 2]), 0)
one_hot: r = np.eye(3)[np.array([0, 2, 1])]
cross_entropy: p = np.array([[0.7, 0.3], [0.2, 0.8]]); r = -np.log(p[np.arange(2), [0, 1]]).mean()
gradient_descent: w = np.zeros(2); X = np.array([[1.0, 1], [1, 2], [1, 3]]); y = np.array([2.0, 3, 4])
    for _ in range(20): w -= 0.1 * X.T @ (X @ w - y) / 3
    r = w
logistic_regression: w = np.zeros(2); X = np.array([[1.0, -1], [1, 2]]); y = np.array([0, 1])
    for _ in range(10): w = w + 0.5 * X.T @ (y - 1 / (1 + np.exp(-X @ w)))
    r = w
perceptron: w = np.zeros(3); X = np.array([[1.0, 0, 1], [1, 1, 0], [1, 1, 1]]); y = np.array([-1, -1, 1])
    for _ in range(5):
        for a, t in zip(X, y):
            if t * (a @ w) <= 0: w += t * a
    r = w
confusion: m = np.zeros((3, 3), int); np.add.at(m, ([0, 1, 2, 2], [0, 2, 2, 2]), 1); r = m
accuracy: r = (np.array([1, 0, 1]) == np.array([1, 1, 1])).mean()
knn: d = np.array([5.0, 1, 3, 2]); r = np.argsort(d)[:2]
normalise_rows: a = np.arange(1.0, 7).reshape(2, 3); r = a / np.linalg.norm(a, axis=1, keepdims=True)
markov: P = np.array([[0.9, 0.1], [0.5, 0.5]]); r = np.array([1.0, 0]) @ np.linalg.matrix_power(P, 20)
page_rank: A = np.array([[0, 1, 1], [1, 0, 0], [0, 1, 0]], float); A /= A.sum(axis=1, keepdims=True); v = np.full(3, 1 / 3)
    for _ in range(30): v = 0.85 * v @ A + 0.05
    r = v
monte_carlo: i = np.arange(1, 200); x, y = (i * 0.618) % 1, (i * 0.7548) % 1; r = 4 * np.mean(x**2 + y**2 < 1)
random_walk: s = np.where(np.arange(20) % 3 == 0, -1, 1); w = np.cumsum(s); r = w.max(), np.argmax(w >= 3)
sieve: p = np.ones(50, bool); p[:2] = False
    for i in range(2, 8):
        if p[i]: p[i * i::i] = False
    r = np.nonzero(p)[0]
fibonacci: f = np.zeros(15, int); f[1] = 1
    for i in range(2, 15): f[i] = f[i - 1] + f[i - 2]
    r = f
gcd: r = np.gcd([12, 18], 6), np.lcm([4, 6], 10)
pascal: r = np.ones(1, int)
    for _ in range(6): r = np.convolve(r, [1, 1])
digits: n = np.array([123, 45]); r = n // 10 ** np.arange(3)[:, None] % 10
compound_interest: r = 1000 * (1 + np.array([0.01, 0.05])) ** np.arange(5)[:, None]
returns: p = np.array([100.0, 110, 99]); r = p[1:] / p[:-1] - 1, np.cumprod(p[1:] / p[:-1])
drawdown: p = np.array([1.0, 3, 2, 4, 1]); r = (p / np.maximum.accumulate(p) - 1).min()
temperature: c = np.array([-40.0, 0, 100]); r = c * 9 / 5 + 32
running_maximum: r = np.maximum.accumulate(np.array([1, 3, 2, 5, 4]))
boolean_mask: a = np.arange(10); r = a[(a % 2 == 0) & (a > 3)]
mask_assign: a = np.arange(6.0); a[a > 3] = -1; r = a
fancy: a = np.arange(12).reshape(3, 4); r = a[[0, 2], [1, 3]], a[np.ix_([0, 2], [1, 3])]
take_put: a = np.arange(5); np.put(a, [0, 2], [9, 8]); r = np.take(a, [0, 2, 4])
swap: a = np.arange(4); a[[0, 3]] = a[[3, 0]]; r = a
swap_columns: a = np.arange(6).reshape(2, 3); r = a[:, [2, 1, 0]]
sort_rows: a = np.array([[3, 1], [1, 2], [2, 0]]); r = a[a[:, 1].argsort()]
lexsort: r = np.lexsort(([1, 2, 1], [3, 3, 1]))
unique: v, i = np.unique([3, 1, 3], return_inverse=True); r = v, i
sets: r = np.intersect1d([1, 2, 3], [2, 3, 4]), np.union1d([1], [2]), np.setdiff1d([1, 2], [2]), np.isin([1, 5], [5])
searchsorted: r = np.searchsorted([1, 3, 5], [0, 3, 6])
digitize: r = np.digitize([0.2, 6.4, 3.0], [0.0, 1.0, 2.5, 4.0])
bincount: r = np.bincount([0, 1, 1, 3], weights=[0.5, 1, 1, 2])
group_sum: k = np.array([0, 1, 0, 1]); v = np.array([1.0, 2, 3, 4]); r = np.array([v[k == i].sum() for i in np.unique(k)])
run_lengths: a = np.array([1, 1, 2, 2, 2, 3]); e = np.flatnonzero(np.diff(a)) + 1; r = np.diff(np.concatenate([[0], e, [len(a)]]))
nan_mean: x = np.array([1.0, np.nan, 3]); r = np.nanmean(x), np.isnan(x).sum()
fill_nan: x = np.array([1.0, np.nan, 3]); x[np.isnan(x)] = np.nanmean(x); r = x
split: a, b = np.split(np.arange(6), 2); r = np.hstack([b, a])
stacking: r = np.column_stack([[1, 2], [3, 4]]), np.dstack([[1], [2]])
broadcasting: r = np.arange(3)[:, None] * 10 + np.arange(4)
reshape: a = np.arange(24).reshape(2, 3, -1); r = a.transpose(2, 0, 1).shape, a.ravel()[::5], a.swapaxes(0, 1)
structured_loop: total = 0
    for row in np.arange(6).reshape(2, 3): total += row.max()
    r = total
vectorize: f = np.vectorize(lambda a, b: a if a > b else b); r = f([1, 5], [3, 2])
apply_along: r = np.apply_along_axis(lambda v: v.max() - v.min(), 1, np.arange(6).reshape(2, 3) ** 2)
piecewise: x = np.linspace(-2, 2, 5); r = np.piecewise(x, [x < 0, x >= 0], [lambda v: -v, lambda v: v * 2])
select: x = np.arange(6); r = np.select([x < 2, x < 4], [x, x**2], -1)
complex: z = np.array([1 + 1j, -1j]); r = np.abs(z), np.angle(z), z.conj()
bits: a = np.array([5, 12], np.uint8); r = a & 6, a | 3, a ^ 1, a << 1, np.unpackbits(a)
rounding: x = np.array([1.25, -1.5, 2.5]); r = np.round(x, 1), np.floor(x), np.ceil(x), np.trunc(x)
closeness: r = np.allclose(0.1 + 0.2, 0.3), np.isclose([1.0], [1 + 1e-9])
constants: r = np.pi, np.e, np.sin(np.pi / 2)
integer_overflow: r = np.array([250], np.uint8) + np.array([10], np.uint8)
argwhere: r = np.argwhere(np.eye(3))
triangles: r = np.tril(np.ones((3, 3))), np.triu_indices(3, 1)
fromfunction: r = np.fromfunction(lambda i, j: i + j, (3, 3))
repeat: r = np.repeat([1, 2, 3], [1, 0, 2])
log_scale: r = np.logspace(0, 3, 4), np.geomspace(1, 8, 4)
in_place_views: a = np.zeros(6); b = a[::2]; b += 1; r = a
copy: a = np.arange(3); b = a.copy(); b[0] = 9; r = a
text: r = np.array_str(np.arange(3)), str(np.array([1.5, 2.0])), repr(np.eye(2))
"""


def parsed():
    found, name = {}, ""
    for line in PROGRAMS.strip("\n").split("\n"):
        if line.startswith(" "):
            found[name] += "\n" + line[4:]
        else:
            name, _, text = line.partition(": ")
            assert name not in found
            found[name] = text
    return found


def parts(r):
    return [one for part in r for one in parts(part)] if isinstance(r, (tuple, list)) else [r]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", parsed().values(), ids=parsed())
def test_a_textbooks_program_runs_unchanged(program):
    ours, theirs = {"np": weft}, {"np": numpy}
    exec(program, theirs)
    exec(program, ours)
    have, want = parts(ours["r"]), parts(theirs["r"])
    assert len(have) == len(want)
    for h, w in zip(have, want):
        if isinstance(w, str):
            assert h == w
            continue
        assert numpy.shape(h) == numpy.shape(w) and numpy.asarray(h).dtype == numpy.asarray(w).dtype
        numpy.testing.assert_allclose(numpy.asarray(h), numpy.asarray(w), rtol=1e-9, atol=1e-12)


def test_there_are_enough_of_them():
    assert len(parsed()) >= 120


def test_what_no_dtype_holds_stays_numpys():
    names = weft.array(["F", "D", "C"])
    assert isinstance(names, numpy.ndarray) and names[weft.asarray([2, 0])].tolist() == ["C", "F"]
    assert names[weft.asarray([True, False, True])].tolist() == ["F", "C"]
    dates = weft.array(["2026-01-03", "2026-01-01"], dtype="datetime64[D]")
    assert (dates - dates[1]).astype(int).tolist() == [2, 0] and weft.array(dates, ndmin=2).shape == (1, 2)
    assert weft.array([("a", 1.5)], dtype=[("name", "U2"), ("x", "f8")])["x"].tolist() == [1.5]
    assert weft.array([1, None], dtype=object)[1] is None
    assert isinstance(weft.array(["1.5", "2"], dtype="float64"), weft.Array)
    assert weft.ma.masked_invalid(weft.array([1.0, numpy.nan, 3])).sum() == 4.0 and weft.datetime64("2026-01-03") == dates[0]
    for given, kind, text in (([1, None], TypeError, "array: takes bools"), ([[1, 2], [3]], ValueError, "inhomogeneous")):
        with pytest.raises(kind, match=text):
            weft.array(given)
    with pytest.raises(TypeError, match="keep text in NumPy, where masks and positions of Weft index it"):
        weft.asarray(["a"])
    with pytest.raises(TypeError, match="array: takes bools"):
        weft.array(["a"], device="cpu")
