#!/usr/bin/env python3
"""The pictures of the README, from a real run: `make pictures`. The demo is played in a pty and seen by pyte (STUDYD_PYTHON may name a Python that has it);
then one of its recordings is plotted. A card sheet and the lab's page are taken by a browser, where there is one (chromium).

    pictures.py STUDYD FOLDER"""
import glob
import html
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/ScenarioTests"))
from drawn_demo import Demo  # noqa: E402  (needs pyte)

COLUMNS, ROWS = 80, 24
WIDTH, HEIGHT = 8.4, 18


def colour(name, default):
    if name == "default":
        return default
    return f"#{name}" if len(name) == 6 else {"black": "#111", "white": "#eee", "brightwhite": "#fff"}.get(name, default)


def svg(screen):
    """A terminal's screen, cell by cell."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH + 24:g} {ROWS * HEIGHT + 24:g}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">',
        '<rect width="100%" height="100%" rx="8" fill="#1b1d23"/>',
    ]
    for row in range(ROWS):
        cells = [screen.buffer[row][column] for column in range(COLUMNS)]
        start = 0
        while start < COLUMNS:
            end = start + 1
            while end < COLUMNS and cells[end]._replace(data="") == cells[start]._replace(data=""):
                end += 1
            look, text = cells[start], "".join(cell.data for cell in cells[start:end])
            front, back = colour(look.fg, "#d8dbe2"), colour(look.bg, "#1b1d23")
            if look.reverse:
                front, back = back, front
            x, y = 12 + start * WIDTH, 12 + row * HEIGHT
            if back != "#1b1d23":
                parts.append(f'<rect x="{x:g}" y="{y:g}" width="{(end - start) * WIDTH:g}" height="{HEIGHT}" fill="{back}"/>')
            if text.strip():
                weight = ' font-weight="bold"' if look.bold else ""
                parts.append(
                    f'<text x="{x:g}" y="{y + 14:g}" fill="{front}"{weight} textLength="{(end - start) * WIDTH:g}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">{html.escape(text)}</text>'
                )
            start = end
    return "\n".join(parts + ["</svg>", ""])


def browse(address, target):
    browser = next((name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)), None)
    if browser is None:
        return print(f"pictures: SKIPPED {target.name}: no chromium", file=sys.stderr)
    subprocess.run([browser, "--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1000,760", f"--screenshot={target}", address], check=True, capture_output=True)


def main(program, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as state:
        demo = Demo(program, COLUMNS, ROWS, "--state", state, "--keep")
        demo.wait("Three short questions")
        demo.pump(15)
        for key in (b"s", b"a", b"d", b"d", b"s"):
            demo.press(key, 1.2)
        demo.wait("▶[x] 2 Light")
        (folder / "demo.svg").write_text(svg(demo.screen))
        address = next(word for word in demo.flat.split() if word.startswith("http://"))
        browse(address, folder / "lab.png")
        demo.pump(20)
        demo.end()
        recording = max(glob.glob(f"{state}/device/recordings/*.cwa"), key=lambda path: pathlib.Path(path).stat().st_size)
        subprocess.run([program, "recordings", "plot", recording, "-o", folder / "plot.svg"], check=True)
        cards = pathlib.Path(state) / "cards.html"
        subprocess.run([program, "cards", str(ROOT / "studies/sleep-and-movement.json"), "--board", str(ROOT / "boards/simulated.toml"), "-o", str(cards)], check=True)
        browse(cards.as_uri(), folder / "cards.png")


main(*sys.argv[1:])
