"""Random numbers: the published algorithm, reproducible and fused, NumPy's and JAX's names, and the distributions' shapes."""

import inspect
import math
import pickle
import threading

import numpy as np
import pytest
import weft as wf

COUNT = 200_000


def threefry(counter, key):
    """Threefry-2x32-20 written down a second time, on NumPy's integers."""
    with np.errstate(over="ignore"):
        word = np.uint32
        k = [word(key & 0xFFFFFFFF), word(key >> 32)]
        k.append(k[0] ^ k[1] ^ word(0x1BD11BDA))
        x = [(counter & 0xFFFFFFFF).astype(word) + k[0], (counter >> np.uint64(32)).astype(word) + k[1]]
        for group in range(5):
            for by in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
                x[0] = x[0] + x[1]
                x[1] = ((x[1] << word(by)) | (x[1] >> word(32 - by))) ^ x[0]
            x[0] = x[0] + k[(group + 1) % 3]
            x[1] = x[1] + k[(group + 2) % 3] + word(group + 1)
    return x[0].astype(np.uint64) | (x[1].astype(np.uint64) << np.uint64(32))


def test_bits_are_those_of_threefry():
    key = wf.random.key(7)
    for shape in ((5,), (3, 1000), (300, 400)):
        counter = np.arange(np.prod(shape), dtype=np.uint64).reshape(shape)
        expected = threefry(counter, int(key))
        np.testing.assert_array_equal(np.asarray(wf.random.bits(key, shape)), expected)
        np.testing.assert_array_equal(np.asarray(wf.random.bits(key, shape, "uint8")), expected.astype(np.uint8))
        np.testing.assert_array_equal(np.asarray(wf.random.uniform(key, shape)), (expected >> np.uint64(11)) * 2.0**-53)
        single = (expected >> np.uint64(40)).astype(np.float32) * np.float32(2**-24)
        np.testing.assert_array_equal(np.asarray(wf.random.uniform(key, shape, "float32")), single)
    known = wf.threefry(wf.asarray([0, 2**64 - 1, 0x85A308D3243F6A88], dtype="uint64"), wf.asarray([0, 2**64 - 1, 0x0370734413198A2E], dtype="uint64"))
    assert [int(one) for one in known] == [0x99BA4EFE6B200159, 0xBB002BE71CB996FC, 0x483DF7A0C4923A9C]


def test_numbers_do_not_depend_on_how_they_are_computed():
    def draw():
        return wf.random.default_rng(3).normal(size=(400, 500))

    whole = np.asarray(draw())
    np.testing.assert_array_equal(np.asarray(draw()[7]), whole[7])
    np.testing.assert_array_equal(np.asarray(draw().T[100:200, ::3]), whole.T[100:200, ::3])
    np.testing.assert_allclose(np.asarray((draw() * 2 + 1).sum(axis=1)), (whole * 2 + 1).sum(axis=1), rtol=1e-12)
    rng = wf.random.default_rng(3)
    first, second = rng.random(1000), rng.random(1000)
    again = wf.random.default_rng(3)
    np.testing.assert_array_equal(np.asarray(again.random(1000)), np.asarray(first))
    np.testing.assert_array_equal(np.asarray(again.random(1000)), np.asarray(second))
    assert not np.array_equal(np.asarray(first), np.asarray(second))


def test_numbers_fuse_with_what_uses_them():
    x = wf.eval(wf.arange(100_000) * 1.0)
    noisy = wf.exp(-(x + wf.random.default_rng(1).normal(0, 0.1, x.shape)) / 1e5) * 2
    wf.one_kernel(noisy)
    wf.one_kernel(wf.random.default_rng(1).random((1000, 300)).sum(axis=1))


@pytest.mark.parametrize("draw", ["random", "standard_normal", "standard_exponential"])
def test_another_seed_or_length_compiles_nothing(draw, kernels_first):
    for seed, size in ((1, 1000), (2, 2000)):  # the two classes of lengths
        wf.eval(getattr(wf.random.default_rng(seed), draw)(size * 64))
    before = kernels_first()
    for seed in range(5):
        wf.eval(getattr(wf.random.default_rng(seed), draw)(64 * (1000 + seed)))
    rng = wf.random.default_rng(11)
    for _ in range(3):
        wf.eval(getattr(rng, draw)(64_000))
    assert kernels_first() == before


def test_keys():
    key = wf.random.key(0)
    assert key.shape == () and key.dtype == np.uint64
    first, second = wf.random.split(key)
    many = wf.random.split(key, 100)
    assert int(first) == int(many[0]) and int(second) == int(many[1]) and len({int(k) for k in many}) == 100
    assert not {int(k) for k in many} & {int(b) for b in wf.random.bits(key, 100)}
    folded = {int(wf.random.fold_in(key, i)) for i in range(100)}
    assert len(folded) == 100 and not folded & {int(k) for k in many}
    assert int(wf.random.key(1)) != int(key)
    for bad in (-1, 2**64, 1.5, "a"):
        with pytest.raises(ValueError, match="key: the seed"):
            wf.random.key(bad)
    for bad in (wf.zeros(3), wf.asarray(1), wf.asarray([1], dtype="uint64")):
        with pytest.raises((ValueError, TypeError), match="key"):
            wf.random.bits(bad, (2,))


