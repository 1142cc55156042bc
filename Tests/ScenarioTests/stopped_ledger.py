#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stopped_ledger.py STUDYD [RUNS [SEED [BOARDS]]]: runs the agent again and again for a random time, asks for its ledger at random moments, ends it with
SIGTERM, and asks again. At every moment what was due and what became of it are one number: `unaccounted` is 0. What the end changes is where samples
are, not how many: no sum is smaller after it than before, and occurrences are those that they were. The runs are shared out to simulated boards that
run at the same time, each enrolled in a study, each measuring motion, a field and sound levels. Ends with 1 where anything differs."""
import signal, sys, time

from ledger_board import ROOT, Board, argument, run_all, share

RUNS = argument(2, 8)
BOARDS = argument(4, min(4, max(1, RUNS // 4)))
SHORTEST, LONGEST = 0.5, 25.0
MEASURES = [(channel, table + '\nrotate = "10s"') for channel, table in
            (("accelerometer", "rate = 100"), ("magnetometer", "rate = 20"), ("sound", 'format = "levels"'))]


def night():
    """A zone in which it is past eleven at night: the study's prompts of the day are over, the next is at nine, and none falls due between two looks.
    The tz database counts the hours west of Greenwich in these names."""
    east = (23 - time.gmtime().tm_hour + 11) % 24 - 11
    return f"Etc/GMT{-east:+d}"


class Stopped(Board):
    def __init__(self, number, runs):
        super().__init__(number, "stopped", MEASURES, zone=night())
        self.runs = runs
        self.asked = self.stops = self.due = self.occurrences = 0

    def live(self):
        done = self.studyd("enroll", ROOT + "/studies/sleep-and-movement.json", "--participant", "P1")
        if done.returncode:
            raise RuntimeError("enroll: " + done.stdout + done.stderr)
        for number in range(self.runs):
            self.one(number)
        if not self.occurrences:
            self.faults.append("no prompt was due")

    def one(self, number):
        self.begin()
        length = SHORTEST * (LONGEST / SHORTEST) ** self.random.random()
        end, before = time.monotonic() + length, None
        for _ in range(self.random.randint(1, 3)):
            time.sleep(max(0, self.random.uniform(0, end - time.monotonic())))
            before = self.ask(f"run {number}, running") or before
        time.sleep(max(0, end - time.monotonic()))
        self.agent.send_signal(signal.SIGTERM)
        code = self.agent.wait(timeout=60)
        if code != 0:
            self.faults.append(f"run {number} ended with {code}: {self.errors()}")
        after = self.ask(f"run {number}, stopped")
        self.stops += 1
        if not after:
            self.faults.append(f"run {number}: no ledger after the stop")
        # Before an agent has read its study for the first time nothing was due yet.
        elif before and before["occurrences"]["due"] and before["occurrences"] != after["occurrences"]:
            self.faults.append(f"run {number}: occurrences {before['occurrences']}, after the stop {after['occurrences']}")
        if after:
            if after["samples"]["due"] < max(self.due, before["samples"]["due"] if before else 0):
                self.faults.append(f"run {number}: due fell to {after['samples']['due']}")
            self.due = after["samples"]["due"]

    def ask(self, when):
        ledger = self.ledger()
        if ledger is None:
            return None
        self.asked += 1
        samples = ledger["samples"]
        if samples["unaccounted"] != 0:
            self.faults.append(f"{when}: unaccounted {samples['unaccounted']} of {samples}")
        if not ledger["balanced"]:
            self.faults.append(f"{when}: not balanced: {ledger}")
        self.occurrences = ledger["occurrences"]["due"]
        return ledger


def main():
    boards = [Stopped(number, runs) for number, runs in enumerate(share(RUNS, BOARDS))]
    run_all(boards)
    stops = sum(board.stops for board in boards)
    print(f"{stops} runs ended with SIGTERM, {sum(board.asked for board in boards)} ledgers read, {sum(board.due for board in boards)} samples due, "
          f"{sum(len(board.faults) for board in boards)} differences")
    for board in boards:
        for fault in board.faults:
            print("WRONG", fault)
    return 1 if stops < RUNS or any(board.faults for board in boards) else 0


if __name__ == "__main__":
    sys.exit(main())
