// SPDX-License-Identifier: Apache-2.0
import Base

/// An occurrence on its way to its outcome.
struct ScheduledEntry: Sendable {
    enum State: Sendable, Hashable {
        case future, live
        case ended(Outcome)
    }

    let occurrence: Occurrence
    /// When it ends of itself; nil = never.
    let end: Instant?
    var state = State.future
    /// It was signalled, or stood in the list.
    var isPresented = false
    var isSignalling = false
    /// A run of it was begun at least once.
    var isBegun = false
    /// A run of it is under way.
    var isRunning = false
    /// It was looked at while its task was open; what comes later gives it no signal of its own.
    var hadItsTurn = false
    /// What has kept it from being presented so far.
    var obstacle: MissReason?
    /// How many of its reminders were given, or passed before its first signal.
    var reminded = 0
    /// Its signals came to their own end.
    var isSilenced = false
    /// How it ended by a clock that was wrong.
    var former: Outcome?

    /// Entries of a plan, each with its end.
    static func entries(of plan: Plan) -> [ScheduledEntry] {
        var following: [String: Instant] = [:]
        var ends: [Instant?] = []
        for occurrence in plan.occurrences.reversed() {
            let task = plan.tasks[occurrence.task]
            let next = occurrence.notice == nil ? following[occurrence.task] : nil
            ends.append(end(of: occurrence, task, following: next))
            if occurrence.notice == nil, !occurrence.isOffer { following[occurrence.task] = occurrence.due }
        }
        return zip(plan.occurrences, ends.reversed()).map { ScheduledEntry(occurrence: $0, end: $1) }
    }

    private static func end(of occurrence: Occurrence, _ task: StudyTask?, following: Instant?) -> Instant? {
        guard occurrence.isHidden else {
            if task?.isSticky ?? false { return nil }
            let next = task?.schedule.endsWithNextPrompt ?? false ? following : nil
            return next.map { min($0, occurrence.expires ?? $0) } ?? occurrence.expires
        }
        let day = occurrence.silentFrom ?? occurrence.due + .seconds(86_400)
        return following.map { min($0, day) } ?? day
    }

    /// When its signal is given again or ends before it does; nil = neither is to come.
    var nextCall: Instant? {
        guard state == .live, hadItsTurn, !isBegun, !isSilenced else { return nil }
        return occurrence.reminders.dropFirst(reminded).first ?? occurrence.silentFrom
    }

    /// The last moment at which it can be opened, by its last signal; nil = that does not limit it.
    var lastOpen: Instant? {
        occurrence.openFor.map { (occurrence.reminders.prefix(reminded).last ?? occurrence.due) + $0 }
    }

    /// It ran out, was not begun, and its time-out is still to come.
    var closedBeforeTimeout: Bool {
        guard state == .ended(.expired), !isBegun, !isSilenced, let timeout = occurrence.silentFrom, let end else {
            return false
        }
        return timeout > end
    }

    /// When its signal is given again next; nil = that is not to come.
    var nextReminder: Instant? { nextCall == nil ? nil : occurrence.reminders.dropFirst(reminded).first }

    /// How it ends when its time runs out.
    func outcome(unseen: MissReason) -> Outcome {
        if isBegun { return .interrupted }
        if isPresented || occurrence.isOffer { return .expired }
        if let former, obstacle == nil { return former }
        if !occurrence.isSignalled, obstacle == nil { return .missed(.beforeEnrolment) }
        return .missed(obstacle ?? unseen)
    }
}
