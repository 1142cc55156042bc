# SPDX-License-Identifier: Apache-2.0
"""What Python's tomllib (3.11 or later) reads in the documents of one file, for TOMLReferenceTests.swift.

usage: tomllib_reference.py DOCUMENTS > readings

DOCUMENTS is a sequence of "<length in bytes>\\n<bytes>". A line per document: "error", or the value with texts and keys in hexadecimal,
floats by their bits, tables ordered by key. Whole numbers of more than 64 bits and floats that round to infinity are errors here too;
whatever tomllib thinks of a byte order mark is not asked.
"""
import datetime
import math
import struct
import sys
import tomllib


def number(text):
    value = float(text)
    if math.isinf(value) and "inf" not in text:
        raise ValueError("too large")
    return value


def line(value):
    if isinstance(value, bool):
        return "b1" if value else "b0"
    if isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 63:
            raise ValueError("too large")
        return f"i{value}"
    if isinstance(value, float):
        return "fnan" if math.isnan(value) else "f" + struct.pack(">d", value).hex()
    if isinstance(value, str):
        return "s" + value.encode().hex()
    if isinstance(value, (datetime.date, datetime.time)):
        return "t" + value.isoformat()
    if isinstance(value, list):
        return "[" + ",".join(line(element) for element in value) + "]"
    return "{" + ",".join(f"{key}:{inner}" for key, inner in sorted((k.encode().hex(), line(v)) for k, v in value.items())) + "}"


data = open(sys.argv[1], "rb").read()
place = 0
while place < len(data):
    end = data.index(b"\n", place)
    length = int(data[place:end])
    document = data[end + 1:end + 1 + length]
    place = end + 1 + length
    try:
        print(line(tomllib.loads(document.decode(), parse_float=number)))
    except (ValueError, RecursionError):
        print("error")
