# SPDX-License-Identifier: Apache-2.0
"""Plays the agent's main job on the virtual board, breaks what can be broken, and says of each thing what was seen.

    vmtest.py IMAGE TREE ADAPTER [--short]

One line per check: `ok` or `FAIL`, what, what was seen. Figures are JSON lines {"name","value","unit"}. Ends with 1 when a check failed.
"""
import sys
import time
import traceback

import faults
import job
import power
import service
from board import Failed, Lost
from trial import Trial


def play(t):
    if not (service.machine(t) and service.service(t)):
        return
    if job.main_job(t):
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


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(arguments) != 3:
        sys.exit(__doc__)
    t = Trial(*arguments, short="--short" in sys.argv)
    try:
        play(t)
    except (Failed, Lost, AssertionError, OSError):
        traceback.print_exc()
        t.failed += 1
    finally:
        t.end()
    t.figure("virtual board, whole run", round(time.monotonic() - t.began), "s")
    print(f"vm: {t.done - t.failed} of {t.done} checks held")
    sys.exit(1 if t.failed else 0)


if __name__ == "__main__":
    main()
