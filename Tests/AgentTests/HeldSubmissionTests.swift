// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Agent
@testable import Study

/// Files between recorder and submission, by the core's own clock: which commit they are in, and
/// what becomes of those that no submission names.
@Suite struct HeldSubmissionTests {
    private static let start = Instant(seconds: 1_800_000_000)

    private static func reading(_ seconds: Double) -> ClockReading {
        let monotonic = MonotonicTime(nanoseconds: Int64(seconds * 1e9))
        let moment = Moment(instant: start + .nanoseconds(Int64(seconds * 1e9)), monotonic: monotonic)
        let anchor = ClockAnchor(
            monotonic: monotonic, instant: moment.instant, source: .simulated, uncertainty: .milliseconds(1))
        return ClockReading(moment: moment, anchor: anchor, record: AnchorRecord(anchor), isGood: true)
    }

    private static let occurrence = Occurrence(
        id: "diary/1", task: "diary", taskIndex: 0, number: 1, local: LocalDateTime(start, offset: 0), due: start,
        expires: start + .seconds(600), resolution: .unique)

    private static func enrolment() throws -> EnrolmentRecord {
        let enrolment = Enrolment(
            id: "e1", studyID: "S", participant: ParticipantID("ABC23456"), condition: nil, instant: start,
            local: LocalDateTime(start, offset: 0), seed: [UInt8](repeating: 1, count: 32))
        return EnrolmentRecord(
            enrolment, platform: PlatformName(rawValue: "schema"), source: "s.json", fileDigest: try Digest(of: []))
    }

    /// A core with the submission of a spoken answer that waits for its file since second 0.
    private static func waiting() throws -> StudyCore {
        var core = StudyCore(StudyCore.Setting(bootID: "b", zone: .utc, digest: Digest.sha256))
        _ = core.handle(.tick, at: reading(0))
        let submission = Submission(
            task: "diary", occurrence: occurrence, order: ["words"], answers: ["words": .recording("m1")], drawn: [],
            submitted: start)
        var row = StudyCommit()
        row.events = [.submitted(task: "diary", opening: 1, submission: SubmissionRecord(submission))]
        core.hold(row, of: submission, at: reading(0).moment)
        return core
    }

    private static func commits(_ effects: [CoreEffect]) -> [(hasSubmission: Bool, files: [Int])] {
        effects.compactMap { effect in
            guard case .commit(let row, _) = effect, !row.isEmpty else { return nil }
            return (row.hasSubmission, row.files.flatMap(\.recordings).map(\.number))
        }
    }

    /// The file is in the very commit of its answer while that still waits; afterwards it has a
    /// separate one. Patience is eight seconds.
    @Test(arguments: [(0.5, true), (1, true), (7.9, true), (8, false), (9, false)])
    func aFileSealedLaterIsInTheCommitOfItsAnswerWithinPatience(seconds: Double, isTogether: Bool) throws {
        var core = try Self.waiting()
        var seen: [(hasSubmission: Bool, files: [Int])] = []
        // The loop looks around in between.
        for tick in stride(from: 0.25, to: seconds, by: 0.25) {
            seen += Self.commits(core.handle(.tick, at: Self.reading(tick)))
        }
        #expect(seen.isEmpty == (seconds <= 8))
        let news = RecorderNews.memo("m1", .memo(7, "m1"))
        let ends = seen + Self.commits(core.handle(.recorder(news, of: nil), at: Self.reading(seconds)))
        if isTogether {
            #expect(ends.map(\.hasSubmission) == [true] && ends.map(\.files) == [[7]])
        } else {
            #expect(ends.map(\.hasSubmission) == [true, false] && ends.map(\.files) == [[], [7]])
        }
        #expect(Self.commits(core.handle(.tick, at: Self.reading(20))).isEmpty, "each is committed once")
    }

    /// A stamp says when something happened, not when it was committed.
    @Test func whatWaitsKeepsItsMoment() throws {
        var core = try Self.waiting()
        #expect(Self.commits(core.handle(.noted([.listOpened]), at: Self.reading(1))).isEmpty)
        let stamps = core.handle(.tick, at: Self.reading(9)).compactMap { effect -> EventStamp? in
            if case .commit(_, let stamp) = effect { stamp } else { nil }
        }
        let moments = [Self.reading(0).moment, Self.reading(1).moment]
        #expect(stamps.map(\.wall) == moments.map(\.instant))
        #expect(stamps.map(\.monotonic) == moments.map(\.monotonic))
    }

    @Test func nobodyWaitsForAMemoThatFailedAndNothingIsCommittedTwice() throws {
        var core = try Self.waiting()
        let ends = Self.commits(core.handle(.recorder(.memoFailed("m1"), of: nil), at: Self.reading(1)))
        #expect(ends.map(\.hasSubmission) == [true] && ends.map(\.files) == [[]])
        #expect(Self.commits(core.handle(.tick, at: Self.reading(9))).isEmpty)
        // It was not owed any more: sealed late, it is not sent.
        let late = core.handle(.recorder(.memo("m1", .memo(7, "m1")), of: nil), at: Self.reading(10))
        #expect(Self.commits(late).isEmpty)
    }

