// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Study

/// What becomes of what an earlier start left open.
struct StudyCoreEntryTests {
    /// The first run with rows of progress goes on; the log says of each other that it was left, in their order.
    @Test(
        arguments: [
            ([], []), ([false], [1]), ([true], []), ([true, true], [2]), ([true, false], [2]), ([false, true], [1]),
            ([false, true, true, false], [1, 3, 4]),
        ] as [([Bool], [Int])])
    func ofOpenRunsTheFirstWithProgressGoesOn(hasProgress: [Bool], left: [Int]) {
        let moment = Moment(instant: Instant(seconds: 1_800_000_000), monotonic: .zero)
        let anchor = ClockAnchor(
            monotonic: moment.monotonic, instant: moment.instant, source: .simulated, uncertainty: .milliseconds(1))
        let stamp = EventStamp(
            wall: moment.instant, monotonic: moment.monotonic, bootID: "before", zoneOffset: 0, enrolment: "e")
        var entry = StudyEntry()
        entry.openRuns = hasProgress.enumerated().map { index, hasProgress in
            LeftRun(
                task: "kick", opening: index + 1, occurrence: nil,
                rows: hasProgress ? [(values: ["kicks": 1], stamp: stamp)] : [])
        }
        var core = StudyCore(StudyCore.Setting(bootID: "b", zone: .utc, digest: Digest.sha256))
        let effects = core.handle(
            .entered(entry),
            at: ClockReading(moment: moment, anchor: anchor, record: AnchorRecord(anchor), isGood: true))
        let events = effects.flatMap { effect -> [StudyEvent] in
            if case .commit(let row, _) = effect { row.events } else { [] }
        }
        let openings = events.compactMap { event -> Int? in
            if case .runLeft("kick", let opening) = event { opening } else { nil }
        }
        #expect(openings == left)
    }
}
