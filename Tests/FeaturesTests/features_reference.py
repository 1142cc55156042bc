#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What other programs make of the signals of the tests, and of recordings.

  counts              seeded signals of 10 minutes at each rate -> agcounts of PyPI, per minute (expected-counts.csv)
  metrics             the one at 50 Hz -> ENMO, MAD and angle-z per 5 s by skdh's functions (expected-metrics.csv)
  wear                a seeded day at 30 Hz -> minutes worn by skdh's CountWear, by its moving functions with the limits
                      of van Hees 2013, and by actipy (expected-wear.csv)
  stays               a seeded week of positions -> trackintel's stay points (expected-stays.csv)
  seeded RATE SEED N  agcounts of another seed, N minutes
  file FILE.cwa       all of agcounts' tenths of a second of a recording, as actipy reads it
"""
import sys
import numpy as np

MASK = (1 << 64) - 1


class SplitMix64:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return mixed ^ (mixed >> 31)


AMPLITUDES = [0, 12, 90, 500, 2500]


def signal(rate, seed, seconds):
    """Whole 1024ths of a g: triangles of 0.5 to 4 Hz, each 15 s another amplitude, with noise; all of it exact."""
    dice = SplitMix64(seed)
    out = np.empty((rate * seconds, 3))
    for piece in range(0, rate * seconds, rate * 15):
        amplitude = AMPLITUDES[dice.next() % 5]
        period = rate * 2 // (1 + dice.next() % 4)
        for index in range(piece, min(piece + rate * 15, rate * seconds)):
            for axis in range(3):
                triangle = abs((index + axis * 7) * 4 % (4 * period) - 2 * period) - period
                noise = dice.next() % 64 - 32
                counts = amplitude * triangle // period // (axis + 1) + (noise * amplitude >> 8)
                out[index, axis] = (counts + (1024 if axis == 2 else 0)) / 1024
    return out


def day(rate, seed, hours):
    """Still with the noise of a chip, or moving minute by minute: worn unless it lies on a table for hours."""
    dice = SplitMix64(seed)
    out = np.empty((rate * 3600 * hours, 3))
    worn = True
    for minute in range(hours * 60):
        if minute % 150 == 0:
            worn = dice.next() % 3 != 0
        moves = worn and dice.next() % 3 != 0
        tilt = dice.next() % 512 if worn else 100
        for index in range(minute * rate * 60, (minute + 1) * rate * 60):
            swing = abs(index * 4 % (4 * rate) - 2 * rate) - rate if moves else 0
            for axis in range(3):
                noise = dice.next() % 16 - 8
                counts = 300 * swing // rate // (axis + 1) + noise + (tilt if axis == 1 else 0)
                out[index, axis] = (counts + (1000 if axis == 2 else 0)) / 1024
    return out


def counts(raw, rate):
    from agcounts.extract import get_counts
    return get_counts(raw, freq=rate, epoch=60)


def print_counts(rate, seed, minutes):
    for minute, row in enumerate(counts(signal(rate, seed, minutes * 60), rate)):
        print(f"{rate},{minute},{row[0]},{row[1]},{row[2]}")


def all_counts():
    from importlib.metadata import version
    print(f"#agcounts {version('agcounts')}; seed = rate")
    print("rate,minute,x,y,z")
    for rate in (30, 40, 50, 60, 70, 80, 90, 100):
        print_counts(rate, rate, 10)


def metrics():
    import pandas
    from skdh.activity.metrics import metric_anglez, metric_enmo, metric_mad
    rate, window = 50, 250
    raw = signal(rate, rate, 600)
    medians = pandas.DataFrame(raw).rolling(window + 1, center=True).median().to_numpy()
    angles = np.full(len(raw), np.nan)
    there = ~np.isnan(medians[:, 0])
    angles[there] = metric_anglez(medians[there], wlen=1)
    print("#scikit-digital-health: metric_enmo, metric_mad, metric_anglez (of pandas' rolling median of 251 samples); seed 50, 50 Hz")
    print("epoch,enmo,mad,angle_z")
    enmo, mad = metric_enmo(raw, wlen=window), metric_mad(raw, wlen=window)
    for epoch in range(120):
        print(f"{epoch},{enmo[epoch]:.9f},{mad[epoch]:.9f},{np.nanmean(angles[epoch * window:(epoch + 1) * window]):.6f}")


def wear():
    import pandas
    from actipy.processing import find_nonwear_segments
    from skdh.preprocessing import CountWearDetection
    from skdh.utility import moving_max, moving_min, moving_sd
    rate, hours = 30, 25
    raw = day(rate, 7, hours)
    times = 1.8e9 + np.arange(len(raw)) / rate
    window, step = rate * 3600, rate * 900
    kwargs = dict(axis=0, trim=True)
    still = moving_sd(raw, window, step, return_previous=False, **kwargs) < 0.013
    still &= moving_max(raw, window, step, **kwargs) - moving_min(raw, window, step, **kwargs) < 0.05
    threshold = np.ones(hours * 4, dtype=int)
    for block in np.nonzero(still.sum(axis=1) >= 2)[0]:
        threshold[block:block + 4] = 0
    spans = CountWearDetection().predict(time=times, accel=raw, fs=float(rate))["wear"]
    counted = np.zeros(hours * 60, dtype=int)
    for start, stop in spans:
        counted[round(start / rate / 60):round(stop / rate / 60)] = 1
    frame = pandas.DataFrame(raw, columns=list("xyz"), index=pandas.to_datetime(times, unit="s"))
    acti = np.ones(hours * 60, dtype=int)
    for start, length in find_nonwear_segments(frame).items():
        first = round((start.timestamp() - times[0]) / 60)
        acti[first:first + round(length.total_seconds() / 60)] = 0
    print("#by quarter of an hour: skdh's moving_sd, moving_max and moving_min with 13 mg and 50 mg; minutes of it worn by skdh's CountWear and by actipy; seed 7, 30 Hz")
    print("quarter,threshold,countwear,actipy")
    for quarter in range(hours * 4):
        minutes = slice(quarter * 15, quarter * 15 + 15)
        print(f"{quarter},{threshold[quarter]},{counted[minutes].sum()},{acti[minutes].sum()}")


def positions(seed):
    """A fix a minute: at places with some scatter, and on the way; sometimes none for an hour. Millionths of a degree."""
    dice = SplitMix64(seed)
    fixes, time = [], 1_800_000_000
    latitude, longitude = 52_500_000, 179_990_000
    for _ in range(60):
        for _ in range(2 + dice.next() % 40):
            fixes.append((time, latitude + dice.next() % 400 - 200, longitude + dice.next() % 400 - 200))
            time += 60
        for _ in range(dice.next() % 12):
            latitude += dice.next() % 4001 - 2000
            longitude += dice.next() % 4001 - 1200
            fixes.append((time, latitude, longitude))
            time += 60
        if dice.next() % 6 == 0:
            time += 900 + (dice.next() % 3) * 1800
    return [(t, a / 1e6, (o + 180_000_000) % 360_000_000 / 1e6 - 180) for t, a, o in fixes]


def stays():
    import geopandas
    import pandas
    import trackintel
    rows = positions(11)
    frame = geopandas.GeoDataFrame(
        {"user_id": 0, "tracked_at": pandas.to_datetime([row[0] for row in rows], unit="s", utc=True)},
        geometry=geopandas.points_from_xy([row[2] for row in rows], [row[1] for row in rows]), crs="EPSG:4326")
    frame.index.name = "id"
    fixes = trackintel.Positionfixes(frame)
    _, found = fixes.generate_staypoints(method="sliding", dist_threshold=100, time_threshold=5.0, gap_threshold=15.0)
    print(f"#trackintel {trackintel.__version__}: generate_staypoints, sliding, 100 m, 5 min, gaps of 15 min; seed 11")
    print("start,end,latitude,longitude")
    for _, stay in found.iterrows():
        point = stay[found.geometry.name]
        print(f"{int(stay.started_at.timestamp())},{int(stay.finished_at.timestamp())},{point.y:.7f},{point.x:.7f}")


def file(path):
    import actipy
    from agcounts import extract
    frame, info = actipy.read_device(path, resample_hz=None, lowpass_hz=None, calibrate_gravity=False, detect_nonwear=False)
    rate = int(round(info["SampleRate"]))
    raw = frame[["x", "y", "z"]].to_numpy(dtype=float)
    filtered = extract._bpf_filter(extract._resample(raw, rate))
    tenths = extract._resample_10hz(extract._trim_data(filtered, False))
    print(f"{rate},{len(raw)},{','.join(str(int(total)) for total in tenths.sum(axis=1))}")


if __name__ == "__main__":
    name, *words = sys.argv[1:] or [""]
    jobs = {"counts": all_counts, "metrics": metrics, "wear": wear, "stays": stays, "file": file}
    if name == "seeded":
        print_counts(int(words[0]), int(words[1]), int(words[2]))
    elif name in jobs:
        jobs[name](*words)
    else:
        import agcounts  # noqa: F401, what the tests ask for
