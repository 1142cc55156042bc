// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import Agent

@Suite struct StudyVerdictTests {
    private static let read = #"{"id":"read","type":"instruction","text":"Read."}"#
    private static let again = #"{"id":"again","type":"instruction","text":"Read it again."}"#
    private static let alone =
        #"{"id":"alone","type":"yesno","text":"Alone?","required":true,"yes_text":"Yes","no_text":"No"}"#

    @Test(arguments: [
        ([read], "no questions; 1 instruction", "instructions"),
        ([alone], "1 question, which can be asked on this board", "instruction"),
        ([alone, read], "1 question, which can be asked on this board; 1 instruction", "instructions"),
        ([AgentFixture.yesNo], "2 questions, all can be asked on this board", "instruction"),
        ([read, AgentFixture.yesNo, again], "2 questions, all can be asked on this board; 2 instructions", "refused"),
    ])
    func itsSummaryCountsQuestionsAndInstructions(steps: [String], beginning: String, absent: String) throws {
        let text = AgentFixture.protocolText(
            days: 1, times: [(10, 0)], questions: steps.joined(separator: ","))
        let study = try LoadedStudy(text, origin: "study.json").study
        let verdict = StudyVerdict(study, on: try AgentFixture.panel(["a", "b", "c"]))
        #expect(verdict.summary.hasPrefix(beginning) && !verdict.summary.contains(absent), "\(verdict.summary)")
        #expect(!verdict.isRefused && verdict.refusals.isEmpty)
    }

    /// `DeviceName.longest` of the lab's receiver.
    @Test(arguments: [(200, false), (201, true)])
    func anIDThatTheReceiverNeverTakesIsAWarning(_ length: Int, _ isWarned: Bool) throws {
        let text = String(decoding: AgentFixture.protocolText(days: 1, times: [(10, 0)]), as: UTF8.self)
            .replacing("GENERATED", with: String(repeating: "x", count: length))
        let study = try LoadedStudy(Array(text.utf8), origin: "study.json").study
        let remarks = StudyVerdict(study, on: try AgentFixture.panel(["a"])).remarks
        #expect(remarks.contains { $0.kind == .warning && $0.message.contains("200 characters") } == isWarned)
    }
}
