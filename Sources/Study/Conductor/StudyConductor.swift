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

    /// The participant's tasks and their schedule.
    package private(set) var planner: Planner {
        _read { yield boxedPlanner.value }
        _modify { yield &boxedPlanner.value }
    }
    /// What is due, what is open and how everything ended.
    package private(set) var scheduler: Scheduler {
        _read { yield boxedScheduler.value }
        _modify { yield &boxedScheduler.value }
    }
    /// What the panel shows: rest, a prompt, the list, the menu or a run.
    package private(set) var session: PanelSession {
        _read { yield boxedSession.value }
        _modify { yield &boxedSession.value }
    }
    package let cards: CardIndex
    /// The open run, and the counts of openings and submissions.
    private var runs: RunBook
    /// Effects of the call of `handle` that is under way.
    private(set) var effects: [Effect] = []
    /// Which prompts the log has already.
    private var noted: NotedPrompts
    // Boxed (`Boxed`), so that a copy of the conductor is cheap and each is changed in place.
    private var boxedPlanner: Boxed<Planner>
    private var boxedScheduler: Boxed<Scheduler>
    private var boxedSession: Boxed<PanelSession>
    /// The scheduler may have changed since the panel was given its list of open tasks.
    private var listIsStale = true
    /// When the study is over.
    private var closing: StudyEnd
    /// What was reported as planned; nil where those who run the study do not ask for it.
    private var planWatch: PlanWatch?
    /// Texts of the study that open at their time, and are announced then.
    private var resources: ResourceWatch
    /// Nil for a study without rules.
    private var boxedRules: Boxed<RuleEngine>?
    /// When a pause of the study ended by those who run it while the clock was not trusted, and is still to be ended
    /// in `scheduler`; nil = none is.
    private var pauseEnded: MonotonicTime?
    /// The last call decided `decisionsAtOnce` points; more may be due.
    private var owesDecisions = false
    /// The most points that one call decides, so that a clock that was years off does not make one
    /// huge transaction.
    private static let decisionsAtOnce = 1000

    /// A conductor that goes on where the event log ends. `openings` and `submissions` are counts by task;
    /// `firstOpened` is by occurrence, of those that were left; `announced` are ids of texts; `planned` is what was
    /// reported as planned (`ServerFact.planned`), and `pause` the pause of the sensors that is under way.
    package init(
        planner: Planner, scheduler: Scheduler, panel: Panel, openings: [String: Int] = [:],
        submissions: [String: Int] = [:], firstOpened: [String: Instant] = [:], announced: Set<String> = [],
        noted: NotedPrompts = NotedPrompts(),
        limits: SessionLimits = SessionLimits(), lastDone: Instant? = nil, planned: String? = nil,
        pause: Range<MonotonicTime>? = nil, rules: RuleEngine? = nil, at now: Moment
    ) {
        boxedRules = rules.map(Boxed.init)
        if scheduler.clockIsTrusted { boxedRules?.value.handle(.clock(trusted: true), at: now) }
        planWatch = planner.study.writer.tellsPlans ? PlanWatch(planned) : nil
        closing = StudyEnd(planner.study.leaving.closing, in: planner.context, lastDone: lastDone)
        resources = ResourceWatch(planner.study.resources, announced: announced)
        self.noted = noted
        boxedPlanner = Boxed(planner)
        let context = planner.context
        var scheduler = scheduler
        scheduler.place(in: FactSetting(enrolment: context.enrolment, zone: context.zone, now: now.instant))
        boxedScheduler = Boxed(scheduler)
        runs = RunBook(openings: openings, submissions: submissions, firstOpened: firstOpened)
        cards = CardIndex(planner.study)
        boxedSession = Boxed(
            PanelSession(
                panel, cards: cards, limits: limits, promptsAreOn: scheduler.promptsAreOn,
                withdrawal: planner.study.leaving.withdrawal, words: Words(planner.study, on: panel),
                isClockKnown: scheduler.clockIsTrusted, pause: pause, at: now.monotonic))
    }

    /// How often each task was opened so far.
    var openings: [String: Int] { runs.openings }

    /// When `.tick` next has something to do, on the monotonic clock; changes when the wall
    /// clock is stepped.
    package func wake(at now: Moment) -> MonotonicTime? {
        if owesDecisions { return now.monotonic }
        let opening = !resources.isEmpty && scheduler.clockIsTrusted ? resources.next(in: planner.context) : nil
        let over = closing.wake.flatMap { scheduler.clockIsTrusted && session.isIdle ? $0 : nil }
        let due = earliest(earliest(scheduler.wake, boxedRules?.value.wake), earliest(opening, over)).map {
            max(now.monotonic, now.monotonic(at: $0))
        }
        return earliest(due, session.wake)
    }

    /// After every event, whatever it was, rules decide, the list, texts and plans are brought up to
    /// date, and the study may end.
    package mutating func handle(_ event: Event, at now: Moment) -> [Effect] {
        switch event {
        case .tick:
            if let wake = scheduler.wake, wake <= now.instant { runScheduler(.tick, at: now) }
            tellPanel(.tick, at: now)
        case .button(let edge): tellPanel(.button(edge), at: now)
        case .stored(let run): tellPanel(.stored(run), at: now)
        case .delivered: tellPanel(.delivered, at: now)
        case .removable(let isReady, let isNews): tellPanel(.removable(isReady, isNews: isNews), at: now)
        case .fault(let fault): tellPanel(.fault(fault), at: now)
        case .recording(let isRecording): tellPanel(.recording(isRecording), at: now)
        case .device(let news): tellPanel(.device(news), at: now)
        case .clock(let trusted):
            tellPanel(.clock(isKnown: trusted), at: now)
            if trusted { endPause(at: now) }
            runScheduler(.clock(trusted: trusted), at: now)
            boxedRules?.value.handle(.clock(trusted: trusted), at: now)
            dateVersion(at: now)
        case .wasOff(let from, let to):
            runScheduler(.wasOff(from: from, to: to), at: now)
            boxedRules?.value.handle(.wasOff(from: from), at: now)
        case .clockJumped(let by):
            if by < .zero { resources.goBack(to: now.instant, in: planner.context) }
            runScheduler(.clockJumped(by: by), at: now)
            boxedRules?.value.handle(.clockJumped(by: by), at: now)
            dateVersion(at: now)
        case .notWorn(let since):
            runScheduler(.notWorn(since: since), at: now)
            boxedRules?.value.handle(.notWorn(since: since), at: now)
        case .epochs(let epochs): boxedRules?.value.handle(.epochs(epochs), at: now)
        case .happened(let happening): raise(happening, at: now)
        case .variables(let values): setVariables(values, at: now)
        case .loggedVariables(let values): takeLogged(values, at: now)
        case .studyStatus(let status, let isPaused):
            emit(.serverSaid(name: ServerFact.status, text: status))
            pause(isPaused, at: now)
        case .retired(let tasks):
            for task in tasks.subtracting(scheduler.retired).sorted() {
                emit(.serverSaid(name: ServerFact.retired, text: task))
            }
            runScheduler(.retired(tasks), at: now)
        case .versionEnds: runScheduler(.versionEnds, at: now)
        case .studyLeft:
            runScheduler(.studyLeft, at: now)
            boxedRules?.value.handle(.left, at: now)
        case .message(let text, let record):
            emit(.serverSaid(name: ServerFact.message, text: record))
            if let text {
                tellPanel(.news(text), at: now)
                raise(StudyHappening(.message, at: now.instant), at: now)
            }
        case .studyVersion(let version):
            emit(.serverSaid(name: ServerFact.version, text: version))
        }
        decide(at: now)
        announceResources(at: now)
        refreshList(at: now)
        reportPlans(at: now)
        leaveWhereOver(at: now)
        defer { effects = [] }
        return effects
    }

    // MARK: What is due

    /// The end of a pause waits for a clock that is trusted: only then it is known what ran out before.
    private mutating func pause(_ isPaused: Bool, at now: Moment) {
        let waits = !isPaused && scheduler.isPaused && !scheduler.clockIsTrusted
        pauseEnded = waits ? pauseEnded ?? now.monotonic : nil
        if !waits { runScheduler(.paused(isPaused), at: now) }
    }

    private mutating func endPause(at now: Moment) {
        guard let ended = pauseEnded else { return }
        pauseEnded = nil
        runScheduler(.pauseEnded(at: now.instant - (now.monotonic - ended)), at: now)
    }

    /// Hands an event to the scheduler, and its effects to the panel.
    private mutating func runScheduler(_ event: Scheduler.Event, at now: Moment) {
        listIsStale = true
        var returned: [Occurrence] = []
        for effect in scheduler.handle(event, at: now.instant) {
            switch effect {
            case .prompt(let occurrence): prompt(occurrence, at: now)
            case .withdraw(let occurrence): tellPanel(.promptWithdrawn(id: occurrence.id), at: now)
            case .outcome(let occurrence, let outcome): emit(.concluded(occurrence, outcome))
            case .remind(let occurrence): remind(occurrence, at: now)
            case .unanswered(let occurrence): report(.unanswered(occurrence), .unanswered, occurrence, at: now)
            case .returned(let occurrence): returned.append(occurrence)
            }
        }
        noteReturned(returned)
    }

    /// Notes that these did not fall due; from now on they count as never prompted.
    private mutating func noteReturned(_ returned: [Occurrence]) {
        guard !returned.isEmpty else { return }
        let ids = returned.map(\.id)
        noted.prompted.subtract(ids)
        noted.presented.subtract(ids)
        for id in ids { noted.putOffUntil[id] = nil }
        emit(.returned(occurrences: ids))
    }

    private mutating func prompt(_ occurrence: Occurrence, at now: Moment) {
        if let notice = occurrence.notice { return giveNotice(notice, occurrence, at: now) }
        guard let task = planner.study.task(occurrence.task) else { return }
        // Signalled again after a restart, a new version of the study or a pause, it is
        // the same prompt.
        let isFirst = noted.prompted.insert(occurrence.id).inserted
        if isFirst {
            emit(.prompted(occurrence))
            boxedRules?.value.handle(.prompted, at: now)
        }
        signal(occurrence, task, at: now)
        if isFirst { report(.prompted(occurrence), .prompted, occurrence, at: now) }
    }

    /// Open prompts of which the log has no row: they were withheld, or it was too late for a signal.
    var unnoted: [Occurrence] { scheduler.openPrompts.filter { !noted.prompted.contains($0.id) } }

    /// Says a notice, keeps it where it is to be kept, and ends it.
    private mutating func giveNotice(_ notice: StudyNotice, _ occurrence: Occurrence, at now: Moment) {
        if let record = notice.record { emit(.serverSaid(name: ServerFact.message, text: record)) }
        tellPanel(.news(notice.text), at: now)
        report(.noticed(occurrence), .noticed(notice.kind), occurrence, at: now)
        runScheduler(.noticeGiven(occurrence.id), at: now)
    }

    private mutating func signal(_ occurrence: Occurrence, _ task: StudyTask, at now: Moment) {
        // The panel is in use and presents it later. If it was presented before, it stays presented.
        if !session.isIdle, !noted.presented.contains(occurrence.id) { runScheduler(.delayed(occurrence.id), at: now) }
        let item = PromptItem(id: occurrence.id, task: task, cards: cards, message: occurrence.message)
        tellPanel(.message(item.text.lastMessage), at: now)
        let until = noted.putOffUntil.removeValue(forKey: occurrence.id)
        tellPanel(.promptDue(item, putOffUntil: until.map { now.monotonic(at: $0) }), at: now)
    }

    /// Signals a prompt again, as if it were new: whether it was put off, was signalled often enough or
    /// still waits.
    private mutating func remind(_ occurrence: Occurrence, at now: Moment) {
        guard let task = planner.study.task(occurrence.task) else { return }
        noted.putOffUntil[occurrence.id] = nil
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

    /// Hands an event to the panel, and does what the panel wants.
    private mutating func tellPanel(_ event: PanelEvent, at now: Moment) {
        for effect in session.handle(event, at: now.monotonic) { perform(effect, at: now) }
    }

    /// Texts that have opened are announced, and noted, once.
    private mutating func announceResources(at now: Moment) {
        guard !resources.isEmpty, scheduler.clockIsTrusted else { return }
        for resource in resources.takeOpened(at: now.instant, in: planner.context) {
            emit(.serverSaid(name: ServerFact.resource, text: resource.id))
            tellPanel(.news(resource.announcement), at: now)
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
        tellPanel(.listItems(items), at: now)
    }

    // MARK: What the panel wants

    /// Does what the panel wants, or passes it on to `StudyCore`.
    private mutating func perform(_ effect: PanelEffect, at now: Moment) {
        switch effect {
        case .device(let device): effects.append(.device(device))
        case .press(let edge): emit(.pressed(edge))
        case .marked(let button, let time):
            let name = session.panel.buttons[button].name
            emit(.marked(name, at: time))
            boxedRules?.value.handle(.marked(name), at: now)
            effects.append(.device(.mark(time)))
        case .pauseSensors(let span):
            emit(.sensorsPaused(span))
            effects.append(.device(.withhold(span)))
        case .resumeSensors(let span, let byHand):
            emit(.sensorsResumed(at: span.upperBound, byHand: byHand))
            effects.append(.device(.withhold(span)))
        case .promptPresented(let id):
            if noted.presented.insert(id).inserted { emit(.presented(occurrence: id)) }
            runScheduler(.presented(id), at: now)
        case .acceptPrompt(let id): acceptPrompt(id)
        case .putOff(let id): emit(.putOff(occurrence: id))
        case .decline(let id): runScheduler(.declined(id), at: now)
        case .openList: emit(.listOpened, .listOpened)
        case .leaveList: emit(.listLeft, .listLeft)
        case .openMenu: emit(.menuOpened, .menuOpened)
        case .leaveMenu: emit(.menuLeft, .menuLeft)
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

    private mutating func emit(_ note: StudyNote, _ report: Report? = nil) {
        effects.append(.note(note))
        if let report { effects.append(.report(report)) }
    }

    private mutating func acceptPrompt(_ id: String) {
        runs.takePrompt(id)
        if let occurrence = scheduler.occurrence(id) { effects.append(.report(.promptTaken(occurrence))) }
    }

    /// A prompt opens what it announced; a list entry or a task's own button opens what
    /// is in the list.
    private mutating func takeEntry(for id: String, at now: Moment) -> OpenList.Entry? {
        if runs.consumeTakenPrompt(id) { return scheduler.opening(of: id, at: now.instant) }
        return scheduler.list(at: now.instant).entries.first { $0.occurrence.id == id || $0.task == id }
    }

    private mutating func open(_ id: String, at now: Moment) {
        guard let entry = takeEntry(for: id, at: now), let task = planner.study.task(entry.task) else {
            return tellPanel(.notOpened, at: now)
        }
        let opening = runs.begin(entry, at: now.instant).opening
        let opened = OpenedTask(task, opening: opening, chance: planner.context.chance)
        for draw in opened.draws { emit(.drew(draw)) }
        emit(.runOpened(task: task.key, opening: opening, occurrence: entry.answers?.id), .runOpened(task: task.key))
        if let answers = entry.answers { runScheduler(.opened(answers.id), at: now) }
        delayUnpresented(at: now)
        tellPanel(
            .opened(
                opened, facts: scheduler.facts, run: runName(of: task, opening: opening),
                now: planner.context.zone.local(now.instant)), at: now)
    }

    /// A run was opened: prompts that wait in the panel's queue and were never signalled count as delayed.
    private mutating func delayUnpresented(at now: Moment) {
        for id in session.waiting.map(\.item.id) where !noted.presented.contains(id) {
            runScheduler(.delayed(id), at: now)
        }
    }

    /// The name of that run, unique on the device: `<enrolment>-<task index>-<opening>`; nil where the
    /// study has no such task.
    package func runName(of task: String, opening: Int) -> String? {
        planner.study.task(task).map { runName(of: $0, opening: opening) }
    }

    /// The name of the open run; nil while none is.
    package var openRun: String? { runs.open.flatMap { runName(of: $0.entry.task, opening: $0.opening) } }

    private func runName(of task: StudyTask, opening: Int) -> String {
        "\(planner.context.enrolment.id)-\(task.index)-\(opening)"
    }

    private mutating func submit(_ record: RunRecord, at now: Moment) {
        guard let run = runs.end() else { return }
        let task = run.entry.task
        let end = runEnd(of: task, record)
        for answer in record.given { emit(.answered(task: task, opening: run.opening, answer)) }
        var submission = Submission(
            task: task, occurrence: run.entry.occurrence, order: record.opened.order, answers: record.answers,
            drawn: record.opened.presets, submitted: now.instant, run: runs.countSubmission(run.entry),
            times: record.times(at: now), course: record.course(at: now))
        submission.prompt = run.entry.answers
        submission.firstOpened = run.firstOpened
        submission.answers.merge(end?.answers ?? [:]) { $1 }
        emit(.submitted(task: task, opening: run.opening, submission), .submitted(submission))
        runScheduler(run.entry.answers.map { .completed($0.id) } ?? .completedAgain(task: task), at: now)
        updateClosing(done: planner.study.task(task)?.isAside == true ? nil : now.instant)
        // Variables and schedules that follow from the answers.
        noteAnswersForLater(submission, at: now)
        noteVariables(end?.variables ?? [:], at: now)
        if let wish = end?.times { move(wish, at: now) }
        setAnchors(of: submission, at: now)
        raise(StudyHappening(.submitted, task: task, at: now.instant), at: now)
        // What the platform wants to be reported, started and said.
        for log in end?.logs ?? [] { effects.append(.report(.logged(task: task, log))) }
        for happening in end?.happenings ?? [] { raise(happening, at: now) }
        for (text, record) in end?.news ?? [] {
            if let record { emit(.serverSaid(name: ServerFact.message, text: record)) }
            tellPanel(.news(text), at: now)
        }
    }

    /// What the platform makes of the answers when the task is submitted (`StudyTask.ending`); nil for
    /// most tasks.
    private func runEnd(of task: String, _ record: RunRecord) -> RunEnd? {
        var facts = scheduler.facts
        facts.answers = record.answers
        return planner.study.task(task)?.ending?.end(facts)
    }

    /// Keeps the answers that texts of other tasks quote, and when the task was done where that matters;
    /// no schedule counts from them.
    private mutating func noteAnswersForLater(_ submission: Submission, at now: Moment) {
        var values = Dictionary(planner.study.pipedAnswers(of: submission)) { $1 }
        if planner.study.task(submission.task)?.rest != nil || scheduler.timesOut(submission.task) {
            let moment = Double(submission.submitted.milliseconds)
            values[StudyFacts.lastDoneVariable(submission.task)] = .number(moment)
        }
        noteVariables(values, at: now)
    }

    private mutating func leave(_ record: RunRecord, at now: Moment) {
        guard let run = runs.end() else { return }
        emit(
            .runLeft(task: run.entry.task, opening: run.opening, end: record.end), .runLeft(task: run.entry.task))
        runScheduler(run.entry.answers.map { .left($0.id) } ?? .leftAgain, at: now)
    }

    private mutating func switchPrompts(on: Bool, at now: Moment) {
        emit(.promptsSwitched(on: on))
        runScheduler(.prompts(on), at: now)
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
        let news = values.filter { scheduler.facts.variables[$0.key] != $0.value }.sorted { $0.key < $1.key }
        guard !news.isEmpty else { return false }
        var facts = scheduler.facts
        for (name, value) in news {
            emit(.variableSet(name: name, value: value))
            facts.variables[name] = value
        }
        runScheduler(.facts(facts), at: now)
        return true
    }

    /// Values that are in the log already; the plan is made again with them.
    private mutating func takeLogged(_ values: [String: AnswerValue], at now: Moment) {
        var facts = scheduler.facts
        facts.variables.merge(values) { $1 }
        runScheduler(.facts(facts), at: now)
        replan(at: now)
    }

    /// If the clock was ahead when this version was taken up, the version counts from now instead:
    /// otherwise everything that it plans until that future time would be left out.
    private mutating func dateVersion(at now: Moment) {
        guard scheduler.clockIsTrusted, let since = scheduler.facts.versionSince, since > now.instant else { return }
        var dates = scheduler.facts.numberings(beginningBy: planner.scheduleContext.zone.local(now.instant))
        dates[StudyFacts.versionVariable] = .number(Double(now.instant.milliseconds))
        setVariables(dates, at: now)
    }

    /// What is to be noted as `study`, another version, is taken up: new numbers for runs that cannot go on
    /// under theirs, and the end of open prompts that this version does not have.
    func notes(takingUp study: StudyProtocol, at now: Instant) -> [StudyNote] {
        guard study.tasks.contains(where: { $0.schedule.numbersRuns }) else { return [] }
        var next = Planner(study: study, context: presentContext)
        let before = Planner(study: planner.study, context: presentContext).plan
        let renumbered = next.plan.renumbered(since: before, scheduler.issued, at: now)
        var variables = scheduler.facts.renumbering(renumbered, since: next.scheduleContext.zone.local(now))
        if !variables.isEmpty { variables[StudyFacts.versionVariable] = .number(Double(now.milliseconds)) }
        next.context = context(with: variables)
        let plan = next.plan
        let (came, comes) = (before.notOver(at: now), plan.notOver(at: now))
        // The scheduler also holds runs that are open longer than both versions have them: they stay.
        let replaced = scheduler.replaced { occurrence in
            guard plan.tasks[occurrence.task]?.schedule.numbersRuns == true else { return false }
            let hadIt = renumbered.contains(occurrence.task) || came.contains(occurrence.id)
            return hadIt && !comes.contains(occurrence.id)
        }
        return replaced.map { StudyNote.concluded($0.occurrence, $0.outcome) }
            + variables.sorted { $0.key < $1.key }.map { StudyNote.variableSet(name: $0.key, value: $0.value) }
    }

    /// Moves times as the participant wants them, and says what came of it.
    mutating func move(_ wish: PromptTimeChange, at now: Moment) {
        guard !wish.times.isEmpty else { return }
        let present = Planner(study: planner.study, context: presentContext)
        guard let moved = try? present.moving(wish.times, at: now.instant) else {
            return tellPanel(.news(wish.refused), at: now)
        }
        guard !moved.variables.isEmpty else { return }
        effects += moved.reports.map(Effect.report)
        setVariables(moved.variables, at: now)
        tellPanel(.news(wish.done), at: now)
    }

    /// Dates among the answers of a run from which other tasks count.
    private mutating func setAnchors(of submission: Submission, at now: Moment) {
        var values: [String: AnswerValue] = [:]
        for anchor in planner.study.anchors?.questions ?? [] where anchor.task == submission.task {
            guard case .dateTime(let date)? = submission.answers[anchor.question] else { continue }
            values[anchor.variable] = .dateTime(date)
        }
        setVariables(values, at: now)
    }

    /// Lets tasks become due that the study starts when this happens, and keeps when it did for later
    /// plans; does neither where no task waits for it.
    private mutating func raise(_ happening: StudyHappening, at now: Moment) {
        let occurrences = planner.raised(by: happening)
        guard !occurrences.isEmpty else { return }
        noteVariables([happening.variable: .number(Double(happening.moment.milliseconds))], at: now)
        runScheduler(.raised(occurrences), at: now)
    }

    private mutating func replan(at now: Moment) {
        planner.context = presentContext
        runScheduler(.replanned(planner.plan), at: now)
    }

    /// With the facts as they are now.
    private var presentContext: ScheduleContext { context(with: [:]) }

    /// With the facts as they are now, and these variables.
    private func context(with variables: [String: AnswerValue]) -> ScheduleContext {
        var facts = scheduler.facts
        facts.variables.merge(variables) { $1 }
        let context = planner.context
        return ScheduleContext(enrolment: context.enrolment, zone: context.zone, chance: context.chance, facts: facts)
    }

    // MARK: What rules decide

    /// Decides points one after the other, since the prompt of one counts for the next. A clock that goes
    /// ahead by years leaves a million points to be decided, so at most `decisionsAtOnce` in one call.
    private mutating func decide(at now: Moment) {
        var decided = 0
        while decided < Self.decisionsAtOnce, let effect = nextDecision(at: now) {
            switch effect {
            case .measured(let outcome): emit(.measured(outcome))
            case .decided(let decision):
                decided += 1
                emit(.decided(decision))
                if decision.result == .treated { raise(decision, at: now) }
            }
        }
        owesDecisions = decided == Self.decisionsAtOnce
    }

    private mutating func nextDecision(at now: Moment) -> RuleEngine.Effect? {
        // Taken out of self meanwhile, since the closure reads the scheduler.
        guard var rules = boxedRules else { return nil }
        boxedRules = nil
        defer { boxedRules = rules }
        let situation = RuleSituation(
            now: now, isPaused: scheduler.isPaused, promptsAreOn: scheduler.promptsAreOn,
            isRunOpen: session.isRunning || runs.open != nil)
        return rules.value.next(situation) { boxedScheduler.value.canOpen($0) }
    }

    private mutating func raise(_ decision: DecisionRecord, at now: Moment) {
        emit(.raised(decision))
        raise(StudyHappening(.treated(decision.rule, decision.index), task: decision.task, at: now.instant), at: now)
    }

    /// Takes over what the log does not have about prompts: which are silent, and when the last one came by
    /// the clock as it is now. `old` is the conductor of the same enrolment that this one replaces.
    mutating func keepPrompts(of old: StudyConductor) {
        scheduler.keepPrompts(of: old.scheduler)
        if let rules = old.boxedRules { boxedRules?.value.keepPrompt(of: rules.value) }
    }

    /// As `keepPrompts`; and takes over what was measured, since measuring goes on: whether the device is
    /// worn and, where the rules and the date of the enrolment are the same, the epochs of their features.
    mutating func keepMeasured(by old: StudyConductor) {
        keepPrompts(of: old)
        scheduler.keepWear(of: old.scheduler)
        guard let rules = old.boxedRules else { return }
        boxedRules?.value.keepWear(of: rules.value)
        guard rules.value.rules.digest == boxedRules?.value.rules.digest,
            old.planner.context.enrolment.instant == planner.context.enrolment.instant
        else { return }
        boxedRules = rules
    }

    /// Tells the participant that prompt times which he or she had moved are the study's own again, because the
    /// new version no longer has them as they were in `old`'s. Tasks that the participant no longer has do not count.
    mutating func tellDroppedTimes(since old: StudyConductor, at now: Moment) -> [Effect] {
        let kept = Planner(study: planner.study, context: presentContext).promptTimes
        let isDropped = Planner(study: old.planner.study, context: old.presentContext).promptTimes.contains { time in
            time.isMoved && planner.study.task(time.task).map(planner.fits) ?? false
                && !kept.contains {
                    $0.task == time.task && $0.id == time.id && $0.start == time.start && $0.end == time.end
                }
        }
        guard isDropped else { return [] }
        tellPanel(.news(Words(planner.study, on: session.panel)(StudyPhrases.timesDropped)), at: now)
        defer { effects = [] }
        return effects
    }

    // MARK: What is planned

    /// What was reported as planned (`PlanWatch.text`); nil where no server wants to know.
    package var planned: String? { planWatch?.text }

    /// Reports what has changed of what is planned, and notes what was sent.
    private mutating func reportPlans(at now: Moment) {
        guard planWatch != nil else { return }
        let scheduler = scheduler
        guard scheduler.clockIsTrusted, let reports = planWatch?.takeReports(scheduler, at: now.instant),
            !reports.isEmpty
        else {
            return
        }
        emit(.serverSaid(name: ServerFact.planned, text: planned ?? ""))
        effects += reports.map(Effect.report)
    }

    // MARK: After a restart

    /// Goes on with a run where it was; nothing happens where its task is gone or can no
    /// longer be opened.
    package mutating func resume(_ broken: BrokenRun, at now: Moment) -> [Effect] {
        guard let task = planner.study.task(broken.task), let entry = entry(of: broken, task) else { return [] }
        if let answers = entry.answers { runScheduler(.opened(answers.id), at: now) }
        runs.resume(entry, opening: broken.opening)
        tellPanel(
            .resumed(
                OpenedTask(task, opening: broken.opening, chance: planner.context.chance), facts: scheduler.facts,
                run: runName(of: task, opening: broken.opening),
                now: planner.context.zone.local(now.instant), broken.progress), at: now)
        defer { effects = [] }
        return effects
    }

    /// The list entry that the broken run was opened from. Made here, since the scheduler's list is empty
    /// while the clock is not trusted.
    private func entry(of broken: BrokenRun, _ task: StudyTask) -> OpenList.Entry? {
        let answers = broken.occurrence.flatMap(scheduler.occurrence)
        let first = planner.plan.occurrences.first { $0.task == task.key }
        guard let occurrence = task.isSticky ? first : answers ?? first else { return nil }
        return OpenList.Entry(
            task: task.key, occurrence: occurrence, answers: answers, isSticky: task.isSticky,
            startsGroup: true)
    }

    // MARK: The end of the study

    /// When the study is over, as far as is known now; nil = it does not end by itself.
    package var closesAt: Instant? { closing.wake }

    /// Leaves the study where it is over, once nothing is open on the panel.
    private mutating func leaveWhereOver(at now: Moment) {
        guard closing.wake != nil, scheduler.clockIsTrusted, session.isIdle, runs.open == nil,
            closing.takeEnd(at: now.instant)
        else { return }
        effects.append(.withdraw(deletesData: nil))
    }

    /// Computes again when the study is over, by the facts as they are now.
    private mutating func updateClosing(done: Instant? = nil) {
        closing.update(in: presentContext, done: done)
    }
}
