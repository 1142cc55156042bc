#!/usr/bin/env python3
"""Checks that every public declaration of Sources has a documentation comment: meaning, unit, range, clock or thread. Attributes may
stand between the two. Enumeration cases are not checked; nor are the members of public protocols, which have no `public`."""
import pathlib
import re
import sys

PUBLIC = re.compile(
    r"^\s*(?:@[\w.]+(?:\([^)]*\))?\s+)*(?:[a-z]+(?:\(set\))?\s+)*(?:public|open)\s+(?!import\b|extension\b)"
    r"(?:(?:static|class|final|override|mutating|nonmutating|consuming|borrowing|nonisolated|indirect|convenience|required|lazy|weak|"
    r"(?:private|internal|package|fileprivate)\(set\))\s+)*"
    r"(let|var|func|init|subscript|struct|class|actor|enum|protocol|typealias|associatedtype|macro|operator)\b")
ATTRIBUTE = re.compile(r"^\s*@[\w.]+(?:\(.*\))?\s*$")

missing = []
for path in sorted(pathlib.Path("Sources").rglob("*.swift")):
    lines = path.read_text().splitlines()
    for index, line in enumerate(lines):
        if not PUBLIC.match(line):
            continue
        above = index - 1
        while above >= 0 and ATTRIBUTE.match(lines[above]):
            above -= 1
        if above < 0 or not lines[above].lstrip().startswith("///"):
            missing.append(f"{path}:{index + 1}: {line.strip()}")
if missing:
    print("lint: public declarations without a `///` above them", file=sys.stderr)
print("\n".join(missing) or "docs: every public declaration has its comment", file=sys.stderr if missing else sys.stdout)
sys.exit(1 if missing else 0)
