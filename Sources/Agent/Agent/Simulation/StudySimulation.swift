// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// A whole study in virtual time: the core of the agent and a scripted participant who
/// presses buttons. `studyd simulate` calls `run` once.
///
/// No thread, no device and no store; the clock jumps from one event to the next. Recorders of tasks record
/// what a simulated body feels, where there is one; nothing else is recorded. Nothing is sent: requests to the
/// study's server are counted as waiting, and `run` passes them to its caller one by one.
package struct StudySimulation {
    package struct Line: Sendable {
        package let occurrence: Occurrence
        /// nil = still open when the study's last moment had come.
        package var outcome: Outcome?
        /// Virtual time of its signal; nil = it never was given.
        package var presented: Instant?
        /// Virtual time of the submission; nil = none answered it.
        package var answered: Instant?
        /// As on the wire.
        package var answers: JSONText?
        /// Presses of buttons while its run was open.
        package var presses = 0
    }

    /// The last moment of the given days, whose midnight belongs to the next; nil = the whole plan.
    private let cutOff: Instant?
    /// A second after the last moment of the plan, within the given days; grows when dates are learned.
    private var end: Instant
    /// A variable was set since `end` was last held against the plan. Making the plan for each would take most of a
    /// simulation whose scripts set variables.
    private var planMayReachFurther = false
    private var core: StudyCore
    private let wireContext: WireContext
    /// The study as it is when the core enters it.
    private var entering: ActiveStudy
    private var presses: PlannedPresses
    private let recorders: SimulatedRecorders?
    private let packer: RequestPacker
    private var now: Moment
    private var compliance = Compliance()
    private var promptedIDs: Set<String> = []
    private var items = Ledger.ItemCounts()
    private var lines: [String: Line] = [:]
    /// The occurrence of the run that is open; nil = none.
    private var answering: String?
    /// What sensors will say from now on.
    private var sensorEntries: ArraySlice<SensorTimeline.Entry>
    private var decisions: Ledger.DecisionCounts?
    /// Ids of the prompts that rules raised (decisions drawn as treated).
    private var raised: Set<String> = []
    /// Decisions and outcomes in their order, as the log would have them.
    package private(set) var decided: [StudyEvent] = []
    /// The core has left the study, since it is over.
    private var isLeft = false
    /// After that, the prompts that were still open have been ended.
    private var hasEnded = false

    /// A study of that enrolment on that panel; `days` cuts it to a number of calendar days.
    /// Recorders of tasks record into the folder `recordings` what `body` returns for each task; without these they
    /// have nothing that measures. Rules look at `features`.
    package init(
        _ loaded: LoadedStudy, context: ScheduleContext, panel: Panel, participant: Participant,
        postURL: String?, days: Int?, body: (@Sendable (TaskRecording) -> SimulatedBody)? = nil,
        recordings: String? = nil, features: SensorTimeline = SensorTimeline()
    ) throws {
        try participant.check(loaded.study)
        let study = loaded.study.served(by: panel)
        let planner = Planner(study: study, context: context)
        let plan = planner.plan
        let begin = context.enrolment.instant
        let start = Moment(instant: begin, monotonic: MonotonicTime(nanoseconds: 0))
        now = start
        let cutOff = days.map { Self.cutOff(after: $0, context) }
        self.cutOff = cutOff
        sensorEntries = features.entries.drop { $0.at < begin }
        decisions = study.rules == nil ? nil : Ledger.DecisionCounts()
        end = max(
            Self.end(of: plan, cutOff: cutOff) ?? begin + .seconds(1),
            study.rules.flatMap { Self.end(of: $0, features, from: begin, cutOff: cutOff) } ?? begin)
        var limits = SessionLimits()
        // Signs of life are not checked here, and at one every ten seconds they would be nearly all
        // of the work.
        limits.aliveInterval = .seconds(86_400)
        let conductor = StudyConductor(
            planner: planner, scheduler: Scheduler(plan: plan, facts: context.facts), panel: panel, limits: limits,
            rules: study.rules.map { RuleEngine($0, context: context, at: start.monotonic) }, at: start)
        wireContext = WireContext(study: study, enrolment: context.enrolment, zone: context.zone, postURL: postURL)
        let record = EnrolmentRecord(
            context.enrolment, platform: study.platform, source: loaded.origin,
            fileDigest: try Digest(of: loaded.bytes), postURL: postURL)
        entering = ActiveStudy(
            record: record, loaded: loaded, conductor: conductor,
            encoder: EventEncoder(context: wireContext), orphans: [])
        core = StudyCore(StudyCore.Setting(bootID: "simulated", zone: context.zone, digest: Digest.sha256))
        presses = PlannedPresses(
            PressPlanner(
                participant, panel: panel, seed: context.enrolment.seed.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
                opensList: true))
        packer = RequestPacker(folder: recordings)
        if let body, let recordings {
            recorders = try SimulatedRecorders(recordings, body: body, study: study.studyID, zone: context.zone)
        } else {
            recorders = nil
        }
    }

    private static func cutOff(after days: Int, _ context: ScheduleContext) -> Instant {
        let midnight = LocalDateTime(context.enrolment.local.date.adding(days: days), .midnight)
        return context.zone.resolve(midnight).instant - .nanoseconds(1)
    }

    /// A second after the last occurrence has ended; one that never expires is given a day.
    private static func end(of plan: Plan, cutOff: Instant?) -> Instant? {
        let last = plan.occurrences.map { $0.expires ?? $0.due + .seconds(86_400) }.max().map { $0 + .seconds(1) }
        return last.map { min(cutOff ?? $0, $0) }
    }

    /// A plan of rules alone has no last occurrence: it ends with its sensors' data, its days or the cut.
    private static func end(
        of rules: StudyRules, _ features: SensorTimeline, from begin: Instant, cutOff: Instant?
    ) -> Instant? {
        let end =
            features.end.map { $0 + .seconds(60) } ?? rules.days.map { begin + .seconds(Int64($0) * 86_400) } ?? cutOff
        return end.map { min(cutOff ?? $0, $0) }
    }

    /// Runs to the end. `payload` gets each request body in the order in which it would be sent.
    package mutating func run(payload: (WireRequest) throws -> Void) throws -> (
        lines: [Line], ledger: Ledger, compliance: Compliance
    ) {
        try send(entering.encoder.drafts(.enrolled, at: now), payload)
        try step(.entered(StudyEntry(study: entering)), payload)
        while !isLeft, let next = nextMoment(), reaches(next.instant) {
            now = next
            if let first = sensorEntries.first, first.at <= now.instant {
                try step(.conductor(takeSensorNews(first)), payload)
            } else if let edge = presses.next, edge.time <= now.monotonic {
                _ = presses.takeNext()
                try step(.conductor(.button(edge)), payload)
            } else {
                try step(.tick, payload)
            }
        }
        // A last tick at the end.
        if !isLeft {
            extendEndToPlan()
            let time = max(closingTime, now.instant)
            now = Moment(instant: time, monotonic: now.monotonic(at: time))
            try step(.tick, payload)
        }
        // What a device would tell the server on leaving.
        if isLeft {
            for report in PlanWatch.end(conductor?.planned) + [.withdrawn(deletesData: false)] {
                try send(entering.encoder.drafts(report, at: now), payload)
            }
        }
        let lines = finishedLines()
        for line in lines where promptedIDs.contains(line.occurrence.id) { compliance.count(line.outcome) }
        return (lines, ledger, compliance)
    }

    /// Whether the simulation reaches that moment. A run that is open is done to its end, within the given days.
    private mutating func reaches(_ moment: Instant) -> Bool {
        // `closingTime` is never before `end`, and asking for it costs more.
        if moment < end { return true }
        extendEndToPlan()
        if moment < closingTime { return true }
        return core.study?.conductor.session.isRunning == true && cutOff.map { moment < $0 } ?? true
    }

    private mutating func extendEndToPlan() {
        guard planMayReachFurther, let plan = conductor?.planner.plan else { return }
        planMayReachFurther = false
        end = max(end, Self.end(of: plan, cutOff: cutOff) ?? end)
    }

    /// The end of the simulation: `end`, or later where the study closes by itself later than that.
    private var closingTime: Instant {
        guard let closing = core.study?.conductor.closesAt.map({ $0 + .seconds(1) }) else { return end }
        return max(end, min(cutOff ?? closing, closing))
    }

    /// Takes the next of what sensors say; epochs that are known at the same moment become one event.
    private mutating func takeSensorNews(_ first: SensorTimeline.Entry) -> StudyConductor.Event {
        sensorEntries.removeFirst()
        switch first.news {
        case .notWorn(let since): return .notWorn(since: since)
        case .epoch(let epoch):
            var epochs = [epoch]
            while let next = sensorEntries.first, next.at == first.at, case .epoch(let other) = next.news {
                epochs.append(other)
                sensorEntries.removeFirst()
            }
            return .epochs(epochs)
        }
    }

    private func nextMoment() -> Moment? {
        let sensed = sensorEntries.first.map { now.monotonic(at: $0.at) }
        guard let time = earliest(earliest(core.wake(at: now), presses.next?.time), sensed) else { return nil }
        let later = max(time, now.monotonic)
        return Moment(instant: now.instant + (later - now.monotonic), monotonic: later)
    }

    private mutating func step(_ event: CoreEvent, _ payload: (WireRequest) throws -> Void) throws {
        let anchor = ClockAnchor(
            monotonic: now.monotonic, instant: now.instant, source: .kernel, uncertainty: .zero)
        let effects = core.handle(
            event, at: ClockReading(moment: now, anchor: anchor, record: AnchorRecord(anchor, drift: nil), isGood: true)
        )
        var submissions: [SubmittedRun] = []
        for effect in effects {
            switch effect {
            case .conducted(let conducted): record(conducted)
            case .commit(let row, _):
                try send(row.drafts, payload)
                submissions += row.submissions
            case .withdraw: isLeft = true
            default: break
            }
        }
        if isLeft, !hasEnded {
            hasEnded = true
            try step(.conductor(.studyLeft), payload)
        }
        presses.observe(core)
        if !submissions.isEmpty { try step(.committed(submissions), payload) }
        // By a loop: `flatMap(answers)` would copy all of the simulation at each step.
        var news: [CoreEvent] = []
        for effect in effects { news += answers(effect) }
        for answer in news { try step(answer, payload) }
        try presses.plan(on: core, at: now)
    }

    private func answers(_ effect: CoreEffect) -> [CoreEvent] {
        guard case .device(let effect) = effect else { return [] }
        return switch effect {
        // A light of the simulation is on as soon as it is asked for.
        case .signal(let plan):
            plan.steps.compactMap(\.mark).map {
                .conductor(.device(.shown(ShownLight(mark: $0, began: now.monotonic, ended: now.monotonic))))
            }
        case .takePosition: [.conductor(.device(presses.place))]
        case .takeReading: [.conductor(.device(.reading(presses.planner.intendedFigures)))]
        case .startRecorders(let recordings): started(recordings)
        case .stopRecorders(let ids):
            recorders?.stop(ids, at: now).map { .recorder(.task($0), of: nil) } ?? []
        default: []
        }
    }

    private func started(_ recordings: [TaskRecording]) -> [CoreEvent] {
        guard let recorders else { return recordings.map { .recorder(.task(.notMeasured($0)), of: nil) } }
        recorders.start(recordings, at: now.monotonic)
        return []
    }

    /// Questions that must be answered and that the script does not answer, as task/question, with
    /// how often the task was left for that.
    package var unanswered: [(question: String, times: Int)] {
        presses.planner.unanswered.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private var conductor: StudyConductor? { core.study?.conductor }

    private mutating func send(_ drafts: [OutboxDraft], _ payload: (WireRequest) throws -> Void) throws {
        for draft in drafts {
            if case .request(let request) = draft.content { try payload(packer.packed(request)) }
        }
        items.produced += drafts.count
        items.waiting += drafts.count
    }

    private var ledger: Ledger {
        var ledger = Ledger(occurrences: conductor?.scheduler.ledger ?? .init(), items: items)
        ledger.decisions = decisions
        let over = conductor?.scheduler.endings.count { $0.outcome == nil && outcome($0) != nil } ?? 0
        ledger.occurrences.open -= over
        ledger.occurrences.expired += over
        for ending in conductor?.scheduler.endings ?? [] where raised.contains(ending.occurrence.id) {
            let isPresented = lines[ending.occurrence.id]?.presented != nil
            ledger.decisions?.addPrompt(isPresented: isPresented, outcome: outcome(ending))
        }
        return ledger
    }

    /// Records what a researcher wants to see of an occurrence.
    private mutating func record(_ effects: [StudyConductor.Effect]) {
        for case .note(let note) in effects {
            switch note {
            case .prompted(let occurrence):
                promptedIDs.insert(occurrence.id)
                addLine(for: occurrence)
            case .pressed(let edge): if edge.isPressed, let answering { lines[answering]?.presses += 1 }
            case .submitted(_, _, let submission): submitted(submission)
            case .runLeft:
                compliance.left += 1
                answering = nil
            case .row(let event): observe(event)
            default: break
            }
        }
    }

    private mutating func observe(_ event: StudyEvent) {
        switch event {
        case .promptPutOff: compliance.putOff += 1
        case .presented(let id): lines[id]?.presented = now.instant
        case .runOpened(_, _, let occurrence):
            answering = occurrence
            // One that is taken from the list had no prompt.
            if let opened = occurrence.flatMap({ conductor?.scheduler.occurrence($0) }) { addLine(for: opened) }
        case .decided(let decision): count(decision)
        case .raised: decided.append(event)
        case .outcomeMeasured(let outcome):
            decided.append(event)
            decisions?.endAwaited(outcome.missing?.rawValue ?? "measured")
        case .variableSet: planMayReachFurther = true
        default: break
        }
    }

    private mutating func count(_ decision: DecisionRecord) {
        decided.append(.decided(decision: decision))
        decisions?.add(decision.result, reason: decision.reasons.first)
        decisions?.addOutcome(decision.outcome == nil ? nil : "awaited")
        if decision.result == .treated { raised.insert(decision.occurrence) }
    }

    private mutating func addLine(for occurrence: Occurrence) {
        if lines[occurrence.id] == nil { lines[occurrence.id] = Line(occurrence: occurrence) }
    }

    private mutating func submitted(_ submission: Submission) {
        if answering.map({ !promptedIDs.contains($0) }) ?? true { compliance.unprompted += 1 }
        if let answering {
            let answers = wireContext.study.writer.answers(submission, in: wireContext)
            lines[answering]?.answered = now.instant
            lines[answering]?.answers = answers
        }
        answering = nil
    }

    /// One line per occurrence that fell due, in time order.
    private func finishedLines() -> [Line] {
        (conductor?.scheduler.endings ?? []).filter { $0.occurrence.due <= now.instant }.map { ending in
            var line = lines[ending.occurrence.id] ?? Line(occurrence: ending.occurrence)
            line.outcome = outcome(ending)
            return line
        }
    }

    /// What is over at the midnight after the given days has expired: that moment itself is not simulated.
    private func outcome(_ ending: (occurrence: Occurrence, outcome: Outcome?)) -> Outcome? {
        let id = ending.occurrence.id
        guard ending.outcome == nil, let cutOff, ending.occurrence.expires == cutOff + .nanoseconds(1),
            lines[id]?.presented != nil, answering != id
        else { return ending.outcome }
        return .expired
    }
}
