# SPDX-License-Identifier: Apache-2.0
"""Reads CWA files with scikit-digital-health, a reader that nobody here wrote, and prints what it found.

One line per file, blanks between: samples, time of the first sample (seconds since 1970 as if the wall clock were UTC), rate,
first sample, last sample, sum of each axis, and the first angular rate where there is one. Exit code 77 when the library is not installed.
"""
import sys

try:
    from skdh.io import ReadCwa
except ImportError:
    sys.exit(77)

for path in sys.argv[1:]:
    result = ReadCwa().predict(file=path, tz_name=None)
    accel, time = result["accel"], result["time"]
    fields = [len(time), f"{time[0]:.6f}", f"{time[-1]:.6f}", f"{result['fs']:.6f}"]
    fields += [f"{v:.6f}" for v in accel[0]] + [f"{v:.6f}" for v in accel[-1]] + [f"{v:.4f}" for v in accel.sum(axis=0)]
    if "gyro" in result:
        fields += [f"{v:.6f}" for v in result["gyro"][0]]
    print(*fields)
