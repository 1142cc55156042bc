// SPDX-License-Identifier: Apache-2.0
import Study

/// How long a task stays open: what `timeout_after` means, for the readers of schedules.
///
/// The app adds the number as milliseconds (`getTaskDisplayList`), and since 2022-03 its README
/// says so too (schema-app/schema, a6a6526); before, the README said minutes, and files of that
/// time have 30 where half an hour is meant.
struct SchemaTimeout: Sendable, Hashable {
    private let number: Int
    private let unit: StudyOptions.TimeoutUnit
    /// The unit was chosen with `--timeouts`; else it is guessed.
    private let isUnitGiven: Bool

    /// nil = by its size: no participant answers within a second, so numbers below 1,000 are minutes.
    init(_ number: Int, unit: StudyOptions.TimeoutUnit?) {
        self.number = number
        self.unit = unit ?? (number < 1_000 ? .minutes : .milliseconds)
        isUnitGiven = unit != nil
    }

    var duration: Duration { unit == .minutes ? .seconds(number * 60) : .milliseconds(number) }

    /// It may not be what was meant: guessed to be minutes, or less than a minute.
    var isDoubtful: Bool { number < 60_000 && (!isUnitGiven || unit == .milliseconds) }

    /// What it was taken for, and how to have it otherwise.
    var message: String {
        let other = unit == .minutes ? "milliseconds" : "minutes"
        if isUnitGiven {
            let short = isDoubtful ? ": less than a minute, in which hardly anybody answers" : ""
            return "timeout_after \(number) is read as \(number) \(unit.rawValue), as --timeouts says\(short)"
        }
        let reason = unit == .minutes ? "" : ", as the app does"
        let doubt = isDoubtful ? ". If the study means \(other), add --timeouts \(other)" : ""
        return "timeout_after \(number) is read as \(number) \(unit.rawValue)\(reason)\(doubt)"
    }
}
