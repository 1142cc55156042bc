// SPDX-License-Identifier: Apache-2.0
import Study

/// How long a task stays open: what `timeout_after` means.
///
/// The app adds the number as milliseconds (`getTaskDisplayList`), and since 2022-03 its README
/// says so too (schema-app/schema, a6a6526); before, the README said minutes, and files of that
/// time have 30 where half an hour is meant.
struct SchemaTimeout: Sendable, Hashable {
    /// The number as the file has it.
    let number: Int
    /// What it was taken for.
    private let unit: StudyOptions.TimeoutUnit
    /// The unit was given.
    private let isDecided: Bool

    /// No participant answers within a second: below that many it is minutes.
    private static let fewest = 1_000
    /// No study means less than a minute.
    private static let doubtful = 60_000

    /// The meaning of that number; nil = by its size.
    init(_ number: Int, unit: StudyOptions.TimeoutUnit?) {
        self.number = number
        self.unit = unit ?? (number < Self.fewest ? .minutes : .milliseconds)
        isDecided = unit != nil
    }

    /// From the task's time on.
    var duration: Duration { unit == .minutes ? .seconds(number * 60) : .milliseconds(number) }

    /// It is most likely another than was meant.
    var isDoubtful: Bool { number < Self.doubtful && !isDecided || unit == .milliseconds && number < Self.doubtful }

    /// What it was taken for, and how to say otherwise.
    var message: String {
        let other = unit == .minutes ? "milliseconds" : "minutes"
        if isDecided {
            let short = isDoubtful ? ": less than a minute, in which hardly anybody answers" : ""
            return "timeout_after \(number) is read as \(number) \(unit.rawValue), as --timeouts says\(short)"
        }
        let reason = unit == .minutes ? "" : ", as the app does"
        let doubt = isDoubtful ? ". If the study means \(other), add --timeouts \(other)" : ""
        return "timeout_after \(number) is read as \(number) \(unit.rawValue)\(reason)\(doubt)"
    }
}
