// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct ClockAnchorTests {
    @Test func timesOfTheBootBecomeUTCAndBack() {
        let anchor = ClockAnchor(
            monotonic: MonotonicTime(nanoseconds: 60_000_000_000), instant: Instant(seconds: 1_800_000_000),
            source: .kernel,
            uncertainty: .milliseconds(20))
        let press = MonotonicTime(nanoseconds: 59_000_000_000)
        #expect(anchor.instant(at: press) == Instant(seconds: 1_799_999_999))
        #expect(anchor.monotonic(at: anchor.instant(at: press)) == press)
    }

    @Test func onlyAnAnchorThatSomebodyVouchesForIsTrusted() {
        let trusted = ClockAnchor.Source.allCases.filter {
            ClockAnchor(monotonic: .zero, instant: .epoch, source: $0, uncertainty: .zero).isTrusted
        }
        #expect(trusted == [.rtc, .kernel, .gps, .vouched, .simulated])
    }
}
