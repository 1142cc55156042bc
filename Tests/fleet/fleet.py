#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fleet.py PROGRAMS [agents|generated|scale] [DEVICES]: thirty devices against one study-receiver. Three are killed, three are cut off from the network, one
is revoked and the disk of one is filled: page, API and webhook name exactly these eight within two reports, and the 22 others not at all.

`agents` (the default) are real agents on simulated boards that report each minute (EVERY=1h for another time). First all are updated in two rings, to a copy
of the program that says another version: the page names those that are old, and each restart costs no sample but those of the time without an agent, which
its ledger states. The full disk needs root, for a small file system. `generated` are devices made of reports alone, in seconds. `scale` times the page
and the API with 30 and 500 such devices. Ends with 1 where anything differs."""
import concurrent.futures, datetime, errno, http.server, json, os, pathlib, re, shutil, signal, socket, subprocess, sys, tempfile, threading, time, urllib.request

import reports

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(sys.argv[1]).resolve()
KIND = sys.argv[2] if len(sys.argv) > 2 else "agents"
DEVICES = int(sys.argv[3]) if len(sys.argv) > 3 else 30
STUDY = ROOT / "studies/sleep-and-movement.json"
# Before the silence of a device can be known, in seconds: what its reports promise, and what looking takes.
SLACK = 25
EVERY = os.environ.get("EVERY", "1m")
RATE = 10
CANARIES = 5


class Webhook(http.server.ThreadingHTTPServer):
    """What ntfy would get."""

    def __init__(self):
        self.notices = []
        super().__init__(("127.0.0.1", 0), self.answer)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    class answer(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self.server.notices.append({name: self.headers[name] for name in ("Title", "Priority", "Tags")} | {"body": body})
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass


class Cable(threading.Thread):
    """A port that leads to the receiver until it is cut."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.target, self.sockets, self.is_cut = port, set(), False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.start()

    def run(self):
        while not self.is_cut:
            try:
                near = self.listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                continue
            self.sockets |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def carry(self, one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass
        for each in (one, other):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        self.is_cut = True
        for each in [self.listener, *self.sockets]:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            each.close()


class Receiver:
    def __init__(self, folder, *arguments):
        self.data = folder / "lab"
        self.data.mkdir()
        # The prompts of a simulated board are not answered.
        (self.data / "limits.toml").write_text("\n".join(f'[study."{study}"]\ncompliance = 0.0' for study in ("fleet", *studies())) + "\n")
        self.process = subprocess.Popen([PROGRAMS / "study-receiver", "--port", "0", "--data", self.data, *arguments], stdout=subprocess.PIPE, text=True)
        Receiver.running.append(self.process)
        self.url = self.process.stdout.readline().split()[2]
        self.port = int(self.url.rsplit(":", 1)[1])

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=60) as answer:
            return answer.read().decode()

    def by_api(self):
        """The kinds of what needs attention, by participant."""
        return {device["participant"]: {one["kind"] for one in device["attention"]} for device in json.loads(self.get("/api/fleet"))["devices"]
                if device["attention"]}

    def by_page(self):
        urgent = re.search(r'<ol class="urgent">(.*?)</ol>', self.get("/"), re.S)
        return set(re.findall(r"/\?user=[^\"]*\">([^<]*)</a>", urgent.group(1))) if urgent else set()

    def devices(self, *words):
        return subprocess.run([PROGRAMS / "study-receiver", "devices", *words, "--data", self.data], check=True, capture_output=True, text=True).stdout

    def seconds(self):
        """Of the processor, so far (proc(5), stat)."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    running = []

    @staticmethod
    def stop():
        """All of them."""
        for process in Receiver.running:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
        Receiver.running.clear()


def studies():
    """The ids that studyd may give the study of the agents."""
    properties = json.loads(STUDY.read_text())["properties"]
    return {str(properties[key]) for key in ("study_id", "study_name") if key in properties}


class Agent:
    """A real agent on a simulated board, with its state on a file system that may be small."""

    def __init__(self, number, folder, cable):
        self.participant, self.cable, self.program = f"P{number:03}", cable, PROGRAMS / "studyd-tools"
        self.folder = folder / self.participant
        self.state = self.folder / "state"
        self.state.mkdir(parents=True)
        shutil.copy(ROOT / "boards/simulated.toml", self.folder / "board.toml")
        (self.folder / "studyd.toml").write_text(
            f'board = "board.toml"\nstate = "{self.state}"\nzone = "UTC"\n[clock]\ntrust_system = true\n[upload]\nrecordings = "{self.url}/files"\n'
            f'[report]\nurl = "{self.url}"\nevery = "{EVERY}"\n[[measure]]\nchannel = "accelerometer"\nrate = {RATE}\n')

    @property
    def url(self):
        return f"http://127.0.0.1:{self.cable.port}"

    def enroll(self):
        """None, or why it does not."""
        done = subprocess.run([PROGRAMS / "studyd", "enroll", STUDY, "--participant", self.participant, "--config", self.folder / "studyd.toml"],
                              capture_output=True, text=True)
        return None if done.returncode == 0 else done.stdout + done.stderr

    def start(self):
        with open(self.folder / "errors", "ab") as errors:
            self.process = subprocess.Popen([self.program, "run", "--config", self.folder / "studyd.toml"], stdout=subprocess.DEVNULL, stderr=errors)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def samples(self):
        """The ledger's, by what `status` says; None while the agent starts."""
        done = subprocess.run([PROGRAMS / "studyd", "status", "--json", "--config", self.folder / "studyd.toml"], capture_output=True, text=True)
        status = json.loads(done.stdout) if done.returncode == 0 else {}
        return status["ledger"]["samples"] | {"balanced": status["ledger"]["balanced"]} if status.get("running") and status.get("ledger") else None

    def update(self, program):
        """Restarts it, in order, with another program; how long no agent ran, at most."""
        before = self.samples()
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(120) == 0, f"{self.participant} ended with {self.process.returncode}"
        self.program = program
        self.start()
        eventually(300, f"{self.participant} measures again", lambda: ((now := self.samples()) or {}).get("stored", 0) > before["stored"])
        after, took = self.samples(), time.monotonic() - began
        assert after["balanced"] and not after["unaccounted"], f"{self.participant}: {after}"
        lost = sum(after["lost"].values()) - sum(before["lost"].values())
        # What the last read of the old agent had not taken, and a block that was not whole, are stated, too.
        assert 0 <= lost <= (took + 1) * RATE * 1.15 + 80, f"{self.participant}: {lost} samples lost in {took:.1f} s: {before}, then {after}"
        return took, lost

    def fill(self):
        """To the last byte, and again whatever the agent frees: its reserve, and recordings that were delivered."""
        threading.Thread(target=self.keep_full, daemon=True).start()

    def keep_full(self):
        with open(self.state / "full", "wb", buffering=0) as file:
            while self.process.poll() is None:
                for piece in (1 << 16, 1):
                    try:
                        while True:
                            file.write(bytes(piece))
                    except OSError as fault:
                        assert fault.errno == errno.ENOSPC, fault
                time.sleep(0.5)


