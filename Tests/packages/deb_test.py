#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What becomes of the packages in clean roots of Debian: installed from a signed repository, configured, updated by unattended-upgrade,
removed, purged.

    deb_test.py [12-amd64 13-amd64 13-arm64]     those that `make deb` has made; all that are there if none is named

Needs root, mmdebstrap, reprepro and gpg; for another architecture also qemu-user-static (.ci/emulated). The roots are made once, in .build/deb.
The update is the same package with a higher revision and another template of the configuration. The roots have no running systemd: a `systemctl` that
says the services run writes down what it is asked. Prints what was seen as a table of Markdown; ends with 1 where something is wrong, 77 where a root
cannot be had."""
import functools
import hashlib
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASE = ROOT / ".build/deb"
CODENAMES = {"12": "bookworm", "13": "trixie"}
MIRROR = "http://deb.debian.org/debian"
PACKAGES = ["studyd", "study-receiver", "studyd-tools"]
# Devices are arm64; the same program is larger on amd64.
LARGEST = {"arm64": 30_000_000, "amd64": 32_500_000}
# What is the device's and not the package's.
KEPT = [
    "/etc/studyd", "/etc/udev/rules.d", "/etc/sysusers.d", "/etc/systemd/system/studyd.service.d", "/etc/default/study-receiver", "/var/lib/studyd",
    "/var/lib/study-receiver",
]
SERVICES = ["studyd.service", "study-receiver.service"]
SYSTEMCTL = """#!/bin/sh
echo "$@" >>/var/log/systemctl
case "$*" in *is-enabled*) echo enabled ;; *is-active*) echo active ;; esac
exit 0
"""


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, **more)
    return done.returncode, done.stdout + done.stderr


def must(*words, **more):
    code, said = run(*words, **more)
    if code:
        raise SystemExit(f"deb-test: {' '.join(map(str, words))}: {code}\n{said[-3000:]}")
    return said


class Root:
    """A copy of a clean root."""

    def __init__(self, release, arch):
        # Where the root's programs run.
        own = must("dpkg", "--print-architecture").strip()
        self.place = [] if arch == own else [ROOT / ".ci/emulated"]
        clean = BASE / f"clean-{release}-{arch}"
        if not (clean / "made").exists():
            shutil.rmtree(clean, ignore_errors=True)
            code, said = run(*self.place, "mmdebstrap", "--mode=root", f"--architectures={arch}", "--variant=minbase",
                             "--include=systemd,udev,unattended-upgrades,ca-certificates", CODENAMES[release], clean, MIRROR)
            if code:
                print(f"deb-test: SKIPPED: no root of Debian {release} for {arch}: {said[-400:]}", file=sys.stderr)
                sys.exit(77)
            (clean / "made").write_text("")
        self.path = BASE / f"trial-{release}-{arch}"
        shutil.rmtree(self.path, ignore_errors=True)
        must("cp", "-a", clean, self.path)
        # In its place, since apt has a PATH of its own.
        self.write("/usr/bin/systemctl", SYSTEMCTL, 0o755)
        (self.path / "run/systemd/system").mkdir(parents=True, exist_ok=True)

    def __call__(self, line):
        """Runs a line of a shell in it; what it said and its code."""
        inside = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec env -i HOME=/root TERM=dumb LANG=C.UTF-8 ' \
                 'DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin chroot "$0" sh -c "$1"'
        return run(*self.place, "unshare", "--mount", "--pid", "--fork", "bash", "-c", inside, self.path, line)

    def must(self, line):
        code, said = self(line)
        if code:
            raise SystemExit(f"deb-test: in {self.path}: {line}: {code}\n{said[-3000:]}")
        return said

    def write(self, name, text, mode=0o644):
        path = self.path / name[1:]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)

    def asked_of_systemd(self, *actions):
        """How often systemctl was asked for one of these since the last time, by unit."""
        log = self.path / "var/log/systemctl"
        lines = [line.split() for line in log.read_text().split("\n")] if log.exists() else []
        log.unlink(missing_ok=True)
        return {unit: sum(unit in line and bool({*actions} & {*line}) for line in lines) for unit in SERVICES}

    def kept(self):
        """Digests, owners and modes of what is the device's."""
        found = {}
        for top in KEPT:
            path = self.path / top[1:]
            for each in [path, *sorted(path.rglob("*"))] if path.exists() else []:
                state = each.lstat()
                content = os.readlink(each) if each.is_symlink() else hashlib.sha256(each.read_bytes()).hexdigest() if each.is_file() else ""
                found["/" + str(each.relative_to(self.path))] = (content, oct(state.st_mode), state.st_uid, state.st_gid)
        return found


