# SPDX-License-Identifier: Apache-2.0
"""How much of what the code decides the tests notice: a draw of lines, one small mutation each, and the tests of the room for every one.

    mutants.py SEED [COUNT] [ROOM...]      FLAGS="…" are the build's, KEEP=FOLDER keeps the copy there for the next run to begin with, and JOBS=N
                                           has N mutants meet their tests at the same time

The tree itself is never touched. A copy of it with its build takes its place in a mount namespace, so that only the changed files compile. All
mutants are built in at once, each behind its number in STUDYD_MUTANT; one that does not compile is replaced by the next of the draw. The
same seed draws the same mutants from the same tree.

Each mutant first meets, alone, the tests that name a type of its file. What these let pass meets all tests of its room, together: a test that
fails is run with each of them alone, to see whose failure it is. A test counts only if it fails by itself with the mutant and passes by itself
without.
"""
import datetime
import filecmp
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from mutations import SWITCH, masked, mutations

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A room of Sources, and the targets of its tests: what the core decides is tried in the agent, and the simulated chips by the drivers.
ROOMS = {
    "Base": ["BaseTests", "SystemTests", "DatabaseTests"],
    "Study": ["StudyTests", "StudyCrashTests", "AgentTests"],
    "Platforms": ["Platform\\w+Tests"],
    "Device": ["DeviceTests", "FeaturesTests", "FuzzTests", "CrashTests", "AdapterTests"],
    "Agent": ["AgentTests"],
    "Lab": ["LabTests", "DatasetTests"],
    "Tools": ["ToolsTests", "DeviceTests"],
}
NOT_COPIED = {"release", "vm", "core", "arm64", "readers", "index", "index-build"}
ERROR = re.compile(r"^(/\S+?\.swift):(\d+):\d+: error: (.*)", re.M)
# What swift-testing prints: a test that has an issue, and one that began or ended. A parametrised test's cases are not told apart.
FAILED = re.compile(r"^✘ Test (?!run with |case )(?:\"(.*?)\"|(\w+)\(\S*\)) (?:recorded an issue|failed|with \d+ test cases failed)")
BEGAN = re.compile(r"^◇ Test (?!run |case )(?:\"(.*?)\"|(\w+)\(\S*\)) started")
PASSED = re.compile(r"^(?:✔|✘|➜) Test (?!run |case )(?:\"(.*?)\"|(\w+)\(\S*\)) (?:with \d+ test cases? )?(?:passed|failed|skipped)")
DECLARED = re.compile(r"^\s*(?:(?:public|package|internal|private|fileprivate|final|indirect) )*(?:struct|class|enum|actor|protocol|extension) (\w+)", re.M)
COPY = pathlib.Path(os.environ.get("KEEP") or f"/var/tmp/studyd-mutants-{os.getpid()}")


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


SWITCHES = f"""private let {SWITCH}s: Set<Int> = {{
    guard let numbers = getenv("STUDYD_MUTANT") else {{ return [] }}
    return Set(String(cString: numbers).split(separator: ",").compactMap {{ Int($0) }})
}}()
"""
PACKAGE = (ROOT / "Package.swift").read_text()
# The folders that are a target.
PROGRAM_FOLDERS = [pathlib.Path(path) for path in re.findall(r'program\(\s*"[\w-]+", "(Sources/[^"]+)"', PACKAGE)]
MODULES = PROGRAM_FOLDERS + [pathlib.Path("Sources", path) for path in re.findall(r'library\(\s*"\w+", "([^"]+)"', PACKAGE)]
PROGRAMS = "ScenarioTests"


def module(path):
    return max((folder for folder in MODULES if path.is_relative_to(folder)), key=lambda folder: len(folder.parts))


