#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""killed_ledger.py STUDYD [KILLS [SEED [BOARDS]]]: kills the agent (SIGKILL) again and again, and compares its ledger of samples with an outside
count. The kills are shared out to simulated boards that run at the same time; each measures one thing in one format.

The count knows only what stands outside the agent: when processes were started and killed (CLOCK_MONOTONIC of this process), how fast the
simulated chips really sample, and what lies in the files, read here by the formats' published layouts, not by the agent's code: sectors of 512
bytes after a header of 1024 with `sampleCount` at byte 28 of an 'AX' sector (Open Movement, cwa.h); lines of comma-separated values in gzip
(RFC 4180, RFC 1952). Lives last from 0.3 s to a minute, each octave as often as the next, so that some end before anything is on the disk, some
within a file and some after several. What is stored must be equal, to the sample. Ends with 1 where they differ."""
import glob, gzip, json, math, os, shutil, signal, struct, sys, time

from ledger_board import ROOT, Board, argument, run_all, share

try:
    import jsonschema
except ImportError:
    jsonschema = None

KILLS = argument(2, 10)
BOARDS = argument(4, min(4, max(1, KILLS // 3)))
SCHEMA = ROOT + "/docs/recording.schema.json"
SHORTEST, LONGEST = 0.3, 60.0
# Channel: samples per second in truth (the twins' errors are +0.8 % and -0.4 %), samples that a line stands for, the table of studyd.toml.
MEASURES = {
    "accelerometer": (100 * 1.008, None, "rate = 100"),
    "sound": (16000, 16000, 'format = "levels"'),
    "magnetometer": (20 * 0.996, 1, "rate = 20"),
}
ORDER = ["accelerometer", "sound", "accelerometer", "magnetometer"]


class Trial(Board):
    """One board, its lives and its count."""

    def __init__(self, number, kills):
        self.channel = ORDER[number % len(ORDER)]
        self.rate, self.line, table = MEASURES[self.channel]
        super().__init__(number, "killed", [(self.channel, table + '\nrotate = "25s"')])
        self.kills, self.lines = kills, []

    def live(self):
        killed, begun, lives = [], [], []
        for life in range(self.kills + 1):
            begun.append(self.begin())
            octaves = math.log(LONGEST / SHORTEST)
            lives.append(SHORTEST * math.exp(self.random.uniform(0, octaves)) if life < self.kills else 12)
            time.sleep(lives[-1])
            boards = self.simulated_board()
            if life < self.kills:
                self.agent.send_signal(signal.SIGKILL)
                killed.append(time.monotonic())
                self.agent.wait()
            else:
                self.agent.send_signal(signal.SIGTERM)
                ended = time.monotonic()
                self.agent.wait(timeout=60)
            for board in boards:
                shutil.rmtree(board, ignore_errors=True)
        self.compare(begun, killed, ended, lives)

    def begin(self):
        """When the first file of this life was there."""
        old = set(glob.glob(self.folder + "/state/recordings/*.open"))
        began = super().begin()
        while time.monotonic() - began < 120:
            # The chip is set up at once, and its first samples begin a file.
            if set(glob.glob(self.folder + "/state/recordings/*.open")) - old:
                return time.monotonic()
            if self.agent.poll() is not None:
                raise RuntimeError("the agent ended: " + self.errors())
            time.sleep(0.01)
        raise RuntimeError("the agent records nothing")

    def simulated_board(self):
        boards = set()
        for link in glob.glob(f"/proc/{self.agent.pid}/fd/*"):
            try:
                path = os.readlink(link)
            except OSError:
                continue
            if path.startswith("/tmp/studyd-board-"):
                boards.add("/".join(path.split("/")[:3]))
        return boards

    def samples(self, path):
        return in_sectors(path) if path.endswith(".cwa") else in_lines(path) * self.line

    def compare(self, begun, killed, ended, lives):
        ledger = self.ledger()["samples"]
        files = [path for path in glob.glob(self.folder + "/state/recordings/*") if path.endswith((".cwa", ".csv.gz"))]
        stored = sum(self.samples(path) for path in files)
        # The first samples came up to a drain, a second, before their file, which a busy machine makes later still.
        begun, doubt = [moment - 0.5 for moment in begun], 1.5
        due = self.rate * (ended - begun[0])
        off = self.rate * sum(again - dead for again, dead in zip(begun[1:], killed))
        own = ledger["lost"]
        self.figures = dict(kills=len(killed), seconds=ended - begun[0], stored=stored, said=ledger["stored"])
        self.lines.append(f"{self.channel}: {len(killed)} kills in {ended - begun[0]:.0f} s, lives of {min(lives):.1f} to {max(lives):.0f} s, "
                          f"{len(files)} files")
        self.lines.append(f"{'':12}{'outside':>12}{'ledger':>12}")

        def row(name, outside, said, tolerance):
            self.lines.append(f"{name:12}{outside:12.0f}{said:12.0f}   {100 * (said - outside) / due:+.2f} % of what was due")
            if abs(said - outside) > tolerance:
                self.faults.append(f"{self.channel}, {name}: the ledger says {said}, the outside count {outside:.0f}")

        row("due", due, ledger["due"], 0.01 * due + self.rate * doubt)
        row("stored", stored, ledger["stored"], 0)
        row("missing", due - stored, sum(own.values()), 0.01 * due + self.rate * doubt)
        # A heart beats once a second: what was measured between the last beat and the kill counts as off.
        row("off", off, own.get("off", 0), 0.01 * due + self.rate * 1.2 * len(killed))
        row("unaccounted", 0, ledger["unaccounted"], 0.01 * due)
        self.check_descriptions()
        self.lines.append("lost: " + ", ".join(f"{reason} {count}" for reason, count in sorted(own.items())))

    def check_descriptions(self):
        """Of every file that a killed life left: as the published schema wants it, by Python's jsonschema."""
        if jsonschema is None:
            self.lines.append("SKIPPED the descriptions against docs/recording.schema.json: Python has no jsonschema")
            return
        with open(SCHEMA) as file:
            validator = jsonschema.Draft202012Validator(json.load(file))
        paths = glob.glob(self.folder + "/state/recordings/*.json")
        for path in paths:
            with open(path) as file:
                faults = [error.message for error in validator.iter_errors(json.load(file))]
            self.faults += [f"{os.path.basename(path)}: {fault}" for fault in faults[:3]]
        self.lines.append(f"{len(paths)} descriptions against docs/recording.schema.json")


