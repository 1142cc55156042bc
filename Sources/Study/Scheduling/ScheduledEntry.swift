// SPDX-License-Identifier: Apache-2.0
import Base

/// An occurrence on its way to its outcome.
struct ScheduledEntry: Sendable {
    enum State: Sendable, Hashable {
        case future, live
        case ended(Outcome)
    }

    let occurrence: Occurrence
    /// When it ends by itself; nil = never.
    let end: Instant?
    /// Its task stays in the list after it was done.
    let isSticky: Bool
    /// When a sticky task's first occurrence takes the task off the list; nil = never.
    let closes: Instant?
    private(set) var state = State.future
    /// It was signalled, or was in the list.
    private(set) var isPresented = false
    private(set) var isSignalling = false
    /// A run of it was begun at least once.
    private(set) var isBegun = false
    /// A run of it is under way.
    private(set) var isRunning = false
    /// It was looked at while its task was open; what comes later gives it no signal.
    private(set) var hadItsTurn = false
    /// What has kept it from being presented so far.
    private(set) var obstacle: MissReason?
    /// How many of its reminders were given, or passed before its first signal.
    private var reminded = 0
    /// Its signals came to their own end.
    private(set) var isSilenced = false
    /// How it ended by a clock that was wrong.
    private var former: Outcome?

    init(_ occurrence: Occurrence, of task: StudyTask? = nil, end: Instant?) {
        (self.occurrence, self.end) = (occurrence, end)
        isSticky = task?.isSticky ?? false
        closes = task?.schedule.closesWithOccurrence ?? false ? occurrence.expires : nil
    }

    /// As the event log has it.
    func restored(
        outcome: Outcome?, isPresented: Bool = false, isBegun: Bool = false, obstacle: MissReason? = nil
    ) -> ScheduledEntry {
        var entry = self
        if let outcome { entry.state = .ended(outcome) }
        (entry.isPresented, entry.isBegun, entry.obstacle) = (isPresented, isBegun, obstacle)
        return entry
    }

    /// With the state that the same occurrence has in an older plan.
    func carrying(_ old: ScheduledEntry?) -> ScheduledEntry {
        guard let old else { return self }
        var entry = self
        entry.state = old.state
        entry.isPresented = old.isPresented
        entry.isSignalling = old.isSignalling
        entry.isBegun = old.isBegun
        entry.isRunning = old.isRunning
        entry.hadItsTurn = old.hadItsTurn
        entry.obstacle = old.obstacle
        entry.former = old.former
        (entry.reminded, entry.isSilenced) = (old.reminded, old.isSilenced)
        return entry
    }

