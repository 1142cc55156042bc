# SPDX-License-Identifier: Apache-2.0
"""Plays the agent's main job on the virtual board, breaks what can be broken, and says of each thing what was seen.

    vmtest.py IMAGE TREE ADAPTER [--short]

One line per check: `ok` or `FAIL`, what, what was seen. Figures are JSON lines {"name","value","unit"}. Ends with 1 when a check failed.
"""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import recorded
from board import Board, Lost, Receiver
from lab import Adapter, Server, wait_for

AGENT = "runuser -u studyd -- studyd"
RECORDINGS = "/var/lib/studyd/recordings"
MEASURES = ("accelerometer", "magnetometer", "sound", "position")
LINES = "/sys/devices/platform/gpio-sim.0/gpiochip0"
PREVIOUS, SELECT, NEXT, LED, BUZZER = 5, 6, 13, 17, 27
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
        except (AssertionError, Lost, OSError, KeyError, ValueError, IndexError) as error:
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
        before = self.stored(kind)
        return before, wait_for(lambda: (now := self.stored(kind)) > before and now, within, f"more of {kind} is stored")

    def faults(self):
        return self.status()["faults"]

    def end(self):
        self.gps.running = False
        self.board.power_off()
        self.adapter.end()
        self.server.end()
        if os.environ.get("STUDYD_VM_KEEP"):
            print(f"vm: kept {self.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


# MARK: The service

def machine(t):
    def boots():
        seconds = t.board.power_on()
        t.figure("boot to shell", round(seconds, 1), "s")
        state = t.sh("systemctl is-system-running --wait", within=120, check=False)
        assert state == "running", state + " " + t.sh("systemctl --failed --no-legend", check=False)
        return f"kernel {t.sh('uname -r')}, systemd {state}, shell after {seconds:.0f} s"

    def installs():
        t.sh("tar -xf /dev/vdb -C / && systemd-sysusers && udevadm control --reload && udevadm trigger --settle", within=120)
        return t.sh("id studyd")

    def devices():
        seen = []
        for device in ("/dev/gpiochip0", "/dev/i2c-usb", "/dev/ttyS1", "/dev/snd/pcmC0D1c", "/dev/input/event0",
                       "/sys/class/leds/input0::capslock/brightness"):
            assert t.board.run(f"runuser -u studyd -- test -r {device} -a -w {device}")[0] == 0, \
                f"the user studyd has no access to {device}: " + t.sh(f"ls -l {device}", check=False)
            seen.append(device)
        return ", ".join(seen)

    def chips():
        found = t.sh("i2cdetect -y $(readlink /dev/i2c-usb | cut -d- -f2)")
        assert " 18 " in found and " 1e " in found, found
        return "i2cdetect finds 0x18 and 0x1e"

    return t.check("boot", boots) and t.check("install", installs) and t.check("udev gives the user its devices", devices) \
        and t.check("the kernel's adapter sees the chips", chips)


def service(t):
    def starts():
        address = t.server.guest_address.replace("/", "\\/")
        t.sh("mkdir -p /etc/studyd /run/systemd/system/studyd.service.d"
             f" && sed 's/RECEIVER/{address}/' /run/board/studyd.toml >/etc/studyd/studyd.toml"
             " && printf '[Service]\\nWatchdogSec=30\\n' >/run/systemd/system/studyd.service.d/watchdog.conf"
             " && systemctl daemon-reload && systemctl enable --quiet studyd")
        began = time.monotonic()
        t.sh("systemctl start studyd", within=90)  # with Type=notify this returns once READY=1 has come
        took = time.monotonic() - began
        unit = t.unit("ActiveState", "Type", "NRestarts", "User", "WatchdogUSec")
        assert unit["ActiveState"] == "active" and unit["NRestarts"] == "0" and unit["Type"] == "notify", unit
        t.figure("start to READY=1", round(took, 2), "s")
        return f"{unit}, READY=1 after {took:.1f} s"

    def answers():
        status = t.status()
        assert status["running"] and not status["faults"], status
        assert status["clock"]["source"] in ("rtc", "kernel", "gps"), status["clock"]
        return f"running, clock from {status['clock']['source']}"

    def hardened():
        pid = t.unit("MainPID")["MainPID"]
        lines = dict(line.split(":", 1) for line in t.sh(f"cat /proc/{pid}/status").splitlines() if ":" in line)
        assert lines["NoNewPrivs"].strip() == "1" and lines["Seccomp"].strip() == "2", lines
        assert int(lines["CapEff"], 16) == 0, lines["CapEff"]
        level = t.sh("systemd-analyze security studyd --no-pager | tail -1").split(":")[-1].strip()
        return f"user {lines['Uid'].split()[0]}, no capabilities, seccomp; systemd-analyze security: {level}"

    return t.check("systemd starts the unit", starts) and t.check("status answers", answers) \
        and t.check("hardening is in force", hardened)


# MARK: The main job

def main_job(t):
    tries = 4

    def enrols():
        t.server.serve(tries)
        output = t.sh(f"{AGENT} enroll {t.server.guest_address}/study/study.json --participant P017 --seed 1")
        assert "participant P017 in study VIRTUAL" in output, output
        return output.splitlines()[0]

    def sounds():
        t.sh("(while :; do cat /run/board/tone.raw; done | aplay -q -t raw -f S16_LE -r 16000 -c 1 -D hw:Loopback,0,0) "
             "</dev/null >/run/board/aplay.log 2>&1 & echo $!")
        wait_for(lambda: t.stored("sound") > 0, 40, "levels are stored")
        return "aplay plays 1 kHz at -20 dBFS into the loopback"

    def prompted():
        lamp = "/sys/class/leds/input0::capslock/brightness"
        wait_for(lambda: t.status()["ledger"]["occurrences"]["open"] > 0, 100, "a prompt falls due", pause=1)
        changes = [int(n) for n in t.sh(f"bash /run/board/watch 4 {lamp} {LINES}/sim_gpio{LED}/value "
                                        f"{LINES}/sim_gpio{BUZZER}/value").splitlines()[-3:]]
        expected = changes[:1] if "gpiochip0\"\nline = 17" not in t.sh("cat /usr/share/studyd/boards/virtual.toml") else changes
        assert all(n >= 2 for n in expected), f"changes in 4 s: class LED, LED line, buzzer line {changes}"
        return f"changes in 4 s: class LED {changes[0]}, LED line {changes[1]}, buzzer line {changes[2]}"

    def answered():
        seen = ""
        for attempt in range(1, tries + 1):
            # Take it up; the second option; yes; submit.
            t.press(SELECT, NEXT, NEXT, SELECT, NEXT, SELECT)
            try:
                wait_for(lambda: t.status()["ledger"]["occurrences"]["completed"] > 0, 20, "the answer is taken")
                seen = f"completed at try {attempt}"
                break
            except AssertionError:
                if attempt == tries:
                    raise
                wait_for(lambda: t.status()["ledger"]["occurrences"]["open"] > 0, 100, "another prompt falls due", pause=1)
        answer = wait_for(t.server.answers, 60, "the answer arrives")[0]
        responses = json.loads(answer["fields"]["responses"])
        assert answer["fields"]["user_id"] == "P017", answer
        assert responses["where"] == "Kitchen" and responses["alone"] in ("Yes", True, 1, "1"), responses
        assert not answer["warnings"], answer["warnings"]
        return f"{seen}; the receiver has {responses}"

    def arrived():
        def kinds():
            return {f["metadata"]["measure"] for f in t.server.files() if not f["name"].endswith(".json")}
        wait_for(lambda: kinds() >= set(MEASURES), 120, "recordings of every measure arrive")
        for file in t.server.files():
            assert file["sha256"] == file["announcedSHA256"] and file["metadata"]["participant"] == "P017", file
        return f"{len(t.server.files())} files of {sorted(kinds())}, hashes as announced"

    ok = t.check("enrol from the host's server", enrols)
    if not ok:
        return False
    t.gps.start()
    t.check("sound through snd-aloop", sounds)
    ok = t.check("prompt by light", prompted)
    ok = t.check("presses on GPIO lines answer it, and the answer arrives", answered) and ok
    return t.check("recordings arrive", arrived) and ok


def contents(t):
    def newest(measure, suffix):
        files = [f for f in t.server.files(measure) if suffix in f["name"]]
        return t.server.content(files[-1]), files[-1]["name"]

    def accelerometer():
        data, name = newest("accelerometer", ".cwa")
        samples, rate, wrong = recorded.cwa(data)
        lengths = sorted(math.sqrt(x * x + y * y + z * z) for x, y, z in samples)
        middle = lengths[len(lengths) // 2]
        assert wrong == 0 and len(samples) > 500, (wrong, len(samples))
        assert 0.85 < middle < 1.15, f"median |a| = {middle:.3f} g"
        assert abs(rate - 100.8) < 1.5, f"{rate:.2f} samples a second, the chip's true rate is 100.8"
        t.figure("accelerometer rate in the file", round(rate, 3), "Hz", truth=100.8)
        return f"{name}: {len(samples)} samples, median |a| {middle:.3f} g, {rate:.2f} Hz (truth 100.8)"

    def magnetometer():
        data, name = newest("magnetometer", ".csv")
        rows = recorded.table(data)
        values = [[float(v) for k, v in row.items() if k not in ("time", "uptime")] for row in rows]
        lengths = sorted(math.sqrt(sum(v * v for v in row)) for row in values)
        middle = lengths[len(lengths) // 2]
        rate = (len(rows) - 1) / (float(rows[-1]["uptime"]) - float(rows[0]["uptime"]))
        assert 46 < middle < 51, f"median |B| = {middle:.1f}, the world's field is 48.3 µT"
        assert abs(rate - 19.92) < 0.6, f"{rate:.2f} samples a second, the chip's true rate is 19.92"
        return f"{name}: {len(rows)} samples, median |B| {middle:.1f} µT, {rate:.2f} Hz (truth 19.92)"

    def sound():
        data, name = newest("sound", ".csv")
        levels = sorted(float(row["LAeq"]) for row in recorded.table(data))
        middle = levels[len(levels) // 2]
        assert abs(middle - 100) < 0.3, f"median LAeq {middle:.2f} dB; 1 kHz at -20 dBFS and a calibration of 120 dB make 100"
        return f"{name}: {len(levels)} seconds, median LAeq {middle:.2f} dB (truth 100)"

    def position():
        data, name = newest("position", ".nmea")
        found = recorded.fixes(data)
        assert len(found) > 5 and all(abs(a - 52.4) < 0.1 and abs(b - 13.05) < 1e-4 for a, b in found), found[:3]
        assert b"$PSTDY" in recorded.plain(data)
        return f"{name}: {len(found)} fixes near {found[-1][0]:.5f}, {found[-1][1]:.5f}"

    t.check("the CWA file holds gravity at the right rate", accelerometer)
    t.check("the magnetometer's file holds the field", magnetometer)
    t.check("the levels are those of the tone", sound)
    t.check("the NMEA file holds the way", position)


def cost(t):
    """What the agent costs while it records, in the guest."""
    def usage(pid):
        fields = t.sh(f"cat /proc/{pid}/stat").rsplit(")", 1)[1].split()
        switches = t.sh(f"cat /proc/{pid}/task/*/status | sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p'").split()
        return (int(fields[11]) + int(fields[12])) / 100, sum(map(int, switches)), float(t.sh("cut -d' ' -f1 /proc/uptime"))

    def measures():
        pid = t.unit("MainPID")["MainPID"]
        before, status_before = usage(pid), t.status()
        time.sleep(20)
        after, status_after = usage(pid), t.status()
        span = after[2] - before[2]
        t.figure("agent CPU in the guest (TCG: an emulated processor)", round(100 * (after[0] - before[0]) / span, 2), "% of one core")
        t.figure("agent wake-ups of all threads", round((after[1] - before[1]) / span, 1), "1/s")
        bus = {k: status_after["cost"][k] - status_before["cost"][k] for k in ("wakeUps", "watermarks")}
        t.figure("bus wake-ups per watermark", round(bus["wakeUps"] / max(1, bus["watermarks"]), 2), "1", **bus)
        memory = t.sh(f"sed -n 's/^VmRSS:[[:space:]]*//p' /proc/{pid}/status")
        return f"over {span:.0f} s; resident {memory}"

    t.check("cost", measures)


# MARK: Faults

def faults(t):
    def silent(order, undo, kind, words, what):
        """A fault of the bus: named while it lasts, then a counted gap, then samples again."""
        def body():
            lost = t.measure(kind)["lost"]
            t.adapter.order(order)
            try:
                named = wait_for(lambda: [f for f in t.faults() if all(w.lower() in f.lower() for w in words)], 40,
                                 f"a fault that names {words}; status has {t.faults()}")
                time.sleep(2)
            finally:
                t.adapter.order(undo)
            wait_for(lambda: not t.faults(), 60, f"no fault after {undo}")
            before, after = t.grows(kind)
            gap = wait_for(lambda: t.measure(kind)["lost"] - lost, 30, "the gap is counted")
            return f"\"{named[0]}\"; then {gap} samples counted as lost, stored {before} → {after}"
        t.check(what, body)

    silent("silence 0x1e", "wake 0x1e", "magnetometer", ["LIS3MDL", "0x1E"], "a chip that does not acknowledge")
    silent("stall", "unstall", "accelerometer", ["LIS3DH", "0x18"], "transfers that fail (EIO)")
    silent("unplug", "plug", "accelerometer", ["LIS3DH", "0x18"], "the adapter is unplugged and plugged in")
    if t.short:
        return

    def noise():
        t.gps.noise += [bytes(range(256)) * 2, b"$GPGGA,120000.00,5224.0", b"\r\n$GPRMC,1*00\r\n", b"\xb5b\x01\x07" + bytes(96)]
        before = t.gps.epochs
        wait_for(lambda: t.gps.epochs > before + 3 and not t.gps.noise, 20, "epochs after the noise")
        was, now = t.grows("position")
        assert t.sh("systemctl is-active studyd") == "active"
        return f"garbage, half a sentence, a wrong checksum, UBX: position goes on, {was} → {now}"

    def bounces():
        completed = t.status()["ledger"]["occurrences"]
        pull = f"{LINES}/sim_gpio{PREVIOUS}/pull"
        t.sh(f"for n in $(seq 40); do echo pull-down >{pull}; echo pull-up >{pull}; done")
        t.sh(f"echo pull-down >{pull}; sleep 20; echo pull-up >{pull}", within=60)
        t.is_active()
        assert t.status()["ledger"]["occurrences"]["completed"] == completed["completed"]
        return "40 contacts at once, and a button held for 20 s: the agent goes on"

    def card():
        sysfs = "/sys/bus/platform/drivers/snd_aloop"
        before = t.measure("sound")
        t.sh(f"pkill aplay; echo snd_aloop.0 >{sysfs}/unbind", check=False)
        seen = []
        try:
            named = wait_for(lambda: [f for f in t.faults() if "Loopback" in f or "microphone" in f or "sound" in f] or
                             ([t.measure("sound")["fault"]] if t.measure("sound").get("fault") else None), 40,
                             f"a fault that names the sound card; status: {t.faults()}")
            seen.append(named[0])
        finally:
            t.sh(f"echo snd_aloop.0 >{sysfs}/bind && udevadm settle", check=False)
        wait_for(lambda: not t.faults(), 60, "no fault once the card is back")
        was, now = t.grows("sound", within=60)
        lost = wait_for(lambda: t.measure("sound")["lost"] - before["lost"], 40, "the gap is counted")
        return f"\"{seen[0]}\"; then {lost} samples counted as lost, stored {was} → {now}"

    t.check("garbage on the serial line", noise)
    t.check("a bouncing and a stuck button", bounces)
    t.check("the sound card is removed and comes back", card)


def smbus(t):
    """A LIS3DH's registers on i2c-stub, which has SMBus calls only: an agent beside the board's own."""
    def stub():
        t.sh("modprobe i2c-stub chip_addr=0x18 && udevadm settle")
        number = t.sh("grep -l 'SMBus stub' /sys/class/i2c-dev/*/name | sed 's/[^0-9]*2c-dev.i2c-\\([0-9]*\\).*/\\1/'")
        assert "I2C" in t.sh(f"i2cdetect -F {number}"), "no adapter"
        # Identity; a FIFO that always holds 20 samples; in them 1 g upwards at ±8 g: 250 digits of 4 mg, left-justified.
        registers = [(0x0F, 0x33), (0x2F, 0x94)] + [(r, v) for r in range(0xA8, 0x100) for v in [(0, 0, 0, 0, 0xA0, 0x0F)[(r - 0xA8) % 6]]]
        t.sh("; ".join(f"i2cset -y {number} 0x18 {r} {v}" for r, v in registers))
        t.sh(f"sed -i 's/STUB/{number}/' /run/board/smbus-board.toml; mkdir -p /run/board/smbus-state; "
             "chown -R studyd /run/board/smbus-state")
        command = f"{AGENT} --config /run/board/smbus.toml".replace("studyd --config", "studyd")
        t.sh(f"{command} run --config /run/board/smbus.toml </dev/null >/run/board/smbus.log 2>&1 & echo $!")

        def looked():
            text = t.sh(f"{command} status --json --config /run/board/smbus.toml")
            status = json.loads(text[text.index("{"):])
            measure = next((m for m in status["measures"] if m["channel"] == "accelerometer"), {})
            return (measure.get("stored", 0) > 100 or status["faults"]) and status
        try:
            status = wait_for(looked, 40, "samples or a named fault; it said: " + t.sh("cat /run/board/smbus.log"))
            measure = next((m for m in status["measures"] if m["channel"] == "accelerometer"), {})
            control = t.sh(f"i2cget -y {number} 0x18 0x20")
            assert control == "0x57", f"CTRL_REG1 is {control}; 100 Hz and three axes are 0x57"
        finally:
            t.sh("pkill -TERM -f smbus.toml; sleep 1; modprobe -r i2c-stub", check=False)
        if status["faults"]:
            assert "SMBus" in status["faults"][0], status["faults"]
            return f"identified and set up; reading is refused by name: {status['faults'][0]}"
        return f"identified, set up and read by SMBus calls: {measure['stored']} samples"

    t.check("SMBus only (i2c-stub)", stub)


# MARK: Death and resurrection

def restarts(t):
    def killed():
        before = t.unit("MainPID", "NRestarts")
        t.sh("systemctl kill -s KILL studyd")
        wait_for(lambda: t.unit("NRestarts")["NRestarts"] != before["NRestarts"], 30, "systemd restarts it")
        t.is_active()
        after = t.unit("MainPID", "NRestarts")
        assert after["MainPID"] != before["MainPID"], after
        was, now = t.grows("accelerometer", within=60)
        return f"NRestarts {before['NRestarts']} → {after['NRestarts']}, records again: {was} → {now}"

    def hangs():
        before = int(t.unit("NRestarts")["NRestarts"])
        t.sh("systemctl kill -s STOP studyd")
        wait_for(lambda: int(t.unit("NRestarts")["NRestarts"]) > before, 90, "the watchdog ends a process that hangs")
        t.is_active()
        log = t.sh("journalctl -u studyd --no-pager -q | grep -c 'Watchdog timeout'", check=False)
        assert int(log or 0) > 0, "systemd did not name the watchdog"
        was, now = t.grows("accelerometer", within=60)
        return f"stopped by SIGSTOP, ended by the watchdog, records again: {was} → {now}"

    t.check("kill -9: systemd restarts it and it goes on", killed)
    if not t.short:
        t.check("watchdog: a process that hangs is restarted", hangs)


def stops(t):
    def body():
        was, _ = t.grows("accelerometer")
        began = float(t.sh("cut -d' ' -f1 /proc/uptime"))
        t.sh("systemctl stop studyd", within=60)
        took = float(t.sh("cut -d' ' -f1 /proc/uptime")) - began
        t.figure("systemctl stop to all sealed", round(took, 2), "s", limit=5)
        unit = t.unit("ActiveState", "Result", "ExecMainStatus")
        assert unit == {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0"}, unit
        left = t.sh(f"ls {RECORDINGS} | grep -E 'partial|open'", check=False)
        assert not left, f"not sealed: {left}"
        assert took <= 5, f"{took:.1f} s"
        verdict = t.sh(f"{AGENT} recordings verify $(ls {RECORDINGS}/*.cwa | tail -3)")
        assert json.loads(t.sh(f"{AGENT} status --json"))["ledger"]["balanced"]
        return f"{took:.1f} s, nothing open, {verdict.splitlines()[-1]}"

    def again():
        t.sh("systemctl start studyd", within=90)
        was, now = t.grows("accelerometer", within=60)
        return f"{was} → {now}"

    t.check("systemctl stop seals every file in at most 5 s", body)
    t.check("started again it goes on", again)


def sealed(t):
    """Sealed recordings by name with their hash."""
    lines = t.sh(f"cd {RECORDINGS} && ls | grep -vE 'json$|partial|open' | xargs -r sha256sum").splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def power(t):
    before = {}

    def cut():
        def partial():
            sizes = t.sh(f"cd {RECORDINGS} && stat -c '%s %n' *partial*", check=False).splitlines()
            found = [line.split() for line in sizes if line[0].isdigit()]
            return len(found) >= 4 and all(int(size) > 0 for size, _ in found) and [name for _, name in found]
        before["partial"] = wait_for(partial, 60, "four files are open and not empty")
        before["status"] = t.status()
        before["sealed"] = sealed(t)
        before["answers"] = len(t.server.answers())
        before["boot"] = t.sh("cat /proc/sys/kernel/random/boot_id")
        t.board.cut_power()
        return f"{len(before['sealed'])} sealed files, {len(before['partial'])} open ones"

    def boots():
        seconds = t.board.power_on()
        assert t.sh("cat /proc/sys/kernel/random/boot_id") != before["boot"]
        t.is_active(within=120)
        return f"shell after {seconds:.0f} s, systemd started the agent by itself"

    def kept():
        after = sealed(t)
        for name, digest in before["sealed"].items():
            assert after.get(name) == digest, f"{name}: {digest} before, {after.get(name)} after"
        return f"all {len(before['sealed'])} sealed files are there, byte for byte"

    def recovered():
        rows = []
        for name in before["partial"]:
            number = name.split("-")[0]
            def described():
                return json.loads(t.sh(f"cat {RECORDINGS}/{number}-*.json"))
            note = wait_for(lambda: (d := described())["state"] == "sealed" and d, 60, f"{name} is sealed")
            assert note.get("isRecovered"), f"{name} is not marked as recovered: {note}"
            rows.append(f"{note['kind']} {note['samplesStored']} stored, lost {note['samplesLost']}")
        return "; ".join(rows)

    def on():
        status = t.status()
        assert status["ledger"]["balanced"], status["ledger"]
        assert status["ledger"]["occurrences"]["completed"] >= before["status"]["ledger"]["occurrences"]["completed"]
        return ", ".join(f"{kind} {was} → {now}" for kind in MEASURES if kind != "sound" for was, now in [t.grows(kind, 60)])

    if t.check("power cut while it records", cut) and t.check("power comes back", boots):
        t.check("nothing sealed is lost", kept)
        t.check("open files are recovered and their loss is stated", recovered)
        t.check("recording goes on", on)


def final(t):
    def everything():
        wait_for(lambda: (i := t.status()["ledger"]["items"])["waiting"] + i["sending"] == 0, 90, "the outbox is empty")
        status = t.status()
        samples, items = status["ledger"]["samples"], status["ledger"]["items"]
        lost = sum(samples["lost"].values()) if isinstance(samples["lost"], dict) else samples["lost"]
        unaccounted = samples["due"] - samples["stored"] - lost
        t.figure("samples unaccounted", unaccounted, "1", due=samples["due"], stored=samples["stored"], lost=samples["lost"])
        assert status["ledger"]["balanced"] and unaccounted == 0, status["ledger"]
        assert not t.server.get("/api/refusals"), t.server.get("/api/refusals")
        return f"balanced; {items}"

    def chain():
        output = t.sh(f"{AGENT} verify-log")
        assert "whole" in output, output
        return output.splitlines()[-1]

    def verified():
        names = t.sh(f"cd {RECORDINGS} && ls *.cwa *.csv.gz *.nmea.gz 2>/dev/null | grep -v partial | xargs").split()
        output = t.sh(f"cd {RECORDINGS} && {AGENT} recordings verify {' '.join(names)}", within=120)
        return f"{len(names)} recordings: {output.splitlines()[-1]}"

    t.check("the ledger is balanced, nothing is unaccounted, nothing was refused", everything)
    t.check("the log's hash chain is whole", chain)
    t.check("every sealed recording is as its description says", verified)


def play(t):
    if not (machine(t) and service(t)):
        return
    if main_job(t):
        contents(t)
    cost(t)
    faults(t)
    if not t.short:
        smbus(t)
    restarts(t)
    stops(t)
    power(t)
    final(t)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(arguments) != 3:
        sys.exit(__doc__)
    t = Trial(*arguments, short="--short" in sys.argv)
    try:
        play(t)
    except (Lost, AssertionError, OSError):
        traceback.print_exc()
        t.failed += 1
    if t.failed and t.board.process and t.board.process.poll() is None:
        print(t.sh("journalctl -u studyd --no-pager -q -n 60", check=False), file=sys.stderr)
    t.end()
    t.figure("virtual board, whole run", round(time.monotonic() - t.began), "s")
    print(f"vm: {t.done - t.failed} of {t.done} checks held")
    sys.exit(1 if t.failed else 0)


if __name__ == "__main__":
    main()
