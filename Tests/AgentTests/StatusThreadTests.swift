// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit
import Testing

@testable import Agent

/// Who did the work is the kernel's word: CLOCK_THREAD_CPUTIME_ID (clock_gettime(2)) of the
/// store's own thread.
@Suite(.timeLimit(.minutes(10))) struct StatusThreadTests {
    private static func time() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// A study that takes some time to read and to plan: thousands of days at a dozen times, and
    /// questions in thousands of words.
    private static func study() throws -> LoadedStudy {
        let question =
            #"{"id":"q%","type":"yesno","text":"\#(String(repeating: "word ", count: 40))","required":true,"yes_text":"Yes","no_text":"No"}"#
        let questions = (0..<4000).map { question.replacing("%", with: "\($0)") }.joined(separator: ",")
        return try LoadedStudy(
            AgentFixture.protocolText(days: 3000, times: (6..<18).map { ($0, 0) }, questions: questions),
            origin: "large.json")
    }

    @Test func readingAStudyAndPlanningItHoldUpNoCommit() async throws {
        let database = try StudyDatabase(.memory)
        let loaded = try Self.study()
        let context = try AgentFixture.context(loaded.study)
        let record = EnrolmentRecord(
            context.enrolment, platform: loaded.study.platform, source: "large.json",
            fileDigest: try await database.keepStudyFile(
                loaded.bytes, source: "large.json", at: context.enrolment.instant),
            postURL: nil)
        let stamps = EventClock(clock: SystemClock(), bootID: "boot", zone: context.zone)
        let before = Self.time()
        _ = try LoadedStudy(loaded.bytes, origin: "large.json")
        for task in loaded.study.tasks { _ = task.schedule.occurrences(of: task, in: context) }
        let work = Self.time() - before
        let idle = await database.threadTime()
        let read = try await database.loadedStudy(record)
        let runs = try await database.taskRuns(in: loaded.study, of: context.enrolment, stamps)
        let busy = await database.threadTime() - idle
        #expect(read?.study.studyID == loaded.study.studyID && (runs.first?.runs.count ?? 0) > 1_000)
        #expect(work > 0.05 && busy < work / 4, "the store's thread worked for \(busy) s of \(work) s")
    }
}

extension StudyDatabase {
    /// What the store's thread has worked so far, in seconds.
    fileprivate func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
