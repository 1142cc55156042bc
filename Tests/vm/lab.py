# SPDX-License-Identifier: Apache-2.0
"""What stands around the virtual board on the host: the lab server, the USB adapter with its chips, and a study."""
import datetime
import json
import pathlib
import socket
import subprocess
import threading
import time
import urllib.request
import zoneinfo

from board import Failed

PERIOD = 60  # seconds between two prompts of the study
ZONE = "Asia/Kolkata"  # half an hour off, without a change of offset


class Adapter:
    """The process that plays the USB adapter; `order` speaks to it."""

    def __init__(self, program, folder, chips, script):
        self.usb, self.control = f"{folder}/usb.sock", f"{folder}/control.sock"
        self.process = subprocess.Popen([program, self.usb, self.control, script, *chips])
        wait_for(lambda: pathlib.Path(self.control).exists(), 20, "the adapter listens")
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(self.control)
        self.lines = self.connection.makefile("rw")

    def order(self, line):
        self.lines.write(line + "\n")
        self.lines.flush()
        answer = self.lines.readline().strip()
        assert answer.startswith("ok"), f"adapter: {line}: {answer}"
        return answer[3:]

    def end(self):
        self.process.kill()
        self.process.wait()


class Server:
    """A `study-receiver` that the guest sees at 10.0.2.2."""

    def __init__(self, program, folder):
        self.study = pathlib.Path(folder) / "study.json"
        self.study.write_text("{}")
        self.process = subprocess.Popen([program, "--port", "0", "--data", f"{folder}/receiver", "--serve", str(self.study)],
                                        stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.port = line.strip().rsplit(":", 1)[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.guest_address = f"http://10.0.2.2:{self.port}"

    def get(self, path, raw=False):
        with urllib.request.urlopen(self.address + path, timeout=20) as answer:
            body = answer.read()
        return body if raw else json.loads(body)

    def answers(self):
        return [r for r in self.get("/api/records") if r["kind"] == "survey_response" and r.get("duplicateOf") is None]

    def files(self, measure=None, suffix=None):
        """Complete uploads, the first of each, newest last."""
        found = [f for f in self.get("/api/files") if f["complete"] and f.get("sameAs") is None]
        return sorted((f for f in found if (measure is None or f["metadata"].get("measure") == measure)
                       and (suffix is None or f["name"].endswith(suffix))), key=lambda f: f["number"])

    def content(self, file):
        return self.get(f"/files/{file['number']}/content", raw=True)

    def serve(self, minutes, clocks=(), vigilance=None):
        """A study with one module that falls due at each of the next full minutes, and one that is always open. `clocks` are times that
        other clocks show: it falls due at their next minutes too. With the rules of a vigilance test, that one is what falls due."""
        starts = [datetime.datetime.now(datetime.timezone.utc), *clocks]
        times = [at.astimezone(zoneinfo.ZoneInfo(ZONE)) + datetime.timedelta(minutes=m) for at in starts for m in range(1, minutes + 1)]
        hidden = {"hide_id": "", "hide_value": "", "hide_if": True}
        where = {"id": "where", "type": "multi", "text": "Where are you?", "required": True, **hidden, "radio": True,
                 "modal": False, "shuffle": False, "options": ["Garden", "Kitchen", "Street"]}
        alone = {"id": "alone", "type": "yesno", "text": "Are you alone?", "required": True, **hidden, "yes_text": "Yes",
                 "no_text": "No"}
        def alerts(name, times, sticky):
            return {"title": name, "message": "now", "start_offset": -1 if sticky else 0, "duration": 2,
                    "times": [{"hours": h, "minutes": m} for h, m in times], "random": False, "random_interval": 0,
                    "sticky": sticky, "sticky_label": "Any time", "timeout": not sticky, "timeout_after": 1}

        def module(name, alerts, questions):
            return {"type": "survey", "name": name, "submit_text": "Submit", "condition": "*", "alerts": alerts,
                    "graph": {"display": False}, "sections": [{"name": name, "shuffle": False, "questions": questions}],
                    "shuffle": False, "uuid": name, "unlock_after": []}

        fine = {**alone, "id": "fine", "text": "Are you fine?"}
        modules = [module("moment", alerts("moment", [(t.hour, t.minute) for t in times], False), [where, alone]),
                   module("any-time", alerts("any time", [(0, 0)], True), [fine])]
        if vigilance:  # as momenTUM writes it, where everything of a module that is not its schedule lies in `params`
            modules = [{"id": "pvt", "name": "pvt", "condition": "*", "graph": {"display": False}, "unlock_after": [],
                        "alerts": alerts("pvt", [(t.hour, t.minute) for t in times], False), "params": {"type": "pvt", **vigilance}}]
        properties = {"study_name": "Virtual board", "study_id": "VIRTUAL", "created_by": "studyd", "instructions": "Press.",
                      "post_url": self.guest_address + "/schema", "empty_msg": "nothing", "banner_url": "",
                      "support_url": "https://example.org/help", "support_email": "study@example.org", "conditions": ["*"],
                      "cache": True, "ethics": "approved", "pls": ""}
        self.study.write_text(json.dumps({"properties": properties, "modules": modules}))

    def end(self):
        self.process.terminate()
        self.process.wait()


def is_prompted(t):
    """Whether more is open in the study of `serve` than the one task that always is. Never counted on the board: a slow one may have prompted by then."""
    return t.status()["ledger"]["occurrences"]["open"] > 1


class TimeServer(threading.Thread):
    """Tells the host's time by SNTP (RFC 4330) to a real NTP client in the guest, at 10.0.2.2."""

    def __init__(self, port=0):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", port))
        self.port = self.socket.getsockname()[1]
        self.asked = 0

    @staticmethod
    def stamp():
        """Seconds since 1900, with 32 bits behind the point."""
        return round((time.time() + 2_208_988_800) * 2 ** 32).to_bytes(8, "big")

    def run(self):
        while True:
            request, place = self.socket.recvfrom(512)
            received = self.stamp()
            if len(request) >= 48 and request[0] & 7 == 3:
                self.asked += 1
                # Version as asked, mode 4, stratum 1, a precision of 2^-20 s, no delay or dispersion, "LOCL".
                head = bytes([request[0] & 0x38 | 4, 1, request[2], 0xEC]) + bytes(8) + b"LOCL"
                self.socket.sendto(head + received + request[40:48] + received + self.stamp(), place)


# Machines of which a loaded host takes time: functions that say how many seconds it has taken so far.
starved = []


def taken():
    return max((seconds() for seconds in starved), default=0)


def wait_for(condition, seconds, what, pause=0.5, last=()):
    """What `condition` returns once that is something; throws with `what` when it never is, and with the last of `last`. What the host takes from the
    machine meanwhile is not counted, but for three times `seconds` at most."""
    end, before = time.monotonic() + seconds, taken()
    error = None
    while True:
        try:
            value = condition()
            if value:
                return value
        except (Failed, OSError, AssertionError, ValueError, KeyError) as caught:
            error = caught
        if time.monotonic() > end + min(max(0, taken() - before), 3 * seconds):
            seen = "; ".join(str(item) for item in (error, *list(last)[-1:]) if item)
            raise AssertionError(f"not within {seconds} s: {what}" + (f" ({seen})" if seen else ""))
        time.sleep(pause)
