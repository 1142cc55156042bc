# SPDX-License-Identifier: Apache-2.0
"""First boot without a screen: a folder on a stick makes the device a participant's, without a network; what was secret is gone from the stick;
and a stick for somebody else changes nothing."""
import json
import pathlib
import secrets
import subprocess
import tempfile
import time

import service
from job import rhythm
from lab import wait_for
from trial import BUZZER, CLASS_LED, LED, MOTOR

MACHINE = {"append": "board.offline"}
PARTICIPANT = "P017"
LIMIT = 60  # seconds from power-on to the agent's start


def stick(path):
    """An empty stick of a second disk's size, as a shop sells it; dosfstools made it, not us."""
    pathlib.Path(path).unlink(missing_ok=True)
    subprocess.run(["mkfs.vfat", "-C", "-n", "STUDYD", path, str(64 * 1024)], check=True, stdout=subprocess.DEVNULL)


def fill(path, participant, study, key, more, address=None, language="en"):
    """The folder of docs/first-use.md, by mtools, as an assistant's computer would; with an address the study is fetched."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "studyd"
        (root / "credentials").mkdir(parents=True)
        (root / "setup.toml").write_bytes("\r\n".join([
            f'participant = "{participant}"', f'study = "{address or "study.json"}"', 'board = "virtual"', 'zone = "Asia/Kolkata"',
            'consent = "consent.json"', f'device_key = "{key}"', f'language = "{language}"', ""]).encode())
        (root / "study.json").write_bytes(study)
        (root / "consent.json").write_text(json.dumps({"version": "1.0", "recordedBy": more, "eligible": True}))
        (root / "credentials" / "lab").write_text(more)
        subprocess.run(["mcopy", "-s", "-i", path, str(root), "::"], check=True)


def result(path):
    text = subprocess.run(["mtype", "-i", path, "::RESULT.txt"], check=True, capture_output=True).stdout
    return text.decode()


def play(t):
    path = f"{t.folder}/stick.img"
    key, more = secrets.token_urlsafe(32), "recorded-" + secrets.token_hex(16)
    stick(path)
    t.board.extra += ["-drive", f"file={path},if=none,id=stick,format=raw,cache=writethrough", "-device", "virtio-blk-pci,drive=stick"]
    t.server.serve(1)
    study = t.server.study.read_bytes()
    pulses = {}

    def restarts(participant, key, **more_of_it):
        """Off, with another folder on the stick, and on again; seconds from power-on to the unit's start, by the guest's clock."""
        t.sh("sync", within=120)
        t.board.power_off()
        stick(path)
        fill(path, participant, study, key, more, **more_of_it)
        t.board.power_on()
        seen = []

        def runs():
            seen[:] = [t.sh("systemctl is-active studyd; journalctl -u studyd -u studyd-takeover -n 8 --no-pager -o cat", check=False)]
            return seen[0].startswith("active")
        wait_for(runs, 300, "the agent runs", last=seen)
        return int(t.unit("ExecMainStartTimestampMonotonic")["ExecMainStartTimestampMonotonic"]) / 1e6

    def installed():
        t.sh("systemctl enable --quiet studyd-takeover studyd-takeover-finish && mkdir -p /etc/systemd/system/studyd-takeover.service.d"
             # The devices that a board has by itself come here by a script.
             " && printf '[Unit]\\nAfter=board-devices.service sys-kernel-tracing.mount\\n[Service]\\nExecStartPre=/bin/sh /run/board/watch on\\n'"
             " >/etc/systemd/system/studyd-takeover.service.d/board.conf")
        return t.sh("systemctl is-enabled studyd-takeover studyd", check=False).replace("\n", ", ")

    def taken():
        seconds = restarts(PARTICIPANT, key)
        pulses.update(t.watched())
        # What the host took from the machine meanwhile is not its own.
        starved = t.board.stolen()
        t.figure("power-on to the agent's start, with a folder", round(seconds, 1), "s", limit=LIMIT, starved=round(starved, 1))
        assert seconds <= LIMIT + starved, f"the agent started {seconds:.1f} s after power-on, of which the machine was starved for {starved:.1f} s"
        status = t.status()
        assert status["participant"] == PARTICIPANT, status
        return f"{PARTICIPANT} in study {status['study']}, agent started {seconds:.1f} s after the kernel, starved for {starved:.1f} s"

    def shown():
        """While it worked, as the kernel saw it on the lines: the lights alone, with what docs/panel.md has for it, as far as there was time."""
        sounded = pulses[BUZZER][0][0]
        for what, line in (("light", LED), ("light of the class", CLASS_LED)):
            before = [pulse for pulse in pulses[line] if pulse[0] < sounded - 2]
            assert before and ("='.-" * 9).startswith(rhythm(before[:-1])) and rhythm(before)[0] == "=", f"{what}: {before}"
        first = [pulse for pulse in pulses[CLASS_LED] if pulse[0] < sounded - 2]
        return f"{rhythm(first)} on the lights for {sounded - first[0][0]:.1f} s, then the outcome"

    def reported():
        t.sh("sync")
        text = result(path)
        assert text.startswith("Taken over") and text.count("\r\n") == text.count("\n"), text
        assert PARTICIPANT in text and key not in text and more not in text, text
        return text.splitlines()[0]

    def wiped():
        image = pathlib.Path(path).read_bytes()
        for secret in (key, more):
            assert secret.encode() not in image, f"{secret} is still on the stick"
        assert study[:200] in image, "the search finds nothing at all"
        return f"neither key nor consent nor credential in {len(image) >> 20} MiB of the raw disk"

    def kept():
        mode = t.sh("stat -c '%U %a' /var/lib/studyd/device.key /etc/credstore/studyd.lab /etc/credstore | tr '\\n' ' '")
        assert mode.split() == ["studyd", "600", "root", "600", "root", "700"], mode
        assert t.sh("cat /var/lib/studyd/device.key") == key
        pid = t.unit("MainPID")["MainPID"]
        assert more in t.sh(f"cat /proc/{pid}/root/run/credentials/studyd.service/lab"), "the agent does not have its credential"
        return mode

    def again():
        seconds = restarts(PARTICIPANT, key)
        assert result(path).startswith("Taken over"), result(path)
        assert t.status()["participant"] == PARTICIPANT
        image = pathlib.Path(path).read_bytes()
        assert key.encode() not in image and more.encode() not in image, "not wiped the second time"
        return f"the same folder: nothing changes, and it is wiped; agent started after {seconds:.1f} s"

    def refused(participant, key, number, language, headline, word):
        def body():
            restarts(participant, key, language=language)
            text = result(path)
            assert text.startswith(headline) and f"({word} {number})" in text, text
            assert "\nNOT taken over" in text and f"(number {number})" in text, text
            assert t.status()["participant"] == PARTICIPANT
            return [line for line in text.splitlines() if line.startswith("What: ")][0]
        return body

    def full():
        """The same folder on a device with a state folder of 8 MB, by the kernel's own count."""
        t.sh("systemctl stop studyd && mount -t tmpfs -o size=8m tmpfs /var/lib/studyd", within=60)
        try:
            t.sh("systemctl start studyd-takeover", within=120)
            text = result(path)
            assert "\nNOT taken over" in text and "(number 41)" in text and "64 MB are needed" in text, text
        finally:
            # It would signal for ten minutes.
            t.sh("systemctl stop studyd-takeover; umount /run/studyd-stick; umount /var/lib/studyd && systemctl start studyd", within=120, check=False)
        assert t.status()["participant"] == PARTICIPANT
        return [line for line in text.splitlines() if line.startswith("What: ")][0]

    def signalled():
        """The stick's folder, now refused, once more while the agent rests: what the kernel saw on the lines."""
        t.sh("systemctl stop studyd", within=60)
        t.watch()
        t.sh("systemctl start studyd-takeover", within=120)
        wait_for(lambda: t.sh("systemctl is-active studyd-takeover", check=False) == "inactive", 120, "the signal is over")
        pulses = t.watched()
        t.sh("systemctl start studyd", within=90)
        # docs/first-use.md: an extra long and two blips; then 23, two long and three short.
        for what, line in (("buzzer", BUZZER), ("motor", MOTOR), ("light", CLASS_LED)):
            seen = rhythm(pulses.get(line, []))
            # Before it the lights show that it works.
            assert seen.endswith("=''--...") and (line == CLASS_LED or seen == "=''--..."), f"{what}: {pulses.get(line)}"
        return "extra long, two blips; two long; three short, on buzzer, motor and light"

    def linked():
        """The next participant's folder names an address; nothing is in reach until the cable is plugged in."""
        other = secrets.token_urlsafe(32)
        t.sh("systemctl stop studyd && studyd hand-over --delete-undelivered && rm -f /var/lib/studyd/device.key", within=120)
        restarts("P020", other, address=f"{t.server.guest_address}/study/study.json")
        assert result(path).startswith("Taken over: the device takes part as soon as"), result(path)
        assert "participant" not in t.status(), t.status()
        rest = t.sh("stat -c '%U %a' /etc/credstore/studyd.takeover")
        assert rest == "root 600", rest
        t.sh("ip addr add 10.0.2.15/24 dev eth0 && ip link set eth0 up && ip route add default via 10.0.2.2")
        began, waited = time.monotonic(), t.board.stolen()
        wait_for(lambda: t.status().get("participant") == "P020", 60, "it is enrolled", last=[t.sh(
            "journalctl -u studyd-takeover-finish --no-pager -o cat -n 8", check=False)])
        took = time.monotonic() - began - (t.board.stolen() - waited)
        t.figure("link up to enrolment", round(took, 1), "s", limit=15)
        wait_for(lambda: t.board.run("test -e /etc/credstore/studyd.takeover")[0] != 0, 30, "nothing is left to be done")
        return f"enrolled {took:.1f} s after the link came up, and nothing of the request is left"

    service.machine(t)
    t.check("the unit is installed", installed, vital=True)
    t.check("a folder on a stick enrols without a network", taken, vital=True)
    t.check("the lights show that it works", shown)
    t.check("RESULT.txt says so", reported)
    t.check("no secret is left on the raw disk", wiped)
    t.check("secrets lie where only their owners read them", kept)
    t.check("the same folder once more", again)
    t.check("somebody else's folder, in German", refused("P018", key, 22, "de", "NICHT übernommen", "Nummer"))
    t.check("a second folder for the same participant, in Spanish", refused(PARTICIPANT, secrets.token_urlsafe(32), 23, "es", "NO aceptado", "número"))
    t.check("its signal", signalled)
    t.check("a full disk", full)
    t.check("a study on a server waits for the network", linked)
