# SPDX-License-Identifier: Apache-2.0
"""The main job's waiting, in virtual time: however long the board takes for a command, a prompt is watched from its beginning to its end."""
import unittest
from unittest import mock

import job
import lab
from trial import BUZZER, CLASS_LED, LED, MOTOR


class SlowBoard:
    """A board on which each command takes `delay` seconds, and a clock that only waiting moves. A prompt falls due at each full minute after the
    enrolment and is open until the next; one task is open from the enrolment on."""

    server = mock.Mock()
    gps = mock.Mock()

    def __init__(self, start, delays):
        self.now, self.delays = start, delays
        self.enrolled, self.watched_from, self.verdicts = None, None, {}

    def time(self):
        return self.now

    monotonic = time

    def sleep(self, seconds):
        self.now += seconds

    def sh(self, command):
        self.sleep(self.delays.get("enroll" if "enroll" in command else "tone", 0))
        if "enroll" in command:
            self.enrolled = self.now - self.delays.get("enroll", 0)
            return "participant P017 in study VIRTUAL"
        return ""

    def stored(self, kind):
        return 1

    def prompts(self):
        first = int(self.enrolled // 60 + 1)
        return [60 * minute for minute in range(first, first + 5) if 60 * minute <= self.now]

    def status(self):
        counts = {"due": 1 + len(self.prompts()), "open": 1 + (bool(self.prompts()) and self.now < self.prompts()[-1] + 60), "completed": 0}
        self.sleep(self.delays.get("status", 0))
        return {"ledger": {"occurrences": counts}}

    def watch(self):
        self.watched_from = self.now

    def watched(self):
        """Each prompt's signal of five seconds: what of it was watched."""
        pulses = [(at + offset, length) for at in self.prompts() for offset, length in ((0, 0.8), (1.3, 0.3), (2.6, 0.8), (3.9, 0.3))
                  if self.watched_from <= at + offset and at + offset + length <= self.now]
        return {line: pulses for line in (BUZZER, MOTOR, LED, CLASS_LED)}

    def check(self, what, body, vital=False):
        try:
            self.verdicts[what] = body() if "answer" not in what and "arrive" not in what else "not tried"
        except AssertionError as error:
            self.verdicts[what] = error


class MainJobTests(unittest.TestCase):
    def test_a_prompt_is_watched_whole_however_slow_the_board_is(self):
        for start in range(0, 60, 5):
            for enrolling in (1, 24, 26, 59, 61, 100):
                for status in (0, 3, 8):
                    board = SlowBoard(start, {"enroll": enrolling, "tone": 7, "status": status})
                    with mock.patch.object(job, "time", board), mock.patch.object(lab, "time", board):
                        job.main_job(board)
                    seen = board.verdicts["prompt by light, buzzer and motor"]
                    self.assertIsInstance(seen, str, f"begun at second {start}, enrolled in {enrolling} s, status in {status} s: {seen}")

    def test_the_task_that_is_always_open_is_no_prompt(self):
        board = SlowBoard(0, {"enroll": 1})
        board.sh("enroll")
        self.assertFalse(lab.is_prompted(board))
        board.sleep(60)
        self.assertTrue(lab.is_prompted(board))


if __name__ == "__main__":
    unittest.main()
