"""Prices of American puts on a lattice of Cox, Ross and Rubinstein: at each node the holder waits or exercises, whichever is worth more.

The loop goes back in time over all options at once. What happens at a node is a function of numbers.
"""

from compare import compare, quick

import numpy as np
import weft as wf

STEPS, RATE, VOLATILITY = (16 if quick else 128), 0.05, 0.3


def node(up, down, price, strike, years):
    """What a put is worth a step before it is worth `up` or `down`."""
    step = years / STEPS
    rise = wf.exp(VOLATILITY * wf.sqrt(step))
    chance = (wf.exp(RATE * step) - 1 / rise) / (rise - 1 / rise)
    waits = wf.exp(-RATE * step) * (chance * up + (1 - chance) * down)
    return max(waits, strike - price)


at_node = wf.vectorize(node)


def american(xp, price, strike, years):
    step = years / STEPS
    rise = xp.exp(VOLATILITY * xp.sqrt(step))
    chance = (xp.exp(RATE * step) - 1 / rise) / (rise - 1 / rise)
    shrinks = xp.exp(-RATE * step)
    powers = xp.arange(STEPS, -STEPS - 1, -2)
    value = xp.maximum(strike - price * rise**powers, 0)
    for left in range(STEPS - 1, -1, -1):
        prices = price * rise ** xp.arange(left, -left - 1, -2)
        if xp is wf:
            value = at_node(value[:, :-1], value[:, 1:], prices, strike, years)
        else:
            value = xp.maximum(shrinks * (chance * value[:, :-1] + (1 - chance) * value[:, 1:]), strike - prices)
    return value[:, 0]


draw = np.random.default_rng(3)
n = 50 if quick else 2000
options = [draw.uniform(*bounds, (n, 1)) for bounds in ((20, 60), (25, 50), (0.25, 2))]
compare(f"{n} American puts, {STEPS} steps", american, *options, rounds=3, tolerance=1e-12)
# Nothing is worth less than what exercise gives at once.
price, strike, years = (wf.asarray(x) for x in options)
assert bool(wf.all(american(wf, price, strike, years) >= (strike - price)[:, 0] - 1e-12))
