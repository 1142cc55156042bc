// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Logging
import Simulation
import Study
import Synchronization
import SystemKit
import Testing

@testable import Agent

@Suite struct DeviceStateTests {
    private static func state(_ change: (inout DeviceState) -> Void = { _ in }) -> DeviceState {
        var state = DeviceState()
        (state.enrolment, state.study, state.isClockKnown, state.source) = ("e1", "S", true, "kernel")
        change(&state)
        return state
    }

    private func kinds(_ new: DeviceState, since old: DeviceState?) -> [StateChange.Kind] {
        new.changes(since: old).map(\.kind)
    }

    /// A start says who takes part and what is known of the time; nothing that is as it should be.
    @Test func aStartSaysWhatIsTheCase() {
        #expect(kinds(Self.state(), since: nil) == [.enrolled, .synchronised])
        let unknown = Self.state { ($0.isClockKnown, $0.pause) = (false, .clock) }
        #expect(kinds(unknown, since: nil) == [.enrolled, .clockUnknown, .promptsPaused])
        #expect(kinds(DeviceState(), since: nil) == [.clockUnknown])
        let bad = Self.state { ($0.isOutboxHeld, $0.isDiskLow, $0.isRevoked) = (true, true, true) }
        #expect(kinds(bad, since: nil) == [.enrolled, .synchronised, .outboxHeld, .diskLow, .revoked])
    }

    @Test func nothingIsSaidTwice() {
        let states = [
            Self.state(), Self.state { $0.pause = .participant }, Self.state { $0.isDiskLow = true },
            Self.state { $0.faults = ["x"] }, DeviceState(),
        ]
        for state in states { #expect(kinds(state, since: state).isEmpty) }
    }

    private static let changes: [(DeviceState, DeviceState, [StateChange.Kind])] = [
        (DeviceState(), state(), [.enrolled, .synchronised]),
        (state(), state { $0.enrolment = nil }, [.left]),
        (state(), state { $0.enrolment = "e2" }, [.enrolled]),
        (state(), state { ($0.isClockKnown, $0.pause) = (false, .clock) }, [.clockUnknown, .promptsPaused]),
        (state { ($0.isClockKnown, $0.pause) = (false, .clock) }, state(), [.synchronised, .promptsResumed]),
        (state(), state { $0.pause = .participant }, [.promptsPaused]),
        (state { $0.pause = .participant }, state { $0.pause = .study }, [.promptsPaused]),
        (state { $0.pause = .study }, state(), [.promptsResumed]),
        (state { $0.pause = .study }, state { $0.enrolment = nil }, [.left]),
        (state(), state { $0.isOutboxHeld = true }, [.outboxHeld]),
        (state { $0.isOutboxHeld = true }, state(), [.outboxMoves]),
        (state(), state { $0.isDiskLow = true }, [.diskLow]),
        (state { $0.isDiskLow = true }, state(), [.diskRoom]), (state(), state { $0.isRevoked = true }, [.revoked]),
        (state { $0.isRevoked = true }, state(), [.accepted]), (state(), state { $0.source = "gps" }, []),
        (state(), state { $0.faults = ["a chip"] }, []),
    ]

    @Test func eachChangeIsSaidOnce() {
        for (old, new, expected) in Self.changes { #expect(kinds(new, since: old) == expected, "\(old) → \(new)") }
    }

    /// A fault with numbers that change all the time is one fault.
    @Test func aFaultIsKnownByWhatStaysTheSame() {
        let (one, other) = (
            Explanation(place: "temperature", cause: "the processor is at 81 °C"),
            Explanation(place: "temperature", cause: "the processor is at 83 °C")
        )
        #expect(DeviceState.name(of: one) == DeviceState.name(of: other))
        #expect(DeviceState.name(of: one) != DeviceState.name(of: Explanation(place: "power", cause: "x")))
    }

    // MARK: - Looking

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func log() -> Logger {
            Logger(label: "t") { _ in Handler(lines: self) }
        }
        struct Handler: LogHandler {
            let lines: Lines
            var logLevel = Logger.Level.info
            var metadata = Logger.Metadata()
            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }
            func log(event: LogEvent) {
                lines.lines.withLock { $0.append("\(event.metadata?[Logger.stateField] ?? "-")") }
            }
        }
    }

