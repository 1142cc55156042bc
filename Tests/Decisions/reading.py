#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An independent reading of docs/rules.md: computes every decision of a log once more.

  reading.py STATE|DATASET|LINES [--rules FILE] [--seed HEX] [--zone NAME] [--features FILE.csv] [--cwa FILE.cwa ...]

STATE is the state folder of a device (studyd.sqlite), DATASET what `study-receiver export --unblind` wrote of one, LINES
what `studyd simulate --decisions` or `studyd history --events` printed. Features are those of the log unless a table of
`studyd-tools features` or recordings of acceleration are given; counts of the latter are those of PyPI's agcounts. Prints
n of n, or the first that differs and exits with 1. Written from the page alone; nothing but Python's own library but for
--cwa.
"""
import argparse, bisect, csv, datetime, gzip, hashlib, json, math, os, re, sqlite3, sys, tomllib, zoneinfo

SECOND = 10**9
DAY = 86_400 * SECOND
MASK = (1 << 64) - 1
COLUMNS = {"enmo": ["enmo"], "mad": ["mad"], "anglez": ["angle_z"], "sound": ["laeq", "sound"], "visits": ["dwell", "visit"],
           "agcounts": ["counts_x", "counts_y", "counts_z", "counts_vm"]}
COVERAGE = {"accelerometer": "coverage", "sound": "sound_coverage", "position": "position_coverage"}
FACTORS = {"": 1, "g": 1, "mg": 0.001, "deg": 1, "dB": 1, "s": 1, "m": 60, "h": 3600}
MISSED = {"device-off", "clock-unknown", "clock-stepped", "zone-changed", "late"}


class Differs(Exception):
    pass


# The draw

def unit(seed, label):
    key = int.from_bytes(hashlib.sha256(seed + label.encode()).digest()[:8], "big")
    state = (key + 0x9E3779B97F4A7C15) & MASK
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return ((state ^ (state >> 31)) >> 11) * 2.0**-53


# Expressions: a tree of tuples, true, false or None (unknown)

def duration(text):
    return int(text[:-1]) * {"s": 1, "m": 60, "h": 3600}[text[-1]] * SECOND


class Parser:
    def __init__(self, text):
        self.words = re.findall(r"[<>!=]=|[<>()]|-?\d+(?:\.\d+)?[a-zA-Z]*|\w+", text)

    def take(self, *wanted):
        if self.words and (not wanted or self.words[0] in wanted):
            return self.words.pop(0)

    def expression(self):
        tree = self.both()
        while self.take("or"):
            tree = ("or", tree, self.both())
        return tree

    def both(self):
        tree = self.held()
        while self.take("and"):
            tree = ("and", tree, self.held())
        return tree

    def held(self):
        tree = self.single()
        while self.take("for"):
            tree = ("for", tree, duration(self.take()))
        return tree

    def single(self):
        if self.take("not"):
            return ("not", self.single())
        if self.take("("):
            tree = self.expression()
            assert self.take(")")
            return tree
        name, sign = self.take(), self.take()
        number, word = re.fullmatch(r"(-?[\d.]+)([a-zA-Z]*)", self.take()).groups()
        return ("is", name, sign, float(number) * FACTORS[word])


def parse(text):
    parser = Parser(text)
    tree = parser.expression()
    assert not parser.words, text
    return tree


def named(tree):
    return {tree[1]} if tree[0] == "is" else set().union(*(named(part) for part in tree[1:] if isinstance(part, tuple)))


def truth(tree, value, at=None, step=None):
    """`value(name, at)` gives a feature's value or None; `at` and `step` are for `for`."""
    kind = tree[0]
    if kind == "is":
        left, right = value(tree[1], at), tree[3]
        if left is None:
            return None
        return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right, "==": left == right,
                "!=": left != right}[tree[2]]
    if kind == "not":
        inner = truth(tree[1], value, at, step)
        return None if inner is None else not inner
    if kind == "for":
        looks, time = [], at
        while time > at - tree[2]:
            looks.append(truth(tree[1], value, time, step))
            time -= step
        return False if False in looks else None if None in looks else True
    sides = [truth(tree[1], value, at, step), truth(tree[2], value, at, step)]
    decisive = kind == "or"
    return decisive if decisive in sides else None if None in sides else not decisive


# The file

class Feature:
    def __init__(self, name, table):
        self.name, self.source, self.kind = name, table["from"], table["is"]
        self.epoch = duration(table.get("epoch", "60s"))
        self.window = duration(table["window"]) if "window" in table else self.epoch
        self.reduce, _, end = table.get("reduce", "mean").partition("-")
        columns = COLUMNS[self.kind]
        self.column = next(name for name in columns if name.endswith(end))
        self.needs = table.get("needs", 0.8)


