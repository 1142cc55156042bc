# SPDX-License-Identifier: Apache-2.0
"""Sticks on the real drivers: they come and go as USB, are mounted as docs/operating.md says, and are made and read on the host by other programs."""
import base64
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import time

import service
from job import rhythm
from lab import wait_for
from trial import AGENT, BUZZER, CLASS_LED, LED, MOTOR, RECORDINGS

MACHINE = {}
PLACE = "/media/studyd"
REMOVABLE = "--.'"  # docs/panel.md
ROOT = pathlib.Path(__file__).resolve().parents[2]
# The dirty bit of a stick that was not unmounted, which is also written over the boot sector's copy's; the count of free clusters is a hint that is
# written when it is unmounted.
USUAL = re.compile(r"fsck.fat |.*: \d+ files, |Leaving filesystem|Dirty bit is set|There are differences between boot|This is mostly harmless"
                   r"|  65:01/00$|\*\*\* Filesystem was changed|Writing changes|  Not automatically fixing|  Auto| Automatically|Free cluster summary wrong")
# What FAT's names and those of a study have trouble with: a colon, a slash, a quotation mark, a letter beyond ASCII, a blank and a dot at the end.
STUDY, PARTICIPANT = 'Tag/1: "Über" .', "P:017"


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, **more).stdout.decode()


class Stick:
    """As a shop sells it: a partition table with one partition of FAT32. sfdisk and dosfstools make it, mtools and fsck.vfat read it."""

    START = 1 << 20

    def __init__(self, t, name, megabytes, label="STUDYD", kind="vfat"):
        self.board, self.name, self.path = t.board, name, f"{t.folder}/{name}.img"
        self.partition, self.plugs = f"{self.path}@@{self.START}", 0
        run("truncate", "-s", f"{megabytes}M", self.path)
        if kind == "exfat":
            run("mkfs.exfat", "-L", label, self.path)
            return
        run("sfdisk", "-q", self.path, input=b"start=2048, type=c\n")
        run("mkfs.vfat", "-F", "32", "-n", label, f"--offset={self.START // 512}", self.path, (megabytes - 1) * 1024)

    def plug(self, rate=None):
        """Bytes a second are what it writes at most."""
        self.plugs += 1
        self.node, file = f"{self.name}{self.plugs}", f"{self.name}-file{self.plugs}"
        group = f"{self.name}-rate{self.plugs}"
        self.board.order("object-add", **{"qom-type": "throttle-group", "id": group, "limits": {"bps-write": rate} if rate else {}})
        self.board.order("blockdev-add", **{"driver": "file", "node-name": file, "filename": self.path})
        self.board.order("blockdev-add", **{"driver": "raw", "node-name": f"{self.node}-raw", "file": file})
        self.board.order("blockdev-add", **{"driver": "throttle", "node-name": self.node, "throttle-group": group, "file": f"{self.node}-raw"})
        self.board.order("device_add", driver="usb-storage", id=self.name, drive=self.node, bus="xhci.0", removable=True)

    def pull(self):
        """At once; what was not written by then is lost."""
        self.board.order("device_del", id=self.name)
        nodes = [self.node, f"{self.node}-raw", f"{self.name}-file{self.plugs}"]

        def gone():
            while nodes:
                self.board.order("blockdev-del", **{"node-name": nodes[0]})
                nodes.pop(0)
            return True
        wait_for(gone, 30, "QEMU lets go of the stick", pause=0.1)

    def files(self):
        """A copy of what is on it, made by mtools."""
        copy = pathlib.Path(f"{self.path}.copy")
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        run("mcopy", "-n", "-s", "-i", self.partition, "::*", copy)
        return copy

    def make(self, *folders):
        for depth in range(1, len(folders) + 1):
            run("mmd", "-D", "s", "-i", self.partition, "::" + "/".join(folders[:depth]))

    def fill(self, left):
        """Something of a person's, which leaves so many bytes free."""
        free = int(re.search(r"([\d ]+) bytes free", run("mdir", "-i", self.partition, "::")).group(1).replace(" ", ""))
        other = pathlib.Path(self.path + ".other")
        run("truncate", "-s", free - left, other)
        run("mcopy", "-i", self.partition, other, "::holidays.mov")

    def empty(self):
        run("mdel", "-i", self.partition, "::holidays.mov")

    def faults(self):
        """What fsck.vfat finds, which changes nothing, but that it was not unmounted, which is true."""
        return self._check("-n")

    def repair(self):
        """What a computer repairs where it is asked."""
        return self._check("-a")

    def _check(self, option):
        part = pathlib.Path(self.path + ".part")
        with open(self.path, "r+b") as whole:
            whole.seek(self.START)
            part.write_bytes(whole.read())
            said = subprocess.run(["fsck.vfat", option, str(part)], capture_output=True, text=True).stdout
            whole.seek(self.START)
            whole.write(part.read_bytes())
        part.unlink()
        return [line for line in said.splitlines() if line.strip() and not USUAL.match(line)]


