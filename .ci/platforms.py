#!/usr/bin/env python3
"""Nothing but its own room, and the lab's receiver, says a platform's name in code: neither in an identifier nor in a text. The catalog's own lines
are the one place that does. Comments may name one as the source of a rule. `sage-json` is the name of an export.

`schema` is also a word of SQL and JSON: as a part of an identifier (`schemaVersion`, `sqlite_schema`) it is that; alone, or at the head of a type, it is
the platform."""
import pathlib
import re
import sys

WORDS = [
    r"(?i:mystudies|momentum|esmira)", r"\bschema\b|\bSchema[A-Z]|PlatformSchema",
    r"\b[Ss]age\b|\bsage[A-Z]|\bSage[A-Z]|(?<=[a-z])Sage\b|(?<=[a-z])Sage[A-Z]",
]
PLATFORM = re.compile("|".join(WORDS))
EXPORT = re.compile(r"sage-?json", re.IGNORECASE)
CATALOG = pathlib.Path("Sources/Platforms/PlatformCatalog+All.swift")
LINE_OF_CATALOG = re.compile(r"^(import Platform\w+|        \w+Platform\.self,)$")
COMMENT = re.compile(r"(^|\s)//")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def code(line):
    """Without a comment; what looks like one within a text is none."""
    comment = COMMENT.search(STRING.sub(lambda text: "·" * len(text.group()), line))
    return line[:comment.start()] if comment else line


wrong = []
for path in sorted(pathlib.Path("Sources").rglob("*.swift")):
    target = path.parts[1]
    if target == "StudyReceiver" or target.startswith("Platform") and target not in ("PlatformKit", "Platforms"):
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if path == CATALOG and LINE_OF_CATALOG.match(line):
            continue
        if found := PLATFORM.search(EXPORT.sub("", code(line))):
            wrong.append(f"{path}:{number}: says '{found.group()}', which belongs into the platform's room: {line.strip()}")
print("\n".join(wrong) or "platforms: nobody outside the rooms says a platform's name")
sys.exit(1 if wrong else 0)
