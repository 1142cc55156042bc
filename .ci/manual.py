# SPDX-License-Identifier: Apache-2.0
"""Manual pages from the help of a program: manual.py PROGRAM FOLDER.

What `--experimental-dump-help` of swift-argument-parser says becomes roff (man(7)): one page for the program, and one for each command
(`studyd-recordings-verify.1`).
"""

import json
import pathlib
import subprocess
import sys


def escaped(text):
    """Text as roff reads it: no backslash, leading dot or quote acts as a request, and hyphens can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def names(argument):
    dashes = {"long": "--", "short": "-", "longWithSingleDash": "-"}
    return [dashes[name["kind"]] + name["name"] for name in argument.get("names", [])]


def usage(path, arguments, has_commands):
    parts = ["\\fB" + escaped(" ".join(path)) + "\\fR"]
    for argument in arguments:
        value = "\\fI" + escaped(argument.get("valueName", "value")) + "\\fR"
        spelled = escaped(names(argument)[-1]) if names(argument) else ""
        words = {"flag": f"\\fB{spelled}\\fR", "option": f"\\fB{spelled}\\fR {value}", "positional": value}[argument["kind"]]
        words += "..." if argument["isRepeating"] else ""
        parts.append(f"[{words}]" if argument["isOptional"] else words)
    return " ".join(parts + (["\\fIcommand\\fR"] if has_commands else []))


def entry(argument):
    value = argument.get("valueName", "")
    spelled = [f"\\fB{escaped(name)}\\fR" for name in names(argument)]
    if argument["kind"] == "option":
        spelled[-1] += f" \\fI{escaped(value)}\\fR"
    head = ", ".join(spelled) or f"\\fI{escaped(value)}\\fR"
    text = argument.get("abstract", "")
    if "defaultValue" in argument:
        text += f" (default: {argument['defaultValue']})"
    return f".TP\n{head}\n{escaped(text)}"


def discussion(text):
    """Paragraphs, and lines that are examples as they stand."""
    out = []
    for line in text.split("\n"):
        plain = line.strip()
        if not plain:
            out.append(".PP")
        elif plain.startswith(("Example", "EXAMPLE")) or line.startswith("  "):
            out += [".nf", escaped(line), ".fi"]
        else:
            out.append(escaped(plain))
    return out


def pages(command, path):
    path = path + [command["commandName"]]
    commands = [each for each in command.get("subcommands", []) if each["commandName"] != "help" and each.get("shouldDisplay", True)]
    arguments = [each for each in command.get("arguments", []) if each.get("shouldDisplay", True)]
    title = "-".join(path)
    lines = [
        f'.TH "{title.upper()}" 1', ".SH NAME", f"{escaped(title)} \\- {escaped(command.get('abstract', '').rstrip('.'))}",
        ".SH SYNOPSIS", usage(path, arguments, bool(commands)), ".SH DESCRIPTION", escaped(command.get("abstract", "")),
    ]
    if command.get("discussion"):
        lines += [".PP"] + discussion(command["discussion"])
    if arguments:
        lines += [".SH OPTIONS"] + [entry(each) for each in arguments]
    if commands:
        lines.append(".SH COMMANDS")
        for each in commands:
            lines.append(f".TP\n\\fB{escaped(title + '-' + each['commandName'])}\\fR(1)\n{escaped(each.get('abstract', ''))}")
    if len(path) > 1:
        lines += [".SH SEE ALSO", f"\\fB{escaped('-'.join(path[:-1]))}\\fR(1)"]
    yield title, "\n".join(lines) + "\n"
    for each in commands:
        yield from pages(each, path)


def main(program, folder):
    said = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    target = pathlib.Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for title, text in pages(json.loads(said)["command"], []):
        (target / f"{title}.1").write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
