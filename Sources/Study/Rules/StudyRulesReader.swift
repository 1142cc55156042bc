// SPDX-License-Identifier: Apache-2.0
import Base

/// Reads and checks a file of rules for a study; finds every mistake at once.
///
/// Each reading function adds what is wrong to `problems` and goes on, with nil or a default for the value;
/// the rules are returned only if there are no problems at the end.
package struct StudyRulesReader {
    /// Limits of probabilities without `--extreme`: outside them one arm is too rare to be analysed.
    private static let usualProbabilities = 0.05...0.95
    private static let (mostFeatures, mostRules) = (16, 32)
    private static let day = Duration.seconds(86_400)

    private let study: StudyProtocol?
    private let sensors: RuleSensors
    private let allowsExtremes: Bool
    private var problems: [StudyRulesError.Problem] = []
    private var features: [RuleFeature] = []

    /// `digest` is SHA-256 of `bytes`, in hexadecimal. Without a `study` the tasks that the rules name are
    /// not checked: for a file accepted at enrolment, since a later version of the study may lack a task.
    package static func read(
        _ bytes: [UInt8], file: String, digest: String, study: StudyProtocol?, sensors: RuleSensors,
        allowsExtremes: Bool = false
    ) throws(StudyRulesError) -> StudyRules {
        let root: TOMLTable
        do throws(TOMLError) {
            root = try TOMLTable(parsing: bytes)
        } catch {
            throw StudyRulesError(
                file: file,
                problems: [.init(path: "", line: error.place.line, cause: error.message, remedy: "correct it")])
        }
        var reader = StudyRulesReader(study, sensors, allowsExtremes)
        let rules = reader.rules(RuleTable(root, path: "", line: 1), digest)
        guard reader.problems.isEmpty else {
            throw StudyRulesError(file: file, problems: reader.problems.sorted { $0.line < $1.line })
        }
        return rules
    }

    private init(_ study: StudyProtocol?, _ sensors: RuleSensors, _ allowsExtremes: Bool) {
        (self.study, self.sensors, self.allowsExtremes) = (study, sensors, allowsExtremes)
    }

    private mutating func rules(_ root: RuleTable, _ digest: String) -> StudyRules {
        refuseUnknown(root, ["days", "feature", "rule"])
        let days = root.integer("days")
        if root.has("days"), days.map({ (1...3650).contains($0) }) != true {
            complain(root, "days", "is no whole number from 1 to 3650", "write e.g. days = 180")
        }
        let named = tables(root, "feature", most: Self.mostFeatures)
        for (name, table) in named { if let feature = self.feature(name, table) { features.append(feature) } }
        let given = tables(root, "rule", most: Self.mostRules)
        if given.isEmpty { complain(root, "rule", "there is no rule", "add a table [rule.NAME]") }
        // Rules are not read where a feature is wrong: their complaints would only follow from that.
        guard features.count == named.count else {
            return StudyRules(digest: digest, features: [], rules: [], days: days)
        }
        let read = given.compactMap { name, table in self.rule(name, table).map { (rule: $0, table: table) } }
        refuseCollisions(read)
        return StudyRules(digest: digest, features: features, rules: read.map(\.rule), days: days)
    }

    /// The tables below a key, sorted by name, without those that are wrong.
    private mutating func tables(_ root: RuleTable, _ key: String, most: Int) -> [(String, RuleTable)] {
        guard root.has(key) else { return [] }
        guard let all = root.table(key) else {
            complain(root, key, "is no table", "write [\(key).NAME]")
            return []
        }
        if all.keys.count > most { complain(root, key, "there are more than \(most)", nil) }
        return all.keys.sorted().prefix(most).compactMap { name in
            // a-z, 0-9 and _; - in names of rules only.
            let letters = name.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D && key == "rule"
            }
            guard letters, name.utf8.count <= 32, name.first?.isLetter == true else {
                complain(all, name, "is no name", "use a lower-case letter, then lower-case letters, digits and _")
                return nil
            }
            guard let table = all.table(name) else {
                complain(all, name, "is no table", "write [\(key).\(name)]")
                return nil
            }
            return (name, table)
        }
    }

    // MARK: Features

    private mutating func feature(_ name: String, _ table: RuleTable) -> RuleFeature? {
        let before = problems.count
        refuseUnknown(table, ["from", "is", "epoch", "window", "reduce", "needs"])
        let epoch = duration(table, "epoch", within: .seconds(1)...Self.day) ?? .seconds(60)
        let window = duration(table, "window", within: .seconds(1)...Self.day) ?? epoch
        let kind = self.kind(table)
        var found: (RuleFeature.Reduction, RuleSensors.Column)?
        if let kind {
            if let columns = kind.columns(epoch) {
                found = reduction(table, columns)
            } else {
                complain(table, "epoch", "\(epoch.text) is no length that \(kind.name) has", "use \(sensors.epochs)")
            }
        }
        if window.nanoseconds % max(1, epoch.nanoseconds) != 0 {
            complain(table, "window", "\(window.text) is no multiple of the epoch, \(epoch.text)", nil)
        }
        var needs = 0.8
        if table.has("needs") {
            needs = table.number("needs") ?? 0
            if !(needs > 0 && needs <= 1) {
                complain(table, "needs", "is no share above 0 and up to 1", "write e.g. 0.8")
            }
        }
        guard problems.count == before, let kind, let (reduction, column) = found else { return nil }
        return RuleFeature(
            name: name, source: kind.source, kind: kind.name, epoch: epoch, window: window, reduction: reduction,
            column: column.name, unit: column.unit, needs: needs)
    }

    private mutating func kind(_ table: RuleTable) -> RuleSensors.Kind? {
        guard let name = text(table, "is"), let source = text(table, "from") else { return nil }
        guard let kind = sensors.kinds.first(where: { $0.name == name }) else {
            let near = Misspelling.nearest(name, in: sensors.kinds.map(\.name))
            complain(
                table, "is", "there is no feature '\(name)'",
                near.map { "did you mean '\($0)'?" } ?? "use \(sensors.kinds.map(\.name).joined(separator: ", "))")
            return nil
        }
        guard kind.source == source else {
            complain(table, "from", "\(name) is not made of '\(source)'", "write from = \"\(kind.source)\"")
            return nil
        }
        if let present = sensors.present, !present.sources.contains(source) {
            complain(table, "from", "nothing here gives '\(source)'", present.remedy)
        }
        return kind
    }

    /// `reduce = "sum-x"`: a reduction, and a column by its name or what its name ends with. The column may
    /// be left out where the feature has only one.
    private mutating func reduction(
        _ table: RuleTable, _ columns: [RuleSensors.Column]
    ) -> (RuleFeature.Reduction, RuleSensors.Column)? {
        let text = table.has("reduce") ? text(table, "reduce") ?? "" : "mean"
        let parts = text.split(separator: "-", maxSplits: 1).map(String.init)
        guard let reduction = parts.first.flatMap(RuleFeature.Reduction.init) else {
            let all = RuleFeature.Reduction.allCases.map(\.rawValue).joined(separator: ", ")
            complain(table, "reduce", "'\(text)' is no way to sum up a window", "begin with \(all)")
            return nil
        }
        let fitting = columns.filter { parts.count < 2 || $0.name == parts[1] || $0.name.hasSuffix("_" + parts[1]) }
        guard fitting.count == 1 else {
            let ends = columns.map { $0.name.split(separator: "_").last.map(String.init) ?? $0.name }
            complain(
                table, "reduce", fitting.isEmpty ? "there is no column '\(parts[1])'" : "does not say which column",
                "use \(ends.map { "\(reduction.rawValue)-\($0)" }.joined(separator: ", "))")
            return nil
        }
        return (reduction, fitting[0])
    }

    // MARK: Rules

    private mutating func rule(_ name: String, _ table: RuleTable) -> StudyRule? {
        let before = problems.count
        refuseUnknown(
            table,
            [
                "task", "when", "every", "at", "event", "rearm", "available", "probability", "budget", "outcome",
                "quiet",
                "expires",
            ])
        let task = text(table, "task")
        if let task, let study, study.task(task) == nil {
            let keys = study.tasks.map(\.key)
            complain(
                table, "task", "the study has no task '\(task)'",
                Misspelling.nearest(task, in: keys).map { "did you mean '\($0)'?" }
                    ?? "use \(keys.prefix(8).joined(separator: ", "))")
        }
        let quiet = self.quiet(table)
        if quiet.active() == 0 {
            complain(table, "quiet", "the whole day is quiet: the rule can never fire", "shorten it")
        }
        let points = self.points(table, quiet)
        let rearm = duration(table, "rearm", within: .seconds(60)...Self.day) ?? .seconds(1800)
        if table.has("rearm"), table.has("every") || table.has("at") {
            complain(table, "rearm", "is for rules with when and event", "remove it")
        }
        let expires = duration(table, "expires", within: .seconds(60)...Self.day) ?? .seconds(1800)
        let needs = self.needs(table)
        let chances = points.flatMap { self.chances(table, $0, rearm, quiet) }
        let outcome = self.outcome(table)
        guard problems.count == before, let task, let points, let chances else { return nil }
        let rule = StudyRule(
            name: name, task: task, points: points, rearm: rearm, needs: needs, chances: chances, outcome: outcome,
            quiet: quiet, expires: expires)
        refuseUnreachable(rule, table)
        return rule
    }

    private mutating func points(_ table: RuleTable, _ quiet: QuietHours) -> StudyRule.Points? {
        let kinds = ["when", "every", "at", "event"]
        let given = kinds.filter(table.has)
        guard given.count == 1 else {
            complain(
                table, given.last ?? "", "has \(given.isEmpty ? "none" : "several") of when, every, at and event",
                "write exactly one")
            return nil
        }
        switch given[0] {
        case "when": return expression(table, "when", allowsSpans: true).map { .when($0) }
        case "every":
            guard let period = duration(table, "every", within: .seconds(300)...Self.day) else { return nil }
            guard Self.day.nanoseconds % period.nanoseconds == 0 else {
                complain(table, "every", "\(period.text) does not divide 24 hours", "use e.g. 5m, 15m, 1h")
                return nil
            }
            return .every(period)
        case "at": return times(table, quiet).map { .at($0) }
        default: return event(table).map { .event($0) }
        }
    }

    private mutating func times(_ table: RuleTable, _ quiet: QuietHours) -> [LocalTime]? {
        guard let texts = table.strings("at"), !texts.isEmpty, texts.count <= 48 else {
            complain(table, "at", "is no list of 1 to 48 times", "write e.g. [\"10:00\", \"15:30\"]")
            return nil
        }
        var times: [LocalTime] = []
        for (place, text) in texts.enumerated() {
            guard let millisecond = Self.time(text), millisecond < 86_400_000,
                let time = LocalTime(hour: millisecond / 3_600_000, minute: millisecond / 60_000 % 60)
            else {
                complain(table, "at[\(place)]", "'\(text)' is no time of day", "write it as 09:30")
                return nil
            }
            if quiet.contains(time) {
                complain(table, "at[\(place)]", "\(text) is quiet: it can never fire", "change it, or quiet")
            }
            if times.contains(time) { complain(table, "at[\(place)]", "\(text) is there twice", "remove one") }
            times.append(time)
        }
        return times.sorted()
    }

    private mutating func event(_ table: RuleTable) -> RuleEvent? {
        guard let text = text(table, "event") else { return nil }
        switch text {
        case "button": return marker(nil, table)
        case "arrival", "loud":
            let kind = text == "arrival" ? "visits" : "sound"
            guard features.contains(where: { $0.kind == kind }) else {
                complain(
                    table, "event", "'\(text)' needs a feature of \(kind)", "add a [feature] with is = \"\(kind)\"")
                return nil
            }
            return text == "arrival" ? .arrival : .loud
        default:
            if text.hasPrefix("button:"), text.utf8.count > 7 { return marker(String(text.dropFirst(7)), table) }
            complain(table, "event", "there is no event '\(text)'", "use button, button:NAME, arrival or loud")
            return nil
        }
    }

    /// An event marker of that name, nil = any.
    private mutating func marker(_ name: String?, _ table: RuleTable) -> RuleEvent? {
        guard let markers = sensors.markers else { return .button(name) }
        guard !markers.isEmpty else {
            complain(
                table, "event", "the board has no event marker: the rule can never fire",
                "give a [[button]] of the board file marker = true")
            return nil
        }
        guard let name, !markers.contains(name) else { return .button(name) }
        complain(
            table, "event", "no event marker of the board is called '\(name)': the rule can never fire",
            Misspelling.nearest(name, in: markers).map { "did you mean 'button:\($0)'?" }
                ?? "use \(markers.map { "button:\($0)" }.joined(separator: ", "))")
        return nil
    }

    private mutating func needs(_ table: RuleTable) -> [StudyRule.Need] {
        guard table.has("available") else { return [] }
        guard let texts = table.strings("available"), texts.count <= 16 else {
            complain(table, "available", "is no list of up to 16 texts", "write e.g. [\"worn\", \"60m since prompt\"]")
            return []
        }
        return texts.enumerated().compactMap { place, text in need(table, "available[\(place)]", text) }
    }

    private mutating func need(_ table: RuleTable, _ key: String, _ text: String) -> StudyRule.Need? {
        switch text {
        case "worn":
            if let remedy = sensors.wear {
                complain(table, key, "whether the device is worn is not known here", remedy)
            }
            return .worn
        case "no run open": return .noRun
        case "prompts on": return .promptsOn
        case "clock trusted": return .trustedClock
        default: break
        }
        if text.hasSuffix(" since prompt") {
            let length = String(text.dropLast(" since prompt".count))
            guard let span = try? Duration(parsing: length), (.seconds(60)...Self.day).contains(span) else {
                complain(table, key, "'\(length)' is not a duration from 1m to 24h", "write e.g. \"60m since prompt\"")
                return nil
            }
            return .sincePrompt(span)
        }
        return expression(table, key, text, allowsSpans: false).map { .condition($0) }
    }

    private mutating func outcome(_ table: RuleTable) -> StudyRule.Outcome? {
        guard table.has("outcome") else { return nil }
        guard let own = table.table("outcome") else {
            complain(table, "outcome", "is no table", "write { feature = \"NAME\", window = \"+30m\" }")
            return nil
        }
        refuseUnknown(own, ["feature", "window"])
        guard let name = text(own, "feature"), let window = text(own, "window") else { return nil }
        guard let place = features.firstIndex(where: { $0.name == name }) else {
            let known = features.map(\.name).joined(separator: ", ")
            complain(
                own, "feature", "there is no feature '\(name)'",
                known.isEmpty ? "add [feature.\(name)]" : "use \(known)")
            return nil
        }
        let epoch = features[place].epoch
        guard window.hasPrefix("+"), let length = try? Duration(parsing: String(window.dropFirst())), length >= epoch,
            length <= Self.day, length.nanoseconds % epoch.nanoseconds == 0
        else {
            complain(
                own, "window", "'\(window)' is no window behind a point",
                "write + and a multiple of the epoch \(epoch.text), at most 24h")
            return nil
        }
        return StudyRule.Outcome(feature: place, window: length)
    }

    private mutating func quiet(_ table: RuleTable) -> QuietHours {
        guard table.has("quiet") else { return QuietHours([]) }
        guard let texts = table.strings("quiet"), texts.count <= 8 else {
            complain(table, "quiet", "is no list of up to 8 spans", "write e.g. [\"22:00-08:00\"]")
            return QuietHours([])
        }
        var spans: [(start: Int, end: Int)] = []
        for (place, text) in texts.enumerated() {
            let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Self.time(String($0)) }
            guard ends.count == 2, let start = ends[0], let end = ends[1], start != end, start < 86_400_000 else {
                complain(table, "quiet[\(place)]", "'\(text)' is no span of a day", "write e.g. 22:00-08:00")
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

    // MARK: Chances

    private mutating func chances(
        _ table: RuleTable, _ points: StudyRule.Points, _ rearm: Duration, _ quiet: QuietHours
    ) -> StudyRule.Chances? {
        guard table.has("probability") != table.has("budget") else {
            complain(
                table, table.has("budget") ? "budget" : "",
                table.has("budget") ? "is given together with probability" : "has no probability",
                "write either probability or budget")
            return nil
        }
        if table.has("budget") { return budget(table, points, rearm, quiet).map { .budget($0) } }
        if let number = table.number("probability") {
            return probability(table, "probability", number).map { .table([.init(condition: nil, probability: $0)]) }
        }
        guard let rows = table.tables("probability"), !rows.isEmpty, rows.count <= 16 else {
            complain(
                table, "probability", "is no number, and no list of 1 to 16 tables",
                "write e.g. [{ when = \"move < 500\", p = 0.6 }, { p = 0.3 }]")
            return nil
        }
        return self.rows(table, rows).map { .table($0) }
    }

    private mutating func rows(_ table: RuleTable, _ rows: [RuleTable]) -> [StudyRule.Chances.Row]? {
        var read: [StudyRule.Chances.Row] = []
        for (place, row) in rows.enumerated() {
            refuseUnknown(row, ["when", "p"])
            guard let number = row.number("p") else {
                complain(row, "p", "is missing, or no number", "write e.g. p = 0.3")
                continue
            }
            let condition = row.has("when") ? expression(row, "when", allowsSpans: false) : nil
            guard let p = probability(row, "p", number), !row.has("when") || condition != nil else { continue }
            if condition == nil, place < rows.count - 1 {
                complain(
                    row, "p", "always holds: the rows after it can never be reached",
                    "give it a when, or move it to the end")
            }
            read.append(.init(condition: condition, probability: p))
        }
        if read.count == rows.count, read.last?.condition != nil {
            complain(
                table, "probability", "says nothing where no condition holds",
                "end it with a row { p = … } without when")
        }
        return read.count == rows.count ? read : nil
    }

    private mutating func probability(_ table: RuleTable, _ key: String, _ number: Double) -> Double? {
        guard number > 0, number < 1 else {
            complain(table, key, "\(number) is no probability between 0 and 1", "a point that is certain needs no draw")
            return nil
        }
        guard allowsExtremes || Self.usualProbabilities.contains(number) else {
            complain(
                table, key, "\(number) lies outside 0.05 to 0.95, where one arm is too rare to be analysed",
                "change it, or add --extreme")
            return nil
        }
        return number
    }

    private mutating func budget(
        _ table: RuleTable, _ points: StudyRule.Points, _ rearm: Duration, _ quiet: QuietHours
    ) -> RuleBudget? {
        guard let own = table.table("budget") else {
            complain(table, "budget", "is no table", "write { per_day = 1.5, decay = 0.3 }")
            return nil
        }
        refuseUnknown(own, ["per_day", "decay", "expect"])
        // The budget must be within reach: every point has a probability within `RuleBudget.bounds`.
        let most = Self.mostPoints(points, rearm, quiet)
        let perDay = own.number("per_day") ?? 0
        let decay = own.has("decay") ? own.number("decay") ?? -1 : 0.3
        let expected = own.has("expect") ? own.number("expect") ?? 0 : most
        guard perDay > 0, perDay <= 100 else {
            complain(own, "per_day", "is no number above 0 and up to 100", "write e.g. per_day = 1.5")
            return nil
        }
        guard (0...1).contains(decay) else {
            complain(own, "decay", "is no number from 0 to 1", "write e.g. decay = 0.3")
            return nil
        }
        guard expected >= 1, expected <= most else {
            complain(own, "expect", "is no number from 1 to \(Self.short(most)), the most points of a day", nil)
            return nil
        }
        let bounds = RuleBudget.bounds
        // The average may miss `per_day` by 5 %.
        if most * bounds.lowerBound > 1.05 * perDay {
            complain(
                own, "per_day",
                "cannot be kept: \(Self.short(most)) points a day at 0.05 are \(Self.short(most * 0.05)), and \(Self.short(perDay)) are asked for",
                "let points come more rarely (rearm, every, quiet)")
            return nil
        }
        if expected * bounds.upperBound < 0.95 * perDay {
            complain(
                own, "per_day",
                "cannot be reached: \(Self.short(expected)) points a day at 0.95 are \(Self.short(expected * 0.95))",
                "let points come more often, or lower it")
            return nil
        }
        return RuleBudget(perDay: perDay, decay: decay, expected: expected)
    }

    /// The most points that a day can have.
    private static func mostPoints(_ points: StudyRule.Points, _ rearm: Duration, _ quiet: QuietHours) -> Double {
        let active = quiet.active()
        switch points {
        case .at(let times): return Double(times.count { !quiet.contains($0) })
        case .every(let period): return (Double(active) / (period.seconds * 1000)).rounded(.up)
        case .when, .event: return (Double(active) / (rearm.seconds * 1000)).rounded(.down) + 1
        }
    }

    /// With at most two digits after the point.
    private static func short(_ number: Double) -> String {
        let rounded = (number * 100).rounded() / 100
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }

    // MARK: What can never be

    /// Refuses a rule whose conditions no values of the features can meet.
    private mutating func refuseUnreachable(_ rule: StudyRule, _ table: RuleTable) {
        let reach = RuleReach(features)
        var all: [RuleExpression] = []
        if case .when(let expression) = rule.points {
            guard reach.canHold([expression]) else {
                return complain(table, "when", "can never hold: the rule can never fire", "check its limits")
            }
            all.append(expression)
        }
        let conditions = rule.needs.compactMap { if case .condition(let condition) = $0 { condition } else { nil } }
        guard reach.canHold(all + conditions) else {
            return complain(table, "available", "can never hold: the rule can never fire", "check its limits")
        }
    }

    /// Refuses two rules that would prompt for one task at the same moment.
    private mutating func refuseCollisions(_ all: [(rule: StudyRule, table: RuleTable)]) {
        for (place, one) in all.enumerated() {
            for other in all[(place + 1)...] where one.rule.task == other.rule.task {
                guard let key = Self.collidingKey(one.rule, other.rule) else { continue }
                complain(
                    other.table, key,
                    "falls due at the same moments as rule \(one.rule.name), for the same task \(one.rule.task)",
                    "move one of them")
            }
        }
    }

    /// The key of the second rule that makes them meet; nil = they do not, as far as that can be known.
    private static func collidingKey(_ one: StudyRule, _ other: StudyRule) -> String? {
        switch (one.points, other.points) {
        case (.at(let first), .at(let second)): return Set(first).isDisjoint(with: second) ? nil : "at"
        case (.every, .every): return "every"
        case (.every(let period), .at(let times)): return collides(period, times, one.quiet) ? "at" : nil
        case (.at(let times), .every(let period)): return collides(period, times, other.quiet) ? "every" : nil
        default: return nil
        }
    }

    /// Whether a period has a point at one of the times in some zone. Periods count from UTC, and offsets of
    /// zones are multiples of a quarter of an hour.
    private static func collides(_ period: Duration, _ times: [LocalTime], _ quiet: QuietHours) -> Bool {
        let grid = commonDivisor(period.nanoseconds, 900_000_000_000)
        return times.contains { $0.nanoseconds % grid == 0 && !quiet.contains($0) }
    }

    private static func commonDivisor(_ one: Int64, _ other: Int64) -> Int64 {
        other == 0 ? one : commonDivisor(other, one % other)
    }

    // MARK: Values of keys

    private mutating func expression(
        _ table: RuleTable, _ key: String, _ given: String? = nil, allowsSpans: Bool
    ) -> RuleExpression? {
        guard let text = given ?? text(table, key) else { return nil }
        do throws(RuleExpressionParser.Failure) {
            return try RuleExpressionParser.parse(text, features, allowsSpans: allowsSpans)
        } catch {
            complain(table, key, error.cause, error.remedy)
            return nil
        }
    }

    private mutating func text(_ table: RuleTable, _ key: String) -> String? {
        guard let text = table.string(key) else {
            complain(
                table, key, table.has(key) ? "is no text" : "is missing", table.has(key) ? "put it in quotes" : "add it"
            )
            return nil
        }
        return text
    }

    private mutating func duration(_ table: RuleTable, _ key: String, within range: ClosedRange<Duration>) -> Duration?
    {
        guard table.has(key) else { return nil }
        guard let text = table.string(key), let value = try? Duration(parsing: text), range.contains(value) else {
            complain(
                table, key,
                "is not a duration from \(range.lowerBound.text) to \(range.upperBound == Self.day ? "24h" : range.upperBound.text)",
                "write e.g. \"30m\"")
            return nil
        }
        return value
    }

    private mutating func refuseUnknown(_ table: RuleTable, _ known: [String]) {
        for key in table.keys where !known.contains(key) {
            complain(
                table, key, "unknown key",
                Misspelling.nearest(key, in: known).map { "did you mean '\($0)'?" }
                    ?? "use \(known.joined(separator: ", "))")
        }
    }

    /// Adds a problem, with the path and the line of the key.
    private mutating func complain(_ table: RuleTable, _ key: String, _ cause: String, _ remedy: String?) {
        let path = [table.path, key].filter { !$0.isEmpty }.joined(separator: ".")
        problems.append(.init(path: path, line: table.line(of: key), cause: cause, remedy: remedy))
    }
}