class Rule:
    def __init__(self, name, table, features):
        self.name, self.task, self.table = name, table["task"], table
        self.when = parse(table["when"]) if "when" in table else None
        self.every = duration(table["every"]) if "every" in table else None
        self.at = sorted(clock(text) for text in table["at"]) if "at" in table else None
        self.rearm = duration(table.get("rearm", "30m"))
        self.needs = table.get("available", [])
        rows = table.get("probability", [])
        self.rows = [{"p": rows}] if isinstance(rows, (int, float)) else rows
        self.rows = [(parse(row["when"]) if "when" in row else None, float(row["p"])) for row in self.rows]
        self.budget = table.get("budget")
        self.quiet = [tuple(clock(part) for part in span.split("-")) for span in table.get("quiet", [])]
        self.outcome = table.get("outcome")
        trees = [self.when] + [row[0] for row in self.rows] + [condition(need) for need in self.needs]
        self.names = set().union(*(named(tree) for tree in trees if tree))
        watched = named(self.when) if self.when else set()
        self.step = min((features[name].epoch for name in watched), default=60 * SECOND)

    def is_quiet(self, time):
        return any(a <= time < b if a < b else time >= a or time < b for a, b in self.quiet)

    def active(self, start=0):
        """Nanoseconds of a day that are not quiet, from `start` on."""
        edges = sorted({start, DAY} | {edge for span in self.quiet for edge in span if start < edge < DAY})
        return sum(b - a for a, b in zip(edges, edges[1:]) if not self.is_quiet(a))

    def usual(self):
        """The most points that a day can have."""
        if self.at is not None:
            return sum(not self.is_quiet(time) for time in self.at)
        return math.ceil(self.active() / self.every) if self.every else self.active() // self.rearm + 1


def clock(text):
    hours, minutes = text.split(":")
    return (int(hours) * 60 + int(minutes)) * 60 * SECOND


def condition(need):
    """The expression, where it is one."""
    fixed = need in ("worn", "no run open", "prompts on", "clock trusted") or need.endswith("since prompt")
    return None if fixed else parse(need)


class Rules:
    def __init__(self, data):
        self.digest = hashlib.sha256(data).hexdigest()
        tree = tomllib.loads(data.decode())
        self.days = tree.get("days")
        self.features = {name: Feature(name, table) for name, table in tree.get("feature", {}).items()}
        self.rules = {name: Rule(name, table, self.features) for name, table in tree.get("rule", {}).items()}


# Epochs

class Epochs:
    """Rows of one length: begin, values by column, coverage; of several sources."""

    def __init__(self, length, rows, tolerance):
        self.length, self.rows, self.tolerance = length, sorted(rows, key=lambda row: row[0]), tolerance
        self.starts = [row[0] for row in self.rows]

    def reading(self, feature, start, end, since=None):
        """(value, coverage, from, to) of the epochs within a span that begin no earlier than `since`."""
        first = bisect.bisect_left(self.starts, max(start, since or start))
        counted = []
        for begin, values, coverage in self.rows[first:]:
            if begin + self.length > end:
                break
            if values.get(feature.column) is not None and coverage.get(feature.source):
                counted.append((begin, values[feature.column], coverage[feature.source]))
        covered = 0.0
        for _, _, share in counted:
            covered += share * (self.length / SECOND)
        covered /= (end - start) / SECOND
        if not counted:
            return None, 0.0, None, None
        numbers = [value for _, value, _ in counted]
        total = 0.0
        for number in numbers:
            total += number
        value = {"sum": total, "mean": total / len(numbers), "min": min(numbers), "max": max(numbers),
                 "last": numbers[-1]}[feature.reduce]
        known = covered >= feature.needs - 1e-9
        return value if known else None, min(1.0, covered), counted[0][0], counted[-1][0] + self.length


def instant(text):
    """Whole nanoseconds of an RFC 3339 time with Z."""
    whole, _, part = text.removesuffix("Z").partition(".")
    moment = datetime.datetime.fromisoformat(whole + "+00:00")
    return int(moment.timestamp()) * SECOND + int((part + "0" * 9)[:9])


def table_epochs(path):
    """A table of `studyd-tools features`; its numbers are rounded."""
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
        lines = file.read().splitlines()
    length = next(duration(line[7:].split(",")[0]) for line in lines if line.startswith("#epoch "))
    rows = []
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        number = {name: float(text) for name, text in row.items()
                  if text and name not in ("time", "local", "uptime")}
        coverage = {source: number.get(name, 1.0 if name not in row else None) for source, name in COVERAGE.items()}
        rows.append((instant(row["time"]), number, coverage))
    return Epochs(length, rows, tolerance=True)


# The log

