# SPDX-License-Identifier: Apache-2.0
"""One chip of each register family behind the kernel's own I2C: each is set up, measured, and its file read by `recorded`.

The world turns the board over once in five seconds, evenly, about its x axis: an accelerometer must feel 1 g in length, a gyroscope 72
degrees a second about x (360 in 5 s), a magnetometer 48.3 µT (20 to the north, 44 into the ground).
"""
import base64
import math

import recorded
import service
from lab import wait_for
from trial import RECORDINGS

MACHINE = {"chips": ("LIS3DH@0x18", "LIS3MDL@0x1C"), "script": "turn 5s"}

# Chips that are fitted together, and the rate that is asked of each: an accelerometer or an inertial sensor, then a magnetometer.
SETS = (
    (("LIS2DH12", 0x19, 100, "accelerometer"), ("LIS3MDL", 0x1C, 40, "magnetometer")),
    (("ADXL345", 0x53, 100, "accelerometer"), ("LIS2MDL", 0x1E, 50, "magnetometer")),
    (("LSM6DSO", 0x6A, 104, "both"), ("QMC5883L", 0x0D, 50, "magnetometer")),
    (("MPU-6050", 0x68, 100, "both"), ("HMC5883L", 0x1E, 30, "magnetometer")),
    (("LSM9DS1-imu", 0x6B, 119, "both"), ("LSM9DS1-magn", 0x1E, 20, "magnetometer")),
    (("ICM-20948", 0x69, 102.3, "both"), ("AK09916", 0x0C, 50, "magnetometer")),
    (("MPU-9250", 0x68, 100, "both"), ("AK8963", 0x0C, 100, "magnetometer")),
    (("LSM303AGR-accel", 0x19, 100, "accelerometer"), ("MMC5983MA", 0x30, 50, "magnetometer")),
)
# What the specimens of Tests/vm/Adapter are off their nominal rates; the agent is not told.
TRUE_RATE = {"accelerometer": 1.008, "both": 1.008, "magnetometer": 0.996}
# 119 Hz is too far from any rate that CWA can name (3200 / 2^n): its writer makes 100 of it.
IN_CWA = {119: 100}


def board(chips):
    bus = '[[bus]]\nname = "usb"\ndevice = "/dev/i2c-usb"\n'
    tables = "".join(f'[[chip]]\ntype = "{name}"\nbus = "usb"\naddress = {address}\n' for name, address, _, _ in chips)
    panel = '[[button]]\nname = "select"\ndevice = "/dev/gpiochip0:6"\n[[light]]\nname = "status"\ndevice = "gpio:studyd-board:17"\n'
    return f'name = "parts"\n{bus}{tables}{panel}'


def configuration(chips):
    def measure(channel, rate):
        return f'[[measure]]\nchannel = "{channel}"\nwhen = "always"\nrate = {float(rate)}\n'
    text = 'board = "/etc/studyd/board.toml"\nstate = "/var/lib/studyd"\n'
    for _, _, rate, kind in chips:
        text += "".join(measure(channel, rate) for channel in (("accelerometer", "gyroscope") if kind == "both" else (kind,)))
    return text


def play(t):
    service.machine(t)
    t.sh("mkdir -p /etc/studyd && systemctl stop studyd; true")
    for chips in SETS[:2] if t.short else SETS:
        names = " and ".join(f"{name} at 0x{address:02X}" for name, address, _, _ in chips)
        lost = {}
        t.check(f"{names}: set up and measured", lambda chips=chips: measured(t, chips, lost))
        for chip in chips:
            t.check(f"{chip[0]}: what its file holds", lambda chip=chip: contents(t, lost, *chip))


def measured(t, chips, lost):
    t.adapter.order("unplug")
    t.adapter.order("fit " + " ".join(f"{name}@0x{address:02X}" for name, address, _, _ in chips))
    t.adapter.order("plug")
    for path, text in (("board.toml", board(chips)), ("studyd.toml", configuration(chips))):
        t.sh(f"echo {base64.b64encode(text.encode()).decode()} | base64 -d >/etc/studyd/{path}")
    t.sh("rm -rf /var/lib/studyd/*; until [ -e /dev/i2c-usb ]; do sleep 0.1; done; systemctl start studyd", within=90)
    try:
        # One file of six channels is told as the accelerometer's.
        wanted = {"accelerometer" if kind == "both" else kind: 12 * rate for _, _, rate, kind in chips}
        seen = []

        def enough():
            status = t.status()
            seen[:] = [f"{status['measures']}; {status['faults']}"]
            stored = {m["channel"]: m["stored"] for m in status["measures"]}
            return all(stored.get(channel, 0) >= count for channel, count in wanted.items()) and not status["faults"] and status
        status = wait_for(enough, 90, f"{wanted} samples and no fault", last=seen)
    finally:
        t.sh("systemctl stop studyd", within=60)
    lost.update({m["channel"]: m["lost"] for m in status["measures"]})
    return f"{ {m['channel']: m['stored'] for m in status['measures']} } stored, lost {lost}"


def contents(t, lost, name, _, rate, kind):
    def pace(seen):
        """The specimen's true rate; from a chip without FIFO a starved machine takes too few samples, and says that they are lost."""
        if not lost.get("magnetometer"):
            assert abs(seen / truth - 1) < 0.02, f"{seen:.2f} samples a second; the chip's true rate is {truth:.2f}"
            return f"{seen:.2f} Hz (truth {truth:.2f})"
        return f"{seen:.2f} Hz, not judged: {lost['magnetometer']} samples are counted as lost"

    suffix = "csv.gz" if kind == "magnetometer" else "cwa"
    word = "magnetometer" if kind == "magnetometer" else "*"
    data = base64.b64decode(t.sh(f"base64 -w0 $(ls {RECORDINGS}/*{word}*.{suffix} | tail -1)"))
    truth = (rate if kind == "magnetometer" else IN_CWA.get(rate, rate)) * TRUE_RATE[kind]
    if kind == "magnetometer":
        rows = recorded.table(data)
        vectors = [[float(v) for k, v in row.items() if k not in ("time", "uptime")] for row in rows]
        uptimes = [float(row["uptime"]) for row in rows]
        seen = recorded.middle([1 / (after - before) for before, after in zip(uptimes, uptimes[1:])])
        length = recorded.middle([math.hypot(*v) for v in vectors])
        assert abs(length - 48.3) < 1.5, f"median |B| {length:.2f} µT; the world's is 48.3"
        return f"{len(rows)} samples, median |B| {length:.2f} µT (truth 48.3), {pace(seen)}"
    samples, seen, wrong = recorded.cwa(data)
    length = recorded.middle([math.hypot(*v) for v in samples])
    assert wrong == 0 and abs(length - 1) < 0.03, f"{wrong} wrong blocks, median |a| {length:.3f} g"
    assert abs(seen / truth - 1) < 0.02, f"{seen:.2f} samples a second; the chip's true rate is {truth:.2f}"
    text = f"{len(samples)} samples, median |a| {length:.3f} g (truth 1), {seen:.2f} Hz (truth {truth:.2f})"
    if kind == "both":
        turns = recorded.rotation(data)
        mean = [sum(v[i] for v in turns) / len(turns) for i in range(3)]
        assert abs(mean[0] - 72) < 2 and math.hypot(*mean[1:]) < 2, f"mean rotation {mean} deg/s; the world's is 72 about x"
        text += f", mean rotation {mean[0]:.2f} deg/s about x (truth 72)"
    return text
