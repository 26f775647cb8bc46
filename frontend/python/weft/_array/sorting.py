"""Sorting and searching on a GPU and of what is being recorded, in terms of Weft's own ops. Host memory is sorted in C++; how it is searched, and which of it NumPy
searches, _numpy/by_numpy.py says.

Values are compared by words: unsigned integers in the values' order, with NaN last and both zeros equal. Few long rows on a GPU are sorted by kernels of
C++'s sort(). Others, and what is being recorded, are sorted by four bits of their words after the other, from the lowest: each pass is stable, so the order of equal
elements stays.
"""

from __future__ import annotations

import builtins

from weft import _core
from weft._core import Array
from weft._base.devices import is_gpu
from weft._base.operands import unravelled

TYPE_CHECKING = False  # typing is slow to import
if TYPE_CHECKING:
    from typing import Any

_bool, _u8, _u64, _i32, _i64, _f32 = ("bool", "uint8", "uint64", "int32", "int64", "float32")

_tile = 128  # elements whose places within their digit are counted together: a count takes a byte of a word
_digits = 16
# Comparisons of all elements with each other that take less time than passes over digits; f32 counts so many exactly.
_most_pairs, _most_pairs_on_host, _most_counted = 1 << 29, 1 << 22, 1 << 24


def on_device(x: Any) -> builtins.bool:
    """Whether Weft computes this itself: it lies on a GPU, or has no value yet."""
    return isinstance(x, Array) and (is_gpu(x.device) or (_core.records() and _core.depends_on_arguments(x)))


def is_recorded(x: Any) -> builtins.bool:
    """The same, or derivatives are wanted of it, which NumPy's answer would not have."""
    return on_device(x) or (isinstance(x, Array) and _core.is_derived(x))


def _in_cpp(x: Array, axis: int) -> builtins.bool:
    """Whether C++'s sort() orders this: it lies on the host, or is a few long rows on a GPU."""
    return x.dtype.kind != "c" and (not on_device(x) or (not _core.records() and _core.sorts_on_gpu(x, axis)))


def _evaluated(arrays: list[Array]) -> None:
    """Cuts the graph here, where it can be."""
    if not _core.records():
        _core.eval(arrays)


def words(x: Array) -> Array:
    """The unsigned integers that are ordered as the real values of x are."""
    bits = 8 * x.dtype.itemsize
    if x.dtype.kind in "bu":
        return _core.astype(x, _u8) if x.dtype.kind == "b" else x
    word = _core.view_as(x, _core.dtype(f"uint{bits}"))
    top = 1 << (bits - 1)
    if x.dtype.kind == "i":
        return _core.bitwise_xor(word, top)
    order = _core.where(_core.greater_equal(word, top), _core.bitwise_invert(word), _core.bitwise_or(word, top))
    order = _core.where(_core.equal(x, 0), _core.full((), top, word.dtype, x.device), order)
    return _core.where(_core.isnan(x), _core.full((), (1 << bits) - 1, word.dtype, x.device), order)


def _last(dtype: Any) -> Any:
    """A value behind which no other is sorted."""
    import numpy

    if dtype.kind in "iu":
        return int(numpy.iinfo(dtype).max)
    return True if dtype.kind == "b" else float("nan")


