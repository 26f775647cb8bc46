"""The five data between a graph and a kernel, for docs/architecture.md."""

from canvas import Canvas

PROGRAM = """outer i0<4096, row r1<1024
sweep 0
  %0 = b0[i0*1024 + r1]
  fold a0 max %0
sweep 1
  %3 = exp(%0 - a0)
  fold a1 sum %3
sweep 2
  b1[i0*1024 + r1] = %3 / a1"""

KERNEL = """for (int e = 0; e < 4; ++e) {
  const float v2 =
    weft_unpack_f32(k0[u].e[e]) - v1;
  const float v3 = weft_exp_f32(v2);
  k3[u].e[e] = weft_pack_f32(v3);
  s1.t1 = s1.t1 + v3;
}
for (int k = 16; k; k /= 2)
  join1(s1, weft_exchange(s1, k));"""

NODES = {"x": (118, 0), "max": (60, 44), "subtract": (118, 88), "exp": (118, 132), "sum": (60, 176), "divide": (118, 220)}
EDGES = [("x", "max"), ("x", "subtract"), ("max", "subtract"), ("subtract", "exp"), ("exp", "sum"), ("exp", "divide"), ("sum", "divide")]


def nodes(c: Canvas, left, top, roots):
    for a, b in EDGES:
        (xa, ya), (xb, yb) = NODES[a], NODES[b]
        c.arrow(left + xa, top + ya + 13, left + xb + (0 if xa == xb else (xa - xb) * 0.25), top + yb - 13)
    for name, (x, y) in NODES.items():
        root = name in roots
        c.box(left + x - 38, top + y - 13, 76, 26, "orange_fill" if root else "page" if name == "x" else "blue_fill", "orange" if root else "line", 13)
        c.text(left + x, top + y + 4.5, name, 13, at="middle", bold=root)


def panel(c: Canvas, x, y, w, h, number, title, type_name):
    c.box(x, y, w, h, "panel", "line", 8)
    c.text(x + 14, y + 25, f"{number}  {title}", 15, bold=True)
    c.text(x + 14, y + 43, type_name, 11.5, "muted", mono=True)


def step(c: Canvas, x, y, name, length=46):
    c.arrow(x, y, x + length, y, "ink", 1.8)
    c.text(x + length / 2, y - 9, name, 11.5, "ink", "middle", mono=True)


def five_data(c: Canvas):
    panel(c, 16, 16, 230, 340, 1, "Graph", "ir::Graph")
    nodes(c, 30, 92, ())
    step(c, 252, 176, "fuse")
    panel(c, 306, 16, 262, 340, 2, "Groups", "ir::Partition")
    c.box(340, 118, 166, 214, "none", "orange", 12, dashed=True, thick=1.6)
    nodes(c, 328, 92, ("max", "sum", "divide"))
    c.lines(514, 190, "one\nkernel", 11.5, "orange")
    step(c, 574, 176, "lower")
    panel(c, 630, 16, 290, 340, 3, "Row program", "plan::RowProgram")
    c.lines(646, 86, PROGRAM, 12.5, mono=True, step=1.6)
    c.lines(646, 292, "three sweeps over each row: the largest,\nthe sum, the quotients; subtract and exp\nstand wherever they are needed", 11.5, "muted")
    c.arrow(775, 362, 775, 398, "ink", 1.8)
    c.text(764, 384, "schedule_cuda or schedule_cpu", 11.5, at="end", mono=True)

    panel(c, 500, 404, 420, 196, 4, "Schedule", "plan::Schedule")
    c.text(516, 478, "row 0", 11.5, "muted")
    c.text(516, 502, "row 1", 11.5, "muted")
    for r in range(2):
        c.cells(560, 467 + r * 24, ["blue", "green", "orange", "purple"] * 4, 21, 15)
    c.lines(
        516, 534,
        "a warp has a row: 32 threads (colours, four are drawn).\nA cell is a vector of 4 elements; a thread has 8 of them.\nThe row stays in registers between sweeps.",
        11.5, "muted",
    )  # fmt: skip
    c.arrow(494, 502, 448, 502, "ink", 1.8)
    c.text(471, 490, "emit", 11.5, at="middle", mono=True)
    panel(c, 16, 404, 426, 196, 5, "Kernel text, in a Program", "emit::Emitted, Program")
    c.lines(32, 470, KERNEL, 11, mono=True, step=1.33)


PICTURES = [("five_data", "The five data between an expression and its kernel: graph, groups, row program, schedule, kernel text", 936, 616, five_data)]