def test_compiled_functions_take_keys():
    @wf.compile
    def noisy(key, x):
        first, second = wf.random.split(key)
        return x + wf.random.normal(first, x.shape) + wf.random.default_rng(second).laplace(size=x.shape)

    x = wf.zeros(1000)
    one, same, other = (np.asarray(noisy(wf.random.key(seed), x)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)
    rng = wf.random.default_rng(0)
    with pytest.raises(wf.Error, match="same numbers at every call"):
        wf.compile(lambda x: x + rng.random(x.shape))(x)


DRAWS = {
    "module": lambda: wf.random.normal(0, 1, 3),
    "rand": lambda: wf.random.rand(3),
    "state": lambda: wf.random.get_state() and 0,
    "seed": lambda: wf.random.seed(5),
    "no seed": lambda: wf.random.default_rng().random(3),
    "older": lambda: wf.random.RandomState().rand(3),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("drawn", [False, True], ids=["first", "later"])
def test_compiled_functions_refuse_what_would_repeat_itself_and_leave_the_modules_generator_alone(draw, drawn, monkeypatch):
    monkeypatch.setattr(wf.random, "_global", None)
    if drawn:
        wf.random.rand(2)

    def f(x):
        draw()
        return x + 1

    for _ in range(2):
        with pytest.raises(wf.Error, match="compiled function"):
            wf.compile(f)(wf.zeros(3))
    before, after = wf.random.rand(2), wf.random.rand(2)
    assert not np.array_equal(before, after)


def test_a_compiled_function_takes_no_state_of_a_generator_from_outside_and_sets_none():
    rng, state = wf.random.RandomState(3), wf.random.RandomState(4).get_state()
    for change in (lambda: rng.seed(1), lambda: rng.set_state(state), lambda: pickle.dumps(rng)):
        with pytest.raises(wf.Error, match="same numbers at every call"):
            wf.compile(lambda x: change() and x)(wf.zeros(3))
    np.testing.assert_array_equal(rng.rand(3), wf.random.RandomState(3).rand(3))
    seeded = wf.compile(lambda x: x + wf.random.default_rng(7).random(3))
    np.testing.assert_array_equal(seeded(wf.zeros(3)), seeded(wf.zeros(3)))


def test_seeds():
    def start(seed):
        return wf.random.default_rng(seed).random(4).tolist()

    assert start(5) == start(5) == start(np.int64(5)) == start([5]) != start(6)
    assert start(2**64 + 5) != start(5) and start([1, 2]) != start([2, 1])
    assert start(None) != start(None)
    rng = wf.random.default_rng(1)
    assert wf.random.default_rng(rng) is rng
    for bad, kind in ((-1, ValueError), (1.5, TypeError), ("text", TypeError)):
        with pytest.raises(kind, match="default_rng: seeds"):
            wf.random.default_rng(bad)
    children = [child.random(3).tolist() for child in wf.random.default_rng(1).spawn(3)]
    assert children[0] != children[1] != children[2]
    rng.random(3)
    assert pickle.loads(pickle.dumps(rng)).random(3).tolist() == rng.random(3).tolist()


def test_threads_share_a_generator():
    rng, seen = wf.random.default_rng(9), []

    def draw():
        for _ in range(20):
            seen.append(tuple(rng.random(3).tolist()))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = wf.random.default_rng(9)
    assert set(seen) == {tuple(alone.random(3).tolist()) for _ in range(80)}


# Mean and variance, and the distribution function.
def normal_cdf(x):
    return np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x])


def von_mises_cdf(kappa, x):
    at = np.linspace(-np.pi, np.pi, 20_001)
    density = np.exp(kappa * (np.cos(at) - 1))
    total = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
    return np.interp(x, at, total / total[-1])


