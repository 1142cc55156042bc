// SPDX-License-Identifier: Apache-2.0
import Base

/// An occurrence on its way to its outcome. `Scheduler` decides, and calls the mutating functions; those that
/// move an entry between `Timeline`'s lists it calls on `Timeline`. An entry's turn is the moment at which it
/// is decided whether it is signalled.
///
///     future ── fallDue ──▶ live ── takeTurn: signal, or only in the list ──▶ … ── end ──▶ ended(outcome)
///
struct ScheduledEntry: Sendable {
    enum State: Sendable, Hashable {
        case future, live
        case ended(Outcome)
    }

    private(set) var occurrence: Occurrence
    /// When it ends by itself; nil = never.
    private(set) var end: Instant?
    /// Its task stays in the list after it was done.
    private(set) var isSticky: Bool
    /// When a sticky task's first occurrence takes the task off the list; nil = never.
    private(set) var closes: Instant?
    private(set) var state = State.future
    /// It was signalled or was in the list, so that the participant could answer it.
    private(set) var isPresented = false
    /// Its prompt is out: signalled, and not yet taken up, withdrawn or silenced.
    private(set) var isSignalling = false
    /// A run of it was begun at least once.
    private(set) var isBegun = false
    /// A run of it is under way.
    private(set) var isRunning = false
    /// It was decided once, while its task was open, whether it is signalled. What changes afterwards
    /// (prompts switched on, say) gives it no first signal; reminders may still come.
    private(set) var hadItsTurn = false
    /// What has kept it from being presented so far; nil once it is presented.
    private(set) var obstacle: MissReason?
    /// How many of its reminders were given, or passed before its first signal.
    private var reminded = 0
    /// Its signals are over (`Occurrence.silentFrom`); it may still be open.
    private(set) var isSilenced = false
    /// How it had ended before `bringBack`, by a clock that was wrong.
    private var formerOutcome: Outcome?
    /// The plan does not have it any more: it never falls due again.
    private(set) var isFormer = false

    init(_ occurrence: Occurrence, of task: StudyTask? = nil, end: Instant?) {
        (self.occurrence, self.end) = (occurrence, end)
        isSticky = task?.isSticky ?? false
        closes = task?.schedule.closesWithOccurrence ?? false ? occurrence.expires : nil
    }

    /// This entry with what the event log has of it.
    func restored(
        outcome: Outcome?, isPresented: Bool = false, isBegun: Bool = false, obstacle: MissReason? = nil
    ) -> ScheduledEntry {
        var entry = self
        if let outcome { entry.state = .ended(outcome) }
        (entry.isPresented, entry.isBegun, entry.obstacle) = (isPresented, isBegun, obstacle)
        return entry
    }

    /// An occurrence that ended and that the study no longer has.
    static func former(_ occurrence: Occurrence, _ outcome: Outcome) -> ScheduledEntry {
        var entry = ScheduledEntry(occurrence, end: nil).restored(outcome: outcome)
        entry.isFormer = true
        return entry
    }

    /// This entry with the state that the same occurrence has in an older plan; nil = it had none.
    func carrying(_ old: ScheduledEntry?) -> ScheduledEntry {
        guard var entry = old else { return self }
        // What the plan says of it, and nothing else, is new.
        (entry.occurrence, entry.end, entry.isSticky, entry.closes) = (occurrence, end, isSticky, closes)
        entry.isFormer = isFormer
        return entry
    }

