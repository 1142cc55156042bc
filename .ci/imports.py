#!/usr/bin/env python3
"""Checks every import line of Sources against the table of targets in docs/architecture.md: libraries point downwards, never
sideways. And every import of ours, in Tests too, against Package.swift: the compiler takes an undeclared one that another target happens to
bring along, but the build does not compile its user again when it changes, and links a program that mixes old and new."""
import json
import pathlib
import re
import subprocess
import sys

C = {"CLinux", "CGPIO", "CGPIOLibrary", "CI2C", "CALSA", "CSQLite", "CCurl", "CFLAC", "CCrypto", "CZstd", "CZlib", "CPCRE2"}
SYSTEM = {"Glibc", "Synchronization", "FoundationEssentials", "Dispatch"}
BELOW_AGENT = {"AgentCore", "SystemKit", "Times", "Samples", "Hardware", "Sensors", "Recording", "StudyModel", "PlatformKit", "Platforms", "StudyEngine", "Database",
               "Store", "Upload", "WebServer", "TOML"}
ALLOWED = {
    "Times": set(),
    "TOML": set(),
    "Terminal": set(),
    "SystemKit": {"CLinux", "CCrypto", "CPCRE2"},
    "Samples": {"Times"},
    "Hardware": {"SystemKit", "Samples", "Times", "CLinux", "CGPIO", "CI2C", "CALSA"},
    "Sensors": {"SystemKit", "Hardware", "Samples", "Times"},
    "Recording": {"SystemKit", "Samples", "Times", "CLinux", "CFLAC", "CZlib"},
    "StudyModel": {"Times"},
    "PlatformKit": {"SystemKit", "StudyModel", "Times"},
    "StudyEngine": {"StudyModel", "Times"},
    "Database": {"SystemKit", "CSQLite"},
    "Store": {"SystemKit", "Database", "StudyModel", "Times"},
    "Upload": {"SystemKit", "Store", "StudyModel", "Times", "CCurl", "CZstd"},
    "Simulation": {"SystemKit", "Hardware", "Samples", "Times", "CLinux"},
    "WebServer": {"SystemKit", "NIOCore", "NIOPosix", "NIOHTTP1", "NIOConcurrencyHelpers"},
    # Pure: Store and Recording for their values, which rows and which files; nothing of it opens either. SystemKit for its digests.
    "AgentCore": {"SystemKit", "PlatformKit", "StudyEngine", "StudyModel", "Store", "Recording", "Times"},
    "Agent": BELOW_AGENT | {"CLinux", "Logging", "ServiceLifecycle", "UnixSignals"},
    "studyd": BELOW_AGENT | {"Agent", "Simulation", "Terminal", "ArgumentParser", "Logging", "CLinux"},
    "StudyReceiver": {"SystemKit", "Database", "WebServer", "Times", "CZstd", "ArgumentParser", "Logging", "NIOCore", "NIOHTTP1", "CLinux"},
}
# The compiler keeps these pure: no call of the system, no thread, no lock.
PURE = {"AgentCore", "StudyModel"}
# A platform is a room: it sees the kit and the model, only the catalog sees it, and a new one needs no line here.
ROOMS = {path.name for path in pathlib.Path("Sources").glob("Platform?*")} - {"PlatformKit", "Platforms"}
ALLOWED |= {room: {"PlatformKit", "StudyModel", "Times"} for room in ROOMS}
ALLOWED["Platforms"] = {"PlatformKit"} | ROOMS
IMPORT = re.compile(r"^\s*(?:@\w+\s+)?(?:public |package |internal |private )?import\s+(?:(?:struct|class|enum|func|protocol)\s+)?(\w+)")

wrong = []
for path in sorted(pathlib.Path("Sources").rglob("*.swift")):
    target = path.parts[1]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = IMPORT.match(line)
        if found and found.group(1) not in ALLOWED.get(target, set()) | (set() if target in PURE else SYSTEM):
            wrong.append(f"{path}:{number}: {target} may not import {found.group(1)}")

package = json.loads(subprocess.run(["swift", "package", "describe", "--type", "json"], capture_output=True, check=True).stdout)
ours = {target["c99name"] for target in package["targets"]}
for target in package["targets"]:
    declared = {name.replace("-", "_") for name in target.get("target_dependencies", [])} | {target["c99name"]}
    for path in (pathlib.Path(target["path"]) / source for source in target["sources"] if source.endswith(".swift")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = IMPORT.match(line)
            if found and found.group(1) in ours - declared:
                wrong.append(f"{path}:{number}: Package.swift does not say that {target['name']} needs {found.group(1)}")
print("\n".join(wrong) or "imports: every line agrees with the table of targets and with Package.swift")
sys.exit(1 if wrong else 0)
