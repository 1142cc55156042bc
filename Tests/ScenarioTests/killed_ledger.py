#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""killed_ledger.py STUDYD [KILLS [SEED]]: kills the agent (SIGKILL) again and again, and compares its ledger of samples with an outside count.

The count knows only what stands outside the agent: when processes were started and killed (CLOCK_MONOTONIC of this process), how fast the
simulated chip really samples, and what lies in the files, read here by the format's published layout (Open Movement, cwa.h: sectors of 512
bytes after a header of 1024, `sampleCount` at byte 28 of an 'AX' sector), not by the agent's code. Ends with 1 where they differ."""
import glob, json, os, random, shutil, signal, struct, subprocess, sys, tempfile, time

STUDYD = os.path.abspath(sys.argv[1])
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 10
RANDOM = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
RATE = 100 * 1.008  # the twin of the LIS3DH is 0.8 % fast
BOARD = os.path.join(os.path.dirname(__file__), "../../boards/simulated.toml")


def main():
    folder = tempfile.mkdtemp(prefix="studyd-killed-")
    try:
        return trial(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def trial(folder):
    shutil.copy(BOARD, folder + "/board.toml")
    with open(folder + "/studyd.toml", "w") as file:
        file.write(f'board = "board.toml"\nstate = "{folder}/state"\nzone = "UTC"\n[clock]\ntrust_system = true\n'
                   '[[measure]]\nchannel = "accelerometer"\nrate = 100\nwhen = "always"\nrotate = "10s"\n')
    killed, begun = [], []
    for life in range(KILLS + 1):
        agent, measured = start(folder)
        begun.append(measured)
        time.sleep(RANDOM.uniform(0.1, 6) if life < KILLS else 3)
        boards = simulated_board(agent.pid)
        if life < KILLS:
            agent.send_signal(signal.SIGKILL)
            killed.append(time.monotonic())
            agent.wait()
        else:
            agent.send_signal(signal.SIGTERM)
            ended = time.monotonic()
            agent.wait(timeout=30)
        for board in boards:
            shutil.rmtree(board, ignore_errors=True)
    return compare(folder, begun, killed, ended)


def start(folder):
    """The process, and when its first file was there."""
    old = set(glob.glob(folder + "/state/recordings/*.open"))
    began = time.monotonic()
    agent = subprocess.Popen([STUDYD, "run", "--config", folder + "/studyd.toml"], stdout=subprocess.DEVNULL,
                             stderr=open(folder + "/errors", "ab"))
    measured = None
    while time.monotonic() - began < 120:
        # The chip is set up at once, and its first samples begin a file.
        if measured is None and set(glob.glob(folder + "/state/recordings/*.open")) - old:
            measured = time.monotonic()
        if agent.poll() is not None:
            sys.exit("the agent ended: " + open(folder + "/errors", errors="replace").read()[-2000:])
        if measured and status(folder).get("running"):
            return agent, measured
        time.sleep(0.01)
    sys.exit("the agent does not answer")


def status(folder):
    done = subprocess.run([STUDYD, "status", "--json", "--config", folder + "/studyd.toml"], capture_output=True)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def simulated_board(pid):
    boards = set()
    for link in glob.glob(f"/proc/{pid}/fd/*"):
        try:
            path = os.readlink(link)
        except OSError:
            continue
        if path.startswith("/tmp/studyd-board-"):
            boards.add("/".join(path.split("/")[:3]))
    return boards


def samples(path):
    """Samples in the sectors of a CWA file."""
    with open(path, "rb") as file:
        content = file.read()
    count = 0
    for place in range(1024, len(content) - 511, 512):
        sector = content[place:place + 512]
        if sector[:2] == b"AX" and sum(struct.unpack("<256H", sector)) & 0xFFFF == 0:
            count += struct.unpack_from("<H", sector, 28)[0]
    return count


def compare(folder, begun, killed, ended):
    ledger = status(folder)["ledger"]["samples"]
    stored = sum(samples(path) for path in glob.glob(folder + "/state/recordings/*.cwa"))
    # The first samples came up to a drain, a second, before their file.
    begun, doubt = [moment - 0.5 for moment in begun], 0.5
    due = RATE * (ended - begun[0])
    off = RATE * sum(again - dead for again, dead in zip(begun[1:], killed))
    own = ledger["lost"]
    print(f"{len(killed)} kills in {ended - begun[0]:.0f} s")
    print(f"{'':12}{'outside':>12}{'ledger':>12}")
    faults = []

    def row(name, outside, said, tolerance):
        print(f"{name:12}{outside:12.0f}{said:12.0f}   {100 * (said - outside) / due:+.2f} % of what was due")
        if abs(said - outside) > tolerance:
            faults.append(f"{name}: the ledger says {said}, the outside count {outside:.0f}")

    row("due", due, ledger["due"], 0.01 * due + RATE * doubt)
    row("stored", stored, ledger["stored"], 0)
    row("missing", due - stored, sum(own.values()), 0.01 * due + RATE * doubt)
    # A heart beats once a second: what was measured between the last beat and the kill counts as off.
    row("off", off, own.get("off", 0), 0.01 * due + RATE * 1.2 * len(killed))
    row("unaccounted", 0, ledger["unaccounted"], 0.01 * due)
    print("lost:", ", ".join(f"{reason} {count}" for reason, count in sorted(own.items())))
    for fault in faults:
        print("WRONG", fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
