"""A few shapes for the drawings of the pages, as SVG. Every drawing is made twice, for light and for dark pages."""

from html import escape

SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"
MONO = "'DejaVu Sans Mono', ui-monospace, Menlo, Consolas, monospace"

COLOURS = {
    "light": {
        "page": "#ffffff", "ink": "#1f2328", "muted": "#59636e", "line": "#c8d1da", "panel": "#f6f8fa",
        "blue": "#0969da", "green": "#1a7f37", "orange": "#bc4c00", "purple": "#8250df", "pink": "#bf3989",
        "blue_fill": "#b6dcff", "green_fill": "#b4ecc0", "orange_fill": "#ffd3ae", "purple_fill": "#e0ccff", "pink_fill": "#ffcbe6",
    },
    "dark": {
        "page": "#0d1117", "ink": "#f0f6fc", "muted": "#9aa4af", "line": "#3d444d", "panel": "#161c24",
        "blue": "#58a6ff", "green": "#56d364", "orange": "#ffa657", "purple": "#bc8cff", "pink": "#ff7bc0",
        "blue_fill": "#164a86", "green_fill": "#1a5c2c", "orange_fill": "#7a3c0b", "purple_fill": "#4c2f86", "pink_fill": "#74265a",
    },
}  # fmt: skip
WARM = ["blue", "green", "orange", "purple"]  # of threads, blocks or lanes that stand beside each other


class Canvas:
    def __init__(self, title: str, width: int, height: int, mode: str):
        self.title, self.width, self.height, self.colours = title, width, height, COLOURS[mode]
        self.parts: list[str] = []

    def _colour(self, name: str) -> str:
        return "none" if name == "none" else self.colours[name]

    def box(self, x, y, w, h, fill="panel", stroke="line", round=0.0, dashed=False, thick=1.0):
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{round:g}" fill="{self._colour(fill)}" '
            f'stroke="{self._colour(stroke)}" stroke-width="{thick:g}"{dash}/>'
        )

    def text(self, x, y, words, size=13, colour="ink", at="start", mono=False, bold=False):
        font = f' font-family="{MONO}" xml:space="preserve"' if mono else ""
        weight = ' font-weight="600"' if bold else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{self._colour(colour)}" text-anchor="{at}"{font}{weight}>'
            f"{escape(words, quote=False)}</text>"
        )

    def lines(self, x, y, words, size=12, colour="ink", mono=False, step=1.45):
        """Several lines of text; the first one's base line is at y."""
        for k, line in enumerate(words.split("\n")):
            self.text(x, y + k * size * step, line, size, colour, mono=mono)

    def arrow(self, x1, y1, x2, y2, colour="muted", thick=1.4, dashed=False):
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        head, side = 7, 3.6
        bx, by = x2 - ux * head, y2 - uy * head
        self.parts.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{bx:.1f}" y2="{by:.1f}" stroke="{self._colour(colour)}" stroke-width="{thick:g}"{dash}/>'
            f'<polygon points="{x2:g},{y2:g} {bx - uy * side:.1f},{by + ux * side:.1f} {bx + uy * side:.1f},{by - ux * side:.1f}" '
            f'fill="{self._colour(colour)}"/>'
        )

    def line(self, x1, y1, x2, y2, colour="line", thick=1.0, dashed=False):
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{self._colour(colour)}" stroke-width="{thick:g}"{dash}/>'
        )

    def cells(self, x, y, fills, w=14.0, h=14.0, labels=()):
        """Squares side by side; `fills` names a colour for each, or "panel"."""
        for k, fill in enumerate(fills):
            shade = fill if fill in ("panel", "page") else fill + "_fill"
            self.box(x + k * w, y, w, h, shade, "line")
            if k < len(labels) and labels[k]:
                self.text(x + k * w + w / 2, y + h / 2 + 4, str(labels[k]), min(11, h * 0.75), at="middle")

    def svg(self) -> str:
        body = "\n".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" font-family="{SANS}" role="img">\n<title>{escape(self.title)}</title>\n'
            f'<rect width="{self.width}" height="{self.height}" rx="8" fill="{self._colour("page")}"/>\n{body}\n</svg>\n'
        )
