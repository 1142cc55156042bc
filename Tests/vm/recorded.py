# SPDX-License-Identifier: Apache-2.0
"""Looks into recordings with nothing of studyd's: CWA blocks, level and vector CSV, NMEA."""
import csv
import datetime
import gzip
import struct


def plain(data):
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def cwa(data):
    """Samples in g, samples per second by the blocks' own times, blocks with a wrong checksum."""
    if data[:2] != b"MD":
        raise ValueError("does not begin with a CWA header")
    samples, times, wrong = [], [], 0
    start = 4 + struct.unpack_from("<H", data, 2)[0]
    for at in range(start, len(data) - 511, 512):
        block = data[at:at + 512]
        if block[:2] != b"AX":
            continue
        if sum(struct.unpack("<256H", block)) & 0xFFFF:
            wrong += 1
            continue
        stamp, light = struct.unpack_from("<IH", block, 14)
        rate, shape, offset, count = struct.unpack_from("<BBhH", block, 24)
        fraction = struct.unpack_from("<H", block, 4)[0]
        frequency = 3200 / (1 << (15 - (rate & 15)))
        moment = datetime.datetime(2000 + (stamp >> 26), stamp >> 22 & 15, stamp >> 17 & 31, stamp >> 12 & 31, stamp >> 6 & 63,
                                   stamp & 63, tzinfo=datetime.timezone.utc).timestamp()
        if fraction & 0x8000:  # a fraction of a second, for which the offset was shifted by whole samples
            moment += (fraction & 0x7FFF) / 32768
            offset += int((fraction & 0x7FFF) * int(frequency)) >> 15
        unit = 1 / (1 << (8 + (light >> 13)))
        if shape & 15 == 2:
            width = shape >> 4
            values = struct.unpack_from(f"<{count * width}h", block, 30)
            samples += [tuple(v * unit for v in values[i * width + width - 3:i * width + width]) for i in range(count)]
        else:
            for word in struct.unpack_from(f"<{count}I", block, 30):
                axes = ((word << 6 & 0xFFC0), (word >> 4 & 0xFFC0), (word >> 14 & 0xFFC0))
                samples.append(tuple(((a - 65536 if a & 0x8000 else a) >> (6 - (word >> 30))) / 256 for a in axes))
        times.append((moment - offset / frequency, count))
    # The middle one: a gap, which a starved machine may have, is not the chip's rate.
    rates = sorted(count / (after[0] - at) for (at, count), after in zip(times, times[1:]) if after[0] > at)
    return samples, rates[len(rates) // 2] if rates else 0, wrong


def rotation(data):
    """Degrees per second about each axis, of a CWA with six channels: the gyroscope's stand first; its range is 8000 / 2^n."""
    turns = []
    for at in range(4 + struct.unpack_from("<H", data, 2)[0], len(data) - 511, 512):
        light, (shape, count) = struct.unpack_from("<H", data, at + 18)[0], (data[at + 25], struct.unpack_from("<H", data, at + 28)[0])
        if data[at:at + 2] == b"AX" and shape == 0x62:
            unit = 8000 / (1 << (light >> 10 & 7)) / 32768
            values = struct.unpack_from(f"<{count * 6}h", data, at + 30)
            turns += [tuple(v * unit for v in values[i * 6:i * 6 + 3]) for i in range(count)]
    return turns


def middle(numbers):
    return sorted(numbers)[len(numbers) // 2]


def table(data):
    """Rows of a CSV whose comments begin with #, as dictionaries."""
    lines = [line for line in plain(data).decode().splitlines() if line and not line.startswith("#")]
    return list(csv.DictReader(lines))


def fixes(data):
    """Latitude and longitude of every GGA sentence."""
    found = []
    for line in plain(data).decode(errors="replace").splitlines():
        fields = line.split(",")
        if fields[0].endswith("GGA") and fields[2]:
            found.append((degrees(fields[2], 2), degrees(fields[4], 3)))
    return found


def degrees(text, digits):
    return int(text[:digits]) + float(text[digits:]) / 60
