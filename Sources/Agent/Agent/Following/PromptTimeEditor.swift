// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Lists and moves the times of the day at which a participant is prompted, where the study allows that. For
/// `studyd schedule`, in the agent (`ControlService`) or without one.
package struct PromptTimeEditor: Sendable {
    private let database: StudyDatabase
    private let stamps: EventClock

    package init(database: StudyDatabase, stamps: EventClock) {
        (self.database, self.stamps) = (database, stamps)
    }

    /// A time, with the name of its task.
    package struct Line: Sendable {
        /// The task's name, as participants know it.
        package let task: String
        package let time: PromptTime
    }

    /// The study with its participant.
    private struct Participation {
        let record: EnrolmentRecord
        let loaded: LoadedStudy
        let planner: Planner

        var lines: [Line] {
            planner.study.tasks.filter(planner.fits).flatMap { task in
                task.schedule.promptTimes(of: task, in: planner.context).map { Line(task: task.name, time: $0) }
            }
        }
    }

    /// All that can be moved, in the order of the study.
    package func lines() async throws -> [Line] { try await participation().lines }

    /// Moves times that are given as `1=09:00-17:00` by the numbers of `lines`, all or none; prompts
    /// that were given out, and the next one, keep their times. Returns the variables that were set, and a text.
    package func apply(
        _ changes: [String]
    ) async throws -> (enrolment: String, values: [String: AnswerValue], text: String) {
        let participation = try await participation()
        let lines = participation.lines
        guard !lines.isEmpty else { throw PromptTimeError("this study does not let its times be changed") }
        let times = try changes.map { try Self.time($0, lines) }
        let now = stamps.moment
        let moved = try participation.planner.moving(times, at: now.instant)
        guard !moved.variables.isEmpty else {
            return (participation.record.id, [:], "nothing is changed: these are the times")
        }
        try await keep(moved, participation, now)
        return (participation.record.id, moved.variables, moved.lines.joined(separator: "\n"))
    }

    private func keep(_ moved: MovedTimes, _ participation: Participation, _ now: Moment) async throws {
        let context = WireContext(
            study: participation.loaded.study, enrolment: participation.planner.context.enrolment, zone: stamps.zone,
            postURL: participation.record.postURL)
        var encoder = EventEncoder(context: context)
        var drafts: [OutboxDraft] = []
        for report in moved.reports { drafts += encoder.drafts(report, at: now) }
        let rows = moved.variables.sorted { $0.key < $1.key }.map {
            StudyEvent.variableSet(name: $0.key, value: $0.value)
        }
        try await database.append(rows, sending: drafts, at: stamps.stamp(participation.record.id))
    }

    private func participation() async throws -> Participation {
        guard let state = try await database.latestEnrolment(), state.withdrawn == nil,
            let enrolment = state.record.enrolment
        else { throw EnrolmentError.notEnrolled }
        let loaded = try await database.requiredStudy(state.record)
        let context = ScheduleContext(
            enrolment: enrolment, zone: stamps.zone, chance: Chance(enrolmentSeed: enrolment.seed),
            facts: try await database.facts(of: enrolment.id))
        return Participation(
            record: state.record, loaded: loaded, planner: Planner(study: loaded.study, context: context))
    }

    /// `1=09:00` or `1=09:00-17:00`.
    private static func time(_ change: String, _ lines: [Line]) throws(PromptTimeError) -> PromptTime {
        let parts = change.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let example = "write a time as 1=09:00, or a stretch as 1=09:00-17:00"
        guard parts.count == 2, let number = Int(parts[0]) else { throw PromptTimeError("\(change): \(example)") }
        guard lines.indices.contains(number - 1) else {
            throw PromptTimeError(
                "\(change): the times have the numbers 1 to \(lines.count); 'studyd schedule' lists them")
        }
        let clock = parts[1].split(separator: "-", omittingEmptySubsequences: false).map { milliseconds(String($0)) }
        var time = lines[number - 1].time
        switch (clock.count, clock.first ?? nil, clock.last ?? nil, time.end) {
        case (1, let start?, _, nil): time.start = start
        case (2, let start?, let end?, .some): (time.start, time.end) = (start, end)
        case (1, .some, _, .some):
            throw PromptTimeError("\(change): number \(number) is a stretch of the day: \(example)")
        case (2, .some, .some, nil): throw PromptTimeError("\(change): number \(number) is a single time: \(example)")
        default: throw PromptTimeError("\(change): \(example)")
        }
        return time
    }

    private static func milliseconds(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.count) && $0.allSatisfy(\.isNumber) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), LocalTime(hour: hour, minute: minute) != nil
        else { return nil }
        return (hour * 60 + minute) * 60_000
    }
}
