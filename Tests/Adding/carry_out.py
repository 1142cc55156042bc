#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Carries out the pages under docs/adding in a clone: writes the files they show, adds the lines they name, and looks whether the result
is formatted. What builds the clone is up to the caller (`make adding`, `.ci/run`).

    carry_out.py CLONE    clones the project there, with what is not committed, and applies all pages
    carry_out.py --try TOOLS STUDYD CLONE    asks the built programs for what was added

A page says what is written and which line is added; here is only where an example goes and what it imports, and every file named here must
be findable by the page: its folder or its name is written there."""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
BLOCK = re.compile(r"^```swift\n(.*?)^```$", re.M | re.S)
ROOM = "Sources/Platforms/Postcard"

# page: [(file, numbers of the blocks in it, imports)]; an example that is a whole file brings its own.
FILES = {
    "chip": [
        ("Sources/Device/Sensors/Chips/MMA8452Q.swift", [0], ["Base"]),
        ("Sources/Tools/Simulation/Chips/SimulatedMMA8452Q.swift", [1], ["Base"]),
    ],
    "recording-format": [
        ("Sources/Device/Recording/JSONLinesFormat.swift", [0, 1], ["Base", "SystemKit"]),
    ],
    "export": [("Sources/Tools/Exports/JSONLinesExporter.swift", [0], ["Device", "SystemKit"])],
    "feature": [("Sources/Device/Features/ENMOa.swift", [0], ["Base"])],
    "destination": [("Sources/Agent/Agent/Upload/Destinations/FolderDestination.swift", [0],
                     ["Base", "FoundationEssentials", "SystemKit"])],
    "question-kind": [("Sources/Study/Questions/Stars/StarsQuestion.swift", [0, 1], ["Base"])],
    "active-task": [
        ("Sources/Study/Model/ActiveTasks/PressCount.swift", [0], ["Base"]),
        ("Sources/Study/ActiveTasks/PressCount/PressCountStep.swift", [1, 2], ["Base"]),
    ],
    "platform": [(f"{ROOM}/PostcardPlatform.swift", [0], None)],
}

# page: [(file, the text before which the line goes, what precedes the line on the page)]; the line itself is the page's next inline code.
LINES = {
    "chip": [
        ("Sources/Device/Sensors/ChipCatalog.swift", "LIS3DH.self, ", "In the catalog: "),
        ("Sources/Tools/Simulation/SimulatedCatalog.swift", "        lis3dh(\"LIS3DH\"", "In the catalog:\n"),
    ],
    "recording-format": [
        ("Sources/Device/Recording/RecordingFormats+All.swift", "        EventCSVFormat(),", "In the catalog: "),
    ],
    "export": [("Sources/Tools/Exports/ExportCatalog+All.swift", "        CWACSVExporter(),", "In the catalog: ")],
    "feature": [
        ("Sources/Device/Features/FeatureCatalog.swift", "        FeatureEntry(name: \"mad\"", "In the catalog:\n"),
    ],
    "destination": [
        ("Sources/Agent/Agent/Upload/DestinationCatalog.swift", "        TusDestination.self,", "In the catalog: "),
    ],
    "question-kind": [
        ("Sources/Study/Model/AnswerFormat.swift", "    case position\n", "In the model: "),
        ("Sources/Study/Questions/QuestionCatalog.swift", "        case .position:", "In the catalog: "),
    ],
    "active-task": [
        ("Sources/Study/Model/ActiveTasks/ActiveTaskCatalog.swift", "        KickRecord.self,", "In the catalog: "),
    ],
    "platform": [
        ("Package.swift", "        library(\n            \"Platforms\", ", "The room: "),
        ("Package.swift", "\"PlatformSchema\", \"PlatformMyStudies\", \"PlatformESMira\"", "in the line of `Platforms`: "),
        ("Sources/Platforms/Catalog/PlatformCatalog+All.swift", "        SchemaPlatform.self,", "its line, "),
        ("Sources/Platforms/Catalog/PlatformCatalog+All.swift", "import PlatformSage", "and its import, "),
    ],
    "language": [("Sources/Study/Model/Words/Language.swift", "            PackageResources.de_po,", "one line: ")],
}


class Refused(Exception):
    """What a page says cannot be done."""


def page(name):
    return (ROOT / "docs/adding" / f"{name}.md").read_text()


def code(name, clone):
    text = page(name)
    blocks = BLOCK.findall(text)
    used = [number for _, numbers, _ in FILES.get(name, []) for number in numbers]
    if sorted(used) != list(range(len(blocks))):
        raise Refused(f"docs/adding/{name}.md has {len(blocks)} examples, of which {used} are used")
    for path, numbers, imports in FILES.get(name, []):
        folder = str(pathlib.PurePath(path).parent)
        if not any(part in text for part in (folder, str(pathlib.PurePath(folder).parent), "Sources/Platforms/<Name>/")):
            raise Refused(f"docs/adding/{name}.md does not say that {path} goes into {folder}")
        head = "" if imports is None else LICENCE + "".join(f"import {module}\n" for module in imports) + "\n"
        target = clone / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(head + "\n".join(blocks[number] for number in numbers))
        yield target


def quoted(name, before):
    found = re.search(re.escape(before) + r"`([^`]+)`", page(name))
    if not found:
        raise Refused(f"docs/adding/{name}.md does not show a line after '{before.strip()}'")
    return found[1]


def lines(name, clone):
    for path, anchor, before in LINES.get(name, []):
        target = clone / path
        text, line = target.read_text(), quoted(name, before)
        if text.count(anchor) != 1:
            raise Refused(f"{path} has '{anchor.strip()}' {text.count(anchor)} times; mend the anchor in Tests/Adding/carry_out.py")
        indent = anchor[:len(anchor) - len(anchor.lstrip(" "))]
        alone = indent or anchor.startswith("import")
        target.write_text(text.replace(anchor, (f"{indent}{line}\n" if alone else f"{line} ") + anchor))
        yield target


def language(clone):
    """As msginit makes it, for a machine without gettext."""
    script = str(clone / ".ci/translations.py")
    template = subprocess.run([sys.executable, script, "--template"], check=True, capture_output=True, text=True).stdout
    head = template.replace("Language: \\n", "Language: pl\\n", 1)
    (clone / "Sources/Study/Languages/pl.po").write_text(head)


def clone_here(clone):
    shutil.rmtree(clone, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", "--local", str(ROOT), str(clone)], check=True)
    change = subprocess.run(["git", "diff", "--binary", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    if change:
        subprocess.run(["git", "apply"], cwd=clone, input=change, check=True)


def carry_out(clone):
    clone_here(clone)
    touched = []
    for name in sorted(set(FILES) | set(LINES)):
        touched += [*code(name, clone), *lines(name, clone)]
    language(clone)
    ugly = subprocess.run(
        ["swift", "format", "lint", *map(str, sorted(set(touched)))], capture_output=True, text=True).stderr
    if ugly:
        raise Refused(f"what the pages add is not formatted:\n{ugly}")
    subprocess.run([sys.executable, ".ci/imports.py"], cwd=clone, check=True, stdout=subprocess.DEVNULL)
    print(f"adding: {len(set(FILES) | set(LINES))} pages carried out in {clone}, {len(set(touched))} files written or changed")


CARD = ('{"postcard":"S1","url":"https://example.org/in","consent":"We keep your answers.","ask":["Did you sleep well?"],"euros":2}')


def tried(command, wanted):
    ran = subprocess.run(command, capture_output=True, text=True)
    if wanted not in ran.stdout + ran.stderr:
        raise Refused(f"{' '.join(command)} does not say '{wanted}':\n{ran.stdout}{ran.stderr}")
    print(f"adding: {pathlib.Path(command[0]).name} {' '.join(command[1:])}: {wanted}")


def ask(tools, studyd, clone):
    card, settings, board = clone / "card.json", clone / "studyd.toml", clone / "board.toml"
    card.write_text(CARD)
    board.write_text((clone / "boards/simulated.toml").read_text() + '\n[[chip]]\ntype = "MMA8452Q"\nbus = "motion"\naddress = 0x1C\n')
    settings.write_text(f'board = "{board}"\n[[destination]]\nkind = "folder"\ntakes = "both"\n')
    tried([studyd, "validate", str(card)], "card/q1: signals the card number; yes")
    tried([studyd, "plan", str(card), "--enrolled", "2026-03-01T12:00:00", "--zone", "Europe/Berlin", "--days", "2"], "card/1")
    tried([tools, "export", "--help"], "tsv")
    tried([tools, "features", str(clone / "studies/receiver.nmea"), "--is", "sleep"], "use enmo, enmoa, mad")
    tried([tools, "check", "--board", str(board)], "MMA8452Q")
    tried([studyd, "run", "--config", str(settings), "--state", str(clone / "state")], "path: is missing")


def main(arguments):
    try:
        if arguments[:1] == ["--try"] and len(arguments) == 4:
            ask(arguments[1], arguments[2], pathlib.Path(arguments[3]))
        elif len(arguments) == 1:
            carry_out(pathlib.Path(arguments[0]).resolve())
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except Refused as refused:
        print(f"adding: {refused}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
