// SPDX-License-Identifier: Apache-2.0
import Base

/// Decides when a participant is prompted and how each occurrence ends. Pure: no clock, no I/O, no locks.
/// `StudyConductor` calls `handle` for each event, and with `.tick` at `wake`.
///
///     future ── due ──▶ live ──▶ ended(outcome)
///        ▲                │              │ the clock had jumped ahead and goes back; not begun, answered or declined
///        └────────────────┴──────────────┘
///
/// A live occurrence is in the list once its task is unlocked; it is signalled when the device, the
/// clock and the participant allow. Every occurrence ends in exactly one outcome; one without an
/// end stays live until it is done.
///
/// Rules that are ours, because the platforms' apps leave them to the phone:
/// - Several occurrences of one task that become presentable at once (after an unlocking, after the
///   device was off) give one signal, the newest's; the others are in the list.
/// - A sticky task stays in the list and may be done again and again. Its repeats (`Occurrence.isHidden`) signal
///   and are not in the list. Taken up, they open the sticky task.
///   Otherwise they end `expired` when the task's next one is due, at the latest after 24 hours.
/// - An occurrence with a run that was begun and left ends `interrupted` when its time runs out.
/// - While a study is paused nothing is signalled, nothing is in the list, and what runs out was missed
///   for that reason, also where it was presented before. A run that was begun may be submitted.
///   What is still open afterwards is signalled then.
/// - A task that is taken out of the study ends at once: what is open of it was missed for that
///   reason, what is to come never is. A run that is under way may be submitted.
/// - schema's app plans at most 30 notifications, and only at a visit of its home page. Both are
///   limits of phones and are not copied.
package struct Scheduler: Sendable {
    /// What the scheduler has to know, one by one. A string without a label is an occurrence's id.
    package enum Event: Sendable {
        case tick
        /// A run was begun; its signal ends, and its time cannot run out while it lasts.
        case opened(String)
        /// A run was left without submitting.
        case left(String)
        case completed(String)
        /// A run that answers no occurrence (a sticky task again) was submitted; the
        /// name is the task's.
        case completedAgain(task: String)
        /// Such a run was left without submitting.
        case leftAgain
        /// A notice was given to the participant, which ends it as completed.
        case noticeGiven(String)
        case declined(String)
        /// The panel is in use and will present it later; if it never can, it was missed because
        /// the panel was busy.
        case delayed(String)
        case presented(String)
        /// The participant switched prompts off or on.
        case prompts(Bool)
        /// Something that conditions look at has changed.
        case facts(StudyFacts)
        /// The device was off, from a time of the last run to one of this. Given once the clock is
        /// trusted again, before the next tick.
        case wasOff(from: Instant, to: Instant)
        /// By how much the trusted clock was set; positive = ahead.
        case clockJumped(by: Duration)
        /// Whether the wall clock can be believed. While it cannot, nothing falls due and
        /// nothing runs out.
        case clock(trusted: Bool)
        /// The plan was made again: another zone, a date that is known now.
        case replanned(Plan)
        /// Something happened that makes these due, now or later.
        case raised([Occurrence])
        /// Since when the device has not been worn, as far as that is measured; nil = it is worn, or that
        /// is not known.
        case notWorn(since: Instant?)
        /// The study was paused by those who run it, or goes on.
        case paused(Bool)
        /// The study was paused, or went on, at these times, while the wall clock was not believed; nil = not since.
        /// Given just before it is again.
        case wasPaused(from: Instant?, to: Instant?)
        /// Those who run the study took these tasks out of it, for good; the names are the tasks'.
        case retired(Set<String>)
        /// Given just before another version of the study is taken up for which it matters when
        /// (`StudyProtocol.dependsOnTakeUp`): notices that fell due and were not given end.
        case versionEnds
        /// The participant has left: open prompts end unanswered.
        case studyLeft
    }

    package enum Effect: Sendable, Hashable {
        case prompt(Occurrence)
        /// Its prompt is to be silenced.
        case withdraw(Occurrence)
        /// It has ended; given once for each.
        case outcome(Occurrence, Outcome)
        /// Signal it again: there was no reaction.
        case remind(Occurrence)
        /// Its signals are over, or it was too late for any.
        case unanswered(Occurrence)
        /// It fell due by a clock that was wrong: it will fall due again if the plan still has it, and what the
        /// log has of its prompt and outcome is void.
        case returned(Occurrence)
    }

    private var timeline: Timeline
    /// Which tasks can be opened.
    private var access: TaskAccess
    /// The reason for which an occurrence that was never presented was missed.
    private var unseen: UnseenTimes
    /// Prompts that closed before their time-out, which is still to be reported.
    private var unanswered = UnansweredWatch()
    /// By how much the clock has jumped ahead, and from when.
    private var lead: ClockLead
    private var notWornSince: Instant?
    /// How often a task was run without answering an occurrence.
    private var selfStarted: Int
    /// And how often such a run was left.
    private var selfStartedLeft: Int
    /// Whether the participant wants prompts.
    package private(set) var promptsAreOn: Bool
    /// Whether the wall clock is believed.
    package private(set) var clockIsTrusted: Bool

    /// A scheduler that goes on where the event log ends: `outcomes` and `presented` by occurrence
    /// id; `former` are occurrences that the study no longer has, which stay in the ledger;
    /// `retired` are tasks that were taken out of this version; `passedOver` are ids of what a change of
    /// zone passes over; `switches` and `lead` are what the log has about prompts that were switched off
    /// and about jumps of the clock.
    package init(
        plan: Plan, outcomes: [String: Outcome] = [:], presented: Set<String> = [], begun: Set<String> = [],
        facts: StudyFacts = StudyFacts(), promptsAreOn: Bool = true, clockIsTrusted: Bool = true, selfStarted: Int = 0,
        selfStartedLeft: Int = 0, isPaused: Bool = false,
        former removed: [(occurrence: Occurrence, outcome: Outcome)] = [],
        retired: Set<String> = [], passedOver: Set<String> = [], switches: PromptSwitches = PromptSwitches(),
        lead: ClockLead = ClockLead()
    ) {
        unseen = UnseenTimes(switches)
        self.lead = lead
        self.promptsAreOn = promptsAreOn
        self.clockIsTrusted = clockIsTrusted
        self.selfStarted = selfStarted
        self.selfStartedLeft = selfStartedLeft
        access = TaskAccess(plan.tasks, retired: retired, facts: facts, isPaused: isPaused)
        let planned = ScheduledEntry.entries(of: plan.without(retired)).map { entry in
            let id = entry.occurrence.id
            return entry.restored(
                outcome: outcomes[id], isPresented: presented.contains(id), isBegun: begun.contains(id),
                obstacle: passedOver.contains(id) ? .zoneChanged : nil)
        }
        timeline = Timeline(
            planned + removed.map { ScheduledEntry.former($0.occurrence, $0.outcome) })
        for entry in timeline.all where entry.isPresented && entry.closedBeforeTimeout {
            unanswered.add(entry.occurrence)
        }
    }

    /// What conditions look at, kept up with what was completed here.
    package var facts: StudyFacts { access.facts }
    /// Whether those who run the study have paused or closed it.
    package var isPaused: Bool { access.isPaused }
    /// Tasks that were taken out of this version of the study.
    var retired: Set<String> { access.retired }

    /// Takes from the scheduler of the same enrolment that this one replaces what the log does not have:
    /// which occurrences are silent after their turn.
    mutating func keepPrompts(of old: Scheduler) {
        timeline.keepTurns(of: old.timeline)
        if old.clockIsTrusted { unseen.forgetSwitches() }
    }

    /// Takes over since when the device has not been worn, which the sensors report only once.
    mutating func keepWear(of old: Scheduler) { notWornSince = old.notWornSince }

    /// Sets the zone and the enrolment by which conditions are evaluated.
    mutating func place(in setting: FactSetting) { access.facts.setting = setting }

    /// The next moment at which `.tick` has something to do; nil while the clock is not trusted or
    /// nothing is left.
    package var wake: Instant? {
        guard clockIsTrusted else { return nil }
        return [timeline.nextChange(after: access.now), access.nextOpening, unanswered.next].compactMap(\.self).min()
    }

    /// Applies the event; then, while the clock is trusted, lets fall due and end what `now` demands,
    /// and last presents what can be presented.
    package mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        access.setNow(now)
        let first = apply(event, at: now)
        guard clockIsTrusted else { return first }
        defer { unseen.forgetSwitches() }
        let ended = pass(to: now)
        return first + ended + presentFresh(at: now)
    }

    private mutating func apply(_ event: Event, at now: Instant) -> [Effect] {
        switch event {
        case .tick: break
        case .opened(let id): return open(id)
        case .left(let id): return leave(id)
        case .completed(let id): return complete(id)
        case .noticeGiven(let id): return end(id, .completed)
        case .leftAgain: selfStartedLeft += 1
        case .completedAgain(let task):
            selfStarted += 1
            access.facts.completedTasks.insert(task)
        case .declined(let id): return end(id, .declined)
        case .delayed(let id): if let index = timeline.liveIndex(id) { timeline[index].delay() }
        case .presented(let id): if let index = timeline.liveIndex(id) { timeline[index].present() }
        case .prompts(let on): return setPrompts(on)
        case .facts(let facts): access.facts = facts
        case .wasOff(let from, let to): return wasOff(from: from, to: to)
        case .clockJumped(let by): return clockIsTrusted ? jump(by, at: now) : []
        case .clock(let trusted):
            if trusted, !clockIsTrusted { unseen.endStart() }
            clockIsTrusted = trusted
        case .replanned(let plan): adopt(plan)
        case .raised(let occurrences): raise(occurrences)
        case .notWorn(let since): notWornSince = since
        case .paused(let paused): return pause(paused, at: now)
        case .wasPaused(let from, let to): return wasPaused(from: from, to: to)
        case .retired(let tasks): return retire(tasks)
        case .versionEnds: return endWithheldNotices()
        case .studyLeft:
            unanswered.removeAll()
            return timeline.live.filter { timeline[$0].occurrence.isSignalled }.flatMap { finish($0, .interrupted) }
        }
        return []
    }

    // MARK: What the participant and the device do

    /// Ids that are not live are ignored, here and below: an answer may cross an expiry.
    private mutating func open(_ id: String) -> [Effect] {
        guard let index = timeline.liveIndex(id) else { return [] }
        timeline[index].open()
        return silence(index)
    }

    private mutating func leave(_ id: String) -> [Effect] {
        guard let index = timeline.liveIndex(id) else { return [] }
        timeline[index].leave()
        return access.retired.contains(timeline[index].occurrence.task) ? finish(index, .interrupted) : []
    }

    private mutating func complete(_ id: String) -> [Effect] {
        guard let index = timeline.liveIndex(id) else { return [] }
        access.facts.completedTasks.insert(timeline[index].occurrence.task)
        return finish(index, .completed)
    }

    private mutating func end(_ id: String, _ outcome: Outcome) -> [Effect] {
        timeline.liveIndex(id).map { finish($0, outcome) } ?? []
    }

    /// Switched off, every signal ends; switched on, only what falls due from then on is signalled,
    /// as the platforms' apps do.
    private mutating func setPrompts(_ on: Bool) -> [Effect] {
        promptsAreOn = on
        return on ? [] : timeline.live.flatMap { silence($0) }
    }

    // MARK: What those who run the study do

    /// A pause ends every signal; what was signalled and is still open afterwards is
    /// signalled again. What has run out by now did so before the change.
    private mutating func pause(_ paused: Bool, at now: Instant) -> [Effect] {
        guard paused != access.isPaused else { return [] }
        let ended = clockIsTrusted ? pass(to: now) : []
        access.isPaused = paused
        guard paused else { return ended }
        let waiting = timeline.live.filter { timeline[$0].isSignalling }
        timeline.renewTurn(of: waiting)
        return ended + waiting.flatMap { silence($0) }
    }

    /// What had run out between these times did so in the pause; what ran out before or since did not.
    private mutating func wasPaused(from: Instant?, to: Instant?) -> [Effect] {
        unseen.endStart()
        var effects: [Effect] = []
        if let from {
            access.isPaused = false
            effects = pass(to: from) + pause(true, at: from)
        }
        guard let to else { return effects }
        effects += pass(to: to)
        access.isPaused = false
        return effects
    }

    /// Ends what is open of these tasks, and forgets what is to come; a run that is
    /// under way goes on.
    private mutating func retire(_ tasks: Set<String>) -> [Effect] {
        let news = access.retire(tasks)
        guard !news.isEmpty else { return [] }
        let over = timeline.live.filter { news.contains(timeline[$0].occurrence.task) && !timeline[$0].isRunning }
        let effects = over.flatMap { finish($0, timeline[$0].isBegun ? .interrupted : .missed(.deleted)) }
        adopt(Plan(tasks: Array(access.tasks.values), occurrences: timeline.occurrences))
        return effects
    }

    /// Ends notices that have fallen due and were not given.
    private mutating func endWithheldNotices() -> [Effect] {
        timeline.live.filter { timeline[$0].occurrence.notice != nil }
            .flatMap { finish($0, timeline[$0].outcome(unseen: .promptsOff)) }
    }

    /// Adds what something that happened has made due; what is there already stays as it is.
    private mutating func raise(_ occurrences: [Occurrence]) {
        for occurrence in occurrences.inTimeOrder()
        where timeline[occurrence.id] == nil && !access.retired.contains(occurrence.task) {
            timeline.insert(occurrence, of: access.tasks[occurrence.task])
        }
    }

    private mutating func adopt(_ plan: Plan) {
        let plan = plan.without(access.retired)
        timeline.adopt(plan)
        access.adopt(plan)
    }

    // MARK: A clock that goes back after it had gone ahead

    /// The clock was set by `by`. What fell due while it was ahead and lies in the future again counts
    /// as not yet due; what the participant began, answered or declined is kept.
    ///
    /// cron(8) and systemd's timers do the same: a clock that goes back far is a correction and the
    /// new time is used at once, a time of last running that lies in the future is not believed
    /// (systemd, src/core/timer.c, `timer_start`); a small one makes nothing run twice.
    private mutating func jump(_ by: Duration, at now: Instant) -> [Effect] {
        notWornSince = notWornSince.map { $0 + by }
        guard let limit = lead.addJump(by: by, at: now), by <= .zero - ClockLead.least else { return [] }
        return returnUnseen(after: limit)
    }

    /// The device was off: `from` was read by the last run's clock, `to` by this run's. If `to` is
    /// before `from`, the clock of the last run was ahead.
    private mutating func wasOff(from: Instant, to: Instant) -> [Effect] {
        if from < to {
            unseen.addOff(from..<to)
            unanswered.remove(through: from)
            timeline.silence(timedOutBy: from) { [unseen] in unseen.wasWithheld($0, by: to) }
        }
        let limit = lead.addJump(by: to - from, at: to)
        guard from - to >= ClockLead.least else { return [] }
        return returnUnseen(after: limit ?? to)
    }

    /// Brings back what was due after `limit` and the participant has not touched: it will fall due again. A run
    /// under numbers of an earlier version (`RunNumbering`) leaves for good: the plan has others for its time.
    private mutating func returnUnseen(after limit: Instant) -> [Effect] {
        let indices = timeline.due(after: limit).filter {
            timeline[$0].isUntouched && access.has(timeline[$0].occurrence.task)
        }
        let effects = indices.flatMap { silence($0) + [.returned(timeline[$0].occurrence)] }
        timeline.bringBack(indices)
        return effects
    }

    // MARK: What time does

    /// Brings everything to `now`: what is due becomes live, reminders and time-outs are given, what has run
    /// out ends.
    private mutating func pass(to now: Instant) -> [Effect] {
        timeline.fallDue(until: now)
        let reminded = remindOrTimeOut(at: now)
        let effects = timeline.over(at: now).flatMap { index -> [Effect] in
            let entry = timeline[index]
            let reason = unseen.reason(for: entry, enrolled: access.facts.setting?.enrolment.instant, at: now)
            return unansweredBeforeTurn(entry, at: now)
                + finish(index, entry.outcome(unseen: reason, notWorn: notWornSince, isPaused: access.isPaused))
        }
        unseen.endStart()
        return reminded + effects + takeTimeouts(at: now)
    }

    /// Signals again where there was no reaction, and ends signals that have a time limit. Of
    /// several reminders that are late one is given.
    private mutating func remindOrTimeOut(at now: Instant) -> [Effect] {
        timeline.live.filter { timeline[$0].nextCall.map { $0 <= now } ?? false }.flatMap { index -> [Effect] in
            let occurrence = timeline[index].occurrence
            let isLate = timeline[index].countReminders(until: now)
            if timeline[index].hasTimedOut(by: now) {
                timeline[index].endSignals()
                return silence(index) + [.unanswered(occurrence)]
            }
            guard access.isUnlocked(occurrence.task) else {
                if !access.waitsWhileLocked(occurrence.task) { timeline[index].endSignals() }
                return []
            }
            guard isLate, promptsAreOn, !timeline[index].isRunning else { return [] }
            timeline[index].signal()
            return [.remind(occurrence)]
        }
    }

    /// The time-out of an entry that ends before it had its turn and whose signals would have ended
    /// already, such as while the device was off.
    private func unansweredBeforeTurn(_ entry: ScheduledEntry, at now: Instant) -> [Effect] {
        guard !entry.hadItsTurn, !entry.isSilenced, entry.obstacle == nil, entry.hasTimedOut(by: now),
            access.isUnlocked(entry.occurrence.task)
        else { return [] }
        return [.unanswered(entry.occurrence)]
    }

    /// Due time-outs of prompts that had closed before; without those whose task was done or prompted
    /// for in between.
    private mutating func takeTimeouts(at now: Instant) -> [Effect] {
        unanswered.takeDue(at: now).filter { own in
            guard let end = own.silentFrom else { return false }
            let isDone = access.facts.lastDone(own.task).map { own.due <= $0 && $0 <= now } ?? false
            return !isDone && !isPromptedAgain(own, by: end)
        }.map { .unanswered($0) }
    }

    /// Whether another prompt for its task fell due after it, until `end`.
    private func isPromptedAgain(_ own: Occurrence, by end: Instant) -> Bool {
        timeline.all.contains { entry in
            let other = entry.occurrence
            return other.task == own.task && other.notice == nil && !other.isOffer && other.due > own.due
                && other.due <= end
        }
    }

    /// Gives entries their turn that have not had it and can be presented: the newest of each task is
    /// signalled, the others are only in the list.
    private mutating func presentFresh(at now: Instant) -> [Effect] {
        var signals: [String: Int] = [:]
        var late: [Effect] = []
        var notices: [Int] = []
        for index in timeline.fresh {
            let occurrence = timeline[index].occurrence
            guard !access.isPaused, access.admits(occurrence) else {
                late += block(index)
                continue
            }
            if timeline[index].takeTurn(at: now) { late.append(.unanswered(occurrence)) }
            guard presentOrWithhold(index, at: now) else { continue }
            timeline[index].signal()
            if occurrence.notice != nil {
                notices.append(index)
                continue
            }
            if let older = signals[occurrence.task] { timeline[older].silence() }
            signals[occurrence.task] = index
        }
        timeline.dropPresented()
        return late + (signals.values + notices).sorted().map { .prompt(timeline[$0].occurrence) }
    }

    /// Notes why an entry cannot be presented now. Where its schedule does not wait for a locked task
    /// (`waitsWhileLocked`), it is missed if it only signals; else it stays open in silence.
    private mutating func block(_ index: Int) -> [Effect] {
        timeline[index].block(access.isPaused ? .studyPaused : .locked)
        let occurrence = timeline[index].occurrence
        guard !access.isPaused, occurrence.isSignalled, !access.waitsWhileLocked(occurrence.task) else { return [] }
        guard !occurrence.isHidden else { return finish(index, .missed(.locked)) }
        timeline[index].passInSilence()
        return []
    }

    /// Marks an entry at its turn as presented, or as kept back because prompts are off; true where it
    /// is to be signalled, else it is at most in the list.
    private mutating func presentOrWithhold(_ index: Int, at now: Instant) -> Bool {
        let isSignalled = timeline[index].occurrence.isSignalled
        guard !isSignalled || promptsAreOn && !unseen.wasWithheld(timeline[index], by: now) else {
            timeline[index].block(.promptsOff)
            return false
        }
        timeline[index].present()
        return isSignalled && !timeline[index].isRunning && !timeline[index].isSilenced
    }

    /// Ends an entry with this outcome, and its signal.
    private mutating func finish(_ index: Int, _ outcome: Outcome) -> [Effect] {
        let withdrawal = silence(index)
        timeline.end(index, outcome)
        let entry = timeline[index]
        if entry.hadItsTurn, entry.closedBeforeTimeout { unanswered.add(entry.occurrence) }
        return withdrawal + [.outcome(entry.occurrence, outcome)]
    }

    /// Ends its signal, with the effect that withdraws it; none where it is not signalled.
    private mutating func silence(_ index: Int) -> [Effect] {
        timeline[index].silence() ? [.withdraw(timeline[index].occurrence)] : []
    }
}

