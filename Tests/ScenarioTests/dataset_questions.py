#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the seven questions of docs/dataset.md in Python and R on a dataset of `studyd-tools make-study`, and compares what they give
with what no program of ours computed: the devices' and the lab's databases as SQLite reads them, scikit-digital-health's reading and
CountWear of the same files, NMEA sentences as they stand, gpxpy.

usage: dataset_questions.py DATASET MADE PAGE [NAME-OF-A-RECORDING-THAT-IS-MISSING]"""
import collections
import csv
import datetime
import glob
import io
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import zoneinfo

import gpxpy
import numpy
import pandas
import skdh

os.environ["TZ"] = "America/Lima"  # What an analyst's own zone is must not matter.
dataset, made, page = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
missing = sys.argv[4] if len(sys.argv) > 4 else None
zone = zoneinfo.ZoneInfo("Europe/Berlin")
MARK = "=== the table ==="


def fail(question, language, text):
    sys.exit(f"question {question} in {language}: {text}")


def block(question, language):
    """The lines of a question, which are three at most."""
    text = page.read_text().split(f"```{language}\n# {question} ")[1].split("\n```")[0]
    lines = text.split("\n")[1:]
    kept = [line for line in lines if not line.startswith(("import ", "library("))]
    if len(kept) > 3:
        fail(question, language, f"takes {len(kept)} lines")
    return "\n".join(lines)


def rows(question, language, names, columns=()):
    """Runs a question as it stands; then what it made, as a list of dictionaries by a header of its own words."""
    code = block(question, language)
    if language == "python":
        code += f'\nimport sys; print("{MARK}"); ({names["python"]}).to_csv(sys.stdout)'
        words = [sys.executable, "-W", "ignore", "-c", code]
    else:
        code += f'\ncat("{MARK}\\n"); write.csv({names["r"]}, row.names = FALSE)'
        words = ["Rscript", "-e", code]
    run = subprocess.run(words, cwd=dataset, capture_output=True, text=True)
    if run.returncode:
        fail(question, language, run.stderr)
    return list(csv.DictReader(io.StringIO(run.stdout.split(MARK + "\n")[1])))


def query(path, sql, *values):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return database.execute(sql, values).fetchall()
    finally:
        database.close()


people = [item["participant"] for item in json.loads((made / "truth.json").read_text())["participants"]]


def state(person):
    return made / "devices" / person / "studyd.sqlite"


def local(nanoseconds):
    return datetime.datetime.fromtimestamp(nanoseconds / 1e9, zone).replace(tzinfo=None)


# 1: each run that was submitted, by the devices' logs


def answers(language):
    found = rows("1", language, {"python": "answers", "r": 'transform(answers, answered_local = format(answered_local, "%Y-%m-%d %H:%M:%OS3"))'})
    told = collections.Counter((row["participant"], row["answered_local"][:19]) for row in found)
    known = collections.Counter()
    for person in people:
        for (submitted,) in query(state(person), "SELECT submitted FROM run WHERE submitted IS NOT NULL"):
            known[person, str(local(submitted))[:19]] += 1
    if told != known or not known:
        fail(1, language, f"{told - known} is too much, {known - told} is not there")


# 2 and 6: how each prompt ended, by the devices' logs

NOT_ASKED = {"before-enrolment", "deleted", "replaced", "study-paused"}


def outcomes():
    for person in people:
        ended = "SELECT due, outcome, json_extract(record, '$.isSignalled') FROM occurrence WHERE outcome IS NOT NULL"
        for due, outcome, is_signalled in query(state(person), ended):
            word, _, reason = outcome.partition("/")
            if is_signalled and reason not in NOT_ASKED:
                yield person, local(due).date(), word, reason


def compliance(language):
    names = {"python": "compliance.melt(ignore_index=False, value_name='value').reset_index()", "r": "as.data.frame(compliance)"}
    found = {(row["participant"], row["date"]): float(row.get("value") or row.get("Freq") or "nan") for row in rows("2", language, names)}
    days = collections.defaultdict(list)
    for person, day, word, _ in outcomes():
        days[person, str(day)].append(word == "completed")
    for key, ends in days.items():
        if abs(found.get(key, -1) - sum(ends) / len(ends)) > 6e-5:
            fail(2, language, f"{key} is {found.get(key)}, by the device {sum(ends)} of {len(ends)}")


def missed(language):
    found = collections.Counter()
    for row in rows("6", language, {"python": "missed", "r": "missed"}):
        found[row["participant"], row["outcome"], row["reason"].replace("NA", "")] += 1
    known = collections.Counter((person, word, reason) for person, _, word, reason in outcomes() if word != "completed")
    if found != known or not known:
        fail(6, language, f"{found - known} is too much, {known - found} is not there")


# 3 and 4: the acceleration as scikit-digital-health reads it


def motion(person):
    """Of each file: wall times as seconds, g, and what the wall clock is ahead of UTC."""
    with open(dataset / "recordings.csv") as file:
        for row in csv.DictReader(file):
            if row["participant"] == person and row["format"] == "cwa" and not row["task"] and row["start_utc"]:
                part = skdh.io.ReadCwa().predict(file=str(dataset / row["path"]), tz_name=None)
                sign = -1 if row["utc_offset"][0] == "-" else 1
                hours, minutes = row["utc_offset"][1:].split(":")
                yield part, sign * (int(hours) * 3600 + int(minutes) * 60)


def minute_means():
    means = {}
    for person in people:
        for part, offset in parts[person]:
            cut = numpy.maximum(numpy.linalg.norm(part["accel"], axis=1) - 1, 0)
            minutes = ((part["time"] - offset) // 60).astype("int64")
            starts = numpy.flatnonzero(numpy.diff(minutes, prepend=minutes[0] - 1))
            sums, counts = numpy.add.reduceat(cut, starts), numpy.diff(numpy.append(starts, len(cut)))
            for minute, total, count in zip(minutes[starts], sums, counts):
                before = means.get((person, minute), (0, 0))
                means[person, minute] = (before[0] + total, before[1] + count)
    return {key: total / count for key, (total, count) in means.items()}


def joined(language):
    found = rows("3", language, {"python": "joined", "r": "joined"})
    count = 0
    for row in found:
        moment = datetime.datetime.fromisoformat(row["time_utc"].replace("Z", "+00:00"))
        known = enmo.get((row["participant"], int(moment.timestamp()) // 60))
        told = row["enmo_g"]
        if (known is None) != (told in ("", "NA")):
            fail(3, language, f"{row['participant']} at {moment}: '{told}', by skdh {known}")
        if known is None:
            continue
        count += 1
        # The two may put the sample at an edge into one minute or the other.
        if abs(float(told) - known) > 2e-4 + 0.01 * known:
            fail(3, language, f"{row['participant']} at {moment}: {told}, by skdh {known}")
    submitted = sum(query(state(person), "SELECT count(*) FROM run WHERE submitted IS NOT NULL")[0][0] for person in people)
    if len(found) != submitted or count < submitted / 2:
        fail(3, language, f"{len(found)} rows, {count} of them with ENMO; {submitted} runs were submitted")


def wear(language):
    names = {"python": "wear.melt(ignore_index=False, value_name='value').reset_index()", "r": "as.data.frame(wear)"}
    found = collections.Counter()
    for row in rows("4", language, names):
        found[row["participant"]] += float(row.get("value") or row.get("Freq") or 0)
    for person in people:
        hours = 0
        for part, _ in parts[person]:
            spans = skdh.preprocessing.CountWearDetection().predict(**part)["wear"]
            hours += sum(part["time"][min(stop, len(part["time"])) - 1] - part["time"][start] for start, stop in spans) / 3600
        print(f"{person}: worn {found[person]:.2f} h, {hours:.2f} h by CountWear")
        if not hours or abs(found[person] / hours - 1) > 0.02:
            fail(4, language, f"{person}: {found[person]} h, {hours} h by CountWear")


# 4 again, by what the body did while the recordings were made


def cut(spans, start, end):
    return sum(max(0, min(end, stop) - max(start, begin)) for begin, stop in spans)


def true_days(person):
    """Of each day on the wall clock with power, by truth.json: seconds worn, seconds not worn, and how many of those windows of an hour, one
    every quarter, can miss: less than a quarter at either end, and all where that leaves no whole window."""
    days = collections.defaultdict(lambda: [0, 0, 0])
    moment = lambda text: datetime.datetime.fromisoformat(text)
    off = [(moment(item["from"]).timestamp(), moment(item["to"]).timestamp()) for item in person["activities"] if item["activity"] == "notWorn"]
    for boot in person["powered"]:
        place, end = moment(boot["from"]).astimezone(zoneinfo.ZoneInfo(boot["zone"])), moment(boot["to"])
        while place < end:
            midnight = place.replace(hour=0, minute=0, second=0, microsecond=0) + datetime.timedelta(days=1)
            start, stop = place.timestamp(), min(midnight, end.astimezone(place.tzinfo)).timestamp()
            day = days[str(place.date())]
            not_worn = cut(off, start, stop)
            day[0] += stop - start - not_worn
            day[1] += not_worn
            day[2] += sum(length if length < 4500 else 1800 for length in (cut([span], start, stop) for span in off))
            place = midnight
    return days


def wear_in_truth():
    """No time that was worn is taken for the contrary, and of the contrary no more for worn than windows can miss."""
    with open(dataset / "wear.csv") as file:
        found = {(row["participant"], row["date"]): [float(row[name]) for name in ("worn_s", "not_worn_s", "unknown_s")] for row in csv.DictReader(file)}
    for person in json.loads((made / "truth.json").read_text())["participants"]:
        name, days = person["participant"], true_days(person)
        for day, (worn, not_worn, missable) in days.items():
            told = found.get((name, day), [0, 0, 0])
            # A minute is of an epoch whole, and a start takes a moment.
            if abs(sum(told) - worn - not_worn) > 240:
                fail(4, "truth", f"{name} on {day}: {sum(told)} s recorded, {worn + not_worn} s with power")
            if not -60 <= not_worn - told[1] <= missable + told[2] + 60:
                fail(4, "truth", f"{name} on {day}: {told} s worn, not worn and unknown; really {worn} and {not_worn} s, {missable} s of it missable")
            print(f"{name} on {day}: worn {told[0] / 3600:.2f} h, really {worn / 3600:.2f} h")
        told, really = sum(found.get((name, day), [0])[0] for day in days), sum(worn for worn, _, _ in days.values())
        if abs(told / really - 1) > 0.02:
            fail(4, "truth", f"{name}: worn {told} s, really {really} s")
        if not any(missable for _, _, missable in days.values()):
            fail(4, "truth", f"{name} never takes it off")


# 5: the sentences as they stand


def degrees(text, side):
    place = text.index(".") - 2
    value = int(text[:place]) + float(text[place:]) / 60
    return -value if side in "SW" else value


def fixes(person):
    found = {}
    for path in glob.glob(str(dataset / "recordings" / person / "*" / "*-position.nmea")):
        for line in open(path, errors="replace"):
            part = line.split("*")[0].split(",")
            if part[0][3:] == "RMC" and part[2] == "A":
                moment = datetime.datetime.strptime(part[9] + part[1][:6], "%d%m%y%H%M%S").replace(tzinfo=datetime.timezone.utc)
                found[moment] = (degrees(part[3], part[4]), degrees(part[5], part[6]))
    return found


def track(language):
    (dataset / "P001.gpx").unlink(missing_ok=True)
    rows("5", language, {"python": "track", "r": "track"})
    points = [point for track in gpxpy.parse((dataset / "P001.gpx").read_text()).tracks for part in track.segments for point in part.points]
    (dataset / "P001.gpx").unlink()
    known = fixes("P001")
    minutes = {moment.replace(second=0) for moment in known}
    if not points or {point.time.replace(second=0, microsecond=0) for point in points} != minutes:
        fail(5, language, f"{len(points)} points, positions in {len(minutes)} minutes")
    for point in points:
        place = known.get(point.time.replace(microsecond=0))
        if place is None or abs(place[0] - point.latitude) > 2e-6 or abs(place[1] - point.longitude) > 2e-6:
            fail(5, language, f"{point.time}: {point.latitude}, {point.longitude}; the receiver said {place}")


# 7: what the devices have, and what came


def holes(language):
    found = [row["name"] for row in rows("7", language, {"python": "holes", "r": "holes"})]
    here = {row["sha256"] for row in csv.DictReader(open(dataset / "recordings.csv"))}
    lost = []
    for person in people:
        for (record,) in query(state(person), "SELECT record FROM recording"):
            record = json.loads(record)
            if record["sha256"] not in here:
                lost.append(record["path"])
    if sorted(set(found)) != sorted(lost) or lost != ([missing] if missing else []):
        fail(7, language, f"named {found}; of the devices' recordings {lost} are not here")


languages = ["python", "r"]
if missing is None:
    parts = {person: list(motion(person)) for person in people}
    enmo = minute_means()
    wear_in_truth()
    for language in languages:
        for ask in (answers, compliance, joined, wear, track, missed, holes):
            ask(language)
    print("seven questions in two languages")
else:
    for language in languages:
        holes(language)
    print(f"{missing} is missing")
