#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A table of what `make bench` printed: table.py < LOG."""
import json
import sys


def number(value):
    """Four digits that count; whole numbers from a thousand on in groups, as SI writes them."""
    if value == int(value) or abs(value) >= 10_000:
        rounded = int(value) if value == int(value) else int(float(f"{value:.4g}"))
        return f"{rounded:,}".replace(",", " ")
    return f"{value:.4g}"


def row(figure):
    notes = []
    if "limit" in figure:
        notes.append(f"limit {number(figure['limit'])}")
    if "least" in figure:
        notes.append(f"at least {number(figure['least'])}")
    if "ratio" in figure:
        notes.append(f"{number(figure['ratio'])} × {figure.get('peer', figure.get('of', ''))}")
    return f"| {figure['name']} | {number(figure['value'])} | {figure['unit']} | {'; '.join(notes)} |"


for line in sys.stdin:
    if line.startswith("{"):
        print(row(json.loads(line)))
