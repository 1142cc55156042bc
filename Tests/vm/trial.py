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
from lab import Adapter, Server, wait_for

AGENT = "runuser -u studyd -- studyd"
RECORDINGS = "/var/lib/studyd/recordings"
MEASURES = ("accelerometer", "magnetometer", "sound", "position")
LINES = "/sys/devices/platform/gpio-sim.0/gpiochip0"
PREVIOUS, SELECT, NEXT, LED, MOTOR, BUZZER = 5, 6, 13, 17, 22, 27
CHIPS = ("LIS3DH@0x18", "LIS3MDL@0x1E")


class Trial:
    """The board, what stands around it, and the count of what failed."""

    def __init__(self, image, tree, adapter, short):
        self.folder = tempfile.mkdtemp(prefix="studyd-vm-")
        self.failed, self.done, self.short, self.began = 0, 0, short, time.monotonic()
        self.adapter = Adapter(adapter, self.folder, CHIPS)
        self.server = Server(f"{tree}/usr/bin/study-receiver", self.folder)
        packed = f"{self.folder}/tree.tar"
        subprocess.run(["tar", "-C", tree, "--owner=0", "--group=0", "-cf", packed, "usr"], check=True)
        self.board = Board(image, self.folder, packed, self.adapter.usb)
        self.gps = Receiver(self.board)

    def check(self, what, body):
        """Runs one check; true when it held."""
        began = time.monotonic()
        self.done += 1
        try:
            seen, verdict = body(), "ok  "
        except (AssertionError, Failed, Lost, OSError, KeyError, ValueError, IndexError) as error:
            seen, verdict = f"{type(error).__name__}: {error}", "FAIL"
            self.failed += 1
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