    /// Of a whole life: each state once in the journal, and each change asks for a report.
    @Test func aLifeIsToldInALineForEachChange() async throws {
        let bench = try ReportBench()
        let lines = Lines()
        let asked = Mutex(0)
        let trusted = Mutex(false)
        let trust = ClockTrust { trusted.withLock { $0 } ? (.kernel, .milliseconds(1)) : (.unknown, .zero) }
        let watch = StateWatch(
            bench.database, view: bench.view, clock: ClockStatus(trust: trust, bound: .seconds(300)),
            stamps: EventClock(clock: bench.clock, bootID: "b", zone: .utc), folder: "/", log: lines.log()
        ) { asked.withLock { $0 += 1 } }
        for _ in 0..<3 { await watch.look() }
        try await bench.enrol()
        for _ in 0..<3 { await watch.look() }
        trusted.withLock { $0 = true }
        for _ in 0..<3 { await watch.look() }
        try await bench.append([.promptsSwitched(on: false)])
        await watch.look()
        bench.view.change { $0.storeVolatile = "the disk is read-only" }
        await watch.look()
        try await bench.leave()
        await watch.look()
        #expect(
            lines.all.filter { $0 != "disk-low" } == [
                "clock-unknown", "enrolled", "prompts-paused", "synchronised", "prompts-resumed", "prompts-paused",
                "left",
            ])
        #expect(asked.withLock { $0 } == 6)
    }

    /// Who takes part is not forgotten while the store cannot be read.
    @Test func anUnreadableStoreIsNoLeave() async throws {
        let folder = try TemporaryFolder("opened")
        let path = folder.path + "/studyd.sqlite"
        let bench = try ReportBench(StudyDatabase(.file(path)))
        let lines = Lines()
        let trust = ClockTrust { (.kernel, .milliseconds(1)) }
        let watch = StateWatch(
            bench.database, view: bench.view, clock: ClockStatus(trust: trust, bound: .seconds(300)),
            stamps: EventClock(clock: bench.clock, bootID: "b", zone: .utc), folder: "/", log: lines.log())
        try await bench.enrol()
        await watch.look()
        let other = try Connection(.file(path))
        try other.execute("ALTER TABLE enrolment RENAME TO away")
        await #expect(throws: (any Error).self) { try await bench.database.latestEnrolment() }
        await watch.look()
        try other.execute("ALTER TABLE away RENAME TO enrolment")
        await watch.look()
        #expect(lines.all.filter { $0 != "disk-low" } == ["enrolled", "synchronised"])
    }

    @Test func whatWaitsForAnHourAlthoughItWasTriedIsHeld() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        try await bench.append([], sending: [Fixture.draft("a")])
        let item = try #require(try await bench.database.items().first).item.id
        func isHeld(after seconds: Int64) async throws -> Bool {
            try await bench.database.backlog().isHeld(
                at: ReportBench.start + .seconds(seconds), for: StateWatch.patience)
        }
        #expect(try await !isHeld(after: 7200))
        try await bench.append([.uploadStarted(item: item)])
        #expect(try await !isHeld(after: 7200), "its first attempt is under way")
        try await bench.append([.uploadFailed(item: item, reason: "away", retryAt: ReportBench.start)])
        #expect(try await !isHeld(after: 3599))
        #expect(try await isHeld(after: 3600))
        try await bench.append([.uploadStarted(item: item)])
        #expect(try await isHeld(after: 3600), "its second")
        try await bench.append([.uploadDelivered(item: item, receipt: "200")])
        #expect(try await !isHeld(after: 7200))
    }

    /// A recording waits for its window, and an answer of now for its second attempt.
    @Test func whatWasNotTriedIsNotHeldByAnotherThatWas() async throws {
        let bench = try ReportBench()
        try await bench.enrol()
        try await bench.append([], sending: [Fixture.draft("waits for its window")])
        bench.clock.advance(to: bench.clock.monotonic + .seconds(7200))
        try await bench.append([], sending: [Fixture.draft("new")])
        let new = try #require(try await bench.database.items().last).item.id
        try await bench.append([
            .uploadStarted(item: new), .uploadFailed(item: new, reason: "away", retryAt: bench.clock.now),
        ])
        let backlog = try await bench.database.backlog()
        #expect(backlog.count == 2 && backlog.oldest == ReportBench.start)
        #expect(!backlog.isHeld(at: bench.clock.now, for: StateWatch.patience))
        #expect(backlog.isHeld(at: bench.clock.now + StateWatch.patience, for: StateWatch.patience))
    }
}