class Generated(reports.Living):
    """The same in reports alone: every five seconds."""

    def __init__(self, number, cable):
        super().__init__(reports.Device(number, f"http://127.0.0.1:{cable.port}", within=8), 5)
        self.participant, self.cable = self.device.participant, cable

    def fill(self):
        self.device.changes["disk"] = {"free": 1_000_000, "total": 32_000_000_000, "low": True}


def agents(folder, receiver):
    """Running agents; None where this studyd sends no reports."""
    all = [Agent(number, folder, Cable(receiver.port)) for number in range(1, DEVICES + 1)]
    if why := all[0].enroll():
        if "report" not in why:
            raise RuntimeError(why)
        print("SKIPPED the agents: this studyd takes no [report]: " + why.strip()[-300:], file=sys.stderr)
        return None
    if os.geteuid() == 0:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", all[-1].state], check=True)
    else:
        print("SKIPPED the full disk: only root can make a small file system", file=sys.stderr)
    for agent in all:
        if why := agent.enroll() if agent is not all[0] else None:
            raise RuntimeError(f"{agent.participant}: {why}")
        agent.start()
    return all


def eventually(limit, what, test):
    """Until `test` gives True; what it gave last where it does not in time."""
    end = time.monotonic() + limit
    while (found := test()) is not True and time.monotonic() < end:
        time.sleep(1)
    if found is not True:
        raise AssertionError(f"{what}: {found}")


