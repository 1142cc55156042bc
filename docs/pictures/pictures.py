#!/usr/bin/env python3
"""The pictures of the README, from real runs: `make pictures`. The demo is played in a pty and seen by pyte (STUDYD_PYTHON may name a Python that has it);
one of its recordings is plotted. A card sheet and the lab server's page, with three scripted participants, are taken by a browser, where there is one
(chromium). With `first-use` the keys of the first prompt are printed, with their times.

    pictures.py PROGRAMS FOLDER [demo|plot|cards|lab|first-use ...]"""
import glob
import html
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/ScenarioTests"))
from drawn_demo import Demo  # noqa: E402  (needs pyte)

COLUMNS, ROWS = 80, 24
WIDTH, HEIGHT = 8.4, 18
FRONT, BACK = "#d8dbe2", "#1b1d23"
# Blocks that touch, drawn as areas: letters of a font leave seams. Eighths from the foot.
BLOCKS = {"█": 8, "▇": 7, "▆": 6, "▅": 5, "▄": 4, "▃": 3, "▂": 2, "▁": 1}


def colour(name, default):
    if name == "default":
        return default
    return f"#{name}" if len(name) == 6 else {"black": "#111", "white": "#eee", "brightwhite": "#fff"}.get(name, default)


def drawn(x, y, text, front, weight):
    """A run of one look: bars as rectangles, everything between them as text that keeps its blanks and fills its cells in any font."""
    parts, start = [], 0
    while start < len(text):
        end = start + 1
        while end < len(text) and (text[end] == text[start] if text[start] in BLOCKS else text[end] not in BLOCKS):
            end += 1
        place, wide = x + start * WIDTH, (end - start) * WIDTH
        if text[start] in BLOCKS:
            high = HEIGHT * BLOCKS[text[start]] / 8
            parts.append(f'<rect x="{place:g}" y="{y + HEIGHT - high:g}" width="{wide:g}" height="{high:g}" fill="{front}"/>')
        elif text[start:end].strip():
            parts.append(
                f'<text xml:space="preserve" x="{place:g}" y="{y + 14:g}" textLength="{wide:g}" fill="{front}"{weight}>{html.escape(text[start:end])}</text>'
            )
        start = end
    return parts


