// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads the parameters of an active task, and refuses those it cannot be performed with.
extension Findings {
    mutating func activeTask(_ place: JSONPlace) -> ActiveTask? {
        let format = place.member("format") ?? place
        let task: ActiveTask? =
            switch text("resultType", in: place) {
            case "fetalKickCounter": kickCounter(format)
            case "spatialSpanMemory": spatialSpan(format)
            case "towerOfHanoi": ActiveTask(TowerOfHanoiRules(disks: whole("numberOfDisks", 3, in: format)))
            default: nil
            }
        guard let task else {
            expected(
                "an active task: fetalKickCounter, spatialSpanMemory, towerOfHanoi",
                at: place.member("resultType") ?? place)
            return nil
        }
        for problem in task.problems {
            expected("parameters the task can be run with", at: format, found: problem)
        }
        return task
    }

    /// Whole seconds from today's server; the oldest studies have `hh.mm` or `hh:mm` as a text.
    private mutating func kickCounter(_ format: JSONPlace) -> ActiveTask {
        let count = whole("kickCount", 200, in: format)
        var seconds = 86_400
        if let child = format.member("duration") {
            if let text = child.text {
                seconds = legacy(text, at: child)
            } else if let number = child.number, let whole = Int(exactly: number.rounded()) {
                seconds = whole
            } else {
                expected("a number of seconds", at: child)
            }
            if seconds <= 0 {
                assume("a duration of \(seconds) s is counted as 50 s, as in the iOS app", at: child)
                seconds = 50
            }
        } else {
            assume("no duration: up to a day, as the server says it", for: "duration", in: format)
        }
        return ActiveTask(KickCounterRules(duration: .seconds(seconds), count: count))
    }

    private mutating func legacy(_ text: String, at child: JSONPlace) -> Int {
        let parts = text.split(whereSeparator: { $0 == "." || $0 == ":" }).map { Int($0) }
        guard parts.count == 2, let hours = parts[0], let minutes = parts[1], (0...24).contains(hours),
            (0..<60).contains(minutes)
        else {
            if text.isEmpty { return 86_400 }
            expected("a number of seconds, or hours and minutes as \"01.30\"", at: child)
            return 86_400
        }
        assume("\"\(text)\" is read as \(hours) h \(minutes) min, as old studies write it", at: child)
        // 23:59 is the editor's way of a whole day.
        return (hours, minutes) == (23, 59) ? 86_400 : hours * 3_600 + minutes * 60
    }

    private mutating func spatialSpan(_ format: JSONPlace) -> ActiveTask {
        let seconds = format.member("playSpeed") == nil ? 1 : number("playSpeed", in: format) ?? 1
        return ActiveTask(
            SpatialSpanRules(
                initialSpan: whole("initialSpan", 3, in: format), minimumSpan: whole("minimumSpan", 2, in: format),
                maximumSpan: whole("maximumSpan", 15, in: format),
                period: .milliseconds(Int64((min(max(seconds, 0), 1_000) * 1_000).rounded())),
                maximumGames: whole("maximumTests", 5, in: format),
                maximumFailures: whole("maximumConsecutiveFailures", 3, in: format),
                requiresReversal: flag("requireReversal", in: format),
                targetName: format.member("customTargetPluralName")?.text.flatMap { $0.isEmpty ? nil : $0 } ?? "flowers"
            ))
    }

    private mutating func whole(_ key: String, _ otherwise: Int, in format: JSONPlace) -> Int {
        guard format.member(key) != nil else {
            assume("no \(key): \(otherwise)", for: key, in: format)
            return otherwise
        }
        return integer(key, -100_000...100_000, in: format) ?? otherwise
    }
}