def in_sectors(path):
    """Samples in the whole sectors of a CWA file."""
    with open(path, "rb") as file:
        content = file.read()
    count = 0
    for place in range(1024, len(content) - 511, 512):
        sector = content[place:place + 512]
        if sector[:2] == b"AX" and sum(struct.unpack("<256H", sector)) & 0xFFFF == 0:
            count += struct.unpack_from("<H", sector, 28)[0]
    return count


def in_lines(path):
    """Lines that begin with a time, or with the comma behind one that is not known."""
    with gzip.open(path, "rt") as file:
        return sum(1 for line in file if line[:1].isdigit() or line[:1] == ",")


def main():
    trials = [Trial(number, kills) for number, kills in enumerate(share(KILLS, BOARDS))]
    run_all(trials)
    for trial in trials:
        print("\n".join(trial.lines))
    faults = [fault for trial in trials for fault in trial.faults]
    done = [trial.figures for trial in trials if hasattr(trial, "figures")]
    print(f"{sum(f['kills'] for f in done)} kills, {sum(f['seconds'] for f in done):.0f} s of {len(done)} boards, "
          f"{sum(f['stored'] for f in done)} samples stored, said {sum(f['said'] for f in done)}")
    for fault in faults:
        print("WRONG", fault)
    return 1 if faults or len(done) < len(trials) else 0


if __name__ == "__main__":
    sys.exit(main())
