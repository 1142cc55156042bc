#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""early_stops.py STUDYD [RUNS [SEED [BOARDS]]]: ends the agent with SIGTERM in its first moments. Whenever it comes, the agent ends with 0, leaves no file open
and its ledger in balance.

Before main() runs, the signal ends any process (signal(7)). So every second agent is started with SIGTERM blocked, which execve(2) hands on: it may come at
any moment, and waits until the agent is ready for it. The others are started as a shell does, and the signal is sent as soon as /proc says that it is
caught, or a little later."""
import glob, math, signal, sys, time

from ledger_board import Board, argument, run_all, share

RUNS = argument(2, 24)
BOARDS = argument(4, 2)
TERM = {signal.SIGTERM}
# Shares of a second, each octave as often as the next.
EARLIEST, LATEST = 0.001, 1.5


class Early(Board):
    def __init__(self, number, runs):
        super().__init__(number, "early", [("accelerometer", 'rate = 100\nrotate = "10s"'), ("magnetometer", 'rate = 20\nrotate = "10s"')])
        self.runs, self.stops, self.caught = runs, 0, []

    def live(self):
        for number in range(self.runs):
            isBlocked = number % 2 == 0
            signal.pthread_sigmask(signal.SIG_BLOCK if isBlocked else signal.SIG_UNBLOCK, TERM)
            began = self.begin()
            if not isBlocked:
                self.wait_until_caught(began)
            delay = self.random.choice([0, EARLIEST * math.exp(self.random.uniform(0, math.log(LATEST / EARLIEST)))])
            time.sleep(delay)
            self.agent.send_signal(signal.SIGTERM)
            code = self.agent.wait(timeout=120)
            self.stops += 1
            if code != 0:
                self.faults.append(f"run {number}, ended {delay:.3f} s after it {'began' if isBlocked else 'caught it'}, ended with {code}: {self.errors()}")
            left = [path for path in glob.glob(self.folder + "/state/recordings/*") if path.endswith((".open", ".partial"))]
            if left:
                self.faults.append(f"run {number} left {left}")
        ledger = self.ledger()
        if not ledger or not ledger["balanced"] or ledger["samples"]["unaccounted"]:
            self.faults.append(f"at the end the ledger is {ledger}")

    def wait_until_caught(self, began):
        while self.agent.poll() is None:
            with open(f"/proc/{self.agent.pid}/status") as file:
                caught = next((int(line.split()[1], 16) for line in file if line.startswith("SigCgt")), 0)
            if caught >> (signal.SIGTERM - 1) & 1:
                self.caught.append(time.monotonic() - began)
                return
            time.sleep(0.0005)


def main():
    boards = [Early(number, runs) for number, runs in enumerate(share(RUNS, BOARDS))]
    run_all(boards)
    stops, caught = sum(board.stops for board in boards), sorted(sum((board.caught for board in boards), []))
    print(f"{stops} early ends; from the start until SIGTERM is caught: {caught[len(caught) // 2] * 1000:.0f} ms in the middle, "
          f"{caught[-1] * 1000:.0f} ms at most" if caught else f"{stops} early ends")
    for board in boards:
        for fault in board.faults:
            print("WRONG", fault)
    return 1 if stops < RUNS or any(board.faults for board in boards) else 0


if __name__ == "__main__":
    sys.exit(main())
