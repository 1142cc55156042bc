#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the rows of the event log out of a database and its write-ahead log, whatever SQLite thinks of them.

    wal_rows.py PATH        two lines of JSON: the numbers that SQLite reads, and those of every row that is whole by its hash

After https://sqlite.org/fileformat2.html: pages, frames of 24 + page bytes behind a head of 32, leaves of tables (0x0d), cells, records, overflow.
No checksum of the log is asked.
"""
import json
import os
import shutil
import sqlite3
import struct
import sys
import tempfile

from damage import PAGE, chain_hash, read


def varint(data, at):
    value = 0
    for i in range(9):
        byte = data[at + i]
        if i == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + i + 1


def images(path):
    """Every image of every page, those of the log in its order, and the last of each."""
    main, log = read(path), read(path + "-wal") if os.path.exists(path + "-wal") else b""
    every = [(n + 1, main[n * PAGE:n * PAGE + PAGE]) for n in range(len(main) // PAGE)]
    for start in range(32, len(log) - PAGE - 23, PAGE + 24):
        every.append((struct.unpack(">I", log[start:start + 4])[0], log[start + 24:start + 24 + PAGE]))
    return every, dict(every)


def record(payload):
    size, at = varint(payload, 0)
    end, kinds = at, []
    while at < size:
        kind, at = varint(payload, at)
        kinds.append(kind)
    values, at = [], size
    for kind in kinds:
        length = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)[kind] if kind < 10 else (kind - 12) // 2
        data, at = bytes(payload[at:at + length]), at + length
        if kind in (8, 9):
            values.append(kind - 8)
        elif kind < 7:
            values.append(int.from_bytes(data, "big", signed=True) if length else None)
        else:
            values.append(data.decode() if kind % 2 else data)
    return values


def cell(page, at, last):
    length, at = varint(page, at)
    rowid, at = varint(page, at)
    local = length
    if length > PAGE - 35:
        least = (PAGE - 12) * 32 // 255 - 23
        local = least + (length - least) % (PAGE - 4)
        local = local if local <= PAGE - 35 else least
    payload = page[at:at + local]
    following = struct.unpack(">I", page[at + local:at + local + 4])[0] if local < length else 0
    while len(payload) < length:
        over = last[following]
        payload += over[4:4 + length - len(payload)]
        following = struct.unpack(">I", over[:4])[0]
    values = record(payload)
    return [rowid] + values[1:]


def whole(path):
    every, last = images(path)
    found = set()
    for number, page in every:
        base = 100 if number == 1 else 0
        if len(page) < PAGE or page[base] != 13:
            continue
        for i in range(struct.unpack(">H", page[base + 3:base + 5])[0]):
            try:
                row = cell(page, struct.unpack(">H", page[base + 8 + 2 * i:base + 10 + 2 * i])[0], last)
                if len(row) == 11 and chain_hash(row, row[8]) == row[9]:
                    found.add(row[0])
            except Exception:  # whatever a damaged page makes of it: no row
                pass
    return sorted(found)


def by_sqlite(path):
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("", "-wal"):
            shutil.copyfile(path + ending, folder + "/x" + ending)
        connection = sqlite3.connect(folder + "/x")
        try:
            return [row[0] for row in connection.execute("SELECT sequence FROM event ORDER BY sequence")]
        except sqlite3.Error:
            return []
        finally:
            connection.close()


if __name__ == "__main__":
    for path in sys.argv[1:]:
        print(json.dumps([by_sqlite(path), whole(path)]))
