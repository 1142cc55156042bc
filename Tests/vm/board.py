# SPDX-License-Identifier: Apache-2.0
"""The virtual board as a machine: QEMU, its power, its shell, its screen, its serial line."""
import datetime
import json
import math
import os
import pathlib
import signal
import socket
import struct
import subprocess
import threading
import time
import uuid


class Lost(Exception):
    """The machine is gone or does not answer."""


class Failed(Exception):
    """A command in the guest ended with an error."""


class Board:
    """One machine with one disk. Power can be cut and given again."""
    CONSOLE = "console=ttyS0 no_timer_check"

    def __init__(self, image, folder, tree, adapter_socket, append="", extra=()):
        """`append` goes to the kernel's command line, `extra` to QEMU's."""
        self.folder = pathlib.Path(folder)
        self.tree = tree
        self.adapter_socket = adapter_socket
        self.image = pathlib.Path(image)
        self.disk = self.folder / "disk.img"
        self.process = None
        self.shell = None
        self.boots = 0
        self.append, self.extra = f"{append} {self.CONSOLE}", list(extra)
        subprocess.run(["cp", "--sparse=always", "--reflink=auto", self.image / "disk.img", self.disk], check=True)
        self._initramfs()

    def _initramfs(self):
        """The image's initramfs and, behind it, this test's own scripts: the kernel unpacks both."""
        guest = pathlib.Path(__file__).parent / "guest"
        stage = self.folder / "initrd"
        (stage / "board").mkdir(parents=True)
        for path in guest.iterdir():
            target = stage / ("init" if path.name == "init" else f"board/{path.name}")
            target.write_bytes(path.read_bytes())
            target.chmod(0o755)
        (stage / "board/tone.raw").write_bytes(tone())
        names = "\n".join(["init", "board"] + [f"board/{path.name}" for path in (stage / "board").iterdir()])
        packed = subprocess.run(["cpio", "-o", "-H", "newc", "--quiet", "-R", "0:0"], cwd=stage, input=names.encode(),
                                stdout=subprocess.PIPE, check=True).stdout
        first = (self.image / "initrd.gz").read_bytes()
        # The kernel looks for a second, unpacked archive at multiples of four only.
        (self.folder / "initrd.gz").write_bytes(first + bytes(-len(first) % 512) + packed)

    def command(self):
        f = self.folder
        quiet = " ".join(f"systemd.mask={unit}" for unit in
                         ("apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "fstrim.timer", "e2scrub_all.timer",
                          "e2scrub_reap.service", "getty.target", "systemd-logind.service", "systemd-user-sessions.service",
                          "systemd-update-utmp.service", "chrony.service"))
        return [*self.machine(), "-accel", "tcg", "-smp", "1", "-m", "512", "-nodefaults", "-display", "none", "-no-reboot",
                "-initrd", str(f / "initrd.gz"),
                "-append", f"{self.append} quiet panic=-1 net.ifnames=0 mitigations=off nokaslr systemd.show_status=0 {quiet}",
                "-drive", f"file={self.disk},if=none,id=disk,format=raw,cache=writeback", "-device", "virtio-blk-pci,drive=disk",
                "-device", "virtio-rng-pci", "-chardev", f"file,id=console,path={f}/console.log,append=on", "-serial", "chardev:console",
                *self.parts(), "-chardev", f"socket,id=shell,path={f}/shell.sock,server=on,wait=off",
                "-device", "virtio-serial-pci", "-device", "virtserialport,chardev=shell,name=board.shell,nr=1",
                "-netdev", "user,id=net", "-device", "virtio-net-pci,netdev=net,romfile=",
                "-device", "qemu-xhci,id=xhci", "-chardev", f"socket,id=usb,path={self.adapter_socket}",
                "-device", "usb-redir,chardev=usb,bus=xhci.0", "-qmp", f"unix:{f}/qmp.sock,server=on,wait=off", *self.extra]

    def machine(self):
        """The processor, what is around it, and its kernel."""
        return ["qemu-system-x86_64", "-M", "pc", "-cpu", "max", "-kernel", str(self.image / "vmlinux")]

    def parts(self):
        """Beyond what every machine has: the disk with the tree, and the line of the GPS receiver."""
        return ["-drive", f"file={self.tree},if=none,id=tree,format=raw,readonly=on", "-device", "virtio-blk-pci,drive=tree",
                "-chardev", f"socket,id=gps,path={self.folder}/gps.sock,server=on,wait=off", "-serial", "chardev:gps"]

    def power_on(self, within=float(os.environ.get("VM_BOOT", 400))):
        """Boots and waits for the shell; seconds until it answered."""
        began = time.monotonic()
        for name in ("gps", "shell", "qmp"):
            (self.folder / f"{name}.sock").unlink(missing_ok=True)
        with open(self.folder / "qemu.log", "ab") as log:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.shell = self._connect("shell")
        self.pending = b""
        self.powered()
        self.boots += 1
        while True:
            try:
                if self.sh("echo ready", within=2) == "ready":
                    return time.monotonic() - began
            except (Failed, Lost, OSError):
                if self.process.poll() is not None or time.monotonic() - began > within:
                    raise Lost(f"no shell after {time.monotonic() - began:.0f} s\n{self.console()}\n{self.log()}")

    def powered(self):
        """The moment after power came, before the kernel has looked around."""

    def _connect(self, name):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(str(self.folder / f"{name}.sock"))
                return connection
            except OSError:
                if self.process.poll() is not None:
                    raise Lost(self.log())
                time.sleep(0.05)
        raise Lost(f"QEMU offers no {name}.sock")

    def sh(self, command, within=60, check=True):
        """Runs a command in the guest; what it printed on both outputs. Throws when it fails, unless told not to."""
        code, output = self.run(command, within)
        if check and code != 0:
            raise Failed(f"in the guest: {command}\nended with {code}: {output}")
        return output.strip()

    def run(self, command, within=60):
        """Exit code and output of a command in the guest."""
        mark = uuid.uuid4().hex[:12]
        tag = f"@@{mark}:".encode()
        self.shell.settimeout(within)
        end = time.monotonic() + within
        try:
            self.shell.sendall(f"{{ {command}\n}} 2>&1 </dev/null; echo \"@@{mark}:$?@@\"\n".encode())
        except OSError as error:
            raise Lost(f"{command}: {error}")
        while True:
            start = self.pending.find(tag)
            stop = self.pending.find(b"@@", start + len(tag)) if start >= 0 else -1
            if stop >= 0:
                output = self.pending[:start].decode(errors="replace")
                code = int(self.pending[start + len(tag):stop])
                self.pending = self.pending[stop + 2:].lstrip(b"\r\n")
                return code, self._without_earlier(output)
            left = end - time.monotonic()
            if left <= 0:
                raise Lost(f"no end after {within} s: {command}")
            self.shell.settimeout(left)
            try:
                data = self.shell.recv(65536)
            except socket.timeout:
                continue
            except OSError as error:
                raise Lost(f"{command}: {error}\n{self.console()[-500:]}")
            if not data:
                raise Lost(f"the machine ended: {command}\n{self.log()}")
            self.pending += data

    @staticmethod
    def _without_earlier(output):
        """Leaves out the ends of commands that were given up."""
        lines = output.split("@@")
        return lines[-1].lstrip("\r\n") if len(lines) > 1 else output

    def picture(self):
        """What a person would see on the machine's screen: width, height and rows of red, green, blue, from QEMU itself."""
        place = self.folder / "screen.ppm"
        place.unlink(missing_ok=True)
        self.order("screendump", filename=str(place))
        _, size, _, pixels = place.read_bytes().split(b"\n", 3)
        width, height = map(int, size.split())
        return width, height, pixels

    def order(self, command, **arguments):
        """Tells QEMU itself to do something."""
        connection = self._connect("qmp")
        with connection, connection.makefile("rw") as lines:
            lines.readline()
            for order in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments}):
                lines.write(json.dumps(order) + "\n")
                lines.flush()
                while "event" in (answer := json.loads(lines.readline())):
                    pass
                assert "return" in answer, answer

    def stolen(self):
        """Seconds that the emulated processor has waited for one of the host's: a loaded host is not the agent's fault."""
        most = 0
        try:
            for task in pathlib.Path(f"/proc/{self.process.pid}/task").iterdir():
                most = max(most, int((task / "schedstat").read_text().split()[1]))
        except (AttributeError, OSError, IndexError):
            pass
        return most / 1e9

    def cut_power(self):
        """As when the plug is pulled: nothing is told to the guest."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.shell.close()

    def power_off(self):
        if self.process and self.process.poll() is None:
            self.cut_power()

    def console(self):
        path = self.folder / "console.log"
        return path.read_text(errors="replace")[-3000:] if path.exists() else ""

    def log(self):
        path = self.folder / "qemu.log"
        return path.read_text(errors="replace")[-2000:] if path.exists() else ""


class Receiver(threading.Thread):
    """A GPS receiver on the serial line: one epoch a second, at the host's own time, on a slow walk."""

    def __init__(self, board):
        super().__init__(daemon=True)
        self.board = board
        self.noise = []
        self.epochs = 0
        self.running = True
        self.latitude, self.longitude = 52.4, 13.05

    def run(self):
        line, boot = None, 0
        while self.running:
            now = datetime.datetime.now(datetime.timezone.utc)
            time.sleep(1 - now.microsecond / 1e6)
            try:
                if line is None or boot != self.board.boots:
                    line, boot = socket.socket(socket.AF_UNIX), self.board.boots
                    line.connect(str(self.board.folder / "gps.sock"))
                while self.noise:
                    line.sendall(self.noise.pop(0))
                line.sendall(self.epoch(datetime.datetime.now(datetime.timezone.utc)))
                self.epochs += 1
            except OSError:
                line = None

    def epoch(self, now):
        self.latitude += 1.0 / 111_320
        clock, date = now.strftime("%H%M%S.00"), now.strftime("%d%m%y")
        place = (f"{angle(self.latitude, 2)},N,{angle(self.longitude, 3)},E")
        return b"".join(sentence(text) for text in (
            f"GPRMC,{clock},A,{place},2.0,0.0,{date},,,A", f"GPGGA,{clock},{place},1,08,1.0,35.0,M,44.0,M,,",
            "GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.8,1.0,1.5"))


def tone(rate=16_000, frequency=1000, amplitude=0.1):
    """A second of a sine, -20 dBFS, that can be played again and again without a click."""
    return b"".join(struct.pack("<h", round(32767 * amplitude * math.sin(2 * math.pi * frequency * n / rate))) for n in range(rate))


def angle(degrees, digits):
    whole = int(degrees)
    return f"{whole:0{digits}d}{(degrees - whole) * 60:08.5f}"


def sentence(body):
    check = 0
    for byte in body.encode():
        check ^= byte
    return f"${body}*{check:02X}\r\n".encode()
