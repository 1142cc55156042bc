#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the compiler does not of the imports of Sources and Tests, and that no code outside a platform's room names a platform. The facts are
those of Package.swift. Prints the picture of targets: each with what it stands on, without what that stands on already."""
import functools
import json
import pathlib
import re
import subprocess
import sys

# No system call, thread or lock in these.
PURE = {"Base", "Study"}

TOOLCHAIN = {"Swift", "Glibc", "Foundation", "FoundationEssentials", "Dispatch", "Synchronization", "Testing"}
IMPORT = re.compile(r"^(?:@\w+\s+)?(?:(?:public|package|internal|private) )?import\s+(?:(?:struct|class|enum|func|protocol)\s+)?(\w+)")
# `schema` is also a word of SQL and JSON: within an identifier (`schemaVersion`) it is that; alone, or at the head of a type, it is the platform.
PLATFORM = re.compile(r"(?i:mystudies|momentum|esmira)|\bschema\b|\bSchema[A-Z]|PlatformSchema|\b[Ss]age\b|\b[Ss]age[A-Z]|(?<=[a-z])Sage(?![a-z])")
# What a topic's records are written by.
AVRO = re.compile(r"\bschema\b")
EXPORT = re.compile(r"sage-?json", re.IGNORECASE)
# The list of platforms has these lines for each of them.
LISTED = re.compile(r"^(import Platform\w+|        \w+Platform\.self,)$")
COMMENT = re.compile(r"(^|\s)//")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')

package = json.loads(subprocess.run(["swift", "package", "--ignore-lock", "describe", "--type", "json"], capture_output=True, check=True).stdout)
targets = {target["name"]: target for target in package["targets"]}
needs = {name: set(target.get("target_dependencies", [])) for name, target in targets.items()}
lines = {name: [(pathlib.Path(target["path"]) / source, number, line) for source in target["sources"] if source.endswith(".swift")
                for number, line in enumerate((pathlib.Path(target["path"]) / source).read_text().splitlines(), 1)]
         for name, target in targets.items()}
ours = [name for name, target in targets.items() if target["path"].startswith("Sources") and lines[name]]
written_in_c = {name for name, target in targets.items() if target["module_type"] != "SwiftTarget"}
rooms = {name for name in ours if re.fullmatch(r"Platform(?!Kit$|s$)\w+", name)}


@functools.cache
def reached(name):
    return {name}.union(*map(reached, needs[name]))


def of_products(names):
    return set().union(*(reached(target) for product in package["products"] if product["name"] in names for target in product["targets"]))


def code(line):
    """Without a comment; what looks like one within a text is none."""
    comment = COMMENT.search(STRING.sub(lambda text: "·" * len(text.group()), line))
    return EXPORT.sub("", line[:comment.start()] if comment else line)


wrong = [f".ci/imports.py: no target is called {name}" for name in PURE - set(ours)]
for name in targets:
    declared = needs[name] | set(targets[name].get("product_dependencies", [])) | TOOLCHAIN | {name}
    declared = {word.replace("-", "_") for word in declared}
    for path, number, line in lines[name]:
        module = found[1] if (found := IMPORT.match(line)) else None
        if module and module not in declared:
            wrong.append(f"{path}:{number}: Package.swift does not say that {name} needs {module}")
        if module and name in PURE and module in TOOLCHAIN | written_in_c:
            wrong.append(f"{path}:{number}: {name} is pure and may not import {module}")

# The receiver plays the servers of platforms.
programs = {product["name"] for product in package["products"]}
for name in set(ours) - rooms - (of_products({"study-receiver"}) - of_products(programs - {"study-receiver"})):
    for path, number, line in lines[name]:
        said = AVRO.sub("", code(line)) if "Radar" in path.parts else code(line)
        if (found := PLATFORM.search(said)) and not (needs[name] & rooms and LISTED.match(line)):
            wrong.append(f"{path}:{number}: says '{found[0]}', which belongs into the platform's room: {line.strip()}")

for name in sorted(ours, key=lambda name: (len(reached(name)), name)):
    direct = needs[name] - set().union(*(reached(other) - {other} for other in needs[name]))
    print(f"  {name}{' → ' if direct else ''}{', '.join(sorted(direct - written_in_c) + sorted(direct & written_in_c))}")
print("\n".join(wrong) or "imports: every line agrees with Package.swift, and platforms are named in their rooms alone")
sys.exit(1 if wrong else 0)