class Ring:
    """A signed repository of a lab, in two rings, served to this machine."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        home = self.folder / "gpg"
        home.mkdir(mode=0o700)
        self.environment = os.environ | {"GNUPGHOME": str(home)}
        must("gpg", "--batch", "--passphrase", "", "--quick-gen-key", "studyd-lab", "ed25519", "sign", "never", env=self.environment)
        key = must("gpg", "--batch", "--list-keys", "--with-colons", env=self.environment).split("fpr:::::::::")[1].split(":")[0]
        self.public = self.folder / "studyd-lab.gpg"
        must("gpg", "--batch", "--export", "--output", self.public, key, env=self.environment)
        (self.folder / "conf").mkdir()
        (self.folder / "conf/distributions").write_text("\n".join(
            f"Origin: studyd-lab\nCodename: {ring}\nArchitectures: amd64 arm64\nComponents: main\nSignWith: {key}\n" for ring in ("canary", "fleet")))
        handler = functools.partial(QuietHandler, directory=self.folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def publish(self, packages):
        """To the first ring, and then on to all devices."""
        must("reprepro", "-b", self.folder, "includedeb", "canary", *packages, env=self.environment)
        must("reprepro", "-b", self.folder, "copy", "fleet", "canary", *PACKAGES, env=self.environment)

    def trust(self, root):
        address = f"http://127.0.0.1:{self.server.server_port}"
        root.write("/etc/apt/sources.list.d/studyd-lab.list", f"deb [signed-by=/usr/share/keyrings/studyd-lab.gpg] {address} fleet main\n")
        shutil.copy(self.public, root.path / "usr/share/keyrings/studyd-lab.gpg")
        root.write("/etc/apt/apt.conf.d/51studyd", 'Unattended-Upgrade::Origins-Pattern { "origin=studyd-lab"; };\n')


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def update(package, folder):
    """The package with a higher revision, and another template of the configuration."""
    tree = pathlib.Path(folder) / package.name
    must("dpkg-deb", "-R", package, tree)
    old = must("dpkg-deb", "-f", package, "Version").strip()
    upstream, revision = old.rsplit("-", 1)
    number, _, suffix = revision.partition("~")
    new = f"{upstream}-{int(number) + 1}~{suffix}"
    control = tree / "DEBIAN/control"
    control.write_text(control.read_text().replace(old, new))
    template = tree / "usr/share/studyd/studyd.toml"
    if template.exists():
        template.write_text(template.read_text() + "\n# a key that is new\n")
    target = pathlib.Path(folder) / package.name.replace(old, new)
    must("dpkg-deb", "-Zgzip", "-z1", "-b", "--root-owner-group", tree, target)
    return target, new


def trial(release, arch, seen):
    """`seen(fact, is it good, what was seen)` for each thing that has to hold."""
    packages = [next(BASE.glob(f"{name}_*~deb{release}_{arch}.deb")) for name in PACKAGES]
    version = must("dpkg-deb", "-f", packages[0], "Version").strip()
    root = Root(release, arch)
    with tempfile.TemporaryDirectory(dir=BASE) as folder:
        # apt reads as a user of its own.
        os.chmod(folder, 0o755)
        ring = Ring(folder)
        ring.publish(packages)
        ring.trust(root)
        root.must("apt-get update -qq")
        root.must("apt-get install -y -q --no-install-recommends " + " ".join(PACKAGES))
        installed(root, version, packages, seen)
        configured(root, seen)
        before = root.kept()
        root.asked_of_systemd()
        updated(root, ring, packages, folder, before, seen)
        removed(root, before, seen)


def installed(root, version, packages, seen):
    states = root.must(f"dpkg-query -W -f '${{db:Status-Abbrev}}${{Version}} ' {' '.join(PACKAGES)}").split()
    seen("installed from the signed repository", states == ["ii", version] * 3, version)
    built = root.must("sed -n 's/^commit: //p' /usr/share/doc/studyd/build.txt").strip()
    for name in PACKAGES:
        said = root.must(f"{name} --version").strip()
        seen(f"{name} --version", said.endswith(f"(commit {built[:12]})"), said)
    conffiles = root.must(f"dpkg-query -W -f '${{Conffiles}}' {' '.join(PACKAGES)}").strip()
    seen("conffiles", not conffiles and not any("/etc/" in must("dpkg-deb", "-c", each) for each in packages), conffiles or "none")
    files = [root.path / name[1:] for name in root.must("dpkg-query -L studyd").split()]
    size = sum(file.stat().st_size for file in files if file.is_file() and not file.is_symlink())
    stated = int(root.must("dpkg-query -W -f '${Installed-Size}' studyd")) * 1024
    seen("installed size of studyd", max(size, stated) <= LARGEST[root.must("dpkg --print-architecture").strip()], f"{max(size, stated) / 1e6:.1f} MB")
    groups = root.must("id -nG studyd").strip()
    seen("users", {"gpio", "i2c", "dialout"} <= set(groups.split()) and root("id study-receiver")[0] == 0, f"study-receiver; studyd, in {groups}")
    asked = root.asked_of_systemd("start", "restart", "try-restart", "enable", "preset")
    wanted = list((root.path / "etc/systemd/system").rglob("stud*.service"))
    seen("neither started nor enabled", not any(asked.values()) and not wanted, "`init` comes first")


def configured(root, seen):
    root.must("studyd init --board breadboard --zone Europe/Berlin --receiver http://lab.local:8080")
    file = root.path / "etc/studyd/studyd.toml"
    named = file.read_text().split("\n")[0].rstrip(".").split()[-1]
    seen("the template that the configuration names", (root.path / named[1:]).is_file(), named)
    code, said = root("studyd check --json")
    disk = [line for line in said.split("\n") if "/var/lib/studyd" in line and "No such file" in line]
    seen("`init`, then `check` before the first start", not disk and "disk" in said, "the state folder is there" if not disk else disk[0])
    # By hand, as people do.
    file.write_text(file.read_text() + "\n[disk]\ncap_gib = 2.0 # for this card\n")
    root.must("runuser -u studyd -- studyd enroll /usr/share/studyd/studies/sleep-and-movement.json")
    root.write("/var/lib/study-receiver/data/kept", "what devices sent\n")
    root.write("/etc/default/study-receiver", "STUDY_RECEIVER_OPTIONS=--port 8081\n")
    root.must("studyd udev --board /usr/share/studyd/boards/breadboard.toml --into /")
    listed = root.must("systemd-analyze cat-config udev/rules.d")
    rules = [line[2:] for line in listed.split("\n") if line.startswith("# /") and line.endswith("studyd.rules")]
    seen("rule files in force after `studyd udev --into /`", rules == ["/etc/udev/rules.d/70-studyd.rules"], " ".join(rules))


def updated(root, ring, packages, folder, before, seen):
    news = [update(each, folder) for each in packages]
    ring.publish([path for path, _ in news])
    root.must("apt-get update -qq")
    code, said = root("unattended-upgrade --verbose; cat /var/log/unattended-upgrades/unattended-upgrades.log")
    states = root.must(f"dpkg-query -W -f '${{db:Status-Abbrev}}${{Version}} ' {' '.join(PACKAGES)}").split()
    good = code == 0 and states == ["ii", news[0][1]] * 3 and "conffile" not in said
    seen("unattended-upgrade, with an edited configuration and a changed template", good, "to " + states[1] if good else said[-300:])
    seen("configuration and data after the update", root.kept() == before, f"{len(before)} files and folders equal")
    restarts = root.asked_of_systemd("restart", "try-restart", "start", "stop", "reload-or-restart")
    seen("restarts in the update, of services that run", set(restarts.values()) == {1}, ", ".join(f"{unit} {count}" for unit, count in restarts.items()))


def removed(root, before, seen):
    root.must("apt-get remove -y -q " + " ".join(PACKAGES))
    stopped = root.asked_of_systemd("stop")
    seen("stopped when removed", all(stopped.values()), "both services")
    seen("configuration and data after remove", root.kept() == before, "equal")
    said = root.must("apt-get purge -y -q " + " ".join(PACKAGES))
    places = [place for place in ("/etc/studyd", "/var/lib/studyd", "/var/lib/study-receiver") if f"kept {place};" in said]
    seen("configuration and data after purge, which asks nothing", root.kept() == before, "equal; it says that it kept " + ", ".join(places))
    seen("purge says where the data are", len(places) == 3, " ".join(places))


def main(names):
    if os.geteuid():
        sys.exit("deb-test: needs root")
    for tool in ("mmdebstrap", "reprepro", "gpg", "dpkg-deb"):
        if not shutil.which(tool):
            print(f"deb-test: SKIPPED: no {tool}", file=sys.stderr)
            return 77
    there = sorted(f"{path.name.split('~deb')[1].split('_')[0]}-{path.stem.split('_')[-1]}" for path in BASE.glob("studyd_*.deb"))
    faults = 0
    rows = {}
    targets = names or there
    if not targets:
        sys.exit("deb-test: no packages in .build/deb; run 'make deb'")
    for target in targets:
        began = time.monotonic()

        def seen(fact, good, what):
            nonlocal faults
            faults += not good
            print(f"deb-test: {target}: {'good' if good else 'WRONG'}: {fact}: {what}", file=sys.stderr)
            rows.setdefault(fact, {})[target] = what if good else "**wrong:** " + what

        trial(*target.split("-"), seen)
        print(f"deb-test: {target}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    print("| | " + " | ".join(targets) + " |")
    print("|---|" + "---|" * len(targets))
    for fact, found in rows.items():
        print(f"| {fact} | " + " | ".join(found.get(target, "") for target in targets) + " |")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
