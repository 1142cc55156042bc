# SPDX-License-Identifier: Apache-2.0
"""Death and resurrection: kill -9, a hang, an orderly stop, power cuts; and what is left in the end."""
import json
import time

from lab import wait_for
from trial import AGENT, MEASURES, NEXT, RECORDINGS, SELECT


def restarts(t):
    def killed():
        before = t.unit("MainPID", "NRestarts")
        t.sh("systemctl kill -s KILL studyd")
        wait_for(lambda: t.unit("NRestarts")["NRestarts"] != before["NRestarts"], 30, "systemd restarts it")
        t.is_active()
        after = t.unit("MainPID", "NRestarts")
        assert after["MainPID"] != before["MainPID"], after
        was, now = t.grows("accelerometer", within=60)
        return f"NRestarts {before['NRestarts']} → {after['NRestarts']}, records again: {was} → {now}"

    def hangs():
        before = int(t.unit("NRestarts")["NRestarts"])
        t.sh("systemctl kill -s STOP studyd")
        wait_for(lambda: int(t.unit("NRestarts")["NRestarts"]) > before, 90, "the watchdog ends a process that hangs")
        t.is_active()
        log = t.sh("journalctl -u studyd --no-pager -q | grep -c 'Watchdog timeout'", check=False)
        assert int(log or 0) > 0, "systemd did not name the watchdog"
        was, now = t.grows("accelerometer", within=60)
        return f"stopped by SIGSTOP, ended by the watchdog, records again: {was} → {now}"

    t.check("kill -9: systemd restarts it and it goes on", killed)
    if not t.short:
        t.check("watchdog: a process that hangs is restarted", hangs)


def stops(t):
    def body():
        was, _ = t.grows("accelerometer")
        began, waited = float(t.sh("cut -d' ' -f1 /proc/uptime")), t.board.stolen()
        t.sh("systemctl stop studyd", within=60)
        whole = float(t.sh("cut -d' ' -f1 /proc/uptime")) - began
        waited = t.board.stolen() - waited
        took = max(0, whole - waited)
        t.figure("systemctl stop to all sealed", round(took, 2), "s", limit=5, waitedForHost=round(waited, 2))
        unit = t.unit("ActiveState", "Result", "ExecMainStatus")
        assert unit == {"ActiveState": "inactive", "Result": "success", "ExecMainStatus": "0"}, unit
        left = t.sh(f"ls {RECORDINGS} | grep -E 'partial|open'", check=False)
        assert not left, f"not sealed: {left}"
        assert took <= 5, f"{took:.1f} s, and {waited:.1f} s that the host took from the machine"
        verdict = t.sh(f"{AGENT} recordings verify $(ls {RECORDINGS}/*.cwa | tail -3)")
        ledger = json.loads(t.sh(f"{AGENT} status --json"))["ledger"]
        assert ledger["balanced"], ledger
        return f"{took:.1f} s, nothing open, {verdict.splitlines()[-1]}"

    def self_test(tries=3):
        """A starved machine may make a good chip look slow, so a failure must come back."""
        began, waited = time.monotonic(), t.board.stolen()
        code, output = t.board.run(f"{AGENT} check --json", within=120)
        took = max(0, time.monotonic() - began - (t.board.stolen() - waited))
        findings = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        results = {r: sum(f["result"] == r for f in findings) for r in ("ok", "warning", "failed", "skipped")}
        failed = [f"{f['part']} {f['name']}: {f['detail']}" for f in findings if f["result"] == "failed"]
        assert code in (0, 1) and len(findings) > 8, output[-1000:]
        if failed and tries > 1:
            return self_test(tries - 1)
        assert not failed, "; ".join(failed)
        t.figure("studyd check", round(took, 1), "s", limit=10)
        return f"{results}; {took:.1f} s"

    def again():
        t.sh("systemctl start studyd", within=90)
        was, now = t.grows("accelerometer", within=60)
        return f"{was} → {now}"

    t.check("systemctl stop seals every file in at most 5 s", body)
    t.check("studyd check finds every part of the board", self_test)
    t.check("started again it goes on", again)


def sealed(t):
    """Sealed recordings by name with their hash."""
    lines = t.sh(f"cd {RECORDINGS} && ls | grep -vE 'json$|tmp$|partial|open|next-number|journal-' | xargs -r sha256sum").splitlines()
    return {name: digest for digest, name in (line.split() for line in lines)}


def power(t):
    """The first cut right after an answer was taken, the second while the first is being recovered from."""
    cuts = ("right after an answer", "soon after the start") if not t.short else ("right after an answer",)
    for moment in cuts:
        power_cut(t, moment)


def submit(t):
    """From rest the list is opened, the one task in it, yes, and it is sent off."""
    counts = t.status()["ledger"]["occurrences"]
    before = counts["selfStarted"] + counts["completed"]
    for _ in range(3):
        t.press(SELECT, SELECT, NEXT, SELECT)
        try:
            return wait_for(lambda: (c := t.status()["ledger"]["occurrences"])["selfStarted"] + c["completed"] > before, 10,
                            "the answer is taken", pause=0.1)
        except AssertionError:
            continue
    raise AssertionError("no press sequence submitted the sticky task")


def between_files(status):
    return status["ledger"]["samples"]["lost"].get("betweenFiles", 0)


