# SPDX-License-Identifier: Apache-2.0
"""Levels of a raw mono 16-bit file by an independent way: spectra and SciPy's own filters.

Usage: sound_reference.py [FILE RATE SKIP]. SKIP samples at the start are filtered and not measured. Prints LAeq, LCeq and LZeq in
dB re a full-scale sine, then `frequency level` of each one-third-octave band up to 0.47 of the rate. Without a file it only
says whether SciPy is there.
"""
import sys

import numpy as np
from scipy import signal

NAMES = [25, 31.5, 40, 50, 63, 80, 100, 125, 160, 200, 250, 315, 400, 500, 630, 800, 1000, 1250, 1600, 2000, 2500, 3150,
         4000, 5000, 6300, 8000, 10000, 12500, 16000, 20000]


def level(square):
    return 10 * np.log10(max(2 * square, 1e-20))


def weighted(sound, rate, skip, curve):
    """Weights the spectrum by the curve itself, so that no filter design is shared with what is tested."""
    padded = np.concatenate([sound, np.zeros(len(sound))])
    spectrum = np.fft.rfft(padded)
    frequency = np.fft.rfftfreq(len(padded), 1 / rate)
    return np.fft.irfft(spectrum * curve(frequency))[skip:len(sound)]


def a_curve(f):
    def amplitude(f):
        return (12194.217**2 * f**4 / ((f**2 + 20.598997**2) * (f**2 + 12194.217**2)
                * np.sqrt((f**2 + 107.65265**2) * (f**2 + 737.86223**2))))
    return amplitude(f) / amplitude(1000.0)


def c_curve(f):
    def amplitude(f):
        return 12194.217**2 * f**2 / ((f**2 + 20.598997**2) * (f**2 + 12194.217**2))
    return amplitude(f) / amplitude(1000.0)


if len(sys.argv) == 4:
    rate, skip = int(sys.argv[2]), int(sys.argv[3])
    sound = np.fromfile(sys.argv[1], dtype="<i2") / 32768.0
    sound = signal.sosfilt(signal.butter(2, 5, "highpass", fs=rate, output="sos"), sound)
    print("A", level(np.mean(weighted(sound, rate, skip, a_curve)**2)))
    print("C", level(np.mean(weighted(sound, rate, skip, c_curve)**2)))
    print("Z", level(np.mean(sound[skip:]**2)))
    for band, name in enumerate(NAMES):
        middle = 1000 * 10**((band - 16) / 10)
        edges = [middle * 10**-0.05, middle * 10**0.05]
        if edges[1] > 0.47 * rate:
            break
        sos = signal.butter(4, edges, "bandpass", fs=rate, output="sos")
        print(name, level(np.mean(signal.sosfilt(sos, sound)[skip:]**2)))