    /// What had its turn and is silent is not signalled by another version either.
    mutating func keepTurn(of old: ScheduledEntry?) {
        guard let old, state == .future, old.state == .live, old.hadItsTurn, !old.isSignalling,
            old.obstacle != .busy, old.occurrence.due == occurrence.due
        else { return }
        (hadItsTurn, isPresented, obstacle) = (true, old.isPresented, old.obstacle)
        (reminded, isSilenced) = (old.reminded, old.isSilenced)
    }

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
        return zip(plan.occurrences, ends.reversed()).map { ScheduledEntry($0, of: plan.tasks[$0.task], end: $1) }
    }

    /// One of a plan; `following` is when the next of its task is due, with which it may end.
    init(_ occurrence: Occurrence, of task: StudyTask?, following: Instant?) {
        let next = occurrence.notice == nil ? following : nil
        self.init(occurrence, of: task, end: Self.end(of: occurrence, task, following: next))
    }

    /// Earlier ones of that task may end when it falls due.
    func isFollowing(task: String) -> Bool {
        occurrence.task == task && occurrence.notice == nil && !occurrence.isOffer
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

    // MARK: What happens to it

    /// False where that has happened before.
    mutating func fallDue() -> Bool {
        guard state == .future else { return false }
        state = .live
        return true
    }

    mutating func open() { (isRunning, isBegun) = (true, true) }
    mutating func leave() { isRunning = false }
    mutating func end(_ outcome: Outcome) { (state, isRunning) = (.ended(outcome), false) }
    mutating func present() { (isPresented, obstacle) = (true, nil) }
    mutating func delay() { (isPresented, obstacle) = (false, .busy) }
    mutating func block(_ obstacle: MissReason) { self.obstacle = obstacle }
    mutating func signal() { isSignalling = true }
    mutating func endSignals() { isSilenced = true }
    mutating func passInSilence() { (hadItsTurn, isSilenced) = (true, true) }
    mutating func renewTurn() { hadItsTurn = false }

    /// False where it was silent.
    @discardableResult
    mutating func silence() -> Bool {
        defer { isSignalling = false }
        return isSignalling
    }

    /// It is looked at while its task is open; true where that is too late for a signal.
    mutating func takeTurn(at now: Instant) -> Bool {
        hadItsTurn = true
        reminded = occurrence.reminders.count { $0 <= now }
        guard hasTimedOut(by: now), !isSilenced else { return false }
        isSilenced = true
        return true
    }

    /// True where another one is due.
    mutating func countReminders(until now: Instant) -> Bool {
        let passed = occurrence.reminders.count { $0 <= now }
        defer { reminded = passed }
        return passed > reminded
    }

    /// To come again. If it is jumped over once more, unseen, it ends as it had ended.
    mutating func bringBack() {
        if case .ended(let outcome) = state { former = outcome }
        state = .future
        (isPresented, isSignalling, hadItsTurn, obstacle) = (false, false, false, nil)
        (reminded, isSilenced) = (0, false)
    }

    // MARK: What can be asked of it

    /// nil = it has not ended.
    var outcome: Outcome? { if case .ended(let outcome) = state { outcome } else { nil } }

    /// The first occurrence of a sticky task, which stays in the list.
    var isLasting: Bool { isSticky && !occurrence.isHidden }

    /// It has run out, and no run of it is under way.
    func isOver(at now: Instant) -> Bool {
        if isRunning { return false }
        // A repeat of a sticky task that gets no signal is nowhere to be seen.
        if occurrence.isHidden, !occurrence.isSignalled { return true }
        return end.map { $0 <= now } ?? false
    }

    /// It can be started from the list, by its own time.
    func isOpen(at now: Instant) -> Bool {
        state == .live && !occurrence.isHidden && end.map { now < $0 } ?? true && lastOpen.map { now <= $0 } ?? true
    }

    /// Its last signal has ended.
    func hasTimedOut(by now: Instant) -> Bool { occurrence.silentFrom.map { $0 <= now } ?? false }

    /// It fell due, and no participant did anything about it.
    var isUntouched: Bool {
        guard !isBegun, !isRunning else { return false }
        switch state {
        case .future, .ended(.completed), .ended(.declined), .ended(.interrupted), .ended(.missed(.deleted)):
            return false
        case .live, .ended(.expired), .ended(.missed): return true
        }
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
        guard state == .ended(.expired) || state == .ended(.missed(.notWorn)), !isBegun, !isSilenced,
            let timeout = occurrence.silentFrom, let end
        else { return false }
        return timeout > end
    }

    /// When its signal is given again next; nil = that is not to come.
    var nextReminder: Instant? { nextCall == nil ? nil : occurrence.reminders.dropFirst(reminded).first }

    /// How it ends when its time runs out; `notWorn` is since when the device has not been worn.
    func outcome(unseen: MissReason, notWorn: Instant? = nil) -> Outcome {
        if isBegun { return .interrupted }
        if isPresented, occurrence.isSignalled, let notWorn, notWorn <= occurrence.due { return .missed(.notWorn) }
        if isPresented || occurrence.isOffer { return .expired }
        if let former, obstacle == nil { return former }
        if !occurrence.isSignalled, obstacle == nil { return .missed(.beforeEnrolment) }
        return .missed(obstacle ?? unseen)
    }
}
