# SPDX-License-Identifier: Apache-2.0
"""The main job: prompt, press, answer, recordings, upload; and what lies in the files that arrived."""
import json
import math
import pathlib
import time

import recorded
from lab import PERIOD, is_prompted, wait_for
from trial import AGENT, BUZZER, CLASS_LED, LED, MEASURES, MOTOR, NEXT, RECORDINGS, SELECT

SIGNAL = 6  # seconds in which that of a prompt is over
SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs/recording.schema.json"


def rhythm(pulses):
    """`-` long, `.` short, `'` blip, `=` extra long, as Sources/Study/Panel/Rhythm.swift writes them."""
    return "".join("'" if length < 0.12 else "." if length < 0.45 else "-" if length < 1.2 else "=" for _, length in pulses)


def leave(seconds):
    """Waits until the next full minute, at which a prompt falls due, is at least so far away, and the signal of the last one is over."""
    second = time.time() % PERIOD
    if not SIGNAL <= second <= PERIOD - seconds:
        time.sleep((SIGNAL - second) % PERIOD)


def main_job(t):
    tries = 4

    def enrols():
        leave(25)
        t.server.serve(tries + 1)
        output = t.sh(f"{AGENT} enroll {t.server.guest_address}/study/study.json --participant P017 --seed 1")
        assert "participant P017 in study VIRTUAL" in output, output
        return output.splitlines()[0]

    def sounds():
        t.sh("systemd-run --quiet --unit tone -p Restart=always -p RestartSec=1 -p StartLimitIntervalSec=0 sh -c "
             "'while :; do cat /run/board/tone.raw; done | aplay -q -t raw -f S16_LE -r 16000 -c 1 -D hw:Loopback,0,0'")
        wait_for(lambda: t.stored("sound") > 0, 40, "levels are stored")
        return "aplay plays 1 kHz at -20 dBFS into the loopback"

    def due():
        return t.status()["ledger"]["occurrences"]["due"]

    def prompted():
        # However long the checks before took, and whatever is open by now: of the next one the whole signal is seen.
        leave(20)
        before = due()
        t.watch()
        wait_for(lambda: due() > before, 100, "a prompt falls due", pause=1)
        time.sleep(SIGNAL)
        pulses = t.watched()
        # docs/panel.md: a prompt is long, short, long, short. A loaded machine may stretch a pulse; it must not lose or add one.
        for what, line in (("buzzer", BUZZER), ("motor", MOTOR)):
            assert rhythm(pulses.get(line, [])) == "-.-.", f"{what}: {pulses.get(line)}"
        for what, line in (("LED on a line", LED), ("LED of the class", CLASS_LED)):
            assert "-.-." in rhythm(pulses.get(line, [])), f"{what}: {pulses.get(line)}"
        first = [pulses[line][0][0] for line in (BUZZER, MOTOR)]
        lengths = ", ".join(f"{1000 * length:.0f}" for _, length in pulses[BUZZER])
        return f"long, short, long, short on buzzer and motor ({lengths} ms; they begin {1000 * abs(first[0] - first[1]):.1f} ms apart) " \
            "and on both lights; no change lost"

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
                wait_for(lambda: is_prompted(t), 100, "another prompt falls due", pause=1)
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

    t.check("enrol from the host's server", enrols, vital=True)
    t.gps.start()
    t.check("sound through snd-aloop", sounds)
    t.check("prompt by light, buzzer and motor", prompted)
    t.check("presses on GPIO lines answer it, and the answer arrives", answered)
    t.check("recordings arrive", arrived)


def contents(t):
    def longest(measure, suffix):
        """Of a starved machine's files some hold little; what is in them is right all the same, and counted in the end."""
        files = [f for f in t.server.files(measure) if suffix in f["name"]]
        contents = [(t.server.content(file), file["name"]) for file in files]
        return max(contents, key=lambda content: len(recorded.plain(content[0])))

    def accelerometer():
        data, name = longest("accelerometer", ".cwa")
        samples, rate, wrong = recorded.cwa(data)
        lengths = sorted(math.sqrt(x * x + y * y + z * z) for x, y, z in samples)
        middle = lengths[len(lengths) // 2]
        assert wrong == 0 and len(samples) > 500, (wrong, len(samples))
        assert 0.85 < middle < 1.15, f"median |a| = {middle:.3f} g"
        assert abs(rate - 100.8) < 1.5, f"{rate:.2f} samples a second, the chip's true rate is 100.8"
        t.figure("accelerometer rate in the file", round(rate, 3), "Hz", truth=100.8)
        return f"{name}: {len(samples)} samples, median |a| {middle:.3f} g, {rate:.2f} Hz (truth 100.8)"

    def magnetometer():
        data, name = longest("magnetometer", ".csv")
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
        data, name = longest("sound", ".csv")
        levels = sorted(float(row["LAeq"]) for row in recorded.table(data))
        middle = levels[len(levels) // 2]
        assert abs(middle - 100) < 0.3, f"median LAeq {middle:.2f} dB; 1 kHz at -20 dBFS and a calibration of 120 dB make 100"
        return f"{name}: {len(levels)} seconds, median LAeq {middle:.2f} dB (truth 100)"

    def position():
        data, name = longest("position", ".nmea")
        found = recorded.fixes(data)
        assert len(found) > 5 and all(abs(a - 52.4) < 0.1 and abs(b - 13.05) < 1e-4 for a, b in found), found[:3]
        assert b"$PSTDY" in recorded.plain(data)
        return f"{name}: {len(found)} fixes near {found[-1][0]:.5f}, {found[-1][1]:.5f}"

    def described():
        """Of every file that lies in the guest now, by Python's jsonschema, which knows nothing of studyd."""
        try:
            import jsonschema
        except ImportError:
            return "SKIPPED: Python has no jsonschema"
        validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
        names = [name for name in t.sh(f"ls {RECORDINGS}").split() if name.endswith(".json")]
        for name in names[-40:]:
            faults = [fault.message for fault in validator.iter_errors(json.loads(t.sh(f"cat {RECORDINGS}/{name}")))]
            assert not faults, (name, faults)
        assert names
        return f"{len(names[-40:])} descriptions"

    t.check("descriptions are as the published schema wants them", described)
    t.check("the CWA file holds gravity at the right rate", accelerometer)
    t.check("the magnetometer's file holds the field", magnetometer)
    t.check("the levels are those of the tone", sound)
    t.check("the NMEA file holds the way", position)
