// SPDX-License-Identifier: Apache-2.0
import Base

/// What a paper has to report of momentary assessment, filled in as far as the data say it. An export adds
/// each participant once; `text` becomes `code/reporting.md`.
///
/// Source: Liao, Skelton, Dunton and Bruening 2016, doi:10.2196/jmir.4954, table 3 (CREMAS).
struct ReportingTable {
    private var participants = 0
    private var devices: Set<String> = []
    /// The number of enrolments of each participant.
    private var enrolments: [Int] = []
    /// For each participant, the days with a prompt.
    private var days: [Set<LocalDate>] = []
    /// The prompts of all participants that count for compliance.
    private var planned: [StudyPrompt] = []
    /// For each participant with prompts that count, the share that was answered.
    private var answeredShares: [Double] = []
    /// In seconds, one of each prompt that has one.
    private var clockErrors: [Double] = []
    /// Items that are missing, and nothing explains why.
    private var holes = 0

    mutating func add(_ record: ParticipantRecord) {
        participants += 1
        let prompts = record.prompts.filter(\.counts)
        planned += prompts
        enrolments.append(record.participant.enrolments.count)
        days.append(Set(prompts.map(\.due.day)))
        if !prompts.isEmpty {
            answeredShares.append(Double(prompts.count(where: \.isAnswered)) / Double(prompts.count))
        }
        for recording in record.recordings { if let device = recording.description?.device { devices.insert(device) } }
        clockErrors += record.prompts.compactMap(\.clockError)
        holes += record.holes.count
    }

    var text: String {
        """
        # Reporting table

        The items of CREMAS (Liao et al. 2016, doi:10.2196/jmir.4954, table 3), filled in from this dataset where it can say them. \
        Prompts from before an enrolment, replaced ones and those in pauses of the study are not counted.

        | item | topic | this study |
        |---|---|---|
        \(rows.enumerated().map { "| \($0 + 1) | \($1.topic) | \($1.text) |" }.joined(separator: "\n"))

        """
    }

    private static let forAuthors = "for the authors"

    private var rows: [(topic: String, text: String)] {
        [
            ("Title and key words", Self.forAuthors), ("Rationale", Self.forAuthors), ("Training", Self.forAuthors),
            ("Technology", technology), ("Wave duration", waves), ("Monitoring period", period),
            ("Prompting design", "\(Self.forAuthors); tasks that were prompted: \(tasks)"),
            ("Prompt frequency", frequency),
            ("Design features", "\(Self.forAuthors); questions in the study's order are in the codebook"),
            ("Attrition", attrition), ("Prompt delivery", delivery), ("Latency", latency),
            ("Compliance rate", compliance),
            ("Missing data", missing), ("Limitations", Self.forAuthors), ("Conclusions", Self.forAuthors),
        ]
    }

    private var technology: String {
        let names = devices.sorted().joined(separator: ", ")
        let error = clockErrors.max().map { "; times are within \(BIDSCell.number($0, 3)) s of UTC" } ?? ""
        return
            "a separate device with studyd for each participant; sensors: \(names.isEmpty ? "none" : Self.cell(names))\(error)"
    }

    private var waves: String {
        "\(Plural.of(participants, "participant")), \(enrolments.count { $0 > 1 }) of them with more than one enrolment"
    }

    private var period: String {
        let all = days.flatMap(\.self)
        let weekend = all.count { $0.weekday > 5 }
        return "days with prompts for each participant: \(Self.spread(days.map { Double($0.count) }, 0)); "
            + "in all \(all.count - weekend) on weekdays, \(weekend) at weekends"
    }

    private var tasks: String { Self.cell(Set(planned.map(\.task)).sorted().joined(separator: ", ")) }

    private var frequency: String {
        let all = days.flatMap(\.self)
        let isWeekend = { (day: LocalDate) in day.weekday > 5 }
        func rate(_ isWanted: (LocalDate) -> Bool) -> String {
            let (prompts, count) = (planned.count { isWanted($0.due.day) }, all.count(where: isWanted))
            return count == 0 ? "none" : BIDSCell.number(Double(prompts) / Double(count), 1)
        }
        return "prompts for each day with any: \(rate { !isWeekend($0) }) on weekdays, \(rate(isWeekend)) at weekends"
    }

    private var attrition: String {
        let longest = days.map(\.count).max() ?? 0
        let half = days.count { 2 * $0.count >= longest && longest > 0 }
        let whole = days.count { $0.count >= longest && longest > 0 }
        return
            "\(participants) enrolled; with prompts on at least half of the longest participation (\(longest) days): \(half); "
            + "on all of its days: \(whole)"
    }

    private var delivery: String {
        let withheld = planned.filter { $0.presented == nil && !$0.isAnswered }
        let given = planned.count - withheld.count
        let reasons = Dictionary(grouping: withheld) { $0.reason ?? $0.outcome }
        let list = reasons.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.count)" }.joined(separator: ", ")
        return
            "planned \(planned.count), presented \(given)\(list.isEmpty ? "" : "; not presented: \(Self.cell(list))")"
    }

    private var latency: String {
        func seconds(_ end: (StudyPrompt) -> StudyTime?) -> [Double] {
            planned.compactMap { prompt in
                prompt.presented.flatMap { start in end(prompt).map { ($0.instant - start.instant).seconds } }
            }
        }
        let toEnd = seconds { $0.isAnswered ? $0.ended : nil }
        return
            "from the signal to the first question: \(Self.spread(seconds(\.opened), 0)) s; to the end of answered ones: "
            + "\(Self.spread(toEnd, 0)) s"
    }

    private var compliance: String {
        let answered = planned.count(where: \.isAnswered)
        let share = planned.isEmpty ? "n/a" : BIDSCell.number(100 * Double(answered) / Double(planned.count), 1)
        return
            "\(answered) of \(planned.count) prompts answered (\(share) %); of participants: \(Self.spread(answeredShares.map { 100 * $0 }, 1)) %"
    }

    private var missing: String {
        let others = Dictionary(grouping: planned.filter { !$0.isAnswered }, by: \.outcome)
        let list = others.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.count)" }.joined(separator: ", ")
        return
            "not answered: \(list.isEmpty ? "none" : Self.cell(list)); recordings and submissions that are missing without a reason: \(holes); "
            + "whether missing answers go with anything: \(Self.forAuthors)"
    }

    /// `median 12 (3 to 40)`
    private static func spread(_ values: [Double], _ decimals: Int) -> String {
        let sorted = values.sorted()
        guard let least = sorted.first, let most = sorted.last else { return "n/a" }
        let (low, high) = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
        let parts = [(low + high) / 2, least, most].map { BIDSCell.number($0, decimals) }
        return "median \(parts[0]) (\(parts[1]) to \(parts[2]))"
    }

    /// The text without characters that would end a cell of a Markdown table.
    private static func cell(_ text: String) -> String { BIDSCell.text(text).replacing("|", with: "/") }
}
