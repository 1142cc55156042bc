// SPDX-License-Identifier: Apache-2.0
import Base

/// One enrolment as it runs: the scheduler and the panel, joined. Pure: events and times go in,
/// effects come out.
///
/// ```
///   tick ──▶ Scheduler ── prompt ──▶ PanelSession ── openTask ──▶ OpenedTask ──▶ PanelSession ── submitted ──▶ Scheduler
///                                        ▲                                                          │
///  button ───────────────────────────────┘                              notes, reports, signals ◀───┘
/// ```
/// The shell commits the notes and reports of one call in one transaction, and answers with
/// `.stored` when a submission was among them.
package struct StudyConductor: Sendable {
    package enum Event: Sendable {
        case tick
        case button(ButtonEvent)
        /// The submission given out is committed to the disk.
        case stored
        case delivered
        /// Something is wrong, in one sentence; nil = nothing any more.
        case fault(String?)
        /// Whether samples arrive and are being stored.
        case recording(Bool)
        case device(DeviceNews)
        /// Whether the wall clock can be believed.
        case clock(trusted: Bool)
        /// The device was off or asleep; given before the first tick.
        case wasOff(from: Instant, to: Instant)
        /// The trusted clock was set by so much; positive = ahead.
        case clockJumped(by: Duration)
        /// Something happened that may make tasks due.
        case happened(StudyHappening)
        /// Values that the platform keeps over runs; dates among them may move schedules.
        case learned([String: AnswerValue])
        /// The same of values that stand in the log already.
        case known([String: AnswerValue])
        /// Those who run the study say how it stands, in the platform's word, and whether
        /// that is a pause.
        case studyStatus(String, isPaused: Bool)
        /// Those who run the study took these tasks out of it; what is open of them ends.
        case retired(Set<String>)
        /// Those who run the study have something to say: `text` is told, nil = in silence;
        /// `record` is kept.
        case message(text: String?, record: String)
        /// The version of the study as the server counts it, though nothing in it is another.
        case studyVersion(String)
        /// The participant has left. The store ends what is open with the leave itself: this is for
        /// whoever has no store.
        case studyLeft
    }

    package enum Effect: Sendable {
        case device(DeviceEffect)
        /// To be written to the event log.
        case note(StudyNote)
        /// To be told to the platform, where it wants to know.
        case report(Report)
        /// The participant leaves the study; confirmed twice. Whether the study is to delete what
        /// it has; nil = by its own rule.
        case withdraw(deletesData: Bool?)
    }

    struct OpenRun: Sendable {
        let entry: OpenList.Entry
        let opening: Int
    }

    /// The participant's tasks and their schedule.
    package internal(set) var planner: Planner {
        _read { yield boxedPlanner.value }
        _modify { yield &boxedPlanner.value }
    }
    /// What is due, what is open and how everything ended.
    package internal(set) var scheduler: Scheduler {
        _read { yield boxedScheduler.value }
        _modify { yield &boxedScheduler.value }
    }
    /// What the panel shows: rest, a prompt, the list, the menu or a run.
    package internal(set) var session: PanelSession {
        _read { yield boxedSession.value }
        _modify { yield &boxedSession.value }
    }
    /// The study's card numbers.
    package let cards: CardIndex
    /// How often each task was opened so far.
    var openings: [String: Int]
    /// How often each task was submitted so far.
    var submissions: [String: Int]
    /// Prompts taken up or told, so that a run knows what it answers.
    var taken: String?
    var run: OpenRun?
    var effects: [Effect] = []
    var noted: NotedPrompts
    private var boxedPlanner: Boxed<Planner>
    private var boxedScheduler: Boxed<Scheduler>
    private var boxedSession: Boxed<PanelSession>
    private var listIsStale = true
    var closing: StudyEnd
    /// nil where those who run the study do not ask for it.
    var plans: PlanWatch?
    private var watch: ResourceWatch

    /// A conductor that goes on from `scheduler` and `openings`; `planned` is what was told of
    /// plans (`ServerFact.planned`).
    package init(
        planner: Planner, scheduler: Scheduler, panel: Panel, openings: [String: Int] = [:],
        submissions: [String: Int] = [:], announced: Set<String> = [], noted: NotedPrompts = NotedPrompts(),
        limits: SessionLimits = SessionLimits(), lastDone: Instant? = nil, planned: String? = nil,
        at now: Moment
    ) {
        plans = planner.study.tellsPlans ? PlanWatch(planned) : nil
        closing = StudyEnd(planner.study.closing, in: planner.context, lastDone: lastDone)
        watch = ResourceWatch(planner.study.resources, announced: announced)
        self.noted = noted
        boxedPlanner = Boxed(planner)
        let context = planner.context
        var scheduler = scheduler
        scheduler.place(in: FactSetting(enrolment: context.enrolment, zone: context.zone, now: now.instant))
        boxedScheduler = Boxed(scheduler)
        self.openings = openings
        self.submissions = submissions
        cards = CardIndex(planner.study)
        boxedSession = Boxed(
            PanelSession(
                panel, cards: cards, limits: limits, promptsAreOn: scheduler.promptsAreOn,
                withdrawal: planner.study.withdrawal, words: Words(planner.study, on: panel), at: now.monotonic))
    }

    /// When `.tick` next has something to do, on the monotonic clock; changes when the wall
    /// clock is stepped.
    package func wake(at now: Moment) -> MonotonicTime? {
        let opening = !watch.isEmpty && scheduler.clockIsTrusted ? watch.next(in: planner.context) : nil
        let over = closing.wake.flatMap { scheduler.clockIsTrusted && session.isIdle ? $0 : nil }
        let due = earliest(scheduler.wake, earliest(opening, over)).map {
            max(now.monotonic, now.monotonic(at: $0))
        }
        return earliest(due, session.wake)
    }

    package mutating func handle(_ event: Event, at now: Moment) -> [Effect] {
        switch event {
        case .tick:
            if let wake = scheduler.wake, wake <= now.instant { schedule(.tick, at: now) }
            panel(.tick, at: now)
        case .button(let edge): panel(.button(edge), at: now)
        case .stored: panel(.stored, at: now)
        case .delivered: panel(.delivered, at: now)
        case .fault(let fault): panel(.fault(fault), at: now)
        case .recording(let isRecording): panel(.recording(isRecording), at: now)
        case .device(let news): panel(.device(news), at: now)
        case .clock(let trusted): schedule(.clock(trusted: trusted), at: now)
        case .wasOff(let from, let to): schedule(.wasOff(from: from, to: to), at: now)
        case .clockJumped(let by):
            if by < .zero { watch.goBack(to: now.instant, in: planner.context) }
            schedule(.clockJumped(by: by), at: now)
        case .happened(let happening): raise(happening, at: now)
        case .learned(let values): learn(values, at: now)
        case .known(let values): take(values, at: now)
        case .studyStatus(let status, let isPaused):
            effects.append(.note(.serverSaid(name: ServerFact.status, text: status)))
            schedule(.paused(isPaused), at: now)
        case .retired(let tasks): schedule(.retired(tasks), at: now)
        case .studyLeft: schedule(.studyLeft, at: now)
        case .message(let text, let record):
            effects.append(.note(.serverSaid(name: ServerFact.message, text: record)))
            if let text {
                panel(.news(text), at: now)
                raise(StudyHappening(.message, at: now.instant), at: now)
            }
        case .studyVersion(let version):
            effects.append(.note(.serverSaid(name: ServerFact.version, text: version)))
        }
        announceResources(at: now)
        refreshList(at: now)
        tellPlans(at: now)
        leaveWhereOver(at: now)
        defer { effects = [] }
        return effects
    }

    /// Hands an event to the scheduler, and its effects to the panel.
    mutating func schedule(_ event: Scheduler.Event, at now: Moment) {
        listIsStale = true
        var returned: [Occurrence] = []
        for effect in scheduler.handle(event, at: now.instant) {
            switch effect {
            case .prompt(let occurrence): prompt(occurrence, at: now)
            case .withdraw(let occurrence): panel(.promptWithdrawn(occurrence.id), at: now)
            case .outcome(let occurrence, let outcome): effects.append(.note(.concluded(occurrence, outcome)))
            case .remind(let occurrence): remind(occurrence, at: now)
            case .unanswered(let occurrence): report(.unanswered(occurrence), .unanswered, occurrence, at: now)
            case .returned(let occurrence): returned.append(occurrence)
            }
        }
        withdraw(returned)
    }

    /// Their prompts, when they come, are the first again.
    private mutating func withdraw(_ returned: [Occurrence]) {
        guard !returned.isEmpty else { return }
        let ids = returned.map(\.id)
        noted.prompted.subtract(ids)
        noted.presented.subtract(ids)
        effects.append(.note(.returned(ids)))
    }

    private mutating func prompt(_ occurrence: Occurrence, at now: Moment) {
        if let notice = occurrence.notice { return tell(notice, occurrence, at: now) }
        guard let task = planner.study.task(occurrence.task) else { return }
        // Signalled again after a restart, a new version of the study or a pause, it is
        // the same prompt.
        let isFirst = noted.prompted.insert(occurrence.id).inserted
        if isFirst { effects.append(.note(.prompted(occurrence))) }
        signal(occurrence, task, at: now)
        if isFirst { report(.prompted(occurrence), .prompted, occurrence, at: now) }
    }

    /// Told, kept where it is to be, and over.
    private mutating func tell(_ notice: StudyNotice, _ occurrence: Occurrence, at now: Moment) {
        if let record = notice.record { effects.append(.note(.serverSaid(name: ServerFact.message, text: record))) }
        panel(.news(notice.text), at: now)
        report(.noticed(occurrence), .noticed(notice.kind), occurrence, at: now)
        schedule(.told(occurrence.id), at: now)
    }

    private mutating func signal(_ occurrence: Occurrence, _ task: StudyTask, at now: Moment) {
        if !session.isIdle { schedule(.delayed(occurrence.id), at: now) }
        let item = PromptItem(id: occurrence.id, task: task, cards: cards, message: occurrence.message)
        panel(.message(item.text.lastMessage), at: now)
        panel(.promptDue(item), at: now)
    }

    /// The same prompt anew, whether it was put off, told out or still waits.
    private mutating func remind(_ occurrence: Occurrence, at now: Moment) {
        guard let task = planner.study.task(occurrence.task) else { return }
        panel(.promptRenewed(occurrence.id), at: now)
        signal(occurrence, task, at: now)
        report(.reminded(occurrence), .reminded, occurrence, at: now)
    }

    /// Tells the platform, and whatever waits for it to happen.
    private mutating func report(
        _ report: Report, _ name: StudyHappening.Name, _ occurrence: Occurrence, at now: Moment
    ) {
        effects.append(.report(report))
        raise(StudyHappening(name, task: occurrence.task, at: now.instant), at: now)
    }

    /// Hands an event to the panel, and does what the panel wants.
    mutating func panel(_ event: PanelEvent, at now: Moment) {
        for effect in session.handle(event, at: now.monotonic) { perform(effect, at: now) }
    }

    /// Texts that have opened are told of, and noted, once.
    private mutating func announceResources(at now: Moment) {
        guard !watch.isEmpty, scheduler.clockIsTrusted else { return }
        for resource in watch.poll(at: now.instant, in: planner.context) {
            effects.append(.note(.serverSaid(name: ServerFact.resource, text: resource.id)))
            panel(.news(resource.announcement), at: now)
        }
    }

    private mutating func refreshList(at now: Moment) {
        guard listIsStale else { return }
        listIsStale = false
        let items = scheduler.list(at: now.instant).entries.map { entry in
            ListItem(
                id: entry.occurrence.id, name: planner.study.task(entry.task)?.name ?? entry.task,
                isAside: planner.study.task(entry.task)?.isAside ?? false)
        }
        panel(.listItems(items), at: now)
    }
}
