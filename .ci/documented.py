#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of studyd and study-receiver that README.md and docs/ show, as written, in a folder that has nothing but the files a reader
brings: documented.py FOLDER-OF-PROGRAMS.

Wrong usage (exit code 2) is a fault of the page, whatever the command needs. What needs a network, root or a running agent may end with 1 and an
explanation; everything else has to work.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "boards/README.md", "studies/README.md"] + sorted(
    str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md") if "decisions" not in path.parts)
# What stands for something of the reader's own.
WORDS = {
    "STUDY": "study.json", "SOURCE": "study.json", "METADATA-URL": "http://127.0.0.1:9/mystudies", "BOARD": "my-board.toml", "ID": "3fa9c2b1",
    "DIR": "lab/device", "DIR/recordings": "lab/device/recordings", "T": "ABCDEFGHI", "KEY": "mood", "HOST": "127.0.0.1", "ADDRESS": "http://127.0.0.1:9/x", "boards/NAME.toml": "boards/breadboard.toml",
    "/usr/share/studyd/boards/breadboard.toml": "boards/breadboard.toml", "studies/mystudies-questions": "studies/mystudies-questions",
}
# What an option of study-receiver stands for: a study of its platform, or the accounts of its server.
SERVED = {"--mystudies": str(ROOT / "studies/mystudies"), "--esmira": "esmira", "--bridge": "bridge"}
# Of these an exit code of 1, with its explanation, is no fault of the page: why.
NEEDS = [
    (r"studyd enroll", "a network, or a place for the answers"), (r"studyd outbox", "an item with that id"), (r"studyd withdraw", "an enrolment"),
    (r"studyd hand-over", "a device"), (r"studyd check", "the parts of a board"), (r"studyd (history|messages|study|schedule|reward)\b", "an enrolment"),
    (r"studyd update-study", "a running agent"), (r"studyd udev .*--into", "root"), (r"studyd verify-log FILE", "a closed log"),
    (r"studyd recordings (list|verify FILE|show|plot FILE|export)", "a recording"), (r"studyd validate", "a board that can ask everything"),
]
# They go on until they are stopped.
ENDLESS = r"studyd (demo|run)|study-receiver(?!.*--make-tokens)"
CONFIGURED = r"studyd (run|enroll|withdraw|hand-over|study|status|history|check|messages|schedule|reward|update-study|outbox \w+|verify-log|recordings list)\b"


def spelled(text):
    """The command of a line or of a span, without what a shell adds."""
    text = re.sub(r"\s+#.*$", "", text.strip()).rstrip("&").strip()
    text = re.sub(r"^sudo ", "", text).split(" && ")[0].split(" > ")[0].split(" | ")[0].replace("\\|", "|")
    text = re.sub(r"  +\S.*$", "", text) if re.match(r"studyd \w+ \S+( --?\w+ \S+)*   ?[a-z]", text) else text
    return text.rstrip(".,;:…")


def commands(page):
    """Each with its line: those that begin a line of code, and spans."""
    is_code = False
    for number, line in enumerate((ROOT / page).read_text().splitlines(), 1):
        if line.startswith("```"):
            is_code = not is_code
            continue
        if is_code or line.startswith("    "):
            if re.match(r"\s*(sudo )?(studyd|study-receiver) [a-z-]", line):
                yield number, spelled(line)
        else:
            for span in re.findall(r"`((?:studyd|study-receiver) [^`]+)`", line):
                yield number, spelled(span)


def is_whole(command):
    """False for what only names a command, or a part of one."""
    words = command.split()
    if words[0] == "studyd" and words[1] in ("outbox", "recordings", "decode") and (len(words) < 3 or words[2] in ("verify", "export", "plot") and len(words) < 4):
        return False
    if re.search(r"(recordings show|--\w+)$|plan --anchor|export --to|study-receiver on|--participant studies", command) and not command.endswith(("--json", "--uploads", "--results")):
        return False
    return not re.search(r"…|\.\.\.|\bFILE\b|\bX\b|<|=\||\$", command) and not re.fullmatch(r"studyd (enroll|validate|plan|simulate|cards|udev)", command) and ": " not in command


def prepare(folder):
    """What the pages call the reader's own: a study, a participant, a board, a consent."""
    shutil.copy(ROOT / "studies/sleep-and-movement.json", folder / "study.json")
    shutil.copy(ROOT / "studies/participant.json", folder / "people.json")
    shutil.copy(ROOT / "studies/participant.json", folder / "participant.json")
    shutil.copy(ROOT / "boards/simulated.toml", folder / "my-board.toml")
    shutil.copy(ROOT / "studies/receiver.nmea", folder / "receiver.log")
    (folder / "esmira").mkdir()
    shutil.copy(ROOT / "studies/esmira.json", folder / "esmira")
    (folder / "bridge").mkdir()
    (folder / "bridge/bridge.json").write_text('{"appId": "lab", "accounts": [{"externalId": "p01", "password": "a password"}]}\n')
    (folder / "consent.json").write_text('{"version": "1.0", "recordedBy": "A", "eligible": true}\n')


def run(command, folder, programs):
    words = [WORDS.get(word, word) for word in shlex.split(command)]
    words = [re.sub(r"HOST:8080", "127.0.0.1:8080", word) for word in words]
    if re.match(CONFIGURED, command):
        words += ["--config", "studyd.toml"]
    words[0] = str(programs / words[0])
    if "study-receiver" in words[0]:
        words = [SERVED.get(last, word) if not word.startswith("--") else word for last, word in zip([""] + words, words)]
    # Nothing is written outside of the folder, and no port of this machine is taken.
    words = ["out" if last == "--into" else "0" if last == "--port" else word for last, word in zip([""] + words, words)]
    if "study-receiver" in words[0] and "--port" not in words:
        words += ["--port", "0"]
    environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", HOME=str(folder))
    is_endless = re.match(ENDLESS, command)
    try:
        done = subprocess.run(
            words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=4 if is_endless else 120)
        return done.returncode, done.stderr.strip()
    except subprocess.TimeoutExpired:
        return (0 if is_endless else 1), "took too long"


def main(programs):
    programs = pathlib.Path(programs).resolve()
    faults, ran = [], 0
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        prepare(folder)
        subprocess.run(
            [programs / "studyd", "init", "--config", "studyd.toml", "--board", "my-board.toml", "--state", str(folder / "state")], cwd=folder, check=True,
            stderr=subprocess.DEVNULL)
        # What a device leaves behind.
        subprocess.run(
            [programs / "studyd", "demo", "--for", "3s", "--state", "lab", "--keep", "--board", ROOT / "boards/simulated.toml"], cwd=folder, check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        known = {}
        for page in PAGES:
            for line, command in commands(page):
                if not is_whole(command):
                    continue
                if command not in known:
                    known[command] = run(command, folder, programs)
                    ran += 1
                code, said = known[command]
                needs = next((why for pattern, why in NEEDS if re.match(pattern, command)), None)
                if code not in ((0, 1) if needs else (0,)):
                    faults.append(f"{page}:{line}: {command}\n    exit code {code}: {said[-400:]}")
    print(f"documented: {ran} commands, {len(faults)} at fault")
    print("\n".join(faults))
    return 1 if faults or not ran else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
