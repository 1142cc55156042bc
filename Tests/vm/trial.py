# SPDX-License-Identifier: Apache-2.0
"""The board, what stands around it, and the count of what failed."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from board import Board, Failed, Lost, Receiver
from lab import Adapter, Server, starved, wait_for

AGENT = "runuser -u studyd -- studyd"
RECORDINGS = "/var/lib/studyd/recordings"
MEASURES = ("accelerometer", "magnetometer", "sound", "position")
LINES = "/sys/devices/platform/gpio-sim.0/gpiochip0"
PREVIOUS, SELECT, NEXT, LED, CLASS_LED, MOTOR, BUZZER = 5, 6, 13, 17, 10, 22, 27
CHIPS = ("LIS3DH@0x18", "LIS3MDL@0x1E")


class Programs:
    """What the trial is made of: the guest's image and installed tree, and what plays on the host."""

    def __init__(self, image, tree, adapter, receiver):
        self.image, self.tree, self.adapter, self.receiver = image, tree, adapter, receiver


class Trial:
    """One machine, what stands around it, and the count of what failed. `script` is its world's, `machine` goes to `kind`, a Board."""

    def __init__(self, programs, short, chips=CHIPS, script="still 60s; walk 60s; rest 60s", kind=Board, **machine):
        self.folder = tempfile.mkdtemp(prefix="studyd-vm-")
        self.failed, self.done, self.short, self.began = 0, 0, short, time.monotonic()
        self.broken, self.chips = None, chips
        self.adapter = Adapter(programs.adapter, self.folder, chips, script)
        self.server = Server(programs.receiver, self.folder)
        tree, image = programs.tree, programs.image
        packed = f"{self.folder}/tree.tar"
        if os.path.isdir(tree):
            subprocess.run(["tar", "-C", tree, "--owner=0", "--group=0", "-cf", packed, "usr"], check=True)
        self.board = kind(image, self.folder, packed, self.adapter.usb, **machine)
        self.gps = Receiver(self.board)
        starved[:] = [self.board.stolen]

    def check(self, what, body, vital=False):
        """Runs one check; true when it held. Where a vital one failed nothing after it can be tried: each is named, and counts as failed."""
        began = time.monotonic()
        self.done += 1
        if self.broken:
            self.failed += 1
            print(f"SKIP {what}: not tried, since this failed: {self.broken}", flush=True)
            return False
        try:
            seen, verdict = body(), "ok  "
        except (AssertionError, Failed, Lost, OSError, KeyError, ValueError, IndexError) as error:
            seen, verdict = f"{type(error).__name__}: {error}", "FAIL"
            self.failed += 1
            if vital:
                self.broken = what
        print(f"{verdict} {what}: {seen or 'done'}  [{time.monotonic() - began:.1f} s]", flush=True)
        return verdict == "ok  "

    def figure(self, name, value, unit, **more):
        print(json.dumps({"name": name, "value": value, "unit": unit, **more}), flush=True)

    # What the guest says.

    def sh(self, command, within=60, check=True):
        return self.board.sh(command, within, check)

    def status(self):
        text = self.sh(f"{AGENT} status --json")
        return json.loads(text[text.index("{"):])

    def measure(self, kind, status=None):
        return next((m for m in (status or self.status())["measures"] if m["channel"] == kind), {})

    def unit(self, *properties):
        lines = self.sh("systemctl show studyd " + " ".join(f"-p {p}" for p in properties)).splitlines()
        return dict(line.split("=", 1) for line in lines)

    def press(self, *lines, seconds=0.1):
        self.sh("; ".join(f"sh /run/board/press {line} {seconds}" for line in lines))

    def watch(self):
        """From now on the kernel writes down every change of a line."""
        self.sh("sh /run/board/watch on")

    def watched(self):
        """The pulses since then, as lists of start and length in seconds by line. Throws when the kernel had to throw away a change."""
        values, pulses = {}, {}
        for row in self.sh("sh /run/board/watch off").splitlines():
            words = row.split()
            if words[0] == "overrun":
                assert int(words[1]) == 0, f"the kernel lost {words[1]} changes"
                continue
            at, key, value = float(words[0]), int(words[1]), int(words[2])
            before = values.get(key)
            if value and (before is None or not before[1]):
                values[key] = (at, 1)
            elif not value and before and before[1]:
                pulses.setdefault(key, []).append((before[0], at - before[0]))
                values[key] = (at, 0)
        return pulses

    def is_active(self, within=60):
        wait_for(lambda: self.sh("systemctl is-active studyd", check=False) == "active", within, "the unit is active")

    def stored(self, kind):
        return self.measure(kind).get("stored", 0)

    def grows(self, kind, within=30):
        """The measure's count of stored samples goes up; from and to."""
        before, seen = self.stored(kind), []

        def more():
            status = self.status()
            now = self.measure(kind, status).get("stored", 0)
            seen[:] = [f"{status['measures']}, faults {status['faults']}"]
            return now > before and now
        return before, wait_for(more, within, f"more than {before} of {kind} are stored", last=seen)

    def faults(self):
        return self.status()["faults"]

    def end(self):
        self.gps.running = False
        if self.failed and self.board.process and self.board.process.poll() is None:
            try:
                print(self.sh("journalctl -u studyd --no-pager -q -n 80", check=False), file=sys.stderr)
            except (Failed, Lost, OSError) as error:
                print(f"vm: no journal: {error}", file=sys.stderr)
        self.board.power_off()
        self.adapter.end()
        self.server.end()
        if os.environ.get("STUDYD_VM_KEEP"):
            print(f"vm: kept {self.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
