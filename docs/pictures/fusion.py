"""How fusion decides: roots and groups, readings, and the ways to join a group, for docs/fusion.md."""

from canvas import Canvas

NODES = {
    "x": (70, 100), "max": (160, 60), "subtract": (250, 100), "exp": (350, 100), "sum": (440, 60), "divide": (530, 100),
    "sum axis 0": (640, 60), "dot": (645, 159), "w": (530, 190),
}  # fmt: skip
EDGES = [
    ("x", "max"), ("x", "subtract"), ("max", "subtract"), ("subtract", "exp"), ("exp", "sum"), ("exp", "divide"), ("sum", "divide"),
    ("divide", "sum axis 0"), ("divide", "dot"), ("w", "dot"),
]  # fmt: skip
WIDE = {"sum axis 0": 96}


def node(c: Canvas, left, top, name, root):
    x, y = NODES[name]
    w = WIDE.get(name, 76)
    array = name in ("x", "w")
    c.box(left + x - w / 2, top + y - 13, w, 26, "orange_fill" if root else "page" if array else "blue_fill", "orange" if root else "line", 13)
    c.text(left + x, top + y + 4.5, name, 13, at="middle", bold=root)


def graph(c: Canvas, left, top, roots):
    for a, b in EDGES:
        (xa, ya), (xb, yb) = NODES[a], NODES[b]
        wa, wb = WIDE.get(a, 76) / 2, WIDE.get(b, 76) / 2
        c.arrow(left + xa + wa, top + ya, left + xb - wb, top + yb)
    for name in NODES:
        node(c, left, top, name, name in roots)


def roots_and_groups(c: Canvas):
    c.text(16, 28, "Roots", 15, bold=True)
    c.text(70, 28, "are computed by name: reductions, what goes to memory, what a library reads or computes.", 12, "muted")
    c.box(108, 42, 588, 88, "none", "orange", 14, dashed=True, thick=1.6)
    c.text(706, 92, "one kernel", 12, "orange")
    c.box(594, 142, 102, 42, "none", "purple", 12, dashed=True, thick=1.6)
    c.text(706, 168, "a library", 12, "purple")
    graph(c, 0, 4, ("max", "sum", "divide", "sum axis 0", "dot"))
    c.text(16, 238, "subtract and exp are no roots: they are computed in each sweep that needs them, or kept in registers between sweeps.", 12, "muted")


def grid(c: Canvas, x, y, rows, columns, fill, side=15.0, shade=None):
    for r in range(rows):
        c.cells(x, y + r * side, [shade(r, k) if shade else fill for k in range(columns)], side, side)


def readings(c: Canvas):
    def case(x, title, good, words):
        c.text(x, 28, title, 14, "green" if good else "orange", bold=True)
        c.lines(x, 158, words, 11.5, "muted")

    # The producer stands above, the reader below; a colour goes from the element that is read to who reads it.
    case(16, "aligned: repeated", True, "m[i], read at (i, j):\neach axis of m is one axis\nof the reader, in place")
    c.text(16, 62, "m", 12, mono=True)
    for r, colour in enumerate(("blue", "green", "purple")):
        c.cells(40, 50 + r * 15, [colour], 15, 15)
        c.cells(120, 50 + r * 15, [colour] * 4, 15, 15)
        c.arrow(60, 57 + r * 15, 114, 57 + r * 15)
    c.text(120, 112, "exp(x - m)", 12, mono=True)

    case(250, "aligned: transposed", True, "y[j, i], read at (i, j):\nstill one axis each,\nin another order")
    colours = ("blue", "green", "purple")
    grid(c, 250, 50, 3, 3, "panel", shade=lambda r, k: colours[r])
    grid(c, 350, 50, 3, 3, "panel", shade=lambda r, k: colours[k])
    c.arrow(302, 72, 344, 72)
    c.text(250, 112, "y", 12, mono=True)
    c.text(350, 112, "y.T + 1", 12, mono=True)

    case(478, "not aligned: shifted", False, "a[i + 1] and a[i]:\nother points of the loop\nwould have to be there")
    c.cells(478, 50, ["blue", "green", "purple", "pink", "panel"], 15, 15)
    c.cells(478, 95, ["panel", "blue", "green", "purple", "pink"], 15, 15)
    for k in range(4):
        c.arrow(486 + k * 15, 66, 500 + k * 15, 93)
    c.text(478, 130, "a[1:] - a[:-1]", 12, mono=True)

    case(706, "not aligned: a part", False, "s[i + 2] for two of\nits elements:\nnot its whole axis")
    c.cells(706, 50, ["panel", "panel", "blue", "green", "panel", "panel"], 15, 15)
    c.cells(736, 95, ["blue", "green"], 15, 15)
    c.arrow(744, 66, 744, 93)
    c.arrow(759, 66, 759, 93)
    c.text(706, 130, "s[2:4] * 2", 12, mono=True)


def joins(c: Canvas):
    def case(x, title, words, where):
        c.text(x, 28, title, 14, bold=True)
        c.lines(x, 176, words, 11.5, "muted")
        c.text(x, 250, where, 11, "muted", mono=True)

    rows, columns, side = 5, 8, 14.0
    colours = ["blue", "green", "orange", "purple", "pink"]
    case(16, "the row, again", "what is left of the reader's axes\nis the row that the group reduces:\nsoftmax, norms, variance", "can_fuse")
    grid(c, 16, 50, rows, columns, "panel", side, lambda r, k: colours[r])
    for r in range(rows):
        c.cells(16 + columns * side + 20, 50 + r * side, [colours[r]], side, side)
        c.arrow(16 + columns * side + 3, 57 + r * side, 16 + columns * side + 18, 57 + r * side)
    c.text(16, 140, "rows, and a result each", 11.5)

    case(254, "the same loops", "it reads the same arrays,\nand its loops have one shape:\na sibling", "can_join_siblings")
    grid(c, 254, 50, rows, columns, "blue", side)
    grid(c, 264, 60, rows, columns, "green", side)

    case(478, "across the rows", "it reduces what the group walks\nin parallel: a total for each column\nwhile the rows go by", "can_total_across")
    grid(c, 478, 50, rows, columns, "panel", side, lambda r, k: "blue" if k % 2 else "green")
    c.cells(478, 50 + rows * side + 16, ["blue" if k % 2 else "green" for k in range(columns)], side, side)
    for k in range(columns):
        c.arrow(478 + k * side + 7, 50 + rows * side + 1, 478 + k * side + 7, 50 + rows * side + 15)

    case(706, "sections of the row", "it reduces the last axes of the row\nalone: a total for each section,\nas in group norms", "can_total_sections")
    grid(c, 706, 50, rows, columns, "panel", side, lambda r, k: colours[k // 4 + (r % 2) * 2])
    for r in range(rows):
        c.cells(706 + columns * side + 20, 50 + r * side, [colours[(r % 2) * 2], colours[1 + (r % 2) * 2]], side, side)
        c.arrow(706 + columns * side + 3, 57 + r * side, 706 + columns * side + 18, 57 + r * side)


PICTURES = [
    ("fusion_roots", "Roots of a softmax whose columns are summed and which a product reads: one kernel and a library step", 936, 254, roots_and_groups),
    ("fusion_readings", "Aligned readings: broadcast and transposed. Not aligned: shifted and sliced", 936, 206, readings),
    ("fusion_joins", "Four ways to join a group: the row again, the same loops, totals across rows, totals of sections", 936, 266, joins),
]
