"""Plays the same requests, such as a device of ours can send, to the real server of ESMira (PHP, from a scratch copy of a checkout) and to the stand-in, and prints where they answer differently.

Arguments: a checkout of ESMira-web; the stand-in's address; a study collection, which the stand-in serves as the server hands it out. Prints `same: N` and one line for each difference."""
import copy
import http.cookiejar
import json
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

checkout, ours, study_file = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
collection = json.loads(study_file.read_text())
STUDY = collection["_"]["id"]


def ftyp(brand):
    return struct.pack(">I", 24) + b"ftyp" + brand + struct.pack(">I", 512) + brand + b"isom" + b"\0" * 40


def form(fields, files):
    mark = "----compare"
    out = b""
    for name, value in fields.items():
        out += f"--{mark}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n".encode()
    for name, file_name, content in files:
        out += (f"--{mark}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file_name}\"\r\n"
                "Content-Type: application/octet-stream\r\n\r\n").encode() + content + b"\r\n"
    return out + f"--{mark}--\r\n".encode(), f"multipart/form-data; boundary={mark}"


def entry(number, event="joined", **more):
    body = {
        "dataSetId": number, "studyId": STUDY, "serverVersion": 11, "studyVersion": 1, "studySubVersion": 0, "studyLang": "en",
        "group": 2, "accessKey": "studyd", "timezone": "CET", "timezoneOffset": 3600000, "token": 0, "reupload": False,
        "questionnaireName": "", "questionnaireInternalId": -1, "eventType": event, "responseTime": 1795245000000 + int(number),
        "localDateTime": "11/21/26 8:11 AM", "responses": {"osVersion": "12", "model": "rpi4", "manufacturer": "raspberry"}}
    body.update(more)
    return body


def filled(number, **answers):
    responses = {"formDuration": "42000", "pageDurations": "30000,12000", "lastInvitation": "1795244400000", "mood": "3",
                 "stress": "64", "place": "other", "place~other": 'the "bus"\nstop', "symptoms": "cough, Other",
                 "symptoms~cough": "1", "symptoms~fever": "0", "symptoms~1": "1", "symptoms~2": "0", "symptoms~3": "1", "symptoms~other": "1", "symptoms~other_text": "itch",
                 "unknown": "dropped", "voice": "0"}
    responses.update(answers)
    return entry(number, "questionnaire", questionnaireName="EMA", questionnaireInternalId=50001, responses=responses)


def sent(user, *entries, **more):
    body = {"userId": user, "appVersion": "0.9.0", "appType": "studyd", "serverVersion": 11, "dataset": list(entries)}
    body.update(more)
    return json.dumps({key: value for key, value in body.items() if value != "absent"}).encode()


def without(body, *names):
    body = copy.deepcopy(body)
    for name in names:
        del body[name]
    return body


# Name, endpoint, body, content type. A number waits so many seconds; `admin` does the same thing to both by their own ways.
steps = []


def step(name, path, body=None, kind="application/json"):
    steps.append((name, path, body, kind))


def wait(seconds=1.2):
    steps.append(("wait", seconds, None, None))


def admin(deed, *words):
    steps.append(("admin", deed, words, None))


for query in ["access_key=studyd&lang=en", "access_key=STUDYD&lang=de", "access_key=unknown&lang=en", "lang=en",
              "access_key=studyd&lang=fr&include_finished_studies"]:
    step(f"studies {query}", "studies.php?" + query)
for name, body in {
    "no json": b"<html>", "no user": sent("absent"),
    "level seven": sent("lvl-User-0001", serverVersion=7), "new": sent("lvl-User-0002", serverVersion=13),
    "a version with a plus": sent("ver-User-0001", appVersion="1.0+3"), "a kind with a slash": sent("ver-User-0001", appType="a/b"),
    "a user with a semicolon": sent("a;b"), "letters of other scripts": sent("Ünï-çødé-0001"), "a long user": sent("x" * 4000),
    "no entries": sent("non-User-0001"), "any kind": sent("eve-User-0002", entry(1, "made_up")),
    "no key": sent("key-User-0001", without(entry(1), "accessKey")), "a key in capitals": sent("key-User-0002", entry(1, accessKey="StudyD")),
    "numbers and texts": sent("val-User-0001", filled(1, mood=5, stress=1.5)),
    "mixed": sent("mix-User-0001", entry(11, accessKey="bad"), filled(12) | {"questionnaireInternalId": 99}, entry(13, studyId=1),
                  entry(14, "a/b;c"), entry(15), filled(16)),
    "an invitation": sent("inv-User-0001", entry(1, "invitation", responses={"actionScheduledTo": "1795245060000"}), filled(2, lastInvitation="0"), filled(3, lastInvitation="")),
    "files": sent("fil-User-0001", filled(1, voice="654321"), filled(2, voice="none")),
}.items():
    step(f"datasets, {name}", "datasets.php", body)
