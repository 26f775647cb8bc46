"""Pickles name what users call; those that name modules of before still load."""

import pickle

import numpy as np
import pytest
import weft as wf

BEFORE = {
    "_methods _unpickled": None,
    "_methods reshape": wf.Array.reshape,
    "_host UniqueAll": type(wf.unique_all(wf.asarray([1]))),
    "_host sort": wf.sort,
    "_host nonzero": wf.nonzero,
    "_devices Device": wf.device,
    "_dtypes FloatInfo": type(wf.finfo("float32")),
    "_dtypes IntegerInfo": type(wf.iinfo("int32")),
    "_generator Generator": wf.random.Generator,
    "_reductions sum": wf.sum,
    "_reductions softmax": wf.softmax,
    "_creation arange": wf.arange,
    "_numpy_names shape": wf.shape,
    "_protocols from_dlpack": wf.from_dlpack,
    "_compiled compile": wf.compile,
    "_streams Stream": wf.Stream,
    "stride_tricks as_strided": wf.lib.stride_tricks.as_strided,
}


@pytest.mark.parametrize("place", BEFORE)
def test_what_pickles_of_before_name_is_found(place):
    module, name = place.split()
    found = pickle.loads(f"cweft.{module}\n{name}\n.".encode())
    assert callable(found) if BEFORE[place] is None else found is BEFORE[place]


def test_an_array_pickled_before_loads():
    values = np.arange(3.0)
    inner = pickle.dumps(values, 2)[2:-1]
    pickled = b"\x80\x02cweft._methods\n_unpickled\n(" + inner + b"X\x03\x00\x00\x00cputR."
    restored = pickle.loads(pickled)
    assert isinstance(restored, wf.Array) and restored.tolist() == [0.0, 1.0, 2.0]


def test_what_was_never_there_is_not_found():
    with pytest.raises(AttributeError, match="nothing"):
        pickle.loads(b"cweft._host\nnothing\n.")
    with pytest.raises(ModuleNotFoundError):
        pickle.loads(b"cweft._never\nsort\n.")


@pytest.mark.parametrize("f", [wf.sum, wf.sort, wf.compile, wf.einsum, wf.nan_to_num, wf.atan2], ids=lambda f: f.__name__)
def test_pickles_name_what_users_call(f):
    assert b"weft" in pickle.dumps(f) and b"weft." not in pickle.dumps(f, 0).replace(b"cweft\n", b"")
    assert pickle.loads(pickle.dumps(f)) is f
