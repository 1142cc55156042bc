# SPDX-License-Identifier: Apache-2.0
"""How much of what the code decides the tests notice: a draw of lines, one small mutation each, and the tests of the room for every one.

    mutants.py SEED [COUNT] [ROOM...]      FLAGS="…" are the build's, KEEP=1 leaves the copy where it is

The tree itself is never touched. A copy of it with its build takes its place in a mount namespace, so that only the changed files compile. All
mutants are built in at once, each behind its number in STUDYD_MUTANT; one that does not compile is replaced by the next of the draw. The
same seed draws the same mutants from the same tree.
"""
import datetime
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from mutations import SWITCH, masked, mutations

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A room of Sources, and the targets of its tests; the simulated chips are asked by the drivers too.
ROOMS = {
    "Base": "BaseTests|SystemTests|DatabaseTests",
    "Study": "StudyTests|StudyCrashTests",
    "Platforms": "Platform\\w+Tests",
    "Device": "DeviceTests|FuzzTests|CrashTests|AdapterTests",
    "Agent": "AgentTests",
    "Lab": "LabTests",
    "Tools": "ToolsTests|DeviceTests",
}
NOT_COPIED = {"release", "vm", "core", "arm64", "readers", "index", "index-build"}
ERROR = re.compile(r"^(/\S+?\.swift):(\d+):\d+: error: (.*)", re.M)
FAILED = re.compile(r"^✘ Test (?!run with )(?:case passing .*? to )?\"?(\w+)\W.*(?:recorded an issue|failed)")


class Mutant:
    """A line of the draw with its mutation. Its number is its place in the draw of its room."""

    def __init__(self, number, room, path, line, mutation):
        self.number, self.room, self.path, self.line, self.mutation = number, room, path, line, mutation

    @property
    def place(self):
        return f"{self.path}:{self.line + 1}"

    def __str__(self):
        return f"{self.place}: `{self.mutation.before}` → `{self.mutation.after}`"


def draw(root, room, seed):
    """The room's lines that decide something, in the seed's order, with one mutation each."""
    chance = random.Random(f"{seed}/{room}")
    found = []
    for path in sorted((root / "Sources" / room).rglob("*.swift")):
        text = path.read_text()
        lines, code = text.split("\n"), masked(text).split("\n")
        for number in range(len(lines)):
            choices = mutations(lines, code, number)
            if choices:
                found.append((path.relative_to(root), number, chance.choice(choices)))
    chance.shuffle(found)
    base = 1000 * (1 + list(ROOMS).index(room))
    return [Mutant(base + place, room, *drawn) for place, drawn in enumerate(found[:900])]


