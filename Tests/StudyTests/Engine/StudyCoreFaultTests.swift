// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Study

/// Without an enrolment there is no panel: the light alone shows what is wrong.
struct StudyCoreFaultTests {
    private static func reading(_ seconds: Int) -> ClockReading {
        let moment = Moment(
            instant: Instant(seconds: 1_800_000_000) + .seconds(seconds), monotonic: .zero + .seconds(seconds))
        let anchor = ClockAnchor(
            monotonic: moment.monotonic, instant: moment.instant, source: .simulated, uncertainty: .milliseconds(1))
        return ClockReading(moment: moment, anchor: anchor, record: AnchorRecord(anchor), isGood: true)
    }

    private static func shown(_ effects: [CoreEffect]) -> [String] {
        effects.compactMap {
            if case .showFault(let fault, let isNew) = $0 { isNew ? "new: \(fault)" : fault } else { nil }
        }
    }

    @Test func aFaultIsNewUntilItWasShown() {
        var core = StudyCore(StudyCore.Setting(bootID: "b", zone: .utc, digest: Digest.sha256))
        let faults = ["disk", "disk", nil, "disk", "i2c-1", "disk"]
        let shown = faults.enumerated().flatMap { second, fault in
            Self.shown(core.handle(.fault(fault, ofAgent: false), at: Self.reading(second)))
        }
        #expect(shown == ["new: disk", "disk", "disk", "new: i2c-1", "new: disk"])
    }

    /// That no one takes part is a sign of life, every ten seconds, once the log was asked.
    @Test func withoutAFaultTheLightSaysThatNoOneTakesPart() {
        var core = StudyCore(StudyCore.Setting(bootID: "b", zone: .utc, digest: Digest.sha256))
        let words = DeviceCondition.notEnrolled.phrase.text(in: .english)
        func look(_ event: CoreEvent, _ second: Int) -> [String] {
            Self.shown(core.handle(event, at: Self.reading(second)))
        }
        #expect(look(.fault(nil, ofAgent: false), 0).isEmpty)
        _ = look(.entered(StudyEntry()), 1)
        _ = look(.fault(nil, ofAgent: false), 20)
        let told = [21, 29, 30, 31].map { look(.fault(nil, ofAgent: false), $0) }
        #expect(told == [[], [], [words], []])
    }
}