def _rows(x: Array, axis: int) -> tuple[Array, Array]:
    """x with this axis last, and as rows."""
    moved = _core.permute_dims(x, [*(i for i in range(x.ndim) if i != axis), axis])
    return moved, _core.reshape(moved, (moved.size // moved.shape[-1], moved.shape[-1]))


def _back(rows: Array, shape: tuple[int, ...], axis: int) -> Array:
    """What was made of _rows(), in x's order of axes."""
    moved = _core.reshape(rows, shape)
    order = [*range(axis), len(shape) - 1, *range(axis, len(shape) - 1)]
    return _core.permute_dims(moved, order)


def _iota(count: int, dtype: Any, device: str) -> Array:
    return _core.arange(0, count, 1, dtype, device)


def _ranks(key: Array) -> Array:
    """Where each element of the rows goes, by comparing it with all others."""
    rows, n = key.shape
    mine, other = _core.reshape(key, (rows, n, 1)), _core.reshape(key, (rows, 1, n))
    at = _iota(n, _i32, key.device)
    before = _core.less(_core.reshape(at, (1, 1, n)), _core.reshape(at, (1, n, 1)))
    ahead = _core.logical_or(_core.less(other, mine), _core.logical_and(_core.equal(other, mine), before))
    return _core.astype(_core.sum(_core.astype(ahead, _f32), 2, False), _i64)


def _places(key: Array, shift: int) -> Array:
    """Where each element of the rows goes in the order of one digit of its word, counted through all rows."""
    rows, n = key.shape
    tiles = n // _tile
    counts = _i32 if rows * n < 1 << 31 else _i64
    digit = _core.bitwise_and(_core.bitwise_right_shift(_core.reshape(key, (rows, tiles, _tile)), shift), _digits - 1)
    digit = _core.astype(digit, _u64)
    by = _core.multiply(_core.bitwise_and(digit, 7), 8)
    low = _core.less(digit, 8)
    one = _core.bitwise_left_shift(_core.full((), 1, _u64, key.device), by)
    none = _core.full((), 0, _u64, key.device)
    ones = _core.where(low, one, none), _core.where(low, none, one)
    # How many of the digit are before it in the tile: the running count without the element itself.
    up_to = [_core.subtract(_core.cumulative_sum(each, 2, _u64, False), each) for each in ones]
    within = _core.bitwise_and(_core.bitwise_right_shift(_core.where(low, *up_to), by), 255)
    within = _core.astype(within, _u8)
    totals = [_core.sum(each, 2, False) for each in ones]
    _evaluated([within, *totals])
    which = _core.reshape(_iota(_digits, _u64, key.device), (1, _digits, 1))
    packed = _core.where(_core.less(which, 8), *(_core.reshape(each, (rows, 1, tiles)) for each in totals))
    here = _core.bitwise_and(_core.bitwise_right_shift(packed, _core.multiply(_core.bitwise_and(which, 7), 8)), 255)
    here = _core.reshape(_core.astype(here, counts), (rows, _digits * tiles))
    before = _core.subtract(_core.cumulative_sum(here, 1, counts, False), here)
    row = _core.reshape(_iota(rows, _i64, key.device), (rows, 1, 1))
    tile = _core.reshape(_iota(tiles, _i64, key.device), (1, tiles, 1))
    at = _core.add(_core.multiply(_core.add(_core.multiply(row, _digits), _core.astype(digit, _i64)), tiles), tile)
    start = _core.take(_core.reshape(before, (-1,)), at, 0)
    place = _core.add(_core.add(_core.astype(start, _i64), _core.astype(within, _i64)), _core.multiply(row, n))
    return _core.reshape(place, (-1,))


def _used_bits(key: Array, of: Any) -> int:
    """The lowest bits of the words, made of values of this dtype, that are not the same in all of them."""
    bits = 8 * key.dtype.itemsize
    if bits <= 16 or _core.records():
        return bits if of != "bool" else 1
    least, most = _core.min(key, None, False), _core.max(key, None, False)
    _core.eval([least, most])
    return (int(least.item()) ^ int(most.item())).bit_length()


def _ordered(x: Array, carried: list[Array]) -> list[Array]:
    """What is carried, each of the shape of the rows x, in the order of x's values. x may be among it."""
    rows, n = x.shape
    if n <= _most_counted and rows * n * n <= (_most_pairs if is_gpu(x.device) else _most_pairs_on_host):
        at = _core.add(_ranks(words(x)), _core.reshape(_core.multiply(_iota(rows, _i64, x.device), n), (rows, 1)))
        at = _core.reshape(at, (-1,))
        return [_core.reshape(_core.place(_core.reshape(one, (-1,)), at, rows * n), (rows, n)) for one in carried]
    length = -(-n // _tile) * _tile
    bits = _used_bits(words(x), x.dtype)
    own = [one is x for one in carried]

    def padded(one: Array) -> Array:
        return one if length == n else _core.pad(one, [(0, 0), (0, length - n)], _last(one.dtype))

    x = padded(x)
    carried = [x if mine else padded(one) for one, mine in zip(carried, own)]
    for shift in range(0, bits, 4):
        place = _places(words(x), shift)
        last = shift + 4 >= bits

        def placed(one: Array) -> Array:
            return _core.reshape(_core.place(_core.reshape(one, (-1,)), place, rows * length), (rows, length))

        moved = None if last and not builtins.any(own) else placed(x)
        carried = [moved if mine else placed(one) for one, mine in zip(carried, own)]
        _evaluated(carried if moved is None else [moved, *carried])
        x = x if moved is None else moved
    return [_core.copy(one[:, :n]) for one in carried]


def sort(x: Array, axis: int) -> Array:
    """The elements along an axis in ascending order."""
    if _in_cpp(x, axis):
        return _core.sort(x, axis)
    if x.size == 0 or x.shape[axis] == 1:
        return _core.copy(x)
    if x.dtype.kind == "c":
        return _core.take_along_axis(x, argsort(x, axis), axis)
    moved, rows = _rows(x, axis)
    return _back(_ordered(rows, [rows])[0], moved.shape, axis)


def argsort(x: Array, axis: int) -> Array:
    """The positions that put the elements along an axis in ascending order; equal ones keep theirs."""
    if _in_cpp(x, axis):
        return _core.argsort(x, axis)
    if x.dtype.kind == "c":
        # By the last of several words first: NaN in either part goes behind all others.
        order = argsort(_core.imag(x), axis)
        for word in (_core.real(x), _core.isnan(x)):
            order = _core.take_along_axis(order, argsort(_core.take_along_axis(word, order, axis), axis), axis)
        return order
    if x.size == 0:
        return _core.full(x.shape, 0, _i64, x.device)
    moved, rows = _rows(x, axis)
    dtype = _i32 if rows.shape[1] < 1 << 31 else _i64
    at = _core.broadcast_to(_iota(rows.shape[1], dtype, x.device), rows.shape)
    return _back(_core.astype(_ordered(rows, [at])[0], _i64), moved.shape, axis)


def searchsorted(table: Array, values: Array, right: builtins.bool) -> Array:
    """How many elements of the sorted table are less than each value; with `right`, or equal to it."""
    n = table.size
    if n == 0 or values.size == 0:
        return _core.full(values.shape, 0, _i64, values.device)
    keys, key = words(table), words(values)
    compare = _core.less_equal if right else _core.less
    dtype = _i32 if n < 1 << 30 else _i64
    found = _core.full(values.shape, 0, dtype, values.device)
    step = 1 << (n.bit_length() - 1)
    while step:
        to = _core.add(found, step)
        ahead = _core.logical_and(_core.less_equal(to, n), compare(_core.take(keys, _core.subtract(to, 1), 0), key))
        found = _core.where(ahead, to, found)
        step //= 2
    return _core.astype(found, _i64)


def first_true(mask: Array, size: int) -> tuple[Array, Array]:
    """The first `size` positions of true elements in a flat mask, and which of these there are."""
    n = mask.size
    up_to = _core.cumulative_sum(_core.astype(mask, _i64), 0, _i64, False)
    found = _core.full((size + 1,), 0, _i64, mask.device)
    if n:
        wanted = _core.logical_and(mask, _core.less_equal(up_to, size))
        place = _core.where(wanted, _core.subtract(up_to, 1), _core.full((), size, _i64, mask.device))
        _core.put_along_axis(found, place, _iota(n, _i64, mask.device), 0)
    count = up_to[-1] if n else _core.full((), 0, _i64, mask.device)
    return _core.copy(found[:size]), _core.less(_iota(size, _i64, mask.device), count)


def unique_of_size(x: Array, size: int, fill: Any, wanted: str, equal_nan: builtins.bool) -> list[Array]:
    """The first `size` different elements of a flat array that is not empty, and what else is wanted of them; `fill`, or the smallest one, behind them."""
    order = argsort(x, 0)
    ordered = _core.take(x, order, 0)
    first = firsts(ordered, equal_nan)
    at, there = first_true(first, size)
    result = [_core.where(there, _core.take(ordered, at, 0), ordered[0] if fill is None else fill)]
    if "indices" in wanted:
        result.append(_core.take(order, at, 0))
    if "inverse" in wanted:
        group = _core.subtract(_core.cumulative_sum(_core.astype(first, _i64), 0, _i64, False), 1)
        inverse = _core.full((x.size,), 0, _i64, x.device)
        _core.put_along_axis(inverse, order, group, 0)
        result.append(inverse)
    if "counts" in wanted:
        beyond, more = first_true(first, size + 1)
        end = _core.where(more, beyond, x.size)
        result.append(_core.where(there, _core.subtract(end[1:], end[:-1]), 0))
    return result


def nonzero(x: Array) -> tuple[Array, ...]:
    """The positions of what is not zero, an array for each axis."""
    flat = _core.true_positions(_core.not_equal(x, 0))
    return unravelled(flat, x.shape)


def firsts(x: Array, equal_nan: builtins.bool) -> Array:
    """Which elements of sorted ones differ from the one before them."""
    key = words(x) if equal_nan and x.dtype.kind in "fV" else x
    differ = _core.not_equal(key[1:], key[:-1])
    if equal_nan and x.dtype.kind == "c":
        differ = _core.logical_and(differ, _core.logical_not(_core.logical_and(_core.isnan(x[1:]), _core.isnan(x[:-1]))))
    return _core.concat([_core.full((builtins.min(x.size, 1),), True, _bool, x.device), differ], 0)


def unique(x: Array, wanted: str, equal_nan: builtins.bool = False) -> list[Array]:
    """The different elements, and what else is wanted of: indices, inverse, counts."""
    flat = _core.reshape(x, (-1,))
    order = None
    if "indices" in wanted or "inverse" in wanted:
        order = argsort(flat, 0)
        ordered = _core.take(flat, order, 0)
    else:
        ordered = sort(flat, 0)
    first = firsts(ordered, equal_nan)
    at = _core.true_positions(first)
    result = [_core.take(ordered, at, 0)]
    if "indices" in wanted:
        result.append(_core.take(order, at, 0))
    if "inverse" in wanted:
        group = _core.subtract(_core.cumulative_sum(_core.astype(first, _i64), 0, _i64, False), 1)
        result.append(_core.reshape(_core.place(group, order, flat.size) if flat.size else group, x.shape))
    if "counts" in wanted:
        end = _core.concat([at[1:], _core.full((builtins.min(at.size, 1),), flat.size, _i64, x.device)], 0)
        result.append(_core.subtract(end, at))
    return result


def isin(x: Array, of: Array) -> Array:
    """For each element of x whether `of`, of the same dtype, has it."""
    if of.size == 0 or x.size == 0:
        return _core.full(x.shape, False, _bool, x.device)
    table = sort(_core.reshape(of, (-1,)), 0)
    at = _core.minimum(searchsorted(table, x, False), table.size - 1)
    return _core.equal(_core.take(table, at, 0), x)


def bincount(x: Array, bins: int) -> Array:
    """How often each integer from 0 below `bins` is there."""
    # Few counts are kept several times: additions to one word wait for each other.
    copies = builtins.max(1, builtins.min(8192 // builtins.max(bins, 1), x.size // 64))
    counts = _core.full((copies * bins,), 0, _i32 if x.size < 1 << 31 else _i64, x.device)
    at = _core.astype(x, _i64)
    if copies > 1:
        own = _core.remainder(_iota(x.size, _i64, x.device), copies)
        at = _core.add(_core.multiply(own, bins), at)
    _core.add_along_axis(counts, at, 1, 0)
    return _core.sum(_core.reshape(counts, (copies, bins)), 0, False)


def add_by_position(x: Array, positions: Array, values: Array) -> None:
    """Adds values along x's first axis, in an order that is the same every time: those of one position pairwise, as they come."""
    n = positions.size
    positions = _core.where(_core.less(positions, 0), _core.add(positions, x.shape[0]), positions)
    order = argsort(positions, 0)
    to = _core.take(positions, order, 0)
    sums = _core.take(values, order, 0)
    _core.eval([to, sums])
    first = firsts(to, False)
    at = _iota(n, _i64, x.device)
    begin = _core.cumulative_max(_core.where(first, at, _core.full((), 0, _i64, x.device)), 0)
    longest = int(_core.max(_core.subtract(at, begin), None, False).item()) + 1
    rest = (1,) * (values.ndim - 1)
    step = 1
    while step < longest:
        same = _core.pad(_core.equal(to[step:], to[:-step]), [(step, 0)], False)
        before = _core.pad(sums[:-step], [(step, 0), *((0, 0) for _ in rest)], 0)
        sums = _core.add(sums, _core.where(_core.reshape(same, (n, *rest)), before, _core.full((), 0, x.dtype, x.device)))
        _core.eval([sums])
        step *= 2
    last = _core.true_positions(_core.concat([first[1:], _core.full((1,), True, _bool, x.device)], 0))
    where = _core.take(to, last, 0)
    added = _core.add(_core.take(x, where, 0), _core.take(sums, last, 0))
    _core.put_along_axis(x, _core.reshape(where, (where.size, *rest)), added, 0)
