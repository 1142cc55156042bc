# SPDX-License-Identifier: Apache-2.0
"""Devices made of reports alone, for tests of scale and for the lab's half of the fleet: what studyd sends to `/reports`, `/manifests` and, as tus, to
`/files` (docs/receiver.md), by Python's HTTP."""
import base64, datetime, hashlib, http.client, json, random, threading, urllib.parse

UTC = datetime.timezone.utc


def prompts(name, now, days, answered):
    """Six a day; `answered` is the chance that one is completed. Others have a reason, as studyd gives them."""
    draw = random.Random(name)
    for day in range(days, 0, -1):
        for hour in range(9, 21, 2):
            due = (now - datetime.timedelta(days=day)).replace(hour=hour, minute=0, second=0, microsecond=0)
            done = draw.random() < answered
            reason = None if done else draw.choice(["device-off", "clock-unknown", None])
            outcome = "completed" if done else "missed" if reason else "expired"
            yield {"occurrence": f"mood@{due:%Y-%m-%dT%H:%M}", "task": "mood", "due": due.isoformat(timespec="milliseconds"), "outcome": outcome,
                   "reason": reason, "presented": None if reason else due.isoformat(timespec="milliseconds"), "ended": None}


class Device:
    """One that is well, until something is done to it."""

    def __init__(self, number, url, study="fleet", within=3900):
        self.name, self.participant, self.url, self.study, self.within = f"board-{number:03}", f"P{number:03}", url, study, within
        self.number, self.changes = 0, {}

    def report(self, reason="hour", outcomes=()):
        now = datetime.datetime.now(UTC)
        self.number += 1
        report = {
            "format": "studyd-report", "version": 1, "number": self.number, "at": now.isoformat(timespec="milliseconds"), "reason": reason,
            "nextReportWithin": self.within, "device": self.name, "study": self.study, "participant": self.participant, "enrolment": f"e-{self.name}",
            "program": {"version": "0.9.0", "commit": None}, "clock": {"source": "kernel", "trusted": True, "uncertainty": 0.2},
            "ledger": {"samples": {"due": 360000, "stored": 359000, "lost": {"ringFull": 1000}, "unaccounted": 0}}, "prompts": list(outcomes),
            "recordings": {"newest": 12, "coverage": [{"measure": "accelerometer", "seconds": 3600, "expected": 360000, "stored": 359000, "lost": 1000}]},
            "outbox": {"waiting": 3, "bytes": 1234, "oldestSeconds": 120}, "disk": {"free": 20_000_000_000, "total": 32_000_000_000, "low": False},
            "card": {"written": 123456789, "life": None}, "power": {"underVoltage": False, "battery": 0.83}, "temperature": 48.2, "faults": [],
            "configuration": hashlib.sha256(b"configuration").hexdigest(), "state": "recording"}
        return report | self.changes

    def post(self, path, value, headers=None):
        """The status and the answer."""
        own = {"Content-Type": "application/json", "Studyd-Device": self.name}
        return post(self.url + path, json.dumps(value).encode(), own if headers is None else headers)

    def tell(self, reason="hour", outcomes=()):
        return self.post("/reports", self.report(reason, outcomes))

    def manifest(self, day, entries):
        return self.post("/manifests", {"format": "studyd-manifest", "version": 1, "device": self.name, "study": self.study, "participant": self.participant,
                                        "enrolment": f"e-{self.name}", "day": day, "entries": entries})


def post(url, body, headers, method="POST"):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    try:
        connection.request(method, parts.path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


class Living(threading.Thread):
    """A device that reports every so many seconds until it is stopped."""

    def __init__(self, device, every):
        super().__init__(daemon=True)
        self.device, self.every, self.over = device, every, threading.Event()
        self.statuses = []

    def run(self):
        reason = "enrolment"
        while not self.over.is_set():
            try:
                self.statuses.append(self.device.tell(reason)[0])
            except OSError:
                self.statuses.append(None)
            reason = "hour"
            self.over.wait(self.every)

    def kill(self):
        self.over.set()