def targets(mutant):
    """The tests that are to notice it: its room's; a program's are those that run it."""
    own = "ToolsTests" if mutant.room == "Tools" else None
    if mutant.path.is_relative_to("Sources/Base/Database"):
        # What is salvaged of a damaged file is looked at where it is a store.
        return ROOMS["Base"] + ROOMS["Agent"]
    return [test for test in (own, PROGRAMS) if test] if module(mutant.path) in PROGRAM_FOLDERS else ROOMS[mutant.room]


class TestFiles:
    """The files of the tests, and which of them name the types of a source."""
    MOST = 12

    def __init__(self, root):
        texts = {path: path.read_text() for path in sorted((root / "Tests").glob("*Tests/**/*.swift")) if PROGRAMS not in path.parts}
        self.names = {path: Counter(re.findall(r"\b[A-Z]\w+", text)) for path, text in texts.items() if "@Test" in text}

    def near(self, source):
        """The filter of the tests that name the types of this source most; None where there are none."""
        types = set(DECLARED.findall((ROOT / source).read_text())) - COMMON | {source.stem}
        found = {path: sum(names[name] for name in types) + 100 * path.stem.startswith(source.stem) for path, names in self.names.items()}
        most = sorted((path for path, count in found.items() if count), key=lambda path: -found[path])[:self.MOST]
        return "/(" + "|".join(path.stem for path in most) + r")\.swift:" if most else None


# What so many tests name that it chooses none.
COMMON = {"String", "Array", "Int", "Instant", "Duration", "Collection", "Sequence", "Dictionary", "Optional", "Double", "State", "Event", "Kind"}


class Trial:
    """The copy, with the mutants that are built in now."""

    def __init__(self, copy, flags):
        self.copy, self.flags, self.written = copy, flags, {}

    def inside(self, command, environment=None, **more):
        """Starts a command where the copy lies in the tree's place."""
        # In the namespace the tree's place is the copy's; the process that made it is the shell itself.
        # What tests that are ended leave in /tmp goes with the namespace.
        own = "" if any(pathlib.Path("/tmp") in place.parents for place in (ROOT, self.copy)) else " && mount -t tmpfs -o mode=1777,size=4g tests /tmp && export TMPDIR=/tmp"
        script = f"mount --make-rprivate / && mount --bind {shlex.quote(str(self.copy))} {shlex.quote(str(ROOT))}{own} && cd {shlex.quote(str(ROOT))} && exec " \
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
        switches = [f"let {SWITCH}{m.number} = {SWITCH}s.contains({m.number})" for m in sorted(mutants, key=lambda m: m.number)]
        return "import Glibc\n\n" + SWITCHES + "\n".join(switches + declared) + "\n"

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

    def run(self, filter, mutants, limit, all=False):
        """Runs tests with these mutants on, to the first failure or `all` of them."""
        began = time.monotonic()
        # A mutant may ask for memory without an end.
        process = self.inside(["prlimit", f"--data={MEMORY}", ".build/debug/studydPackageTests.xctest", "--testing-library", "swift-testing", "--filter", filter],
                              {"STUDYD_MUTANT": ",".join(str(mutant.number) for mutant in mutants), "NO_COLOR": "1"})
        over = []

        def end(why=None):
            over.append(why)
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

        alarm = threading.Timer(limit, end, ["time"])
        alarm.start()
        heard = [time.monotonic()]

        def listen():
            while process.poll() is None and time.monotonic() - heard[0] < QUIET:
                time.sleep(1)
            if process.poll() is None:
                end("time")

        threading.Thread(target=listen, daemon=True).start()
        failed, running, last = [], [], ""
        for line in process.stdout:
            heard[0] = time.monotonic()
            last = line.strip() or last
            if match := BEGAN.search(line):
                running.append(name(match))
            if match := PASSED.search(line):
                running = [test for test in running if test != name(match)]
            if match := FAILED.search(line):
                failed += [name(match)] if name(match) not in failed else []
                if not all:
                    end()
                    break
        process.stdout.close()
        code = process.wait()
        alarm.cancel()
        end()
        broken = None
        if "time" in over:
            broken = f"no end within {limit:.0f} s"
        elif not over[:-1] and not failed and code:
            broken = f"an end with {code} ({last[:80]})"
        elif all and code not in (0, 1):
            broken = f"an end with {code} ({last[:80]})"
        return Run(failed, running if broken else [], broken, time.monotonic() - began)


