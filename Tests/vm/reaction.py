# SPDX-License-Identifier: Apache-2.0
"""How far a reaction time is off: the vigilance test on lines of a GPIO chip, answered soon after each light. Truth is the kernel's own book
(tracefs): when it was told to switch the light's line, and when the button's interrupt came."""
import json
import re

import service
from lab import wait_for
from trial import AGENT, LED, SELECT

TRIALS = 100
LIMIT = 2.0  # ms
DARK = 1.2  # s without a change before a light that is to be answered; what else the light says comes sooner
RULES = {"trials": TRIALS, "min_waiting": 1500, "max_waiting": 2500, "max_reaction": 3000, "show": False, "exit": True}


def play(t):
    service.machine(t)
    service.service(t)
    t.check("enrol in a study with the vigilance test", lambda: enrol(t), vital=True)
    t.check("each light is answered by a press", lambda: react(t), vital=True)
    t.check(f"99 of 100 reaction times are right to {LIMIT:g} ms", lambda: judge(t))


def enrol(t):
    t.server.serve(8, vigilance=RULES)
    output = t.sh(f"{AGENT} enroll {t.server.guest_address}/study/study.json --participant P020 --seed 1")
    assert "participant P020 in study VIRTUAL" in output, output
    return output.splitlines()[0]


def occurrences(t):
    return t.status()["ledger"]["occurrences"]


def react(t):
    """The guest presses by itself, so that nothing waits for the host. The first press takes the prompt up, one after the example light begins."""
    wait_for(lambda: occurrences(t)["open"] > 0, 150, "the test falls due", pause=1)
    t.press(SELECT)
    t.sh(f"systemd-run --quiet --unit react perl /run/board/react {SELECT} {LED} {DARK}")
    wait_for(lambda: occurrences(t)["completed"] > 0, TRIALS * 8, "the test is over", pause=3)
    t.sh("systemctl stop react", check=False)
    return f"{len(said(t))} reactions in {t.sh(f'{AGENT} history --results').count(chr(10)) + 1} result"


def said(t):
    """Reactions in ms with their uncertainty, in order, as the result's file has them."""
    result = json.loads(t.sh(f"cat $({AGENT} history --results | tail -1)"))
    found = []

    def walk(value):
        if isinstance(value, dict) and "reaction" in value and "uncertainty" in value:
            found.append((1000 * value["reaction"], 1000 * value["uncertainty"]))
        elif isinstance(value, (dict, list)):
            for part in value.values() if isinstance(value, dict) else value:
                walk(part)

    walk(result)
    return found


def seen(t):
    """What the kernel wrote down: for each switching on of the light after it had rested the time until the next interrupt of the button, in ms."""
    light = int(t.sh("cat /run/board/first-line")) + LED
    changed, lit, found = 0.0, None, []
    for row in t.sh("cat /run/react").splitlines():
        at = re.search(r" (\d+\.\d+): (gpio_value|irq_handler_entry): +(.*)", row)
        if not at:
            continue
        moment, what = float(at[1]), at[3]
        if what.startswith(f"{light} set "):
            if what.endswith("1") and moment - changed >= DARK:
                lit = moment
            changed = moment
        elif at[2] == "irq_handler_entry" and "name=studyd" in what and lit is not None:
            found.append(1000 * (moment - lit))
            lit = None
    return found


def judge(t):
    told, truth = said(t), seen(t)
    assert len(told) >= TRIALS, f"{len(told)} of {TRIALS} reactions"
    # Before the test the example light was answered, after it perhaps what its end says: where the test's own begin is seen by the whole of them.
    spare = len(truth) - len(told)
    assert 0 <= spare <= 8, f"the kernel saw {len(truth)} reactions, the result has {len(told)}"
    pairs = min(([(abs(mine[0] - theirs), mine[1]) for mine, theirs in zip(told, truth[first:])] for first in range(spare + 1)), key=sum_of_errors)
    errors = sorted(error for error, _ in pairs)
    high = errors[int(0.99 * (len(errors) - 1))]
    t.figure("error of a reaction time, p99", round(high, 3), "ms", limit=LIMIT)
    # The kernel's book and the press are each stamped within some 10 µs, unless the host takes the processor away between interrupt and stamp.
    beyond = [pair for pair in pairs if pair[0] > pair[1] + 0.1]
    assert len(beyond) <= len(pairs) * 3 // 100, f"error and stated uncertainty in ms: {beyond}"
    assert high <= LIMIT, f"{high:.2f} ms; the largest: {errors[-5:]}"
    return f"{len(errors)} reactions: median {errors[len(errors) // 2]:.3f} ms, p99 {high:.3f} ms, most {errors[-1]:.3f} ms; " \
        f"{len(pairs) - len(beyond)} within the uncertainty that the record states"


def sum_of_errors(pairs):
    return sum(error for error, _ in pairs)
