// SPDX-License-Identifier: Apache-2.0
import Store
import StudyEngine
import StudyFormats
import StudyModel
import Times

/// A whole study in virtual time: the conductor, the store in memory, and a scripted participant who presses buttons.
///
/// No thread and no device; the clock jumps from one thing to the next.
public struct StudySimulation {
    /// How one occurrence went.
    public struct Line: Sendable {
        /// As planned.
        public let occurrence: Occurrence
        /// nil = still open when the study's last moment had come.
        public var outcome: Outcome?
        /// Virtual time of its signal; nil = it never was given.
        public var presented: Instant?
        /// Virtual time of the submission; nil = none answered it.
        public var answered: Instant?
        /// As on the wire.
        public var answers: JSONText?
        /// Of buttons while its run was open; releases are not counted.
        public var presses = 0
    }

    /// Where presses mean what they were meant for.
    private enum Place: Equatable {
        /// At rest, with that prompt or none.
        case idle(String?)
        case run, other
    }

    private let study: StudyProtocol
    private let panel: Panel
    private let cut: Instant?
    private var end: Instant
    private var conductor: StudyConductor
    private var scribe: StudyScribe
    private let wire: any StudyWire
    private var hand: ScriptedHand
    private let database: StudyDatabase
    private var now: Moment
    private var move: ArraySlice<ButtonEvent> = []
    /// What the panel showed when the presses to come were thought of.
    private var movePlace = Place.idle(nil)
    private var compliance = Compliance()
    private var promptedIDs: Set<String> = []
    private var pending = StudyCommit()
    private var lines: [String: Line] = [:]
    private var answering: String?
    private var order: [String] = []

    /// A study of that enrolment on that panel; `days` cuts it to so many calendar days.
    public init(
        study: StudyProtocol, wire: any StudyWire, context: ScheduleContext, panel: Panel, participant: Participant,
        postURL: String?, days: Int?
    ) throws {
        try participant.check(study)
        let planner = Planner(study: study, context: context)
        let plan = planner.plan
        self.study = study
        self.panel = panel
        self.wire = wire
        now = Moment(instant: context.enrolment.instant, monotonic: MonotonicTime(nanoseconds: 0))
        cut = days.map {
            context.zone.resolve(LocalDateTime(context.enrolment.local.date.adding(days: $0), .midnight)).instant
        }
        end = Self.end(of: plan, cut: cut) ?? context.enrolment.instant + .seconds(1)
        var limits = SessionLimits()
        // Nobody looks at signs of life here, and at one every ten seconds they would be nearly all of the work.
        limits.alive = .seconds(86_400)
        conductor = StudyConductor(
            planner: planner,
            scheduler: Scheduler(plan: plan, facts: context.facts), panel: panel,
            limits: limits, at: now)
        scribe = StudyScribe(
            wire: wire,
            context: WireContext(study: study, enrolment: context.enrolment, zone: context.zone, postURL: postURL))
        hand = ScriptedHand(
            participant, panel: panel, seed: context.enrolment.seed.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
            opensList: true)
        database = try StudyDatabase(.memory)
    }

    /// Runs to the end. `payload` gets each request body in the order in which it would be sent.
    public mutating func run(payload: (WireRequest) throws -> Void) async throws -> (
        lines: [Line], ledger: Ledger, compliance: Compliance
    ) {
        pending.drafts += scribe.drafts(.enrolled, at: now)
        try await step(.tick, payload)
        while let next = nextMoment(), next.instant < end {
            now = next
            if let edge = move.first, edge.time <= now.monotonic {
                move = move.dropFirst()
                try await step(.button(edge), payload)
            } else {
                try await step(.tick, payload)
            }
        }
        now = Moment(instant: end, monotonic: now.monotonic(at: end))
        try await step(.tick, payload)
        try await commit(payload)
        let lines = finishedLines()
        for line in lines where promptedIDs.contains(line.occurrence.id) { compliance.count(line.outcome) }
        return (lines, try await ledger(), compliance)
    }

    /// A second after the last thing; an occurrence without an end is given a day.
    private static func end(of plan: Plan, cut: Instant?) -> Instant? {
        let last = plan.occurrences.map { $0.expires ?? $0.due + .seconds(86_400) }.max()
        return last.map { min(cut ?? $0, $0) + .seconds(1) }
    }

    private func nextMoment() -> Moment? {
        let times = [conductor.wake(at: now), move.first?.time].compactMap(\.self)
        guard let time = times.min() else { return nil }
        let later = max(time, now.monotonic)
        return Moment(instant: now.instant + (later - now.monotonic), monotonic: later)
    }

