# SPDX-License-Identifier: Apache-2.0
"""The machine comes up, the agent is installed, systemd runs it, and it costs little."""
import re
import time

from lab import wait_for
from trial import CHIPS


def machine(t):
    def boots():
        seconds = t.board.power_on()
        t.figure("boot to shell", round(seconds, 1), "s")
        state = t.sh("systemctl is-system-running --wait", within=120, check=False)
        assert state == "running", state + " " + t.sh("systemctl --failed --no-legend", check=False)
        return f"kernel {t.sh('uname -r')}, systemd {state}, shell after {seconds:.0f} s"

    def installs():
        # udevd may have read the rules while they were unpacked, before there was a group "gpio", and then has rules without one. To reload
        # does not help: it reads rules again only where their files have changed since (systemd 257, udev-manager.c: manager_reload).
        t.sh("tar -xf /dev/vdb -C / && systemd-sysusers && systemctl restart systemd-udevd && udevadm trigger --settle", within=120)
        return t.sh("id studyd")

    def devices():
        seen = []
        for device in ("/dev/gpiochip0", "/dev/i2c-usb", "/dev/ttyS1", "/dev/snd/pcmC0D1c", "/dev/input/event0",
                       "/sys/class/leds/status/brightness"):
            assert t.board.run(f"runuser -u studyd -- test -r {device} -a -w {device}")[0] == 0, \
                f"the user studyd has no access to {device}: " + t.sh(f"ls -l {device}", check=False)
            seen.append(device)
        return ", ".join(seen)

    def chips():
        found = t.sh("i2cdetect -y $(readlink /dev/i2c-usb | cut -d- -f2)")
        assert " 18 " in found and " 1e " in found, found
        return "i2cdetect finds 0x18 and 0x1e"

    t.check("boot", boots, vital=True)
    t.check("install", installs, vital=True)
    t.check("udev gives the user its devices", devices)
    if CHIPS == t.chips:
        t.check("the kernel's adapter sees the chips", chips)


