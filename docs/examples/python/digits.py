"""Learns to read handwritten digits: two layers, trained by Adam, which is five lines.

The digits are scikit-learn's load_digits(): 1,797 pictures of 8 x 8 pixels, from the UCI repository's "Optical Recognition of
Handwritten Digits" (E. Alpaydin, C. Kaynak; CC BY 4.0). They come with scikit-learn; nothing is fetched.
"""

import numpy as np
from beside import beside, missing, quick

import weft as wf

try:
    from sklearn.datasets import load_digits
except ImportError:
    missing("scikit-learn", "for its pictures of digits")

pictures, truth = load_digits(return_X_y=True)
pictures = (pictures / 16).astype(np.float32)
rng = np.random.default_rng(0)
order = rng.permutation(len(truth))
train, test = order[:1400], order[1400:]


def scores(xp, params, x):
    w1, b1, w2, b2 = params
    return xp.tanh(x @ w1 + b1) @ w2 + b2


def loss(xp, w1, b1, w2, b2, x, wanted):
    """The cross-entropy; `wanted` has a one in each row."""
    z = scores(xp, (w1, b1, w2, b2), x)
    z = z - xp.amax(z, axis=1)[:, None]
    return xp.mean(xp.log(xp.sum(xp.exp(z), axis=1)) - xp.sum(z * wanted, axis=1))


@wf.compile
def step(params, m, v, t, x, wanted):
    value, slopes = wf.value_and_grad(lambda params: loss(wf, *params, x, wanted))(params)
    # Adam
    m = [0.9 * a + 0.1 * g for a, g in zip(m, slopes)]
    v = [0.999 * a + 0.001 * g * g for a, g in zip(v, slopes)]
    rate = 3e-3 * wf.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    params = [p - rate * a / (wf.sqrt(b) + 1e-8) for p, a, b in zip(params, m, v)]
    return value, params, m, v, t + 1


def accuracy(params, which):
    return float(wf.mean(wf.argmax(scores(wf, params, pictures[which]), axis=1) == truth[which]))


def layer(rows, columns):
    return [(rng.normal(size=(rows, columns)) * rows**-0.5).astype(np.float32), np.zeros(columns, np.float32)]


start = layer(64, 128) + layer(128, 10)
x, wanted = wf.asarray(pictures), wf.eye(10, dtype="float32")[truth]
params = [wf.asarray(one) for one in start]
m, v, t = [wf.zeros_like(p) for p in params], [wf.zeros_like(p) for p in params], wf.asarray(1.0, dtype="float32")
for turn in range(40):
    for batch in rng.permutation(train).reshape(-1, 100):
        value, params, m, v, t = step(params, m, v, t, x[batch], wanted[batch])
print(f"digits: {100 * accuracy(params, train):.1f} % of 1400 right that were learned, {100 * accuracy(params, test):.1f} % of {len(test)} others")
assert accuracy(params, test) >= 0.97

beside("digits, a batch of 100", loss, *start, pictures[train[:100]], np.eye(10, dtype=np.float32)[truth[train[:100]]], wrt=(0, 1, 2, 3), tolerance=1e-5)
