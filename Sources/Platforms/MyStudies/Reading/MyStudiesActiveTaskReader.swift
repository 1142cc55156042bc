// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads the active task of a step, for `MyStudiesActivityReader`, and refuses parameters that it cannot be
/// performed with.
enum MyStudiesActiveTaskReader {
    /// `place` is the step. Nil after a problem, which has been noted.
    static func task(_ place: JSONPlace, _ findings: inout Findings) -> ActiveTask? {
        let format = place.member("format") ?? place
        let task: ActiveTask? =
            switch findings.text("resultType", in: place) {
            case "fetalKickCounter": kickCounter(format, &findings)
            case "spatialSpanMemory": spatialSpan(format, &findings)
            case "towerOfHanoi": ActiveTask(TowerOfHanoiRules(disks: whole("numberOfDisks", 3, in: format, &findings)))
            default: nil
            }
        guard let task else {
            findings.expected(
                "an active task: fetalKickCounter, spatialSpanMemory, towerOfHanoi",
                at: place.member("resultType") ?? place)
            return nil
        }
        for problem in task.problems {
            findings.expected("parameters the task can be run with", at: format, found: problem)
        }
        return task
    }

    /// The duration is in seconds; the oldest studies have `hh.mm` or `hh:mm` as a text.
    private static func kickCounter(_ format: JSONPlace, _ findings: inout Findings) -> ActiveTask {
        let count = whole("kickCount", 200, in: format, &findings)
        var seconds = 86_400
        if let child = format.member("duration") {
            if let text = child.text {
                seconds = hoursAndMinutes(text, at: child, &findings)
            } else if let number = child.number, let whole = Int(exactly: number.rounded()) {
                seconds = whole
            } else {
                findings.expected("a number of seconds", at: child)
            }
            if seconds <= 0 {
                findings.assume("a duration of \(seconds) s is counted as 50 s, as in the iOS app", at: child)
                seconds = 50
            }
        } else {
            findings.assume("no duration: up to a day, as the server says it", for: "duration", in: format)
        }
        return ActiveTask(KickCounterRules(duration: .seconds(seconds), count: count))
    }

    /// A duration as old studies write it; 24 hours where the text is empty or no time.
    private static func hoursAndMinutes(_ text: String, at child: JSONPlace, _ findings: inout Findings) -> Int {
        let parts = text.split(whereSeparator: { $0 == "." || $0 == ":" }).map { Int($0) }
        guard parts.count == 2, let hours = parts[0], let minutes = parts[1], (0...24).contains(hours),
            (0..<60).contains(minutes)
        else {
            if text.isEmpty { return 86_400 }
            findings.expected("a number of seconds, or hours and minutes as \"01.30\"", at: child)
            return 86_400
        }
        findings.assume("\"\(text)\" is read as \(hours) h \(minutes) min, as old studies write it", at: child)
        // 23:59 is the editor's way of a whole day.
        return (hours, minutes) == (23, 59) ? 86_400 : hours * 3_600 + minutes * 60
    }

    private static func spatialSpan(_ format: JSONPlace, _ findings: inout Findings) -> ActiveTask {
        let seconds = format.member("playSpeed") == nil ? 1 : findings.number("playSpeed", in: format) ?? 1
        return ActiveTask(
            SpatialSpanRules(
                initialSpan: whole("initialSpan", 3, in: format, &findings),
                minimumSpan: whole("minimumSpan", 2, in: format, &findings),
                maximumSpan: whole("maximumSpan", 15, in: format, &findings),
                period: .milliseconds(Int64((min(max(seconds, 0), 1_000) * 1_000).rounded())),
                maximumGames: whole("maximumTests", 5, in: format, &findings),
                maximumFailures: whole("maximumConsecutiveFailures", 3, in: format, &findings),
                requiresReversal: findings.flag("requireReversal", in: format),
                targetName: format.member("customTargetPluralName")?.text.flatMap { $0.isEmpty ? nil : $0 } ?? "flowers"
            ))
    }

    /// `otherwise` where the key is absent.
    private static func whole(
        _ key: String, _ otherwise: Int, in format: JSONPlace, _ findings: inout Findings
    ) -> Int {
        guard format.member(key) != nil else {
            findings.assume("no \(key): \(otherwise)", for: key, in: format)
            return otherwise
        }
        return findings.integer(key, -100_000...100_000, in: format) ?? otherwise
    }
}
