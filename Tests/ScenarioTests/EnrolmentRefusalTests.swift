// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// What must not be enrolled is refused with path and reason, and changes nothing.
@Suite struct EnrolmentRefusalTests {
    /// A study that is wrong in one way, and what the refusal must say.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: @Sendable () -> String
        let says: [String]
    }

    static let wrongs = [
        Wrong(
            testDescription: "a page to log in", text: { "<html>log in</html>" },
            says: ["is a web page", "use the address"]),
        Wrong(testDescription: "not JSON", text: { "log in" }, says: ["line 1"]),
        Wrong(
            testDescription: "a choice without its options, and a scale without its end",
            text: {
                LabStudy(modules: [
                    LabStudy.module(
                        "m", sticky: true, times: [(0, 0)], offset: -1, graph: nil,
                        questions: [#"{"id":"a","type":"multi"}"#, #"{"id":"b","type":"slider","min":0}"#])
                ]).text
            }, says: ["modules[0].sections[0].questions[0].options", "modules[0].sections[0].questions[1].max"]),
        Wrong(
            testDescription: "answers to nowhere",
            text: { LabStudy(postURL: "example.org/post", modules: [LabStudy.always("pain", question: "level")]).text },
            says: ["example.org/post", "--post-url"]),
        // schema-app/schema 45fd178 has no other place to send to (`SurveyDataService`): its own
        // posts would go nowhere for ever.
        Wrong(
            testDescription: "answers without an address",
            text: { LabStudy(modules: [LabStudy.always("pain", question: "level")]).text },
            says: ["has no address", "--post-url"]),
        Wrong(
            testDescription: "1 MB of brackets", text: { String(repeating: "[", count: 1_000_000) },
            says: ["line 1", "at most 64 levels of nesting"]),
        Wrong(
            testDescription: "10 MB of brackets", text: { String(repeating: "[", count: 10_000_000) },
            says: ["at most 4194304 bytes", "10000000"]),
    ]

    @Test(.timeLimit(.minutes(20))) func refusalNamesPathAndReasonAndChangesNothing() async throws {
        try await Stage.with { stage in
            let receiver = try await LabReceiver(stage, more: ["--keep-post-url"])
            try stage.configure(recordings: nil, measures: [])
            try stage.board()
            // Without an agent first, with nothing enrolled; then into a running study.
            for wrong in Self.wrongs { try await refuse(wrong, stage, receiver) }
            #expect(try await stage.status()["study"] == .null)
            try receiver.serve([LabStudy.always("pain", question: "level")])
            let agent = try await stage.agent()
            #expect(try await stage.studyd("enroll", receiver.studyURL, "--participant", "P7").code == 0)
            for wrong in Self.wrongs { try await refuse(wrong, stage, receiver) }
            for habit in [HostileServer.Habit.redirects, .sendsWithoutEnd] { try await refuse(habit, stage) }
            try receiver.serve([LabStudy.always("pain", question: "level")])
            let second = try await stage.studyd("enroll", receiver.studyURL)
            #expect(
                second.code == 1 && second.errors.contains("SCENARIO") && second.errors.contains("withdraw"),
                "\(second)")

            let status = try await stage.status()
            #expect(status["participant"].text == "P7" && status["study"].text == "SCENARIO")
            #expect(status["withdrawn"] == .boolean(false) && status["running"].isTrue)
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    /// It would wait for a report that never comes.
    @Test func aCodeWithoutReportsIsRefused() async throws {
        try await Stage.with { stage in
            try stage.configure(recordings: nil, measures: [])
            let refused = try await stage.studyd("enroll", "study.json", "--code", "7K3M-Q0ZD-WX5B")
            #expect(refused.code == 1 && refused.errors.contains("studyd.toml: has no [report]"), "\(refused)")
        }
    }

    private func refuse(_ wrong: Wrong, _ stage: Stage, _ receiver: LabReceiver) async throws {
        try Files.write(wrong.text(), to: stage.folder + "/study.json")
        let answer = try await stage.studyd("enroll", receiver.studyURL)
        #expect(answer.code == 1 && answer.output.isEmpty, "\(wrong.testDescription): \(answer)")
        for part in wrong.says {
            #expect(answer.errors.contains(part), "\(wrong.testDescription): \(answer.errors.prefix(2000))")
        }
        #expect(answer.errors.utf8.count < 20_000)
    }

    private func refuse(_ habit: HostileServer.Habit, _ stage: Stage) async throws {
        let server = try HostileServer(habit)
        defer { server.stop() }
        let answer = try await stage.studyd("enroll", server.address)
        #expect(answer.code == 1 && answer.errors.contains(server.address), "\(habit): \(answer)")
        #expect(answer.errors.contains(habit == .redirects ? "redirect" : "larger than"), "\(habit): \(answer)")
    }
}