def power_cut(t, moment):
    before = {}

    def cut():
        def partial():
            sizes = t.sh(f"cd {RECORDINGS} && stat -c '%s %n' *partial*", check=False).splitlines()
            found = [line.split() for line in sizes if line[0].isdigit()]
            return len(found) >= 4 and all(int(size) > 0 for size, _ in found) and [name for _, name in found]
        before["boot"] = t.sh("cat /proc/sys/kernel/random/boot_id")
        if "answer" in moment:
            submit(t)
        # Files change every 20 s: these are looked at last, and one that is sealed in the meantime is no open one.
        before["status"] = t.status()
        before["partial"] = wait_for(partial, 60, "four files are open and not empty")
        before["sealed"] = sealed(t)
        t.board.cut_power()
        return f"{len(before['sealed'])} sealed files, {len(before['partial'])} open ones"

    def boots():
        seconds = t.board.power_on()
        assert t.sh("cat /proc/sys/kernel/random/boot_id") != before["boot"]
        t.is_active(within=120)
        return f"shell after {seconds:.0f} s, systemd started the agent by itself"

    def kept():
        after = sealed(t)
        for name, digest in before["sealed"].items():
            assert after.get(name) == digest, f"{name}: {digest} before, {after.get(name)} after"
        return f"all {len(before['sealed'])} sealed files are there, byte for byte"

    def recovered():
        rows = []
        for name in before["partial"]:
            number = name.split("-")[0]
            # What began in the last seconds may not have reached the disk: no file, and its samples lost between two files.
            if not t.sh(f"ls {RECORDINGS} | grep '^{number}-'", check=False):
                wait_for(lambda: between_files(t.status()) > between_files(before["status"]), 60,
                         f"the ledger counts the samples of {name}, which never reached the disk")
                rows.append(f"{name} never reached the disk, its samples are counted")
                continue
            def described():
                return json.loads(t.sh(f"cat {RECORDINGS}/{number}-*.json"))
            note = wait_for(lambda: (d := described())["state"] == "sealed" and d, 60, f"{name} is sealed")
            if not note.get("isRecovered"):
                rows.append(f"{note['kind']} was sealed at the last moment")
                continue
            lost = note["samplesLost"].get("powerCut", 0) / note["nominalRate"]
            # One sync interval of 10 s, an open block, and what a slow machine had not taken out of its rings.
            assert note["kind"] == "position" or lost < 14, f"{name}: {lost:.1f} s lost"
            rows.append(f"{note['kind']} {note['samplesStored']} stored, {note['samplesLost'].get('powerCut', 0)} lost"
                        + (f" ({lost:.1f} s)" if note["kind"] != "position" else ""))
        return "; ".join(rows)

    def on():
        was = before["status"]["ledger"]
        status = wait_for(lambda: (s := t.status())["ledger"]["samples"]["due"] >= was["samples"]["due"] and s, 60,
                          f"the files of the cut are in the ledger, which had {was}")
        assert status["ledger"]["balanced"], status["ledger"]
        for count in ("completed", "selfStarted"):
            assert status["ledger"]["occurrences"][count] >= was["occurrences"][count], (was, status["ledger"])
        return ", ".join(f"{kind} {was} → {now}" for kind in MEASURES if kind != "sound" for was, now in [t.grows(kind, 60)])

    t.check(f"power cut {moment}", cut, vital=True)
    t.check("power comes back", boots, vital=True)
    t.check("nothing sealed is lost", kept)
    t.check("open files are recovered and their loss is stated", recovered)
    t.check("answers are kept, recording goes on", on)


def final(t):
    def everything():
        wait_for(lambda: (i := t.status()["ledger"]["items"])["waiting"] + i["sending"] == 0, 90, "the outbox is empty")
        status = t.status()
        samples, items = status["ledger"]["samples"], status["ledger"]["items"]
        # Due is what rate and time demand, so a sample that is on its way through chip and rings is held, and 1 % is what clocks and rates differ.
        lost = sum(samples["lost"].values())
        unaccounted = samples["due"] - samples["stored"] - lost - samples["held"]
        t.figure("samples unaccounted", unaccounted, "1", due=samples["due"], stored=samples["stored"], held=samples["held"],
                 lost=samples["lost"])
        assert status["ledger"]["balanced"] and abs(unaccounted) <= samples["due"] / 100, status["ledger"]
        assert not t.server.get("/api/refusals"), t.server.get("/api/refusals")
        counts = status["ledger"]["occurrences"]
        answers = wait_for(lambda: (n := len(t.server.answers())) >= counts["completed"] + counts["selfStarted"] and n, 60,
                           f"every answer arrives; the ledger has {counts}, the receiver {len(t.server.answers())}")
        assert answers == counts["completed"] + counts["selfStarted"], (answers, counts)
        return f"balanced; {items}; {answers} answers taken and arrived, each once"

    def chain():
        output = t.sh(f"{AGENT} verify-log")
        assert "intact" in output, output
        return output.splitlines()[-1]

    def verified():
        names = t.sh(f"cd {RECORDINGS} && ls *.cwa *.csv.gz *.nmea.gz 2>/dev/null | grep -v partial | xargs").split()
        output = t.sh(f"cd {RECORDINGS} && {AGENT} recordings verify {' '.join(names)}", within=120)
        return f"{len(names)} recordings: {output.splitlines()[-1]}"

    t.check("the ledger is balanced, nothing is unaccounted, nothing was refused", everything)
    t.check("the log's hash chain is whole", chain)
    t.check("every sealed recording is as its description says", verified)
