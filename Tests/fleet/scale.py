#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scale.py PROGRAMS [DEVICES]…: a day of that many devices, by one process, against one study-receiver (1000 and 10000 where nothing is said); the
same to a bucket is bucket.py.

Each device has an Ed25519 key and signs every request as studyd does (docs/delivery.md, Signed requests), each on a new connection from
an address that no other device has. Its day: 24 reports with the outcomes of six prompts, six answers, a manifest, and four recordings by tus (as `studyd init`
configures them: one of each measure a day), here of 16 kB each. First all of it as quickly as the receiver takes it, then a minute at a hundred
requests a second, which is 22 times what 10 000 devices send in real time. What came is exported and asked by DuckDB, where Python has it. Prints
JSON lines as `make bench` does; needs PyPI's cryptography."""
import asyncio, base64, datetime, hashlib, json, os, pathlib, random, shutil, subprocess, sys, tempfile, time, urllib.request

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

PROGRAMS = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".build/release").resolve()
COUNTS = [int(word) for word in sys.argv[2:]] or [1000, 10_000]
UTC = datetime.timezone.utc
MEASURES = ["accelerometer.cwa", "magnetometer.csv", "levels.csv", "position.nmea"]
FILE = 16_384
HOURS, PROMPTS = 24, 6
# Requests of a device and day, and the memory that a receiver may have at 10 000 devices.
REQUESTS = HOURS + PROMPTS + 1 + 2 * len(MEASURES)
MEMORY_LIMIT = 256e6
STEADY_RATE = 100
STEADY_SECONDS = int(os.environ.get("STEADY", "60"))
WORKERS = 48
COVERED = ["content-type", "content-length", "content-digest", "upload-offset", "upload-length", "upload-metadata", "studyd-device"]
PIECE = "application/offset+octet-stream"


def b64(data):
    return base64.b64encode(data).decode()


