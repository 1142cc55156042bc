# SPDX-License-Identifier: Apache-2.0
"""Places and the cells that the package `h3` (PyPI, H3's own C library) finds for them, for H3CellTests.swift.

usage: h3_reference.py COUNT > places

Records of 24 bytes: latitude and longitude in degrees (float64), the cell's index (uint64), whose bits tell the resolution.
The first thirty thousand or so are edge cases: poles, date line, what lies around the twelve pentagons and the corners of the
icosahedron, the very corners and borders of cells; then COUNT places spread evenly over the globe, every resolution in turn.
"""
import math
import random
import struct
import sys

import h3

dice = random.Random(4711)
out = sys.stdout.buffer
made = []


def place(lat, lng, res):
    made.append(struct.pack("<ddQ", lat, lng, h3.str_to_int(h3.latlng_to_cell(lat, lng, res))))
    if len(made) == 65536:
        out.write(b"".join(made))
        made.clear()


def near(lat, lng, width):
    return lat + dice.uniform(-width, width), lng + dice.uniform(-width, width)


for res in range(16):
    for lat in (90, -90, 89.9999999, -89.9999999, 0, 1e-12, 91, -100):
        for lng in (0, 180, -180, 179.9999999999, -179.9999999999, 360, -0.0, 45, -90, 541):
            place(float(lat), float(lng), res)
    for cell in h3.get_pentagons(res):
        lat, lng = h3.cell_to_latlng(cell)
        place(lat, lng, res)
        for corner in h3.cell_to_boundary(cell):
            place(*corner, res)
        for power in range(1, 12):
            place(*near(lat, lng, 10.0 ** -power), res)
    for _ in range(150):
        z = dice.uniform(-1, 1)
        cell = h3.latlng_to_cell(math.degrees(math.asin(z)), dice.uniform(-180, 180), res)
        corners = h3.cell_to_boundary(cell)
        for (lat, lng), (lat2, lng2) in zip(corners, corners[1:] + corners[:1]):
            place(lat, lng, res)
            if abs(lng - lng2) < 90:
                place((lat + lat2) / 2, (lng + lng2) / 2, res)
                place(*near(lat, lng, 1e-9), res)
# The faces of the icosahedron, their corners and the middles of their edges, where the nearest face changes.
CORNERS = [h3.cell_to_latlng(cell) for cell in h3.get_pentagons(0)]


def point(lat, lng):
    lat, lng = math.radians(lat), math.radians(lng)
    return (math.cos(lat) * math.cos(lng), math.cos(lat) * math.sin(lng), math.sin(lat))


for a in map(lambda c: point(*c), CORNERS):
    for b in map(lambda c: point(*c), CORNERS):
        for part in (0, 0.25, 0.5):
            sums = [x * (1 - part) + y * part for x, y in zip(a, b)]
            length = math.sqrt(sum(x * x for x in sums))
            if length < 0.1:
                continue
            lat, lng = math.degrees(math.asin(max(-1, min(1, sums[2] / length)))), math.degrees(math.atan2(sums[1], sums[0]))
            for res in range(16):
                place(lat, lng, res)
                place(*near(lat, lng, 1e-7), res)
for number in range(int(sys.argv[1])):
    place(math.degrees(math.asin(dice.uniform(-1, 1))), dice.uniform(-180, 180), number % 16)
out.write(b"".join(made))
