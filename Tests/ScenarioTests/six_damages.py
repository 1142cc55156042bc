#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies one participant's recordings out of a lab's folder: whole, and with each of the six damages
of docs/recordings.md that no single file shows. Descriptions are sealed as docs/recordings.md says.

    six_damages.py LAB PARTICIPANT OTHER TARGET

Makes TARGET/manifest/whole, 1 ... 6 of what the participant's manifests name, TARGET/log/... of all,
and TARGET/manifest.txt, a line for each manifest.
"""
import hashlib
import json
import os
import re
import shutil
import sys


def pairs(lab, participant):
    """The recordings of a participant: number -> (name of the file, its path, path of its description)."""
    folder = os.path.join(lab, "files")
    stored = {}
    found = {}
    for name in os.listdir(folder):
        stored.setdefault(re.sub(r"^\d+-", "", name, count=1), []).append(os.path.join(folder, name))
    for name, paths in stored.items():
        if not re.fullmatch(r"\d{6}-\w+\.json", name):
            continue
        for path in paths:
            with open(path, "rb") as stream:
                note = json.load(stream)
            if note["participant"] != participant:
                continue
            for file in stored[note["relativePath"]]:
                with open(file, "rb") as stream:
                    if hashlib.sha256(stream.read()).hexdigest() == note["sha256"]:
                        found[note["number"]] = (note["relativePath"], file, path)
    return found


def put(target, file, content, name):
    with open(os.path.join(target, name), "wb") as stream:
        stream.write(content if content is not None else open(file, "rb").read())


def edited(path, **changes):
    """The description with other values, sealed again."""
    with open(path, "rb") as stream:
        text = stream.read()
    for key, value in changes.items():
        text, count = re.subn(
            b'("%s": )("[^"]*"|[^,\n]*)' % key.encode(), lambda m: m[1] + json.dumps(value).encode(), text, count=1)
        assert count == 1, key
    blank = re.sub(rb'("seal": ")[0-9a-f]{64}', rb"\g<1>" + b"0" * 64, text)
    return re.sub(rb'("seal": ")0{64}', rb"\g<1>" + hashlib.sha256(blank).hexdigest().encode(), blank)


class Copy:
    """A folder of recordings under the names that a receiver gives them."""

    def __init__(self, target):
        self.target = target
        self.count = 100
        os.makedirs(target)

    def add(self, recording, file_name=None, **changes):
        name, file, description = recording
        name = file_name or name
        text = edited(description, **changes) if changes else None
        self.count += 1
        put(self.target, file, None, f"{self.count}-{name}")
        self.count += 1
        put(self.target, description, text, f"{self.count}-{name.split('.')[0]}.json")


def write(target, recordings, strangers):
    """The whole set and the six damages."""
    motion = sorted(number for number, (name, *_) in recordings.items() if "accelerometer" in name)
    first, second = motion[0], motion[1]
    stranger = strangers[first]

    def folder(name, without=()):
        copy = Copy(os.path.join(target, name))
        for number, recording in sorted(recordings.items()):
            if number not in without:
                copy.add(recording)
        return copy

    def shown_as(number, name):
        return {"number": number, "relativePath": name}

    folder("whole")
    folder("1", [first])
    folder("2", [first]).add(stranger)
    # One that the participant's device never had: another number, sealed again.
    name = "000999-accelerometer.cwa"
    folder("3").add(stranger, name, **shown_as(999, name))
    folder("4", [first]).add(recordings[first], participant="P999")
    exchanged = folder("5", [first, second])
    exchanged.add(recordings[first], recordings[second][0], **shown_as(second, recordings[second][0]))
    exchanged.add(recordings[second], recordings[first][0], **shown_as(first, recordings[first][0]))
    folder("6").add(recordings[first], name, **shown_as(999, name))
    print(recordings[first][0], recordings[second][0])


def main(lab, participant, other, target):
    recordings, strangers = pairs(lab, participant), pairs(lab, other)
    named, manifests = set(), []
    folder = os.path.join(lab, "manifests")
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as stream:
            manifest = json.load(stream)
        if manifest["participant"] == participant:
            manifests.append(os.path.join(folder, name))
            named |= {entry["name"] for entry in manifest["entries"]}
    os.makedirs(target)
    with open(os.path.join(target, "manifest.txt"), "w") as stream:
        stream.write("".join(path + "\n" for path in manifests))
    listed = {number: one for number, one in recordings.items() if one[0] in named}
    write(os.path.join(target, "manifest"), listed, strangers)
    write(os.path.join(target, "log"), recordings, strangers)


main(*sys.argv[1:])