class Device:
    def __init__(self, number, port):
        self.number, self.port, self.participant = number, port, f"P{number:05}"
        self.key = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"scale %d" % number).digest())
        self.public = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
        # No two share what one client may cost.
        self.address = f"127.{1 + number // 62_500}.{number // 250 % 250}.{1 + number % 250}"
        self.reports, self.answers, self.random = 0, 0, random.Random(number)

    def signed(self, method, path, fields, body):
        """The request as bytes (RFC 9421, RFC 9530)."""
        fields = {"studyd-device": self.participant} | fields
        if body:
            fields["content-length"] = str(len(body))
            if fields.get("content-type") != PIECE:
                fields["content-digest"] = f"sha-256=:{b64(hashlib.sha256(body).digest())}:"
        values = {"@method": method, "@authority": f"127.0.0.1:{self.port}", "@path": path, "@query": "?"}
        values |= {name: fields[name] for name in COVERED if name in fields}
        listed = " ".join(f'"{name}"' for name in values)
        parameters = f'({listed});created={int(time.time())};nonce="{b64(os.urandom(16))}";keyid="{self.public}";alg="ed25519";tag="studyd"'
        base = "".join(f'"{name}": {value}\n' for name, value in values.items()) + f'"@signature-params": {parameters}'
        fields |= {"host": values["@authority"], "connection": "close", "signature-input": "s=" + parameters,
                   "signature": f"s=:{b64(self.key.sign(base.encode()))}:"}
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
        return head.encode() + (body or b"")

    async def ask(self, method, path, fields, body, expected):
        """The answer's fields; a wrong status ends the run."""
        began = time.perf_counter()
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(self.address, 0))
        try:
            writer.write(self.signed(method, path, fields, body))
            answer = await reader.read(-1)
        finally:
            writer.close()
        took = time.perf_counter() - began
        head, _, text = answer.partition(b"\r\n\r\n")
        status = int(head[9:12] or 0)
        if status != expected:
            raise AssertionError(f"{method} {path} of {self.participant} was answered {status}: {text[:200]}")
        return took, dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:])

    async def report(self, hour, reason="hour"):
        self.reports += 1
        now = datetime.datetime.now(UTC)
        told = []
        if hour % 4 == 1:
            due = now - datetime.timedelta(minutes=5)
            told = [{"occurrence": f"mood@{hour}", "task": "mood", "due": due.isoformat(timespec="milliseconds"), "outcome": "completed", "reason": None,
                     "presented": due.isoformat(timespec="milliseconds"), "opened": due.isoformat(timespec="milliseconds"),
                     "ended": now.isoformat(timespec="milliseconds"), "presses": {"mood": 3, "sleep": 2}, "clockError": 0.2}]
        stored = 360_000 * hour
        body = {
            "format": "studyd-report", "version": 1, "number": self.reports, "at": now.isoformat(timespec="milliseconds"), "reason": reason,
            "nextReportWithin": 3900, "device": self.participant, "study": "scale", "participant": self.participant, "enrolment": f"e-{self.number}",
            "program": {"version": "0.9.0", "commit": None}, "clock": {"source": "kernel", "trusted": True, "uncertainty": 0.2},
            "ledger": {"samples": {"due": stored, "stored": stored, "lost": {}, "unaccounted": 0}}, "prompts": told,
            "recordings": {"newest": 4, "coverage": [{"measure": name.split(".")[0], "seconds": 3600, "expected": 360_000, "stored": 360_000, "lost": 0}
                                                     for name in MEASURES]},
            "outbox": {"waiting": 3, "bytes": 1234, "oldestSeconds": 120}, "disk": {"free": 20_000_000_000, "total": 32_000_000_000, "low": False},
            "card": {"written": 123456789, "life": None}, "power": {"underVoltage": False, "battery": 0.83}, "temperature": 48.2, "faults": [],
            "configuration": hashlib.sha256(b"configuration").hexdigest(), "state": "recording"}
        return (await self.ask("POST", "/reports", {"content-type": "application/json"}, json.dumps(body).encode(), 200))[0]

    async def answer(self, number):
        self.answers += 1
        now = datetime.datetime.now(UTC)
        fields = {"data_type": "survey_response", "user_id": self.participant, "study_id": "scale", "module_index": "0", "module_name": "mood",
                  "responses": json.dumps({"mood": 1 + number % 5, "sleep": 3}), "response_time": f"{now:%Y-%m-%dT%H:%M:%S+00:00}",
                  "response_time_in_ms": str(int(now.timestamp() * 1000)), "alert_time": f"{now:%Y-%m-%dT%H:%M:%S+00:00}", "platform": "Linux"}
        form = "".join(f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()) + "--x--\r\n"
        return (await self.ask("POST", "/schema", {"content-type": "multipart/form-data; boundary=x"}, form.encode(), 200))[0]

    async def recording(self, index):
        body = self.random.randbytes(FILE)
        name = f"{index + 1:06}-{MEASURES[index]}"
        labels = {"filename": name, "filetype": "application/octet-stream", "sha256": hashlib.sha256(body).hexdigest(), "item": f"i{index}",
                  "enrolment": f"e-{self.number}", "recording": str(index + 1), "study": "scale", "participant": self.participant}
        text = ",".join(f"{label} {b64(value.encode())}" for label, value in labels.items())
        first, answer = await self.ask("POST", "/files", {"tus-resumable": "1.0.0", "upload-length": str(FILE), "upload-metadata": text}, b"", 201)
        place = "/" + answer["location"].split("/", 3)[3] if "://" in answer["location"] else answer["location"]
        second, _ = await self.ask("PATCH", place, {"tus-resumable": "1.0.0", "upload-offset": "0", "content-type": PIECE}, body, 204)
        return first, second

    async def manifest(self):
        entries = [{"kind": "recording", "id": str(n + 1), "name": f"{n + 1:06}-{name}", "sha256": f"{n:064x}", "bytes": FILE, "count": 1,
                    "state": "delivered", "why": None} for n, name in enumerate(MEASURES)]
        body = {"format": "studyd-manifest", "version": 1, "device": self.participant, "study": "scale", "participant": self.participant,
                "enrolment": f"e-{self.number}", "day": f"{datetime.datetime.now(UTC):%Y-%m-%d}", "entries": entries}
        return (await self.ask("POST", "/manifests", {"content-type": "application/json"}, json.dumps(body).encode(), 200))[0]

    async def day(self, times):
        """All of it, in the order in which a device sends it."""
        for hour in range(HOURS):
            times.append(await self.report(hour, "hour" if hour else "enrolment"))
            if hour % 4 == 0:
                times.append(await self.answer(hour // 4))
        for index in range(len(MEASURES)):
            times += await self.recording(index)
        times.append(await self.manifest())


class Receiver:
    def __init__(self, folder):
        self.data = folder / "lab"
        self.process = subprocess.Popen([PROGRAMS / "study-receiver", "--port", "0", "--data", self.data, "--device-keys", "pin"],
                                        stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[2]
        self.port = int(self.url.rsplit(":", 1)[1])

    def memory(self, mark):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith(mark))

    def seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def page(self, path):
        began = time.monotonic()
        with urllib.request.urlopen(self.url + path, timeout=300) as answer:
            size = len(answer.read())
        return time.monotonic() - began, size

    def stop(self):
        self.process.terminate()
        self.process.wait(120)


def show(name, value, unit, limit=None):
    figure = {"name": name, "value": float(f"{value:.4g}"), "unit": unit} | ({} if limit is None else {"limit": limit})
    print(json.dumps(figure), flush=True)
    return limit is None or value <= limit


def p99(times):
    return sorted(times)[len(times) * 99 // 100]


def run(words):
    """Seconds, the most memory that it had, and what it said."""
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(words, stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        output = said.read()
    assert process.returncode == 0, f"{words[:2]}: {process.returncode} {output[-1500:]}"
    return time.monotonic() - began, usage.ru_maxrss * 1024, output


def disk(folder):
    """Bytes of its blocks."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


async def quickly(devices):
    """The whole day of all, by as many at once as a receiver serves without turning one away."""
    waiting, times = list(reversed(devices)), []

    async def work():
        while waiting:
            await waiting.pop().day(times)

    began = time.monotonic()
    await asyncio.gather(*(work() for _ in range(min(WORKERS, len(devices)))))
    return times, time.monotonic() - began


async def steadily(devices):
    """Reports and answers at a rate that does not wait for answers."""
    times, draw, running = [], random.Random(1), set()

    async def one(device):
        times.append(await (device.report(HOURS) if draw.random() < 0.8 else device.answer(1)))

    began = time.monotonic()
    for number in range(STEADY_RATE * STEADY_SECONDS):
        await asyncio.sleep(max(0, began + number / STEADY_RATE - time.monotonic()))
        task = asyncio.create_task(one(draw.choice(devices)))
        running.add(task)
        task.add_done_callback(running.discard)
    await asyncio.gather(*running)
    return times


QUERY = """
SELECT count(*) AS answers, count(DISTINCT participant) AS participants, round(avg(CAST(mood AS DOUBLE)), 3) AS mood,
       round(avg(CAST(mood AS DOUBLE)) FILTER (WHERE CAST(sleep AS DOUBLE) >= 3), 3) AS mood_of_the_rested
FROM read_csv('{folder}/answers.csv', all_varchar = true)"""


def ask_by_duckdb(receiver, count, answers, folder):
    """A question to the answers of all, as exported."""
    try:
        import duckdb
    except ImportError:
        return print("scale: SKIPPED DuckDB: pip install duckdb", file=sys.stderr)
    words = [PROGRAMS / "study-receiver", "export", "--data", receiver.data, "-o", folder / "dataset", "--to", "csv", "--with-holes"]
    took, memory, _ = run(words)
    show(f"{count} devices, a day: export", took, "s")
    show(f"{count} devices, a day: memory of that", memory, "bytes")
    began = time.monotonic()
    row = duckdb.sql(QUERY.format(folder=folder / "dataset")).fetchall()[0]
    show(f"{count} devices, a day: DuckDB {duckdb.__version__}, a query of all answers", time.monotonic() - began, "s")
    assert row[:2] == (answers, count) and 1 < row[2] < 5, row


def play(count, folder):
    receiver = Receiver(folder)
    devices = [Device(number, receiver.port) for number in range(count)]
    try:
        times, took = asyncio.run(quickly(devices))
        busy, name = receiver.seconds(), f"{count} devices, a day"
        assert len(times) == count * REQUESTS, len(times)
        show(f"{name}: requests", len(times), "count")
        show(f"{name}: taken, all at once", len(times) / took, "requests/s")
        show(f"{name}: processor of the receiver", busy / len(times) * 1e6, "µs/request")
        show(f"{name}: p99, all at once", 1000 * p99(times), "ms")
        steady = asyncio.run(steadily(devices))
        show(f"{name}: p99 at {STEADY_RATE} requests/s", 1000 * p99(steady), "ms")
        for path, words in (("/", "the page"), ("/api/fleet", "the API")):
            show(f"{name}: {words}", receiver.page(path)[0], "s")
        isGood = show(f"{name}: memory of the receiver at most", receiver.memory("VmHWM"), "bytes", MEMORY_LIMIT)
        used = disk(receiver.data)
        show(f"{name}: disk beside recordings", (used - count * len(MEASURES) * FILE) / count, "bytes/device")
        # What a device sends in real time, all day long.
        show(f"{name}: devices that one receiver takes at half its rate", len(times) / took / 2 * 86_400 / REQUESTS, "devices")
        ask_by_duckdb(receiver, count, sum(device.answers for device in devices), folder)
        return isGood
    finally:
        receiver.stop()


if __name__ == "__main__":
    good = True
    print(f"scale: load of the machine before: {' '.join(map(str, os.getloadavg()))}", file=sys.stderr)
    for count in COUNTS:
        place = pathlib.Path(tempfile.mkdtemp(prefix="studyd-scale-"))
        try:
            good = play(count, place) and good
        except AssertionError as fault:
            print(f"scale: {fault}", file=sys.stderr)
            good = False
        finally:
            shutil.rmtree(place, ignore_errors=True)
    sys.exit(0 if good else 1)
