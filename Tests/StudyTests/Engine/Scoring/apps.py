#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the apps send for a script of presses, worked out from the apps' own sources.

Written from ResearchKit (commit daba8c9f), FDA MyStudies (GoogleCloudPlatform/fda-mystudies 7f3ea838),
MotorControl-iOS, BiAffectSDK and momenTUM-app; not from the scoring that it is compared with.

Reads one JSON object with a key "plays" from standard input: a list of {"task", "parameters", "script", "sent"}.
Prints a line for every figure that the apps would have sent differently, and ends with a line "N plays, M differences".
Times are seconds, except in `vigilance`, where they are milliseconds as in the app.

A script may hold {"kill": true}: the program ends there and starts again. ResearchKit, MotorControl, BiAffectSDK and momenTUM
keep nothing of a task that was killed, so what came before is not sent. MyStudies' kick counter goes on (`kicks`).
"""
import json
import math
import sys


INSTANT = 1e-7  # two times nearer than this are one


def after_last_kill(script):
    begin = 0
    for index, event in enumerate(script):
        if event.get("kill"):
            begin = index + 1
    return script[begin:]


# ResearchKitActiveTask/Spatial Span Memory/ORKSpatialSpanMemoryStepViewController.m, ORKSpatialSpanGame.m, ORKSpatialSpanGameState.m

def c_round(value):
    return math.floor(value + 0.5)


def points(step):
    """didTapTileWithIndex: (round(log2(stepIndex)) + 1) * 5"""
    return (c_round(math.log2(step)) + 1) * 5


def grid_size(span):
    side = min(max(math.ceil(math.sqrt(span * 2)), 2), 6)
    return side * side


def span(parameters, script):
    """script: games in order, {"sequence", "size", "shown", "taps": [[seconds since input opened, tile]], "left": paused or not}.

    `carries` is what the board can show: gameSize is the grid's of ORKSpatialSpanMemoryStep, or all targets of the board.
    """
    length = parameters["initialSpan"]
    games = failed_in_a_row = 0
    records = []
    broken = []
    for index, game in enumerate(after_last_kill(script)):
        if games >= parameters["maximumTests"] or failed_in_a_row >= parameters["maximumConsecutiveFailures"]:
            broken.append(f"game {index} began after the end")
            break
        sequence = game["sequence"]
        if len(sequence) != length:
            broken.append(f"game {index} has a span of {len(sequence)}, the app's has {length}")
        if not 0 < len(sequence) < game["size"]:  # ORKSpatialSpanGame: NSParameterAssert(_sequenceLength < _gameSize)
            broken.append(f"game {index} has {len(sequence)} of {game['size']} targets")
        if game["size"] != min(grid_size(length), parameters["targets"]):
            broken.append(f"game {index} is on {game['size']} targets, the app's on {grid_size(length)}")
        if len(set(sequence)) != len(sequence) or any(not 0 <= tile < game["size"] for tile in sequence):
            broken.append(f"game {index} repeats a target or has one that is none")
        if game["shown"] != (sequence[::-1] if parameters["requireReversal"] else sequence):
            broken.append(f"game {index} is shown in another order")
        score, status, lit, samples, clock = 0, None, set(), [], 0.0
        right = 0
        for at, tile in game["taps"]:
            if at >= clock + 20:  # MemoryGameActivityTimeout since the start or the last right tap
                break
            samples.append([tile, right < len(sequence) and tile == sequence[right]])
            if tile < 0 or tile in lit:  # beside the tiles; ORKSpatialSpanResultIgnore: the tile is not quiescent
                continue
            lit.add(tile)
            if tile != sequence[right]:
                status = "failure"
                break
            right += 1
            score += points(right)
            clock = at
            if right == len(sequence):
                status = "success"
                break
        if status is None and game["left"]:  # showPausedFromState: the record stays unknown, nothing is counted
            continue
        status = status or "timeout"
        if status == "success":
            score += points(len(sequence))
            games, failed_in_a_row = games + 1, 0
            length = min(length + 1, parameters["maximumSpan"])
        else:
            games, failed_in_a_row = games + 1, failed_in_a_row + 1
            length = max(length - 1, parameters["minimumSpan"])
        records.append({"status": status, "score": score, "correct": samples})
    sent = {
        "score": sum(record["score"] for record in records),
        "numberOfGames": len(records),
        "numberOfFailures": sum(record["status"] != "success" for record in records),
    }
    return sent, {"games": records}, broken


# ResearchKitActiveTask/TowerOfHanoi/ORKTowerOfHanoiStepViewController.m, ORKTowerOfHanoiTower.m

def hanoi(parameters, script):
    """script: [{"at", "tower"}]; whoever gives up simply ends the script."""
    disks = parameters["numberOfDisks"]
    towers = [list(range(disks, 0, -1)), [], []]
    chosen, first, moves = None, None, []
    for event in after_last_kill(script):
        if len(towers[2]) == disks:
            break
        tower = event["tower"]
        if chosen is None:
            chosen = tower
        elif chosen == tower:
            chosen = None
        elif towers[chosen] and (not towers[tower] or towers[tower][-1] > towers[chosen][-1]):
            towers[tower].append(towers[chosen].pop())
            first = event["at"] if first is None else first
            moves.append([chosen, tower, event["at"] - first])
            chosen = None
    return {"puzzleWasSolved": len(towers[2]) == disks, "numberOfMoves": len(moves)}, {"moves": moves}, []


# ResearchKitActiveTask/PSAT/ORKPSATStepViewController.m

def psat(parameters, script):
    """script: [{"at": seconds since the first digit, "adds": 1 or 10}] after one {"digits": [...]}.

    The keyboard's answer is the last key; the board's is what its presses add up to.
    """
    script = after_last_kill(script)
    digits = script[0]["digits"]
    presses = script[1:]
    interval, length = parameters["interStimulusInterval"], parameters["seriesLength"]
    broken = []
    if len(digits) != length + 1:
        broken.append(f"{len(digits)} digits, not {length + 1}")
    if any(not 1 <= digit <= 9 for digit in digits) or any(a == b for a, b in zip(digits, digits[1:])):
        broken.append("a digit twice in a row, or none of 1 to 9")
    samples = []
    for index in range(1, length + 1):
        begin = index * interval
        taken = [press for press in presses if begin <= press["at"] < begin + interval]
        answer = sum(press["adds"] for press in taken) if taken else -1
        samples.append({
            "digit": digits[index],
            "answer": answer,
            "correct": digits[index - 1] + digits[index] == answer,
            "time": taken[-1]["at"] - begin if taken else interval,
        })
    correct = [sample["correct"] for sample in samples]
    return {
        "presentationMode": 1,
        "interStimulusInterval": interval,
        "stimulusDuration": 0,
        "length": length,
        "initialDigit": digits[0],
        "totalCorrect": sum(correct),
        "totalDyad": sum(a and b for a, b in zip(correct, correct[1:])),
        "totalTime": sum(sample["time"] for sample in samples),
        "samples": samples,
    }, {}, broken


# MyStudies for iOS, FetalKickCounterStepViewController.swift; for Android, Tappingactivity.java

def kicks(parameters, script):
    """script: [{"at": seconds, "released", "press": true} | {"at", "kill": true, "until"} | {"at", "ended": true}].

    The first press starts the clock (startButtonAction: `timer == nil`), each further one is a kick. At the number of kicks or the end of
    the time the app asks for the submission. A restart reads start and kicks back and takes the elapsed time from the wall clock
    (viewDidLoad). "ended" is the board's own: counting was ended by hand. Where the apps differ Android's way counts: with iOS time is over one second
    late (`timerValue > totalTime`), a kickCount of 1 takes two kicks, and each restart adds a second (setCounter called once more).
    """
    limit, number = parameters["duration"], parameters["kickCount"]
    start, count, over, away = None, 0, None, []
    for event in script:
        if event.get("kill"):
            away.append((event["at"], event["until"]))
            continue
        if start is not None and event["at"] >= start + limit - INSTANT:
            break
        if event.get("ended"):
            over = event["at"]
            break
        if start is None:
            start = event["at"]
            continue
        if event["released"] >= start + limit - INSTANT:
            break  # at the end of the time the button is gone; both apps count a tap when it is let go
        count += 1
        if count >= number:
            over = event["at"]
            break
    elapsed = limit if over is None else math.floor(over - start + INSTANT)
    return {"duration": elapsed, "count": count}, {}, []


# MotorControlV1/MotorControl/iOS/ViewControllers/MCTTappingStepViewController.swift

def tapping(parameters, script):
    """script: [{"at", "button": "left" | "right", "down": bool}]."""
    start, samples, open_samples, previous, taps = None, [], {}, None, 0
    for event in after_last_kill(script):
        at, button = event["at"], event["button"]
        if start is None:
            if not event["down"]:
                continue
            start = at  # the first tap starts the timer
        if at >= start + parameters["duration"]:
            break
        if event["down"]:
            sample = {"timestamp": at - start, "buttonIdentifier": button, "duration": 0}
            samples.append(sample)
            open_samples[button] = (sample, at)
            if previous is None or previous != button:
                taps += 1
                previous = button
        elif button in open_samples:
            sample, down = open_samples.pop(button)
            sample["duration"] = at - down
    if start is not None:
        for sample, down in open_samples.values():  # timerFinished
            sample["duration"] = start + parameters["duration"] - down
    return {"tapCount": taps, "samples": samples}, {}, []


# ResearchKitActiveTask/Reaction Time/ORKReactionTimeViewController.m; a press where the phone is shaken

def reaction(parameters, script):
    """script: attempts, {"shown": seconds or null, "press": seconds or null}."""
    results, broken = [], []
    for index, attempt in enumerate(after_last_kill(script)):
        if len(results) == parameters["numberOfAttempts"]:
            broken.append(f"attempt {index} began after the end")
            break
        shown, press = attempt["shown"], attempt["press"]
        if shown is not None and press is not None and shown <= press <= shown + parameters["timeout"] + INSTANT:
            results.append({"timestamp": shown, "timeToThreshold": press - shown})
    return {"results": results}, {}, broken


# BiAffectSDK/GoNoGo/GoNoGoStepView.swift, ViewModel

def gonogo(parameters, script):
    """script: attempts, {"reset", "delay", "go", "shown": seconds or null, "press": seconds or null}."""
    responses, successes, broken = [], 0, []
    goal, most = parameters["numberOfAttempts"], parameters["maxTotalAttempts"]
    for index, attempt in enumerate(after_last_kill(script)):
        if successes >= goal or len(responses) >= most:
            broken.append(f"attempt {index} began after the end")
            break
        forced = None
        if len(responses) >= 2 and not responses[-1]["go"] and not responses[-2]["go"]:
            forced = True
        elif successes == goal - 1 and all(response["go"] for response in responses):
            forced = False
        if forced is not None and attempt["go"] != forced:
            broken.append(f"attempt {index} is go {attempt['go']}, the app's is {forced}")
        if not parameters["minimumStimulusInterval"] <= attempt["delay"] <= parameters["maximumStimulusInterval"]:
            broken.append(f"attempt {index} waits {attempt['delay']}")
        shown, press, go = attempt["shown"], attempt["press"], attempt["go"]
        if shown is not None and press is not None and press > shown + parameters["timeout"] + INSTANT:
            press = None
        correct = shown is not None and ((press is not None) == go)
        successes += correct
        responses.append({
            "timestamp": shown or 0,
            "resetTimestamp": attempt["reset"],
            "timeToThreshold": press - shown if correct and press is not None else 0,
            "stimulusDelay": attempt["delay"],
            "go": go,
            "incorrect": not correct,
        })
    return {"results": responses}, {}, broken


# momenTUM-app, src/app/pages/pvt/pvt.page.ts

def vigilance(parameters, script):
    """script: trials in milliseconds, {"waited", "press": since the light, or null; negative: before it}; {"exit": true} ends it.

    The accident of a counter that stops exactly at max_reaction is left out: no press is always too late.
    """
    times, wanted, broken = [], parameters["trials"], []
    trial = 0
    for event in after_last_kill(script):
        if event.get("exit"):
            break
        trial += 1
        if trial > wanted:
            broken.append(f"trial {trial} began after the end")
            break
        if event["waited"] is not None and not parameters["min_waiting"] <= event["waited"] <= parameters["max_waiting"]:
            broken.append(f"trial {trial} waits {event['waited']}")
        press = event["press"]
        if press is not None and press < 0:
            times.append(-2)
            wanted += 1
        elif press is None or press >= parameters["max_reaction"]:
            times.append(-1)
            wanted += 1
        else:
            times.append(math.floor(press))
    return {"reaction_times": ",".join(str(time) for time in times)}, {}, broken


# ResearchKitActiveTask/Walking/Timed Walk/ORKTimedWalkStepViewController.m, ORKActiveStepTimer.m

def walk(parameters, script):
    """script: [{"start"}, {"end": seconds or null}]. The app looks at its timer ten times a second; so the duration is told to a tenth."""
    script = after_last_kill(script)
    limit = parameters["stepDuration"]
    ran = limit
    if script[1]["end"] is not None:
        ran = min(limit, script[1]["end"] - script[0]["start"])
    return {"distanceInMeters": parameters["distanceInMeters"], "timeLimit": limit, "duration": Tenth(ran)}, {}, []


class Tenth(float):
    """A time of which the app knows the last tenth of a second that was over."""


# MotorControl-iOS, Sources/MotorControl/ViewModel/MotionSensorViewModels.swift: tremor, balance and walk last as long as the study says

def active(parameters, script):
    """script: [{"at", "pause": bool}] after {"start"}: the time of a pause does not count, and the step ends when its time has run."""
    script = after_last_kill(script)
    at, ran, paused, stood = script[0]["start"], 0.0, False, 0.0
    for event in script[1:]:
        if not paused:
            if ran + event["at"] - at >= parameters["duration"]:
                break
            ran += event["at"] - at
        else:
            stood += event["at"] - at
        at, paused = event["at"], event["pause"]
    return {"duration": parameters["duration"], "lasted": parameters["duration"] + stood}, {}, []


TASKS = {
    "spatialSpanMemory": span, "towerOfHanoi": hanoi, "psat": psat, "fetalKickCounter": kicks, "tapping": tapping,
    "reactionTime": reaction, "gonogo": gonogo, "pvt": vigilance, "timedWalk": walk, "active": active,
}


def same(want, have):
    if isinstance(want, Tenth):
        return not isinstance(have, bool) and isinstance(have, (int, float)) and want - 1e-6 <= have < want + 0.1 + 1e-6
    if isinstance(want, bool) or isinstance(have, bool):
        return want is have
    if isinstance(want, (int, float)) and isinstance(have, (int, float)):
        return abs(want - have) < 2e-6
    if isinstance(want, list) and isinstance(have, list):
        return len(want) == len(have) and all(same(a, b) for a, b in zip(want, have))
    if isinstance(want, dict) and isinstance(have, dict):
        return all(key in have and same(value, have[key]) for key, value in want.items())
    return want == have


def compare(index, play):
    sent, kept, broken = TASKS[play["task"]](play["parameters"], play["script"])
    told = [f"play {index} ({play['task']}): {line}" for line in broken]
    for want, have in ((sent, play["sent"]), (kept, play.get("kept", {}))):
        for key, value in want.items():
            if not same(value, have.get(key)):
                told.append(f"play {index} ({play['task']}): {key} is {have.get(key)!r}, the app's is {value!r}")
    return told


def main():
    plays = json.load(sys.stdin)["plays"]
    differences = [line for index, play in enumerate(plays) for line in compare(index, play)]
    for line in differences[:20]:
        print(line)
    print(f"{len(plays)} plays, {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
