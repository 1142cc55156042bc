#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`make bench`: measures the release build and prints JSON lines {"name","value","unit"}, with "limit" or "least" (a value above or
below it fails the run), or with "ratio" and "peer" (how many times the peer's value ours is, measured in the same run)."""
import base64
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(os.environ.get("BENCH_BUILD", ".build/release")).resolve()
ROOT = pathlib.Path(".").resolve()
SIMULATE_LIMIT = 1.5  # seconds of wall time
SCRIPTED_LIMIT = 3  # seconds
EXPORT_LIMIT = 3  # seconds
PAGE_LIMIT = 0.3  # seconds
# Durable commits of a questionnaire: what is sent at its opening and at its end is decided, begun (the server is told
# that row's hash) and delivered (or it would be sent twice); and a recording's delivery.
FLUSH_LIMIT = 7
IDLE_LIMIT = 0.5  # wake-ups a second, besides those of the light that shows that the device is on
RECORDS = 200_000
over = []


def show(name, value, unit, limit=None, ratio=None, peer=None):
    figure = {"name": name, "value": float(f"{value:.4g}") if isinstance(value, float) else value, "unit": unit}
    if limit is not None:
        figure["limit"] = limit
        if value > limit:
            over.append(f"{name} is {value} {unit}, the limit is {limit}")
    if ratio is not None:
        figure |= {"ratio": float(f"{ratio:.4g}"), "peer": peer}
    print(json.dumps(figure), flush=True)


def judge(figure):
    """Prints a figure of studyd-bench and remembers it where it is beyond its limit."""
    if figure["value"] > figure.get("limit", float("inf")):
        over.append(f"{figure['name']} is {figure['value']} {figure['unit']}, the limit is {figure['limit']}")
    if figure["value"] < figure.get("least", float("-inf")):
        over.append(f"{figure['name']} is {figure['value']} {figure['unit']}, it must be at least {figure['least']}")
    print(json.dumps(figure), flush=True)


def note(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


# Inputs


def question(number):
    kind = number % 3
    base = {"id": f"q{number}", "text": "What are you doing at this very moment? " * 2, "required": True, "hide_id": "",
            "hide_value": "", "hide_if": True}
    if kind == 0:
        return base | {"type": "multi", "radio": True, "modal": False, "shuffle": False,
                       "options": ["Resting", "Walking", "Working", "Eating", "Something else"]}
    if kind == 1:
        return base | {"type": "slider", "min": 0, "max": 100, "hint_left": "not at all", "hint_right": "very much"}
    return base | {"type": "yesno", "yes_text": "Yes", "no_text": "No"}


def module(name, questions, times, days):
    return {"type": "survey", "name": name, "submit_text": "Submit", "condition": "*", "uuid": name, "unlock_after": [],
            "shuffle": False, "graph": {"display": False},
            "alerts": {"title": name, "message": "A few questions.", "start_offset": 0, "duration": days, "times": times,
                       "random": True, "random_interval": 15, "sticky": False, "sticky_label": "", "timeout": True,
                       "timeout_after": 20},
            "sections": [{"name": "Now", "shuffle": False, "questions": questions}]}


def protocol(modules):
    return {"properties": {"study_name": "Bench", "study_id": "BENCH1", "created_by": "studyd", "instructions": "Answer.",
                           "post_url": "http://127.0.0.1:1/schema", "empty_msg": "Nothing now.", "banner_url": "",
                           "support_url": "https://example.org/", "support_email": "study@example.org", "conditions": ["*"],
                           "cache": True, "ethics": "", "pls": ""}, "modules": modules}


def sentences():
    """A million sentences of real receivers, repeated; of our own made-up walk where the logs are not beside the project."""
    logs = sorted((ROOT / "../shared/fixtures/nmea").glob("*.log"))
    if not logs:
        note("SKIPPED real receivers' logs: no ../shared/fixtures/nmea")
        logs = [ROOT / "studies/receiver.nmea"]
    lines = [line for log in logs for line in log.read_bytes().splitlines(True) if line.startswith(b"$")]
    return b"".join(lines) * (1_000_000 // len(lines))


def write_inputs(folder):
    """Half a year with 14 prompts a day; a protocol of 1 MB; a receiver's log of some million sentences."""
    times = [{"hours": hour, "minutes": 0} for hour in range(8, 22)]
    half_year = folder / "half-year.json"
    half_year.write_text(json.dumps(protocol([module("moment", [question(n) for n in range(3)], times, 182)])))
    modules, count = [], 0
    while len(json.dumps(protocol(modules))) < 1_000_000:
        modules.append(module(f"module-{len(modules)}", [question(count + n) for n in range(20)], times[:3], 28))
        count += 20
    big = folder / "big.json"
    big.write_text(json.dumps(protocol(modules)))
    nmea = folder / "receiver.nmea"
    nmea.write_bytes(sentences())
    return half_year, big, nmea


def write_scripted(folder):
    """Half a year of ESMira with 10 prompts a day, each of three pages of which scripts decide."""
    def page(number):
        name = f"q{number}"
        page = {"inputs": [{"name": name, "responseType": "likert", "text": "How are you?",
                            "relevance": f'getQuestionnaireVar("q0") + {number} > 0 and day() >= 0;'}]}
        return page | ({"relevance": 'x = getQuestionnaireVar("q0"); if (x > 3) { x = x - 1; } x >= 0;'} if number else {})
    times = [{"startTimeOfDay": hour * 3_600_000} for hour in range(9, 19)]
    study = {"id": 1, "version": 1, "title": "Bench", "sendMessagesAllowed": False, "questionnaires": [{
        "internalId": 10001, "title": "Now", "durationPeriodDays": 182, "completableOncePerNotification": True,
        "pages": [page(number) for number in range(3)],
        "actionTriggers": [{"actions": [{"msgText": "Now", "timeout": 20}], "schedules": [{"signalTimes": times}]}]}]}
    path = folder / "scripted.json"
    path.write_text(json.dumps(study))
    return path


# Whole commands


def timed(words, **options):
    """Wall and user seconds of a command; it must succeed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, **options)
    return time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measure_commands(half_year):
    enrolled = ["--enrolled", "2026-03-01T07:00", "--zone", "Europe/Berlin"]
    wall, user = timed([BUILD / "studyd", "plan", half_year, "--json", *enrolled])
    show("plan of half a year with 14 prompts a day, wall", wall, "s")
    show("plan of half a year with 14 prompts a day, user", user, "s")
    # Other work on the machine only adds to it: up to three runs, the quickest counts.
    wall, user = timed([BUILD / "studyd", "simulate", half_year, "--json", *enrolled])
    for _ in range(2):
        if wall > SIMULATE_LIMIT:
            wall, user = min((wall, user), timed([BUILD / "studyd", "simulate", half_year, "--json", *enrolled]))
    show("simulate of half a year with 14 prompts a day, wall", wall, "s", limit=SIMULATE_LIMIT)
    show("simulate of half a year with 14 prompts a day, user", user, "s")
    scripted = write_scripted(half_year.parent)
    wall, user = timed([BUILD / "studyd", "simulate", scripted, "--json", *enrolled])
    for _ in range(2):
        if wall > SCRIPTED_LIMIT:
            wall, user = min((wall, user), timed([BUILD / "studyd", "simulate", scripted, "--json", *enrolled]))
    show("simulate of half a year of ESMira with 10 prompts a day and scripts, wall", wall, "s", limit=SCRIPTED_LIMIT)
    show("simulate of half a year of ESMira with 10 prompts a day and scripts, user", user, "s")


# NMEA and its peers

PYNMEA2 = """
import sys, time, pynmea2
lines = open(sys.argv[1], encoding="ascii", errors="replace").read().splitlines()[:40000]
best = 0
for _ in range(3):
    start, good = time.monotonic(), 0
    for line in lines:
        try:
            pynmea2.parse(line, check=True)
            good += 1
        except pynmea2.ParseError:
            pass
    best = max(best, good / (time.monotonic() - start))
print(best)
"""


def pynmea2(nmea):
    """Sentences per second of pynmea2; None where it cannot be had."""
    place = ROOT / ".build/bench-venv"
    try:
        if not (place / "done").exists():
            subprocess.run([sys.executable, "-m", "venv", place], check=True, capture_output=True)
            subprocess.run([place / "bin/pip", "install", "--quiet", "pynmea2==1.19.0"], check=True, capture_output=True)
            (place / "done").touch()
        out = subprocess.run([place / "bin/python", "-c", PYNMEA2, nmea], check=True, capture_output=True, text=True).stdout
        return float(out)
    except (OSError, subprocess.CalledProcessError) as error:
        note(f"SKIPPED pynmea2: {error}")
        return None


def measure_programs(nmea):
    """The whole programs over the same file."""
    ours, _ = timed([BUILD / "studyd", "decode", "nmea", nmea])
    size = os.path.getsize(nmea) / 1e6
    peers = {"gpsdecode": ["gpsdecode"], "gpsbabel": ["gpsbabel", "-i", "nmea", "-f", "/dev/stdin", "-o", "csv", "-F", "/dev/null"]}
    found = False
    for name, words in peers.items():
        if shutil.which(name):
            with open(nmea, "rb") as file:
                theirs, _ = timed(words, stdin=file)
            show(f"decode nmea, the command, against {name}", size / ours, "MB/s", ratio=theirs / ours, peer=name)
            found = True
    if not found:
        show("decode nmea, the command", size / ours, "MB/s")
        note("SKIPPED gpsdecode and gpsbabel: not installed (apt-get install gpsd-clients gpsbabel)")


# Measuring for an hour of virtual time


def measure_loads(folder):
    """The drivers, rings and recorders under load, with a counter of allocations before the C library."""
    environment, counter = dict(os.environ), folder / "count_malloc.so"
    try:
        words = ["cc", "-O2", "-shared", "-fPIC", "-o", counter, ROOT / "Tests/mocks/count_malloc.c"]
        subprocess.run(words, check=True, capture_output=True)
        environment["LD_PRELOAD"] = str(counter)
    except (OSError, subprocess.CalledProcessError) as error:
        note(f"SKIPPED allocations: no C compiler ({error})")
    words = [BUILD / "studyd-bench", "--loads", ROOT / "studies/receiver.nmea", folder]
    for line in subprocess.run(words, check=True, capture_output=True, text=True, env=environment).stdout.splitlines():
        judge(json.loads(line))


def measure_archive(folder):
    """A walk as an archive of SageResearch, encrypted to a certificate of the moment."""
    certificate = folder / "certificate.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=bench", "-keyout", folder / "key.pem", "-out", certificate]
    try:
        subprocess.run(words, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return note(f"SKIPPED the archive: no openssl ({error})")
    words = [BUILD / "studyd-bench", "--archive", certificate, folder]
    for line in subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines():
        judge(json.loads(line))


# Recordings and their peers

SKDH = """
import sys, time
from skdh.io import ReadCwa
best = 0
for _ in range(2):
    start = time.monotonic()
    result = ReadCwa().predict(file=sys.argv[1], tz_name=None)
    best = max(best, len(result["time"]) / (time.monotonic() - start))
print(best)
"""

# The same lines as our CSV, to the last digit of the times.
POLARS = """
import sys, time, polars
from skdh.io import ReadCwa
best = float("inf")
for _ in range(2):
    start = time.monotonic()
    read = ReadCwa().predict(file=sys.argv[1], tz_name=None)
    moments = polars.Series((read["time"] * 1e6).round().astype("int64")).cast(polars.Datetime("us", "UTC")).dt.convert_time_zone("Europe/Berlin")
    x, y, z = read["accel"].T
    polars.DataFrame({"time": moments, "x": x, "y": y, "z": z}).write_csv(
        sys.argv[2], datetime_format="%Y-%m-%dT%H:%M:%S%.6f%:z", float_precision=6)
    best = min(best, time.monotonic() - start)
print(best)
"""

# The quickest way in Python: all blocks at once, in memory. Times and checksums as in our own files.
NUMPY = """
import time, numpy as np
block = np.dtype([("head", "<u2"), ("length", "<u2"), ("fraction", "<u2"), ("session", "<u4"), ("sequence", "<u4"), ("time", "<u4"),
                  ("scale", "<u2"), ("rest", "u1", 4), ("rate", "u1"), ("packing", "u1"), ("offset", "<i2"), ("count", "<u2"),
                  ("data", "<i2", 240), ("sum", "<u2")])
values = np.random.default_rng(1).integers(-1000, 1000, (108000 * 80, 3)).astype(np.float64)
best = 0
for _ in range(3):
    start = time.monotonic()
    blocks = np.zeros(108000, block)
    seconds = np.arange(108000) * 0.8
    moments = np.datetime64("2026-11-21T10:00:00") + seconds.astype("timedelta64[s]")
    days = moments.astype("datetime64[D]")
    months = moments.astype("datetime64[M]")
    year = months.astype("datetime64[Y]").astype(int) - 30
    clock = (moments - days).astype(int)
    blocks["time"] = (year << 26 | (months.astype(int) % 12 + 1) << 22 | ((days - months).astype(int) + 1) << 17
                      | clock // 3600 << 12 | clock // 60 % 60 << 6 | clock % 60)
    fraction = np.ceil(seconds % 1 * 32768).astype(int)
    blocks["fraction"] = 0x8000 | fraction
    blocks["offset"] = -(fraction * 200 >> 16)
    blocks["head"], blocks["length"], blocks["sequence"] = 0x5841, 508, np.arange(108000)
    blocks["scale"], blocks["rate"], blocks["packing"], blocks["count"] = 4 << 13, 0x4A, 0x32, 80
    blocks["data"] = np.clip(np.rint(values * 4.096), -32768, 32767).astype(np.int16).reshape(-1, 240)
    blocks["sum"] = -blocks.view("<u2").reshape(-1, 256).sum(axis=1, dtype=np.uint16)
    blocks.tobytes()
    best = max(best, 8640000 / (time.monotonic() - start))
print(best)
"""


def python_figure(script, *words):
    """What a script prints in a Python that has the readers of the tests; None where there is none."""
    found = [os.environ.get("STUDYD_PYTHON"), ROOT / ".build/readers/bin/python", sys.executable]
    python = next((path for path in found if path and os.path.exists(path)), sys.executable)
    try:
        out = subprocess.run([python, "-W", "ignore", "-c", script, *words], check=True, capture_output=True, text=True).stdout
        return float(out)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        note(f"SKIPPED a peer of the recordings ({python}): {str(getattr(error, 'stderr', error)).strip().splitlines()[-1:]}")
        return None


def recording_peer(figure, folder):
    """The ratio of one of our figures to the same work by others, in this run."""
    peers = {"CWA encode": ("numpy, all at once", NUMPY, ()), "CWA decode with times": ("skdh", SKDH, (str(folder / "day.cwa"),))}
    if figure["name"] in peers:
        name, script, words = peers[figure["name"]]
        if theirs := python_figure(script, *words):
            figure |= {"ratio": float(f"{figure['value'] / theirs:.4g}"), "peer": f"{name} ({theirs:.3g}/s)"}


def most_memory(child):
    """Bytes that a child had at most, by the kernel's own mark: ru_maxrss begins with the memory of this program, which it was forked from."""
    most = 0
    while child.poll() is None:
        try:
            text = pathlib.Path(f"/proc/{child.pid}/status").read_text()
        except OSError:
            break
        most = max([most] + [int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("VmHWM")])
        time.sleep(0.01)
    child.wait()
    return most


def measure_export(folder):
    """The command over a day's file: its time and the most memory that it had."""
    words = [BUILD / "studyd-tools", "export", folder / "day.cwa", "--to", "csv", "-o", folder / "day.csv"]
    wall, memory = None, 0
    for _ in range(3):  # Other work on the machine only adds to it.
        start = time.monotonic()
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        memory = max(memory, most_memory(child))
        if child.returncode:
            over.append(f"the export of a day ended with {child.returncode}")
        taken = time.monotonic() - start
        wall = min(taken, wall or taken)
        if wall <= EXPORT_LIMIT:
            break
    theirs = python_figure(POLARS, str(folder / "day.cwa"), str(folder / "theirs.csv"))
    (folder / "theirs.csv").unlink(missing_ok=True)
    # At least three times as quick as they are.
    limit = min(EXPORT_LIMIT, theirs / 3) if theirs else EXPORT_LIMIT
    peer = {"ratio": theirs / wall, "peer": f"skdh, written by polars ({theirs:.3g} s)"} if theirs else {}
    show("CSV export of a day at 100 Hz, the command", wall, "s", limit=limit, **peer)
    show("CSV export of a day at 100 Hz, resident at most", memory, "bytes", limit=50_000_000)
    (folder / "day.csv").unlink(missing_ok=True)


# The running demo


def fields(path):
    """The `Name: number` lines of a file of /proc."""
    return {name: int(value) for name, value in re.findall(r"^(\w+):\s+(\d+)", pathlib.Path(path).read_text(), re.M)}


class Sample:
    """What /proc says of a process at one moment."""

    def __init__(self, pid):
        self.time = time.monotonic()
        self.memory = fields(f"/proc/{pid}/smaps_rollup")
        self.locked = fields(f"/proc/{pid}/status").get("VmLck", 0)
        words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        self.cpu = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
        self.threads = {}
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            name = (task / "comm").read_text().strip()
            switches = fields(task / "status")["voluntary_ctxt_switches"]
            self.threads[name] = self.threads.get(name, 0) + switches


def status(folder):
    config = folder / "studyd.toml"
    config.write_text(f'board = "{ROOT}/boards/simulated.toml"\n')
    words = [BUILD / "studyd", "status", "--json", "--config", config, "--state", folder / "demo/device"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


# A long past


PAST_RECORDINGS = 20_000  # and ten rows of the log for each
IDLE = 120  # seconds


def processor(pid):
    """Seconds of processor time, also of threads that have ended; in steps of 10 ms (proc(5), utime and stime)."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def begun(state):
    """The first file of a measure is open: samples are taken, and their file is on the disk."""
    return any(entry.name.endswith(".open") for entry in os.scandir(state / "recordings"))


def configuration(folder, measures=True):
    """A simulated board; without measures nothing but the past costs anything."""
    config = folder / ("measuring.toml" if measures else "resting.toml")
    config.write_text(f'board = "{ROOT}/boards/simulated.toml"\nzone = "UTC"\n[clock]\ntrust_system = true\n'
                      + ('[[measure]]\nchannel = "accelerometer"\nwhen = "always"\n' if measures else ""))
    return config


def measure_past(folder, name="20 000 recordings and 200 000 events", replays=False):
    """The agent on a state folder with a long past: how long until systemd is told that it is ready, and until samples are taken."""
    state = folder / "past"
    if not state.exists():
        subprocess.run([BUILD / "studyd-bench", "--past", str(PAST_RECORDINGS), state], check=True)
    database = sqlite3.connect(state / "studyd.sqlite")
    if replays:
        database.execute("UPDATE projection SET version = 0")
        database.commit()
    rows = database.execute("SELECT max(sequence) FROM event").fetchone()[0]
    database.close()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.bind(str(folder / f"notify-{replays}"))
        notify.settimeout(120)
        began = time.monotonic()
        words = [BUILD / "studyd-tools", "run", "--config", configuration(folder), "--state", state]
        agent = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 env=os.environ | {"NOTIFY_SOCKET": str(folder / f"notify-{replays}")})
        try:
            while b"READY=1" not in notify.recv(4096):
                pass
            show(f"{name}: start until READY", time.monotonic() - began, "s", limit=2)
            while not begun(state) and time.monotonic() - began < 120:
                time.sleep(0.01)
            used = processor(agent.pid)
            show(f"{name}: start until it measures", time.monotonic() - began, "s", limit=2)
            show(f"{name}: processor time until it measures", used, "s")
            with sqlite3.connect(f"file:{state}/studyd.sqlite?mode=ro", uri=True) as reader:
                query = "SELECT count(*) FROM event WHERE kind = 'measuringStarted' AND sequence > ?"
                while not reader.execute(query, (rows,)).fetchone()[0] and time.monotonic() - began < 120:
                    time.sleep(0.01)
            show(f"{name}: start until everything is in order", time.monotonic() - began, "s", limit=60 if replays else 5)
        finally:
            agent.terminate()
            agent.wait()
    if not replays:
        measure_rest(folder, name)


def measure_rest(folder, name):
    """What the past costs while nothing happens."""
    state = folder / "past"
    words = [BUILD / "studyd-tools", "run", "--config", configuration(folder, measures=False), "--state", state]
    agent = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # A start looks through the whole store once, at a quarter of one core's time.
        time.sleep(45)
        before, start = processor(agent.pid), time.monotonic()
        show(f"{name}: processor of a start and of its look through the whole store", before, "s")
        time.sleep(IDLE)
        used = (processor(agent.pid) - before) / (time.monotonic() - start) * 100
        show(f"{name}: processor at rest", used, "% of a core", limit=0.1)
        show(f"{name}: resident", fields(f"/proc/{agent.pid}/status")["VmRSS"] * 1024, "bytes")
    finally:
        agent.terminate()
        agent.wait()


# Found at the start, each by another look; all but the last keep most rows.
DAMAGES = ["zero-header", "zero-log-root", "flip-leaf-kind", "noise-of-a-thousandth", "cut-in-half", "deleted-with-its-log"]


def measure_damaged(folder):
    """The agent on such a past that was damaged: how long until it measures, until it says what is wrong, and what it kept."""
    past, script = folder / "past", ROOT / "Tests/AgentTests/Store/damage.py"
    if not past.exists():
        subprocess.run([BUILD / "studyd-bench", "--past", str(PAST_RECORDINGS), past], check=True)
    config = configuration(folder)
    for kind in DAMAGES:
        state = folder / f"damaged-{kind}"
        state.mkdir()
        subprocess.run(["cp", "-al", past / "recordings", state / "recordings"], check=True)
        for name in os.listdir(past):
            if name.startswith("studyd."):
                shutil.copyfile(past / name, state / name)
        subprocess.run([sys.executable, script, "do", kind, state, past, "7"], check=True)
        began = time.monotonic()
        words = [BUILD / "studyd-tools", "run", "--config", config, "--state", state]
        agent = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not begun(state) and time.monotonic() - began < 300 and agent.poll() is None:
                time.sleep(0.01)
            show(f"200 000 events, {kind}: start until it measures", time.monotonic() - began, "s")
            faults = []
            while not faults and time.monotonic() - began < 300 and agent.poll() is None:
                done = subprocess.run([BUILD / "studyd", "status", "--json", "--state", state, "--config", config],
                                      capture_output=True, text=True)
                if done.returncode == 0 and json.loads(done.stdout)["running"]:
                    faults = json.loads(done.stdout)["faults"] + json.loads(done.stdout)["salvages"]
            show(f"200 000 events, {kind}: start until it says what is wrong", time.monotonic() - began, "s")
            note(f"{kind}: {faults[:1] or 'nothing told'}")
        finally:
            agent.kill()
            agent.wait()
        with sqlite3.connect(state / "studyd.sqlite") as reader:
            show(f"200 000 events, {kind}: rows kept", reader.execute("SELECT count(*) FROM event").fetchone()[0], "rows")
        shutil.rmtree(state)


def measure_demo(folder):
    words = [BUILD / "studyd-tools", "demo", "--script", ROOT / "studies/participant.json", "--for", "55s", "--state", folder / "demo"]
    demo = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        time.sleep(15)
        cost_before, before = status(folder)["cost"], Sample(demo.pid)
        time.sleep(20)
        cost_after, after = status(folder)["cost"], Sample(demo.pid)
        if os.environ.get("BENCH_SMAPS"):
            shutil.copy(f"/proc/{demo.pid}/smaps", os.environ["BENCH_SMAPS"])
        out = demo.communicate(timeout=90)[0]
    finally:
        demo.kill()
    if demo.returncode:
        over.append(f"the demo ended with {demo.returncode}:\n{out}")
    show_memory(after, cost_after["ringBytes"])
    seconds = after.time - before.time
    show("demo, processor time per minute", (after.cpu - before.cpu) / seconds * 60, "s")
    show_wake_ups(before, after, cost_before, cost_after, seconds)


class TenMinutes:
    """A program that runs for ten minutes beside the parts that wait more than they calculate."""

    def __init__(self, name, words):
        self.name, self.program = name, subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.end = time.monotonic() + 600

    def measure(self, **limits):
        try:
            time.sleep(max(0, self.end - time.monotonic()))
            memory = fields(f"/proc/{self.program.pid}/smaps_rollup")
            for title, key in (("resident", "Rss"), ("proportional", "Pss"), ("private dirty", "Private_Dirty")):
                limit = {"limit": limits[key]} if key in limits else {}
                show(f"{self.name} after ten minutes, {title}", memory[key] * 1024, "bytes", **limit)
        finally:
            self.program.terminate()
            if self.program.wait(60):
                over.append(f"the {self.name} of ten minutes ended with {self.program.returncode}")


def long_demo(folder):
    """With the participant, the drawing and a clock that jumps: six days."""
    return TenMinutes("demo", [BUILD / "studyd-tools", "demo", "--script", ROOT / "studies/participant.json", "--for", "1800s", "--state", folder / "long"])


class LongAgent:
    """The agent with what the demo measures, enrolled, answering and delivering. `studyd` has no simulated board, so it is `studyd-tools run`: the agent and the
    simulated chips in one process, which is more than `studyd` needs on a device; Tests/vm has the figures of `studyd` itself."""

    def __init__(self, folder):
        place = folder / "agent"
        place.mkdir()
        self.receiver, port = start_receiver(place / "receiver")
        (place / "people.json").write_text('{"latency":"4s","otherwise":"first"}')
        (place / "board.toml").write_text((ROOT / "boards/simulated.toml").read_text() + '\nparticipant = "people.json"\n')
        measures = {"accelerometer": "cwa", "magnetometer": "csv", "sound": "levels", "position": "nmea"}
        tables = "".join(f'[[measure]]\nchannel = "{channel}"\nformat = "{form}"\nrotate = "30s"\n' for channel, form in measures.items())
        (place / "studyd.toml").write_text('board = "board.toml"\nzone = "UTC"\n[clock]\ntrust_system = true\n'
                                           f'[upload]\nrecordings = "http://127.0.0.1:{port}/files"\n{tables}')
        words = ["--config", place / "studyd.toml", "--state", place / "state"]
        subprocess.run([BUILD / "studyd", "enroll", ROOT / "studies/sleep-and-movement.json", "--post-url", f"http://127.0.0.1:{port}/schema", *words],
                       check=True, stdout=subprocess.DEVNULL)
        self.agent = TenMinutes("agent", [BUILD / "studyd-tools", "run", *words])

    def measure(self):
        try:
            self.agent.measure(Pss=24_000_000, Private_Dirty=9_000_000)
        finally:
            stop(self.receiver)


def show_memory(sample, rings):
    memory = {name: value * 1024 for name, value in sample.memory.items()}
    show("demo, resident", memory["Rss"], "bytes")
    show("demo, proportional", memory["Pss"], "bytes")
    show("demo, rings", rings, "bytes")
    show("demo, private dirty", memory["Private_Dirty"], "bytes")
    show("demo, private dirty without rings", memory["Private_Dirty"] - rings, "bytes", limit=8_000_000)
    show("demo, locked", sample.locked * 1024, "bytes")


def show_wake_ups(before, after, cost_before, cost_after, seconds):
    """Of the buses' threads against the watermarks that they fetched; of all others as they are."""
    watermarks = (cost_after["watermarks"] - cost_before["watermarks"]) / seconds
    wake_ups = (cost_after["wakeUps"] - cost_before["wakeUps"]) / seconds
    show("demo, watermarks fetched", watermarks, "1/s")
    # The two are read at slightly different times.
    show("demo, wake-ups of the buses' threads", wake_ups, "1/s", limit=watermarks * 1.02, ratio=wake_ups / watermarks,
         peer="watermarks fetched")
    for name in sorted(after.threads):
        rate = (after.threads[name] - before.threads.get(name, 0)) / seconds
        show(f"demo, thread {name}, voluntary switches", rate, "1/s")


# What wakes the disk, and what wakes the processor while nothing happens


def measure_flushes(folder):
    """Durable commits of the demo's first questionnaire, as the kernel is asked for them (strace): from its prompt to what the participant does next."""
    if not shutil.which("strace"):
        return note("SKIPPED durable commits: no strace")
    trace, state = folder / "flushes.strace", folder / "flushes"
    words = ["strace", "-f", "-y", "-ttt", "-e", "trace=fsync,fdatasync", "-o", trace, BUILD / "studyd-tools", "demo", "--script",
             ROOT / "studies/participant.json", "--for", "40s", "--state", state, "--keep"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    booted = time.time() - time.monotonic()
    flushed = [float(moment) - booted for moment in
               re.findall(r"^\d+ +([\d.]+) f(?:data)?sync\(\d+<[^>]*device/studyd\.sqlite-wal>", trace.read_text(), re.M)]
    with sqlite3.connect(state / "device/studyd.sqlite") as reader:
        rows = reader.execute("SELECT monotonic / 1e9, kind FROM event ORDER BY sequence").fetchall()
    # Recordings are delivered while it is prompted: that one commit is counted by hand.
    begin = next(moment for moment, kind in rows if kind == "runOpened") - 0.3
    end = next(moment for moment, kind in rows if kind in ("listOpened", "clockStepped") and moment > begin)
    if sum(kind == "submitted" and begin < moment < end for moment, kind in rows) != 1:
        over.append("the demo's first prompt was not answered: durable commits cannot be counted")
    show("durable commits of a questionnaire", 1 + sum(begin < moment < end for moment in flushed), "count", limit=FLUSH_LIMIT)


def measure_idle(folder):
    """How often threads of an agent wake up that measures nothing and asks nothing; the board made of software is not counted."""
    words = [BUILD / "studyd-tools", "run", "--config", configuration(folder, measures=False), "--state", folder / "idle"]
    agent = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(30)
        before = Sample(agent.pid)
        time.sleep(IDLE)
        after = Sample(agent.pid)
    finally:
        agent.terminate()
        agent.wait()
    rates = {name: (count - before.threads.get(name, 0)) / (after.time - before.time) for name, count in after.threads.items()}
    rates.pop("simulated", None)
    for name in sorted(rates):
        show(f"idle, thread {name}, voluntary switches", rates[name], "1/s")
    show("idle, wake-ups besides the light's", sum(rates.values()) - rates.get("studyd-signal", 0), "1/s", limit=IDLE_LIMIT)
    show("idle, resident", after.memory["Rss"] * 1024, "bytes")


# Wear of the card

WEAR_SETTLE, WEAR = int(os.environ.get("BENCH_SETTLE", 60)), int(os.environ.get("BENCH_WEAR", 300))  # seconds
WEAR_LIMIT, WRITES_LIMIT = 20, 0.5  # MB an hour, writes a second


def measure_wear(folder):
    """What reaches the disk at the reference load: the state folder on an ext4 of its own, counted by the kernel at the loop device."""
    image, mount = folder / "wear.img", folder / "wear"
    mount.mkdir()
    with open(image, "wb") as file:
        file.truncate(512 << 20)
    make = ["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", image]
    if os.geteuid() or subprocess.run(make, stderr=subprocess.DEVNULL).returncode \
            or subprocess.run(["mount", "-o", "loop,noatime", image, mount], stderr=subprocess.DEVNULL).returncode:
        return note("SKIPPED wear: needs root, mkfs.ext4 and a loop device")
    device = os.stat(mount).st_dev
    counters = pathlib.Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat")
    config = folder / "wear.toml"
    # As docs/studyd.toml, which `make install` installs; a lost network writes nothing else.
    config.write_text(f'board = "{ROOT}/boards/simulated.toml"\nzone = "UTC"\n[clock]\ntrust_system = true\n' + "".join(
        f'[[measure]]\nchannel = "{channel}"\nwhen = "always"\nrotate = "24h"\n{more}' for channel, more in
        [("accelerometer", "range = 4.0\n"), ("magnetometer", ""), ("sound", 'format = "levels"\n'), ("position", "")]))
    # `alive` lies in memory, as in the unit.
    runtime = folder / "run"
    runtime.mkdir()
    agent = subprocess.Popen([BUILD / "studyd-tools", "run", "--config", config, "--state", mount / "state"],
                             env=os.environ | {"RUNTIME_DIRECTORY": str(runtime)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(WEAR_SETTLE)
        before, began = [int(word) for word in counters.read_text().split()], time.monotonic()
        time.sleep(WEAR)
        after, seconds = [int(word) for word in counters.read_text().split()], time.monotonic() - began
    finally:
        agent.terminate()
        agent.wait()
        subprocess.run(["umount", mount])
    # Documentation/block/stat.rst: writes completed, sectors of 512 bytes written, flushes completed.
    writes, sectors, flushes = (after[place] - before[place] for place in (4, 6, 15))
    show("reference load, written to the card", sectors * 512 / seconds * 3600 / 1e6, "MB/h", limit=WEAR_LIMIT)
    show("reference load, writes", writes / seconds, "1/s", limit=WRITES_LIMIT)
    show("reference load, flushes", flushes / seconds * 60, "1/min")


# The lab server with much in it


def start_receiver(data):
    program = os.environ.get("BENCH_RECEIVER", BUILD / "study-receiver")
    words = [program, "--port", "0", "--data", data]
    receiver = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    return receiver, int(receiver.stdout.readline().strip().rsplit(":", 1)[1])


def stop(program):
    program.terminate()
    program.wait(20)


def fill_receiver(data):
    """200 000 records of 40 devices, half of them answers with ten numbers each, written as the receiver writes them."""
    store = sqlite3.connect(data / "receiver.sqlite")
    with store:
        for number in range(RECORDS):
            user, is_answer = f"DEV{number % 40:03}", number % 80 < 40
            moment = 1_770_000_000 + number * 30
            written = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(moment))
            common = [["user_id", user], ["study_id", "BENCH1"], ["module_index", "0"]]
            if is_answer:
                answers = json.dumps({f"q{place}": (number * 7 + place) % 101 for place in range(10)})
                pairs = [["data_type", "survey_response"], *common, ["module_name", "Log"], ["responses", answers],
                         ["response_time", written], ["response_time_in_ms", str(moment * 1000)], ["alert_time", written]]
            else:
                pairs = [["data_type", "log"], *common, ["page", "survey"], ["event", "entry"], ["timestamp", written],
                         ["timestamp_in_ms", str(moment * 1000)]]
            store.execute("INSERT INTO record (received, path, kind, user, fields, digest, warnings, written) "
                          "VALUES (?, '/schema', ?, ?, ?, ?, '[]', ?)",
                          (moment * 1000, "survey_response" if is_answer else "log", user,
                           json.dumps(pairs + [["platform", "studyd"]], separators=(",", ":")), os.urandom(32), moment * 1000))
    store.close()


def measure_receiver(folder):
    data = folder / "receiver"
    stop(start_receiver(data)[0])
    fill_receiver(data)
    receiver, port = start_receiver(data)
    try:
        for path in ("/", "/?user=DEV007", "/api/devices", "/api/records", "/api/records?user=DEV007"):
            slowest = 0
            for _ in range(3):
                start = time.monotonic()
                connection = http.client.HTTPConnection("127.0.0.1", port)
                connection.request("GET", path)
                answer = connection.getresponse()
                if answer.status != 200 or not answer.read():
                    over.append(f"study-receiver answered {answer.status} to {path}")
                slowest = max(slowest, time.monotonic() - start)
                connection.close()
            show(f"study-receiver with {RECORDS} records, {path}, slowest of 3", slowest, "s", limit=PAGE_LIMIT)
    finally:
        stop(receiver)


# The dataset of a study

DATASET_DEVICES = 12
# At least so many times as many samples a second as skdh reads.
DATASET_TARGETS = [("datapackage", "Data Package", 2), ("bids", "BIDS", 2)]
DATASET_MEMORY = 128_000_000
VERIFY_LEAST = 400  # MB/s
MADE_LEAST = 2_000  # times real time


def made_lab(folder):
    """The lab's folder of a day at 100 Hz, which came from a dozen devices; BENCH_STUDY names a study that was made before."""
    made = folder / "study"
    if before := os.environ.get("BENCH_STUDY"):
        subprocess.run(["cp", "-a", before, made], check=True)
    else:
        words = ["--participants", "1", "--days", "1", "--rate", "100", "--measures", "nothing", "-o", made]
        subprocess.run([BUILD / "studyd-tools", "make-study", ROOT / "studies/sleep-and-movement.json", *words], check=True, capture_output=True)
    store = sqlite3.connect(made / "lab/receiver.sqlite")
    columns = "kind, name, length, offset, created, changed, expected, sha256, file, mismatches, space"
    with store:
        for number in range(2, DATASET_DEVICES + 1):
            code = f"P{number:03}"
            store.execute(f"INSERT INTO upload (id, user, metadata, {columns}) SELECT id || ?, ?, replace(metadata, 'P001', ?), {columns} "
                          "FROM upload WHERE user = 'P001'", (code, code, code))
    store.close()
    return made / "lab"


def measure_made(folder):
    """Two devices for a day each, with the features that a study has: how many times as fast as they would live."""
    words = ["--participants", "2", "--days", "1", "-o", folder / "lives"]
    out = subprocess.run([BUILD / "studyd-tools", "make-study", ROOT / "studies/sleep-and-movement.json", *words], check=True, capture_output=True, text=True).stdout
    shutil.rmtree(folder / "lives", ignore_errors=True)
    speed = int(re.search(r"(\d+) × real time", out)[1])
    judge({"name": "make-study of two devices at 50 Hz, with features", "value": speed, "unit": "× real time", "least": MADE_LEAST})


def measure_verify(folder):
    """Digests, descriptions, checksums and times of everything that was recorded."""
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    folders = sorted({path.parent for path in folder.rglob("*.cwa")})
    runs = [timed([BUILD / "studyd", "recordings", "verify", *folders]) for _ in range(3)]
    # Other work on the machine only adds to it, and least to the processor's own time.
    wall, user = (size / min(values) / 1e6 for values in zip(*runs))
    show(f"recordings verify of {DATASET_DEVICES} days at 100 Hz", wall, "MB/s")
    judge({"name": "the same, by processor time", "value": float(f"{user:.4g}"), "unit": "MB/s", "least": VERIFY_LEAST})


def measure_dataset(folder):
    """Everything that arrived as a dataset: samples a second against skdh's reading of one of the same files, and memory."""
    measure_made(folder)
    lab = made_lab(folder)
    files = sorted((lab / "files").glob("*.cwa"), key=lambda path: path.stat().st_size)
    samples = DATASET_DEVICES * sum((path.stat().st_size - 1024) // 512 * 80 for path in files)
    program = os.environ.get("BENCH_RECEIVER", BUILD / "study-receiver")
    theirs = python_figure(SKDH, str(files[-1]))
    for target, name, least in DATASET_TARGETS:
        best, memory = 0, 0
        for attempt in range(2):
            start = time.monotonic()
            words = [program, "export", "--data", lab, "-o", folder / "dataset", "--to", target, "--with-holes"]
            child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            memory = max(memory, most_memory(child))
            if child.returncode:
                over.append(f"the export to {target} ended with {child.returncode}")
            best = max(best, samples / (time.monotonic() - start))
            if target == "datapackage" and not attempt:
                measure_verify(folder / "dataset/recordings")
            size = sum(path.stat().st_size for path in (folder / "dataset").rglob("*") if path.is_file())
            shutil.rmtree(folder / "dataset", ignore_errors=True)
        peer = {} if theirs is None else {"ratio": best / theirs, "peer": f"skdh ({theirs:.3g}/s)"}
        show(f"dataset of {DATASET_DEVICES} days at 100 Hz, {name}", best, "samples/s", **peer)
        show(f"dataset of {DATASET_DEVICES} days at 100 Hz, {name}, written", size / samples, "bytes/sample")
        show(f"dataset of {DATASET_DEVICES} days at 100 Hz, {name}, resident at most", memory, "bytes", limit=DATASET_MEMORY)
        if theirs is not None and best < least * theirs:
            over.append(f"{name} is {best / theirs:.2f} times as quick as skdh, it must be at least {least} times")


# What is sent to a receiver


DELIVERED, DELIVERED_FILES = 32_000_000, 8  # bytes of a file, and how many
DELIVERY_LEAST = 0.8  # times curl


def curl_delivers(url, folder):
    """MB/s of the same files by curl, as tus: a place, and the whole file in one request; unsigned."""
    start = time.monotonic()
    for path in sorted(folder.iterdir()):
        labels = "filename " + base64.b64encode(path.name.encode()).decode()
        words = ["curl", "-sS", "-D", "-", "-o", "/dev/null", "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", f"Upload-Length: {path.stat().st_size}",
                 "-H", f"Upload-Metadata: {labels}", url]
        head = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        place = re.search(r"(?im)^location: *(\S+)", head).group(1)
        place = place if "://" in place else url.rsplit("/", 1)[0] + place
        words = ["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-X", "PATCH", "-T", path, "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Offset: 0",
                 "-H", "Content-Type: application/offset+octet-stream", "-H", "Expect:", place]
        status = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        if status != "204":
            over.append(f"curl's upload was answered {status}")
    return DELIVERED * DELIVERED_FILES / 1e6 / (time.monotonic() - start)


def measure_delivery(folder):
    """Files through the outbox and the uploader, against curl, each to a receiver of its own; up to three rounds, since other work adds to either."""
    files = folder / "sent"
    files.mkdir()
    for number in range(DELIVERED_FILES):
        (files / f"{number:06}-accelerometer.cwa").write_bytes(os.urandom(DELIVERED))
    best = None
    for attempt in range(3):
        rates = []
        for name in ("ours", "curl"):
            place = folder / f"{name}-{attempt}"
            receiver = subprocess.Popen([BUILD / "study-receiver", "--port", "0", "--data", place], stdout=subprocess.PIPE, text=True)
            try:
                url = receiver.stdout.readline().split()[2] + "/files"
                if name == "curl":
                    rates.append(curl_delivers(url, files))
                else:
                    out = subprocess.run([BUILD / "studyd-bench", "--delivery", url, files], check=True, capture_output=True, text=True).stdout
                    *figures, rate = (json.loads(line) for line in out.splitlines() if line.startswith("{"))
                    rates.append(rate["value"])
                    for figure in figures if attempt == 0 else []:
                        judge(figure)
            finally:
                receiver.terminate()
                receiver.wait()
                shutil.rmtree(place, ignore_errors=True)
        for left in folder.glob("sent-outbox*"):
            left.unlink()
        if best is None or rates[0] / rates[1] > best[0] / best[1]:
            best = rates
        if best[0] / best[1] >= DELIVERY_LEAST:
            break
    show("delivery to a receiver on the loopback", best[0], "MB/s", ratio=best[0] / best[1], peer="curl")
    if best[0] / best[1] < DELIVERY_LEAST:
        over.append(f"delivery is {best[0] / best[1]:.2f} times what curl does, it must be at least {DELIVERY_LEAST}")
    shutil.rmtree(files)


def measure_beside(folder):
    """Answers beside a large upload, and participants beside an attacker, by devices made of Python."""
    found = [os.environ.get("STUDYD_PYTHON"), sys.executable]
    python = next((path for path in found if path and subprocess.run([path, "-c", "import cryptography"], capture_output=True).returncode == 0), None)
    if python is None:
        return note("SKIPPED answers beside an upload and an attack: no Python with cryptography (STUDYD_PYTHON)")
    out = subprocess.run([python, ROOT / "Tests/fleet/beside.py", BUILD], capture_output=True, text=True, env=os.environ | {"BENCH_FOLDER": str(folder)})
    for line in out.stdout.splitlines():
        judge(json.loads(line))
    if out.returncode not in (0, 1) or not out.stdout:
        over.append(f"beside.py ended with {out.returncode}: {out.stderr[-300:]}")


def main():
    if sys.argv[1:] == ["delivery"]:
        with tempfile.TemporaryDirectory(prefix="studyd-bench-", dir=os.environ.get("BENCH_FOLDER")) as name:
            measure_delivery(pathlib.Path(name))
            measure_beside(pathlib.Path(name))
        for line in over:
            note(line)
        return 1 if over else 0
    if sys.argv[1:] == ["dataset"]:
        with tempfile.TemporaryDirectory(prefix="studyd-bench-", dir=os.environ.get("BENCH_FOLDER")) as name:
            measure_dataset(pathlib.Path(name))
        for line in over:
            note(line)
        return 1 if over else 0
    if sys.argv[1:] == ["past"]:
        with tempfile.TemporaryDirectory(prefix="studyd-bench-", dir=os.environ.get("BENCH_FOLDER")) as name:
            if past := os.environ.get("BENCH_PAST"):
                subprocess.run(["cp", "-a", past, f"{name}/past"], check=True)
            measure_past(pathlib.Path(name))
            measure_past(pathlib.Path(name), "the same after an update, all read anew", replays=True)
        for line in over:
            note(line)
        return 1 if over else 0
    if sys.argv[1:] == ["damaged"]:
        with tempfile.TemporaryDirectory(prefix="studyd-bench-", dir=os.environ.get("BENCH_FOLDER")) as name:
            if past := os.environ.get("BENCH_PAST"):  # one that was made before, of the same file system
                subprocess.run(["cp", "-al", past, f"{name}/past"], check=True)
            measure_damaged(pathlib.Path(name))
        return 0
    if sys.argv[1:] == ["lean"]:
        with tempfile.TemporaryDirectory(prefix="studyd-bench-") as name:
            demo, agent = long_demo(pathlib.Path(name)), LongAgent(pathlib.Path(name))
            measure_flushes(pathlib.Path(name))
            measure_idle(pathlib.Path(name))
            # One after another: pages that both have would count by half.
            demo.measure()
            agent.measure()
        for line in over:
            note(line)
        return 1 if over else 0
    if sys.argv[1:] == ["wear"]:
        with tempfile.TemporaryDirectory(prefix="studyd-bench-", dir=os.environ.get("BENCH_FOLDER")) as name:
            measure_wear(pathlib.Path(name))
        for line in over:
            note(line)
        return 1 if over else 0
    if sys.argv[1:] == ["receiver"]:
        with tempfile.TemporaryDirectory(prefix="studyd-bench-") as name:
            measure_receiver(pathlib.Path(name))
        return 1 if over else 0
    with tempfile.TemporaryDirectory(prefix="studyd-bench-", dir=os.environ.get("BENCH_FOLDER")) as name:
        folder = pathlib.Path(name)
        half_year, big, nmea = write_inputs(folder)
        measure_commands(half_year)
        out = subprocess.run([BUILD / "studyd-bench", nmea, big, folder], check=True, capture_output=True, text=True).stdout
        for line in out.splitlines():
            figure = json.loads(line)
            if figure["name"] == "NMEA decode" and (theirs := pynmea2(nmea)):
                figure |= {"ratio": float(f"{figure['value'] / theirs:.4g}"), "peer": "pynmea2 1.19.0 (Python)"}
            recording_peer(figure, folder)
            judge(figure)
        measure_export(folder)
        measure_loads(folder)
        measure_archive(folder)
        measure_dataset(folder)
        measure_programs(nmea)
        demo, agent = long_demo(folder), LongAgent(folder)
        measure_receiver(folder)
        measure_delivery(folder)
        measure_beside(folder)
        measure_demo(folder)
        measure_flushes(folder)
        measure_idle(folder)
        measure_wear(folder)
        measure_past(folder)
        measure_past(folder, "the same after an update, all read anew", replays=True)
        demo.measure()
        agent.measure()
    for line in over:
        note(line)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
