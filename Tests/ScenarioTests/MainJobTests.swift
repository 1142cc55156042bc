// SPDX-License-Identifier: Apache-2.0
import Glibc
import Patience
import Testing

/// What the device is for: a study from a URL, a prompt answered by presses, recordings, all
/// of it delivered.
@Suite struct MainJobTests {
    @Test(.timeLimit(.minutes(20))) func promptIsAnsweredAndEverythingArrives() async throws {
        try await Stage.with { stage in
            let receiver = try await LabReceiver(stage)
            try stage.configure(recordings: receiver.address + "/files")
            try stage.board(
                .init(
                    participant: #"{"latency":"0s","answers":{"level":[3,8],"where":"Kitchen","alone":true}}"#,
                    wishes: ["pain"]))
            let agent = try await stage.agent()
            #expect(try await stage.status()["study"] == .null)
            try receiver.serve([
                LabStudy.always("pain", question: "level"),
                LabStudy.soon(
                    "moment", minutes: 5,
                    questions: [
                        LabStudy.choice("where", ["Garden", "Kitchen", "Street"]), LabStudy.yesNo("alone"),
                    ]),
            ])
            let enrolled = try await stage.studyd("enroll", receiver.studyURL, "--participant", "P017", "--seed", "1")
            #expect(enrolled.code == 0 && enrolled.output.contains("participant P017 in study SCENARIO"))

            // The wish is one, the prompt, which falls due at the next full minute, the other.
            try await eventually("a prompt is answered") {
                try await stage.status()["ledger"]["occurrences"]["completed"].int > 1
            }
            let answers = try await eventually("both answers arrive") {
                let answers = try await receiver.answers()
                return answers.count >= 2 ? answers : nil
            }
            let level = try #require(answers.first { $0["fields"]["module_name"].text == "pain" })
            #expect(level["fields"]["user_id"].text == "P017" && level.responses["level"] == .number(3))
            let moment = try #require(answers.first { $0["fields"]["module_name"].text == "moment" })
            #expect(moment.responses["where"] == .string("Kitchen") && moment["warnings"].list.isEmpty)
            #expect(try await !receiver.logs("home", "enrol").isEmpty)

            try await everyMeasureArrives(receiver)
            try await commandsAgree(stage)
            try await agent.stop()
            try await stage.expectWhole()
            #expect(try await receiver.get("/api/refusals").list.isEmpty)
        }
    }

    /// A file of each measure, and its description, as the device has them.
    private func everyMeasureArrives(_ receiver: LabReceiver) async throws {
        let files = try await eventually("all four kinds of recordings arrive") {
            let files = try await receiver.files()
            let kinds = Set(files.map { $0["metadata"]["measure"].text })
            return kinds.isSuperset(of: Stage.allMeasures) ? files : nil
        }
        for file in files {
            #expect(file["metadata"]["participant"].text == "P017" && file["sha256"] == file["announcedSHA256"])
        }
    }

    private func commandsAgree(_ stage: Stage) async throws {
        let list = try await stage.studyd("recordings", "list").output
        for measure in Stage.allMeasures { #expect(list.contains(measure)) }
        #expect(list.contains("delivered"))
        let history = try await stage.studyd("history")
        #expect(history.code == 0 && history.output.contains("3"), "\(history)")
        let study = try await stage.studyd("study").output
        #expect(study.contains("P017") && study.contains("study@example.org") && study.contains("approved"))
    }
}

extension Stage {
    /// The ledger comes out even, the chain is whole, and every sealed recording is as its
    /// description says.
    func expectWhole(_ comment: Comment = "") async throws {
        let status = try await status()
        #expect(status["ledger"]["balanced"].isTrue, "\(comment) \(status["ledger"])")
        let chain = try await studyd("verify-log")
        #expect(chain.code == 0 && chain.output.contains("intact"), "\(comment) \(chain)")
        let sealed = Files.names(state + "/recordings").filter {
            // The compressed copy of an upload that did not come to its end lies there
            // until the next start.
            !$0.hasSuffix(".json") && !$0.contains(".open") && !$0.hasSuffix(".tmp") && $0 != "next-number"
        }
        // A running agent's journal is no recording.
        for name in sealed.filter({ !$0.contains(".partial") && !$0.hasPrefix("journal-") }) {
            let verdict = try start([Programs.studyd, "recordings", "verify", "\(self.state)/recordings/\(name)"])
            #expect(try await verdict.ended() == 0, "\(comment) \(verdict.output) \(verdict.errors)")
        }
    }
}
