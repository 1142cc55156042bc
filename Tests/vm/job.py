# SPDX-License-Identifier: Apache-2.0
"""The main job: prompt, press, answer, recordings, upload; and what lies in the files that arrived."""
import json
import math
import time

import recorded
from lab import wait_for
from trial import AGENT, BUZZER, LED, LINES, MEASURES, MOTOR, NEXT, SELECT


def main_job(t):
    tries = 4
    idle = {}

    def is_prompted():
        """One more is open than the task that always is."""
        return t.status()["ledger"]["occurrences"]["open"] > idle["open"]

    def enrols():
        t.server.serve(tries)
        output = t.sh(f"{AGENT} enroll {t.server.guest_address}/study/study.json --participant P017 --seed 1")
        assert "participant P017 in study VIRTUAL" in output, output
        idle["open"] = t.status()["ledger"]["occurrences"]["open"]
        return output.splitlines()[0]

    def sounds():
        t.sh("systemd-run --quiet --unit tone -p Restart=always -p RestartSec=1 -p StartLimitIntervalSec=0 sh -c "
             "'while :; do cat /run/board/tone.raw; done | aplay -q -t raw -f S16_LE -r 16000 -c 1 -D hw:Loopback,0,0'")
        wait_for(lambda: t.stored("sound") > 0, 40, "levels are stored")
        return "aplay plays 1 kHz at -20 dBFS into the loopback"

    def prompted():
        files = ["/sys/class/leds/input0::capslock/brightness"] + [f"{LINES}/sim_gpio{line}/value" for line in (LED, BUZZER, MOTOR)]
        t.sh(f"systemd-run --quiet --unit watch bash /run/board/watch /run/board/watched {' '.join(files)}")
        wait_for(is_prompted, 100, "a prompt falls due", pause=1)
        time.sleep(6)  # of its signal
        t.sh("systemctl stop watch")
        changes = [int(n) for n in t.sh("cat /run/board/watched").splitlines()]
        assert all(n >= 2 for n in changes), f"changes: class LED, LED line, buzzer line, motor line {changes}"
        return f"changes: class LED {changes[0]}, LED line {changes[1]}, buzzer line {changes[2]}, motor line {changes[3]}"

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
                wait_for(is_prompted, 100, "another prompt falls due", pause=1)
        answer = wait_for(lambda: [a for a in t.server.answers() if a["fields"]["module_name"] == "moment"], 60,
                          "the answer arrives")[0]
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
    ok = t.check("prompt by light, buzzer and motor", prompted)
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
        uptimes = [float(row["uptime"]) for row in rows]
        steps = sorted(after - before for before, after in zip(uptimes, uptimes[1:]))
        rate = 1 / steps[len(steps) // 2]
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
