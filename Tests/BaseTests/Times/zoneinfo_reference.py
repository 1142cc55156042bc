# SPDX-License-Identifier: Apache-2.0
"""What Python's zoneinfo says about every zone of a tzdata folder, as 64-bit words for ZoneTests.swift.

usage: zoneinfo_reference.py TZDATA_FOLDER > words

For every zone: name length, name (padded with zero bytes to whole words), number of UTC probes, the probes (second,
twice the offset and one more in summer time, abbreviation in one word), number of local probes, the probes (wall time
as seconds, offset with fold=0, offset with fold=1). Whether it is summer time is asked of the C library, since Python
guesses it. All words are little-endian and signed. A zone with no change in the years asked for has probes at their
ends only.
"""
import array
import datetime
import os
import sys
import time
import zoneinfo
from zoneinfo import _zoneinfo  # the implementation in Python, which keeps its transitions visible

FIRST, LAST = 1990, 2046
EPOCH = datetime.datetime(1970, 1, 1)
UTC = datetime.timezone.utc
START = int((datetime.datetime(FIRST, 1, 1) - EPOCH).total_seconds())
END = int((datetime.datetime(LAST, 1, 1) - EPOCH).total_seconds())
STEP = 5 * 86400


def seconds(delta):
    return delta.days * 86400 + delta.seconds


def state(zone, second):
    moment = datetime.datetime.fromtimestamp(second, zone)
    return seconds(moment.utcoffset()), moment.tzname()


def word(text):
    return int.from_bytes(text.encode()[:8].ljust(8, b"\0"), "little", signed=True)


def changes(zone, path):
    """Transitions of the file, and those that a search in steps finds where the file says no more than a rule."""
    with open(path, "rb") as file:
        known = [t for t in _zoneinfo.ZoneInfo.from_file(file)._trans_utc]
    found = {t for t in known if START <= t < END}
    second = max([START] + known[-1:])
    before = state(zone, second)
    while second < END:
        after = state(zone, second + STEP)
        if after != before:
            low, high = second, second + STEP
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if state(zone, middle) == before else (low, middle)
            found.add(high)
        second, before = second + STEP, after
    return sorted(found)


def probes(zone, path):
    os.environ["TZ"] = ":" + path
    time.tzset()
    instants, walls = {START, END}, {START, END}
    for change in changes(zone, path):
        before, after = state(zone, change - 1)[0], state(zone, change)[0]
        for around in (-86400, -7200, -1, 0, 1, 3600, 86400):
            instants.add(change + around)
        low, high = sorted((change + before, change + after))
        walls.update((low - 1, low, low + 1, (low + high) // 2, high - 1, high, high + 1, low - 43200, high + 43200))
    utc = [(t, 2 * state(zone, t)[0] + time.localtime(t).tm_isdst, word(state(zone, t)[1])) for t in sorted(instants)]
    local = []
    for wall in sorted(walls):
        shown = (EPOCH + datetime.timedelta(seconds=wall)).replace(tzinfo=zone)
        local.append((wall, seconds(shown.utcoffset()), seconds(shown.replace(fold=1).utcoffset())))
    return utc, local


def main(folder):
    zoneinfo.reset_tzpath(to=[folder])
    output, cache = array.array("q"), {}
    for name in sorted(zoneinfo.available_timezones()):
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            data = file.read()
        if data not in cache:
            words = array.array("q")
            for group in probes(zoneinfo.ZoneInfo(name), path):
                words.append(len(group))
                for probe in group:
                    words.extend(probe)
            cache[data] = words
        text = name.encode()
        output.append(len(text))
        output.frombytes(text.ljust(-(-len(text) // 8) * 8, b"\0"))
        output.extend(cache[data])
    if sys.byteorder == "big":
        output.byteswap()
    sys.stdout.buffer.write(output.tobytes())


main(sys.argv[1])
