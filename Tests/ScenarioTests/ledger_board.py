# SPDX-License-Identifier: Apache-2.0
"""What `killed_ledger.py` and `stopped_ledger.py` share: simulated boards on threads of their own, each with a state folder and an agent that is started
again and again. The arguments are STUDYD [TIMES [SEED [BOARDS]]]."""
import json, os, random, shutil, subprocess, sys, tempfile, threading, time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
STUDYD = os.path.abspath(sys.argv[1])
# Has the simulated board.
TOOLS = os.path.join(os.path.dirname(STUDYD), "studyd-tools")


def argument(place, otherwise):
    return int(sys.argv[place]) if len(sys.argv) > place else otherwise


SEED = argument(3, 1)


class Board(threading.Thread):
    """One board and its agent. `live` is what it goes through; what it raises is a fault."""

    def __init__(self, number, kind, measures, zone="UTC"):
        super().__init__(daemon=True)
        self.random = random.Random(f"{SEED} {number}")
        self.folder = tempfile.mkdtemp(prefix=f"studyd-{kind}-")
        self.faults, self.agent = [], None
        shutil.copy(ROOT + "/boards/simulated.toml", self.folder + "/board.toml")
        with open(self.folder + "/studyd.toml", "w") as file:
            file.write(f'board = "board.toml"\nstate = "{self.folder}/state"\nzone = "{zone}"\n[clock]\ntrust_system = true\n')
            file.writelines(f'[[measure]]\nchannel = "{channel}"\n{table}\nwhen = "always"\n' for channel, table in measures)

    def run(self):
        try:
            self.live()
        except Exception as error:
            self.faults.append(f"{type(error).__name__}: {error}")
        finally:
            if self.agent and self.agent.poll() is None:
                self.agent.kill()
            shutil.rmtree(self.folder, ignore_errors=True)

    def studyd(self, *arguments):
        return subprocess.run([STUDYD, *arguments, "--config", self.folder + "/studyd.toml"], capture_output=True, text=True)

    def begin(self):
        """When the agent was started."""
        began = time.monotonic()
        with open(self.folder + "/errors", "ab") as errors:
            self.agent = subprocess.Popen([TOOLS, "run", "--config", self.folder + "/studyd.toml"], stdout=subprocess.DEVNULL, stderr=errors)
        return began

    def errors(self):
        with open(self.folder + "/errors", errors="replace") as file:
            return file.read()[-2000:]

    def ledger(self):
        """None while the agent is starting and reads its log."""
        try:
            return json.loads(self.studyd("status", "--json").stdout).get("ledger")
        except ValueError:
            return None


def run_all(boards):
    for board in boards:
        board.start()
    for board in boards:
        board.join()


def share(times, boards):
    """How many of `times` each board has."""
    return [times // boards + (number < times % boards) for number in range(boards)]