class Run:
    """What came of tests: those that failed, those that were running when it broke, how it broke, and the seconds."""

    def __init__(self, failed, running, broken, seconds):
        self.failed, self.running, self.broken, self.seconds = failed, running, broken, seconds

    @property
    def passed(self):
        return not self.failed and not self.broken


def name(match):
    return match.group(1) or match.group(2)


def only(tests):
    """The filter of single tests."""
    return r"[./](" + "|".join(re.escape(test) for test in tests) + r")\("


def copied():
    """The tree's copy: a new one, or the last run's if it was kept, with the tree's sources."""
    COPY.mkdir(exist_ok=True)
    for entry in sorted(ROOT.iterdir()):
        if entry.name == ".git":
            continue
        if entry.name != ".build":
            synchronise(entry, COPY / entry.name)
        elif not (COPY / ".build").exists():
            (COPY / ".build").mkdir()
            for part in sorted(entry.iterdir()):
                if part.name not in NOT_COPIED:
                    subprocess.run(["cp", "-a", "--reflink=auto", str(part), str(COPY / ".build")], check=True)
    return COPY


def synchronise(source, copy):
    """Makes a file or folder what it is in the tree; what is the same keeps its time, so that it does not compile again."""
    if not source.is_dir() or source.is_symlink():
        if not copy.exists() or not filecmp.cmp(source, copy, shallow=False):
            isThere = copy.exists()
            subprocess.run(["cp", "-a", str(source), str(copy)], check=True)
            if isThere:
                os.utime(copy)
        return
    copy.mkdir(exist_ok=True)
    for name in {entry.name for entry in copy.iterdir()} - {entry.name for entry in source.iterdir()}:
        subprocess.run(["rm", "-rf", str(copy / name)], check=True)
    for entry in source.iterdir():
        synchronise(entry, copy / entry.name)


def built(trial, drawn, share):
    """The mutants of the draw that compile: the first `share` of each room."""
    spare = {room: list(mutants) for room, mutants in drawn.items()}
    chosen = {room: [] for room in drawn}
    while True:
        for room, count in share.items():
            # Some more than are wanted, since some will not compile.
            wanted = count + (count + 2) // 3 if not chosen[room] and count else count
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
        judge = Judge(trial)
        verdicts = judge.judge(built(trial, drawn, share))
    finally:
        if os.environ.get("KEEP"):
            say(f"kept {copy}")
        else:
            shutil.rmtree(copy, ignore_errors=True)
    report(seed, verdicts, judge.hanging)