def svg(screen):
    """A terminal's screen, cell by cell."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH + 24:g} {ROWS * HEIGHT + 24:g}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">',
        f'<rect width="100%" height="100%" rx="8" fill="{BACK}"/>',
    ]
    for row in range(ROWS):
        cells = [screen.buffer[row][column] for column in range(COLUMNS)]
        start = 0
        while start < COLUMNS:
            end = start + 1
            while end < COLUMNS and cells[end]._replace(data="") == cells[start]._replace(data=""):
                end += 1
            look, text = cells[start], "".join(cell.data for cell in cells[start:end])
            front, back = colour(look.fg, FRONT), colour(look.bg, BACK)
            if look.reverse:
                front, back = back, front
            x, y = 12 + start * WIDTH, 12 + row * HEIGHT
            if back != BACK:
                parts.append(f'<rect x="{x:g}" y="{y:g}" width="{(end - start) * WIDTH:g}" height="{HEIGHT}" fill="{back}"/>')
            parts += drawn(x, y, text, front, ' font-weight="bold"' if look.bold else "")
            start = end
    return "\n".join(parts + ["</svg>", ""])


def browse(address, target, size):
    browser = next((name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)), None)
    if browser is None:
        return print(f"pictures: SKIPPED {target.name}: no chromium", file=sys.stderr)
    look = ["--headless", "--no-sandbox", "--hide-scrollbars", "--blink-settings=preferredColorScheme=1", f"--window-size={size}", "--virtual-time-budget=4000"]
    subprocess.run([browser, *look, f"--screenshot={target}", address], check=True, capture_output=True)


def make_demo(programs, folder):
    """A tick is set, a signal of a light is on."""
    demo = Demo(programs / "studyd-tools", COLUMNS, ROWS)
    demo.wait("Three short questions")
    demo.pump(15)
    for key in (b"s", b"a", b"d", b"d", b"s"):
        demo.press(key, 1.2)
    demo.wait("▶[x] 2 Light")
    for _ in range(100):
        if any(cell.bg != "default" and not cell.reverse for cell in demo.screen.buffer[1].values()):
            break
        demo.pump(0.1)
    (folder / "demo.svg").write_text(svg(demo.screen))
    demo.end()


def make_plot(programs, folder):
    with tempfile.TemporaryDirectory() as state:
        subprocess.run([programs / "studyd-tools", "demo", "--script", ROOT / "studies/participant.json", "--for", "40s", "--state", state, "--keep"], check=True, capture_output=True)
        recording = max(glob.glob(f"{state}/device/recordings/*.cwa"), key=lambda path: pathlib.Path(path).stat().st_size)
        subprocess.run([programs / "studyd-tools", "plot", recording, "-o", folder / "plot.svg"], check=True)


def make_cards(programs, folder):
    with tempfile.TemporaryDirectory() as place:
        cards = pathlib.Path(place) / "cards.html"
        subprocess.run([programs / "studyd", "cards", ROOT / "studies/sleep-and-movement.json", "--board", ROOT / "boards/simulated.toml", "-o", cards], check=True)
        browse(cards.as_uri(), folder / "cards.png", "840,1180")


def make_lab(programs, folder):
    """Three participants: one who answers, one who misses some prompts, one who puts them off."""
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        study = ROOT / "studies/sleep-and-movement.json"
        server = subprocess.Popen(
            [programs / "study-receiver", "--port", "0", "--data", place / "lab", "--serve", study], stdout=subprocess.PIPE, text=True
        )
        try:
            address = server.stdout.readline().split()[-1]
            script = (ROOT / "studies/participant.json").read_text().strip()
            runs = []
            for number, habits in enumerate(("", '"misses":0.4,', '"delays":0.3,')):
                file = place / f"{number}.json"
                file.write_text(script.replace("{", "{" + habits, 1))
                runs.append(
                    subprocess.Popen(
                        [programs / "studyd-tools", "demo", f"{address}/study/{study.name}", "--receiver", address, "--script", file, "--seed", str(7 + number), "--for", "90s", "--state", place / str(number)],
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    )
                )
            for run in runs:
                run.wait()
            browse(address, folder / "lab.png", "1000,1020")
        finally:
            server.terminate()


def make_first_use(programs, folder):
    """What README says of the first minute, as it was: seconds since `studyd-tools demo` was started, the key, what is seen then."""
    begin = time.monotonic()
    demo = Demo(programs / "studyd-tools", COLUMNS, ROWS)
    rows = []

    def seen(key, *words):
        demo.wait(*words)
        rows.append((time.monotonic() - begin, key, " · ".join(words)))

    seen("", "Three short questions", "select: start")
    for key, *words in (
        ("s", "Did you sleep well?", "previous: No", "next: Yes"),
        ("a", "What kept you awake?", "[ ] 1 Noise"),
        ("d", "▶[ ] 1 Noise"),
        ("d", "▶[ ] 2 Light"),
        ("s", "▶[x] 2 Light"),
        ("d", "▶ Done"),
        ("s", "How rested do you feel?"),
        ("d", "▶ 6"),
        ("s", "Is that right?", "select: submit"),
        ("s", "Thank you. Saved"),
    ):
        demo.pump(1)
        demo.press(key.encode(), 0.2)
        seen(key, *words)
    demo.end()
    for row in rows:
        print(f"| {row[0]:.0f} | {f'`{row[1]}`' if row[1] else '-'} | {row[2]} |")


def main(programs, folder, *names):
    programs, folder = pathlib.Path(programs).resolve(), pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    for name in names or ("demo", "plot", "cards", "lab"):
        globals()["make_" + name.replace("-", "_")](programs, folder)


main(*sys.argv[1:])