    /// It is for those who run the study: operators see it at once, and it is a row of the log.
    @Test func aRemarkOfAQuestionIsLogged() throws {
        var core = StudyCore(StudyCore.Setting(bootID: "b", zone: .utc, digest: Digest.sha256))
        _ = core.handle(.tick, at: Self.reading(0))
        var row = StudyCommit()
        core.perform(.device(.remark("question q: too long")), adding: &row)
        #expect(row.events == [.fault(place: "study", message: "question q: too long")])
        let effects = core.handle(.tick, at: Self.reading(1))
        #expect(effects.contains { if case .remark("study", "question q: too long") = $0 { true } else { false } })
    }

    @Test func theCoreWakesWhenPatienceEnds() throws {
        let core = try Self.waiting()
        #expect(core.wake(at: Self.reading(0).moment) == Self.reading(8).moment.monotonic)
    }

    /// A participant takes a spoken answer back, or leaves the question, and the power goes: what
    /// was not submitted must not be heard.
    @Test(arguments: [
        (["m1"], true, true), (["m2"], true, false), ([], true, false), (["m1"], false, false), ([], false, false),
    ])
    func aSpokenAnswerFoundAtAStartIsKeptOnlyWhereASubmissionNamesIt(
        named: [String], isEnrolled: Bool, isKept: Bool
    ) throws {
        var core = StudyCore(StudyCore.Setting(bootID: "b", zone: .utc, digest: Digest.sha256))
        _ = core.handle(.tick, at: Self.reading(0))
        var knowledge = RunKnowledge(latest: isEnrolled ? try Self.enrolment() : nil, resumed: nil)
        knowledge.named = Set(named)
        let effects = core.handle(.found([.memo(7, "m1")], knowledge), at: Self.reading(1))
        let discarded = effects.compactMap { effect -> Int? in
            if case .discard(let recording) = effect { recording.number } else { nil }
        }
        #expect(Self.commits(effects).flatMap(\.files) == (isKept ? [7] : []))
        #expect(discarded == (isKept ? [] : [7]))
    }

    /// What a task recorded before the power went: of a run that was submitted it is kept, of one
    /// that goes on it waits with it, of every other it is deleted.
    @Test(
        arguments: [
            ("e1-1", ["diary/1"], nil, [7], []), ("e1-1", ["diary/2", "walk/1"], nil, [], [7]),
            ("e1-1", [], nil, [], [7]),
            ("e2-1", ["diary/1"], nil, [], [7]), ("e11-1", ["diary/1"], nil, [], [7]), ("e1-1", [], "e1-1", [], []),
            ("e1-1", [], "e1-2", [], [7]), ("e1-12", ["diary/12"], nil, [7], []),
        ] as [(String, Set<String>, String?, [Int], [Int])])
    func aRecordingFoundAtAStartIsKeptOnlyWhereItsRunWasSubmitted(
        run: String, submitted: Set<String>, resumed: String?, kept: [Int], discarded: [Int]
    ) throws {
        for isEnrolled in [true, false] {
            var core = StudyCore(StudyCore.Setting(bootID: "b", zone: .utc, digest: Digest.sha256))
            _ = core.handle(.tick, at: Self.reading(0))
            var knowledge = RunKnowledge(latest: isEnrolled ? try Self.enrolment() : nil, resumed: resumed)
            knowledge.submitted = submitted
            let file = PendingRecordingsTests.file(7, run: run, task: "diary")
            let effects = core.handle(.found([file], knowledge), at: Self.reading(1))
            let gone = effects.compactMap { effect -> Int? in
                if case .discard(let recording) = effect { recording.number } else { nil }
            }
            #expect(Self.commits(effects).flatMap(\.files) == (isEnrolled ? kept : []))
            #expect(gone == (isEnrolled ? discarded : []))
        }
    }

    /// A run that goes on after a restart is submitted with what it recorded before; what is sealed of it
    /// later is owed to it, also where the log, which may be behind, says that the run goes on.
    @Test(arguments: [nil, "e1-1"]) func whatARunRecordedBeforeARestartIsInTheCommitOfItsSubmission(
        lateResumed: String?
    ) throws {
        var core = StudyCore(StudyCore.Setting(bootID: "b", zone: .utc, digest: Digest.sha256))
        _ = core.handle(.tick, at: Self.reading(0))
        func find(_ number: Int, resumed: String?, at second: Double) throws -> [CoreEffect] {
            let knowledge = RunKnowledge(latest: try Self.enrolment(), resumed: resumed)
            let file = PendingRecordingsTests.file(number, run: "e1-1", task: "diary")
            return core.handle(.found([file], knowledge), at: Self.reading(second))
        }
        let found = try find(7, resumed: "e1-1", at: 1)
        #expect(Self.commits(found).isEmpty)
        let submission = Submission(
            task: "diary", occurrence: Self.occurrence, order: [], answers: [:], drawn: [], submitted: Self.start,
            course: RunCourse(id: "e1-1", began: Self.start, ended: Self.start, visits: [], recorded: []))
        var row = StudyCommit()
        row.events = [.submitted(task: "diary", opening: 1, submission: SubmissionRecord(submission))]
        core.hold(row, of: submission, at: Self.reading(2).moment)
        let ends = Self.commits(core.handle(.tick, at: Self.reading(3)))
        #expect(ends.map(\.hasSubmission) == [true] && ends.map(\.files) == [[7]])
        let late = try find(8, resumed: lateResumed, at: 4)
        #expect(Self.commits(late).map(\.files) == [[8]])
        #expect(!late.contains { if case .discard = $0 { true } else { false } })
    }
}