DISTRIBUTIONS = {
    "random": (lambda r: r.random(COUNT), 1 / 2, 1 / 12, lambda x: x),
    "random_f32": (lambda r: r.random(COUNT, "float32"), 1 / 2, 1 / 12, lambda x: x),
    "uniform": (lambda r: r.uniform(-1, 3, COUNT), 1, 16 / 12, lambda x: (x + 1) / 4),
    "standard_normal": (lambda r: r.standard_normal(COUNT), 0, 1, normal_cdf),
    "normal_f32": (lambda r: r.standard_normal(COUNT, "float32"), 0, 1, normal_cdf),
    "normal": (lambda r: r.normal(2, 3, COUNT), 2, 9, lambda x: normal_cdf((x - 2) / 3)),
    "exponential": (lambda r: r.exponential(2, COUNT), 2, 4, lambda x: 1 - np.exp(-x / 2)),
    "exponential_f32": (lambda r: r.standard_exponential(COUNT, "float32"), 1, 1, lambda x: 1 - np.exp(-x)),
    "laplace": (lambda r: r.laplace(1, 2, COUNT), 1, 8, lambda x: np.where(x < 1, np.exp((x - 1) / 2) / 2, 1 - np.exp((1 - x) / 2) / 2)),
    "logistic": (lambda r: r.logistic(1, 2, COUNT), 1, 4 * np.pi**2 / 3, lambda x: 1 / (1 + np.exp(-(x - 1) / 2))),
    "gumbel": (lambda r: r.gumbel(0, 1, COUNT), 0.5772156649, np.pi**2 / 6, lambda x: np.exp(-np.exp(-x))),
    "rayleigh": (lambda r: r.rayleigh(2, COUNT), 2 * np.sqrt(np.pi / 2), (4 - np.pi) / 2 * 4, lambda x: 1 - np.exp(-x * x / 8)),
    "weibull": (lambda r: r.weibull(2, COUNT), np.sqrt(np.pi) / 2, 1 - np.pi / 4, lambda x: 1 - np.exp(-x * x)),
    "pareto": (lambda r: r.pareto(5, COUNT), 1 / 4, 5 / (16 * 3), lambda x: 1 - (1 + x) ** -5.0),
    "power": (lambda r: r.power(3, COUNT), 3 / 4, 3 / (16 * 5), lambda x: x**3),
    "lognormal": (lambda r: r.lognormal(0, 0.5, COUNT), np.exp(1 / 8), (np.exp(1 / 4) - 1) * np.exp(1 / 4), lambda x: normal_cdf(np.log(x) / 0.5)),
    "standard_cauchy": (lambda r: r.standard_cauchy(COUNT), None, None, lambda x: 0.5 + np.arctan(x) / np.pi),
    "triangular": (lambda r: r.triangular(0, 1, 4, COUNT), 5 / 3, (16 + 1 - 4) / 18, lambda x: np.where(x < 1, x * x / 4, 1 - (4 - x) ** 2 / 12)),
    "gamma": (lambda r: r.gamma(3, 2, COUNT), 6, 12, lambda x: 1 - np.exp(-x / 2) * (1 + x / 2 + x * x / 8)),
    "gamma_below_1": (lambda r: r.standard_gamma(np.full(COUNT, 0.5)), 0.5, 0.5, lambda x: 2 * normal_cdf(np.sqrt(2 * x)) - 1),
    "gamma_f32": (lambda r: r.standard_gamma(1, COUNT, "float32"), 1, 1, lambda x: 1 - np.exp(-x)),
    "beta": (lambda r: r.beta(2, 3, COUNT), 2 / 5, 6 / (25 * 6), lambda x: x * x * (6 - 8 * x + 3 * x * x)),
    "beta_of_arcs": (lambda r: r.beta(0.5, 0.5, COUNT), 1 / 2, 1 / 8, lambda x: 2 / np.pi * np.arcsin(np.sqrt(x))),
    "chisquare": (lambda r: r.chisquare(2, COUNT), 2, 4, lambda x: 1 - np.exp(-x / 2)),
    "noncentral_chisquare": (lambda r: r.noncentral_chisquare(1, 4, COUNT), 5, 18, lambda x: normal_cdf(np.sqrt(x) - 2) - normal_cdf(-np.sqrt(x) - 2)),
    "f": (lambda r: r.f(2, 2, COUNT), None, None, lambda x: x / (1 + x)),
    "standard_t": (lambda r: r.standard_t(2, COUNT), None, None, lambda x: 0.5 + x / (2 * np.sqrt(2 + x * x))),
    "wald": (lambda r: r.wald(2, 3, COUNT), 2, 8 / 3, lambda x: normal_cdf(np.sqrt(3 / x) * (x / 2 - 1)) + np.exp(3) * normal_cdf(-np.sqrt(3 / x) * (x / 2 + 1))),
    "vonmises": (lambda r: r.vonmises(0, 2, COUNT), 0, None, lambda x: von_mises_cdf(2.0, x)),
    "vonmises_sharp": (lambda r: r.vonmises(0, 1e8, COUNT) * 1e4, 0, 1, normal_cdf),
    "vonmises_flat": (lambda r: r.vonmises(0, 0, COUNT), 0, np.pi**2 / 3, lambda x: (x + np.pi) / (2 * np.pi)),
    "geometric": (lambda r: r.geometric(0.3, COUNT), 1 / 0.3, 0.7 / 0.09, None),
    "integers": (lambda r: r.integers(-3, 11, COUNT), 3.5, (14**2 - 1) / 12, None),
    "integers_wide": (lambda r: r.integers(0, 2**62, COUNT) / 2**62, 1 / 2, 1 / 12, lambda x: x),
    "integers_full": (lambda r: r.integers(0, 2**64, COUNT, "uint64") / 2.0**64, 1 / 2, 1 / 12, lambda x: x),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions(name):
    draw, mean, variance, cdf = DISTRIBUTIONS[name]
    x = np.asarray(draw(wf.random.default_rng(12345)), dtype=np.float64)
    assert np.isfinite(x).all()
    if mean is not None:
        error = np.sqrt((x.var() if variance is None else variance) / COUNT)
        assert abs(x.mean() - mean) < 5 * error
        assert variance is None or abs(x.var() / variance - 1) < 0.05
    if cdf is not None:  # Kolmogorov and Smirnov: exceeded once in 10^5 seeds
        values = cdf(np.sort(x))
        ranks = np.arange(COUNT)
        distance = max((values - ranks / COUNT).max(), ((ranks + 1) / COUNT - values).max())
        assert distance < 2.5 / np.sqrt(COUNT)
    # Neighbours and the same positions of another draw do not go together.
    other = np.asarray(draw(wf.random.default_rng(54321)), dtype=np.float64)
    rank, rank_other = (np.unique(values, return_inverse=True)[1] for values in (x, other))  # equal values have one rank
    for a, b in ((rank[1:], rank[:-1]), (rank, rank_other)):
        assert abs(np.corrcoef(a, b)[0, 1]) < 5 / np.sqrt(COUNT)


def poisson_logs(mean, k):
    return k * math.log(mean) - mean - math.lgamma(k + 1)


def binomial_logs(n, p, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)


def hypergeometric_logs(good, bad, sample, k):
    def choose(n, r):
        return math.lgamma(n + 1) - math.lgamma(r + 1) - math.lgamma(n - r + 1)

    return choose(good, k) + choose(bad, sample - k) - choose(good + bad, sample)


COUNTS = {
    "poisson_few": (lambda r: r.poisson(0.3, COUNT), lambda k: poisson_logs(0.3, k)),
    "poisson_below_10": (lambda r: r.poisson(np.full(COUNT, 9.9)), lambda k: poisson_logs(9.9, k)),
    "poisson_10": (lambda r: r.poisson(10, COUNT), lambda k: poisson_logs(10, k)),
    "poisson_many": (lambda r: r.poisson(np.full(COUNT, 3000.0)), lambda k: poisson_logs(3000, k)),
    "binomial_few": (lambda r: r.binomial(5, 0.3, COUNT), lambda k: binomial_logs(5, 0.3, k)),
    "binomial_20": (lambda r: r.binomial(20, 0.5, COUNT), lambda k: binomial_logs(20, 0.5, k)),
    "binomial_above_half": (lambda r: r.binomial(1000, np.full(COUNT, 0.7)), lambda k: binomial_logs(1000, 0.7, k)),
    "binomial_rare": (lambda r: r.binomial(10**6, 2e-6, COUNT), lambda k: binomial_logs(10**6, 2e-6, k)),
    "poisson_mixed": (lambda r: r.poisson(np.where(np.arange(COUNT) % 2, 12.5, 12.5 + 1e-9)), lambda k: poisson_logs(12.5, k)),
    "binomial_huge": (lambda r: r.binomial(10**15, 3e-14, COUNT), lambda k: poisson_logs(30, k)),
    "hypergeometric_few": (lambda r: r.hypergeometric(20, 30, 7, COUNT), lambda k: hypergeometric_logs(20, 30, 7, k)),
    "hypergeometric_many": (lambda r: r.hypergeometric(300, 200, 60, COUNT), lambda k: hypergeometric_logs(300, 200, 60, k)),
    "hypergeometric_fewer_good": (lambda r: r.hypergeometric(60, 500, 100, COUNT), lambda k: hypergeometric_logs(60, 500, 100, k)),
    "hypergeometric_most_taken": (lambda r: r.hypergeometric(40, 60, 85, COUNT), lambda k: hypergeometric_logs(40, 60, 85, k)),
    "hypergeometric_all_but_few": (lambda r: r.hypergeometric(np.full(COUNT, 12), 9, 17), lambda k: hypergeometric_logs(12, 9, 17, k)),
    "zipf": (lambda r: r.zipf(2.5, COUNT), lambda k: -2.5 * math.log(k) - math.log(1.341487257250917)),
    "zipf_steep": (lambda r: r.zipf(np.full(COUNT, 8.0)), lambda k: -8 * math.log(k) - math.log(1.004077356197944)),
    "negative_binomial": (lambda r: r.negative_binomial(3, 0.2, COUNT),
                          lambda k: math.log((k + 1) * (k + 2) / 2) + 3 * math.log(0.2) + k * math.log(0.8)),
    "logseries": (lambda r: r.logseries(0.7, COUNT), lambda k: k * math.log(0.7) - math.log(k) - math.log(-math.log(0.3))),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_come_as_often_as_their_probabilities_say(name):
    draw, log_of = COUNTS[name]
    counts = np.asarray(draw(wf.random.default_rng(777)))
    assert counts.dtype == np.int64 and counts.min() >= 0
    values, times = np.unique(counts, return_counts=True)
    expected = np.array([COUNT * math.exp(log_of(int(k))) for k in values])
    common = expected > 10
    assert expected[common].sum() > 0.99 * COUNT
    square = ((times - expected)[common] ** 2 / expected[common]).sum()
    freedom = common.sum() - 1
    assert abs(square - freedom) < 5 * np.sqrt(2 * freedom)  # chi-square


def test_rejection_is_one_kernel_and_compiles_once(kernels_first):
    x = wf.eval(wf.arange(5000) * 1.0)
    for draw in (lambda r: r.gamma(2.5, size=5000), lambda r: r.poisson(30, 5000), lambda r: r.poisson(wf.exp(x / 1000)), lambda r: r.binomial(50, 0.3, 5000),
                 lambda r: r.hypergeometric(50, 70, 30, 5000), lambda r: r.zipf(2 + x), lambda r: r.vonmises(0, 2, 5000)):
        wf.one_kernel(draw(wf.random.default_rng(1)) * x + 1)
        whole = np.asarray(draw(wf.random.default_rng(2)))
        before = kernels_first()
        for seed in (3, 4, 2):
            again = draw(wf.random.default_rng(seed)).eval()
        assert kernels_first() == before
        np.testing.assert_array_equal(np.asarray(again), whole)
        np.testing.assert_allclose(np.asarray(draw(wf.random.default_rng(2))[7:9]), whole[7:9], rtol=1e-12)


def test_vectors_of_random_numbers():
    rng = wf.random.default_rng(21)
    counts = np.asarray(rng.multinomial(20, [0.2, 0.3, 0.5], COUNT))
    assert counts.shape == (COUNT, 3) and (counts.sum(axis=1) == 20).all() and counts.min() >= 0
    p = np.array([0.2, 0.3, 0.5])
    np.testing.assert_allclose(counts.mean(axis=0), 20 * p, rtol=0.01)
    np.testing.assert_allclose(np.cov(counts.T), 20 * (np.diag(p) - np.outer(p, p)), rtol=0.05)
    assert rng.multinomial([3, 5], [0.5, 0.5]).sum(axis=-1).tolist() == [3, 5]
    assert rng.multinomial(4, [1.0, 0.0]).tolist() == [4, 0]
    colors = np.array([50, 100, 350])
    counts = np.asarray(rng.multivariate_hypergeometric(colors, 40, COUNT))
    assert counts.shape == (COUNT, 3) and (counts.sum(axis=1) == 40).all() and counts.min() >= 0
    p = colors / 500
    np.testing.assert_allclose(counts.mean(axis=0), 40 * p, rtol=0.01)
    np.testing.assert_allclose(np.cov(counts.T), 40 * 460 / 499 * (np.diag(p) - np.outer(p, p)), rtol=0.05)
    assert rng.multivariate_hypergeometric([3, 0, 4], 7).tolist() == [3, 0, 4]
    semidefinite = np.asarray(rng.multivariate_normal([1, 2], [[1.0, 1.0], [1.0, 1.0]], COUNT))
    np.testing.assert_allclose(semidefinite[:, 1] - semidefinite[:, 0], 1, atol=1e-6)
    parts = np.asarray(rng.dirichlet([1, 2, 3], COUNT))
    np.testing.assert_allclose(parts.sum(axis=1), 1)
    np.testing.assert_allclose(parts.mean(axis=0), [1 / 6, 2 / 6, 3 / 6], rtol=0.01)
    np.testing.assert_allclose(parts.var(axis=0), [5 / 252, 8 / 252, 9 / 252], rtol=0.05)
    sparse = np.asarray(rng.dirichlet([1e-4] * 3, 1000))
    assert np.isfinite(sparse).all() and abs(sparse.sum(axis=1) - 1).max() < 1e-12


def test_parameters_at_and_beyond_their_ends():
    rng = wf.random.default_rng(22)
    assert rng.gamma(0, size=3).tolist() == [0] * 3 and rng.poisson(0, 3).tolist() == [0] * 3
    assert rng.binomial(7, [0, 1]).tolist() == [0, 7] and rng.binomial(0, 0.5, 3).tolist() == [0] * 3
    assert abs(int(rng.poisson(1e15)) - 10**15) < 10**9
    np.testing.assert_allclose(rng.vonmises([3.0, -3.0], 1e300).tolist(), [3, -3])
    for wrong in (lambda: rng.gamma(-1), lambda: rng.beta(1, [2, -2]), lambda: rng.poisson(-1), lambda: rng.poisson(1e16),
                  lambda: rng.binomial(5, 1.5), lambda: rng.binomial(-5, 0.5), lambda: rng.chisquare(float("nan"))):
        with pytest.raises(ValueError, match="(gamma|beta|poisson|binomial|chisquare): .*: got"):
            wrong()
    with pytest.raises(ValueError, match="multinomial: pvals"):
        rng.multinomial(5, [0.7, 0.7, 0.0])
    # What is not computed yet is not looked at.
    bad = wf.asarray([-1.0, 2.0])
    assert np.isnan(rng.gamma(bad).tolist()).tolist() == [True, False]
    assert [k < 0 for k in rng.poisson(bad).tolist()] == [True, False] and [k < 0 for k in rng.binomial(3, bad).tolist()] == [True, True]
    assert rng.hypergeometric(7, 5, [0, 12]).tolist() == [0, 7] and rng.hypergeometric(0, 1000, 400, 3).tolist() == [0] * 3
    assert abs(int(rng.hypergeometric(4 * 10**14, 6 * 10**14, 10**14)) - 4 * 10**13) < 10**8
    assert rng.zipf(2000.0, 3).tolist() == [1] * 3 and 1 <= int(rng.zipf(1.0000001)) <= 2**63 - 1
    for wrong in (lambda: rng.hypergeometric(1, 2, 4), lambda: rng.hypergeometric(-1, 2, 1), lambda: rng.hypergeometric(1, [2, -2], 1),
                  lambda: rng.zipf(1.0), lambda: rng.zipf([0.5]), lambda: rng.multivariate_hypergeometric([1, 2], 4)):
        with pytest.raises(ValueError, match="(hypergeometric|zipf): .*: got"):
            wrong()
    assert rng.hypergeometric(wf.asarray([1.0, 5.0]), 2, 4).tolist()[0] == -1
    with pytest.raises(ValueError, match="must broadcast to the size"):
        rng.poisson(wf.ones((2, 3)), size=3)
    for wrong in (lambda: rng.gamma(1j), lambda: rng.gamma(wf.asarray([1j])), lambda: rng.gamma("2")):
        with pytest.raises(TypeError, match="gamma: shape must be real: got"):
            wrong()
    with pytest.raises(AttributeError, match="no bit_generator"):
        rng.bit_generator
    key = wf.random.key(5)
    for draw in (lambda k: wf.random.gamma(k, 2.0, (3,)), lambda k: wf.random.beta(k, 1, 2, (3,)), lambda k: wf.random.poisson(k, 4, (3,)), lambda k: wf.random.binomial(k, 9, 0.5, (3,))):
        assert draw(key).tolist() == draw(key).tolist() and draw(key).shape == (3,)


def test_integers_cover_their_range_evenly():
    rng = wf.random.default_rng(5)
    for low, high in ((0, 6), (-3, 4), (2**63 - 5, 2**63), (-(2**63), -(2**63) + 3)):
        values, counts = np.unique(np.asarray(rng.integers(low, high, COUNT)), return_counts=True)
        assert values.min() == low and values.max() == high - 1 and len(values) == high - low
        expected = COUNT / (high - low)
        assert (abs(counts - expected) < 5 * np.sqrt(expected)).all()
    assert set(rng.integers(1, 2, 50).tolist()) == {1} and set(rng.integers(3, size=100).tolist()) == {0, 1, 2}
    assert set(rng.integers(1, 3, 100, endpoint=True).tolist()) == {1, 2, 3}
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, COUNT, dtype, endpoint=True)
        assert values.dtype == dtype
        assert abs(np.asarray(values).astype(np.float64).mean() - (info.min / 2 + info.max / 2)) < 0.01 * (float(info.max) - info.min)
    with pytest.raises(ValueError, match="low must be below high"):
        rng.integers(3, 3)
    with pytest.raises(ValueError, match="integers: uint8 holds 0 to 255: got 0 to 299"):
        rng.integers(0, 300, 5, "uint8")
    with pytest.raises(TypeError, match="bounds are integers"):
        rng.integers(0.5)
    with pytest.raises(TypeError, match="draws integers"):
        rng.integers(0, 5, 5, "float32")


def test_uniforms_stay_below_one():
    rng = wf.random.default_rng(2)
    for dtype in ("float64", "float32", "float16", "bfloat16"):
        x = np.asarray(rng.random(1_000_000, dtype)).astype(np.float64)
        assert x.min() >= 0 and x.max() < 1 and x.min() < 0.01 and x.max() > 0.98
    for dtype in ("float64", "float32"):
        tails = np.asarray(rng.standard_normal(4_000_000, dtype)).astype(np.float64)
        assert 4.5 < abs(tails).max() < 7 and np.isfinite(tails).all()
    with pytest.raises(TypeError, match="draws floats"):
        rng.random(3, "int32")


def test_order():
    rng = wf.random.default_rng(4)
    assert sorted(rng.permutation(1000).tolist()) == list(range(1000))
    x = wf.arange(12).reshape(4, 3)
    assert sorted(rng.permutation(x).tolist()) == x.tolist()
    assert sorted(rng.permutation(x, axis=1)[0].tolist()) == [0, 1, 2]
    rows = np.asarray(rng.permuted(x, axis=1))
    assert np.array_equal(np.sort(rows, axis=1), np.asarray(x))
    y = x.copy()
    rng.shuffle(y)
    assert sorted(y.tolist()) == x.tolist()
    with pytest.raises(TypeError, match="shuffle"):
        rng.shuffle((1, 2, 3))
    first = [int(rng.permutation(5)[0]) for _ in range(500)]
    assert all(50 < first.count(i) < 150 for i in range(5))


def test_choice():
    rng = wf.random.default_rng(6)
    assert set(rng.choice(5, 200).tolist()) == set(range(5))
    assert rng.choice(5).shape == () and rng.choice([10, 20], (2, 3)).shape == (2, 3)
    drawn = np.asarray(rng.choice(3, COUNT, p=[0.2, 0.5, 0.3]))
    np.testing.assert_allclose(np.bincount(drawn) / COUNT, [0.2, 0.5, 0.3], atol=0.01)
    assert sorted(rng.choice(10, 10, replace=False).tolist()) == list(range(10))
    picks = np.array([np.sort(np.asarray(rng.choice(3, 2, replace=False, p=[0.1, 0.45, 0.45]))) for _ in range(400)])
    assert (picks == [1, 2]).all(axis=1).mean() > 0.5 and not (picks[:, 0] == picks[:, 1]).any()
    for wrong in (dict(p=[0.5, 0.6]), dict(p=[1.0]), dict(p=[-1.0, 1, 1])):
        with pytest.raises(ValueError, match="choice"):
            rng.choice(3, 2, **wrong)
    with pytest.raises(ValueError, match="without replacement"):
        rng.choice(3, 4, replace=False)
    with pytest.raises(ValueError, match="nothing"):
        rng.choice(0, 1)


def test_keys_draw_what_cpp_draws_of_them():
    key = wf.random.key(9)
    words = np.asarray(wf.random.bits(key, (100,)))
    np.testing.assert_array_equal(np.asarray(wf.random.permutation(key, 100)), np.argsort(words))
    np.testing.assert_array_equal(np.asarray(wf.random.choice(key, 100, (9,), replace=False)), np.argsort(words)[:9])
    p = np.array([0.25, 0.0, 0.75])
    uniform = np.asarray(wf.random.uniform(key, (50,)))
    np.testing.assert_array_equal(np.asarray(wf.random.choice(key, 3, (50,), p=p)), np.where(uniform < 0.25, 0, 2))
    gamma = wf._core.random.gamma(key, 2.5, 1.0, (50,))
    np.testing.assert_array_equal(np.asarray(wf.random.gamma(key, 2.5, (50,))), np.asarray(gamma))
    x = wf.arange(10)
    shuffled, again = x.copy(), wf.random.default_rng(3)
    wf.random.default_rng(3).shuffle(shuffled)
    np.testing.assert_array_equal(np.asarray(shuffled), np.asarray(again.permutation(x)))


def test_shapes_and_parameters_broadcast():
    rng = wf.random.default_rng(8)
    assert rng.random().shape == () and rng.random(3).shape == (3,) and rng.random((2, 3)).shape == (2, 3)
    assert rng.random((0, 3)).shape == (0, 3) and isinstance(float(rng.normal()), float)
    assert rng.normal(wf.zeros((4, 1)), wf.ones(3)).shape == (4, 3)
    assert rng.uniform(np.zeros(3), [1, 2, 3]).shape == (3,)
    means = np.asarray(rng.normal([0.0, 100.0], 1, (5000, 2))).mean(axis=0)
    np.testing.assert_allclose(means, [0, 100], atol=0.1)
    out = wf.zeros((3, 4))
    assert rng.random(out=out) is out and float(out.max()) > 0
    cov = np.array([[2.0, 1.0], [1.0, 3.0]])
    x = np.asarray(rng.multivariate_normal([1, 2], cov, COUNT))
    np.testing.assert_allclose(np.cov(x.T), cov, rtol=0.05)
    assert len(rng.bytes(17)) == 17
    with pytest.raises(ValueError):
        rng.random((-1,))


def test_modules_functions_are_numpys_and_jaxs():
    np_random = wf.random
    np_random.seed(3)
    first = [np_random.rand(2, 3).tolist(), np_random.randn(3).tolist(), np_random.randint(0, 9, 5).tolist(), np_random.uniform(1, 2, 3).tolist()]
    np_random.seed(3)
    again = [np_random.rand(2, 3).tolist(), np_random.randn(3).tolist(), np_random.randint(0, 9, 5).tolist(), np_random.uniform(1, 2, 3).tolist()]
    assert first == again
    assert np_random.random((2, 2)).shape == (2, 2) and np_random.normal(0, 1, (2, 2)).shape == (2, 2)
    key = wf.random.key(1)
    assert wf.random.uniform(key, (3,), minval=2, maxval=3).tolist() == wf.random.uniform(key, (3,), minval=2, maxval=3).tolist()
    assert set(wf.random.randint(key, (100,), 2, 5).tolist()) == {2, 3, 4}
    assert 0.2 < float(wf.random.bernoulli(key, 0.3, (10_000,)).sum()) / 10_000 < 0.4
    assert sorted(wf.random.permutation(key, 7).tolist()) == list(range(7))
    assert wf.random.choice(key, 5, (4,)).tolist() == wf.random.choice(key, 5, (4,)).tolist()
    assert wf.random.normal(key, (2,), "float32").dtype == np.float32 and wf.random.exponential(key).shape == ()


def test_the_modules_functions_have_the_methods_signatures():
    assert list(inspect.signature(wf.random.normal).parameters) == ["loc", "scale", "size"]
    assert list(inspect.signature(wf.random.randint).parameters) == ["low", "high", "size", "dtype"]
    for name in wf.random.__all__:
        f = getattr(wf.random, name)
        assert f.__doc__ and "args" not in inspect.signature(f).parameters, name


def test_generator_has_numpys_methods_and_signatures():
    names = [n for n in dir(np.random.Generator) if not n.startswith("_") and n != "bit_generator"]
    assert len(names) > 40
    for name in names:
        mine = list(inspect.signature(getattr(wf.random.Generator, name)).parameters)
        theirs = getattr(np.random.Generator, name).__doc__.strip()
        theirs = theirs[: theirs.index(")") + 1]
        named = [part.split("=")[0].strip() for part in theirs[theirs.index("(") + 1 : theirs.rindex(")")].split(",")]
        assert [p for p in mine if p != "self"][: len(named)] == [n for n in named if n not in ("*", "/")], name


@pytest.mark.parametrize("call", [
    "uniform(2, 1)", "uniform([0, 2], [1, 1])", "normal(0, -1)", "normal([0, 1], [-1, 1])", "exponential(-1)", "triangular(3, 2, 1)", "triangular(0, 3, 2)",
])  # fmt: skip
def test_parameters_out_of_range_are_refused_as_numpy_does(call):
    for lib in (np, wf):
        with pytest.raises(ValueError, match="" if lib is np else call.split("(")[0]):
            eval(f"generator.{call}", {"generator": lib.random.default_rng(1)})


def test_numpys_older_interface():
    state = wf.random.RandomState(7)
    first = state.rand(3)
    assert first.tolist() == wf.random.default_rng(7).random(3).tolist()
    kept = state.get_state()
    drawn = state.randn(2).tolist()
    state.set_state(kept)
    assert state.randn(2).tolist() == drawn
    assert pickle.loads(pickle.dumps(state)).random_sample(2).tolist() == state.random_sample(2).tolist()
    state.seed(7)
    assert state.rand(3).tolist() == first.tolist()
    assert set(state.randint(3, size=50).tolist()) == {0, 1, 2} and set(state.random_integers(2, size=50).tolist()) == {1, 2}
    assert state.tomaxint() >= 0 and state.normal(size=(2, 3)).shape == (2, 3)
    wf.random.seed(3)
    kept = wf.random.get_state()
    drawn = wf.random.randint(0, 9, 5).tolist()
    wf.random.set_state(kept)
    assert wf.random.randint(0, 9, 5).tolist() == drawn
    with pytest.raises(ValueError, match="set_state: takes what get_state"):
        state.set_state(np.random.RandomState(1).get_state())


def test_integers_take_a_bound_for_each():
    rng = wf.random.default_rng(3)
    low, high = np.array([[0], [-5]]), np.array([1, 10, 2**40])
    drawn = np.asarray(rng.integers(low, high, size=(500, 2, 3)))
    assert drawn.dtype == np.int64 and (drawn >= low).all() and (drawn < high).all()
    assert (drawn[:, 0, 0] == 0).all() and len(set(drawn[:, 1, 1].tolist())) == 15
    assert set(np.asarray(rng.integers(0, wf.asarray([1, 1]), size=(50, 2), dtype="u1", endpoint=True)).ravel().tolist()) == {0, 1}
    assert rng.integers([3, 4], [4, 5]).tolist() == [3, 4]
    assert np.abs(drawn[:, 0, 2].mean() / 2.0**39 - 1) < 0.15
    assert rng.uniform(size=wf.asarray(3)).shape == (3,)


def test_integers_between_bounds_in_arrays_are_as_probable_as_each_other():
    rng = wf.random.default_rng(3)
    drawn = np.asarray(rng.integers([0] * 3000, [3 * 2**62] * 3000, dtype="uint64"))
    thirds = np.bincount((drawn >> np.uint64(62)).astype(int), minlength=3)
    assert thirds.sum() == 3000 and abs(thirds - 1000).max() < 130  # five standard deviations
    least, most = np.array([-(2**63)] * 64), np.array([2**63 - 1] * 64)
    whole = np.asarray(rng.integers(least, most, endpoint=True))
    assert (whole < 0).any() and (whole > 0).any()
    assert rng.integers([-(2**63)], [-(2**63)], endpoint=True).tolist() == [-(2**63)]
    for low, high in ((1, 1), (2, 1)):
        with pytest.raises(ValueError, match="low must be below high"):
            rng.integers([low], [high])
