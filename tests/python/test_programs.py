"""Random programs of arrays of mixed dtypes, masks, writes into parts, scalars that are kept, rolls and reductions, beside NumPy."""

import warnings

import hypothesis.strategies as st
import numpy as np
import weft as wf
from hypothesis import given

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
NUMBERS = ["0", "1", "-1", "3", "100", "2.5", "True", "2**53 + 1"]
KEYS = ["...", "1:", "::2", "::-1", ":0", "0", "-1", "..., 1:", "..., ::-2", "..., 0"]


@st.composite
def programs(draw):
    """Lines over arrays v0, v1, … of one shape, and scalars s0, s1, …"""
    shape = draw(st.sampled_from([(7,), (3, 4), (2, 3, 2), (1, 5)]))
    seed = draw(st.integers(0, 99))
    lines = [f"v{i} = start({seed + i}, {shape}, {draw(st.sampled_from(DTYPES))!r})" for i in range(4)]
    arrays, scalars = 4, 0

    def v():
        return f"v{draw(st.integers(0, arrays - 1))}"

    def mask():
        return draw(st.sampled_from([f"{v()} > {v()}", f"{v()} != 1", f"~({v()} >= 2)", f"np.roll({v()} == {v()}, 1)"]))

    def of(*choices):
        return draw(st.sampled_from(choices))

    for _ in range(draw(st.integers(1, 10))):
        kind = of("binary", "binary", "function", "masked out", "masked out", "copyto", "mask", "part", "roll", "convert", "total", "scalar", "in place", "choose", "reduced")
        new = f"v{arrays}"
        if kind == "binary":
            lines.append(f"{new} = {v()} {of('+', '-', '*', '&', '|', '^')} {of(v(), of(*NUMBERS))}")
        elif kind == "function":
            lines.append(f"{new} = np.{of('maximum', 'minimum', 'fmax', 'fmin')}({v()}, {v()})")
        elif kind == "masked out":
            lines.append(f"np.{of('add', 'multiply', 'maximum', 'subtract', 'fmin')}({v()}, {of(v(), '1')}, out={v()}, where={mask()})")
        elif kind == "copyto":
            lines.append(f"np.copyto({v()}, {v()}, where={mask()})")
        elif kind == "mask":
            lines.append(f"{v()}[{mask()}] {of('=', '+=', '-=')} {of('1', '2', '3')}")
        elif kind == "part":
            key = of(*KEYS)
            lines.append(f"{v()}[{key}] = whole({v()})[{key}]")
        elif kind == "roll":
            lines.append(f"{new} = np.roll({v()}, {draw(st.integers(-9, 9))}, {of('None', '0', '-1')})")
        elif kind == "convert":
            lines.append(f"{new} = whole({v()}).astype({of(*DTYPES)!r})")
        elif kind == "total":
            lines.append(f"s{scalars} = {of('np.clip({}, 0, 50).sum()', '{}.max()', '{}[(0,) * {}.ndim]', 'np.count_nonzero({})').replace('{}', v())}")
            scalars += 1
        elif kind == "scalar" and scalars:
            held = draw(st.integers(0, scalars - 1))
            lines.append(of(f"s{scalars} = s{held}; s{held} += 1", f"s{scalars} = s{held} * 1", f"s{scalars} = s{held}; v0[...] = 1"))
            scalars += 1
        elif kind == "in place":
            lines.append(f"{v()} {of('+=', '*=', '-=')} {of(v(), '1', '2')}")
        elif kind == "choose":
            lines.append(f"{new} = np.where({mask()}, {v()}, {v()})")
        elif kind == "reduced":
            lines.append(f"{new} = np.clip({v()}, 0, 9).{of('sum', 'max')}({of('0', '-1')}, keepdims=True) + {v()}")
        arrays += lines[-1].startswith(f"{new} =")
    return lines


def names(lib):
    def start(seed, shape, dtype):
        return lib.asarray(np.random.default_rng(seed).integers(0, 2 if dtype == "?" else 100, shape).astype(dtype))

    def whole(x):
        """Numbers that every dtype takes."""
        return lib.clip(lib.nan_to_num(x), 0, 100) if x.dtype.kind == "f" else x

    return {"np": lib, "start": start, "whole": whole}


@given(programs())
def test_random_programs_give_what_numpy_gives(lines):
    ours, numpys = names(wf), names(np)
    done = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in lines:
            try:
                exec(line, numpys)
            except (TypeError, OverflowError, ValueError, NameError) as refusal:
                try:
                    exec(line, ours)
                except (TypeError, OverflowError, ValueError, NameError):
                    continue
                raise AssertionError(f"NumPy refuses, after {done}: {line}: {refusal}") from None
            exec(line, ours)
            done.append(line)
        for name, want in numpys.items():
            if name[0] not in "vs" or not name[1:].isdigit():
                continue
            have = ours[name]
            assert (have.dtype, have.shape) == (want.dtype, want.shape), (name, done)
            np.testing.assert_array_equal(np.asarray(have), want, err_msg="\n".join([name, *done]))
