#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of the pages that begin with ```sh run, line by line, in a folder that has nothing but what a reader brings:
documented.py FOLDER-OF-PROGRAMS.

Each line has to end with 0. A block that says what it needs (`sh run needs a network`) may also end with 1, an explanation; wrong usage, 2, is a fault of
the page. `sh run on a device` reads the configuration of one. What goes on until it is stopped is stopped after four seconds.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```sh run\b(.*?)\n(.*?)^```$", re.M | re.S)
ENDLESS = re.compile(r"(sudo )?((studyd-tools|studyd) (demo|run)\b|study-receiver (?!--make-tokens|devices))")
# Nothing is written outside of the folder, and no port of this machine is taken.
HARMLESS = [(r"^sudo ", ""), (r"/usr/share/studyd/", f"{ROOT}/"), (r"--into /(?=\s|$)", "--into out"), (r"--port \d+", ""), (r"--device-key KEY", "--device-key " + 64 * "0"),
            (r"^study-receiver (?!--make|devices)", "study-receiver --port 0 ")]


def prepare(folder, programs):
    """A study, a participant, a board, a consent, the folders of three servers, a configuration, and what a device leaves behind."""
    for source, name in [("studies/sleep-and-movement.json", "study.json"), ("studies/esmira.json", "esmira/study.json"), ("studies/participant.json", "people.json"),
                         ("boards/simulated.toml", "my-board.toml")]:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / source, folder / name)
    shutil.copytree(ROOT / "studies/mystudies", folder / "mystudies")
    (folder / "consent.json").write_text('{"version": "1.0", "recordedBy": "A", "eligible": true}\n')
    (folder / "out").mkdir()
    (folder / "bridge").mkdir()
    (folder / "bridge/bridge.json").write_text('{"appId": "lab", "accounts": [{"externalId": "p01", "password": "a password"}]}\n')
    for words in (["studyd", "init", "--config", "studyd.toml", "--board", "my-board.toml", "--state", folder / "state"],
                  ["studyd-tools", "demo", "--for", "3s", "--state", "lab", "--keep", "--board", ROOT / "boards/simulated.toml"]):
        subprocess.run([programs / words[0], *words[1:]], cwd=folder, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def fault(line, said, folder, programs):
    """What is wrong with a line of a block that says this of itself; nothing where it works."""
    words = re.sub(r"\s+#.*$", "", line)
    if "on a device" in said and "--config" not in words:
        words = re.sub(r"( > \S+)?$", r" --config studyd.toml\1", words, count=1)
    for pattern, instead in HARMLESS:
        words = re.sub(pattern, instead, words)
    endless = ENDLESS.match(line)
    ended = subprocess.run(["timeout", "--signal=KILL", "4" if endless else "120", "bash", "-c", words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, errors="replace", env=os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder)})
    allowed = {0} | ({1} if "needs" in said else set()) | ({-9, 137} if endless else set())
    return None if ended.returncode in allowed else f"{line}\n    exit code {ended.returncode}: {ended.stderr.strip()[-400:]}"


def main(programs):
    programs = pathlib.Path(programs).resolve()
    faults, ran = [], 0
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        prepare(folder, programs)
        pages = [ROOT / "README.md", *sorted(page for top in ("boards", "studies", "docs") for page in (ROOT / top).rglob("*.md"))]
        for page in pages:
            for said, block in BLOCK.findall(page.read_text()):
                for line in filter(None, map(str.strip, block.splitlines())):
                    ran += 1
                    if wrong := fault(line, said, folder, programs):
                        faults.append(f"{page.relative_to(ROOT)}: {wrong}")
    print(f"documented: {ran} lines, {len(faults)} at fault", *faults, sep="\n")
    return 1 if faults or not ran else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
