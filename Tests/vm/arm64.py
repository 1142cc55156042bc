# SPDX-License-Identifier: Apache-2.0
"""A device as it is flashed and sent out: Debian 13 for arm64 with the packages, no clock with a battery, no cable, and a folder on a disk of vfat.
It must take part without a network, on later boots too; with a cable it must be heard of and prompt within a minute, and go on without it."""
import json
import pathlib
import secrets
import subprocess
import tempfile
import time

import takeover
from board import Board
from lab import TimeServer, wait_for
from trial import AGENT, CHIPS, RECORDINGS

LIMIT = takeover.LIMIT
PARTICIPANT = "P031"
BOARD = """name = "arm64 board"

[[bus]]
name = "usb"
device = "/dev/i2c-usb"

[[chip]]
type = "LIS3DH"
bus = "usb"
address = 0x18

[[chip]]
type = "LIS3MDL"
bus = "usb"
address = 0x1E

[[button]]                    # lines of the machine's own PL061
name = "only"
device = "/dev/gpiochip0:0"

[[light]]
name = "status"
device = "/dev/gpiochip0:1"

[buzzer]
device = "/dev/gpiochip0:2"
"""
# Seconds since the kernel began at which the first recording got samples, behind its header.
WATCH = r"""perl -e '
    %old = map {$_ => -s} glob("RECORDINGS/*");
    for (1 .. 6000) {
        for (glob("RECORDINGS/*.cwa*")) {
            next if $old{$_} || -s $_ <= 1024;
            open U, "/proc/uptime"; print +(split " ", <U>)[0]; exit }
        select undef, undef, undef, 0.05 }'""".replace("RECORDINGS", RECORDINGS)


class ArmBoard(Board):
    """QEMU's virt machine, of which Debian's kernel has all drivers; the cable is not plugged in."""
    CONSOLE = "console=ttyAMA0 board.offline"
    link = False

    def machine(self):
        return ["qemu-system-aarch64", "-M", "virt,gic-version=3", "-cpu", "cortex-a53", "-kernel", str(self.image / "vmlinuz")]

    def parts(self):
        return []

    def powered(self):
        self.plug(self.link)

    def plug(self, link):
        self.link = link
        self.order("set_link", name="net", up=link)


# The driver of the machine's clock is never started.
MACHINE = {"kind": ArmBoard, "append": "initcall_blacklist=pl031_driver_init"}


