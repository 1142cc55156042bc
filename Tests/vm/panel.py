# SPDX-License-Identifier: Apache-2.0
"""Parts that drivers of the kernel serve: keys, a LED, pixels of a screen, a haptic driver; with Debian 13's kernel also a piezo on a PWM
channel and a magnetometer of Industrial I/O, with Debian 12's a loudspeaker. All under the unit as it is shipped."""
import array
import base64
import json
import math
import time

import job
import recorded
import service
from lab import is_prompted, wait_for
from trial import AGENT

MACHINE = {"chips": ("LIS3DH@0x18", "LIS3MDL@0x1C", "DRV2605L@0x5A"), "extra": ("-device", "cirrus-vga")}
LEFT, ENTER, RIGHT, STATUS, PIEZO = 7, 8, 9, 10, 18
# Tests/StudyTests/Engine has the melodies; a prompt rises along a major scale from c".
PITCHES = (523, 587, 659, 784)


def play(t):
    service.machine(t)
    has_pwm = t.board.run("ls /sys/class/pwm/pwmchip0")[0] == 0 if not t.broken else False
    t.check("the kernel's drivers serve the parts", lambda: prepare(t, has_pwm), vital=True)
    service.service(t, "panel-studyd.toml")
    t.check("every part is there, none is at fault", lambda: healthy(t))
    t.check("enrol from the host's server", lambda: enrol(t), vital=True)
    t.gps.start()
    t.check("a prompt on LED, screen, motor and " + ("PWM channel" if has_pwm else "loudspeaker"), lambda: prompt(t, has_pwm))
    t.check("keys of gpio-keys answer it", lambda: answer(t))
    if has_pwm:
        t.check("a magnetometer that the kernel reads (IIO)", lambda: magnetometer(t))
    t.check("nothing is at fault, sound and position are stored", lambda: recorded_too(t))


def prepare(t, has_pwm):
    """Says what is there; the board file names it."""
    screen = t.sh("cat /sys/class/graphics/fb0/name")
    bits = t.sh("cat /sys/class/graphics/fb0/bits_per_pixel")
    assert bits == "16", f"{screen} has {bits} bits a pixel"
    assert "board keys" in t.sh("cat /sys/class/input/input*/name")
    kept, other = ("KERNEL", "SOUND") if has_pwm else ("SOUND", "KERNEL")
    t.sh(f"sed -i 's/FRAMEBUFFER/{screen}/; s/^#{kept}//; /^#{other}/d' /run/board/panel.toml /run/board/panel-studyd.toml")
    if has_pwm:
        t.sh("modprobe iio-trig-hrtimer && modprobe st_magn_i2c && mkdir /sys/kernel/config/iio/triggers/hrtimer/board"
             " && echo 20 >$(dirname $(grep -lx board /sys/bus/iio/devices/trigger*/name))/sampling_frequency"
             " && echo lis3mdl 0x1c >/sys/bus/i2c/devices/i2c-$(readlink /dev/i2c-usb | cut -d- -f2)/new_device && udevadm settle"
             " && echo board >$(dirname $(grep -lx lis3mdl /sys/bus/iio/devices/iio:device*/name))/trigger/current_trigger")
    else:
        # Who listens to a loopback says first what it carries.
        t.sh("systemd-run --quiet --unit listener sh -c 'exec arecord -q -t raw -f S16_LE -r 16000 -c 1 -D hw:Loopback,1,1 >/run/board/heard'")
    return f"{screen} with {bits} bits, gpio-keys, leds-gpio" + (", pwm-gpio, st_magn" if has_pwm else "")


def healthy(t):
    status = wait_for(lambda: not (s := t.status())["faults"] and s, 30, "no fault", last=[])
    findings = [json.loads(line) for line in t.sh("journalctl -u studyd -o json -q --no-pager -p warning").splitlines()]
    worse = [f["MESSAGE"] for f in findings if "MESSAGE" in f]
    return f"clock from {status['clock']['source']}; warnings in the journal: {worse or 'none'}"


def enrol(t):
    t.server.serve(4)
    output = t.sh(f"{AGENT} enroll {t.server.guest_address}/study/study.json --participant P018 --seed 1")
    assert "participant P018 in study VIRTUAL" in output, output
    return output.splitlines()[0]


