// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import Agent

/// A pause of the sensors outlives a restart, and no loss of power makes it shorter than the
/// participant wanted.
@Suite struct SensorPauseTests {
    private static let began = Instant(seconds: 1_800_000_100)

    private static func pause(_ instant: Instant? = began) -> SensorPause {
        SensorPause(
            bootID: "boot-1", began: MonotonicTime(nanoseconds: 100_000_000_000), length: .seconds(1_800),
            instant: instant)
    }

    @Test func inItsOwnBootItIsWhatItWas() {
        let now = Moment(instant: Self.began + .seconds(7_000), monotonic: MonotonicTime(nanoseconds: 400_000_000_000))
        let span = Self.pause().span(at: now, boot: "boot-1", isTrusted: true)
        #expect(span == MonotonicTime(nanoseconds: 100_000_000_000)..<MonotonicTime(nanoseconds: 1_900_000_000_000))
    }

    /// What passed, whether the clock is trusted now and was then, and how long it still lasts.
    @Test(arguments: [
        (600, true, true, 1_200), (0, true, true, 1_800), (1_799, true, true, 1), (1_800, true, true, 0),
        (90_000, true, true, 0), (-5, true, true, 1_800), (600, false, true, 1_800), (600, true, false, 1_800),
    ]) func afterARestartOfTheDeviceWhatIsKnownToHavePassedHasPassed(
        passed: Int64, isTrusted: Bool, wasTrusted: Bool, left: Int64
    ) {
        let now = Moment(instant: Self.began + .seconds(passed), monotonic: MonotonicTime(nanoseconds: 30_000_000_000))
        let span = Self.pause(wasTrusted ? Self.began : nil).span(at: now, boot: "boot-2", isTrusted: isTrusted)
        #expect(span == MonotonicTime.zero..<MonotonicTime(nanoseconds: (30 + left) * 1_000_000_000))
    }

    @Test func theLogKnowsOneThatIsNotOver() async throws {
        let database = try StudyDatabase(.memory)
        let kernel = AnchorRecord(
            ClockAnchor(
                monotonic: .zero, instant: Instant(seconds: 1_800_000_000), source: .kernel,
                uncertainty: .milliseconds(5)))
        func append(_ event: StudyEvent, _ second: Int64, _ enrolment: String = "e1") async throws {
            try await database.append([event], at: Fixture.stamp(second, enrolment: enrolment))
        }
        try await append(.anchored(anchor: kernel), 1)
        #expect(try await database.sensorPause(of: "e1") == nil)
        try await append(.sensorsPaused(at: MonotonicTime(nanoseconds: 100_000_000_000), seconds: 1_800), 100)
        #expect(try await database.sensorPause(of: "e1") == Self.pause())
        // Of somebody else.
        #expect(try await database.sensorPause(of: "e2") == nil)
        try await append(.sensorsResumed(at: MonotonicTime(nanoseconds: 300_000_000_000), byHand: true), 300)
        #expect(try await database.sensorPause(of: "e1") == nil)
        try await append(.sensorsPaused(at: MonotonicTime(nanoseconds: 400_000_000_000), seconds: 60), 400)
        #expect(try await database.sensorPause(of: "e1")?.length == .seconds(60))
    }
}