class Judge:
    """Finds what kills each mutant."""

    def __init__(self, trial):
        self.trial, self.files, self.verdicts, self.hanging, self.unsteady = trial, TestFiles(ROOT), {}, {}, set()

    def judge(self, mutants):
        """Each with what killed it; None where nothing did."""
        with ThreadPoolExecutor(JOBS) as pool:
            list(pool.map(self.judge_near, mutants))
        slow = ["AgentTests", PROGRAMS]
        for tests in [tests for tests in dict.fromkeys(sum(ROOMS.values(), [])) if tests not in slow] + slow:
            left = [m for m in mutants if tests in targets(m) and m not in self.verdicts]
            if left:
                self.together(f"^{tests}\\.", left)
        return [(m, self.verdicts.get(m)) for m in mutants]

    def judge_near(self, mutant):
        near = self.files.near(mutant.path)
        killer, seconds = self.alone(near, mutant, NEAR) if near else (None, 0)
        if killer:
            self.kill(mutant, killer, seconds)
        else:
            say(f"passes what names its types [{seconds:.0f} s] {mutant}")

    def kill(self, mutant, killer, seconds=0):
        self.verdicts[mutant] = killer
        say(f"killed by {killer} [{seconds:.0f} s] {mutant}")

    def alone(self, filter, mutant, limit):
        """What kills a mutant among these tests, and the seconds it took."""
        run = self.trial.run(filter, [mutant], limit)
        if run.broken and run.broken.startswith("an end") and self.trial.run(filter, [], limit).passed:
            return run.broken, run.seconds
        return self.confirmed(run.failed + run.running, mutant), run.seconds

    def confirmed(self, tests, mutant):
        """Which of these tests fails by itself with the mutant, and not without."""
        for test in [test for test in tests if test not in self.unsteady][:5]:
            run = self.trial.run(only([test]), [mutant], ALONE)
            if run.passed:
                continue
            if not self.trial.run(only([test]), [], ALONE).passed:
                self.unsteady.add(test)
                continue
            if run.broken and run.broken.startswith("no end"):
                self.hanging[mutant] = test
                return f"{test}, which does not end"
            return test if run.failed else f"{test}, {run.broken}"
        return None

    def together(self, filter, mutants):
        """Runs all tests with all of the mutants on, and those that fail with each alone. A run that breaks off is done again without those that
        are killed, or else in halves."""
        run = self.trial.run(filter, mutants, TOGETHER, all=True)
        suspects = [test for test in run.failed + run.running if test not in self.unsteady]
        say(f"{len(mutants)} meet {filter} together [{run.seconds:.0f} s]: {', '.join(suspects[:8]) or 'no failure'} {run.broken or ''}")
        with ThreadPoolExecutor(JOBS) as pool:
            judged = list(pool.map(lambda mutant: self.alone(only(suspects), mutant, ALONE), mutants if suspects else []))
        for mutant, (killer, seconds) in zip(mutants, judged):
            if killer:
                self.kill(mutant, killer, seconds)
        left = [mutant for mutant in mutants if mutant not in self.verdicts]
        if not run.broken or not left:
            return
        if len(left) < len(mutants):
            self.together(filter, left)
        elif len(left) > 1:
            middle = len(left) // 2
            self.together(filter, left[:middle])
            self.together(filter, left[middle:])
        elif run.broken.startswith("an end") and self.trial.run(filter, [], TOGETHER, all=True).passed:
            self.kill(left[0], run.broken)
        else:
            say(f"{run.broken}, which proves nothing: {left[0]}")


JOBS = int(os.environ.get("JOBS") or 1)
# Seconds: for the tests that name a mutant's types, for one test, and for all of a target.
NEAR, ALONE, TOGETHER = 300, 120, 2400
# Seconds without a line, which no test is allowed to be silent for (Tests/Patience), and bytes of a process: the stacks of the threads of
# hundreds of servers count.
QUIET, MEMORY = 400, 48 << 30


def report(seed, verdicts, hanging):
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    killed = [(m, killer) for m, killer in verdicts if killer]
    print(f"\nSeed {seed}, commit {commit}: **{len(killed)} of {len(verdicts)}** killed ({100 * len(killed) / max(1, len(verdicts)):.0f} %).")
    if hanging:
        print("Of these by a test that does not end: " + "; ".join(f"{m} ({test})" for m, test in hanging.items()) + ".")
    rooms = dict.fromkeys(m.room for m, _ in verdicts)
    print("By room: " + ", ".join(f"{room} {sum(m.room == room for m, _ in killed)} of {sum(m.room == room for m, _ in verdicts)}" for room in rooms) + ".")
    for mutant, killer in verdicts:
        print(f"- killed: {mutant} by {killer}" if killer else f"- survived: {mutant}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    unknown = [room for room in sys.argv[3:] if room not in ROOMS]
    if unknown:
        sys.exit(f"mutants: no such room: {', '.join(unknown)}; there are {', '.join(ROOMS)}")
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60, sys.argv[3:] or list(ROOMS))