def service(t, configuration="studyd.toml", clocks=("rtc", "kernel", "gps")):
    """The unit as it is shipped, with one of the configurations of `guest`."""
    def starts():
        address = t.server.guest_address.replace("/", "\\/")
        t.sh("mkdir -p /etc/studyd /run/systemd/system/studyd.service.d"
             f" && sed 's/RECEIVER/{address}/' /run/board/{configuration} >/etc/studyd/studyd.toml"
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
        assert status["clock"]["source"] in clocks, status["clock"]
        return f"running, clock from {status['clock']['source']}"

    def hardened():
        pid = t.unit("MainPID")["MainPID"]
        lines = dict(line.split(":", 1) for line in t.sh(f"cat /proc/{pid}/status").splitlines() if ":" in line)
        assert lines["NoNewPrivs"].strip() == "1" and lines["Seccomp"].strip() == "2", lines
        assert int(lines["CapEff"], 16) == 0, lines["CapEff"]
        level = re.search(r"service: ([0-9.]+)", t.sh("systemd-analyze security studyd --no-pager", within=90)).group(1)
        t.figure("systemd-analyze security (0 is best)", float(level), "1", limit=2.0)
        assert float(level) <= 2.0, f"systemd-analyze security: {level} of 10; at most 2.0"
        return f"user {lines['Uid'].split()[0]}, no capabilities, seccomp; systemd-analyze security: {level} of 10"

    t.check("systemd starts the unit", starts, vital=True)
    t.check("status answers", answers)
    t.check("hardening is in force", hardened)


def enrolled_service(t):
    """What can be seen only once something is measured."""
    def threads():
        """Fields 40 and 41 of a thread's stat are its real-time priority and its policy; 1 is SCHED_FIFO."""
        pid = t.unit("MainPID")["MainPID"]
        real = []
        for line in t.sh(f"cat /proc/{pid}/task/*/stat").splitlines():
            name, fields = line.split("(", 1)[1].rsplit(")", 1)
            if fields.split()[38] == "1":
                real.append(f"{name} at {fields.split()[37]}")
        assert any(n.startswith("bus-") for n in real), f"no SCHED_FIFO: {real}"
        locked = t.sh(f"sed -n 's/^VmLck:[[:space:]]*//p' /proc/{pid}/status")
        return f"SCHED_FIFO: {', '.join(sorted(real))}; locked {locked}"

    t.check("measuring threads are real-time, and little is locked", threads)


def receiver(t):
    """study-receiver's unit as it is shipped, on a lab's computer."""
    ask = "bash -c 'exec 3<>/dev/tcp/127.0.0.1/8080; printf \"GET /api/devices HTTP/1.0\\r\\nAuthorization: Bearer %s\\r\\n\\r\\n\" {} >&3; head -1 <&3'"
    token = "$(cat /var/lib/study-receiver/token)"

    def starts():
        t.sh("systemctl start study-receiver", within=90)
        lines = wait_for(lambda: (said := t.sh(ask.format(token), check=False)).startswith("HTTP/1.") and said, 60, "it answers on its port", last=[
            t.sh("systemctl status study-receiver --no-pager", check=False)])
        assert " 200 " in lines, lines
        assert " 401 " in t.sh(ask.format("x" * 20)), "a wrong token is let in"
        state = dict(line.split("=", 1) for line in t.sh("systemctl show study-receiver -p ActiveState -p NRestarts").splitlines())
        assert state == {"ActiveState": "active", "NRestarts": "0"}, state
        kept = t.sh("stat -c '%U %a' /var/lib/study-receiver /var/lib/study-receiver/token | tr '\\n' ' '").split()
        assert kept[:2] == ["study-receiver", "750"] and kept[2] == "study-receiver" and kept[3] in ("600", "400"), kept
        return f"{t.sh('study-receiver --version')}; {lines} with its token, 401 without; {kept}"

    def hardened():
        level = re.search(r"service: ([0-9.]+)", t.sh("systemd-analyze security study-receiver --no-pager", within=90)).group(1)
        t.figure("systemd-analyze security study-receiver (0 is best)", float(level), "1", limit=2.0)
        assert float(level) <= 2.0, f"systemd-analyze security: {level} of 10; at most 2.0"
        pid = t.sh("systemctl show study-receiver -p MainPID --value")
        lines = dict(line.split(":", 1) for line in t.sh(f"cat /proc/{pid}/status").splitlines() if ":" in line)
        assert lines["NoNewPrivs"].strip() == "1" and lines["Seccomp"].strip() == "2" and int(lines["CapEff"], 16) == 0, lines
        return f"systemd-analyze security: {level} of 10; no capabilities, seccomp"

    t.check("systemd starts the receiver's unit, which answers", starts, vital=True)
    t.check("its hardening is in force", hardened)


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
        t.figure("agent's voluntary context switches, one for each USB transfer included", round((after[1] - before[1]) / span, 1), "1/s")
        bus = {k: status_after["cost"][k] - status_before["cost"][k] for k in ("wakeUps", "watermarks")}
        t.figure("bus wake-ups per watermark", round(bus["wakeUps"] / max(1, bus["watermarks"]), 2), "1", **bus)
        kilobytes = dict(re.findall(r"^(\w+): +(\d+) kB", t.sh(f"cat /proc/{pid}/smaps_rollup"), re.M))
        t.figure("memory of studyd, proportional", int(kilobytes["Pss"]) * 1024, "bytes", limit=24_000_000)
        t.figure("memory of studyd, private dirty", int(kilobytes["Private_Dirty"]) * 1024, "bytes", limit=9_000_000)
        memory = t.sh(f"sed -n 's/^VmRSS:[[:space:]]*//p' /proc/{pid}/status")
        return f"over {span:.0f} s; resident {memory}"

    t.check("cost", measures)
