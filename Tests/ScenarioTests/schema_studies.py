# SPDX-License-Identifier: Apache-2.0
"""Makes the table of real study files beside this script: what `studyd validate` says of each.

    python3 Tests/ScenarioTests/schema_studies.py --mirrors DIR [--studyd PATH]     writes the table
    python3 Tests/ScenarioTests/schema_studies.py --mirrors DIR --check             ends with 1 where the page has another
    python3 Tests/ScenarioTests/schema_studies.py --sums                            the same of the sentence above the table, which follows from it

DIR holds a git directory `OWNER+NAME/repo` for each repository (git clone --mirror); a version is named by its blob, which `git cat-file` has.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = pathlib.Path("Tests/ScenarioTests/schema_studies.md")
BOARD = "boards/simulated.toml"
ROW = re.compile(r"\| (\S+/\S+) \| `([0-9a-f]{8})` \| (\S+) \| (.*?) \|")
SENTENCE = re.compile(r"^\d+ versions of real study files.*$", re.M)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mirrors", type=pathlib.Path)
    parser.add_argument("--studyd", default=".build/debug/studyd")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--sums", action="store_true")
    arguments = parser.parse_args()
    page = PAGE.read_text()
    wanted = page if arguments.sums else with_rows(page, arguments)
    wanted = SENTENCE.sub(lambda _: sentence(wanted), wanted)
    if arguments.check or arguments.sums:
        if wanted != page:
            old, new = page.splitlines(), wanted.splitlines()
            for line, other in zip(old, new):
                if line != other:
                    print(f"{PAGE} has   {line}\nstudyd says {other}", file=sys.stderr)
            sys.exit(f"{PAGE}: run `make schema-studies MIRRORS=DIR`")
    else:
        PAGE.write_text(wanted)


def with_rows(page, arguments):
    if not arguments.mirrors:
        sys.exit("name the folder of the repositories: --mirrors DIR")
    lines = []
    for line in page.splitlines():
        match = ROW.match(line)
        lines.append(row(*match.groups()[:3], arguments) if match else line)
    return "\n".join(lines) + "\n"


def row(repository, blob, file, arguments):
    folder = arguments.mirrors / repository.replace("/", "+") / "repo"
    content = subprocess.run(["git", f"--git-dir={folder}", "cat-file", "blob", blob], check=True, capture_output=True).stdout
    with tempfile.NamedTemporaryFile(suffix=".json") as study:
        study.write(content)
        study.flush()
        ended = subprocess.run(
            [arguments.studyd, "validate", study.name, "--board", BOARD, "--json"], capture_output=True, text=True)
    entries = [json.loads(line) for line in ended.stdout.splitlines()]
    remarks = [entry for entry in entries if "remark" in entry]
    warnings = [entry for entry in remarks if entry["remark"] == "warning"]
    keys = sorted({entry["path"].split(".")[-1].split("[")[0] for entry in warnings})
    cells = [
        repository, f"`{blob}`", file, verdict(entries, remarks, ended.returncode),
        f"{len(warnings)}" + (f" ({', '.join(keys)})" if keys else ""),
        f"{sum(entry['remark'] == 'unsupported' for entry in remarks)}"]
    return "| " + " | ".join(cells) + " |"


def verdict(entries, remarks, code):
    refused = [(entry["path"], entry["message"]) for entry in remarks if entry["remark"] == "refusal"]
    refused += [(entry["path"], entry["refused"]) for entry in entries if "refused" in entry]
    if not refused:
        return "runs"
    path, reason = refused[0]
    if code:
        return f"refused: `{path}`: {reason}"
    arms = sorted({match[1] for _, words in refused for match in [re.match(r'arm "(.*?)": ', words)] if match})
    return f"runs, but for arm {', '.join(arms)}: `{path}`: " + re.sub(r'^arm ".*?": ', "", reason)


def sentence(page):
    verdicts = [match[4] for match in map(ROW.match, page.splitlines()) if match]
    some = sum(text.startswith("runs, but") for text in verdicts)
    refused = sum(text.startswith("refused") for text in verdicts)
    return (
        f"{len(verdicts)} versions of real study files, all that could be had of these repositories' histories: "
        f"{len(verdicts) - some - refused} run, {some} run for some arms, {refused} are refused "
        f"(on `{BOARD}`; a file is named by its blob).")


if __name__ == "__main__":
    main()
