// SPDX-License-Identifier: Apache-2.0
import Base

/// Reads one table `[rule.NAME]` of a file of rules, for `StudyRulesReader`.
struct RuleReader {
    private(set) var table: RuleTable
    /// Nil = tasks are not checked.
    let study: StudyProtocol?
    let sensors: RuleSensors
    let features: [RuleFeature]
    let allowsExtremes: Bool

    /// Nil where something is wrong, which `table.problems` has then.
    mutating func readRule(named name: String) -> StudyRule? {
        table.refuseUnknown([
            "task", "when", "every", "at", "event", "rearm", "available", "probability", "budget", "outcome", "quiet",
            "expires",
        ])
        let task = readTask()
        let quiet = readQuiet()
        if quiet.active() == 0 {
            table.reject("quiet", "the whole day is quiet: the rule can never fire", "shorten it")
        }
        let points = readPoints(quiet)
        let rearm = table.readDuration("rearm", from: .seconds(60)) ?? .seconds(1800)
        if table.has("rearm"), table.has("every") || table.has("at") {
            table.reject("rearm", "is for rules with when and event", "remove it")
        }
        let expires = table.readDuration("expires", from: .seconds(60)) ?? .seconds(1800)
        let needs = readNeeds()
        let chances = points.flatMap { readChances($0, rearm: rearm, quiet) }
        let outcome = readOutcome()
        guard table.problems.isEmpty, let task, let points, let chances else { return nil }
        let rule = StudyRule(
            name: name, task: task, points: points, rearm: rearm, needs: needs, chances: chances, outcome: outcome,
            quiet: quiet, expires: expires)
        refuseUnreachable(rule)
        return rule
    }

    private mutating func readTask() -> String? {
        guard let task = table.requireText("task") else { return nil }
        if let study, study.task(task) == nil {
            let keys = study.tasks.map(\.key)
            table.reject(
                "task", "the study has no task '\(task)'",
                Misspelling.nearest(task, in: keys).map { "did you mean '\($0)'?" }
                    ?? "use \(keys.prefix(8).joined(separator: ", "))")
        }
        return task
    }

    private mutating func readPoints(_ quiet: QuietHours) -> StudyRule.Points? {
        let kinds = ["when", "every", "at", "event"]
        let given = kinds.filter(table.has)
        guard given.count == 1 else {
            return table.rejectValue(
                given.last ?? "", "has \(given.isEmpty ? "none" : "several") of when, every, at and event",
                "write exactly one")
        }
        switch given[0] {
        case "when": return table.readCondition("when", features, allowsSpans: true).map { .when($0) }
        case "every":
            guard let period = table.readDuration("every", from: .seconds(300)) else { return nil }
            guard RuleTable.day.nanoseconds % period.nanoseconds == 0 else {
                return table.rejectValue("every", "\(period.text) does not divide 24 hours", "use e.g. 5m, 15m, 1h")
            }
            return .every(period)
        case "at": return readTimes(quiet).map { .at($0) }
        default: return readEvent().map { .event($0) }
        }
    }

    private mutating func readTimes(_ quiet: QuietHours) -> [LocalTime]? {
        guard let texts = table.strings("at"), !texts.isEmpty, texts.count <= 48 else {
            return table.rejectValue("at", "is no list of 1 to 48 times", "write e.g. [\"10:00\", \"15:30\"]")
        }
        var times: [LocalTime] = []
        for (place, text) in texts.enumerated() {
            guard let millisecond = Self.time(text), millisecond < 86_400_000,
                let time = LocalTime(hour: millisecond / 3_600_000, minute: millisecond / 60_000 % 60)
            else {
                return table.rejectValue("at[\(place)]", "'\(text)' is no time of day", "write it as 09:30")
            }
            if quiet.contains(time) {
                table.reject("at[\(place)]", "\(text) is quiet: it can never fire", "change it, or quiet")
            }
            if times.contains(time) { table.reject("at[\(place)]", "\(text) is there twice", "remove one") }
            times.append(time)
        }
        return times.sorted()
    }

    private mutating func readEvent() -> RuleEvent? {
        guard let text = table.requireText("event") else { return nil }
        switch text {
        case "button": return readMarker(nil)
        case "arrival", "loud":
            let kind = text == "arrival" ? "visits" : "sound"
            guard features.contains(where: { $0.kind == kind }) else {
                return table.rejectValue(
                    "event", "'\(text)' needs a feature of \(kind)", "add a [feature] with is = \"\(kind)\"")
            }
            return text == "arrival" ? .arrival : .loud
        default:
            if text.hasPrefix("button:"), text.utf8.count > 7 { return readMarker(String(text.dropFirst(7))) }
            return table.rejectValue("event", "there is no event '\(text)'", "use button, button:NAME, arrival or loud")
        }
    }

