#!/usr/bin/env python3
"""The drawn demo on an independent terminal: a pty of the kernel's, real keys, and pyte (https://pypi.org/project/pyte, a VT100 emulator) for what
is seen. Prints what is wrong, with the screen, and ends with 1; 77 where pyte is not installed.

    drawn_demo.py STUDYD-TOOLS prompt|leave|hold|steps|towers|quick|resize|colours|errors|plain COLUMNS ROWS"""
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time

try:
    import pyte
except ImportError:
    sys.exit(77)

PATIENCE = 120
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Demo:
    """A demo in a pty, and its screen."""

    def __init__(self, program, columns, rows, *arguments, answers_kitty=False, errors=None, **environment):
        self.size = (columns, rows)
        self.raw = b""
        self.answers_kitty = answers_kitty
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            time.sleep(0.3)
            os.environ.pop("NO_COLOR", None)
            os.environ.update({"TERM": "xterm-256color"} | environment)
            if errors:
                os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT, 0o600), 2)
            os.execv(program, [program, "demo", "--seed", "7", *arguments])
        self.screen = pyte.HistoryScreen(columns, rows, history=500)
        self.stream = pyte.ByteStream(self.screen)
        self.resize(columns, rows)

    def resize(self, columns, rows):
        self.size = (columns, rows)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def pump(self, seconds):
        """Reads for so long; False at the end."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.terminal], [], [], min(left, 0.1))[0]:
                continue
            try:
                data = os.read(self.terminal, 65536)
            except OSError:
                return False
            if not data:
                return False
            self.raw += data
            if self.answers_kitty and b"\x1b[?u" in data:
                os.write(self.terminal, b"\x1b[?11u")
            # A second screen is asked for and not emulated; questions to the terminal are not for its screen.
            self.stream.feed(re.sub(rb"\x1b\[[<>?][0-9]*u", b"", data))
        return True

    def press(self, keys, pause=0.5):
        os.write(self.terminal, keys)
        self.pump(pause)

    @property
    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    @property
    def flat(self):
        """As one line: what has no room is broken between words."""
        return " ".join(self.text.split())

    def wait(self, *words):
        """Until all of them are seen."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if all(word in self.flat for word in words):
                return
            if not self.pump(0.1):
                break
        self.complain(f"not seen: {[word for word in words if word not in self.flat]}")

    def complain(self, words):
        self.kill()
        sys.exit(f"{words}, at {self.size}:\n" + "\n".join("|" + line for line in self.screen.display))

    def check(self, condition, words):
        if not condition:
            self.complain(words)

    @property
    def fault(self):
        """What keeps the screen from being whole; None where it is."""
        columns, rows = self.size
        lines = self.screen.display
        if self.screen.history.top:
            return "the screen scrolled"
        if re.search(r"\d\d:\d\d:\d\d $", lines[0]) is None:
            return "the clock does not end the first line"
        if "[q]" not in lines[rows - 1] and "[q]" not in lines[rows - 2]:
            return "the keys are not at the bottom"
        missing = [words for words in ("[m]", "[t]", "[q]", "pressed:", "──") if words not in self.text]
        return f"{missing} is missing" if missing else None

    def check_whole(self):
        """Nothing scrolled, nothing is cut off, the keys stand at the bottom: as soon as what is being drawn has come."""
        end = time.monotonic() + PATIENCE
        while self.fault and not self.screen.history.top and time.monotonic() < end and self.pump(0.1):
            pass
        self.check(not self.fault, self.fault)

    def end(self):
        """By its key; gives everything that was written after it."""
        before = len(self.raw)
        os.write(self.terminal, b"q")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.pump(0.5):
            pass
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return self.raw[before:].decode(errors="replace"), os.waitstatus_to_exitcode(status)

    def kill(self):
        if self.pid:
            os.kill(self.pid, signal.SIGTERM)