    /// After another version of the study was read: if `old` had its turn and is silent, this one is
    /// not signalled for the first time either.
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
        var entries: [ScheduledEntry] = []
        for occurrence in plan.occurrences.reversed() {
            let task = occurrence.task
            let entry = ScheduledEntry(occurrence, of: plan.tasks[task], following: following[task])
            if entry.isFollowing(task: task) { following[task] = occurrence.due }
            entries.append(entry)
        }
        return entries.reversed()
    }

    /// An entry of a plan; `following` is when the task's next occurrence is due, since that may end it.
    init(_ occurrence: Occurrence, of task: StudyTask?, following: Instant?) {
        let next = occurrence.notice == nil ? following : nil
        self.init(occurrence, of: task, end: Self.end(of: occurrence, task, following: next))
    }

    /// It is an occurrence of that task with which earlier ones may end: neither a notice nor an offer.
    func isFollowing(task: String) -> Bool {
        occurrence.task == task && occurrence.notice == nil && !occurrence.isOffer
    }

    private static func end(of occurrence: Occurrence, _ task: StudyTask?, following: Instant?) -> Instant? {
        guard occurrence.isHidden else {
            if task?.isSticky ?? false { return nil }
            let next = task?.schedule.endsWithNextPrompt ?? false ? following : nil
            return next.map { min($0, occurrence.expires ?? $0) } ?? occurrence.expires
        }
        // A repeat of a sticky task, which only signals, ends with the task's next one, or after a day.
        let latest = occurrence.silentFrom ?? occurrence.due + .seconds(86_400)
        return following.map { min($0, latest) } ?? latest
    }

    // MARK: What happens to it

    /// It becomes live; false where it fell due before.
    mutating func fallDue() -> Bool {
        guard state == .future else { return false }
        state = .live
        return true
    }

    mutating func open() { (isRunning, isBegun) = (true, true) }
    mutating func leave() { isRunning = false }
    /// Only `Timeline.end` calls it, which takes the entry off its lists.
    mutating func end(_ outcome: Outcome) { (state, isRunning) = (.ended(outcome), false) }
    mutating func present() { (isPresented, obstacle) = (true, nil) }
    /// The panel is in use, and has not presented it.
    mutating func delay() { (isPresented, obstacle) = (false, .busy) }
    mutating func block(_ obstacle: MissReason) { self.obstacle = obstacle }
    mutating func signal() { isSignalling = true }
    /// No further reminder comes, and no first signal; `silence` ends the present one.
    mutating func endSignals() { isSilenced = true }
    /// Its turn goes by without a signal; it stays open.
    mutating func passInSilence() { (hadItsTurn, isSilenced) = (true, true) }
    /// After a pause of the study: it is decided again whether it is signalled.
    mutating func renewTurn() { hadItsTurn = false }

    /// Ends the present signal; false where there was none to withdraw.
    @discardableResult
    mutating func silence() -> Bool {
        defer { isSignalling = false }
        return isSignalling
    }

    /// To be called when it can be presented; reminders so far count as given. True where its signals
    /// were over before its turn came, which is to be reported.
    mutating func takeTurn(at now: Instant) -> Bool {
        hadItsTurn = true
        reminded = occurrence.reminders.count { $0 <= now }
        guard hasTimedOut(by: now), !isSilenced else { return false }
        isSilenced = true
        return true
    }

    /// Counts the reminders up to `now` as given; true where there was a new one among them.
    mutating func countReminders(until now: Instant) -> Bool {
        let passed = occurrence.reminders.count { $0 <= now }
        defer { reminded = passed }
        return passed > reminded
    }

    /// The clock was wrong and it is to come again. If time then passes over it without presenting it,
    /// it ends as it had ended before.
    mutating func bringBack() {
        if case .ended(let outcome) = state { formerOutcome = outcome }
        state = .future
        (isPresented, isSignalling, hadItsTurn, obstacle) = (false, false, false, nil)
        (reminded, isSilenced) = (0, false)
    }

    // MARK: What can be asked of it

    var outcome: Outcome? { if case .ended(let outcome) = state { outcome } else { nil } }

    /// The first occurrence of a sticky task, which stays in the list.
    var isLasting: Bool { isSticky && !occurrence.isHidden }

    /// It is to end now: its time is over, or it could never be answered; not while a run of it is under way.
    func isOver(at now: Instant) -> Bool {
        if isRunning { return false }
        // Neither in the list nor signalled: it could never be answered.
        if occurrence.isHidden, !occurrence.isSignalled { return true }
        return end.map { $0 <= now } ?? false
    }

    /// It can be started from the list, by its own time.
    func isOpen(at now: Instant) -> Bool {
        state == .live && !occurrence.isHidden && end.map { now < $0 } ?? true && lastOpen.map { now <= $0 } ?? true
    }

    /// The time of its signals is over (`Occurrence.silentFrom`).
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

    /// When it is signalled again, or else when its signals end; nil = neither is to come.
    var nextCall: Instant? {
        guard state == .live, hadItsTurn, !isBegun, !isSilenced else { return nil }
        return occurrence.reminders.dropFirst(reminded).first ?? occurrence.silentFrom
    }

    /// The last moment at which it can be opened: `Occurrence.openFor` after its last signal; nil = no
    /// such limit.
    var lastOpen: Instant? {
        occurrence.openFor.map { (occurrence.reminders.prefix(reminded).last ?? occurrence.due) + $0 }
    }

    /// It ended unanswered before its signals would have (`silentFrom`), so that time-out is still to
    /// be reported when it comes.
    var closedBeforeTimeout: Bool {
        guard state == .ended(.expired) || state == .ended(.missed(.notWorn)), !isBegun, !isSilenced,
            let timeout = occurrence.silentFrom, let end
        else { return false }
        return timeout > end
    }

    /// Its next reminder; nil = none is to come.
    var nextReminder: Instant? { nextCall == nil ? nil : occurrence.reminders.dropFirst(reminded).first }

    /// How it ends when its time runs out: `unseen` is the reason where nothing in here explains why it
    /// was never presented; `notWorn` is since when the device has not been worn; `isPaused` = the study is.
    func outcome(unseen: MissReason, notWorn: Instant? = nil, isPaused: Bool = false) -> Outcome {
        if isBegun { return .interrupted }
        if isPaused, isPresented, !occurrence.isOffer { return .missed(.studyPaused) }
        if isPresented, occurrence.isSignalled, let notWorn, notWorn <= occurrence.due { return .missed(.notWorn) }
        if isPresented || occurrence.isOffer { return .expired }
        if let formerOutcome, obstacle == nil { return formerOutcome }
        if !occurrence.isSignalled, obstacle == nil { return .missed(.beforeEnrolment) }
        return .missed(obstacle ?? unseen)
    }
}
