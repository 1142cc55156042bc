// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

private let subject = CheckSubject(.clock, "x")

@Suite struct ClockVerdictTests {
    private static func finding(_ source: ClockAnchor.Source, year: Int64 = 2026, hasRTC: Bool = false) -> CheckFinding
    {
        let instant = Instant(seconds: (year - 1970) * 31_557_600 + 86_400 * 200)
        let anchor = ClockAnchor(monotonic: .zero, instant: instant, source: source, uncertainty: .microseconds(1500))
        return ClockVerdict(anchor: anchor, hasRTC: hasRTC, hasReceiver: true).finding(subject)
    }

    @Test func aSynchronisedClockHasAnError() {
        let found = Self.finding(.kernel, hasRTC: true)
        #expect(found.result == .ok && found.detail.contains("at most 1.5 ms off, battery-backed clock present"))
    }

    @Test func theConfigurationsWordForTheClockIsAMinuteOff() {
        let anchor = ClockAnchor(
            monotonic: .zero, instant: Instant(seconds: 1_795_255_200), source: .vouched, uncertainty: .seconds(60))
        let found = ClockVerdict(anchor: anchor, hasRTC: false, hasReceiver: false).finding(subject)
        #expect(found.result == .ok && found.detail.contains("(trust_system), assumed at most 60 s off"))
    }

    @Test func aTimeThatIsCarriedOnIsNamedAsThat() {
        let anchor = ClockAnchor(
            monotonic: .zero, instant: Instant(seconds: 1_795_255_200), source: .kernel, uncertainty: .seconds(5),
            carried: .seconds(50_000))
        let found = ClockVerdict(anchor: anchor, hasRTC: false, hasReceiver: false).finding(subject)
        #expect(found.result == .ok && found.detail.contains("free-running for 13h53m20s since the last trusted time"))
    }

    @Test func nobodysClockIsAWarningAndAnOldOneFails() {
        let found = Self.finding(.unknown)
        #expect(found.result == .warning && found.remedy?.hasPrefix("wait for a GPS fix, or connect") == true)
        #expect(Self.finding(.rtc, year: 1970).result == .failed)
    }
}
