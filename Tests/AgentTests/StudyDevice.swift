// SPDX-License-Identifier: Apache-2.0
import Base
import Simulation
import SystemKit

@testable import Agent
@testable import Study

/// A device in virtual time. Its power can be cut: the core dies, the store stays.
///
/// Every call of the core is committed before the next, as `CommitService` does.
struct StudyDevice {
    let database: StudyDatabase
    let panel: Panel
    private(set) var zone: Zone
    let limits: SessionLimits
    private(set) var core: StudyCore
    private(set) var now: Moment
    private(set) var boots = 1
    /// Of submitted runs.
    private(set) var results: [ResultEntry] = []
    /// Recordings that were committed, with whom they are of.
    private(set) var files: [StudyCommit.Files] = []
    /// What the last event submitted; its tone has not sounded.
    private var submissions: [SubmittedRun] = []
    var hasJustSubmitted: Bool { !submissions.isEmpty }
    private var hand: PressPlanner
    private var move: ArraySlice<ButtonEvent> = []
    private var movePrompt: String?
    /// Somebody vouches for its clock.
    private(set) var isClockGood: Bool

    /// A device that is enrolled at that local time, and on.
    init(
        _ loaded: LoadedStudy, buttons: [String], participant: Participant, at local: String, isClockGood: Bool = true,
        postURL: String? = nil, zone: Zone? = nil
    ) async throws {
        let zone = try zone ?? Zone.load(AgentFixture.berlin)
        let begin = zone.resolve(try LocalDateTime(parsing: local)).instant
        try await self.init(
            loaded, buttons: buttons, participant: participant, at: begin, in: zone, isClockGood: isClockGood,
            postURL: postURL)
    }

    /// The same at a moment.
    init(
        _ loaded: LoadedStudy, buttons: [String], participant: Participant, at begin: Instant, in zone: Zone,
        isClockGood: Bool = true, postURL: String? = nil
    ) async throws {
        self.isClockGood = isClockGood
        panel = try AgentFixture.panel(buttons)
        self.zone = zone
        database = try StudyDatabase(.memory)
        var limits = SessionLimits()
        limits.aliveInterval = .seconds(86_400)
        self.limits = limits
        now = Moment(
            instant: begin, monotonic: MonotonicTime(nanoseconds: 0))
        hand = PressPlanner(participant, panel: panel)
        core = StudyCore(StudyCore.Setting(bootID: "boot 1", zone: zone, digest: Digest.sha256))
        let stamps = EventClock(clock: VirtualClock(now: now.instant), bootID: "boot 1", zone: zone)
        let enroller = Enroller(
            database: database, panel: panel, zone: zone, stamps: stamps,
            media: MediaCache(folder: "/tmp/studyd-no-media"), isDated: { isClockGood })
        _ = try await enroller.enrol(
            EnrolmentOptions(loaded: loaded, participant: "ABC23456", seed: 5, postURL: postURL))
        try await start(offSince: nil)
    }

    var study: ActiveStudy? { core.study }
    var enrolment: String { study?.record.id ?? "" }
    var isIdle: Bool { study?.conductor.session.isIdle ?? true }
    var run: TaskRun? { study?.conductor.session.run }
    var prompt: PromptItem? { study?.conductor.session.currentPrompt }

    private mutating func start(offSince: Instant?) async throws {
        core = StudyCore(StudyCore.Setting(bootID: "boot \(boots)", zone: zone, digest: Digest.sha256))
        try await feed(.began(version: "test"))
        var entry = try await StudyEntry(
            ActiveStudy.load(
                from: database, panel: panel, zone: zone, limits: limits, lastRow: offSince, at: now), from: database)
        entry.off = offSince.map { ($0, now.monotonic) }
        try await feed(.entered(entry))
    }

    /// The power fails now and comes back after `gap`, perhaps in another zone; presses
    /// under way are lost.
    mutating func cutPower(for gap: Duration = .zero, into other: Zone? = nil) async throws {
        let off = now.instant
        zone = other ?? zone
        boots += 1
        (move, movePrompt) = ([], nil)
        now = Moment(instant: off + gap, monotonic: MonotonicTime(nanoseconds: 3_000_000_000))
        try await start(offSince: off)
    }