def play(t):
    path = f"{t.folder}/stick.img"
    key = secrets.token_urlsafe(32)
    t.board.extra += ["-drive", f"file={path},if=none,id=stick,format=raw,cache=writethrough", "-device", "virtio-blk-pci,drive=stick"]

    def fill():
        """As docs/first-use.md has it; each full minute of the next hours is one at which a prompt falls due."""
        takeover.stick(path)
        t.server.serve(180)
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder) / "studyd"
            root.mkdir()
            (root / "setup.toml").write_text("\n".join([
                f'participant = "{PARTICIPANT}"', 'study = "study.json"', 'board = "board.toml"', 'zone = "Asia/Kolkata"',
                f'receiver = "{t.server.guest_address}"', f'device_key = "{key}"', ""]))
            (root / "study.json").write_bytes(t.server.study.read_bytes())
            (root / "board.toml").write_text(BOARD)
            subprocess.run(["mcopy", "-s", "-i", path, str(root), "::"], check=True)

    def emulation():
        """How much longer a computation takes in there than out here."""
        line = ["perl", "-e", "$x = ($x * 31 + $_) % 65521 for 1 .. 4e6; print +(times)[0]"]
        here = min(float(subprocess.run(line, capture_output=True, text=True, check=True).stdout) for _ in range(3))
        there = float(t.sh(" ".join(line[:2]) + f" '{line[2]}'", within=120))
        return there / here

    def started(what):
        """Seconds from power-on to the unit's start and to READY=1, by the guest's clock."""
        seen = []

        def runs():
            seen[:] = [t.sh("systemctl is-active studyd; journalctl -u studyd -u studyd-takeover -n 8 --no-pager -o short-monotonic;"
                            " ls -l /dev/i2c* /dev/gpiochip*; dmesg | grep -i -E 'usb|i2c' | tail", check=False)]
            return seen[0].startswith("active")
        wait_for(runs, 400, "the agent runs", last=seen)
        times = t.unit("ExecMainStartTimestampMonotonic", "ActiveEnterTimestampMonotonic")
        start, ready = (int(times[name]) / 1e6 for name in ("ExecMainStartTimestampMonotonic", "ActiveEnterTimestampMonotonic"))
        starved = t.board.stolen()
        busy = [int(word) for word in t.sh("head -1 /proc/stat").split()[1:8]]
        t.figure(f"{what}: power-on to the agent's start", round(start, 1), "s", limit=LIMIT, starved=round(starved, 1),
                 busy=round(1 - (busy[3] + busy[4]) / sum(busy), 2))
        assert start <= LIMIT + starved, f"{start:.1f} s, of which the machine was starved for {starved:.1f} s"
        return start, ready, starved

    def taken():
        fill()
        t.board.power_on(within=900)
        assert t.board.run("ls /dev/rtc0")[0] != 0, "there is a clock"
        start, ready, starved = started("first boot")
        status = t.status()
        assert status["participant"] == PARTICIPANT and status["clock"]["source"] == "unknown", status
        assert t.sh("cat /sys/class/net/e*/carrier") == "0"
        factor = emulation()
        t.figure("a computation takes as many times as long as on the host", round(factor, 1), "1")
        return (f"{t.sh('uname -r')}, no RTC, link down: {PARTICIPANT} enrolled, unit started {start:.1f} s after power-on (starved for {starved:.1f} s), "
                f"READY {ready - start:.1f} s later; a computation takes {factor:.0f} times as long as on the host")

    def reported():
        text = takeover.result(path)
        assert text.startswith("Taken over") and key not in text, text
        assert key.encode() not in pathlib.Path(path).read_bytes(), "the key is still on the stick"
        return text.splitlines()[0]

    def recorded():
        return "{} → {} samples".format(*t.grows("accelerometer", 90))

    def later():
        t.sh("sync", within=120)
        t.board.cut_power()
        t.board.power_on(within=900)
        start, ready, starved = started("later boot")
        status = t.status()
        assert status["participant"] == PARTICIPANT and status["clock"]["source"] == "unknown", status
        return f"the power was cut; unit started after {start:.1f} s (starved for {starved:.1f} s), READY {ready - start:.1f} s later"

    def samples():
        t.sh("systemctl stop studyd", within=120)
        t.sh(f"({WATCH} >/run/first-sample) >/dev/null 2>&1 &")
        starved = t.board.stolen()
        t.sh("systemctl start studyd", within=200)
        ready = int(t.unit("ActiveEnterTimestampMonotonic")["ActiveEnterTimestampMonotonic"]) / 1e6
        first = float(wait_for(lambda: t.sh("cat /run/first-sample"), 60, "a recording has samples"))
        starved = t.board.stolen() - starved
        t.figure("READY to the first stored sample", round(first - ready, 2), "s", limit=2, starved=round(starved, 1))
        assert first - ready <= 2 + starved, f"{first - ready:.2f} s, starved for {starved:.1f} s"
        return f"{first - ready:.2f} s after READY (starved for {starved:.1f} s)"

    def heard_of():
        """The lab's receiver knows the participant by a report, and has a file."""
        devices = [d for d in t.server.get("/api/fleet")["devices"] if d.get("participant") == PARTICIPANT]
        return devices and t.server.files() and devices[0]

    def due():
        return t.status()["ledger"]["occurrences"]["due"]

    def linked():
        clock = TimeServer(port=123)
        clock.start()
        # So that the next prompt is not over before the clock is right.
        time.sleep((15 - time.time()) % 60)
        waited, before = t.board.stolen(), due()
        began = time.monotonic()
        t.board.plug(True)
        device = wait_for(heard_of, 60, "the receiver knows it", last=[t.sh("networkctl; journalctl -u systemd-timesyncd -n 5 -o cat --no-pager", check=False)])
        took, starved = time.monotonic() - began, t.board.stolen() - waited
        t.figure("link up to report and recordings", round(took, 1), "s", limit=15, starved=round(starved, 1))
        t.checked = (began, waited, before)
        assert took <= 15 + starved, f"{took:.1f} s, starved for {starved:.1f} s"
        return f"{took:.1f} s after the link came up (starved for {starved:.1f} s): report {device.get('report', {}).get('reason')}, {len(t.server.files())} files"

    def prompted():
        began, waited, before = t.checked
        wait_for(lambda: due() > before, 120, "a prompt falls due", pause=1)
        took, starved = time.monotonic() - began, t.board.stolen() - waited
        t.figure("link up to the first prompt", round(took, 1), "s", limit=60, starved=round(starved, 1))
        assert took <= 60 + starved, f"{took:.1f} s, starved for {starved:.1f} s"
        return f"{took:.1f} s after the link came up (starved for {starved:.1f} s); clock from {t.status()['clock']['source']}"

    def unplugged():
        t.board.plug(False)
        wait_for(lambda: t.sh("cat /sys/class/net/e*/carrier") == "0", 20, "the link is down")
        before = due()
        for count in (1, 2):
            wait_for(lambda: due() >= before + count, 140, "the next prompt falls due", pause=2)
        return "two more prompts without a network"

    t.check("a folder on a disk of vfat enrols without a network", taken, vital=True)
    t.check("RESULT.txt says so, and the key is gone from the disk", reported)
    t.check("it records", recorded)
    t.check("a later boot, offline too", later, vital=True)
    t.check("the first stored sample", samples)
    t.check("link up: enrolment and report at the receiver", linked)
    t.check("the first prompt", prompted)
    t.check("link down: the next prompts", unplugged)
