"""Prices of European options by the formula of Black and Scholes, with the normal distribution by Abramowitz and
Stegun's polynomial 26.2.17 (absolute error below 7.5e-8), so that no library needs an erf.
"""

import math

import numpy as np
from compare import compare, prange, quick

RATE, VOLATILITY = 0.02, 0.3


def normal(xp, x):
    t = 1 / (1 + 0.2316419 * xp.abs(x))
    tail = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = tail * 0.3989422804014327 * xp.exp(-0.5 * x * x)
    return xp.where(x >= 0, 1 - tail, tail)


def call_price(xp, price, strike, years):
    spread = VOLATILITY * xp.sqrt(years)
    d1 = (xp.log(price / strike) + (RATE + VOLATILITY**2 / 2) * years) / spread
    return price * normal(xp, d1) - strike * xp.exp(-RATE * years) * normal(xp, d1 - spread)


def loops(price, strike, years):
    out = np.empty_like(price)
    for i in prange(price.size):
        spread = VOLATILITY * math.sqrt(years[i])
        d1 = (math.log(price[i] / strike[i]) + (RATE + VOLATILITY**2 / 2) * years[i]) / spread
        d2 = d1 - spread
        out[i] = price[i] * 0.5 * math.erfc(-d1 / math.sqrt(2)) - strike[i] * math.exp(-RATE * years[i]) * 0.5 * math.erfc(-d2 / math.sqrt(2))
    return out


draw = np.random.default_rng(1)
n = 10_000 if quick else 4_000_000
options = [draw.uniform(*bounds, n).astype(np.float32) for bounds in ((10, 50), (12, 45), (0.5, 2))]
compare(f"{n} options", call_price, *options, loops=loops)
