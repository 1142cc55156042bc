// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization
import Testing

@testable import Agent

/// A clock that holds its reader up for a second between the first two readings.
private final class HeldUpClock: StudyClock {
    private let readings = Mutex(0)
    private static let start: Int64 = 1_800_000_000_000_000_000

    var now: Instant { Instant(nanoseconds: Self.start + monotonic.nanoseconds) }
    var monotonic: MonotonicTime {
        readings.withLock { count in
            count += 1
            return MonotonicTime(nanoseconds: Int64(count) * 1_000_000 + (count > 1 ? 1_000_000_000 : 0))
        }
    }
    var marks: ClockMarks { ClockMarks() }
    func sleep(until deadline: MonotonicTime) async throws {}
}

@Suite struct EventClockTests {
    @Test func aThreadThatIsHeldUpBetweenTheReadingsReadsAgain() {
        let moment = EventClock(clock: HeldUpClock(), bootID: "boot", zone: .utc).moment
        let offset = moment.instant.nanoseconds - moment.monotonic.nanoseconds
        #expect(abs(offset - 1_800_000_000_000_000_000) < 5_000_000)
    }

    /// A file would end with the next look, which shows its times to be half a second off.
    @Test func anAnchorIsReadAgainToo() {
        let anchor = ClockTrust { (.kernel, .milliseconds(2)) }.anchor(HeldUpClock())
        let offset = anchor.instant.nanoseconds - anchor.monotonic.nanoseconds
        #expect(abs(offset - 1_800_000_000_000_000_000) < 5_000_000)
        #expect(anchor.uncertainty == .milliseconds(4), "the look took two of them")
    }

    @Test func aStampCarriesBothClocksBootOffsetAndEnrolment() {
        let zone = Zone(fixed: 3600, identifier: "X", abbreviation: "X")
        let stamp = EventClock(clock: HeldUpClock(), bootID: "boot", zone: zone).stamp("e1")
        #expect(stamp.bootID == "boot")
        #expect(stamp.zoneOffset == 3600)
        #expect(stamp.enrolment == "e1")
    }
}