def shares(count, rooms):
    """How many mutants each room has: as many as the others, the first ones the rest."""
    return {room: count // len(rooms) + (place < count % len(rooms)) for place, room in enumerate(rooms)}


PACKAGE = (ROOT / "Package.swift").read_text()
# The folders that are a target.
PROGRAM_FOLDERS = [pathlib.Path(path) for path in re.findall(r'program\(\s*"[\w-]+", "(Sources/[^"]+)"', PACKAGE)]
MODULES = PROGRAM_FOLDERS + [pathlib.Path("Sources", path) for path in re.findall(r'library\(\s*"\w+", "([^"]+)"', PACKAGE)]
PROGRAMS = "ScenarioTests"


def module(path):
    return max((folder for folder in MODULES if path.is_relative_to(folder)), key=lambda folder: len(folder.parts))


def targets(mutant):
    """The tests that are to notice it: its room's; a program's are those that run it."""
    return PROGRAMS if module(mutant.path) in PROGRAM_FOLDERS else ROOMS[mutant.room]


class Trial:
    """The copy, with the mutants that are built in now."""

    def __init__(self, copy, flags):
        self.copy, self.flags, self.written = copy, flags, {}

    def inside(self, command, environment=None, **more):
        """Starts a command where the copy lies in the tree's place."""
        # In the namespace the tree's place is the copy's; the process that made it is the shell itself.
        script = f"mount --make-rprivate / && mount --bind {shlex.quote(str(self.copy))} {shlex.quote(str(ROOT))} && cd {shlex.quote(str(ROOT))} && exec " \
            + shlex.join(command)
        namespace = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-r", "-m"]
        return subprocess.Popen(namespace + ["bash", "-c", script], env={**os.environ, **(environment or {})},
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True, **more)

    def write(self, mutants):
        """Puts these into the copy's sources; what is there already is not touched, so that it does not compile again."""
        files = {}
        for mutant in mutants:
            files.setdefault(mutant.path, []).append(mutant)
            files.setdefault(module(mutant.path) / "TheMutant.swift", []).append(mutant)
        for path in set(self.written) - set(files):
            original = ROOT / path
            if original.exists():
                shutil.copy2(original, self.copy / path)
                os.utime(self.copy / path)
            else:
                (self.copy / path).unlink()
            del self.written[path]
        for path, here in files.items():
            text = self.switch(here) if path.name == "TheMutant.swift" else self.mutated(path, here)
            if self.written.get(path) != text:
                (self.copy / path).write_text(text)
                self.written[path] = text

    def mutated(self, path, mutants):
        lines = (ROOT / path).read_text().split("\n")
        for mutant in mutants:
            line, what = lines[mutant.line], mutant.mutation
            lines[mutant.line] = line[:what.start] + what.replacement(mutant.number) + line[what.end:]
        return "\n".join(lines)

    def switch(self, mutants):
        declared = [m.mutation.declaration(m.number) for m in sorted(mutants, key=lambda m: m.number) if m.mutation.declaration]
        return "import Glibc\n\nlet " + SWITCH + ' = getenv("STUDYD_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0\n' + "\n".join(declared) + "\n"

    def build(self):
        """What the compiler says, empty when it is content."""
        # The lock is that of the tree, whose own builds need not wait for the copy's.
        process = self.inside(["swift", "build", "--build-tests", "--ignore-lock", *self.flags])
        output = process.communicate()[0]
        return "" if process.returncode == 0 else output

    def refused(self, output, mutants):
        """Those of the mutants that the compiler's errors are about: on the line of the error, or else the nearest of its file."""
        found = set()
        for path, line, message in ERROR.findall(output):
            path = pathlib.Path(path)
            path = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
            if path.name == "TheMutant.swift":
                declared = self.written[path].split("\n")[:int(line)]
                arrows = re.findall("•([\u2190-\u2199]+)", "\n".join(declared))
                found |= {m for m in mutants if arrows and str(m.number) == "".join(str(ord(arrow) - 0x2190) for arrow in arrows[-1])}
                continue
            here = [m for m in mutants if m.path == path]
            if here:
                found.add(min(here, key=lambda m: abs(m.line + 1 - int(line))))
        return found

    def tests(self, filter, number, limit):
        """Runs tests with one mutant on, to the first failure: that test's name, how it ended otherwise, or nothing; and the seconds."""
        began = time.monotonic()
        process = self.inside([".build/debug/studydPackageTests.xctest", "--testing-library", "swift-testing", "--filter", filter],
                              {"STUDYD_MUTANT": str(number), "NO_COLOR": "1"})
        over = []

        def end(why=None):
            over.append(why)
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

        alarm = threading.Timer(limit, end, ["time"])
        alarm.start()
        failed, last = None, ""
        for line in process.stdout:
            last = line.strip() or last
            match = FAILED.search(line)
            if match and not failed:
                failed = match.group(1)
                if number:
                    end()
                    break
        process.stdout.close()
        code = process.wait()
        alarm.cancel()
        seconds = time.monotonic() - began
        if failed:
            return failed, seconds
        if "time" in over:
            return f"no end within {limit:.0f} s", seconds
        return (f"a crash ({last[:80]})" if code not in (0, 1) else f"an end with {code}" if code else None), seconds


def copied():
    copy = pathlib.Path(tempfile.mkdtemp(prefix="studyd-mutants-", dir="/var/tmp"))
    for entry in sorted(ROOT.iterdir()):
        if entry.name == ".git":
            continue
        if entry.name != ".build":
            subprocess.run(["cp", "-a", str(entry), str(copy)], check=True)
            continue
        (copy / ".build").mkdir()
        for part in sorted(entry.iterdir()):
            if part.name not in NOT_COPIED:
                subprocess.run(["cp", "-a", "--reflink=auto", str(part), str(copy / ".build")], check=True)
    return copy


def built(trial, drawn, share):
    """The mutants of the draw that compile: the first `share` of each room."""
    spare = {room: list(mutants) for room, mutants in drawn.items()}
    chosen = {room: [] for room in drawn}
    while True:
        for room, count in share.items():
            # Some more than are wanted, since some will not compile.
            wanted = count + (count + 1) // 2 if not chosen[room] and count else count
            lines = {(m.path, m.line) for m in chosen[room]}
            while len(chosen[room]) < wanted and spare[room]:
                mutant = spare[room].pop(0)
                if (mutant.path, mutant.line) not in lines:
                    chosen[room].append(mutant)
        now = [m for mutants in chosen.values() for m in mutants]
        trial.write(now)
        say(f"building {len(now)} mutants")
        output = trial.build()
        if not output:
            return [m for room, mutants in chosen.items() for m in sorted(mutants, key=lambda m: m.number)[:share[room]]]
        refused = trial.refused(output, now)
        if not refused:
            sys.exit("mutants: the build fails, and not at a mutant:\n" + output[-3000:])
        for mutant in refused:
            say(f"does not compile: {mutant}")
            chosen[mutant.room].remove(mutant)


def say(text):
    print(f"mutants: {datetime.datetime.now():%H:%M:%S} {text}", file=sys.stderr, flush=True)


def main(seed, count, rooms):
    share = shares(count, rooms)
    drawn = {room: draw(ROOT, room, seed) for room in rooms}
    say("lines that decide something: " + ", ".join(f"{room} {len(mutants)}" for room, mutants in drawn.items()))
    copy = copied()
    try:
        trial = Trial(copy, shlex.split(os.environ.get("FLAGS", "")))
        verdicts = judged(trial, built(trial, drawn, share))
    finally:
        if os.environ.get("KEEP"):
            say(f"kept {copy}")
        else:
            shutil.rmtree(copy, ignore_errors=True)
    report(seed, verdicts)


def judged(trial, mutants):
    """Each with what killed it; None where nothing did."""
    verdicts = []
    for tests in dict.fromkeys(targets(m) for m in mutants):
        filter = f"^({tests})\\."
        failed, seconds = trial.tests(filter, 0, 3600)
        if failed:
            sys.exit(f"mutants: without any mutant {failed} of {tests} fails already")
        limit = 60 + 3 * seconds
        say(f"{tests}: all pass in {seconds:.0f} s without a mutant")
        for mutant in (m for m in mutants if targets(m) == tests):
            killer, seconds = trial.tests(filter, mutant.number, limit)
            # A test that fails by chance, or because the machine is busy, proves nothing.
            if killer and killer.isidentifier() and trial.tests(f"\\b{killer}\\(", 0, limit)[0]:
                say(f"{killer} fails without the mutant, too; once more")
                killer, seconds = trial.tests(filter, mutant.number, limit)
            verdicts.append((mutant, killer))
            say(f"{'killed by ' + killer if killer else 'SURVIVED'} [{seconds:.0f} s] {mutant}")
    return verdicts


def report(seed, verdicts):
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    killed = [(m, killer) for m, killer in verdicts if killer]
    print(f"\nSeed {seed}, commit {commit}: **{len(killed)} of {len(verdicts)}** killed ({100 * len(killed) / max(1, len(verdicts)):.0f} %).")
    by_time = [str(m) for m, killer in killed if killer.startswith("no end")]
    if by_time:
        print("Of these by not ending in time: " + "; ".join(by_time) + ".")
    rooms = dict.fromkeys(m.room for m, _ in verdicts)
    print("By room: " + ", ".join(f"{room} {sum(m.room == room for m, _ in killed)} of {sum(m.room == room for m, _ in verdicts)}" for room in rooms) + ".")
    for mutant, killer in verdicts:
        if not killer:
            print(f"- survived: {mutant}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    unknown = [room for room in sys.argv[3:] if room not in ROOMS]
    if unknown:
        sys.exit(f"mutants: no such room: {', '.join(unknown)}; there are {', '.join(ROOMS)}")
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60, sys.argv[3:] or list(ROOMS))
