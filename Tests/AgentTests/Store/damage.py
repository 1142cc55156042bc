#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damages a store in many ways, and reads what was salvaged of it: an independent hand and an independent reader.

    damage.py list                          the kinds, one a line: name, what must be kept, whether a fault is due
    damage.py do KIND FOLDER OTHER SEED     damages FOLDER/studyd.sqlite; OTHER holds another device's store
    damage.py check KIND FOLDER ORIGINAL    compares the store in FOLDER with the ORIGINAL folder, prints a summary or what is wrong

What is damaged follows https://sqlite.org/fileformat2.html: header, b-tree pages (0x02, 0x05, 0x0a, 0x0d), freelist, overflow chains,
write-ahead log. Python's sqlite3 reads the rows.
"""
import gzip
import hashlib
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys

PAGE = 4096


def read(path):
    with open(path, "rb") as file:
        return bytearray(file.read())


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


class Store:
    """The files of one store, closed."""

    def __init__(self, folder, other, seed):
        self.folder, self.other = folder, other
        self.path = folder + "/studyd.sqlite"
        self.random = random.Random(seed)

    def settle(self):
        """Brings the write-ahead log into the file, so that damage of the file is damage of what counts."""
        connection = sqlite3.connect(self.path)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()

    def change(self, edit):
        self.settle()
        data = read(self.path)
        result = edit(data)
        write(self.path, data if result is None else result)

    def pages(self, data, kind):
        """Numbers (from 0) of pages of a b-tree kind."""
        return [n for n in range(1, len(data) // PAGE) if data[n * PAGE] == kind]

    def roots(self):
        connection = sqlite3.connect(self.path)
        roots = dict(connection.execute("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0"))
        connection.close()
        return roots

    def tree(self, data, name):
        """Leaf and interior pages (from 0) of a tree, by its own pointers."""
        todo, leaves, interior = [self.roots()[name] - 1], [], []
        while todo:
            page = todo.pop()
            base = page * PAGE + (100 if page == 0 else 0)
            kind, count = data[base], struct.unpack(">H", data[base + 3:base + 5])[0]
            if kind in (13, 10):
                leaves.append(page)
                continue
            interior.append(page)
            todo.append(struct.unpack(">I", data[base + 8:base + 12])[0] - 1)
            for i in range(count):
                cell = struct.unpack(">H", data[base + 12 + 2 * i:base + 14 + 2 * i])[0]
                todo.append(struct.unpack(">I", data[page * PAGE + cell:page * PAGE + cell + 4])[0] - 1)
        return leaves, interior

    def leaf(self, data, name="event"):
        leaves = sorted(self.tree(data, name)[0])
        return leaves[len(leaves) // 2]

    def cells(self, data, page):
        base = page * PAGE
        count = struct.unpack(">H", data[base + 3:base + 5])[0]
        return [base + struct.unpack(">H", data[base + 8 + 2 * i:base + 10 + 2 * i])[0] for i in range(count)]


def cut(length):
    return lambda store: store.change(lambda data: data[:length(len(data))])


def zero(place):
    def edit(store):
        def apply(data):
            start, end = place(store, data)
            data[start:end] = bytes(end - start)
        store.change(apply)
    return edit


def flip(place, bit=None):
    def edit(store):
        def apply(data):
            data[place(store, data)] ^= 1 << (store.random.randrange(8) if bit is None else bit)
        store.change(apply)
    return edit


def put(offset, value):
    def edit(store):
        def apply(data):
            data[offset:offset + len(value)] = value
        store.change(apply)
    return edit


def remove(*endings):
    def edit(store):
        for ending in endings:
            if os.path.lexists(store.path + ending):
                os.unlink(store.path + ending)
    return edit


def replace(make):
    """Something else stands in the database's place."""
    def edit(store):
        remove("", "-wal", "-shm")(store)
        make(store)
    return edit


def sql(*statements):
    def edit(store):
        store.settle()
        connection = sqlite3.connect(store.path)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()
        store.settle()
    return edit


def text_in_leaf(needles, table="event"):
    """A place inside a text of a row."""
    def place(store, data):
        for needle in needles:
            for page in sorted(store.tree(data, table)[0])[::-1]:
                found = data.find(needle, page * PAGE, page * PAGE + PAGE)
                if found >= 0:
                    return found + len(needle) // 2
        raise SystemExit("no row has any of %r" % (needles,))
    return place