def play_prompt(program, columns, rows):
    demo = Demo(program, columns, rows)
    demo.wait("Three short questions")
    demo.check_whole()
    demo.check(not termios.tcgetattr(demo.terminal)[0] & termios.IXON, "Ctrl-S stops the terminal")
    demo.press(b"t")
    demo.wait("before the clock jumps")
    demo.press(b"s")
    demo.wait("Did you sleep well?")
    demo.check_whole()
    head = "\n".join(demo.screen.display[2:6])
    demo.check(re.search(r"\bNo\b", head) and re.search(r"\bYes\b", head), "the buttons do not say what they mean now")
    demo.press(b"a")
    demo.wait("What kept you awake?")
    demo.press(b"d")
    demo.press(b"d")
    demo.wait("▶[ ] 2 Light")
    demo.press(b"s")
    demo.wait("▶[x] 2 Light")
    demo.press(b"d")
    demo.press(b"s")
    demo.wait("How rested do you feel?")
    head = "\n".join(demo.screen.display[2:6])
    demo.check("skip" not in head, "a question that must be answered offers to be skipped")
    demo.press(b"s")
    demo.wait("This question needs an answer")
    demo.press(b"d")
    demo.wait("●", "▶ 6")
    demo.press(b"s")
    demo.wait("Is that right?", "submit")
    demo.check_whole()
    demo.press(b"s")
    demo.wait("Thank you. Saved")
    # The keys and whatever else is in the picture were drawn; from now on only what changes.
    demo.pump(1)
    before = len(demo.raw)
    demo.pump(4)
    demo.check(len(demo.raw) - before < 6000, f"{len(demo.raw) - before} bytes in four seconds of rest")
    demo.check_whole()
    rest, status = demo.end()
    for words in ("\x1b[?1049l", "\x1b[?25h", "submitted morning: slept-well = no, what-woke = Light, rested = 6", "event log"):
        if words not in rest:
            sys.exit(f"{words!r} is missing at the end:\n{rest}")
    once = [line for line in rest.splitlines() if "prompt due: morning" in line]
    if len(once) != 1:
        sys.exit(f"told {len(once)} times: {once}")


def play_leave(program, columns, rows):
    demo = Demo(program, columns, rows)
    demo.wait("Three short questions")
    # Nothing is told again while a sign of life repeats only the light.
    demo.pump(12)
    demo.check(demo.text.count("Good morning. Three short questions.") == 1, "the prompt is told again and again")
    demo.press(b"s")
    demo.wait("Did you sleep well?")
    demo.press(b"m", 5)
    demo.wait("Back to the question")
    demo.press(b"a")
    demo.press(b"s")
    demo.wait("Leave without saving?", "leave without saving")
    demo.check("Left without saving" not in demo.text, "it was said before it was confirmed")
    demo.press(b"s")
    demo.wait("Left without saving")
    demo.kill()


def play_hold(program, columns, rows):
    demo = Demo(program, columns, rows, answers_kitty=True)
    demo.wait("Three short questions", "held: the button is held as long")
    demo.press(b"\x1b[115u", 3.2)
    for _ in range(3):
        demo.press(b"\x1b[115;1:2u", 0.05)
    demo.check("[s]●MIDDLE" in demo.text, "the key is not shown to be down")
    demo.press(b"\x1b[115;1:3u")
    demo.wait("Back")
    pressed = re.search(r"pressed: \[s\] MIDDLE, (\d\.\d) s: menu", demo.text)
    demo.check(pressed is not None and 3.0 <= float(pressed[1]) <= 4.5, "the hold is not as long as the key was held")
    demo.press(b"\x1b[115u", 0.1)
    demo.press(b"\x1b[115;1:3u")
    demo.wait("MIDDLE, 0.")
    # A terminal that tells of keys tells of Ctrl-C, too.
    demo.press(b"\x1b[99;5u", 1)
    rest, _ = demo.end()
    if "\x1b[<u" not in rest and "\x1b[<u" not in demo.raw.decode(errors="replace"):
        sys.exit("the keyboard was not given back")


def play_steps(program, columns, rows):
    demo = Demo(program, columns, rows)
    demo.wait("Three short questions", "Shift+key: short hold")
    demo.press(b"S", 2.5)
    demo.wait("not now")
    demo.check(re.search(r"MIDDLE, 1\.[0-9] s: not now", demo.text) is not None, "Shift does not hold to the first step")
    demo.press(b"\x1bs", 5.5)
    demo.check(re.search(r"MIDDLE, 4\.[0-9] s: Back", demo.text) is not None, "Alt does not hold to the second step")
    demo.kill()


def play_towers(program, columns, rows):
    """What lies where is told after the move that it follows, not only that there was one."""
    with tempfile.TemporaryDirectory() as folder:
        study = pathlib.Path(folder) / "study"
        shutil.copytree(ROOT / "studies/mystudies", study)
        # Of a weekly task it depends on the day whether it comes first.
        path = study / "activityList.json"
        activities = json.loads(path.read_text())
        activities["activities"] = [each for each in activities["activities"] if each["frequency"]["type"] != "Weekly"]
        path.write_text(json.dumps(activities))
        play_towers_of(Demo(program, columns, rows, str(study)))


