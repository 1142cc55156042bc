# SPDX-License-Identifier: Apache-2.0
"""The verdicts of the official suite, github.com/toml-lang/toml-test, for TOML 1.0, as TOMLSuiteTests.swift compares them.

usage: toml_test_verdicts.py FOLDER > verdicts

FOLDER is the suite's `tests`. A line per document: its path, a tab, and "error" or the value as tomllib_reference.py writes it.
"""
import datetime
import json
import math
import os
import struct
import sys

TIMES = {"datetime": datetime.datetime, "datetime-local": datetime.datetime, "date-local": datetime.date, "time-local": datetime.time}


def line(node):
    if isinstance(node, list):
        return "[" + ",".join(line(element) for element in node) + "]"
    if set(node) != {"type", "value"} or not isinstance(node["type"], str):
        return "{" + ",".join(f"{key}:{inner}" for key, inner in sorted((k.encode().hex(), line(v)) for k, v in node.items())) + "}"
    kind, value = node["type"], node["value"]
    if kind == "string":
        return "s" + value.encode().hex()
    if kind == "integer":
        return f"i{int(value)}"
    if kind == "bool":
        return "b1" if value == "true" else "b0"
    if kind == "float":
        number = float(value)
        return "fnan" if math.isnan(number) else "f" + struct.pack(">d", number).hex()
    return "t" + TIMES[kind].fromisoformat(value).isoformat()


root = sys.argv[1]
for name in open(os.path.join(root, "files-toml-1.0.0")).read().split():
    if name.endswith(".toml"):
        tagged = os.path.join(root, name[:-5] + ".json")
        valid = name.startswith("valid/")
        print(f"{name}\t{line(json.load(open(tagged, encoding='utf-8'))) if valid else 'error'}")
