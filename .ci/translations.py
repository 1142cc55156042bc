#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Brings the catalogues of Sources/Study/Languages up to what the sources say: new phrases come in untranslated, those that are gone
become obsolete, and changed ones fuzzy. Needs gettext's msgmerge. `--template` prints the template alone."""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CATALOGUES = ROOT / "Sources/Study/Languages"
TEXT = r'"((?:[^"\\]|\\.)*)"'
CONTEXT = r'(?:,\s*context:\s*' + TEXT + r')?\s*\)'
SINGLE = re.compile(r'(?<!\w)Phrase\(\s*' + TEXT + CONTEXT)
COUNTED = re.compile(r'(?<!\w)CountedPhrase\(\s*one:\s*' + TEXT + r',\s*other:\s*' + TEXT + CONTEXT)
MONTHS = "January February March April May June July August September October November December".split()


def entries():
    """(context, English, English plural or None) -> what the sources say of it, in the order of files."""
    found = {}
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        code = path.read_text()
        places = [(m.start(), (m[2], m[1], None)) for m in SINGLE.finditer(code)]
        places += [(m.start(), (m[3], m[1], m[2])) for m in COUNTED.finditer(code)]
        for place, key in sorted(places):
            above = []
            for line in reversed(code[:place].split("\n")[:-1]):
                if not line.strip().startswith("///"):
                    break
                above.insert(0, line.strip().removeprefix("///").strip())
            found.setdefault(key, []).extend([" ".join(above)] if above else [])
    # Made from other phrases, not written out.
    for month in MONTHS:
        found[("said between day and year", month, None)] = []
    for day in range(1, 32):
        found[("day of the month, said", str(day), None)] = []
    return found


def entry(key, notes, texts):
    context, english, plural = key
    lines = [f"#. {note}" for note in notes]
    if context is not None:
        lines.append(f'msgctxt "{context}"')
    lines.append(f'msgid "{english}"')
    if plural is not None:
        lines.append(f'msgid_plural "{plural}"')
        lines += [f'msgstr[{place}] "{text}"' for place, text in enumerate(texts or ["", ""])]
    else:
        lines.append(f'msgstr "{(texts or [""])[0]}"')
    return "\n".join(lines) + "\n"


def head(language, plurals):
    fields = ["Project-Id-Version: studyd", f"Language: {language}", "MIME-Version: 1.0", "Content-Type: text/plain; charset=UTF-8",
              "Content-Transfer-Encoding: 8bit", f"Plural-Forms: {plurals}"]
    return 'msgid ""\nmsgstr ""\n' + "".join(f'"{field}\\n"\n' for field in fields)


def template():
    return "\n".join([head("", "nplurals=2; plural=(n != 1);")] + [entry(key, notes, None) for key, notes in entries().items()])


def main():
    if sys.argv[1:] == ["--template"]:
        print(template(), end="")
        return
    with tempfile.NamedTemporaryFile("w", suffix=".pot") as pot:
        pot.write(template())
        pot.flush()
        for catalogue in sorted(CATALOGUES.glob("*.po")):
            subprocess.run(["msgmerge", "--quiet", "--update", "--backup=none", "--no-wrap", catalogue, pot.name], check=True)
            subprocess.run(["msgfmt", "--check", "--statistics", "-o", "/dev/null", catalogue], check=True)


if __name__ == "__main__":
    main()