def a_hash(store, data):
    """A byte of the hash of a row: the hash is the column before the last, the salt of 16 bytes."""
    store_cells = store.cells(data, store.leaf(data))
    cell = store_cells[len(store_cells) // 2]
    # The end of the cell follows from its length: one or two bytes, then the rowid.
    length, used = data[cell], 1
    if length & 0x80:
        length, used = (length & 0x7F) << 7 | data[cell + 1], 2
    place = cell + used
    while data[place] & 0x80:
        place += 1
    return place + 1 + length - 16 - 5


def page_bytes(number):
    return lambda store, data: (number(store, data) * PAGE, number(store, data) * PAGE + PAGE)


def swap(store):
    def apply(data):
        leaves = sorted(store.tree(data, "event")[0])
        first, second = leaves[1] * PAGE, leaves[-2] * PAGE
        one, two = bytes(data[first:first + PAGE]), bytes(data[second:second + PAGE])
        data[first:first + PAGE], data[second:second + PAGE] = two, one
    store.change(apply)


def double(store):
    def apply(data):
        leaves = sorted(store.tree(data, "event")[0])
        data[leaves[2] * PAGE:leaves[2] * PAGE + PAGE] = data[leaves[1] * PAGE:leaves[1] * PAGE + PAGE]
    store.change(apply)


def noise(share):
    def edit(store):
        def apply(data):
            for _ in range(int(len(data) * share)):
                data[store.random.randrange(PAGE, len(data))] = store.random.randrange(256)
        store.change(apply)
    return edit


def few_flips(store):
    def apply(data):
        for _ in range(20):
            data[store.random.randrange(len(data))] ^= 1 << store.random.randrange(8)
    store.change(apply)


def noise_everywhere(store):
    def apply(data):
        return bytearray(store.random.randrange(256) for _ in range(len(data)))
    store.change(apply)


def freelist(store):
    """Makes a freelist, and points its trunk to itself."""
    sql("CREATE TABLE filler (x TEXT)", "INSERT INTO filler VALUES (hex(randomblob(30000)))", "DROP TABLE filler")(store)
    def apply(data):
        trunk = struct.unpack(">I", data[32:36])[0]
        if trunk:
            data[(trunk - 1) * PAGE:(trunk - 1) * PAGE + 8] = struct.pack(">II", trunk, 0xFFFFFF)
    store.change(apply)


def overflow(store):
    """Breaks the chain of a long row: every page that no tree owns and that is not free is an overflow page."""
    def break_chain(data):
        trees = set()
        for name in store.roots():
            leaves, interior = store.tree(data, name)
            trees |= set(leaves) | set(interior)
        others = [n for n in range(1, len(data) // PAGE) if n not in trees]
        data[others[0] * PAGE:others[0] * PAGE + 4] = struct.pack(">I", 0x00FFFFFF)
    store.change(break_chain)


def wal(edit):
    """Damage of the write-ahead log alone."""
    def apply(store):
        data = read(store.path + "-wal")
        if len(data) < 3 * PAGE:
            raise SystemExit("the write-ahead log has nothing in it")
        result = edit(store, data)
        write(store.path + "-wal", data if result is None else result)
        remove("-shm")(store)
    return apply


def wal_flip(store, data):
    frames = (len(data) - 32) // (PAGE + 24)
    data[32 + (frames // 2) * (PAGE + 24) + 24 + 2000] ^= 4


def wal_flip_early(store, data):
    data[32 + 2 * (PAGE + 24) + 24 + 2000] ^= 4


def wal_zero_frame(store, data):
    frames = (len(data) - 32) // (PAGE + 24)
    start = 32 + frames // 3 * (PAGE + 24)
    data[start:start + PAGE + 24] = bytes(PAGE + 24)


def a_secret(store, data):
    """A byte of the key of the digests of requests: the only row of its table."""
    found = data.find(b"items", sorted(store.tree(data, "secret")[0])[0] * PAGE)
    return found + 5 + 7


def wal_zero_header(store, data):
    data[0:32] = bytes(32)


def foreign_wal(store):
    shutil.copyfile(store.other + "/studyd.sqlite-wal", store.path + "-wal")
    remove("-shm")(store)


def wal_folder(store):
    remove("-wal", "-shm")(store)
    os.mkdir(store.path + "-wal")


def folder(store):
    os.mkdir(store.path)
    write(store.path + "/inside", b"x")


def linked(target):
    def edit(store):
        if target == "itself":
            store.settle()
            shutil.move(store.path, store.folder + "/elsewhere.sqlite")
            remove("-wal", "-shm")(store)
            os.symlink(store.folder + "/elsewhere.sqlite", store.path)
        else:
            remove("", "-wal", "-shm")(store)
            os.symlink(target, store.path)
    return edit


def foreign(store):
    for ending in ("", "-wal"):
        shutil.copyfile(store.other + "/studyd.sqlite" + ending, store.path + ending)
    remove("-shm")(store)


def older(store):
    """A copy from before the last confirmed rows, as somebody restores a backup. Rows that no head names yet may go with the power."""
    store.settle()
    slots = [read(store.folder + "/studyd.head")[start:start + 4096].split(b"\n") for start in (0, 4096)]
    head = max(int(lines[1].split()[2]) for lines in slots if len(lines) > 2)
    connection = sqlite3.connect(store.path)
    for trigger in ("event_keeps", "event_stays"):
        connection.execute("DROP TRIGGER IF EXISTS " + trigger)
    last = connection.execute("SELECT max(sequence) FROM event").fetchone()[0]
    connection.execute("DELETE FROM event WHERE sequence > ?", (min(head, last) - 15,))
    connection.commit()
    connection.close()
    store.settle()


def forged(store):
    """Changes an early row and makes every hash after it right again, as somebody does who knows how."""
    store.settle()
    connection = sqlite3.connect(store.path)
    for trigger in ("event_keeps", "event_stays"):
        connection.execute("DROP TRIGGER IF EXISTS " + trigger)
    rows = connection.execute("SELECT * FROM event ORDER BY sequence").fetchall()
    previous = bytes(32)
    for row in rows:
        row = list(row)
        if row[0] == 5:
            row[2] += 1
        row[8], row[9] = previous, chain_hash(row, previous)
        previous = row[9]
        connection.execute("UPDATE event SET wall = ?, previous = ?, hash = ? WHERE sequence = ?", (row[2], row[8], row[9], row[0]))
    connection.commit()
    connection.close()
    store.settle()


def forged_without_head(store):
    forged(store)
    os.unlink(store.folder + "/studyd.head")


def head_place_zero(store):
    """The older of its two places."""
    data = read(store.folder + "/studyd.head")
    turns = [int(data[start:start + 4096].split(b"\n")[1].split()[0]) for start in (0, 4096)]
    older = turns.index(min(turns)) * 4096
    data[older:older + 4096] = bytes(4096)
    write(store.folder + "/studyd.head", data)


def newer(store):
    sql("PRAGMA user_version = 99", "ALTER TABLE event ADD COLUMN colour TEXT")(store)


def sealed(store):
    """Nothing may write it, whoever it is: chattr +i; where that is not possible, as far as the mode goes."""
    store.settle()
    if subprocess.run(["chattr", "+i", store.path], stderr=subprocess.DEVNULL).returncode != 0:
        os.chmod(store.path, 0o400)


def gone_with_head(store):
    remove("", "-wal", "-shm")(store)
    os.unlink(store.folder + "/studyd.head")


ALL, SOME, NONE = "all", "some", "none"
FAULT, QUIET = "fault", "quiet"

# Name, what is done, what must be kept of the rows of the log, whether somebody is to be told.
KINDS = {
    # Truncations.
    "empty": (cut(lambda n: 0), NONE, FAULT),
    "cut-to-a-header": (cut(lambda n: 100), NONE, FAULT),
    "cut-to-half-a-page": (cut(lambda n: PAGE // 2), NONE, FAULT),
    "cut-to-one-page": (cut(lambda n: PAGE), NONE, FAULT),
    "cut-in-half": (cut(lambda n: n // 2), "any", FAULT),
    "cut-by-a-page": (cut(lambda n: n - PAGE), SOME, FAULT),
    "cut-by-half-a-page": (cut(lambda n: n - PAGE // 2), SOME, FAULT),
    # Zeros, as an SD card gives them.
    "zero-magic": (zero(lambda s, d: (0, 16)), ALL, FAULT),
    "zero-header": (zero(lambda s, d: (0, 100)), ALL, FAULT),
    "zero-first-page": (zero(lambda s, d: (0, PAGE)), ALL, FAULT),
    "zero-log-leaf": (zero(page_bytes(lambda s, d: s.leaf(d))), SOME, FAULT),
    "zero-log-root": (zero(page_bytes(lambda s, d: s.tree(d, "event")[1][0])), ALL, FAULT),
    "zero-log-index": (zero(page_bytes(lambda s, d: s.leaf(d, "event_kind"))), ALL, FAULT),
    "zero-outbox-leaf": (zero(page_bytes(lambda s, d: s.leaf(d, "outbox"))), ALL, FAULT),
    "zero-request-leaf": (zero(page_bytes(lambda s, d: s.leaf(d, "request"))), ALL, FAULT),
    "zero-middle": (zero(lambda s, d: (len(d) // PAGE // 2 * PAGE, len(d) // PAGE * 3 // 4 * PAGE)), "any", FAULT),
    # Single bits.
    "flip-magic": (flip(lambda s, d: 3), ALL, FAULT),
    "flip-page-size": (put(16, b"\x20\x00"), ALL, FAULT),
    "flip-schema-format": (put(44, struct.pack(">I", 9)), ALL, FAULT),
    "flip-text-encoding": (put(56, struct.pack(">I", 2)), ALL, FAULT),
    "flip-leaf-kind": (flip(lambda s, d: s.leaf(d) * PAGE, bit=3), ALL, FAULT),
    "flip-leaf-count": (flip(lambda s, d: s.leaf(d) * PAGE + 4, bit=6), ALL, FAULT),
    "flip-leaf-pointer": (flip(lambda s, d: s.leaf(d) * PAGE + 8, bit=3), SOME, FAULT),
    "flip-row-body": (flip(text_in_leaf([b"listOpened", b"pressed"]), bit=0), SOME, FAULT),
    "flip-row-hash": (flip(a_hash), SOME, FAULT),
    "flip-index-kind": (flip(lambda s, d: s.leaf(d, "event_kind") * PAGE, bit=0), ALL, FAULT),
    "flip-request-body": (flip(text_in_leaf([b"answer number 1", b"form-data; name="], "request"), bit=0), ALL, FAULT),
    "flip-secret": (flip(a_secret), ALL, FAULT),
    "zero-secret": (zero(page_bytes(lambda s, d: s.leaf(d, "secret"))), ALL, FAULT),
    "flip-twenty": (few_flips, SOME, FAULT),
    # Structure.
    "freelist-loop": (freelist, ALL, FAULT),
    "overflow-chain": (overflow, ALL, FAULT),
    "swapped-pages": (swap, ALL, FAULT),
    "doubled-page": (double, SOME, FAULT),
    "noise-of-a-thousandth": (noise(0.001), "any", FAULT),
    "noise-of-a-tenth": (noise(0.1), "any", FAULT),
    "noise-everywhere": (noise_everywhere, NONE, FAULT),
    # The write-ahead log, which holds the newest rows.
    "wal-lost": (remove("-wal", "-shm"), SOME, FAULT),
    "wal-cut-in-half": (wal(lambda s, d: d[:len(d) // 2]), SOME, FAULT),
    "wal-cut-to-its-header": (wal(lambda s, d: d[:32]), SOME, FAULT),
    "wal-header-zero": (wal(wal_zero_header), ALL, FAULT),
    "wal-flip": (wal(wal_flip), ALL, FAULT),
    "wal-flip-early": (wal(wal_flip_early), ALL, FAULT),
    "wal-zero-frame": (wal(wal_zero_frame), SOME, FAULT),
    "wal-foreign": (foreign_wal, "any", FAULT),
    "wal-a-folder": (wal_folder, SOME, FAULT),
    # Something else in its place.
    "deleted": (remove(""), "any", FAULT),
    "deleted-with-its-log": (remove("", "-wal", "-shm"), NONE, FAULT),
    "deleted-with-its-head": (gone_with_head, NONE, FAULT),
    "a-folder": (replace(folder), NONE, FAULT),
    "a-link-to-itself-elsewhere": (linked("itself"), ALL, FAULT),
    "a-link-to-nothing": (linked("/nonexistent/nothing"), NONE, FAULT),
    "a-link-to-a-device": (linked("/dev/zero"), NONE, FAULT),
    "a-pipe": (replace(lambda s: os.mkfifo(s.path)), NONE, FAULT),
    "a-text": (replace(lambda s: write(s.path, b"The quick brown fox.\n" * 999)), NONE, FAULT),
    "gzipped": (lambda s: (s.settle(), write(s.path, gzip.compress(bytes(read(s.path))))), NONE, FAULT),
    "another-device's": (foreign, NONE, FAULT),
    "an-older-copy": (older, SOME, FAULT),
    "forged": (forged, "any", FAULT),
    "of-a-newer-version": (newer, ALL, FAULT),
    "without-outbox": (sql("DROP TABLE outbox"), ALL, FAULT),
    "without-log-index": (sql("DROP INDEX event_kind"), ALL, FAULT),
    "not-writable": (sealed, ALL, FAULT),
    # The head, which says how far the log had come and what its last row was.
    "head-lost": (lambda s: os.unlink(s.folder + "/studyd.head"), ALL, FAULT),
    "head-zero": (lambda s: write(s.folder + "/studyd.head", bytes(8192)), ALL, FAULT),
    "head-one-place-zero": (head_place_zero, ALL, QUIET),
    "forged-without-head": (forged_without_head, "any", FAULT),
    # Nothing is lost, and nothing is reported.
    "shm-noise": (lambda s: write(s.path + "-shm", os.urandom(32768)), ALL, QUIET),
}


def chain_hash(row, previous):
    """As the log's own comment says: netstrings of the fields, the body by its seal."""
    salt = row[10] if len(row) > 10 else None
    content = hashlib.sha256(salt + row[7].encode()).hexdigest() if salt is not None else row[7]
    fields = [str(row[0]), row[1], str(row[2]), str(row[3]), row[4], str(row[5]), row[6], content]
    return hashlib.sha256(previous + b"".join(b"%d:%s," % (len(f.encode()), f.encode()) for f in fields)).digest()


def rows(path, copy):
    """Events by number, requests by digest; read from a copy, so that nothing here touches the store."""
    shutil.rmtree(copy, ignore_errors=True)
    os.makedirs(copy)
    for ending in ("", "-wal"):
        if os.path.isfile(path + ending):
            shutil.copyfile(path + ending, copy + "/x.sqlite" + ending)
    connection = sqlite3.connect(copy + "/x.sqlite")
    events = {row[0]: row[:11] for row in connection.execute("SELECT * FROM event")}
    requests = {row[0]: row for row in connection.execute("SELECT * FROM request")}
    integrity = connection.execute("PRAGMA integrity_check").fetchone()[0]
    connection.close()
    return events, requests, integrity


def check(kind, folder, original):
    """What was kept is what was there, byte for byte; what is gone is named; nothing was invented."""
    before, sent, _ = rows(original + "/studyd.sqlite", folder + "/copy")
    after, kept_requests, integrity = rows(folder + "/studyd.sqlite", folder + "/copy")
    top = max(before)
    kept = [n for n in after if n <= top and after[n] == before.get(n)]
    problems = []
    if integrity != "ok":
        problems.append("integrity_check: " + integrity)
    for number, row in after.items():
        if number <= top and number in before and row != before[number] and kind not in ("forged", "forged-without-head", "deleted-with-its-head"):
            problems.append("row %d is not what it was" % number)
        if row[10] is not None and chain_hash(row, row[8]) != row[9]:
            problems.append("row %d does not match its hash" % number)
    if kind not in ("deleted-with-its-head",) and after and min((n for n in after if n > top), default=top + 1) != top + 1:
        problems.append("the log goes on at %s" % sorted(n for n in after if n > top)[:1])
    salvaged = [row for row in after.values() if row[6] == "salvaged"]
    _, keeps, tells = KINDS[kind]
    if tells == FAULT and not salvaged:
        problems.append("no row says what happened")
    if salvaged and kind not in ("deleted-with-its-head", "forged", "forged-without-head"):
        import json
        named = set()
        for row in salvaged:
            for first, last in json.loads(row[7])["record"]["lost"]:
                named |= set(range(first, last + 1))
        missing = set(range(1, top + 1)) - set(after)
        if not missing <= named:
            problems.append("not named as lost: %s" % sorted(missing - named)[:10])
        if named & set(after):
            problems.append("named as lost and there: %s" % sorted(named & set(after))[:10])
    if keeps == ALL and len(kept) != len(before):
        problems.append("%d of %d rows were kept" % (len(kept), len(before)))
    if keeps == SOME and len(kept) < len(before) * 6 // 10:
        problems.append("only %d of %d rows were kept" % (len(kept), len(before)))
    if kind in ("flip-secret", "zero-secret", "wal-flip", "wal-flip-early") and not set(sent) <= set(kept_requests):
        problems.append("%d of %d requests were kept" % (len(set(sent) & set(kept_requests)), len(sent)))
    for digest, row in kept_requests.items():
        if digest in sent and row != sent[digest]:
            problems.append("a request is not what it was")
    print("; ".join(problems) if problems else "ok: %d of %d rows, %d of %d requests" % (
        len(kept), len(before), len(set(kept_requests) & set(sent)), len(sent)))


def main():
    if sys.argv[1] == "list":
        for name, (_, keeps, tells) in KINDS.items():
            print(name, keeps, tells)
    elif sys.argv[1] == "do":
        _, _, kind, folder, other, seed = sys.argv
        KINDS[kind][0](Store(folder, other, int(seed)))
    else:
        check(*sys.argv[2:5])


if __name__ == "__main__":
    main()