class Log:
    """Events of one enrolment in their order, and the facts that decisions rest on."""

    def __init__(self, enrolled, rules, events, is_whole):
        self.enrolled, self.rules, self.events, self.is_whole = enrolled, rules, events, is_whole
        self.seed = bytes.fromhex(enrolled["seed"])
        self.zone = zone(enrolled)


def zone(enrolled):
    if enrolled.get("zone"):
        return zoneinfo.ZoneInfo(enrolled["zone"])
    day, time = enrolled["local"]
    seconds = round((day * DAY + time - enrolled["instant"]) / SECOND)
    return datetime.timezone(datetime.timedelta(seconds=seconds))


def wall(time, zone):
    """What the wall clock shows: days since 1970-01-01, nanoseconds since midnight."""
    whole, rest = divmod(time, SECOND)
    moment = datetime.datetime.fromtimestamp(whole, tz=datetime.timezone.utc).astimezone(zone).replace(tzinfo=None)
    past = moment - datetime.datetime(1970, 1, 1)
    return past.days, past.seconds * SECOND + rest


def resolved(day, time, zone):
    """A time of day as a moment: one that is skipped moves on by the gap, of one that comes twice the first."""
    local = datetime.datetime(1970, 1, 1) + datetime.timedelta(days=day, seconds=time // SECOND)
    before = local.replace(tzinfo=zone, fold=0)
    return round(before.timestamp()) * SECOND


def state_logs(path):
    """Of the state folder of a device."""
    database = sqlite3.connect(f"file:{path}/studyd.sqlite?mode=ro", uri=True)
    enrolments = database.execute("SELECT record FROM enrolment ORDER BY sequence").fetchall()
    files = {digest: bytes(data) for digest, data in database.execute("SELECT digest, bytes FROM study_file")}
    for (text,) in enrolments:
        enrolled = json.loads(text)
        if not enrolled.get("rules"):
            continue
        rows = database.execute(
            "SELECT kind, wall, body, boot, monotonic FROM event WHERE enrolment = ? OR kind IN ('agentStarted', 'anchored') "
            "ORDER BY sequence",
            (enrolled["id"],))
        events = [(kind, at, json.loads(body) | {"run": (boot, time)}) for kind, at, body, boot, time in rows]
        is_whole = any(kind == "agentStarted" for kind, _, _ in events)
        yield Log(enrolled, Rules(files[enrolled["rules"]]), events, is_whole)


def dataset_logs(path):
    """Of what was exported with its seeds."""
    def cell(row, name, kind=float):
        return kind(row[name]) if row.get(name) else None

    def table(name):
        with open(f"{path}/{name}", newline="") as file:
            return list(csv.DictReader(file))

    rows = table("decisions.csv")
    prompts = table("prompts.csv") if os.path.exists(f"{path}/prompts.csv") else []
    for seed in table("seeds.csv"):
        with open(f"{path}/rules/{seed['rules']}.toml", "rb") as file:
            rules = Rules(file.read())
        local = datetime.datetime.fromisoformat(seed["enrolled_local"]) - datetime.datetime(1970, 1, 1)
        enrolled = {"id": seed["enrolment"], "participant": seed["id"], "seed": seed["seed"], "zone": seed["zone"],
                    "instant": instant(seed["enrolled_utc"]),
                    "local": [local.days, local.seconds * SECOND + local.microseconds * 1000]}
        events = []
        for row in rows:
            if (row["id"], row["enrolment"]) != (seed["id"], seed["enrolment"]):
                continue
            local = datetime.datetime.fromisoformat(row["due_local"]) - datetime.datetime(1970, 1, 1)
            names = [] if row["result"] == "missed" else [
                (name, "feature." + name if "feature." + name in row else name)
                for name in rules.rules[row["rule"]].names]
            decision = {
                "rule": row["rule"], "index": int(row["decision"]), "task": row["task"], "due": instant(row["due_utc"]),
                "at": instant(row["decided_utc"]), "result": row["result"], "available": row["available"] == "1",
                "local": [local.days, local.seconds * SECOND + local.microseconds * 1000],
                "reasons": row["reasons"].split(), "rules": row["rules"], "day": cell(row, "day", int),
                "treatment": int(row["treatment"])}
            if names:
                decision["state"] = {
                    name: {key: value for key, value in [
                        ("value", cell(row, column)), ("coverage", cell(row, column + "_coverage")),
                        ("from", cell(row, column + "_from_utc", instant)),
                        ("to", cell(row, column + "_to_utc", instant))] if value is not None}
                    for name, column in names}
            if decision["available"]:
                decision |= {"probability": float(row["probability"]), "draw": cell(row, "draw")}
            elif float(row["probability"]) != 0 or row["draw"]:
                raise Differs(f"{row['id']} {row['rule']}/{row['decision']}: a probability or draw without availability")
            if row["budget_day"]:
                decision["budget"] = {"day": int(row["budget_day"]), "allowance": float(row["budget_allowance"]),
                                      "spent": float(row["budget_spent"]), "expected": float(row["budget_expected"]),
                                      "seen": int(row["budget_seen"])}
            feature = (rules.rules[row["rule"]].outcome or {}).get("feature")
            if feature and row["result"] != "missed":
                decision["outcome"] = feature
            events.append(("decided", decision["at"], {"decision": decision}))
            if row["outcome_feature"]:
                outcome = {"rule": row["rule"], "index": decision["index"], "feature": row["outcome_feature"],
                           "coverage": cell(row, "coverage")}
                outcome |= {"value": cell(row, "outcome")} if row["outcome_observed"] == "1" else {
                    "missing": row["outcome_missing"]}
                events.append(("outcomeMeasured", None, {"outcome": outcome}))
        # Points of all rules are decided in the order of `due`, then of their names.
        decided = sorted((event for event in events if event[0] == "decided"),
                         key=lambda event: (event[2]["decision"]["due"], event[2]["decision"]["rule"]))
        told = [event for row in prompts if (row["participant"], row["enrolment"]) == (seed["id"], seed["enrolment"])
                for event in prompt_events(row)]
        yield Log(enrolled, rules, decided + [event for event in events if event[0] != "decided"] + told, False)


def prompt_events(row):
    """What became of a prompt of a rule, of a row of prompts.csv, which has those that are over."""
    found = re.fullmatch(r".*/rule\.(.+)\.(\d+)", row["prompt"])
    if not found:
        return
    yield "raised", None, {"rule": found[1], "index": int(found[2]), "occurrence": row["prompt"]}
    if row["presented_utc"]:
        yield "presented", None, {"occurrence": row["prompt"]}
    outcome = row["reason"] if row["outcome"] == "missed" and row["reason"] else row["outcome"]
    yield "concluded", None, {"occurrence": {"id": row["prompt"]}, "outcome": outcome}


def lines_log(path, rules, seed, zone_name):
    """Of `studyd history --events`, the last enrolment, or of `studyd simulate --decisions`."""
    with (sys.stdin if path == "-" else open(path)) as file:
        lines = [json.loads(line) for line in file]
    events, enrolled = [], None
    for line in lines:
        (kind, body), = line.get("event", line).items()
        if kind == "enrolled":
            events, enrolled = [event for event in events if event[0] == "agentStarted"], body["enrolment"]
        at = line["wall"] if "event" in line else (body.get("decision") or body.get("outcome") or body)["at"]
        if "event" not in line or kind == "agentStarted" or enrolled and line["enrolment"] == enrolled["id"]:
            events.append((kind, at, body | {"run": (line.get("boot"), line.get("monotonic"))}))
    if enrolled:
        return Log(enrolled, rules, events, any(kind == "agentStarted" for kind, _, _ in events))
    enrolled = {"id": "simulated", "participant": "simulated", "seed": seed, "zone": zone_name, "instant": None}
    return Log(enrolled, rules, events, False)


# The reading

class Reading:
    def __init__(self, log, epochs=(), recorded=None):
        self.log, self.rules, self.recorded = log, log.rules, recorded
        self.epochs = {table.length: table for table in epochs}
        self.zone, self.stays = log.zone, []
        # The stays that were over at the last decision; when the agent began to run, by its boot and by the wall clock.
        self.ended, self.began, self.start = 0, (None, None), None
        self.last, self.budget, self.outcomes, self.treated = {}, {}, {}, {}
        self.last_prompt, self.prompts_on, self.since, self.boot = None, True, None, None
        # By the clock of then, which is what the next run of the agent knows.
        self.noted_prompt = None
        self.decided, self.values, self.taken = 0, 0, {}
        # Sums of counts that are another number than in the log, and the same.
        self.whole = {False: 0, True: 0}
        # Of rules with a condition: the last point in this run of the agent; and what was looked up in it.
        self.looked, self.found = {}, {}
        self.prompts, self.raised, self.due_outcomes = {}, {}, {}
        self.counts = {"treated": 0, "control": 0, "unavailable": {}, "missed": {}}

    def run(self):
        for kind, at, body in self.log.events:
            if kind == "decided" and "decision" in body:
                boot, time = body.get("run", (None, None))
                self.start = at - (time - self.began[1]) if boot and boot == self.began[0] else None
                self.decide(body["decision"])
                self.end_stays(body["decision"]["at"])
            elif kind == "outcomeMeasured" and "outcome" in body:
                self.measure(body["outcome"])
            else:
                self.fact(kind, at, body)
        if self.log.is_whole:
            for where in self.treated:
                if where not in self.raised:
                    raise Differs(f"{where[0]}/{where[1]}: treated, and no prompt was raised")
        return self

    def fact(self, kind, at, body):
        """What decisions rest on besides features."""
        if kind == "agentStarted":
            self.since, self.looked, self.found = at, {}, {}
            self.began = body["run"]
            if self.log.is_whole:
                self.last_prompt = self.noted_prompt
            if self.recorded:
                # What was measured before the agent ran is not known to it.
                self.since, self.boot = None, body["run"]
                self.epochs = {table.length: table for table in self.recorded.epochs(*self.boot)}
        elif kind == "anchored":
            if self.recorded and self.boot and self.since is None and body["anchor"]["source"] != "unknown":
                self.since, self.looked, self.found = body["anchor"]["instant"], {}, {}
                self.epochs = {table.length: table for table in self.recorded.epochs(*self.boot, self.since)}
        elif kind == "prompted":
            self.last_prompt = self.noted_prompt = at
        elif kind == "presented":
            self.prompts.setdefault(body["occurrence"], [False, None])[0] = True
        elif kind == "concluded":
            self.prompts.setdefault(body["occurrence"]["id"], [False, None])[1] = body["outcome"]
        elif kind == "promptsSwitched":
            self.prompts_on = body["on"]
        elif kind == "clockStepped":
            self.last_prompt = self.last_prompt and self.last_prompt + body["nanoseconds"]
            if abs(body["nanoseconds"]) > SECOND // 2:
                self.since, self.looked, self.found = at, {}, {}
        elif kind == "zoneChanged":
            # Until then the device was on in the zone before; a log of an older version does not say it.
            if "until" in body:
                self.stays = [(min(until, body["until"]), zone) for until, zone in self.stays]
                self.stays.append((body["until"], self.zone))
            self.zone = zoneinfo.ZoneInfo(body["to"])
        elif kind == "raised":
            self.raised[body["rule"], body["index"]] = body["occurrence"]

    def take(self, reason):
        """It rests on something that the log does not tell."""
        self.taken[reason] = self.taken.get(reason, 0) + 1

    # One decision

    def decide(self, found):
        rule = self.rules.rules.get(found["rule"])
        where = f"{self.log.enrolled['participant']} {found['rule']}/{found['index']}"

        def same(name, computed, logged, tolerance=0.0):
            if computed is None or logged is None or isinstance(computed, (str, list, bool)):
                is_same = computed == logged
            else:
                is_same = abs(computed - logged) <= tolerance
            if not is_same:
                raise Differs(f"{where}: {name} is {computed} by this reading, {logged} in the log")

        if rule is None:
            raise Differs(f"{where}: there is no such rule")
        due = found["due"]
        previous = self.last.get(rule.name)
        same("index", previous["index"] + 1 if previous else 1, found["index"])
        same("rules", self.rules.digest, found["rules"])
        same("task", rule.task, found["task"])
        self.point(rule, previous, found, same)
        self.last[rule.name] = found
        self.decided += 1
        if found["result"] == "missed":
            if len(found["reasons"]) != 1 or found["reasons"][0] not in MISSED:
                raise Differs(f"{where}: missed for {found['reasons']}")
            same("lateness", True, found["at"] - due > 120 * SECOND)
            for name in ("state", "probability", "draw", "label", "budget"):
                same(name, None, found.get(name))
            self.count("missed", found["reasons"][0])
            return
        same("lateness", False, found["at"] - due > 120 * SECOND)
        state = found.get("state", {})
        same("names of the state", sorted(rule.names), sorted(state))
        for name in rule.names:
            self.check(self.rules.features[name], due, state[name], same)

        def value(name, _):
            return state[name].get("value")

        chances, unknown = self.table(rule, value)
        reasons = self.reasons(rule, found, value) + (["coverage"] if unknown else [])
        same("reasons", reasons, found["reasons"])
        budget = self.begin(rule, found["local"][0]) if rule.budget else None
        logged = found.get("budget")
        same("budget", budget is None, logged is None)
        for name in budget or {}:
            same(f"budget's {name}", budget[name], logged[name], 1e-9)
        same("available", not reasons, found["available"])
        if rule.outcome:
            self.due_outcomes[rule.name, found["index"]] = due
        same("outcome", rule.outcome["feature"] if rule.outcome else None, found.get("outcome"))
        if "day" in found:
            same("day", found["local"][0] - self.log.enrolled["local"][0] + 1, found["day"])
        if reasons:
            same("result", "unavailable", found["result"])
            same("probability", None, found.get("probability"))
            same("draw", None, found.get("draw"))
            self.count("unavailable", reasons[0])
            return
        if rule.budget:
            chances = self.spend(rule, found["local"][1])
        same("probability", chances, found["probability"], 1e-12)
        label = f"rule {rule.name}/{found['index']}"
        same("label", label, found.get("label", label))
        draw = unit(self.log.seed, label)
        same("draw", draw, found["draw"])
        same("result", "treated" if draw < chances else "control", found["result"])
        if draw < chances:
            self.treated[rule.name, found["index"]] = found
            if not self.log.is_whole:
                self.last_prompt = found["at"]
        same("treatment", int(draw < chances), found.get("treatment", int(draw < chances)))
        self.count(found["result"])

    def count(self, result, reason=None):
        if reason is None:
            self.counts[result] += 1
        else:
            self.counts[result][reason] = self.counts[result].get(reason, 0) + 1

    def end_stays(self, at):
        """It was decided in the zone after, also where a clock that was ahead dated the change later."""
        self.stays[self.ended:] = [(min(until, at), zone) for until, zone in self.stays[self.ended:]]
        self.ended = len(self.stays)

    def zone_at(self, time):
        if self.start is not None and time >= self.start:
            return self.zone
        return next((zone for until, zone in self.stays if time <= until), self.zone)

    def point(self, rule, previous, found, same):
        """It falls due where the page says."""
        due = found["due"]
        local = wall(due, self.zone if rule.at else self.zone_at(due))
        if rule.at is None:
            same("local", list(local), list(found["local"]))
        same("quiet", False, rule.is_quiet(found["local"][1]) or rule.is_quiet(local[1]))
        if self.rules.days and self.log.enrolled["instant"] is not None:
            same("within days", True, found["local"][0] - self.log.enrolled["local"][0] < self.rules.days)
        begin = previous["due"] if previous else self.log.enrolled["instant"]
        if rule.every:
            if begin is not None and (not previous or due > begin - 3 * 3600 * SECOND):
                due_next = begin // rule.every * rule.every + rule.every
                while rule.is_quiet(wall(due_next, self.zone_at(due_next))[1]):
                    due_next += rule.every
                same("due", due_next, due)
            same("multiple", 0, due % rule.every)
        elif rule.at is not None:
            same("time of day", True, found["local"][1] in rule.at)
            same("due", resolved(*found["local"], self.zone), due)
            if previous:
                def shown(slot):
                    return wall(resolved(*slot, self.zone), self.zone)

                slots = [(previous["local"][0] + day, time) for day in (-1, 0, 1, 2) for time in rule.at]
                slots = [slot for slot in slots if not rule.is_quiet(slot[1]) and not rule.is_quiet(shown(slot)[1])]
                # In the order of `due`; of two that meet, the one that exists, which is the later one.
                slots = [slot for slot in slots if shown(slot) > shown(tuple(previous["local"]))]
                slot = min(slots, key=lambda slot: (shown(slot), -slot[0], -slot[1]))
                same("slot", list(slot), list(found["local"]))
        else:
            same("rearmed", True, not previous or due - previous["due"] >= rule.rearm)
        if rule.when:
            same("multiple", 0, due % rule.step)
            if found["result"] != "missed":
                self.condition(rule, found, same)

    def condition(self, rule, found, same):
        """With epochs `for` is looked at all along; else by what it was like when it was due."""
        if self.epochs:
            def value(name, at):
                return self.lookup(self.rules.features[name], at)[0]
            same("when", True, truth(rule.when, value, found["due"], rule.step))
            if rule.name in self.looked:
                # It would have held, and no point came.
                time = -(-(self.looked[rule.name] + rule.rearm) // rule.step) * rule.step
                while time < found["due"]:
                    if not rule.is_quiet(wall(time, self.zone)[1]):
                        same(f"when, at {time}", False, truth(rule.when, value, time, rule.step) is True)
                    time += rule.step
            self.looked[rule.name] = found["due"]
        else:
            state = found["state"]
            same("when", True, truth(instantaneous(rule.when), lambda name, _: state[name].get("value")))

    def lookup(self, feature, at):
        end = at // feature.epoch * feature.epoch
        if (feature.name, end) not in self.found:
            self.found[feature.name, end] = self.epochs[feature.epoch].reading(
                feature, end - feature.window, end, self.since)
        return self.found[feature.name, end]

    def check(self, feature, due, logged, same):
        """The state of a feature, by its epochs."""
        if logged.get("value") is not None:
            same(f"{feature.name}'s coverage is enough", True, logged["coverage"] >= feature.needs - 1e-9)
        if feature.epoch not in self.epochs:
            self.take(f"value of {feature.name}")
            return
        self.compare(feature, self.lookup(feature, due), logged, same)

    def compare(self, feature, computed, logged, same):
        value, coverage, *span = computed
        many = feature.window // feature.epoch
        is_rounded = self.epochs[feature.epoch].tolerance
        is_whole = feature.column in ("counts_x", "counts_y", "counts_z") and feature.reduce != "mean"
        slack = 0.0 if is_whole else 0.006 * (many if feature.reduce == "sum" else 1) if is_rounded else 1e-9 * max(
            1.0, abs(value or 0))
        if self.recorded:
            # A device's times of samples are finer than those in its file: a tenth of a second may lie across an edge.
            slack = 1e-3 * max(1.0, abs(value or 0))
        same(f"{feature.name}", value, logged.get("value"), slack)
        if is_whole and value is not None:
            self.whole[value == logged["value"]] += 1
        same(f"{feature.name}'s coverage", coverage, logged["coverage"],
             0.0006 if is_rounded else 0.002 if self.recorded else 1e-9)
        for name, edge in zip(("from", "to"), span):
            same(f"{feature.name}'s {name}", edge, logged.get(name))
        self.values += value is not None

    def table(self, rule, value):
        """(probability, whether a condition is unknown before one that holds)"""
        for tree, chances in rule.rows:
            holds = True if tree is None else truth(tree, value)
            if holds:
                return chances, False
            if holds is None:
                return None, True
        return None, False

    def reasons(self, rule, found, value):
        logged, reasons = found["reasons"], []
        for name in ("study-paused", "task-locked"):
            if name in logged[:1]:
                self.take(name)
                reasons.append(name)
        for need in rule.needs:
            tree = condition(need)
            if tree:
                holds = truth(tree, value)
                reasons += [] if holds else ["coverage" if holds is None else "condition"]
            elif need == "worn":
                reasons += self.taken_as_logged("not-worn", logged)
            elif need == "no run open":
                reasons += self.taken_as_logged("run-open", logged)
            elif need == "prompts on":
                if self.log.is_whole:
                    reasons += [] if self.prompts_on else ["prompts-off"]
                else:
                    reasons += self.taken_as_logged("prompts-off", logged)
            elif need.endswith("since prompt"):
                span = duration(need.split()[0])
                last = self.last_prompt
                is_recent = last is not None and found["due"] - span < last <= found["due"] + 3 * 3600 * SECOND
                if self.log.is_whole or is_recent:
                    reasons += ["recent-prompt"] if is_recent else []
                else:
                    # Of prompts that no rule raised this log tells nothing.
                    reasons += self.taken_as_logged("recent-prompt", logged)
        same_due = any(other["task"] == rule.task and other["due"] == found["due"] for other in self.treated.values())
        return reasons + (["other-rule"] if same_due else [])

    def taken_as_logged(self, reason, logged):
        if reason not in logged:
            return []
        self.take(reason)
        return [reason]

    # The budget

    def begin(self, rule, day):
        terms = rule.budget
        per_day, decay = terms["per_day"], terms.get("decay", 0.3)
        now = self.budget.get(rule.name)
        if now is None:
            now = {"day": day, "allowance": per_day, "spent": 0.0, "expected": terms.get("expect", rule.usual()), "seen": 0}
        elif day > now["day"]:
            now = {"day": day, "allowance": min(2 * per_day, max(0, per_day + (now["allowance"] - now["spent"]))),
                   "spent": 0.0, "expected": max(1, (1 - decay) * now["expected"] + decay * now["seen"]), "seen": 0}
        elif day < now["day"] - 1:
            now = now | {"day": day}
        self.budget[rule.name] = now
        return now

    def spend(self, rule, time):
        now = self.budget[rule.name]
        if rule.at is not None:
            own = [at for at in rule.at if not rule.is_quiet(at)]
            share = sum(at > time for at in own) / len(own)
        else:
            share = rule.active(time // 10**6 * 10**6) / rule.active()
        chances = min(0.95, max(0.05, (now["allowance"] - now["spent"]) / (1 + now["expected"] * share)))
        self.budget[rule.name] = now | {"spent": now["spent"] + chances, "seen": now["seen"] + 1}
        return chances

    # The outcome

    def measure(self, found):
        where = found["rule"], found["index"]
        text = f"{self.log.enrolled['participant']} {found['rule']}/{found['index']}: its outcome"
        if where not in self.due_outcomes or where in self.outcomes:
            raise Differs(f"{text} is of no decision, or comes twice")
        self.outcomes[where] = found.get("missing", "measured")

        def same(name, computed, logged, tolerance=0.0):
            if computed != logged and (computed is None or logged is None or abs(computed - logged) > tolerance):
                raise Differs(f"{text}: {name} is {computed} by this reading, {logged} in the log")

        rule = self.rules.rules[found["rule"]]
        feature = self.rules.features[rule.outcome["feature"]]
        same("feature", True, feature.name == found["feature"])
        same("rules", True, found.get("rules", self.rules.digest) == self.rules.digest)
        start = -(-self.due_outcomes[where] // feature.epoch) * feature.epoch
        end = start + duration(rule.outcome["window"].removeprefix("+"))
        same("begin", start, found.get("from", start))
        same("end", end, found.get("to", end))
        same("a value or a reason", True, ("value" in found) != ("missing" in found))
        if found.get("missing") in (None, "coverage") and feature.epoch in self.epochs:
            computed = self.epochs[feature.epoch].reading(feature, start, end, self.since)
            self.compare(feature, computed[:2], found, same)

    # The ledger

    def ledger(self):
        sums = [self.counts["treated"], self.counts["control"], sum(self.counts["unavailable"].values()),
                sum(self.counts["missed"].values())]
        outcomes = {}
        for where in self.due_outcomes:
            result = self.outcomes.get(where, "waiting")
            outcomes[result] = outcomes.get(result, 0) + 1
        prompts = {"presented": 0, "waiting": 0, "not presented": {}}
        for where in self.treated:
            presented, outcome = self.prompts.get(self.raised.get(where), (False, None))
            if presented:
                prompts["presented"] += 1
            elif outcome is None:
                prompts["waiting"] += 1
            else:
                reason = ended(outcome)
                prompts["not presented"][reason] = prompts["not presented"].get(reason, 0) + 1
        return {"due": sum(sums), **self.counts, "outcomes": outcomes, "prompts": prompts}


class Recorded:
    """Recordings of acceleration, by the run of the agent that made them."""

    def __init__(self, paths, log):
        self.lengths = sorted({feature.epoch for feature in log.rules.features.values()})
        self.begins = [body["run"] for kind, _, body in log.events if kind == "agentStarted"]
        self.files = []
        for path in paths:
            with open(os.path.splitext(path)[0] + ".json") as file:
                about = json.load(file)
            self.files.append((about["bootID"], round(about["startUptime"] * SECOND), path))

    def epochs(self, boot, begin, since=None):
        import counts
        end = min((time for other, time in self.begins if other == boot and time > begin), default=math.inf)
        own = [path for other, time, path in self.files if other == boot and begin <= time < end]
        return [Epochs(length, counts.rows(own, length, since) if own else [], tolerance=False) for length in self.lengths]


def instantaneous(tree):
    """Without the spans: what must hold at the moment itself."""
    if tree[0] == "for":
        return instantaneous(tree[1])
    return tuple(instantaneous(part) if isinstance(part, tuple) else part for part in tree)


def ended(outcome):
    """The reason of an outcome as the log has it, or its name."""
    if isinstance(outcome, str):
        return outcome.split("/")[-1]
    (name, body), = outcome.items()
    if isinstance(body, dict) and body:
        inner = next(iter(body.values()))
        return inner if isinstance(inner, str) else name
    return name


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("log")
    parser.add_argument("--rules")
    parser.add_argument("--seed", default=hashlib.sha256(b"studyd seed 1").hexdigest())
    parser.add_argument("--zone", default="UTC")
    parser.add_argument("--features", action="append", default=[])
    parser.add_argument("--cwa", nargs="+", default=[])
    options = parser.parse_args()
    if os.path.exists(f"{options.log}/studyd.sqlite"):
        logs = list(state_logs(options.log))
    elif os.path.isdir(options.log):
        logs = list(dataset_logs(options.log))
    else:
        with open(options.rules, "rb") as file:
            logs = [lines_log(options.log, Rules(file.read()), options.seed, options.zone)]
    if not logs:
        sys.exit("no enrolment with rules")
    epochs = [table_epochs(path) for path in options.features]
    if options.cwa and not logs[0].is_whole:
        import counts
        lengths = {feature.epoch for log in logs for feature in log.rules.features.values()}
        epochs += [Epochs(length, counts.rows(options.cwa, length), tolerance=False) for length in sorted(lengths)]
    total, values, whole, taken = 0, 0, [0, 0], {}
    for log in logs:
        try:
            reading = Reading(log, epochs, Recorded(options.cwa, log) if options.cwa and log.is_whole else None).run()
        except Differs as problem:
            print(problem)
            sys.exit(1)
        total += reading.decided
        values += reading.values
        whole = [whole[0] + reading.whole[True], whole[1] + sum(reading.whole.values())]
        for name, count in reading.taken.items():
            taken[name] = taken.get(name, 0) + count
        print(json.dumps({"enrolment": log.enrolled["id"]} | reading.ledger()))
    print(f"{total} of {total} decisions; {values} values of features computed from samples or epochs"
          + (f"; sums of counts that are the same whole number: {whole[0]} of {whole[1]}" if whole[1] else "")
          + "".join(f"; {name} taken as logged: {count}" for name, count in sorted(taken.items())))


if __name__ == "__main__":
    main()
