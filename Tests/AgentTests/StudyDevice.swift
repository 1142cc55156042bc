// SPDX-License-Identifier: Apache-2.0
import Simulation
import Store
import StudyEngine
import StudyModel
import Times

@testable import Agent

/// A device in virtual time whose power can be cut: the conductor dies, the store stays.
///
/// Every call of the conductor is committed before the next, as `CommitService` does.
struct StudyDevice {
    let database: StudyDatabase
    let panel: Panel
    let zone: Zone
    let limits: SessionLimits
    private(set) var study: ActiveStudy?
    private(set) var now: Moment
    private(set) var boots = 1
    /// The last event submitted a run; its tone has not sounded.
    private(set) var hasJustSubmitted = false
    private var hand: ScriptedHand
    private var move: ArraySlice<ButtonEvent> = []
    private var movePrompt: String?

    /// A device that is enrolled at that local time, and on.
    init(_ loaded: LoadedStudy, buttons: [String], participant: Participant, at local: String) async throws {
        panel = try AgentFixture.panel(buttons)
        zone = try Zone.load(AgentFixture.berlin)
        database = try StudyDatabase(.memory)
        var limits = SessionLimits()
        limits.alive = .seconds(86_400)
        self.limits = limits
        now = Moment(
            instant: zone.resolve(try LocalDateTime(parsing: local)).instant, monotonic: MonotonicTime(nanoseconds: 0))
        hand = ScriptedHand(participant, panel: panel)
        let stamps = StampMaker(clock: VirtualClock(now: now.instant), bootID: "boot 1", zone: zone)
        let enroller = Enroller(
            database: database, panel: panel, zone: zone, stamps: stamps,
            media: MediaCache(folder: "/tmp/studyd-no-media"))
        _ = try await enroller.enrol(Enroller.Wish(loaded: loaded, participant: "ABC23456", seed: 5))
        try await start(offSince: nil)
    }

    var enrolment: String { study?.record.id ?? "" }
    var isIdle: Bool { study?.conductor.session.isIdle ?? true }
    var run: TaskRun? { study?.conductor.session.run }
    var prompt: PromptItem? { study?.conductor.session.currentPrompt }

    private mutating func start(offSince: Instant?) async throws {
        study = try await ActiveStudy.load(from: database, panel: panel, zone: zone, limits: limits, at: now)
        for run in try await database.openRuns(of: enrolment) {
            try await database.append([.runLeft(task: run.task, opening: run.opening)], at: stamp)
        }
        if let offSince { try await send(.wasOff(from: offSince, to: now.instant)) }
        try await send(.clock(trusted: true))
        try await send(.tick)
    }

    private var stamp: EventStamp {
        EventStamp(
            wall: now.instant, monotonic: now.monotonic, bootID: "boot \(boots)",
            zoneOffset: zone.period(at: now.instant).offset, enrolment: enrolment)
    }

    /// The power fails now and comes back after `gap`; presses under way are lost.
    mutating func cutPower(for gap: Duration = .zero) async throws {
        let off = now.instant
        boots += 1
        (move, movePrompt) = ([], nil)
        now = Moment(instant: off + gap, monotonic: MonotonicTime(nanoseconds: 3_000_000_000))
        try await start(offSince: off)
    }

    mutating func send(_ event: StudyConductor.Event) async throws {
        guard let effects = study?.conductor.handle(event, at: now), let commit = study?.scribe.commit(effects, at: now)
        else { return }
        try await database.append(commit.events, sending: commit.drafts, at: stamp)
        hasJustSubmitted = commit.hasSubmission
    }

    /// Runs until `end`, or until `stop` says so after an event.
    mutating func run(until end: Instant, stop: (StudyDevice) -> Bool = { _ in false }) async throws {
        while let conductor = study?.conductor {
            try choose(conductor)
            let times = [conductor.wake(at: now), move.first?.time].compactMap(\.self)
            guard let time = times.min().map({ max($0, now.monotonic) }) else { break }
            guard now.instant + (time - now.monotonic) <= end else { break }
            now = Moment(instant: now.instant + (time - now.monotonic), monotonic: time)
            if hasJustSubmitted {
                try await send(.stored)
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