    private mutating func step(_ event: StudyConductor.Event, _ payload: (WireRequest) throws -> Void) async throws {
        let effects = conductor.handle(event, at: now)
        observe(effects)
        hand.look(at: conductor)
        pending.add(scribe.commit(effects, at: now))
        if pending.hasSubmission {
            try await commit(payload)
            try await step(.stored, payload)
        }
        // A light of the simulation is on as soon as it is asked for.
        for case .panel(.signal(let plan)) in effects {
            for mark in plan.steps.compactMap(\.mark) {
                let light = ShownLight(mark: mark, began: now.monotonic, ended: now.monotonic)
                try await step(.shown(light), payload)
            }
        }
        for case .panel(.takePosition) in effects { try await step(receiver, payload) }
        try plan()
    }

    /// What the receiver of the simulation says: what the participant means to answer.
    private var receiver: StudyConductor.Event {
        hand.place.map { .position(latitude: $0.latitude, longitude: $0.longitude) } ?? .noPosition
    }

    /// Keeps the presses to come true to what the panel shows.
    private mutating func plan() throws {
        // A button that is down comes up again whatever happens.
        if move.first?.isPressed == true, place != movePlace { move = [] }
        guard move.isEmpty, let next = try hand.move(on: conductor, at: now) else { return }
        move = next.edges[...]
        movePlace = place
    }

    private var place: Place {
        let session = conductor.session
        if session.run != nil { return .run }
        return session.isIdle ? .idle(session.currentPrompt?.id) : .other
    }

    private mutating func commit(_ payload: (WireRequest) throws -> Void) async throws {
        guard !pending.isEmpty else { return }
        let stamp = EventStamp(
            wall: now.instant, monotonic: now.monotonic, bootID: "simulated",
            zoneOffset: scribe.context.zone.period(at: now.instant).offset, enrolment: scribe.context.enrolment.id)
        for draft in pending.drafts { if case .request(let request) = draft.content { try payload(request) } }
        try await database.append(pending.events, sending: pending.drafts, at: stamp)
        pending = StudyCommit()
    }

    private func ledger() async throws -> Ledger {
        var ledger = Ledger(occurrences: conductor.scheduler.ledger)
        ledger.items = Ledger.ItemCounts(try await database.ledger())
        return ledger
    }
}

extension StudySimulation {
    /// Writes down what a researcher wants to see of an occurrence.
    private mutating func observe(_ effects: [StudyConductor.Effect]) {
        for case .note(let note) in effects {
            switch note {
            case .prompted(let occurrence):
                promptedIDs.insert(occurrence.id)
                begin(occurrence)
            case .putOff: compliance.putOff += 1
            case .presented(let id): lines[id]?.presented = now.instant
            case .runOpened(_, _, let occurrence):
                answering = occurrence
                // One that is taken from the list had no prompt.
                if let opened = occurrence.flatMap(conductor.scheduler.occurrence) { begin(opened) }
            case .pressed(let edge): if edge.isPressed, let answering { lines[answering]?.presses += 1 }
            case .submitted(_, _, let submission): submitted(submission)
            case .runLeft:
                compliance.left += 1
                answering = nil
            case .learned: end = max(end, Self.end(of: conductor.planner.plan, cut: cut) ?? end)
            case .concluded(let occurrence, let outcome):
                begin(occurrence)
                lines[occurrence.id]?.outcome = outcome
            default: break
            }
        }
    }

    private mutating func begin(_ occurrence: Occurrence) {
        guard lines[occurrence.id] == nil else { return }
        lines[occurrence.id] = Line(occurrence: occurrence)
        order.append(occurrence.id)
    }

    private mutating func submitted(_ submission: Submission) {
        if answering.map({ !promptedIDs.contains($0) }) ?? true { compliance.unprompted += 1 }
        if let answering {
            let answers = wire.answers(submission, in: scribe.context)
            lines[answering]?.answered = now.instant
            lines[answering]?.answers = answers
        }
        answering = nil
    }

    /// One line per occurrence that fell due, in time order.
    private func finishedLines() -> [Line] {
        conductor.scheduler.endings.filter { $0.occurrence.due <= now.instant }.map { ending in
            var line = lines[ending.occurrence.id] ?? Line(occurrence: ending.occurrence)
            line.outcome = ending.outcome
            return line
        }
    }
}

extension Ledger.ItemCounts {
    /// The outbox's part, from the store's own counts.
    public init(_ counts: StoreCounts) {
        self.init()
        produced = counts.itemsProduced
        delivered = counts.items[.delivered] ?? 0
        waiting = counts.items[.waiting] ?? 0
        sending = counts.items[.sending] ?? 0
        refused = counts.items[.refused] ?? 0
        dropped = counts.items[.dropped] ?? 0
        deleted = counts.items[.deleted] ?? 0
    }
}