    /// The same with a clock that shows `instant`, true or not.
    mutating func cutPower(clockShows instant: Instant) async throws {
        (isClockGood, now) = (false, Moment(instant: instant, monotonic: now.monotonic))
        try await cutPower()
    }

    /// Somebody who is believed sets the clock.
    mutating func setClock(to instant: Instant) async throws {
        (isClockGood, now) = (true, Moment(instant: instant, monotonic: now.monotonic))
        try await send(.tick)
    }

    /// The device is off for a while, then runs without its study's file, and then has it back: at once, or with the
    /// first of some restarts, perhaps in another zone, of which only the last knows the time.
    mutating func loseStudy(
        off: Duration, without gap: Duration, restarts: Int = 0, into other: Zone? = nil
    ) async throws {
        var lost = StudyEntry()
        lost.lostEnrolment = study?.record
        if off > .zero { lost.off = (now.instant, now.monotonic + off) }
        now = Moment(instant: now.instant + off, monotonic: now.monotonic + off)
        try await feed(.entered(lost))
        now = Moment(instant: now.instant + gap, monotonic: now.monotonic + gap)
        for restart in 0..<restarts {
            isClockGood = restart == restarts - 1
            try await cutPower(into: other)
        }
        guard restarts == 0 else { return }
        try await feed(
            .entered(
                StudyEntry(
                    ActiveStudy.load(from: database, panel: panel, zone: zone, limits: limits, at: now), from: database)
            ))
    }

    mutating func send(_ event: StudyConductor.Event) async throws { try await feed(.conductor(event)) }

    mutating func feed(_ event: CoreEvent) async throws {
        submissions = []
        let anchor = ClockAnchor(
            monotonic: now.monotonic, instant: now.instant, source: isClockGood ? .kernel : .unknown, uncertainty: .zero
        )
        let reading = ClockReading(
            moment: now, anchor: anchor, record: AnchorRecord(anchor, drift: nil), isGood: isClockGood)
        for effect in core.handle(event, at: reading) {
            switch effect {
            case .commit(let row, let stamp):
                try await database.append(row.events, sending: row.drafts, at: stamp)
                results += row.results
                files += row.files
                submissions += row.submissions
            case .keepUpdate(let update, let source):
                let digest = try await database.keepStudyFile(update.loaded.bytes, source: source, at: now.instant)
                try await feed(.updateKept(version: update.version, fileDigest: digest.description))
            case .reload:
                try await feed(
                    .reloaded(ActiveStudy.load(from: database, panel: panel, zone: zone, limits: limits, at: now)))
            default: break
            }
        }
    }

    /// Runs until `end`, or until `stop` says so after an event.
    mutating func run(until end: Instant, stop: (StudyDevice) -> Bool = { _ in false }) async throws {
        while let conductor = study?.conductor {
            try choose(conductor)
            let times = [core.wake(at: now), move.first?.time].compactMap(\.self)
            guard let time = times.min().map({ max($0, now.monotonic) }) else { break }
            guard now.instant + (time - now.monotonic) <= end else { break }
            now = Moment(instant: now.instant + (time - now.monotonic), monotonic: time)
            if hasJustSubmitted {
                try await feed(.committed(submissions))
            } else if let edge = move.first, edge.time <= now.monotonic {
                move = move.dropFirst()
                try await send(.button(edge))
            } else {
                try await send(.tick)
            }
            if stop(self) { return }
        }
        now = Moment(instant: end, monotonic: now.monotonic(at: end))
        try await send(.tick)
    }

    private mutating func choose(_ conductor: StudyConductor) throws {
        if let movePrompt, conductor.session.isIdle, conductor.session.currentPrompt?.id != movePrompt {
            (move, self.movePrompt) = ([], nil)
        }
        guard move.isEmpty, let next = try hand.move(on: conductor, at: now) else { return }
        (move, movePrompt) = (next.edges[...], next.prompt)
    }
}