step("datasets, too soon", "datasets.php", sent("mix-User-0001", entry(1)))
for pause, number in [(0.0, 1), (0.6, 2), (0.6, 3), (1.2, 4)]:
    wait(pause)
    step(f"datasets, {pause} s later", "datasets.php", sent("fst-User-0001", entry(number)))
mp4 = ftyp(b"isom")
fields = {"userId": "fil-User-0001", "studyId": STUDY, "dataType": "Audio", "appVersion": "1", "appType": "x", "serverVersion": 11}
for name, (more, files) in {
    "no study": ({"studyId": None}, [("upload", "654321", mp4)]), "another number": ({}, [("upload", "9", mp4)]),
    "another's": ({"userId": "fst-User-0001"}, [("upload", "654321", mp4)]),
    "sound that is wav": ({}, [("upload", "654321", b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\0\0\0\0")]),
    "sound that is flac": ({}, [("upload", "654321", b"fLaC\0\0\0\x22" + b"\x10\0\x10\0" + b"\0" * 40)]),
    "sound that is m4a": ({}, [("upload", "654321", ftyp(b"M4A "))]),
    "sound of mp4": ({}, [("upload", "654321", mp4)]), "the sound again": ({}, [("upload", "654321", mp4)]),
}.items():
    body, kind = form({key: value for key, value in (fields | more).items() if value is not None}, files)
    step(f"file_uploads, {name}", "file_uploads.php", body, kind)
wait()


def update(user="aB3d-Ef5G-hJ7k", study=STUDY, **more):
    line = {"version": 1, "msgTimestamp": 0, "accessKey": "studyd", "lang": "en", "forceStudyUpdate": False} | more
    return json.dumps({"userId": user, "appVersion": "1", "appType": "x", "serverVersion": 11,
                       "dataset": {str(study): {key: value for key, value in line.items() if value != "absent"}}}).encode()


for name, body in {"nothing new": update(), "an older version": update(version=0), "forced": update(forceStudyUpdate=True),
                   "a wrong key": update(accessKey="x", version=0), "no key": update(accessKey="absent", version=0),
                   "an unknown study": update(study=99)}.items():
    step(f"update, {name}", "update.php?lang=en", body)
step("datasets of who is written to", "datasets.php", sent("aB3d-Ef5G-hJ7k", entry(1)))
admin("message", "Please charge the device", "aB3d-Ef5G-hJ7k")
for name, body in {"a message": update(), "the message again": update(), "another's": update("oth-User-0001"), "the message with a wrong key": update(accessKey="x"),
                   "the message acknowledged": update(msgTimestamp=4102444800000), "after that": update()}.items():
    step(f"update, {name}", "update.php?lang=en", body)
admin("message", "And carry it", "aB3d-Ef5G-hJ7k")
step("update, one more", "update.php?lang=en", update())


def message(**more):
    body = {"userId": "aB3d-Ef5G-hJ7k", "studyId": STUDY, "content": "I am here", "appVersion": "1", "appType": "x", "serverVersion": 11} | more
    return json.dumps({key: value for key, value in body.items() if value != "absent"}).encode()


for name, body in {"one": message(), "short": message(content="x"), "an unknown study": message(studyId=99)}.items():
    step(f"save_message, {name}", "save_message.php?lang=en", body)
step("update, after an answer", "update.php?lang=en", update())
for query in [f"id={STUDY}&access_key=studyd", f"id={STUDY}&access_key=x", "id=99&access_key=studyd", "access_key=studyd", f"id={STUDY}"]:
    step(f"statistics {query}", "statistics.php?" + query)


def reward(user, **more):
    return json.dumps({"userId": user, "studyId": STUDY, "appVersion": "1", "appType": "x", "serverVersion": 11} | more).encode()


step("reward, no user", "reward.php", reward("rew-User-0001"))
step("reward, asked before joining", "datasets.php", sent("rew-User-0001", entry(1)))
step("reward, enough", "reward.php", reward("mix-User-0001"))
step("reward, again", "reward.php", reward("mix-User-0001"))
step("reward, too soon after it", "datasets.php", sent("mix-User-0001", entry(20)))
step("script log", "save_merlin_log.php", message(content="Error in line 3"))
admin("frozen", True)
step("datasets, frozen", "datasets.php", sent("aB3d-Ef5G-hJ7k", entry(2)))
step("update, frozen", "update.php?lang=en", update(version=0))
step("save_message, frozen", "save_message.php", message())
step("reward, frozen", "reward.php", reward("mix-User-0001"))
step("script log, frozen", "save_merlin_log.php", message())
admin("frozen", False)
wait()
step("datasets, open again", "datasets.php", sent("aB3d-Ef5G-hJ7k", entry(2)))


def plain(text):
    """Without what is a time, a code, a path or the language's own words."""
    text = re.sub(r'"(sent|read)":\d+', r'"\1":0', text)
    text = re.sub(r'"code":"[0-9a-f]{10}"', '"code":"…"', text)
    text = re.sub(r'"Could not open [^"]*"', '"Could not open …"', text)
    text = re.sub(r'"[^"]*must be of type [^"]*"', '"must be of type …"', text)
    try:
        return json.loads(text)
    except ValueError:
        return text


def row(line):
    line = re.sub(r'"17\d{11}";"20\d\d/\d\d/\d\d \d\d:\d\d:\d\d"', '"…";"…"', line)
    return line


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    for part in ["api", "backend"]:
        shutil.copytree(checkout / "src" / part, folder / "src" / part)
    (folder / "data").mkdir()
    # Held until the end, so that no other process is given it before PHP, which sets SO_REUSEADDR, listens there.
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    port = held.getsockname()[1]
    real = f"http://127.0.0.1:{port}/api/"
    server = subprocess.Popen(["php", "-d", "date.timezone=UTC", "-S", f"127.0.0.1:{port}", "-t", str(folder / "src")],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        jar = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

        def call(url, body=None, kind=None, opener=urllib.request.build_opener()):
            request = urllib.request.Request(url, body, {"Content-Type": kind} if kind else {})
            try:
                return opener.open(request, timeout=60).read().decode(errors="replace")
            except urllib.error.HTTPError as error:
                return f"status {error.code}"

        for _ in range(100):
            try:
                call(real + "settings.php?type=")
                break
            except OSError:
                time.sleep(0.1)
        first = f"new_account=admin&pass=testpass12345&data_location={folder / 'data'}".encode()
        assert json.loads(call(real + "admin.php?type=InitESMira", first, opener=jar))["success"]
        made = call(real + f"admin.php?type=CreateStudy&study_id={STUDY}&lastChanged=0", json.dumps(collection).encode(), opener=jar)
        assert json.loads(made)["success"], made
        same, differences = 0, []
        for name, path, body, kind in steps:
            if name == "wait":
                time.sleep(path)
                continue
            if name == "admin" and path == "message":
                wish = json.dumps({"content": body[0], "toAll": False, "userId": body[1], "timestamps": []}).encode()
                call(real + f"admin.php?type=SendMessage&study_id={STUDY}", wish, opener=jar)
                call(f"{ours}/control/esmira/message?study={STUDY}&user={body[1]}", body[0].encode(), "text/plain")
                continue
            if name == "admin":
                call(real + f"admin.php?type=FreezeStudy&study_id={STUDY}" + ("&frozen" if body[0] else ""), opener=jar)
                call(f"{ours}/control/esmira/frozen?study={STUDY}&value={'true' if body[0] else 'false'}", b"")
                continue
            theirs, mine = (plain(call(base + path, body, kind)) for base in (real, f"{ours}/esmira/api/"))
            if theirs == mine:
                same += 1
            else:
                differences.append(f"{name}: the server says {json.dumps(theirs)[:600]}, the stand-in {json.dumps(mine)[:600]}")
        for table in ["events", "50001", "50002"]:
            theirs = (folder / "data" / "esmira_data" / "studies" / str(STUDY) / "responses" / f"{table}.csv").read_text()
            mine = call(f"{ours}/api/esmira/{STUDY}/{table}.csv")
            theirs, mine = ([row(line) for line in text.split("\n")] for text in (theirs, mine))
            for number in range(max(len(theirs), len(mine))):
                pair = [lines[number] if number < len(lines) else None for lines in (theirs, mine)]
                if pair[0] == pair[1]:
                    same += 1
                else:
                    differences.append(f"{table}.csv, line {number + 1}: the server has {pair[0]}, the stand-in {pair[1]}")
        print(f"same: {same}")
        print("\n".join(differences))
    finally:
        # Not terminate(): a parent may have blocked that signal, and PHP would inherit it.
        server.kill()
        server.wait()
