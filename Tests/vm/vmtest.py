# SPDX-License-Identifier: Apache-2.0
"""Plays the agent's main job on the virtual board, breaks what can be broken, and says of each thing what was seen.

    vmtest.py IMAGE TREE ADAPTER RECEIVER [--short] [PLAY...]

Each play has a machine of its own: job (all that --short plays), parts, panel, reaction, ntp, receiver, lab, takeover, stick; without names all are played. arm64 has
another image, with the packages in it, and no TREE (-). One line per check: `ok`, `FAIL`, or `SKIP` for what could not be tried since something before it failed, which counts as failed. Figures are JSON
lines {"name","value","unit"}. Ends with 1 when a check failed.
"""
import sys
import time
import traceback

import arm64
import clocks
import faults
import job
import panel
import parts
import power
import reaction
import service
import stick
import takeover
from trial import Programs, Trial


def play_lab(t):
    service.machine(t)
    service.receiver(t)


def play_job(t):
    service.machine(t)
    service.service(t)
    job.main_job(t)
    job.contents(t)
    service.enrolled_service(t)
    service.cost(t)
    faults.faults(t)
    if not t.short:
        faults.smbus(t)
    power.restarts(t)
    power.stops(t)
    power.power(t)
    power.final(t)


# What is played, and the machine for it.
PLAYS = {
    "job": (play_job, {}),
    "parts": (parts.play, parts.MACHINE),
    "panel": (panel.play, panel.MACHINE),
    "reaction": (reaction.play, {}),
    "ntp": (clocks.play_ntp, clocks.MACHINE),
    "lab": (play_lab, {}),
    "takeover": (takeover.play, takeover.MACHINE),
    "receiver": (clocks.play_receiver, clocks.MACHINE),
    "stick": (stick.play, stick.MACHINE),
    "arm64": (arm64.play, arm64.MACHINE),
}


def run(name, programs, short):
    """Checks done and failed."""
    body, machine = PLAYS[name]
    print(f"vm: {name}", flush=True)
    t = Trial(programs, short, **machine)
    try:
        body(t)
    except Exception:  # a mistake of the play itself must not hide the others
        traceback.print_exc()
        t.done, t.failed = t.done + 1, t.failed + 1
        print(f"FAIL {name}: the play broke off, see above; what would have come after it was not tried", flush=True)
    finally:
        t.end()
    return t.done, t.failed


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    short = "--short" in sys.argv
    names = arguments[4:] or (["job"] if short else [name for name in PLAYS if name != "arm64"])
    if len(arguments) < 4 or not set(names) <= set(PLAYS):
        sys.exit(__doc__)
    began = time.monotonic()
    done, failed = map(sum, zip(*(run(name, Programs(*arguments[:4]), short) for name in names)))
    print(f'{{"name": "virtual board, whole run", "value": {round(time.monotonic() - began)}, "unit": "s"}}')
    print(f"vm: {done - failed} of {done} checks held")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
