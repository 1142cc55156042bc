// SPDX-License-Identifier: Apache-2.0
import Base

/// An enrolment of a device that has reported: its latest report, and how many prompts it has answered.
/// `FleetArchive` keeps them all in memory.
struct FleetDevice: Sendable, Hashable {
    /// The latest, without its prompts.
    var report: DeviceReport
    /// When it was heard first and last, by the receiver's clock.
    let first: Instant
    var received: Instant
    /// Its reports came with a key that is good.
    var isKeyed = false
    /// Prompts that are over, by the UTC day they were due on.
    var days: [Int: PromptCount] = [:]
    /// Prompts that are over, by the days of the participant's wall clock, with reasons; the latest last.
    var promptDays: [PromptDay] = []

    struct Name: Hashable {
        let study: String
        let participant: String
    }

    /// Unique, unlike its name: the enrolment is a part of it.
    var id: String { report.source }

    var name: Name { Name(study: report.study, participant: report.participant) }

    /// The last seven days, with today, and the seven before.
    func weeks(at now: Instant) -> (this: PromptCount, before: PromptCount) {
        let today = PromptCount.day(now)
        var (this, before) = (PromptCount(), PromptCount())
        for (day, count) in days {
            // A day more: a device's clock may be ahead.
            if (today - 6...today + 1).contains(day) { this = this + count }
            if (today - 13...today - 7).contains(day) { before = before + count }
        }
        return (this, before)
    }
}
