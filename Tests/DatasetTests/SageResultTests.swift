// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Dataset

struct SageResultTests {
    private static func items(_ history: String) throws -> [String: String] {
        let path = "/tmp/studyd-sage-\(getpid())-\(UInt32.random(in: 0 ... .max)).zip"
        defer { unlink(path) }
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1], "w") as archive:
                archive.writestr("assessmentResult.json", sys.argv[2])
            """
        let result = """
            {"identifier":"t","startDate":"2026-11-25T09:00:00.000+01:00","endDate":"2026-11-25T09:01:00.000+01:00",
            "stepHistory":\(history)}
            """
        try #require(DatasetProgram.run(["python3", "-c", script, path, result]) != nil)
        let zip = try #require(ZipReader(try BoundedFile.read(path)))
        let submission = try #require(SageResult.submission(in: zip, id: "1", received: .epoch))
        return Dictionary(uniqueKeysWithValues: submission.answers.map { ($0.item, $0.value) })
    }

    /// The children of MotorControl's choice of a hand (f303936, `MCTHandSelectionStepObject.swift`): a report has the
    /// presses by the step's key alone.
    @Test(arguments: ["handSelection", "hands"]) func aChoiceOfAHandIsCalledByItsStep(step: String) throws {
        let hands = """
            {"type":"collection","identifier":"\(step)","children":[
            {"type":"answer","identifier":"handSelection","value":"left"},
            {"type":"answer","identifier":"handOrder","value":["left"]}]}
            """
        #expect(try Self.items("[\(hands)]") == [step: "left", "\(step)_handOrder": "[\"left\"]"])
        let inSection = #"[{"type":"section","identifier":"s","stepHistory":[\#(hands)]}]"#
        #expect(try Self.items(inSection) == ["s_\(step)": "left", "s_\(step)_handOrder": "[\"left\"]"])
    }

    /// MotorControl 2 asks for the hand with a plain question.
    @Test func aQuestionOfThatNameKeepsIt() throws {
        let asked = #"{"type":"answer","identifier":"handSelection","value":"left"}"#
        #expect(try Self.items("[\(asked)]") == ["handSelection": "left"])
        #expect(
            try Self.items(#"[{"type":"section","identifier":"s","stepHistory":[\#(asked)]}]"#)
                == ["s_handSelection": "left"])
    }
}
