# SPDX-License-Identifier: Apache-2.0
"""A machine without a battery-backed clock, as a Raspberry Pi is: it starts at a wrong time, and nothing vouches for it. Then a real NTP
client (chrony) sets the kernel's own flag; or a satellite receiver's time sets the system's clock, where the drop-in allows it."""
import datetime
import time

import job
import service
from lab import TimeServer, is_prompted, wait_for
from trial import AGENT, BUZZER

# The PC's own clock shows a wrong year at power-on, and its driver, which Debian's kernel has built in, is never started.
MACHINE = {"append": "initcall_blacklist=cmos_init", "extra": ("-rtc", "base=2024-02-03T04:05:06")}
CAP_SYS_TIME = 1 << 25
STA_UNSYNC = 0x40


def guest_time(t):
    return datetime.datetime.fromtimestamp(float(t.sh("date +%s.%N")), datetime.timezone.utc)


def wrong_by(t):
    return abs((guest_time(t) - datetime.datetime.now(datetime.timezone.utc)).total_seconds())


def kernel_says(t):
    """The kernel's word by adjtimex(2), asked with nothing of ours: the status bits, and whether it says TIME_ERROR (5)."""
    # struct timex of 64 bits: modes, offset, freq, maxerror, esterror, status; the call is number 159 on x86-64.
    answer = t.sh("""perl -e '$t = "\\0" x 208; $r = syscall(159, $t); print $r, " ", unpack("x40 i", $t)'""")
    state, status = map(int, answer.split())
    return {"synchronised": state != 5 and not status & STA_UNSYNC, "state": state, "status": f"0x{status:x}"}


def clockless(t):
    assert t.board.run("ls /dev/rtc0")[0] != 0, "there is a clock"
    wrong, says = wrong_by(t), kernel_says(t)
    assert wrong > 86_400, f"the clock is right to {wrong:.0f} s"
    assert not says["synchronised"], says
    return f"no /dev/rtc0; the clock shows {guest_time(t):%Y-%m-%d %H:%M}; adjtimex(2): {says}"


def enrol(t):
    """The prompts are due at the next minutes of the wrong clock, and of the true one."""
    t.server.serve(8, clocks=[guest_time(t)])
    output = t.sh(f"{AGENT} enroll {t.server.guest_address}/study/study.json --participant P019 --seed 1")
    assert "participant P019 in study VIRTUAL" in output, output
    return output.splitlines()[0]


def opened(t):
    return t.status()["ledger"]["occurrences"]


def play_ntp(t):
    def silent():
        """Two minutes at which a prompt falls due by the wrong clock pass."""
        t.watch()
        time.sleep(125 - guest_time(t).second % 60)
        counts, pulses = opened(t), t.watched()
        assert not pulses.get(BUZZER), pulses
        assert counts["completed"] == 0 and counts["open"] <= 1, counts
        assert t.status()["clock"]["source"] == "unknown", t.status()["clock"]
        return f"the clock shows {guest_time(t):%H:%M:%S}; not a sound, {counts}"

    def synchronised():
        server = TimeServer()
        server.start()
        t.sh(f"printf 'server 10.0.2.2 port {server.port} iburst minpoll 2 maxpoll 4\\nmakestep 0.1 3\\nrtcsync\\ncmdport 0\\n"
             "pidfile /run/chronyd-test.pid\\nbindcmdaddress /\\n' >/run/board/chrony.conf"
             " && systemd-run --quiet --unit ntp chronyd -n -F 0 -u root -f /run/board/chrony.conf")
        t.watch()
        says = wait_for(lambda: (s := kernel_says(t))["synchronised"] and s, 120, "the kernel says that it is synchronised",
                        last=[t.sh("journalctl -u ntp -q --no-pager | tail -5", check=False)])
        wrong = wrong_by(t)
        assert wrong < 2, f"wrong by {wrong:.1f} s"
        return f"chrony asked {server.asked} times; adjtimex(2): {says}; right to {wrong:.2f} s"

    def prompted():
        source = wait_for(lambda: (c := t.status()["clock"])["source"] == "kernel" and c, 90, "the agent knows it")
        wait_for(lambda: is_prompted(t), 100, "a prompt falls due", pause=1)
        time.sleep(6)
        pulses = t.watched().get(BUZZER, [])
        assert "-.-." in job.rhythm(pulses), pulses
        return f"{source}; a prompt at {guest_time(t):%H:%M:%S}"

    service.machine(t)
    t.check("the machine has no clock, and nothing vouches for its time", lambda: clockless(t), vital=True)
    service.service(t, "ntp-studyd.toml", clocks=("unknown",))
    t.check("enrol from the host's server", lambda: enrol(t), vital=True)
    t.check("without a clock no prompt comes, though its time passes", silent)
    t.check("NTP sets the clock and the kernel's flag", synchronised)
    t.check("then a prompt comes", prompted)


def play_receiver(t):
    def allowed():
        t.sh("mkdir -p /etc/systemd/system/studyd.service.d && cp /usr/share/studyd/set-clock.conf /etc/systemd/system/studyd.service.d/"
             " && systemctl daemon-reload && systemctl restart studyd", within=90)
        pid = t.unit("MainPID")["MainPID"]
        capabilities = int(t.sh(f"sed -n 's/^CapEff:[[:space:]]*//p' /proc/{pid}/status"), 16)
        assert capabilities == CAP_SYS_TIME, hex(capabilities)
        return "CAP_SYS_TIME and no other"

    def set_by_receiver():
        t.gps.start()
        wait_for(lambda: wrong_by(t) < 2, 300, "the system's clock is that of the receiver",
                 last=[t.sh("journalctl -u studyd -q --no-pager | tail -5", check=False)], pause=2)
        clock = t.status()["clock"]
        assert not kernel_says(t)["synchronised"]
        assert clock["source"] == "gps", clock
        return f"right to {wrong_by(t):.2f} s; the agent's clock: {clock}"

    service.machine(t)
    t.check("the machine has no clock, and nothing vouches for its time", lambda: clockless(t), vital=True)
    service.service(t, "receiver-studyd.toml", clocks=("unknown",))
    t.check("the drop-in gives what setting the clock takes", allowed, vital=True)
    t.check("a receiver's time sets the system's clock", set_by_receiver)
