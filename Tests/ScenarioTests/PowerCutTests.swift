// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// The agent dies without a word, at the worst moments, and is started again.
@Suite struct PowerCutTests {
    @Test(.timeLimit(.minutes(20))) func nothingAcknowledgedIsLost() async throws {
        try await Stage.with { stage in
            let receiver = try await LabReceiver(stage)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            try stage.configure(recordings: receiver.address + "/files", rotate: "10m")
            try stage.board(.init(wishes: Array(repeating: "pain", count: 40)))
            let enrolled = try await stage.studyd("enroll", receiver.studyURL, "--participant", "P9", "--seed", "3")
            #expect(enrolled.code == 0, "\(enrolled)")

            var submitted = 0
            for moment in Moment.allCases {
                let agent = try await stage.agent()
                try await moment.reached(stage, receiver, submittedBefore: submitted)
                let before = try await stage.status()
                try await agent.kill9()
                try await stage.expectWhole("\(moment)")
                let after = try await stage.submissions()
                #expect(after >= Stage.submissions(before), "\(moment)")
                submitted = after
            }
            try await everythingArrives(stage, receiver, atLeast: submitted)
        }
    }

    /// The name of the description beside an uploaded recording.
    private static func description(of file: JSON) -> String {
        (file["name"].text.split(separator: ".").first ?? "") + ".json"
    }

    private enum Moment: String, CaseIterable {
        case recording, inARun, rightAfterASubmission

        func reached(_ stage: Stage, _ receiver: LabReceiver, submittedBefore: Int) async throws {
            let entries = try await receiver.logs("survey", "entry").count
            try await eventually("the moment: \(rawValue)") {
                switch self {
                case .recording:
                    // What a file begins with goes to the disk after a second, whole units every ten
                    // seconds, then into the journal.
                    let names = Files.names(stage.state + "/recordings")
                    let partial = names.filter { $0.hasSuffix(".partial") }
                    return partial.count == 4 && names.contains { $0.hasPrefix("journal-") }
                        && partial.allSatisfy { !Files.text("\(stage.state)/recordings/\($0)").isEmpty }
                // Opening a task is reported at once; the answer takes seconds more.
                case .inARun: return try await receiver.logs("survey", "entry").count > entries
                case .rightAfterASubmission: return try await stage.submissions() > submittedBefore
                }
            }
        }
    }

    /// The last start ends in order, with nothing left to send; the receiver has each
    /// submission once.
    private func everythingArrives(_ stage: Stage, _ receiver: LabReceiver, atLeast submitted: Int) async throws {
        try stage.board()
        let agent = try await stage.agent()
        let count = try await stage.submissions()
        #expect(count >= submitted && count > 0)
        try await eventually("each submission arrives, and each recovered recording") {
            let items = try await stage.status()["ledger"]["items"]
            return try await receiver.answers().count == count && items["waiting"].int + items["sending"].int == 0
        }
        let list = try await stage.studyd("recordings", "list").output
        for measure in Stage.allMeasures { #expect(list.contains(measure), "\(list)") }
        let recovered = try await receiver.files().filter { file in
            let description = try? JSON(parsing: Files.text("\(stage.state)/recordings/\(Self.description(of: file))"))
            return file["metadata"]["participant"].text == "P9" && description?["isRecovered"].isTrue ?? false
        }
        #expect(Set(recovered.map { $0["metadata"]["measure"].text }) == Set(Stage.allMeasures), "\(recovered)")
        try await agent.stop()
        try await stage.expectWhole()
        let records = try await receiver.records()
        let answers = records.filter { $0["kind"].text == "survey_response" }
        #expect(try await receiver.answers().count == count)
        // One request may be under way at each power cut, and comes again: schema has no
        // receipt to tell.
        #expect(records.count { $0["duplicateOf"] != .null } <= 3, "\(answers.count) of \(count)")
        #expect(try await receiver.get("/api/refusals").list.isEmpty)
    }
}
