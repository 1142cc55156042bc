#!/usr/bin/env python3
"""What was installed completes in the shells that people use: each is started in a pty of the kernel's, words are typed and Tab is pressed. Shells that
are not installed are left out, and said so. Prints what is wrong and ends with 1.

    completions.py SHARE PROGRAMS    what `.ci/install-help` has made, and the folder with the programs"""
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time

PATIENCE = 60
# What is typed, and the words that have to come up.
CASES = (
    ("studyd enr\t", ["enroll"]),
    ("studyd recordings \t\t", ["list", "show", "verify"]),
    ("studyd outbox re\t", ["resend"]),
    ("studyd plan --ca\t", ["--calendar"]),
    ("studyd-tools export --to \t\t", ["csv", "gpx", "wav", "edf", "sage-json", "bids", "xdf"]),
    ("study-receiver --pat\t", ["--patience"]),
)


class Shell:
    def __init__(self, arguments, environment):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.clear()
            os.environ.update(environment)
            os.execvp(arguments[0], arguments)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))

    def until(self, words):
        """What was written until all of these were seen; fish is told what a terminal would answer."""
        written, end = b"", time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.1)[0]:
                data = os.read(self.terminal, 65536)
                written += data
                if b"\x1b[c" in data or b"\x1b[0c" in data:
                    os.write(self.terminal, b"\x1b[?62;c")
            seen = re.sub(rb"\x1b(\[[0-9;?<>=]*[a-zA-Z]|[()].|[=>])", b"", written).decode(errors="replace")
            if all(word in seen for word in words):
                return None
        return seen

    def settle(self):
        """Reads until nothing more comes."""
        while select.select([self.terminal], [], [], 0.7)[0]:
            os.read(self.terminal, 65536)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def started(name, share, home, environment):
    if name == "zsh":
        with open(home + "/.zshrc", "w") as file:
            file.write(f"fpath=({share}/zsh/vendor-completions $fpath)\nautoload -U compinit; compinit -u -d {home}/dump\nPS1='ready> '\n")
        return Shell(["zsh", "-i"], environment)
    if name == "fish":
        look = {"XDG_DATA_DIRS": share + ":/usr/share", "XDG_CONFIG_HOME": home + "/config", "XDG_DATA_HOME": home + "/data"}
        return Shell(["fish", "--private", "-C", "function fish_prompt; echo 'ready> '; end"], environment | look)
    shell = Shell(["bash", "--noprofile", "--norc", "-i"], environment | {"PS1": "ready> "})
    for program in ("studyd", "studyd-tools", "study-receiver"):
        shell.type(f"source {share}/bash-completion/completions/{program}\n")
    return shell


def main(share, programs):
    for name in ("bash", "zsh", "fish"):
        if shutil.which(name) is None:
            print(f"SKIPPED {name}: not installed")
            continue
        with tempfile.TemporaryDirectory() as home:
            environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": home, "TERM": "xterm", "LANG": "C.UTF-8"}
            shell = started(name, share, home, environment)
            try:
                if shell.until(["ready>"]) is not None:
                    sys.exit(f"{name} does not start")
                shell.settle()
                for typed, words in CASES:
                    shell.type(typed)
                    seen = shell.until(words)
                    if seen is not None:
                        sys.exit(f"{name}: {typed!r} does not lead to {words}:\n{seen}")
                    # The line is thrown away.
                    shell.type("\x15")
                    shell.settle()
            finally:
                shell.end()
        print(f"{name} completes")


main(*sys.argv[1:])
