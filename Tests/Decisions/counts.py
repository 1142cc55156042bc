# SPDX-License-Identifier: Apache-2.0
"""Activity counts by PyPI's agcounts, epoch by epoch, of recordings in Axivity's format.

The blocks are read by Axivity's description of the format (cwa.md of github openmovementproject/openmovement); which
tenth of a second belongs to which epoch, and what is a gap, is said in docs/features.md. Needs numpy and agcounts.
"""
import json, math, os, struct
import datetime

import numpy
from agcounts import extract

SECOND = 10**9
RATES = (30, 40, 50, 60, 70, 80, 90, 100)


def blocks(path):
    """(nanoseconds of the first sample on the wall clock, rate, samples in g) of each."""
    with open(path, "rb") as file:
        data = file.read()
    place = struct.unpack_from("<H", data, 2)[0] + 4
    for start in range(place, len(data) - 511, 512):
        block = data[start:start + 512]
        if block[:2] != b"AX" or sum(struct.unpack("<256H", block)) & 0xFFFF:
            continue
        fraction, stamp, light, code, kind, offset, count = struct.unpack_from("<H8xIH4xBBhH", block, 4)
        rate = 3200 / (1 << (15 - (code & 15)))
        axes, wide = kind >> 4, kind & 15 == 2
        if wide:
            raw = numpy.frombuffer(block, "<i2", count * axes, 30).reshape(count, axes)[:, -3:] if axes != 9 else None
            samples = raw / (1 << (8 + (light >> 13)))
        else:
            packed = numpy.frombuffer(block, "<u4", count, 30)
            shift = (packed >> 30)[:, None]
            ten = numpy.stack([(packed << (22 - 10 * axis)) & 0xFFC00000 for axis in range(3)], axis=1).astype("<u4")
            samples = ((ten.view("<i4") >> 22) << shift.astype("i4")) / 256
        part = 0
        if fraction & 0x8000:
            part = (fraction & 0x7FFF) << 1
            offset += part * int(rate) >> 16
        moment = datetime.datetime(2000 + (stamp >> 26 & 63), stamp >> 22 & 15, stamp >> 17 & 31, stamp >> 12 & 31,
                                   stamp >> 6 & 63, stamp & 63, tzinfo=datetime.timezone.utc)
        yield int(moment.timestamp()) * SECOND + round((part / 65536 - offset / rate) * 1e9), rate, samples


def segments(paths):
    """(times in UTC, samples) of what has no gap, and the rate."""
    times, samples, rate, due = [], [], None, None
    for path in sorted(paths):
        about = os.path.splitext(path)[0] + ".json"
        description = json.load(open(about)) if os.path.exists(about) else {}
        measured = description.get("measuredRate")
        east = offset(path, description)
        all_blocks = list(blocks(path))
        if not all_blocks:
            continue
        rate = rate or all_blocks[0][1]
        period = 1 / (measured or all_blocks[0][1])
        if due is not None and (all_blocks[0][0] - east - due) / SECOND > 3 / rate:
            yield rate, numpy.concatenate(times), numpy.concatenate(samples)
            times, samples = [], []
        for (start, _, values), after in zip(all_blocks, all_blocks[1:] + [None]):
            step, is_gap = period, False
            if after:
                error = (after[0] - start) / SECOND - len(values) * period
                tolerance = 3 * period if measured else min(0.5, max(len(values) * period / 4, 3 * period))
                is_gap = abs(error) > tolerance
                step = period if is_gap else period + error / len(values)
            times.append(start - east + numpy.floor(numpy.arange(len(values)) * step * 1e9 + 0.5).astype("i8"))
            samples.append(values)
            due = times[-1][-1]
            if is_gap:
                yield rate, numpy.concatenate(times), numpy.concatenate(samples)
                times, samples = [], []
    if times:
        yield rate, numpy.concatenate(times), numpy.concatenate(samples)


def offset(path, description):
    """Nanoseconds east of UTC of the wall times in a file."""
    text = description.get("offset")
    if text is None:
        with open(path, "rb") as file:
            note = file.read(1024)[64:512].split(b"\xff")[0].split(b"\0")[0].decode("ascii", "replace")
        text = dict(part.partition("=")[::2] for part in note.strip(" ?&").split("&")).get("offset")
    if text is None:
        return 0
    if isinstance(text, (int, float)):
        return int(text) * SECOND
    sign = -1 if text[0] == "-" else 1
    hours, _, minutes = text.strip("+-Z").partition(":")
    return sign * ((int(hours or 0) * 60 + int(minutes or 0)) * 60) * SECOND


def rows(paths, length, since=None):
    """(begin, values by column, coverage by source) of each epoch, but for the last one, which may go on; of samples since then."""
    counts, covered = {}, {}
    for rate, times, samples in segments(paths):
        if since is not None:
            times, samples = times[times >= since], samples[times >= since]
            if not len(times):
                continue
        whole = round(rate)
        if whole not in RATES:
            raise SystemExit(f"agcounts does not know {rate} samples per second")
        filtered = extract._bpf_filter(extract._resample(numpy.ascontiguousarray(samples, dtype=float), whole))
        tenths = extract._resample_10hz(extract._trim_data(filtered, False)).T.astype("i8")
        begins = times[numpy.minimum(numpy.arange(len(tenths)) * whole // 10, len(times) - 1)] // length * length
        for begin in numpy.unique(begins):
            counts[begin] = counts.get(begin, 0) + tenths[begins == begin].sum(axis=0)
        period = int(1e9 / rate)
        steps = numpy.append(numpy.diff(times), period)
        steps[steps > 2 * period] = period
        edges = times // length * length
        for begin in numpy.unique(edges):
            covered[begin] = covered.get(begin, 0) + int(steps[edges == begin].sum())
    out = []
    for begin in sorted(covered)[:-1]:
        values = {}
        if begin in counts:
            values = {f"counts_{axis}": float(count) for axis, count in zip("xyz", counts[begin])}
            values["counts_vm"] = math.sqrt(sum(value * value for value in values.values()))
        out.append((int(begin), values, {"accelerometer": min(1.0, covered[begin] / 1e9 / (length / 1e9))}))
    return out