// MARK: - What can be asked of it

extension Scheduler {
    /// Whether a task is part of the study and unlocked, at the time of the last event.
    func canOpen(_ task: String) -> Bool { access.has(task) && access.isUnlocked(task) }

    /// Whether prompts of that task have a time-out; only then it matters when the task was last done.
    func timesOut(_ task: String) -> Bool {
        timeline.all.contains { $0.occurrence.task == task && $0.occurrence.silentFrom != nil }
    }

    /// The planned occurrence of that id, nil where there is none.
    package func occurrence(_ id: String) -> Occurrence? { timeline[id]?.occurrence }

    /// What can be started at `now`, whether it is signalled or not. Empty while the
    /// clock is not trusted.
    package func list(at now: Instant) -> OpenList {
        clockIsTrusted ? OpenList(timeline, access, at: now) : OpenList(entries: [])
    }

    /// What a prompt opens: its own task, if that can be opened at `now`; else nil ("no
    /// longer available").
    package func opening(of id: String, at now: Instant) -> OpenList.Entry? {
        guard clockIsTrusted, let entry = timeline[id], entry.state == .live,
            access.isUnlocked(entry.occurrence.task), entry.isOpen(at: now) || entry.occurrence.isHidden
        else { return nil }
        let occurrence = entry.occurrence
        let first = occurrence.isHidden ? timeline.lasting(of: occurrence.task) ?? occurrence : occurrence
        return OpenList.Entry(first, of: access.tasks[occurrence.task], answers: occurrence, startsGroup: true)
    }

