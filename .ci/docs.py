#!/usr/bin/env python3
"""Checks that every declaration of Sources that other targets see and of which there is something to say has a documentation comment: meaning, unit, range, clock,
thread, errors. Attributes may stand between the two. Not asked for where the comment could only repeat the name: enumeration cases, what a protocol of the
standard library wants (WITNESSES), and initialisers that only take over what they are given and refuse nothing. The members of protocols, which have no
`package`, are not checked either."""
import pathlib
import re
import sys

PUBLIC = re.compile(
    r"^\s*(?:@[\w.]+(?:\([^)]*\))?\s+)*(?:[a-z]+(?:\(set\))?\s+)*(?:package|public|open)\s+(?!import\b|extension\b)"
    r"(?:(?:static|class|final|override|mutating|nonmutating|consuming|borrowing|nonisolated|indirect|convenience|required|lazy|weak|"
    r"(?:private|internal|package|fileprivate)\(set\))\s+)*"
    r"(let|var|func|init|subscript|struct|class|actor|enum|protocol|typealias|associatedtype|macro|operator)\b")
ATTRIBUTE = re.compile(r"^\s*@[\w.]+(?:\(.*\))?\s*$")

WITNESSES = re.compile(
    r"\b(?:var (?:description|debugDescription|rawValue|id|hashValue|unownedExecutor)\b|static func (?:==|<|\+|-|\+=|-=) |func (?:hash\(into|encode\(to|drawing\(in|meaning\(of)|"
    r"init\(from decoder)")
TAKEN_OVER = re.compile(r"self\.(\w+) = \1$|\(self\.\w+(?:, self\.\w+)*\) = \(\w+(?:, \w+)*\)$")


def is_memberwise(lines, index):
    """True for an initialiser that throws nothing and whose body is `self.x = x` alone."""
    if not re.match(r"\s*(?:package|public) init\(", lines[index]):
        return False
    end = index
    while end < len(lines) and not re.search(r"\{(.*\})?\s*$", lines[end]):
        end += 1
    if end == len(lines) or "throws" in " ".join(lines[index:end + 1]):
        return False
    inline = re.search(r"\{(.*)\}\s*$", lines[end])
    if inline:
        return not inline.group(1).strip() or bool(TAKEN_OVER.match(inline.group(1).strip()))
    indent = re.match(r"\s*", lines[index]).group(0)
    body = []
    for line in lines[end + 1:]:
        if line == indent + "}":
            break
        body.append(line.strip())
    return bool(body) and all(TAKEN_OVER.match(line) for line in body if line)


missing = []
for path in sorted(pathlib.Path("Sources").rglob("*.swift")):
    lines = path.read_text().splitlines()
    for index, line in enumerate(lines):
        if not PUBLIC.match(line) or WITNESSES.search(line) or is_memberwise(lines, index):
            continue
        above = index - 1
        while above >= 0 and ATTRIBUTE.match(lines[above]):
            above -= 1
        if above < 0 or not lines[above].lstrip().startswith("///"):
            missing.append(f"{path}:{index + 1}: {line.strip()}")
if missing:
    print("lint: declarations for other targets without a `///` above them", file=sys.stderr)
print("\n".join(missing) or "docs: every declaration for other targets of which there is something to say has its comment", file=sys.stderr if missing else sys.stdout)
sys.exit(1 if missing else 0)
