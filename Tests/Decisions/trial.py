#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes micro-randomised trials with a planted effect, as the state folder of a device holds them.

  trial.py FOLDER [--trials N] [--first N] [--people N] [--days N] [--effect X] [--holes] [--studyd PROGRAM --study FILE]

Trials get folders FOLDER/1, FOLDER/2, …; `study-receiver export --data FOLDER/1` makes decisions.csv of one. Without
--studyd decisions are made here, by docs/rules.md alone; with it by `studyd simulate`, in two turns: the first tells
who is treated, and the second's sensors feel it.
"""
import argparse, datetime, hashlib, json, math, os, random, sqlite3, subprocess, tempfile

import reading

SECOND = 10**9
START = 1_772_406_000 * SECOND  # 2026-03-02T00:00 at +01:00
OFFSET = 3600
RULES = b"""
[feature.tilt]
from = "accelerometer"
is = "anglez"
window = "10m"

[feature.steps]
from = "accelerometer"
is = "agcounts"
window = "30m"
reduce = "mean-x"

[rule.walk]
task = "moment"
every = "1h"
available = ["90m since prompt", "tilt < 60deg"]
probability = [{ when = "tilt < 0deg", p = 0.6 }, { p = 0.3 }]
outcome = { feature = "steps", window = "+30m" }
quiet = ["21:30-08:30"]
"""


class Person:
    """Where the arm points and how much somebody moves, half hour by half hour; both drift."""

    def __init__(self, dice, days):
        self.level, self.slope = dice.gauss(400, 80), dice.gauss(2, 1)
        self.tilt, self.steps = [], []
        tilt = carried = 0.0
        for half in range(days * 48):
            tilt = 0.7 * tilt + dice.gauss(0, 30)
            carried = 0.5 * carried + dice.gauss(0, 60)
            self.tilt.append(max(-90.0, min(90.0, round(tilt, 3))))
            # Who hangs the arm moves more: what says the probability says the outcome as well.
            self.steps.append(max(0, round(self.level + self.slope * tilt + 3 * half / 48 + carried)))


def decisions(person, days, seed, effect, holes, dice):
    """Events of one enrolment, by the page."""
    rules = reading.Rules(RULES)
    events, last, treated_at = [], 0, -1 << 60
    for hour in range(days * 24):
        due = START + hour * 3600 * SECOND
        time = hour % 24 * 3600 * SECOND
        if rules.rules["walk"].is_quiet(time) or hour == 0:
            continue
        last += 1
        # Epochs of the ten minutes before are of the half hour before.
        tilt = person.tilt[hour * 2 - 1]
        reasons = (["recent-prompt"] if due - 5400 * SECOND < treated_at else []) + ([] if tilt < 60 else ["condition"])
        state = {"tilt": {"value": tilt, "coverage": 1, "from": due - 600 * SECOND, "to": due}}
        decision = {"rule": "walk", "index": last, "task": "moment", "due": due, "at": due + SECOND // 2,
                    "local": [due // reading.DAY + (due % reading.DAY + OFFSET * SECOND) // reading.DAY, time],
                    "available": not reasons, "reasons": reasons, "state": state, "outcome": "steps",
                    "rules": rules.digest, "result": "unavailable"}
        is_treated = False
        if not reasons:
            chances, label = 0.6 if tilt < 0 else 0.3, f"rule walk/{last}"
            draw = reading.unit(bytes.fromhex(seed), label)
            is_treated = draw < chances
            decision |= {"probability": chances, "label": label, "draw": draw,
                         "result": "treated" if is_treated else "control"}
        if is_treated:
            treated_at = decision["at"]
        events.append(("decided", decision["at"], {"decision": decision}))
        outcome = {"rule": "walk", "index": last, "feature": "steps", "from": due, "to": due + 1800 * SECOND,
                   "at": due + 1801 * SECOND, "coverage": 1, "value": person.steps[hour * 2] + effect * is_treated,
                   "rules": rules.digest}
        if holes and dice.random() < 0.2:
            del outcome["value"]
            outcome |= {"coverage": 0.3, "missing": "coverage"}
        events.append(("outcomeMeasured", outcome["at"], {"outcome": outcome}))
    return events


def simulated(person, days, number, effect, options):
    """Events of one enrolment, by studyd."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/rules.toml", "wb") as file:
            file.write(RULES)
        treated = set()
        for _ in range(2):
            with open(f"{folder}/world.csv", "w") as file:
                file.write("#epoch 1m, from multiples of it in UTC\ntime,local,angle_z,counts_x,coverage\n")
                for minute in range(days * 1440):
                    at = datetime.datetime.fromtimestamp(START // SECOND + minute * 60, tz=datetime.timezone.utc)
                    steps = person.steps[minute // 30] + effect * (minute // 30 in treated)
                    file.write(f"{at:%Y-%m-%dT%H:%M:%SZ},,{person.tilt[minute // 30]:.3f},{steps},1.000\n")
            lines = subprocess.run(
                [options.studyd, "simulate", options.study, "--rules", f"{folder}/rules.toml", "--world",
                 f"{folder}/world.csv", "--zone", "Etc/GMT-1", "--enrolled",
                 "2026-03-02T00:00", "--days", str(days), "--seed", str(number), "--board", options.board, "--decisions"],
                capture_output=True, text=True, check=True).stdout
            events = []
            for line in lines.splitlines():
                (kind, body), = json.loads(line).items()
                events.append((kind, (body.get("decision") or body.get("outcome") or body)["at"], body))
            treated = {(body["decision"]["due"] - START) // (1800 * SECOND) for kind, _, body in events
                       if kind == "decided" and body["decision"]["result"] == "treated"}
    return events


def write(folder, people):
    """The tables of a device's store that an export reads."""
    os.makedirs(folder + "/recordings", exist_ok=True)
    if os.path.exists(folder + "/studyd.sqlite"):
        os.remove(folder + "/studyd.sqlite")
    database = sqlite3.connect(folder + "/studyd.sqlite")
    database.executescript("""
        CREATE TABLE enrolment (sequence INTEGER PRIMARY KEY, record TEXT NOT NULL);
        CREATE TABLE event (sequence INTEGER PRIMARY KEY, enrolment TEXT, wall INTEGER, monotonic INTEGER,
            boot TEXT, kind TEXT, body TEXT);
        CREATE TABLE study_file (digest TEXT PRIMARY KEY, received INTEGER, bytes BLOB);
        CREATE TABLE answer (enrolment, sequence, task, opening, question, value, presses);
        CREATE TABLE run (enrolment, task, opening, occurrence, opened, left_at, submitted);
        CREATE TABLE occurrence (enrolment, id, task, due, record, presented, outcome, ended);
        CREATE TABLE recording (enrolment, sequence, record, removed);
        """)
    digest = hashlib.sha256(RULES).hexdigest()
    database.execute("INSERT INTO study_file VALUES (?, 0, ?)", (digest, RULES))
    for number, (seed, events) in enumerate(people, 1):
        name = f"P{number:03}"
        record = {"id": f"e{number}", "studyID": "TRIAL", "participant": name, "instant": START,
                  "local": [20514, 0], "zone": "Etc/GMT-1", "seed": seed, "rules": digest}
        database.execute("INSERT INTO enrolment (record) VALUES (?)", (json.dumps(record),))
        database.executemany("INSERT INTO event (enrolment, wall, monotonic, boot, kind, body) VALUES (?, ?, 0, '', ?, ?)",
                             [(f"e{number}", at, kind, json.dumps(body)) for kind, at, body in events])
    database.commit()
    database.close()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--people", type=int, default=30)
    parser.add_argument("--days", type=int, default=14)
    parser.add_argument("--effect", type=int, default=25)
    parser.add_argument("--holes", action="store_true")
    parser.add_argument("--studyd")
    parser.add_argument("--study", default="studies/sleep-and-movement.json")
    parser.add_argument("--board", default="boards/simulated.toml")
    options = parser.parse_args()
    for trial in range(options.first, options.first + options.trials):
        dice = random.Random(trial)
        people = []
        for person in range(options.people):
            number = trial * 1000 + person
            seed = hashlib.sha256(f"studyd seed {number}".encode()).hexdigest()
            one = Person(dice, options.days)
            events = simulated(one, options.days, number, options.effect, options) if options.studyd else decisions(
                one, options.days, seed, options.effect, options.holes, dice)
            people.append((seed, events))
        write(f"{options.folder}/{trial}", people)


if __name__ == "__main__":
    main()