def newer(folder):
    """A copy of the program with another version in it, as long as its own."""
    own = re.search(r'text = "([\d.]+)"', (ROOT / "Sources/Base/Base/Text/ProgramVersion.swift").read_text()).group(1)
    version = own[:-1] + str((int(own[-1]) + 1) % 10)
    copy = folder / "studyd-tools"
    copy.write_bytes(re.sub(rb"(?<![\w.])" + re.escape(own.encode()) + rb"(?=\0)", version.encode(), (PROGRAMS / "studyd-tools").read_bytes()))
    copy.chmod(0o755)
    said = subprocess.run([copy, "--version"], check=True, capture_output=True, text=True).stdout
    assert said.startswith(version + " "), f"the copy says {said.strip()}, not {version}"
    return copy


def update(all, folder, receiver):
    program = newer(folder)
    done = []
    for ring in (all[:CANARIES], all[CANARIES:]):
        with concurrent.futures.ThreadPoolExecutor(CANARIES) as pool:
            done += list(pool.map(lambda one: one.update(program), ring))
        old = {one.participant: {"version"} for one in all if one.program != program}
        eventually(120, "the page names those of the old version", lambda: receiver.by_api() == old or difference(receiver.by_api(), old))
    print(f"fleet: {len(all)} updated in two rings, {CANARIES} at a time; each without an agent for {max(took for took, _ in done):.1f} s at most, "
          f"{max(lost for _, lost in done)} samples at most lost for it, all stated")


def accept(folder):
    webhook = Webhook()
    receiver = Receiver(folder, "--device-keys", "pin", "--webhook", f"http://127.0.0.1:{webhook.server_port}/lab")
    all = agents(folder, receiver) if KIND == "agents" else None
    kind = "real agents" if all else "devices made of reports"
    if not all:
        all = [Generated(number, Cable(receiver.port)) for number in range(1, DEVICES + 1)]
        for one in all:
            one.start()
    try:
        eventually(600, "all report", lambda: (n := len(json.loads(receiver.get("/api/fleet"))["devices"])) == DEVICES or n)
        eventually(60, "none needs attention", lambda: receiver.by_api() == {} or receiver.by_api())
        if kind == "real agents":
            update(all, folder, receiver)
        within = max(device["report"]["nextReportWithin"] for device in json.loads(receiver.get("/api/fleet"))["devices"])
        # What came and went until now is told to its end, and is not this test's.
        eventually(120, "what began has ended at the webhook", lambda: begun(webhook) == len(webhook.notices) / 2 or webhook.notices)
        webhook.notices.clear()
        harmed = harm(all, receiver)
        began = time.monotonic()
        # Two reports: the one that does not come, and the one by which others are known to be well.
        limit = 2 * within + SLACK
        eventually(limit, "the API", lambda: receiver.by_api() == harmed or difference(receiver.by_api(), harmed))
        took = time.monotonic() - began
        eventually(SLACK, "the page", lambda: receiver.by_page() == set(harmed) or receiver.by_page())
        eventually(SLACK, "the webhook", lambda: named(webhook) == harmed or difference(named(webhook), harmed))
        # The faults of a full disk come and go with what is tried.
        steady = {name: kinds for name, kinds in harmed.items() if "fault" not in kinds}
        count = told(webhook, steady)
        time.sleep(SLACK)
        assert told(webhook, steady) == count == sum(map(len, steady.values())), f"{count} notices, then {told(webhook, steady)}: one for each change"
        refused(all[6], receiver)
        print(f"fleet: {DEVICES} {kind}; {len(harmed)} of them named by API, page and webhook {took:.0f} s after they were harmed "
              f"(reports within {within} s), {count} notices, the others not at all")
    finally:
        for one in all:
            one.kill()
        Receiver.stop()
        if KIND == "agents" and os.geteuid() == 0:
            subprocess.run(["umount", "-l", folder / f"P{DEVICES:03}" / "state"], capture_output=True)


def harm(all, receiver):
    """What is to be named, by participant."""
    for one in all[:3]:
        one.kill()
    for one in all[3:6]:
        one.cable.cut()
    receiver.devices("revoke", all[6].participant)
    harmed = {one.participant: {"silent"} for one in all[:6]} | {all[6].participant: {"revoked"}}
    if isinstance(all[-1], Generated) or os.geteuid() == 0:
        all[-1].fill()
        # That a real one records no more is a fault, too.
        harmed[all[-1].participant] = {"disk"} if isinstance(all[-1], Generated) else {"disk", "fault"}
    return harmed


