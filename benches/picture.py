#!/usr/bin/env python3
"""Draws the ratios of the latest tables: benches/ratios.svg from the tables in benches/history.

    picture.py [--check]

A bar is one line of a table, its height the best peer's time over Lazuli's on a logarithmic scale: above 1, Lazuli is
ahead. The names are in the bars' titles. With --check nothing is written, and the script fails if the picture is not
that of the tables.
"""

import math
import sys
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
# Title, file, the first columns of the table, and which of the file's tables with these columns it is.
PANELS = [
    ("GPU, speed, beside the best of its peers", "gpu.md", ["workload", "form"], 0),
    ("GPU, NPBench, beside CuPy", "npbench.md", ["program"], 0),
    ("Processor, speed, beside the best of its peers", "processor.md", ["workload", "form"], 0),
    ("Processor, NPBench, beside NumPy", "npbench.md", ["program"], 1),
]
LOW, HIGH = 0.1, 100.0
LINES = [0.1, 0.3, 1, 3, 10, 30, 100]
WIDTH, HEIGHT, LEFT, TOP, GAP = 430, 190, 44, 50, 66
AHEAD, BEHIND, INK, FAINT = "#2a6fbb", "#d9822b", "#24292f", "#d8dee4"


def tables(path):
    """The Markdown tables of a file, each as its header and its rows."""
    found, previous = [], ""
    for text in path.read_text(encoding="utf-8").splitlines():
        if text.startswith("|"):
            cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
            if not previous.startswith("|"):
                found.append((cells, []))
            elif not all(set(cell) <= set("-: ") and cell for cell in cells):
                found[-1][1].append(cells)
        previous = text
    return found


def ratios(file, columns, which):
    """The names and ratios of a table's lines, the smallest first. Lines without a peer have none."""
    fitting = [
        (header, rows)
        for header, rows in tables(HERE / "history" / file)
        if header[: len(columns)] == columns and "ratio" in header
    ]
    header, rows = fitting[which]
    at = header.index("ratio")
    lines = [(float(row[at]), " ".join(row[: len(columns)])) for row in rows if row[at]]
    return sorted(lines)


def height(ratio):
    """The distance of a ratio from the panel's lower edge."""
    part = (math.log(min(max(ratio, LOW), HIGH)) - math.log(LOW)) / (math.log(HIGH) - math.log(LOW))
    return part * HEIGHT


def text(x, y, words, size=11, anchor="start", color=INK, weight="normal"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}" '
        f'font-weight="{weight}">{escape(words)}</text>'
    )


def panel(left, top, title, lines):
    """One table's bars with their scale."""
    base = top + HEIGHT
    out = [text(left, top - 22, title, 12, weight="bold")]
    ahead = sum(ratio >= 1 for ratio, _ in lines)
    mean = math.exp(sum(math.log(ratio) for ratio, _ in lines) / len(lines))
    beyond = sum(ratio > HIGH for ratio, _ in lines)
    words = f"{len(lines)} lines, {ahead} ahead or level, {len(lines) - ahead} behind; geometric mean {mean:.2f}"
    if beyond:
        words += f"; {beyond} off the scale"
    out.append(text(left, top - 8, words, 10))
    for value in LINES:
        y = base - height(value)
        color, width = (INK, 1.2) if value == 1 else (FAINT, 1)
        out.append(
            f'<line x1="{left}" x2="{left + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="{color}" stroke-width="{width}"/>'
        )
        out.append(text(left - 5, y + 3.5, f"{value:g}", 10, "end"))
    step = WIDTH / len(lines)
    level = base - height(1)
    for place, (ratio, name) in enumerate(lines):
        end = base - height(ratio)
        y, tall = min(end, level), max(abs(level - end), 1)
        color = AHEAD if ratio >= 1 else BEHIND
        out.append(
            f'<rect x="{left + place * step:.2f}" y="{y:.1f}" width="{step * 0.8:.2f}" height="{tall:.1f}" '
            f'fill="{color}"><title>{escape(name)}: {ratio:g}</title></rect>'
        )
    return out


def picture():
    width, tall = 2 * (LEFT + WIDTH) + 30, 2 * (HEIGHT + GAP) + 8
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{tall}" viewBox="0 0 {width} {tall}" '
        'font-family="sans-serif" role="img" aria-label="Ratios of the best peer\'s time to Lazuli\'s">',
        f'<rect width="{width}" height="{tall}" fill="#ffffff"/>',
    ]
    for k, (title, file, columns, which) in enumerate(PANELS):
        left = LEFT + k % 2 * (WIDTH + LEFT + 10)
        top = TOP + k // 2 * (HEIGHT + GAP)
        out += panel(left, top, title, ratios(file, columns, which))
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    target, drawn = HERE / "ratios.svg", picture()
    if sys.argv[1:] == ["--check"]:
        if not target.exists() or target.read_text(encoding="utf-8") != drawn:
            sys.exit("benches/ratios.svg is not that of the tables: run benches/picture.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        target.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
