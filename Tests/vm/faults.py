# SPDX-License-Identifier: Apache-2.0
"""What can go wrong with a board: each fault is named, counted and cured."""
import json
import time

from lab import wait_for
from trial import AGENT, LINES, PREVIOUS


def faults(t):
    def silent(order, undo, kind, words, others, what):
        """A fault of the bus: named while it lasts, then a counted gap, then samples again."""
        def body():
            lost = t.measure(kind)["lost"]
            t.adapter.order(order)
            try:
                named = wait_for(lambda: [f for f in t.faults() if all(w.lower() in f.lower() for w in words)], 40,
                                 f"a fault that names {words}; status has {t.faults()}")
                meanwhile = [f"{other} {was} → {now}" for other in others for was, now in [t.grows(other)]]
            finally:
                t.adapter.order(undo)
            wait_for(lambda: not t.faults(), 60, f"no fault after {undo}")
            before, after = t.grows(kind)
            gap = wait_for(lambda: t.measure(kind)["lost"] - lost, 30, "the gap is counted")
            return f"\"{named[0]}\"; meanwhile {', '.join(meanwhile)}; then {gap} samples counted as lost, stored {before} → {after}"
        t.check(what, body)

    silent("silence 0x1e", "wake 0x1e", "magnetometer", ["LIS3MDL", "0x1E"], ["accelerometer"],
           "a chip that does not acknowledge")
    silent("stall", "unstall", "accelerometer", ["LIS3DH", "0x18"], ["position"], "transfers that fail (EIO)")
    silent("unplug", "plug", "accelerometer", ["LIS3DH"], ["position", "sound"],
           "the adapter is unplugged and plugged in")
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
        t.sh(f"echo pull-down >{pull}; sleep 60; echo pull-up >{pull}", within=120)
        t.is_active()
        assert t.status()["ledger"]["occurrences"]["completed"] == completed["completed"]
        return "40 contacts at once, and a button held for a minute: the agent goes on"

    def card():
        sysfs = "/sys/bus/platform/drivers/snd_aloop"
        before = t.measure("sound")
        t.sh(f"echo snd_aloop.0 >{sysfs}/unbind", check=False)
        seen = []
        try:
            named = wait_for(lambda: [f for f in t.faults() if "Loopback" in f or "microphone" in f or "sound" in f] or
                             ([t.measure("sound")["fault"]] if t.measure("sound").get("fault") else None), 40,
                             f"a fault that names the sound card; status: {t.faults()}")
            seen.append(named[0])
        finally:
            t.sh(f"echo snd_aloop.0 >{sysfs}/bind && udevadm settle", check=False)
        # It is looked for ever more rarely, and an interruption is spoken of for a minute afterwards.
        was, now = t.grows("sound", within=120)
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
        t.sh("systemd-run --quiet --unit smbus --uid studyd -p 'SupplementaryGroups=gpio i2c' "
             "studyd run --config /run/board/smbus.toml")

        said = []

        def looked():
            said[:] = [t.sh("journalctl -u smbus --no-pager -q -n 20 -o cat", check=False)]
            text = t.sh(f"{AGENT} status --json --config /run/board/smbus.toml")
            status = json.loads(text[text.index("{"):])
            measure = next((m for m in status["measures"] if m["channel"] == "accelerometer"), {})
            return (measure.get("stored", 0) > 100 or status["faults"]) and status
        try:
            status = wait_for(looked, 40, "samples or a named fault", last=said)
            measure = next((m for m in status["measures"] if m["channel"] == "accelerometer"), {})
            control = t.sh(f"i2cget -y {number} 0x18 0x20")
            assert control == "0x57", f"CTRL_REG1 is {control}; 100 Hz and three axes are 0x57"
        finally:
            t.sh("systemctl stop smbus; modprobe -r i2c-stub", check=False)
        if status["faults"]:
            assert "SMBus" in status["faults"][0], status["faults"]
            return f"identified and set up; reading is refused by name: {status['faults'][0]}"
        return f"identified, set up and read by SMBus calls: {measure['stored']} samples"

    t.check("SMBus only (i2c-stub)", stub)
