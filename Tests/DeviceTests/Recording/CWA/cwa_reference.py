# SPDX-License-Identifier: Apache-2.0
"""Reads CWA files with an independent reader: `cwa_reference.py READER FILE...`, READER being skdh, actipy or ggir (GGIRread in R).

One line per file, blanks between: samples, time of the first and of the last sample (seconds since 1970 as if the wall clock were UTC),
rate, first sample, last sample, sum of each axis, and the first angular rate where there is one. Beside each file FILE.READER gets all rows as
64-bit numbers in the order of this computer: time, x, y, z. Exit code 77 when the reader is not installed.
"""
import subprocess
import sys

GGIR = """
args <- commandArgs(TRUE)
suppressPackageStartupMessages(library(GGIRread))
for (path in args) {
  all <- readAxivity(path, start = 1, end = .Machine$integer.max, progressBar = FALSE, desiredtz = "UTC", configtz = "UTC")
  rows <- as.matrix(all$data)
  write.table(format(rows[, c("time", "x", "y", "z")], digits = 15, trim = TRUE), paste0(path, ".ggir.txt"), quote = FALSE,
              row.names = FALSE, col.names = FALSE)
}
"""


def skdh(path):
    from skdh.io import ReadCwa

    result = ReadCwa().predict(file=path, tz_name=None)
    return result["time"], result["accel"], result["fs"], result.get("gyro")


def actipy(path):
    import actipy as reader

    options = dict(lowpass_hz=None, calibrate_gravity=False, detect_nonwear=False, resample_hz=None, verbose=False)
    data, info = reader.read_device(path, **options)
    gyro = data[["gyro_x", "gyro_y", "gyro_z"]].to_numpy() if "gyro_x" in data else None
    time = data.index.to_numpy().astype("datetime64[ns]").astype("int64") / 1e9
    return time, data[["x", "y", "z"]].to_numpy(), info["SampleRate"], gyro


def ggir(path):
    import numpy

    subprocess.run(["Rscript", "-e", GGIR, path], check=True, stdout=sys.stderr)
    rows = numpy.loadtxt(path + ".ggir.txt")
    return rows[:, 0], rows[:, 1:], (len(rows) - 1) / (rows[-1, 0] - rows[0, 0]), None


def probe(name):
    try:
        if name == "ggir":
            return subprocess.run(["Rscript", "-e", "library(GGIRread)"], capture_output=True).returncode == 0
        __import__({"skdh": "skdh.io", "actipy": "actipy"}[name])
        return True
    except (ImportError, OSError):
        return False


name = sys.argv[1]
if not probe(name):
    sys.exit(77)
for path in sys.argv[2:]:
    import numpy

    time, accel, rate, gyro = {"skdh": skdh, "actipy": actipy, "ggir": ggir}[name](path)
    numpy.column_stack([time, accel]).astype("float64").tofile(f"{path}.{name}")
    fields = [len(time), f"{time[0]:.6f}", f"{time[-1]:.6f}", f"{rate:.6f}"]
    fields += [f"{v:.6f}" for v in accel[0]] + [f"{v:.6f}" for v in accel[-1]] + [f"{v:.4f}" for v in accel.sum(axis=0)]
    if gyro is not None:
        fields += [f"{v:.6f}" for v in gyro[0]]
    print(*fields)