def prompt(t, has_pwm):
    turned, lit = int(t.adapter.order("turns")), []
    t.watch()

    def blue():
        """The middle of the 64 by 64 pixels, and a place beside them."""
        width, _, pixels = t.board.picture()
        inside, beside = ((y * width + x) * 3 for x, y in ((132, 132), (200, 132)))
        lit.append(tuple(pixels[inside:inside + 3]))
        return lit[-1][2] > 200 and max(lit[-1][:2]) < 30 and max(pixels[beside:beside + 3]) < 30

    wait_for(blue, 110, "the pixels are blue and those beside them dark", pause=0.05, last=lit)
    time.sleep(6)
    pulses, turned = t.watched(), int(t.adapter.order("turns")) - turned
    led = job.rhythm(pulses.get(STATUS, []))
    assert "-.-." in led, f"LED: {led}"
    assert turned == 4, f"the motor turned {turned} times"
    if has_pwm:
        beats = [(start, length, count) for start, length, count in bursts(pulses.get(PIEZO, []))]
        tones = [(length, count / length) for _, length, count in beats]
    else:
        t.sh("systemctl stop listener")
        tones = heard(base64.b64decode(t.sh("gzip -c /run/board/heard | base64 -w0", within=120)))
    assert job.rhythm((0, length) for length, _ in tones) == "-.-.", tones
    for (_, frequency), truth in zip(tones, PITCHES):
        assert abs(frequency / truth - 1) < 0.03, f"{frequency:.0f} Hz where {truth} is meant; {tones}"
    words = ", ".join(f"{frequency:.0f} Hz for {1000 * length:.0f} ms" for length, frequency in tones)
    return f"blue pixels {lit[-1]}, LED {led}, 4 turns of the motor; {words}"


def bursts(pulses, gap=0.05):
    """Runs of pulses: start, length, number."""
    runs = []
    for start, _ in pulses:
        if runs and start - runs[-1][-1] < gap:
            runs[-1].append(start)
        else:
            runs.append([start])
    return [(run[0], run[-1] - run[0], len(run) - 1) for run in runs if len(run) > 2]


def heard(packed, rate=16_000):
    """Tones in 16 bit samples: length in seconds and frequency by the crossings of zero."""
    samples = array.array("h", recorded.plain(packed))
    crossings = [n / rate for n in range(1, len(samples)) if samples[n - 1] <= 0 < samples[n] and max(samples[n - 20:n + 20]) > 500]
    return [(length, count / length) for _, length, count in bursts([(at, 0) for at in crossings])]


def answer(t):
    for _ in range(4):
        t.press(ENTER, RIGHT, RIGHT, ENTER, RIGHT, ENTER)
        try:
            wait_for(lambda: t.status()["ledger"]["occurrences"]["completed"] > 0, 20, "the answer is taken")
            break
        except AssertionError:
            wait_for(lambda: is_prompted(t), 100, "another prompt falls due", pause=1)
    found = wait_for(lambda: [a for a in t.server.answers() if a["fields"]["module_name"] == "moment"], 60, "the answer arrives")[0]
    responses = json.loads(found["fields"]["responses"])
    assert responses["where"] == "Kitchen", responses
    return f"the receiver has {responses}"


def magnetometer(t):
    file = wait_for(lambda: t.server.files("magnetometer", ".csv.gz"), 90, "a file arrives")[-1]
    rows = recorded.table(t.server.content(file))
    length = recorded.middle([math.hypot(*(float(v) for k, v in row.items() if k not in ("time", "uptime"))) for row in rows])
    assert abs(length - 48.3) < 1.5, f"median |B| {length:.2f} µT; the world's is 48.3"
    return f"{file['name']}: {len(rows)} samples by the kernel's st_magn, median |B| {length:.2f} µT (truth 48.3)"


def recorded_too(t):
    grown = [f"{kind} {was} → {now}" for kind in ("accelerometer", "sound", "position") for was, now in [t.grows(kind, 60)]]
    # There is no voice in the guest, which a board with a loudspeaker is told.
    faults = [fault for fault in t.faults() if "could not be spoken" not in fault]
    assert not faults, faults
    return ", ".join(grown)
