# SPDX-License-Identifier: Apache-2.0
"""What can go wrong with a board: each fault is named, counted and cured."""
import base64
import json

import recorded
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
            seen = []

            def cured():
                seen[:] = t.faults()
                return not seen
            wait_for(cured, 60, f"no fault after {undo}", last=seen)
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
    """A LIS3DH's registers on i2c-stub, which has SMBus calls only: an agent beside the board's own, at first with another chip."""
    look = f"{AGENT} status --json --config /run/board/smbus.toml"
    numbers = []

    def status():
        text = t.sh(look)
        return json.loads(text[text.index("{"):])

    def stub():
        t.sh("modprobe i2c-stub chip_addr=0x18 && udevadm settle")
        number = t.sh("grep -l 'SMBus stub' /sys/class/i2c-dev/*/name | sed 's/[^0-9]*2c-dev.i2c-\\([0-9]*\\).*/\\1/'")
        assert "I2C Block Read" in t.sh(f"i2cdetect -F {number}"), "no adapter"
        # A FIFO that always holds 20 samples; in them 1 g upwards at ±8 g: 250 digits of 4 mg, left-justified. The stub has no pointer
        # that wraps, so the pattern is laid out over as far as a burst may reach.
        pattern = [(register, (0, 0, 0, 0, 0xA0, 0x0F)[(register - 0xA8) % 6]) for register in range(0xA8, 0x100)]
        t.sh("; ".join(f"i2cset -y {number} 0x18 {register} {value}" for register, value in [(0x0F, 0x44), (0x2F, 0x14)] + pattern))
        t.sh(f"sed -i 's/STUB/{number}/' /run/board/smbus-board.toml && mkdir -p /run/board/smbus-state && "
             "chown -R studyd /run/board/smbus-state")
        t.sh("systemd-run --quiet --unit smbus --uid studyd -p 'SupplementaryGroups=gpio i2c' "
             "studyd run --config /run/board/smbus.toml")
        numbers.append(number)
        return f"/dev/i2c-{number}: SMBus calls only"

    def wrong():
        named = wait_for(lambda: [f for f in status()["faults"] if "0x44" in f], 60, "a fault that names the identity 0x44")
        return f"\"{named[0]}\""

    def read():
        number = numbers[0]
        t.sh(f"i2cset -y {number} 0x18 0x0F 0x33")
        seen = []

        def stored():
            # The stub takes bit 7 for a part of the address, where the chip takes it for "and the next": what was written is shown there too.
            t.sh("; ".join(f"i2cset -y {number} 0x18 {0xA0 + n} $(i2cget -y {number} 0x18 {0x20 + n})" for n in range(6)))
            now = status()
            seen[:] = [f"{now['measures']}, faults {now['faults']}"]
            return now["measures"][0]["stored"] > 100 and now["measures"][0]
        measure = wait_for(stored, 60, "samples are stored", last=seen)
        control = t.sh(f"i2cget -y {number} 0x18 0x20")
        assert control == "0x57", f"CTRL_REG1 is {control}; 100 Hz and three axes are 0x57"
        assert not status()["faults"], status()["faults"]
        t.sh("systemctl stop smbus", within=60)
        samples, _, wrong = recorded.cwa(base64.b64decode(t.sh("cat /run/board/smbus-state/recordings/*.cwa | base64 -w0")))
        assert not wrong and set(samples) == {(0, 0, 1)}, sorted(set(samples))[:5]
        return f"set up and read by SMBus calls; {measure['stored']} samples and more, each (0, 0, 1) g in the file"

    try:
        t.check("an adapter that has SMBus calls only", stub)
        t.check("a wrong chip at the address is named", wrong)
        t.check("SMBus calls only (i2c-stub): the right chip is found and read", read)
    finally:
        t.check("it is put away", lambda: t.sh("systemctl stop smbus; modprobe -r i2c-stub; true"))
