"""Arrays in notebooks: a head, pictures that a PNG reader reads, plots with gaps, and values that HTML does not misread."""

import base64
import re
import zlib

import numpy as np
import pytest
import weft as wf


def png_of(text):
    """Width, height and the bytes of the rows, each behind its filter."""
    data = base64.b64decode(re.search(r"base64,([^']+)'", text)[1])
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, image, size = 8, b"", None
    while at < len(data):
        n = int.from_bytes(data[at : at + 4], "big")
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + n]
        assert int.from_bytes(data[at + 8 + n : at + 12 + n], "big") == zlib.crc32(name + body)
        size = (int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big"), body[9]) if name == b"IHDR" else size
        image += body if name == b"IDAT" else b""
        at += 12 + n
    return *size, zlib.decompress(image)


def test_the_head_says_what_it_is_and_values_follow(on_cpu):
    text = (wf.arange(6.0) + 1).reshape(2, 3)._repr_html_()
    assert "(2, 3) float64 on cpu, 48 bytes" in text
    assert "<pre>array([[1., 2., 3.]," in text and "<img" not in text and "<svg" not in text


def test_a_picture_has_the_pixels_of_the_array():
    pixels = np.random.default_rng(1).integers(0, 256, (20, 30, 3), dtype="uint8")
    width, height, kind, rows = png_of(wf.asarray(pixels)._repr_html_())
    assert (width, height, kind) == (30, 20, 2)
    assert np.array_equal(np.frombuffer(rows, "uint8").reshape(20, 91)[:, 1:].reshape(20, 30, 3), pixels)


def test_a_matrix_is_drawn_from_its_least_to_its_largest_value():
    width, height, kind, rows = png_of(wf.asarray(np.linspace(-3, 5, 400).reshape(20, 20))._repr_html_())
    grey = np.frombuffer(rows, "uint8").reshape(20, 21)[:, 1:]
    assert (width, height, kind) == (20, 20, 0) and grey[0, 0] == 0 and grey[-1, -1] == 255 and 125 <= grey[10, 0] <= 132


def test_large_pictures_are_made_small():
    width, height, _, _ = png_of(wf.zeros((3000, 200), dtype="float32")._repr_html_())
    assert (width, height) == (17, 250)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint8", "bool"])
def test_vectors_are_plotted(dtype):
    text = wf.asarray(np.arange(1000) % 7 > 3).astype(dtype)._repr_html_()
    assert text.count("<svg") == 1 and "0 to 1" in text


def test_plots_have_gaps_and_hold_any_number():
    values = np.arange(20.0)
    values[[3, 4, 9]] = np.nan, np.inf, -np.inf
    assert re.search(r"d='([^']*)'", wf.asarray(values)._repr_html_())[1].count("M") == 3
    assert "<svg" not in wf.asarray(np.full(20, np.nan))._repr_html_()
    large = wf.asarray(np.linspace(-1, 1, 20) * 1.7e308)._repr_html_()
    assert "nan" not in large and "inf" not in large
    assert "nan" not in wf.asarray(np.linspace(-1, 1, 400).reshape(20, 20) * 1.7e308)._repr_html_().lower().split("<pre>")[0]


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0, 2), (2, 3, 4, 5), (1,), (20, 20, 3)])
def test_all_shapes_have_a_text(shape):
    for dtype in ("float64", "complex128", "int8", "bool"):
        assert f"{shape} {dtype}" in wf.zeros(shape, dtype=dtype)._repr_html_()


def test_what_is_recorded_says_so():
    seen = []

    @wf.compile
    def f(x):
        seen.append(x._repr_html_())
        return x + 1

    f(wf.ones(30))
    assert "&lt;recorded" in seen[0]


def test_a_profile_is_a_table():
    x = wf.eval(wf.asarray(np.linspace(0, 1, 50_000)))
    with wf.profile() as p:
        wf.eval(wf.exp(x) + 1)
    text = p._repr_html_()
    assert text.startswith("<pre>profile of ") and "exp, add" in text


def test_an_explanation_is_text():
    x = wf.asarray(np.linspace(0, 1, 50_000))
    text = wf.explain(wf.exp(x) + 1)._repr_html_()
    assert text.startswith("<pre>1 kernel does 2 operations") and "-&gt;" not in text.split("step 0")[0]