    /// The next occurrences that will be signalled, soonest first; none while the study is paused,
    /// since it is not known when it goes on.
    package func upcoming(_ count: Int) -> [Occurrence] {
        guard !access.isPaused else { return [] }
        return Array(timeline.toCome.lazy.map(\.occurrence).filter(\.isSignalled).prefix(count))
    }

    /// Prompts that have fallen due and not ended, whether they are signalled or not.
    var openPrompts: [Occurrence] {
        timeline.live.map { timeline[$0].occurrence }.filter { $0.purpose == .prompt }
    }

    /// What has fallen due, with how it ended; nil = it has not.
    var issued: [(occurrence: Occurrence, outcome: Outcome?)] {
        timeline.all.filter { $0.state != .future }.map { ($0.occurrence, $0.outcome) }
    }

    /// How open prompts end that another version of the study does not have; `isReplaced` says which.
    func replaced(_ isReplaced: (Occurrence) -> Bool) -> [(occurrence: Occurrence, outcome: Outcome)] {
        timeline.live.map { timeline[$0] }.filter { $0.occurrence.purpose == .prompt && isReplaced($0.occurrence) }
            .map { ($0.occurrence, $0.isBegun ? Outcome.interrupted : .missed(.replaced)) }
    }

    /// What has not fallen due yet, in time order.
    package var toCome: some Sequence<Occurrence> { timeline.toCome.lazy.map(\.occurrence) }

    /// The next reminder of each prompt that is out.
    var reminders: [PlanWatch.Alarm] {
        timeline.live.compactMap { index in
            timeline[index].nextReminder.map { PlanWatch.Alarm(task: timeline[index].occurrence.task, due: $0) }
        }
    }

    /// Counts up whenever what is to come changes, other than by falling due.
    var planRevision: Int { timeline.revision }

    /// Every occurrence with how it ended, in time order; nil = it has not.
    package var endings: [(occurrence: Occurrence, outcome: Outcome?)] {
        timeline.all.map { ($0.occurrence, $0.outcome) }
    }

    /// The occurrences' part of the ledger: those that have fallen due, and runs that
    /// were self-started.
    package var ledger: Ledger.OccurrenceCounts {
        var counts = Ledger.OccurrenceCounts()
        for entry in timeline.all where entry.state != .future && entry.occurrence.notice == nil {
            counts.add(entry.outcome)
        }
        counts.selfStarted = selfStarted
        counts.selfStartedLeft = selfStartedLeft
        return counts
    }
}