def refused(one, receiver):
    """The revoked one is answered 403, and keeps its data."""
    if isinstance(one, Generated):
        assert one.statuses[-1] == 403, one.statuses[-5:]
    else:
        assert any(one.state.glob("recordings/*")), "the revoked one has lost its recordings"


def begun(webhook):
    return sum(notice["Tags"].startswith("warning,") for notice in webhook.notices)


def told(webhook, participants):
    return sum(notice["Title"].split(": ", 1)[0] in participants for notice in webhook.notices)


def named(webhook):
    found = {}
    for notice in webhook.notices:
        participant, what = notice["Title"].split(": ", 1)
        if not notice["Tags"].startswith("warning,"):
            assert ",fault" in notice["Tags"], notice
            continue
        found.setdefault(participant, set()).add(notice["Tags"].split(",")[1])
    return found


def difference(found, wanted):
    return {name: (found.get(name), wanted.get(name)) for name in sorted({*found, *wanted}) if found.get(name) != wanted.get(name)}


def scale(folder):
    faults = []
    for count, limit in ((30, 0.3), (500, 0.3)):
        place = folder / str(count)
        place.mkdir()
        receiver = Receiver(place, "--metrics-file", place / "fleet.prom")
        now = datetime.datetime.now(datetime.timezone.utc)
        began = time.monotonic()
        for number in range(count):
            device = reports.Device(number, receiver.url)
            if number % 25 == 0:
                device.changes = {"power": {"underVoltage": True, "battery": 0.1}}
            assert device.tell("enrolment", reports.prompts(device.name, now, 14, 0.97))[0] == 200
            digest = f"{number:064x}"
            assert device.manifest(f"{now:%Y-%m-%d}", [{"kind": "recording", "id": "1", "name": "000001-accelerometer.cwa", "sha256": digest, "bytes": 10,
                                                        "count": 1, "state": "delivered", "why": None}])[0] == 200
            log = {"data_type": "log", "user_id": device.participant, "study_id": "fleet", "module_index": "-1", "page": "home", "event": "entry",
                   "timestamp": "2026-05-08T23:16:21+10:00", "timestamp_in_ms": "1778246181000", "platform": "test"}
            post_form(receiver.url + "/schema", log)
        took = time.monotonic() - began
        line = [f"{count} devices: {1000 * took / count:.0f} ms for each to report;"]
        for path in ("/", "/?sort=-coverageShare&days=28", "/?user=P001", "/tables/participants.csv", "/api/fleet", "/api/missing"):
            times, before = [], receiver.seconds()
            for _ in range(7):
                began = time.monotonic()
                size = len(receiver.get(path))
                times.append(time.monotonic() - began)
            # What it computes: the time that passes is also that of others on this machine.
            mean, median = (receiver.seconds() - before) / 7, sorted(times)[3]
            line.append(f"{path} {1000 * mean:.0f} ms of the processor, {1000 * median:.0f} ms to wait ({size // 1000} kB);")
            if mean > limit:
                faults.append(f"{path} with {count} devices took {1000 * mean:.0f} ms")
        print(*line)
        wanted = {f"P{number:03}" for number in range(0, count, 25)}
        assert receiver.by_page() == set(receiver.by_api()) == wanted, (receiver.by_page() ^ wanted, receiver.by_api().keys() ^ wanted)
        Receiver.stop()
    if faults:
        raise AssertionError("; ".join(faults))


def post_form(url, fields):
    body = "".join(f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()) + "--x--\r\n"
    status, answer = reports.post(url, body.encode(), {"Content-Type": "multipart/form-data; boundary=x"})
    assert status == 200, answer


if __name__ == "__main__":
    place = pathlib.Path(tempfile.mkdtemp(prefix="studyd-fleet-"))
    try:
        scale(place) if KIND == "scale" else accept(place)
    except AssertionError as fault:
        print(f"fleet: {fault}", file=sys.stderr)
        sys.exit(1)
    finally:
        Receiver.stop()
        shutil.rmtree(place, ignore_errors=True)
