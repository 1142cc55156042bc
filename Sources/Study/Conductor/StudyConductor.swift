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
/// `StudyCore` calls `handle` for each event, and `resume` after a restart. It commits the notes (rows for the
/// event log) and reports (for the study's server) of one call in one transaction, and answers with `.stored`
/// when a submission was among them. An occurrence is one time at which a task is due, a run is a task being
/// answered, and its opening is how often that task has been opened.
package struct StudyConductor: Sendable {
    package enum Event: Sendable {
        case tick
        case button(ButtonEvent)
        /// The rows of this submission are on the disk.
        case stored(SubmittedRun)
        /// A destination has taken an item of the outbox.
        case delivered
        /// Whether the stick that is plugged in may be pulled out; `isNews` = the participant is to hear it.
        case removable(Bool, isNews: Bool)
        /// Something is wrong, in one sentence; nil = nothing any more.
        case fault(String?)
        /// Whether samples arrive and are being stored.
        case recording(Bool)
        case device(DeviceNews)
        /// Whether the wall clock can be believed.
        case clock(trusted: Bool)
        /// The device was off or asleep; given before the first tick.
        case wasOff(from: Instant, to: Instant)
        /// By how much the trusted clock was set; positive = ahead.
        case clockJumped(by: Duration)
        /// Since when the device has not been worn; nil = it is worn, or that is not known.
        case notWorn(since: Instant?)
        /// What rules look at, epoch by epoch.
        case epochs([FeatureEpoch])
        /// Something happened that may make tasks due.
        case happened(StudyHappening)
        /// Variables of the study, kept from run to run; dates among them may move schedules. New values are
        /// noted in the log.
        case variables([String: AnswerValue])
        /// As `variables`, for values that are in the log already.
        case loggedVariables([String: AnswerValue])
        /// The study's staff say how it is, in the platform's word, and whether that is a pause.
        case studyStatus(String, isPaused: Bool)
        /// The server takes nothing more of this participant, in its words: a pause without an end.
        case participantRefused(String)
        /// The study's staff took these tasks out of it; their open occurrences end.
        case retired(Set<String>)
        /// A message of the study's staff: `text` is said, nil = in silence; `record` is kept.
        case message(text: String?, record: String)
        /// The server gave the study another version number, though its content is the same.
        case studyVersion(String)
        /// Given just before another version of the study is taken up that plans nothing for the time before
        /// now: notices that fell due and were not given end.
        case versionEnds
        /// The participant has left. For programs without a store: in the agent, the transaction that
        /// stores the leave ends what is open.
        case studyLeft
    }

    package enum Effect: Sendable {
        case device(DeviceEffect)
        /// To be written to the event log.
        case note(StudyNote)
        /// For the platform's writer, which decides whether the server is sent it.
        case report(Report)
        /// The study is left: the participant has confirmed it twice, or the study is over. `deletesData` =
        /// whether the study is to delete what it has; nil = by its own rule.
        case withdraw(deletesData: Bool?)
    }

    package let cards: CardIndex
    /// What the panel shows: rest, a prompt, the list, the menu or a run.
    package private(set) var session: PanelSession {
        _read { yield boxedSession.value }
        _modify { yield &boxedSession.value }
    }
    private(set) var effects: [Effect] = []
    private var schedule: ParticipantSchedule
    // Boxed (`Boxed`), so that a copy of the conductor is cheap and it is changed in place.
    private var boxedSession: Boxed<PanelSession>
    /// The scheduler may have changed since the panel was given its list of open tasks.
    private var listIsStale = true
    /// The open run, and the counts of openings and submissions.
    private var runs: RunBook
    private var noted: NotedPrompts
    private var rules: RuleDecisions
    private var closing: StudyEnd
    /// What was reported as planned; nil where those who run the study do not ask for it.
    private var planWatch: PlanWatch?
    /// Texts of the study that open at their time, and are announced then.
    private var resources: ResourceWatch
    private var undatedPause = UndatedPause()
    /// Why the server takes nothing more of this participant, in its words; nil = it does.
    package private(set) var refusal: String?

    /// A conductor that goes on where the event log ends. `openings` and `submissions` are counts by task;
    /// `firstOpened` is by occurrence, of those that were left; `announced` are ids of texts; `planned` is what was
    /// reported as planned (`ServerFact.planned`), and `pause` the pause of the sensors that is under way.
    package init(
        planner: Planner, scheduler: Scheduler, panel: Panel, openings: [String: Int] = [:],
        submissions: [String: Int] = [:], firstOpened: [String: Instant] = [:], announced: Set<String> = [],
        noted: NotedPrompts = NotedPrompts(),
        limits: SessionLimits = SessionLimits(), lastDone: Instant? = nil, planned: String? = nil,
        pause: Range<MonotonicTime>? = nil, refusal: String? = nil, rules: RuleEngine? = nil, at now: Moment
    ) {
        let study = planner.study
        self.refusal = refusal
        self.noted = noted
        self.rules = RuleDecisions(rules)
        schedule = ParticipantSchedule(planner, scheduler, at: now.instant)
        runs = RunBook(openings: openings, submissions: submissions, firstOpened: firstOpened)
        closing = StudyEnd(study.leaving.closing, in: planner.context, lastDone: lastDone)
        planWatch = study.writer.tellsPlans ? PlanWatch(planned) : nil
        resources = ResourceWatch(study.resources, announced: announced)
        cards = CardIndex(study)
        boxedSession = Boxed(
            PanelSession(
                panel, cards: cards, limits: limits, promptsAreOn: scheduler.promptsAreOn,
                withdrawal: study.leaving.withdrawal, words: Words(study, on: panel),
                isClockKnown: scheduler.clockIsTrusted, pause: pause, at: now.monotonic))
        if scheduler.clockIsTrusted { self.rules.handle(.clock(trusted: true), at: now) }
    }

    package var planner: Planner { _read { yield schedule.planner } }
    /// What is due, what is open and how everything ended.
    package var scheduler: Scheduler { _read { yield schedule.scheduler } }
    var openings: [String: Int] { runs.openings }
    /// Open prompts of which the log has no row: they were withheld, or it was too late for a signal.
    var unnoted: [Occurrence] { scheduler.openPrompts.filter { !noted.wasPrompted($0.id) } }
    /// What was reported as planned (`PlanWatch.text`); nil where no server wants to know.
    package var planned: String? { planWatch?.text }
    /// When the study is over, as far as is known now; nil = it does not end by itself.
    package var closesAt: Instant? { closing.wake }
    /// The name of the open run; nil while none is.
    package var openRun: String? { runs.open.flatMap { runName(of: $0.entry.task, opening: $0.opening) } }

    /// The name of that run, unique on the device: `<enrolment>-<task index>-<opening>`; nil where the
    /// study has no such task.
    package func runName(of task: String, opening: Int) -> String? {
        planner.study.task(task).map { schedule.runName(of: $0, opening: opening) }
    }

    /// When `.tick` next has something to do, on the monotonic clock; changes when the wall
    /// clock is stepped.
    package func wake(at now: Moment) -> MonotonicTime? {
        if rules.isBehind { return now.monotonic }
        let opening = !resources.isEmpty && scheduler.clockIsTrusted ? resources.next(in: planner.context) : nil
        var over: Instant?
        if let end = closing.wake, scheduler.clockIsTrusted, session.isIdle { over = end }
        let due = earliest(earliest(scheduler.wake, rules.wake), earliest(opening, over)).map {
            max(now.monotonic, now.monotonic(at: $0))
        }
        return earliest(due, session.wake)
    }

    /// After every event, whatever it was, rules decide, the list, texts and plans are brought up to
    /// date, and the study may end.
    package mutating func handle(_ event: Event, at now: Moment) -> [Effect] {
        apply(event, at: now)
        decide(at: now)
        announceResources(at: now)
        refreshList(at: now)
        reportPlans(at: now)
        leaveWhereOver(at: now)
        return takeEffects()
    }

    /// Goes on with a run where it was; nothing happens where its task is gone or can no
    /// longer be opened.
    package mutating func resume(_ broken: BrokenRun, at now: Moment) -> [Effect] {
        guard let task = planner.study.task(broken.task), let entry = schedule.entry(of: broken, task)
        else { return [] }
        if let answers = entry.answers { runScheduler(.opened(answers.id), at: now) }
        runs.resume(entry, opening: broken.opening)
        tellPanel(
            .resumed(
                OpenedTask(task, opening: broken.opening, chance: planner.context.chance), facts: scheduler.facts,
                run: schedule.runName(of: task, opening: broken.opening),
                now: planner.context.zone.local(now.instant), broken.progress), at: now)
        return takeEffects()
    }

    private mutating func apply(_ event: Event, at now: Moment) {
        switch event {
        case .tick: tick(at: now)
        case .button(let edge): tellPanel(.button(edge), at: now)
        case .stored(let run): tellPanel(.stored(run), at: now)
        case .delivered: tellPanel(.delivered, at: now)
        case .removable(let isReady, let isNews): tellPanel(.removable(isReady, isNews: isNews), at: now)
        case .fault(let fault): tellPanel(.fault(fault), at: now)
        case .recording(let isRecording): tellPanel(.recording(isRecording), at: now)
        case .device(let news): tellPanel(.device(news), at: now)
        case .clock(let trusted): setTrusted(trusted, at: now)
        case .wasOff(let from, let to):
            runScheduler(.wasOff(from: from, to: to), at: now)
            rules.handle(.wasOff(from: from), at: now)
        case .clockJumped(let by): jump(by, at: now)
        case .notWorn(let since):
            runScheduler(.notWorn(since: since), at: now)
            rules.handle(.notWorn(since: since), at: now)
        case .epochs(let epochs): rules.handle(.epochs(epochs), at: now)
        case .happened(let happening): raise(happening, at: now)
        case .variables(let values): setVariables(values, at: now)
        case .loggedVariables(let values): takeLogged(values, at: now)
        case .studyStatus(let status, let isPaused):
            log(.serverFact(name: ServerFact.status, text: status))
            pause(isPaused || refusal != nil, at: now)
        case .participantRefused(let words): refuse(words, at: now)
        case .retired(let tasks): retire(tasks, at: now)
        case .versionEnds: runScheduler(.versionEnds, at: now)
        case .studyLeft:
            runScheduler(.studyLeft, at: now)
            rules.handle(.left, at: now)
        case .message(let text, let record): takeMessage(text, record, at: now)
        case .studyVersion(let version): log(.serverFact(name: ServerFact.version, text: version))
        }
    }

    private mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    private mutating func emit(_ note: StudyNote, _ report: Report? = nil) {
        effects.append(.note(note))
        if let report { effects.append(.report(report)) }
    }

    /// Notes a row of the log that is complete.
    private mutating func log(_ event: StudyEvent, _ report: Report? = nil) { emit(.row(event), report) }

    // MARK: Time and news

    private mutating func tick(at now: Moment) {
        if let wake = scheduler.wake, wake <= now.instant { runScheduler(.tick, at: now) }
        tellPanel(.tick, at: now)
    }

    private mutating func setTrusted(_ trusted: Bool, at now: Moment) {
        tellPanel(.clock(isKnown: trusted), at: now)
        if trusted, let paused = undatedPause.take(at: now) { runScheduler(paused, at: now) }
        runScheduler(.clock(trusted: trusted), at: now)
        rules.handle(.clock(trusted: trusted), at: now)
        setVariables(schedule.versionDates(at: now.instant), at: now)
    }

    private mutating func jump(_ by: Duration, at now: Moment) {
        if by < .zero { resources.goBack(to: now.instant, in: planner.context) }
        runScheduler(.clockJumped(by: by), at: now)
        rules.handle(.clockJumped(by: by), at: now)
        setVariables(schedule.versionDates(at: now.instant), at: now)
    }

    private mutating func retire(_ tasks: Set<String>, at now: Moment) {
        for task in tasks.subtracting(scheduler.retired).sorted() {
            log(.serverFact(name: ServerFact.retired, text: task))
        }
        runScheduler(.retired(tasks), at: now)
    }

    private mutating func takeMessage(_ text: String?, _ record: String, at now: Moment) {
        log(.serverFact(name: ServerFact.message, text: record))
        guard let text else { return }
        tellPanel(.news(text), at: now)
        raise(StudyHappening(.message, at: now.instant), at: now)
    }

    // MARK: What is due

    private mutating func pause(_ isPaused: Bool, at now: Moment) {
        let (wasPaused, isTrusted) = (scheduler.isPaused, scheduler.clockIsTrusted)
        undatedPause.note(isPaused, wasPaused: wasPaused, clockIsTrusted: isTrusted, at: now.monotonic)
        if !undatedPause.isOver { runScheduler(.paused(isPaused), at: now) }
    }

    private mutating func refuse(_ words: String, at now: Moment) {
        guard refusal == nil else { return }
        refusal = words
        log(.serverFact(name: ServerFact.refusal, text: words))
        pause(true, at: now)
    }

    /// Hands an event to the scheduler, and its effects to the panel.
    private mutating func runScheduler(_ event: Scheduler.Event, at now: Moment) {
        listIsStale = true
        var returned: [String] = []
        for effect in schedule.scheduler.handle(event, at: now.instant) {
            switch effect {
            case .prompt(let occurrence): prompt(occurrence, at: now)
            case .withdraw(let occurrence): tellPanel(.promptWithdrawn(id: occurrence.id), at: now)
            case .outcome(let occurrence, let outcome): emit(.concluded(occurrence, outcome))
            case .remind(let occurrence): remind(occurrence, at: now)
            case .unanswered(let occurrence): report(.unanswered(occurrence), .unanswered, occurrence, at: now)
            case .returned(let occurrence): returned.append(occurrence.id)
            }
        }
        noteReturned(returned)
    }

    /// Notes that these did not fall due; from now on they count as never prompted.
    private mutating func noteReturned(_ ids: [String]) {
        guard !ids.isEmpty else { return }
        noted.forget(ids)
        emit(.returned(occurrences: ids))
    }

    private mutating func prompt(_ occurrence: Occurrence, at now: Moment) {
        if let notice = occurrence.notice { return giveNotice(notice, occurrence, at: now) }
        guard let task = planner.study.task(occurrence.task) else { return }
        // Signalled again after a restart, a new version of the study or a pause, it is
        // the same prompt.
        let isFirst = noted.addPrompted(occurrence.id)
        if isFirst {
            emit(.prompted(occurrence))
            rules.handle(.prompted, at: now)
        }
        signal(occurrence, task, at: now)
        if isFirst { report(.prompted(occurrence), .prompted, occurrence, at: now) }
    }

    /// Says a notice, keeps it where it is to be kept, and ends it.
    private mutating func giveNotice(_ notice: StudyNotice, _ occurrence: Occurrence, at now: Moment) {
        announce(notice.text, record: notice.record, at: now)
        report(.noticed(occurrence), .noticed(notice.kind), occurrence, at: now)
        runScheduler(.noticeGiven(occurrence.id), at: now)
    }

    private mutating func announce(_ text: String, record: String?, at now: Moment) {
        if let record { log(.serverFact(name: ServerFact.message, text: record)) }
        tellPanel(.news(text), at: now)
    }

    private mutating func signal(_ occurrence: Occurrence, _ task: StudyTask, at now: Moment) {
        // The panel is in use and presents it later. If it was presented before, it stays presented.
        if !session.isIdle, !noted.wasPresented(occurrence.id) { runScheduler(.delayed(occurrence.id), at: now) }
        let item = PromptItem(id: occurrence.id, task: task, cards: cards, message: occurrence.message)
        tellPanel(.message(item.text.lastMessage), at: now)
        let until = noted.takePutOff(occurrence.id)
        tellPanel(.promptDue(item, putOffUntil: until.map { now.monotonic(at: $0) }), at: now)
    }

    /// Signals a prompt again, as if it were new: whether it was put off, was signalled often enough or
    /// still waits.
    private mutating func remind(_ occurrence: Occurrence, at now: Moment) {
        guard let task = planner.study.task(occurrence.task) else { return }
        _ = noted.takePutOff(occurrence.id)
        tellPanel(.promptRenewed(id: occurrence.id), at: now)
        signal(occurrence, task, at: now)
        report(.reminded(occurrence), .reminded, occurrence, at: now)
    }

    /// Reports to the platform's server, and lets tasks become due that the study starts when this
    /// happens.
    private mutating func report(
        _ report: Report, _ name: StudyHappening.Name, _ occurrence: Occurrence, at now: Moment
    ) {
        effects.append(.report(report))
        raise(StudyHappening(name, task: occurrence.task, at: now.instant), at: now)
    }

    /// Lets tasks become due that the study starts when this happens, and keeps when it did for later
    /// plans; does neither where no task waits for it.
    private mutating func raise(_ happening: StudyHappening, at now: Moment) {
        let occurrences = planner.raised(by: happening)
        guard !occurrences.isEmpty else { return }
        noteVariables([happening.variable: .moment(happening.moment)], at: now)
        runScheduler(.raised(occurrences), at: now)
    }

    // MARK: What the panel wants

    /// Hands an event to the panel, and does what the panel wants.
    private mutating func tellPanel(_ event: PanelEvent, at now: Moment) {
        for effect in session.handle(event, at: now.monotonic) { perform(effect, at: now) }
    }

    /// Does what the panel wants, or passes it on to `StudyCore`.
    private mutating func perform(_ effect: PanelEffect, at now: Moment) {
        switch effect {
        case .device(let device): effects.append(.device(device))
        case .press(let edge): emit(.pressed(edge))
        case .marked(let button, let time): mark(button, at: time, now)
        case .pauseSensors(let span):
            let length = span.upperBound - span.lowerBound
            withhold(span, .sensorsPaused(at: span.lowerBound, seconds: length.seconds))
        case .resumeSensors(let span, let byHand): withhold(span, .sensorsResumed(at: span.upperBound, byHand: byHand))
        case .promptPresented(let id):
            if noted.addPresented(id) { log(.presented(occurrence: id)) }
            runScheduler(.presented(id), at: now)
        case .acceptPrompt(let id): acceptPrompt(id)
        case .putOff(let id): log(.promptPutOff(occurrence: id))
        case .decline(let id): runScheduler(.declined(id), at: now)
        case .openList: log(.listOpened, .listOpened)
        case .leaveList: log(.listLeft, .listLeft)
        case .openMenu: log(.menuOpened, .menuOpened)
        case .leaveMenu: log(.menuLeft, .menuLeft)
        case .openTask(let id): open(id, at: now)
        case .progress(let progress):
            if let run = runs.open { emit(.progressed(task: run.entry.task, opening: run.opening, progress)) }
        case .submitted(let record): submit(record, at: now)
        case .runLeft(let record): leave(record, at: now)
        case .promptsOff: switchPrompts(on: false, at: now)
        case .promptsOn: switchPrompts(on: true, at: now)
        case .withdrawRequested(let deletes): effects.append(.withdraw(deletesData: deletes))
        }
    }

    private mutating func mark(_ button: Int, at time: MonotonicTime, _ now: Moment) {
        let name = session.panel.buttons[button].name
        log(.marked(button: name, at: time))
        rules.handle(.marked(name), at: now)
        effects.append(.device(.mark(time)))
    }

    private mutating func withhold(_ span: Range<MonotonicTime>, _ event: StudyEvent) {
        log(event)
        effects.append(.device(.withhold(span)))
    }

    private mutating func acceptPrompt(_ id: String) {
        runs.takePrompt(id)
        if let occurrence = scheduler.occurrence(id) { effects.append(.report(.promptTaken(occurrence))) }
    }

    private mutating func switchPrompts(on: Bool, at now: Moment) {
        log(.promptsSwitched(on: on))
        runScheduler(.prompts(on), at: now)
    }

    private mutating func refreshList(at now: Moment) {
        guard listIsStale else { return }
        listIsStale = false
        tellPanel(.listItems(schedule.listItems(at: now.instant)), at: now)
    }

    // MARK: Runs

    private mutating func open(_ id: String, at now: Moment) {
        guard let entry = takeEntry(for: id, at: now), let task = planner.study.task(entry.task) else {
            return tellPanel(.notOpened, at: now)
        }
        let opening = runs.begin(entry, at: now.instant).opening
        let opened = OpenedTask(task, opening: opening, chance: planner.context.chance)
        for draw in opened.draws { log(draw.event) }
        log(.runOpened(task: task.key, opening: opening, occurrence: entry.answers?.id), .runOpened(task: task.key))
        if let answers = entry.answers { runScheduler(.opened(answers.id), at: now) }
        delayUnpresented(at: now)
        tellPanel(
            .opened(
                opened, facts: scheduler.facts, run: schedule.runName(of: task, opening: opening),
                now: planner.context.zone.local(now.instant)), at: now)
    }

    /// A prompt opens what it announced; a list entry or a task's own button opens what
    /// is in the list.
    private mutating func takeEntry(for id: String, at now: Moment) -> OpenList.Entry? {
        if runs.consumeTakenPrompt(id) { return scheduler.opening(of: id, at: now.instant) }
        return scheduler.list(at: now.instant).entries.first { $0.occurrence.id == id || $0.task == id }
    }

    /// A run was opened: prompts that wait in the panel's queue and were never signalled count as delayed.
    private mutating func delayUnpresented(at now: Moment) {
        for id in session.waiting.map(\.item.id) where !noted.wasPresented(id) {
            runScheduler(.delayed(id), at: now)
        }
    }

    private mutating func leave(_ record: RunRecord, at now: Moment) {
        guard let run = runs.end() else { return }
        emit(.runLeft(task: run.entry.task, opening: run.opening, end: record.end), .runLeft(task: run.entry.task))
        runScheduler(run.entry.answers.map { .left($0.id) } ?? .leftAgain, at: now)
    }

    private mutating func submit(_ record: RunRecord, at now: Moment) {
        guard let run = runs.end() else { return }
        let task = run.entry.task
        let end = schedule.end(of: task, record.answers)
        for answer in record.given {
            log(.answered(task: task, opening: run.opening, answer: AnswerRecord(answer)))
        }
        let submission = runs.submit(run, record, adding: end.answers, at: now)
        emit(.submitted(task: task, opening: run.opening, submission), .submitted(submission))
        runScheduler(run.entry.answers.map { .completed($0.id) } ?? .completedAgain(task: task), at: now)
        let counts = planner.study.task(task)?.isAside != true
        closing.update(in: schedule.context(), done: counts ? now.instant : nil)
        setVariables(after: submission, end, at: now)
        raise(StudyHappening(.submitted, task: task, at: now.instant), at: now)
        apply(end, of: task, at: now)
    }

    /// Variables and schedules that follow from the answers.
    private mutating func setVariables(after submission: Submission, _ end: RunEnd, at now: Moment) {
        noteVariables(schedule.variablesForLater(of: submission), at: now)
        noteVariables(end.variables, at: now)
        move(end.times, at: now)
        setVariables(schedule.anchors(of: submission), at: now)
    }

    /// What the platform wants to be reported, started and said.
    private mutating func apply(_ end: RunEnd, of task: String, at now: Moment) {
        for log in end.logs { effects.append(.report(.logged(task: task, log))) }
        for happening in end.happenings { raise(happening, at: now) }
        for (text, record) in end.news { announce(text, record: record, at: now) }
    }

    // MARK: Variables

    /// Notes in the log what is new among `values`, and plans again if anything is.
    private mutating func setVariables(_ values: [String: AnswerValue], at now: Moment) {
        if noteVariables(values, at: now) { replan(at: now) }
    }

    /// Notes in the log what is new among `values`, and returns whether anything is. The plan is not made
    /// again: for values from which no schedule counts.
    @discardableResult
    private mutating func noteVariables(_ values: [String: AnswerValue], at now: Moment) -> Bool {
        let known = scheduler.facts.variables
        let news = values.filter { known[$0.key] != $0.value }
        guard !news.isEmpty else { return false }
        for (name, value) in news.sorted(by: { $0.key < $1.key }) { log(.variableSet(name: name, value: value)) }
        runScheduler(.facts(schedule.facts(with: news)), at: now)
        return true
    }

    /// Values that are in the log already; the plan is made again with them.
    private mutating func takeLogged(_ values: [String: AnswerValue], at now: Moment) {
        runScheduler(.facts(schedule.facts(with: values)), at: now)
        replan(at: now)
    }

    /// Moves prompt times as the participant asked, and says what came of it.
    mutating func move(_ change: PromptTimeChange, at now: Moment) {
        guard !change.times.isEmpty else { return }
        guard let moved = try? schedule.presentPlanner.moving(change.times, at: now.instant) else {
            return tellPanel(.news(change.refused), at: now)
        }
        guard !moved.variables.isEmpty else { return }
        effects += moved.reports.map(Effect.report)
        setVariables(moved.variables, at: now)
        tellPanel(.news(change.done), at: now)
    }

    private mutating func replan(at now: Moment) {
        let plan = schedule.replan()
        runScheduler(.replanned(plan), at: now)
    }

    // MARK: What rules decide

    /// Decides points one after the other, since the prompt of one counts for the next. A clock that goes
    /// ahead by years leaves a million points to be decided, so one call decides a bounded number.
    private mutating func decide(at now: Moment) {
        rules.beginCall()
        while let effect = nextDecision(at: now) {
            switch effect {
            case .measured(let outcome): log(.outcomeMeasured(outcome: outcome))
            case .decided(let decision):
                log(.decided(decision: decision))
                if decision.result == .treated { raise(decision, at: now) }
            }
        }
    }

    private mutating func nextDecision(at now: Moment) -> RuleEngine.Effect? {
        // A copy, since the closure reads it while `rules` change.
        let schedule = schedule
        let situation = RuleSituation(
            now: now, isPaused: scheduler.isPaused, promptsAreOn: scheduler.promptsAreOn,
            isRunOpen: session.isRunning || runs.open != nil)
        return rules.next(situation) { schedule.scheduler.canOpen($0) }
    }

    private mutating func raise(_ decision: DecisionRecord, at now: Moment) {
        let (rule, index) = (decision.rule, decision.index)
        log(.raised(rule: rule, index: index, occurrence: decision.occurrence, at: decision.at))
        raise(StudyHappening(.treated(rule, index), task: decision.task, at: now.instant), at: now)
    }

    // MARK: What is planned, and the end

    /// Texts that have opened are announced, and noted, once.
    private mutating func announceResources(at now: Moment) {
        guard !resources.isEmpty, scheduler.clockIsTrusted else { return }
        for resource in resources.takeOpened(at: now.instant, in: planner.context) {
            log(.serverFact(name: ServerFact.resource, text: resource.id))
            tellPanel(.news(resource.announcement), at: now)
        }
    }

    /// Reports what has changed of what is planned, and notes what was sent.
    private mutating func reportPlans(at now: Moment) {
        guard planWatch != nil else { return }
        let scheduler = scheduler
        guard scheduler.clockIsTrusted, let reports = planWatch?.takeReports(scheduler, at: now.instant),
            !reports.isEmpty
        else { return }
        log(.serverFact(name: ServerFact.planned, text: planned ?? ""))
        effects += reports.map(Effect.report)
    }

    /// Leaves the study where it is over, once nothing is open on the panel.
    private mutating func leaveWhereOver(at now: Moment) {
        guard closing.wake != nil, scheduler.clockIsTrusted, session.isIdle, runs.open == nil,
            closing.takeEnd(at: now.instant)
        else { return }
        effects.append(.withdraw(deletesData: nil))
    }

    // MARK: Another version of the study

    /// What is to be noted as `study`, another version, is taken up.
    func notes(takingUp study: StudyProtocol, at now: Instant) -> [StudyNote] {
        schedule.notes(takingUp: study, at: now)
    }

    /// Takes over what the log does not have about prompts: which are silent, and when the last one came by
    /// the clock as it is now. `old` is the conductor of the same enrolment that this one replaces.
    mutating func keepPrompts(of old: StudyConductor) {
        schedule.scheduler.keepPrompts(of: old.scheduler)
        rules.keepPrompt(of: old.rules)
    }

    /// As `keepPrompts`; and takes over what was measured, since measuring goes on: whether the device is
    /// worn and, where the rules and the date of the enrolment are the same, the epochs of their features.
    mutating func keepMeasured(by old: StudyConductor) {
        keepPrompts(of: old)
        schedule.scheduler.keepWear(of: old.scheduler)
        let hasSameStart = old.planner.context.enrolment.instant == planner.context.enrolment.instant
        rules.keepMeasured(by: old.rules, hasSameStart: hasSameStart)
    }

    /// Tells the participant that prompt times which he or she had moved are the study's own again
    /// (`ParticipantSchedule.hasDroppedTimes`).
    mutating func tellDroppedTimes(since old: StudyConductor, at now: Moment) -> [Effect] {
        guard schedule.hasDroppedTimes(of: old.schedule) else { return [] }
        tellPanel(.news(Words(planner.study, on: session.panel)(StudyPhrases.timesDropped)), at: now)
        return takeEffects()
    }
}
