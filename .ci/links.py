#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links between pages lead to files and headings that exist, and so do the pages that code names."""
import pathlib
import re
import subprocess
import sys

FENCED = re.compile(r"^```.*?^```$", re.M | re.S)


def headings(page):
    """As GitHub makes anchors of them."""
    found = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in found}


wrong = []
for page in [pathlib.Path("README.md"), *(page for top in ("boards", "docs", "studies") for page in pathlib.Path(top).rglob("*.md"))]:
    for link in re.findall(r"\]\(([^)\s]+)\)", FENCED.sub("", page.read_text())):
        name, _, heading = link.partition("#")
        target = page.parent / name if name else page
        if re.match(r"https?:", link) or target.exists() and (not heading or heading in headings(target)):
            continue
        wrong.append(f"{page}: {link} leads nowhere")
named = subprocess.run(["git", "grep", "-noIE", r"\bdocs/[a-z0-9/-]+\.(md|toml|json)", "--", ".", ":!Tests/vm/Adapter"], capture_output=True, text=True)
wrong += [f"{line}: no such page" for line in named.stdout.splitlines() if not pathlib.Path(line.split(":", 2)[2]).exists()]
print(*wrong, sep="\n", end="\n" if wrong else "")
sys.exit(1 if wrong else 0)