def play_towers_of(demo):
    demo.wait("About you")
    demo.press(b"a", 1)
    demo.wait("▶2 Later")
    demo.press(b"s", 1)
    demo.wait("pressed: [s]", "Move the disks")
    demo.press(b"s", 1)
    demo.wait("Bring all disks to the last tower")
    demo.press(b"s", 1)
    demo.wait("Tower 1: 3 2 1 · Tower 2: empty", "█████", "LEFT", "Tower 3")
    demo.press(b"a", 1)
    demo.press(b"s", 1)
    demo.wait("Tower 1: 3 2 · Tower 2: 1 · Tower 3: empty")
    demo.kill()


def play_quick(program, columns, rows):
    """A prompt of a single yes/no question shows the question before the press that answers it; the answer can be taken back for four seconds."""
    study = json.loads((ROOT / "studies/sleep-and-movement.json").read_text())
    modules = [module for module in study["modules"] if module["name"] != "Welcome"][:1]
    questions = [question for section in modules[0]["sections"] for question in section["questions"]]
    modules[0]["sections"] = [{"name": "", "shuffle": False, "questions": [next(q for q in questions if q["type"] == "yesno")]}]
    study["modules"] = modules
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "quick.json"
        file.write_text(json.dumps(study))
        demo = Demo(program, columns, rows, str(file))
        demo.wait("a prompt waits", "card 1: Did you sleep well?", "LEFT: No", "RIGHT: Yes")
        demo.press(b"d", 0.2)
        demo.wait("Saving in 4 seconds. Undo to change your answer")
        demo.press(b"S", 2)
        demo.wait("MIDDLE, 1.", "Did you sleep well?")
        demo.press(b"a", 0.2)
        demo.wait("Thank you. Saved")
        demo.check("slept-well = yes" not in demo.text, "what was taken back was submitted")
        demo.kill()


def play_resize(program, columns, rows):
    demo = Demo(program, columns, rows)
    demo.wait("Three short questions")
    for size in ((60, 20), (132, 40), (100, 24), (80, 24)):
        demo.resize(*size)
        demo.check_whole()
        demo.wait("Three short questions")
    demo.resize(30, 8)
    demo.wait("40 × 14")
    demo.kill()


def play_colours(program, columns, rows):
    for environment, has_colours in (({"NO_COLOR": "1"}, False), ({}, True)):
        demo = Demo(program, columns, rows, **environment)
        demo.wait("Three short questions", "blue")
        demo.pump(1)
        demo.check((b"48;2;" in demo.raw) == has_colours, "colours" if not has_colours else "no colours")
        demo.kill()


def play_errors(program, columns, rows):
    """Standard error that was sent to a file goes there, at once; what is a terminal is not written across."""
    board = (ROOT / "boards/simulated.toml").read_text() + '\n[[world.silence]]\naddress = 0x18\nuntil = "10m"\n'
    with tempfile.TemporaryDirectory() as folder:
        file, errors = pathlib.Path(folder) / "board.toml", pathlib.Path(folder) / "errors"
        file.write_text(board)
        demo = Demo(program, columns, rows, "--board", str(file), errors=errors)
        demo.wait("Three short questions", "FAULT: ")
        demo.check(b"0x18" in errors.read_bytes(), f"the file has {errors.read_bytes()}")
        demo.check(": studyd: " not in demo.flat, "it is drawn too")
        demo.check_whole()
        demo.kill()
        demo = Demo(program, columns, rows, "--board", str(file))
        demo.wait(": studyd: ")
        demo.check_whole()
        demo.kill()


def play_plain(program, columns, rows):
    demo = Demo(program, columns, rows, "--plain")
    demo.wait("prompt due: morning")
    demo.press(b"s", 1)
    demo.wait("Did you sleep well?")
    demo.press(b"a", 1)
    demo.check(b"\x1b" not in demo.raw, "control sequences in plain lines")
    demo.check(b"next prompt" in demo.raw, "the keys are not told")
    demo.kill()


if __name__ == "__main__":
    program, play, columns, rows = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    {name.removeprefix("play_"): function for name, function in list(globals().items()) if name.startswith("play_")}[play](program, columns, rows)
    print("seen")
