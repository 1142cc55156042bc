#!/usr/bin/env python3
"""Prints which folders of a target use which ("." is its own folder), and fails where they do so in a circle.

A file uses another where it names a type that is declared there. Names that several folders declare or that are private, and extensions, say
nothing. What is between a target and its folders the compiler sees; between folders of one target only this does."""
import collections
import pathlib
import re
import sys

# A catalog has one line for each of its kinds, and the kinds are made of what stands beside the catalog: that circle is what a catalog is.
CATALOGS = {"StudyEngine/Questions/QuestionCatalog.swift"}
DECLARED = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|final|indirect|open)\s+)*"
    r"(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)", re.M)
COMMENT = re.compile(r"//.*?$|/\*.*?\*/", re.M | re.S)
TEXT = re.compile(r'"""(.*?)"""|"(?:\\.|[^"\\\n])*"', re.S)
WORD = re.compile(r"\b[A-Z]\w+\b")


def graph(target):
    """Folder -> folder -> the uses, as (file, name)."""
    declared, words = collections.defaultdict(set), {}
    for path in sorted(target.rglob("*.swift")):
        folder = str(path.parent.relative_to(target))
        text = TEXT.sub('""', COMMENT.sub("", path.read_text()))
        for name in DECLARED.findall(text):
            declared[name].add(folder)
        words[path] = folder, set(WORD.findall(text))
    uses = collections.defaultdict(lambda: collections.defaultdict(list))
    for path, (folder, names) in words.items():
        if str(path.relative_to(target.parent)) in CATALOGS:
            continue
        for name in names & declared.keys():
            (other,) = declared[name] if len(declared[name]) == 1 else (folder,)
            if other != folder:
                uses[folder][other].append((path.name, name))
    return uses


def circles(uses):
    """Groups of folders each of which reaches every other (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in uses.get(node, {}):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = []
            while not group or group[-1] != node:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    for node in list(uses):
        if node not in index:
            visit(node)
    return found


failed = False
for target in sorted(pathlib.Path("Sources").iterdir()):
    uses = graph(target)
    if not uses:
        continue
    print(f"{target.name}: " + "; ".join(
        f"{folder} → {', '.join(sorted(others))}" for folder, others in sorted(uses.items())))
    for group in circles(uses):
        failed = True
        print(f"lint: {target.name}: {' '.join(group)} use each other in a circle:", file=sys.stderr)
        for folder in group:
            for other in group:
                for file, name in uses[folder].get(other, [])[:6] if "-v" in sys.argv else uses[folder].get(other, [])[:1]:
                    print(f"  {folder} → {other}: {file} names {name}", file=sys.stderr)
sys.exit(1 if failed else 0)
