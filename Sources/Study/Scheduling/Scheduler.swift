// SPDX-License-Identifier: Apache-2.0
import Base

/// Decides when a participant is prompted and how each occurrence ends. Pure: no clock,
/// no I/O, no locks.
///
///     future ── due ──▶ live ──▶ ended(outcome)
///        ▲                │              │ the clock had jumped ahead and goes back; nobody began, answered or declined it
///        └────────────────┴──────────────┘
///
/// A live occurrence is in the list once its task is unlocked; it is signalled when the device, the
/// clock and the participant allow. Every occurrence ends in exactly one outcome; one without an
/// end stays live until it is done.
///
/// Rules that are ours, because the platforms' apps leave them to the phone:
/// - Several occurrences of one task that become presentable at once (after an unlocking, after the
///   device was off) give one signal, the newest's; the others are in the list.
/// - Repeats of a sticky task signal and are not in the list. Taken up, they open the sticky task.
///   Otherwise they end `expired` when the task's next one is due, at the latest after 24 hours.
/// - An occurrence whose run was begun and left ends `interrupted` when its time runs out.
/// - While a study is paused nothing is signalled, nothing is in the list, and what runs out unseen
///   was missed for that reason. A run that was begun may be submitted. What is still open
///   afterwards is signalled then.
/// - A task that is taken out of the study ends at once: what is open of it was missed for that
///   reason, what is to come never is. A run that is under way may be submitted.
/// - schema's app plans at most 30 notifications, and only at a visit of its home page. Both are
///   limits of phones and are not copied.
package struct Scheduler: Sendable {
    /// What happens to it. Names in parentheses are occurrence ids.
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
        /// It was a notice, and was told.
        case told(String)
        /// The participant said no.
        case declined(String)
        /// The panel is in use and will present it later; if it never can, it was missed because
        /// the panel was busy.
        case delayed(String)
        /// The panel has presented it.
        case presented(String)
        /// The participant switched prompts off or on.
        case prompts(Bool)
        /// Something that conditions look at has changed.
        case facts(StudyFacts)
        /// The device was off, from a time of the last run to one of this. Given once the clock is
        /// trusted again, before the next tick.
        case wasOff(from: Instant, to: Instant)
        /// The trusted clock was set by so much; positive = ahead.
        case clockJumped(by: Duration)
        /// Whether the wall clock can be believed. While it cannot, nothing falls due and
        /// nothing runs out.
        case clock(trusted: Bool)
        /// The plan was made anew: another zone, a date that is known now.
        case replanned(Plan)
        /// Something happened that makes these due, now or later.
        case raised([Occurrence])
        /// The study was paused by those who run it, or goes on.
        case paused(Bool)
        /// Those who run the study took these tasks out of it, for good; the names are the tasks'.
        case retired(Set<String>)
        /// The participant has left: prompts that are out end, answered by nobody.
        case studyLeft
    }

    /// What is to be done about it.
    package enum Effect: Sendable, Hashable {
        case prompt(Occurrence)
        case withdraw(Occurrence)
        case outcome(Occurrence, Outcome)
        /// Signal it again: nobody has come.
        case remind(Occurrence)
        /// Its signals are over, or it was too late for any.
        case unanswered(Occurrence)
        /// It fell due by a clock that was wrong: it is to come, and whatever was
        /// noted of it is void.
        case returned(Occurrence)
    }

    var entries: [ScheduledEntry]
    var position: [String: Int] = [:]
    var tasks: [String: StudyTask]
    /// Indices of live entries in time order.
    var live: [Int] = []
    /// Those of them that end of themselves.
    var ending: [Int] = []
    /// Those of them that have not had their turn of being presented.
    var fresh: [Int] = []
    /// Indices of the first occurrences of sticky tasks, which stay in the list for ever.
    var lasting: [Int] = []
    /// Every entry before this one has fallen due.
    var next = 0
    /// How often each task was run without answering an occurrence.
    package internal(set) var selfStarted = 0
    /// What conditions look at, kept up with what was completed here.
    package internal(set) var facts: StudyFacts
    /// Whether the participant wants prompts.
    package internal(set) var promptsAreOn: Bool
    /// Whether the wall clock is believed.
    package internal(set) var clockIsTrusted: Bool
    /// Whether those who run the study have paused or closed it.
    package internal(set) var isPaused: Bool
    /// Tasks that were taken out of the study while it runs.
    var retired: Set<String> = []
    /// When tasks leave the list that otherwise stay in it, those to come.
    var closings: [Instant] = []
    var offSpans: [Range<Instant>] = []
    /// How often what is to come has changed otherwise than by coming.
    var plans = 0
    /// When it was told something last.
    private(set) var lastLook = Instant.epoch
    /// A task rests after it was done, or is open for a part of the day only.
    var opensByClock: Bool
    /// Prompts that closed before their time-out.
    var unanswered = UnansweredWatch()
    /// By how much the clock jumped ahead.
    var lead: ClockLead
    /// Why an occurrence passed by unseen, where no span of being off covers it.
    var unseenReason = MissReason.deviceOff

    /// A scheduler that goes on where the event log ends: `outcomes` and `presented` by occurrence
    /// id; `former` are occurrences of tasks that the study no longer has, which count on;
    /// `passedOver` are ids of what a change of zone passes over; `lead` is what earlier runs noted
    /// of the clock's jumps.
    package init(
        plan: Plan, outcomes: [String: Outcome] = [:], presented: Set<String> = [], begun: Set<String> = [],
        facts: StudyFacts = StudyFacts(), promptsAreOn: Bool = true, clockIsTrusted: Bool = true, selfStarted: Int = 0,
        isPaused: Bool = false, former: [(occurrence: Occurrence, outcome: Outcome)] = [],
        passedOver: Set<String> = [], lead: ClockLead = ClockLead()
    ) {
        self.lead = lead
        tasks = plan.tasks
        opensByClock = plan.tasks.values.contains(where: \.opensByClock)
        let over = former.map { ScheduledEntry(occurrence: $0.occurrence, end: nil, state: .ended($0.outcome)) }
        entries = (ScheduledEntry.entries(of: plan) + over).enumerated().sorted {
            ($0.element.occurrence.due, $0.offset) < ($1.element.occurrence.due, $1.offset)
        }.map(\.element)
        self.facts = facts
        self.promptsAreOn = promptsAreOn
        self.clockIsTrusted = clockIsTrusted
        self.selfStarted = selfStarted
        self.isPaused = isPaused
        for index in entries.indices {
            let id = entries[index].occurrence.id
            if let outcome = outcomes[id] { entries[index].state = .ended(outcome) }
            entries[index].isPresented = presented.contains(id)
            entries[index].isBegun = begun.contains(id)
            if passedOver.contains(id) { entries[index].obstacle = .zoneChanged }
            if entries[index].isPresented, entries[index].closedBeforeTimeout {
                unanswered.add(entries[index].occurrence)
            }
            position[id] = index
        }
        lasting = lastingEntries
        closings = lastingEnds
    }

    /// The next moment at which `.tick` has something to do; nil while the clock is not trusted or
    /// nothing is left.
    package var wake: Instant? {
        guard clockIsTrusted else { return nil }
        let due = entries.indices[next...].first { entries[$0].state == .future }.map { entries[$0].occurrence.due }
        let end = ending.lazy.compactMap { entries[$0].isRunning ? nil : entries[$0].end }.min()
        let call = live.lazy.compactMap { entries[$0].nextCall }.min()
        let shut = live.lazy.compactMap { entries[$0].lastOpen.map { $0 + .milliseconds(1) } }.filter { $0 > lastLook }
            .min()
        return [due, end, call, shut, nextOpening, closings.first, unanswered.next].compactMap(\.self).min()
    }

    package mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        lastLook = now
        facts.setting?.now = now
        let first = apply(event, at: now)
        guard clockIsTrusted else { return first }
        let ended = pass(to: now)
        return first + ended + present(at: now)
    }

    private mutating func apply(_ event: Event, at now: Instant) -> [Effect] {
        switch event {
        case .tick: return []
        case .opened(let id): return open(id)
        case .left(let id): return leave(id)
        case .completed(let id): return complete(id)
        case .told(let id): return end(id, .completed)
        case .completedAgain(let task):
            selfStarted += 1
            facts.completedTasks.insert(task)
            return []
        case .declined(let id): return end(id, .declined)
        case .delayed(let id): return delay(id)
        case .presented(let id): return present(id)
        case .prompts(let on): return setPrompts(on)
        case .facts(let facts):
            self.facts = facts
            return []
        case .wasOff(let from, let to): return wasOff(from: from, to: to)
        case .clockJumped(let by): return clockIsTrusted ? jump(by, at: now) : []
        case .clock(let trusted):
            if trusted, !clockIsTrusted { unseenReason = .clockUnknown }
            clockIsTrusted = trusted
            return []
        case .replanned(let plan): return adopt(plan)
        case .raised(let occurrences): return raise(occurrences)
        case .paused(let paused): return pause(paused)
        case .retired(let tasks): return retire(tasks)
        case .studyLeft:
            unanswered.removeAll()
            return live.filter { entries[$0].occurrence.isSignalled }.flatMap { finish($0, .interrupted) }
        }
    }
}
