# SPDX-License-Identifier: Apache-2.0
"""Manifests and segments of logs, read without a line of ours: signatures by PyPI's `cryptography`, digests and the chain by hashlib.

    day_records.py FILE...    prints for each: name, who signed (or `unsigned`, `broken`), and of a segment `first-last`, `whole` or why not,
                              and how many rows are told whole"""
import base64
import gzip
import hashlib
import json
import pathlib
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def signer(line):
    if b',"signature":"' not in line:
        return "unsigned"
    head = line[:line.rindex(b',"signature":"')]
    object_ = json.loads(line)
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(object_["key"])).verify(base64.b64decode(object_["signature"]), head)
    except InvalidSignature:
        return "broken"
    return object_["key"]


def netstring(text):
    raw = str(text).encode()
    return str(len(raw)).encode() + b":" + raw + b","


def segment(content):
    line, rest = content.split(b"\n", 1)
    head = json.loads(line)
    if hashlib.sha256(rest).hexdigest() != head["sha256"]:
        return f"{head['first']}-{head['last']}", "other rows", 0
    chain, number, whole = bytes.fromhex(head["previous"]), head["first"], 0
    for text in rest.splitlines()[1:]:
        row = json.loads(text)
        if row["row"] != number:
            return f"{head['first']}-{head['last']}", f"row {number} is missing", 0
        seal = row.get("seal")
        if "body" in row:
            whole += 1
            seal = hashlib.sha256(bytes.fromhex(row["salt"]) + row["body"].encode()).hexdigest()
        fields = [row[name] for name in ("row", "enrolment", "wall", "monotonic", "boot", "offset", "kind")] + [seal]
        chain = hashlib.sha256(chain + b"".join(netstring(field) for field in fields)).digest()
        number += 1
    isWhole = chain.hex() == head["hash"] and number == head["last"] + 1
    return f"{head['first']}-{head['last']}", "whole" if isWhole else "broken chain", whole


def main():
    for name in sys.argv[1:]:
        content = pathlib.Path(name).read_bytes()
        if name.endswith(".gz"):
            content = gzip.decompress(content)
            print(pathlib.Path(name).name, signer(content.split(b"\n", 1)[0]), *segment(content), sep="\t")
        else:
            print(pathlib.Path(name).name, signer(content), sep="\t")


if __name__ == "__main__":
    main()