    /// An event marker of that name, nil = any.
    private mutating func readMarker(_ name: String?) -> RuleEvent? {
        guard let markers = sensors.markers else { return .button(name) }
        guard !markers.isEmpty else {
            return table.rejectValue(
                "event", "the board has no event marker: the rule can never fire",
                "give a [[button]] of the board file marker = true")
        }
        guard let name, !markers.contains(name) else { return .button(name) }
        return table.rejectValue(
            "event", "no event marker of the board is called '\(name)': the rule can never fire",
            Misspelling.nearest(name, in: markers).map { "did you mean 'button:\($0)'?" }
                ?? "use \(markers.map { "button:\($0)" }.joined(separator: ", "))")
    }

    private mutating func readChances(
        _ points: StudyRule.Points, rearm: Duration, _ quiet: QuietHours
    ) -> StudyRule.Chances? {
        var reader = RuleChancesReader(table, features, allowsExtremes: allowsExtremes)
        defer { table = reader.table }
        return reader.readChances(points, rearm: rearm, quiet)
    }

    private mutating func readNeeds() -> [StudyRule.Need] {
        guard table.has("available") else { return [] }
        guard let texts = table.strings("available"), texts.count <= 16 else {
            table.reject("available", "is no list of up to 16 texts", "write e.g. [\"worn\", \"60m since prompt\"]")
            return []
        }
        return texts.enumerated().compactMap { place, text in readNeed("available[\(place)]", text) }
    }

    private mutating func readNeed(_ key: String, _ text: String) -> StudyRule.Need? {
        switch text {
        case "worn":
            if let remedy = sensors.wear {
                table.reject(key, "whether the device is worn is not known here", remedy)
            }
            return .worn
        case "no run open": return .noRun
        case "prompts on": return .promptsOn
        case "clock trusted": return .trustedClock
        default: break
        }
        if text.hasSuffix(" since prompt") {
            let length = String(text.dropLast(" since prompt".count))
            guard let span = try? Duration(parsing: length), (.seconds(60)...RuleTable.day).contains(span) else {
                return table.rejectValue(
                    key, "'\(length)' is not a duration from 1m to 24h", "write e.g. \"60m since prompt\"")
            }
            return .sincePrompt(span)
        }
        return table.readCondition(key, given: text, features, allowsSpans: false).map { .condition($0) }
    }

    private mutating func readOutcome() -> StudyRule.Outcome? {
        guard table.has("outcome") else { return nil }
        guard var own = table.table("outcome") else {
            return table.rejectValue("outcome", "is no table", "write { feature = \"NAME\", window = \"+30m\" }")
        }
        defer { table.takeProblems(of: own) }
        own.refuseUnknown(["feature", "window"])
        guard let name = own.requireText("feature"), let window = own.requireText("window") else { return nil }
        guard let place = features.firstIndex(where: { $0.name == name }) else {
            let known = features.map(\.name).joined(separator: ", ")
            return own.rejectValue(
                "feature", "there is no feature '\(name)'",
                known.isEmpty ? "add [feature.\(name)]" : "use \(known)")
        }
        let epoch = features[place].epoch
        guard window.hasPrefix("+"), let length = try? Duration(parsing: String(window.dropFirst())), length >= epoch,
            length <= RuleTable.day, length.nanoseconds % epoch.nanoseconds == 0
        else {
            return own.rejectValue(
                "window", "'\(window)' is no window behind a point",
                "write + and a multiple of the epoch \(epoch.text), at most 24h")
        }
        return StudyRule.Outcome(feature: place, window: length)
    }

    private mutating func readQuiet() -> QuietHours {
        guard table.has("quiet") else { return QuietHours([]) }
        guard let texts = table.strings("quiet"), texts.count <= 8 else {
            table.reject("quiet", "is no list of up to 8 spans", "write e.g. [\"22:00-08:00\"]")
            return QuietHours([])
        }
        var spans: [(start: Int, end: Int)] = []
        for (place, text) in texts.enumerated() {
            let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Self.time(String($0)) }
            guard ends.count == 2, let start = ends[0], let end = ends[1], start != end, start < 86_400_000 else {
                table.reject("quiet[\(place)]", "'\(text)' is no span of a day", "write e.g. 22:00-08:00")
                continue
            }
            spans.append((start, end))
        }
        return QuietHours(spans)
    }

    /// `HH:MM`, 00:00 to 24:00, in milliseconds.
    private static func time(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60, hour < 24 || hour == 24 && minute == 0
        else { return nil }
        return (hour * 60 + minute) * 60_000
    }

    /// Refuses a rule whose conditions no values of the features can meet.
    private mutating func refuseUnreachable(_ rule: StudyRule) {
        let reach = RuleReach(features)
        var all: [RuleExpression] = []
        if case .when(let expression) = rule.points {
            guard reach.canHold([expression]) else {
                return table.reject("when", "can never hold: the rule can never fire", "check its limits")
            }
            all.append(expression)
        }
        let conditions = rule.needs.compactMap { if case .condition(let condition) = $0 { condition } else { nil } }
        guard reach.canHold(all + conditions) else {
            return table.reject("available", "can never hold: the rule can never fire", "check its limits")
        }
    }
}
