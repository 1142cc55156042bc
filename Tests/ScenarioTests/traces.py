#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints where an answer can be read in the files of a folder, in whatever form a program may have
written it: as text, UTF-16, base 64, hexadecimal, a number of SQLite or C, and in what is compressed.

    traces.py FOLDER ANSWER
"""
import base64
import os
import struct
import subprocess
import sys
import zlib


def forms(answer):
    """The answer's spellings, by name."""
    text = answer.encode()
    yield "text", text
    yield "text backwards", text[::-1]
    yield "UTF-16 LE", answer.encode("utf-16-le")
    yield "UTF-16 BE", answer.encode("utf-16-be")
    yield "hexadecimal", text.hex().encode()
    yield "HEXADECIMAL", text.hex().upper().encode()
    for name, coder in ("base 64", base64.b64encode), ("base 64 for URLs", base64.urlsafe_b64encode):
        for shift in range(3):
            # Without the characters that the neighbours take part in.
            whole = coder(bytes(shift) + text)
            start = -(-shift * 8 // 6)
            yield f"{name}, {shift}", whole[start : (len(text) + shift) * 8 // 6]
    if answer.isdigit():
        for kind in "<d", ">d", "<q", ">q", "<I", ">I":
            yield kind, struct.pack(kind, float(answer) if "d" in kind else int(answer))


def unpacked(content):
    """What compressed parts of a file hold, as far as they can be read."""
    for magic, width in (b"\x1f\x8b\x08", 31), (b"\x78\x9c", 15), (b"\x78\x01", 15), (b"\x78\xda", 15):
        place = content.find(magic)
        while place >= 0:
            try:
                yield zlib.decompressobj(width).decompress(content[place:], 1 << 26)
            except zlib.error:
                pass
            place = content.find(magic, place + 1)
    magic = b"\x28\xb5\x2f\xfd"
    place = content.find(magic)
    while place >= 0:
        yield subprocess.run(["zstd", "-dc"], input=content[place:], capture_output=True).stdout
        place = content.find(magic, place + 1)


def main(folder, answer):
    for path, _, names in os.walk(folder):
        for name in names:
            file = os.path.join(path, name)
            if not os.path.isfile(file):
                continue
            with open(file, "rb") as stream:
                content = stream.read()
            for part in [content, *unpacked(content)]:
                for form, spelled in forms(answer):
                    if spelled in part:
                        print(f"{os.path.relpath(file, folder)}: {form}")
            if answer in os.fsdecode(os.path.relpath(file, folder)):
                print(f"{file}: its name")


main(sys.argv[1], sys.argv[2])
