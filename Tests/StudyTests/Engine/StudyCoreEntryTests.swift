// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Study

/// What becomes of what an earlier start left open.
struct StudyCoreEntryTests {
    private static func file(_ number: Int, memo: String? = nil, run: String? = nil) -> SealedRecording {
        var description = RecordingDescription(fileName: "\(number)", contentType: "text/csv", countedUnit: .samples)
        description.identifier = memo.map { VoiceMemo.prefix + $0 } ?? "motion"
        description.task = run.map { .init(task: "walk", run: $0, step: "s", recorders: ["motion"]) }
        return SealedRecording(
            number: number, path: "\(number)", descriptionPath: "\(number).json", description: description)
    }

    /// A spoken answer that a submission names and a file of a submitted run go into the log; one of the run that
    /// goes on waits for its end. Of a participant who left for good nothing is sent or stays on the disk.
    @Test(arguments: [false, true]) func aFileIsKeptWhereItsAnswerOrItsRunIs(hasLeft: Bool) throws {
        let files = [
            Self.file(1, memo: "named"), Self.file(2, memo: "other"), Self.file(3, run: "e-1"),
            Self.file(4, run: "e-2"), Self.file(5, run: "e-3"), Self.file(6, run: "f-1"),
        ]
        let latest = EnrolmentRecord(
            Sample.enrolment(), platform: PlatformName(rawValue: "schema"), source: "study.json",
            fileDigest: try Digest(of: []))
        var knowledge = RunKnowledge(latest: latest, resumed: "e-2")
        (knowledge.named, knowledge.submitted) = (["named"], ["walk/1"])
        let moment = Moment(instant: Instant(seconds: 1_800_000_000), monotonic: .zero)
        let anchor = ClockAnchor(
            monotonic: moment.monotonic, instant: moment.instant, source: .simulated, uncertainty: .milliseconds(1))
        let reading = ClockReading(moment: moment, anchor: anchor, record: AnchorRecord(anchor), isGood: true)
        var core = StudyCore(StudyCore.Setting(bootID: "b", zone: .utc, digest: Digest.sha256))
        if hasLeft { _ = core.handle(.left(forGood: "e"), at: reading) }
        var (kept, discarded): ([Int], [Int]) = ([], [])
        for effect in core.handle(.found(files, knowledge), at: reading) {
            switch effect {
            case .commit(let row, _):
                kept += row.files.flatMap { $0.recordings.map(\.number) }
                #expect(row.files.allSatisfy { $0.isRemoved == hasLeft && $0.isToBeSent != hasLeft })
            case .discard(let file): discarded.append(file.number)
            default: break
            }
        }
        #expect(kept == [1, 3])
        #expect(discarded == (hasLeft ? [1, 2, 3, 5, 6] : [2, 5, 6]))
    }

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
                rows: hasProgress ? [(step: nil, values: ["kicks": 1], stamp: stamp)] : [])
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

    /// Rows of old logs name no step.
    @Test func rowsOfProgressAreThoseOfTheirStep() {
        let moment = Moment(instant: Instant(seconds: 1_800_000_000), monotonic: .zero)
        let stamp = EventStamp(
            wall: moment.instant, monotonic: moment.monotonic, bootID: "b", zoneOffset: 0, enrolment: "e")
        let steps = [nil, "a", "b", "a"]
        let rows = steps.enumerated().map { (step: $1, values: ["n": Double($0)], stamp: stamp) }
        let progress = BrokenPerformance.all(rows, at: moment, boot: "b", isTrusted: true)
        #expect(progress.mapValues(\.rows) == ["": [["n": 0]], "a": [["n": 1], ["n": 3]], "b": [["n": 2]]])
    }
}
