"""How rows, columns and tiles fall to threads, for docs/schedules.md."""

from canvas import WARM, Canvas


def vectors(n, of=4, names=WARM):
    """Fills of n cells, in vectors of `of`, which the threads take in turn."""
    return [names[k // of % len(names)] for k in range(n)]


def heading(c: Canvas, x, y, title, below=""):
    c.text(x, y, title, 15, bold=True)
    if below:
        c.lines(x, y + 19, below, 12, "muted")


def orders(c: Canvas):
    grid = 16
    for x, title, below in (
        (24, "Pointwise", "no row: lanes run along an outer axis;\nany element may be anybody's"),
        (336, "Rows", "lanes run along the row,\nand are joined at its end"),
        (648, "Columns", "lanes run across; each walks\ndown its column and keeps its total"),
    ):
        heading(c, x, 30, title, below)
    for r in range(6):
        c.cells(24, 84 + r * grid, vectors(12, 3), grid, grid)
    c.arrow(24, 194, 72, 194, "blue")
    c.text(82, 198, "lanes", 12, "blue")
    for r in range(6):
        c.cells(336, 84 + r * grid, WARM * 3, grid, grid)
        c.arrow(336 + 12 * grid + 6, 84 + r * grid + 8, 336 + 12 * grid + 34, 84 + r * grid + 8)
        c.cells(336 + 12 * grid + 38, 84 + r * grid, ["pink"], grid, grid)
    c.arrow(336, 194, 528, 194, "blue")
    c.text(538, 198, "row", 12, "blue")
    c.text(604, 216, "one result a row", 12, "pink", "end")
    for r in range(6):
        c.cells(648, 84 + r * grid, WARM * 3, grid, grid)
    for k in range(12):
        c.arrow(648 + k * grid + 8, 84 + 6 * grid + 2, 648 + k * grid + 8, 84 + 6 * grid + 20)
    c.cells(648, 84 + 6 * grid + 24, ["pink"] * 12, grid, grid)
    c.arrow(858, 84, 858, 180, "blue")
    c.text(866, 136, "row", 12, "blue")
    c.text(850, 217, "one result a column", 11, "pink")


def rows_on_gpu(c: Canvas):
    x0, w = 372, 14
    heading(c, 24, 30, "Who has a row on a GPU", "A cell is a vector. Colours are threads in the first two lines, blocks below.")

    def label(y, title, below):
        c.text(24, y, title, 13, bold=True)
        c.lines(24, y + 17, below, 11.5, "muted")

    label(82, "a thread", "up to 64 bytes; a block's rows pass through\nshared memory as one coalesced run")
    for r in range(4):
        c.cells(x0 + r * 58, 74, [WARM[r]] * 4, w, 16)
    c.text(x0 + 244, 87, "4 rows, 4 threads", 11.5, "muted")

    label(146, "2 to 32 threads, a warp", "up to 1024 elements: joined by shuffles,\nseveral rows a block")
    for r in range(2):
        c.cells(x0, 136 + r * 22, WARM * 4, w, 16)
        c.arrow(x0 + 16 * w + 6, 144 + r * 22, x0 + 16 * w + 30, 144 + r * 22)
        c.cells(x0 + 16 * w + 34, 136 + r * 22, ["pink"], 16, 16)

    label(210, "a block", "up to 16384 elements: kept in registers,\njoined through shared memory")
    c.cells(x0, 204, ["blue"] * 30, w, 16)
    c.arrow(x0 + 30 * w + 6, 212, x0 + 30 * w + 30, 212)
    c.cells(x0 + 30 * w + 34, 204, ["pink"], 16, 16)

    label(274, "a cluster of 2 to 16 blocks", "longer: each block has its part in its shared\nmemory; blocks send each other what they found")
    c.cells(x0, 264, ["blue"] * 9 + ["green"] * 9 + ["orange"] * 9 + ["purple"] * 9, w, 16)
    for k in range(3):
        a, b = x0 + (4.5 + 9 * k) * w, x0 + (13.5 + 9 * k) * w
        c.line(a, 288, b, 288, "pink", 1.6)
    for k in range(4):
        c.line(x0 + (4.5 + 9 * k) * w, 281, x0 + (4.5 + 9 * k) * w, 288, "pink", 1.6)
    c.text(x0 + 18 * w, 304, "distributed shared memory", 11.5, "pink", "middle")

    label(338, "every block that runs at once", "few rows, longer than clusters keep: a cooperative\nlaunch; blocks meet in global memory")
    c.cells(x0, 328, [WARM[k // 3 % 4] for k in range(36)], w, 16)
    for k in range(12):
        c.arrow(x0 + (1.5 + 3 * k) * w, 346, x0 + (1.5 + 3 * k) * w, 358, "pink", 1.2)
    c.box(x0, 360, 36 * w, 14, "pink_fill", "pink", 3)
    c.text(x0 + 18 * w, 371, "partial results in global memory", 10.5, "ink", "middle")

    label(410, "many blocks, a part each", "rows too few for the device, in one sweep: the last\nblock to start waits for the parts and joins them")
    c.cells(x0, 400, ["blue"] * 9 + ["green"] * 9 + ["orange"] * 9 + ["purple"] * 9, w, 16)
    for k in range(4):
        c.arrow(x0 + (4.5 + 9 * k) * w, 418, x0 + (4.5 + 9 * k) * w, 430, "pink", 1.2)
        c.cells(x0 + (4 + 9 * k) * w, 432, ["pink"], 14, 14)
    c.arrow(x0 + 6 * w, 439, x0 + 12.4 * w, 439, "pink", 1.2)
    c.arrow(x0 + 15 * w, 439, x0 + 21.4 * w, 439, "pink", 1.2)
    c.arrow(x0 + 24 * w, 439, x0 + 30.4 * w, 439, "pink", 1.2)
    c.text(x0 + 33 * w, 443, "joined", 11.5, "pink")


def rows_on_cpu(c: Canvas):
    x0, w = 372, 15
    heading(c, 24, 30, "What a call of the inner function does on a CPU", "A cell is an element. Colours are lanes of a vector, four of them here.")

    def label(y, title, below):
        c.text(24, y, title, 13, bold=True)
        c.lines(24, y + 17, below, 11.5, "muted")

    label(86, "rows of up to 16 elements", "unrolled: a lane has a row. Whole vectors are\nloaded and transposed in registers")
    for r in range(4):
        c.cells(x0 + r * 3 * w, 78, [WARM[r]] * 3, w, 16)
    c.arrow(x0 + 12 * w + 10, 86, x0 + 12 * w + 46, 86)
    for k in range(3):
        c.cells(x0 + 12 * w + 56 + k * 78, 78, WARM, w, 16)

    label(160, "short rows, with AVX-512 masks", "one call a row: its end is a mask;\nthe call is inlined in the loop over rows")
    for r in range(2):
        c.cells(x0, 150 + r * 22, WARM * 3 + ["blue", "green"] + ["panel"] * 2, w, 16)
        c.box(x0 + 12 * w, 150 + r * 22, 4 * w, 16, "none", "pink", thick=1.8)
    c.text(x0 + 16 * w + 12, 173, "two lanes are masked off", 11.5, "pink")

    label(234, "longer rows", "runs of whole vectors; what fills no vector\ngoes through the same function on a padded copy")
    c.cells(x0, 224, WARM * 6 + ["blue", "green"], w, 16)
    c.arrow(x0 + 25 * w, 242, x0 + 25 * w, 258, "pink")
    c.cells(x0 + 24 * w, 260, ["blue", "green", "page", "page"], w, 16)
    c.text(x0 + 24 * w - 8, 273, "padded copy on the stack", 11.5, "pink", "end")

    label(308, "full reductions", "parts of 65536 elements, whatever the number of\nthreads, joined in order: the bits are always the same")
    for k in range(5):
        c.cells(x0 + k * 100, 298, WARM + ["blue"], w + 2, 16)
        c.arrow(x0 + k * 100 + 42, 316, x0 + k * 100 + 42, 328, "pink", 1.2)
        c.cells(x0 + k * 100 + 34, 330, ["pink"], 16, 16)
        if k:
            c.arrow(x0 + (k - 1) * 100 + 54, 338, x0 + k * 100 + 30, 338, "pink", 1.2)


def columns(c: Canvas):
    w = 13
    heading(c, 24, 30, "GPU: strips of columns", "a block takes a strip, its threads stand across and down;\nwhat it keeps lies in shared memory")
    for r in range(9):
        c.cells(24, 78 + r * w, [["blue", "green", "orange"][r % 3]] * 6 + ["panel"] * 10, w, w)
    c.box(24, 78, 6 * w, 9 * w, "none", "ink", thick=1.6)
    c.lines(24 + 16 * w + 12, 90, "a strip is 32 to 256 bytes wide,\nso loads are coalesced", 11.5, "muted")
    for k in range(6):
        c.arrow(24 + k * w + 6.5, 198, 24 + k * w + 6.5, 212, "pink", 1.1)
    c.cells(24, 214, ["pink"] * 6, w, w)
    c.text(112, 225, "threads down a column (colours) are joined", 11.5, "pink")
    heading(c, 490, 30, "CPU: blocks of columns", "a task takes a part of the rows; accumulators of its columns\nstay in the first-level cache")
    for r in range(9):
        c.cells(490, 78 + r * w, [["blue", "green", "orange"][r // 3]] * 30, w, w)
    for k, name in enumerate(("blue", "green", "orange")):
        c.text(890, 99 + k * 3 * w, f"task {k}", 11.5, name)
    c.arrow(685, 198, 685, 212, "pink", 1.4)
    c.cells(490, 214, ["pink"] * 30, w, w)
    c.text(890, 225, "joined", 11.5, "pink")


def tile(c: Canvas):
    w, n = 20, 6
    heading(c, 24, 30, "A transposed load", "x + y.T: x and the result run along one axis in memory, y along the other. Both are read in whole vectors.")
    names = [WARM[k % 4] for k in range(n)]
    c.text(24, 84, "y in global memory", 12, bold=True)
    for r in range(n):
        c.cells(24, 94 + r * w, [names[r]] * n, w, w)
    c.arrow(24, 226, 24 + n * w, 226, "ink")
    c.text(24, 243, "coalesced loads along y's rows", 11.5, "muted")
    c.arrow(24 + n * w + 16, 154, 24 + n * w + 96, 154, "ink", 1.8)
    c.text(24 + n * w + 56, 144, "transposed", 11.5, at="middle")
    x = 264
    c.text(x, 84, "tile in shared memory", 12, bold=True)
    for r in range(n):
        c.cells(x, 94 + r * w, names + ["page"], w, w)
    c.text(x, 243, "a row is one element longer, so a column", 11.5, "muted")
    c.text(x, 260, "lies in different banks: no bank conflict", 11.5, "muted")
    c.arrow(x + (n + 1) * w + 16, 154, x + (n + 1) * w + 96, 154, "ink", 1.8)
    c.text(x + (n + 1) * w + 56, 144, "in order", 11.5, at="middle")
    x = 566
    c.text(x, 84, "added to x, stored", 12, bold=True)
    for r in range(n):
        c.cells(x, 94 + r * w, names, w, w)
    c.arrow(x, 226, x + n * w, 226, "ink")
    c.text(x, 243, "coalesced stores along its rows", 11.5, "muted")
    c.lines(718, 112, "GPU: squares of 64 by 64\nof f32, in shared memory.\n\nCPU: squares of a vector's\nlanes, transposed in\nregisters on the way to\nscratch.", 12, "muted")


def totals(c: Canvas):
    w = 15
    heading(c, 24, 30, "Totals across rows", "a kernel that reduces each row, and all rows:\nthe gradients of a layer norm")
    for r in range(5):
        c.cells(24, 82 + r * 20, WARM * 4, w, 15)
        c.arrow(24 + 16 * w + 6, 90 + r * 20, 24 + 16 * w + 28, 90 + r * 20)
        c.cells(24 + 16 * w + 32, 82 + r * 20, ["pink"], 15, 15)
    c.text(24 + 16 * w + 54, 134, "row totals", 11.5, "pink")
    for k in range(16):
        c.arrow(24 + k * w + 7.5, 182, 24 + k * w + 7.5, 196, "purple", 1)
    c.cells(24, 199, ["purple"] * 16, w, 15)
    c.lines(24 + 16 * w + 12, 203, "column totals stay in registers;\nat the end blocks join them", 11.5, "purple")
    heading(c, 510, 30, "Totals of sections", "a kernel that reduces whole rows and their last axes:\nthe gradients of a group norm")
    for r in range(3):
        y = 92 + r * 46
        c.cells(510, y, ["blue"] * 6 + ["green"] * 6 + ["orange"] * 6 + ["purple"] * 6, w, 15)
        for k in range(4):
            c.arrow(510 + (6 * k + 3) * w, y + 16, 510 + (6 * k + 3) * w, y + 26, "muted", 1)
            c.cells(510 + (6 * k + 3) * w - 7, y + 27, [WARM[k]], 14, 12)
        c.arrow(510 + 24 * w + 6, y + 8, 510 + 24 * w + 28, y + 8)
        c.cells(510 + 24 * w + 32, y, ["pink"], 15, 15)
    c.text(510, 84, "a row of 4 sections", 11.5, "muted")
    c.text(510 + 24 * w + 15, 84, "row total", 11.5, "pink")
    c.text(510, 246, "each section has threads of its own, which join what they found for both", 11.5, "muted")


def look_back(c: Canvas):
    heading(c, 24, 30, "A look-back scan", "One long row that is scanned, with one reading of memory. Blocks take parts in the order in which they start.")
    x0, w, gap = 136, 144, 12
    fills = ["blue", "green", "orange", "purple", "blue"]
    for y, words in ((96, "1  total the part"), (142, "2  publish the total"), (200, "3  look back"), (258, "4  scan from there")):
        c.text(24, y, words, 12.5, bold=True)
    for k, fill in enumerate(fills):
        x = x0 + 30 + k * (w + gap)
        c.box(x, 80, w, 24, fill + "_fill", "line", 3)
        c.text(x + w / 2, 97, f"part {k}, in shared memory", 11, at="middle")
        c.arrow(x + w / 2, 106, x + w / 2, 126, "pink", 1.3)
        c.box(x + w / 2 - 30, 128, 60, 20, "pink_fill", "pink", 3)
        c.text(x + w / 2, 142, f"total {k}", 11, at="middle")
        c.arrow(x + w / 2, 212, x + w / 2, 240, "ink", 1.3)
        c.box(x, 242, w, 24, fill + "_fill", "line", 3)
        c.text(x + w / 2, 259, f"{'0' if k == 0 else 'before ' + str(k)} + scan", 11, at="middle")
        c.text(x + w / 2, 206, "nothing before" if k == 0 else f"before {k}", 11.5, at="middle")
        for j in range(k):
            c.line(x0 + 30 + j * (w + gap) + w / 2 + 20, 148, x + w / 2 - 24 + j * 14, 192, "pink", 0.9)
    c.lines(
        24, 296,
        "A block waits for totals of blocks that started before it, so what it waits for always runs. The totals of 32 parts, and of 32 times 32, are published too:\n"
        "a part reads at most 31 + 31 + 1 of them. They are joined in a fixed order, so the bits do not depend on who comes first.",
        11.5, "muted",
    )  # fmt: skip


PICTURES = [
    ("orders", "Three orders: pointwise, rows, columns", 976, 236, orders),
    ("rows_on_gpu", "Who has a row on a GPU: a thread, a warp, a block, a cluster, all blocks", 936, 466, rows_on_gpu),
    ("rows_on_cpu", "What a call of the inner function does on a CPU: short, masked, long and split rows", 936, 366, rows_on_cpu),
    ("columns", "Columns: strips on a GPU, blocks of columns on a CPU", 960, 244, columns),
    ("tile", "A transposed load through a tile in shared memory", 900, 280, tile),
    ("totals", "Totals across rows, and totals of sections", 976, 264, totals),
    ("look_back", "A look-back scan: parts publish their totals and look back for those before", 960, 332, look_back),
]