def advice(number):
    """A block of what docs/operating.md tells people to do about sticks."""
    section = (ROOT / "docs/operating.md").read_text().split("\n## A stick for recordings\n")[1].split("\n## ")[0]
    return re.findall(r"```\n(.*?)```", section, re.S)[number]


def play(t):
    judge = ROOT / ".build/release/studyd"
    # What was seen whole on any stick, by name.
    arrived = set()

    def unsent():
        counts = t.status()["ledger"]["items"]
        return counts["waiting"] + counts["sending"]

    def words():
        """What studyd says of what waits."""
        return " / ".join(line.strip() for line in t.sh(f"{AGENT} status --uploads", check=False).splitlines() if " stick " in line)

    def mount():
        return t.sh(f"findmnt -n -o FSTYPE,SOURCE --mountpoint {PLACE}", check=False)

    def plug(stick, rate=None):
        stick.plug(rate)
        wait_for(mount, 60, "systemd mounts it", last=[t.sh("lsblk -f; journalctl -n 20 --no-pager -o cat", check=False)])

    def pull(stick):
        stick.pull()
        # Nothing goes to the card in its place.
        wait_for(lambda: not mount(), 60, "the mount ends with the stick", last=[t.sh("systemctl status media-studyd.mount --no-pager", check=False)])
        on_card = t.sh(f"find {PLACE} -xdev -type f", check=False)
        assert not on_card or "No such file" in on_card, on_card

    def wait_until_sent(within=180):
        wait_for(lambda: unsent() == 0, within, "everything is on the stick", last=[words()])

    def own():
        """Recordings in the guest, by its own sha256sum."""
        lines = t.sh(f"cd {RECORDINGS} && sha256sum *.cwa *.flac *.json", within=120, check=False).splitlines()
        return {line.split(None, 1)[1]: line.split(None, 1)[0] for line in lines if not line.startswith("sha256sum")}

    def compare(digests):
        """Each file of a finished name is what the device has."""
        here = own()
        different = sorted(name for name, digest in digests.items() if name in here and digest != here[name])
        assert not different, f"not as on the device: {different}"
        arrived.update(digests)
        return len(digests)

    def read(stick):
        """How many finished files mtools finds, each as the device has it."""
        paths = [path for path in stick.files().rglob("*") if path.is_file() and not path.name.endswith(".part")]
        return compare({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths if path.name != "holidays.mov"})

    def verify(stick):
        """The same, and what `recordings verify` says of all of it, and fsck.vfat."""
        count, left = read(stick), [path.name for path in stick.files().rglob("*.part")]
        assert not left, left
        enrolment = next(stick.files().rglob("labels.json")).parent
        said = subprocess.run([str(judge), "recordings", "verify", str(enrolment)], capture_output=True, text=True)
        assert said.returncode == 0, said.stdout + said.stderr
        faults = stick.faults()
        assert not faults, faults
        return f"{count} files, each as on the device; {said.stdout.splitlines()[-1].strip()}; fsck.vfat: nothing but the dirty bit"

    def advised():
        """Word for word what docs/operating.md says."""
        texts = ((advice(0), "/etc/fstab"), (advice(1), "/etc/udev/rules.d/70-studyd-stick.rules"),
                 ("[Service]\nReadWritePaths=-/media/studyd\n", "/etc/systemd/system/studyd.service.d/override.conf"))
        for text, file in texts:
            packed = base64.b64encode(text.encode()).decode()
            t.sh(f"mkdir -p $(dirname {file}) && echo {packed} | base64 -d >>{file}")
        t.sh("systemctl daemon-reload")
        return advice(1).strip()

    def enrols():
        t.gps.start()
        t.server.serve(0)
        study = json.loads(t.server.study.read_text())
        study["properties"]["study_id"] = STUDY
        study["modules"] = [module for module in study["modules"] if module["name"] == "any-time"]
        t.server.study.write_text(json.dumps(study))
        t.sh(f"{AGENT} enroll {t.server.guest_address}/study/study.json --participant '{PARTICIPANT}' --seed 1")
        # Noise does not get smaller as FLAC: 640 kB in 20 s.
        t.sh("systemd-run --quiet --unit noise -p Restart=always -p RestartSec=1 -p StartLimitIntervalSec=0 "
             "aplay -q -t raw -f S16_LE -r 16000 -c 1 -D hw:Loopback,0,0 /dev/urandom")
        wait_for(lambda: t.stored("sound") > 0, 40, "sound is stored")
        return t.status()["study"]

    def absent():
        wait_for(lambda: unsent() >= 4, 120, "recordings wait")
        assert not t.faults(), t.faults()
        return f"{unsent()} files wait: {words()}"

    def other():
        stick = Stick(t, "other", 40, label="PHOTOS")
        stick.plug()
        wait_for(lambda: "PHOTOS" in t.sh("lsblk -n -o LABEL", check=False), 30, "the kernel has it")
        t.sh("udevadm settle")
        time.sleep(6)
        assert not mount() and unsent() >= 4, mount()
        stick.pull()
        return "a stick of another label is left alone"

    one = Stick(t, "one", 64)

    def taken():
        t.watch()
        began = time.monotonic()
        plug(one)
        wait_until_sent()
        took = time.monotonic() - began
        time.sleep(15)
        pulses = t.watched()
        for what, line in (("buzzer", BUZZER), ("motor", MOTOR)):
            assert rhythm(pulses.get(line, [])) == REMOVABLE, f"{what}: {pulses.get(line)}"
        for what, line in (("LED on a line", LED), ("LED of the class", CLASS_LED)):
            assert REMOVABLE in rhythm(pulses.get(line, [])), f"{what}: {pulses.get(line)}"
        return f"{mount()}, everything on it {took:.1f} s after it was plugged in, then {REMOVABLE} on buzzer, motor and lights"

    def whole():
        wait_until_sent()
        pull(one)
        return verify(one)

    two = Stick(t, "two", 64)

    def torn():
        """While bytes come and while they are synced, which is all that takes long: the kernel takes bytes at once."""
        seen = []
        for pause in (0, 2, 6):
            wait_for(lambda: unsent() >= 4, 120, "recordings wait")
            plug(two, rate=60_000)
            wait_for(lambda: t.sh(f"find {PLACE} -name '*.part'", check=False), 60, "a file is being copied", pause=0.1, last=[words()])
            time.sleep(pause)
            pull(two)
            finished = read(two)
            seen.append(f"{finished} whole and {len(list(two.files().rglob('*.part')))} begun")
        return "; ".join(seen) + "; " + words()

    def goes_on():
        plug(two)
        wait_until_sent()
        pull(two)
        repaired = two.repair()
        return f"{verify(two)}; before it, fsck.vfat -a: {repaired or 'nothing'}"

    three = Stick(t, "three", 48)

    def full():
        three.make(*(part.lower() for part in ("Tag%2F1%3A%20%22%C3%9Cber%22%20%2E", "P%3A017")))
        three.fill(200_000)
        wait_for(lambda: unsent() >= 4, 120, "recordings wait")
        plug(three)
        said = wait_for(lambda: "the stick is full" in (seen := words()) and seen, 120, "the full stick is named", last=[words()])
        pull(three)
        assert read(three) > 1
        three.empty()
        plug(three)
        wait_until_sent()
        pull(three)
        folders = [path.name for path in three.files().iterdir()]
        assert folders == ["tag%2f1%3a%20%22%c3%9cber%22%20%2e"], folders
        return f"\"{said.split(': ', 1)[1][:90]}\"; emptied and plugged in again: {verify(three)}; in the folder {folders[0]}, which was there"

    def restarted():
        """With the stick plugged in the unit's own view of files has it from the beginning, and must let go of it."""
        four = Stick(t, "four", 64)
        plug(four)
        t.sh("systemctl restart studyd", within=90)
        wait_for(lambda: unsent() == 0 and t.sh(f"find {PLACE} -name '*.cwa'"), 120, "everything is on the stick", last=[words()])
        pull(four)
        wait_for(lambda: unsent() >= 2, 120, "recordings wait")
        plug(four)
        wait_until_sent()
        pull(four)
        return verify(four)

    def exfat():
        five = Stick(t, "five", 64, kind="exfat")
        wait_for(lambda: unsent() >= 2, 120, "recordings wait")
        plug(five)
        wait_until_sent()
        pull(five)
        said = subprocess.run(["fsck.exfat", "-n", five.path], capture_output=True, text=True)
        # No program of the host reads it: the guest's driver does, when it is plugged in once more.
        t.sh("systemctl stop studyd", within=60)
        plug(five)
        lines = t.sh(f"cd {PLACE} && find . -type f -exec sha256sum {{}} +", within=60).splitlines()
        count = compare({line.split("/")[-1]: line.split(None, 1)[0] for line in lines})
        pull(five)
        t.sh("systemctl start studyd", within=90)
        return f"{count} files; fsck.exfat: {said.returncode}, {said.stdout.strip().splitlines()[-1]}"

    def nothing_lost():
        """What studyd counts as delivered is on one of the sticks."""
        counts = t.status()["ledger"]["items"]
        missing = [name for name in own() if name.endswith((".cwa", ".flac", ".json")) and name not in arrived]
        assert len(missing) <= 2 * counts["waiting"], f"on no stick: {missing}, {counts}"
        return f"{counts}; {len(arrived)} files on five sticks"

    service.machine(t)
    t.check("the mount is set up as docs/operating.md says", advised, vital=True)
    service.service(t, "stick-studyd.toml", clocks=("rtc", "kernel"))
    t.check("enrol in a study with a name that FAT cannot have", enrols, vital=True)
    t.check("without a stick everything waits, and nothing is wrong", absent)
    t.check("a stick of another label is no stick", other)
    t.check("a stick is mounted, filled, and may be pulled out", taken, vital=True)
    t.check("pulled out when that was said, it is whole", whole)
    t.check("pulled out while files are copied, none is taken for whole that is not", torn)
    t.check("plugged in again, it is gone on with", goes_on)
    t.check("a full stick, and folders of other case", full)
    t.check("the agent starts with the stick plugged in", restarted)
    t.check("exFAT, without a partition table", exfat)
    t.check("nothing is lost", nothing_lost)
