"""Runs the real server of ESMira from a scratch copy, creates a study there and sends it requests.

Arguments: a checkout of ESMira-web; a file with one JSON object: the study, `bodies`, each the text of a request to datasets.php, and `uploads`,
requests to file_uploads.php, each with its `type` and its `body` in hexadecimal; `rewards`, bodies for reward.php; `statistics`, whether those are asked for.
Prints the answers, a JSON text a line, then one line with the rows of events.csv and of each questionnaire's file, with the sizes of files under
`media`, and then those of studies.php."""
import csv
import http.cookiejar
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

checkout, wish = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    shutil.copytree(checkout / "src" / "api", folder / "src" / "api")
    shutil.copytree(checkout / "src" / "backend", folder / "src" / "backend")
    (folder / "data").mkdir()
    # Held until the end, so that no other process is given it before PHP, which sets SO_REUSEADDR, listens there.
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    port = held.getsockname()[1]
    base = f"http://127.0.0.1:{port}/api/"
    server = subprocess.Popen(["php", "-d", "date.timezone=UTC", "-S", f"127.0.0.1:{port}", "-t", str(folder / "src")],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

        def call(name, body=None):
            return opener.open(base + name, body, timeout=60).read().decode()

        for _ in range(100):
            try:
                call("settings.php?type=")
                break
            except OSError:
                time.sleep(0.1)
        admin = f"new_account=admin&pass=testpass12345&data_location={folder / 'data'}".encode()
        assert json.loads(call("admin.php?type=InitESMira", admin))["success"]
        study = wish["study"]
        made = call(f"admin.php?type=CreateStudy&study_id={study['id']}&lastChanged=0", json.dumps({"_": study}).encode())
        assert json.loads(made)["success"], made
        for number, body in enumerate(wish["bodies"]):
            if number:
                time.sleep(1.5)
            print(json.dumps(call("datasets.php", body.encode())))
        for upload in wish.get("uploads", []):
            request = urllib.request.Request(base + "file_uploads.php", bytes.fromhex(upload["body"]),
                                             {"Content-Type": upload["type"]})
            print(json.dumps(opener.open(request, timeout=60).read().decode()))
        for body in wish.get("rewards", []):
            print(json.dumps(call("reward.php", body.encode())))
        if wish.get("statistics"):
            print(json.dumps(call(f"statistics.php?id={study['id']}&access_key=" + study["accessKeys"][0])))
        responses = folder / "data" / "esmira_data" / "studies" / str(study["id"]) / "responses"
        rows = {path.stem: list(csv.DictReader(path.open(newline=""), delimiter=";")) for path in responses.glob("*.csv")}
        media = folder / "data" / "esmira_data" / "studies" / str(study["id"]) / "media" / "audio"
        rows["media"] = [{"bytes": str(path.stat().st_size)} for path in media.iterdir() if path.name[0] != "."] if media.is_dir() else []
        print(json.dumps(rows))
        print(json.dumps(call("studies.php?lang=en&access_key=" + study["accessKeys"][0])))
    finally:
        # Not terminate(): a parent may have blocked that signal, and PHP would inherit it.
        server.kill()
        server.wait()
