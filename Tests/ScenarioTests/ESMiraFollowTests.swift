// SPDX-License-Identifier: Apache-2.0
import Patience
import Testing

/// A box takes part in a study of ESMira over the network, with the stand-in that was compared with
/// the real server.
@Suite(.timeLimit(.minutes(20))) struct ESMiraFollowTests {
    @Test func aKeyOpensTheStudyAnswersArriveThoughItIsFrozenMeanwhileAndLeavingIsTold() async throws {
        try await Stage.with { stage in
            let lab = try await ESMiraLab(
                stage, participant: #"{"latency":"0s","otherwise":"first","misses":1}"#, wishes: ["71", "71"])
            let wrong = try await lab.enrol("food")
            #expect(wrong.code == 1 && wrong.errors.contains("the access key food opens no study there"), "\(wrong)")
            let enrolled = try await lab.enrol()
            #expect(enrolled.code == 0, "\(enrolled)")
            try await lab.control("frozen?study=7&value=true")
            let agent = try await stage.agent()
            try await eventually("an answer waits for the study to be open") {
                try await stage.status(uploads: true)["uploads"].list.contains { $0["note"].text.contains("locked") }
            }
            #expect(try await lab.rows("71").isEmpty)
            try await lab.control("frozen?study=7&value=false")
            try await eventually("the answers arrive", within: .seconds(900)) { try await !lab.rows("71").isEmpty }
            try await eventually("and what happened besides", within: .seconds(900)) {
                let events = try await lab.rows("events").joined()
                return ["\"joined\"", "\"invitation\""].allSatisfy { events.contains($0) }
            }
            let left = try await stage.studyd("withdraw")
            #expect(left.code == 0, "\(left)")
            try await eventually("the leave arrives") {
                try await lab.rows("events").contains { $0.contains("\"quit\"") }
            }
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    @Test func aNewVersionKeepsThePromptThatIsOutAndABadOneIsNotFollowed() async throws {
        try await Stage.with { stage in
            let lab = try await ESMiraLab(
                stage, participant: #"{"latency":"0s","otherwise":"first","misses":1}"#, wishes: [])
            #expect(try await lab.enrol().code == 0)
            let agent = try await stage.agent()
            func open() async throws -> Int { try await stage.status()["ledger"]["occurrences"]["open"].int }
            try await eventually("the invitation is sent") {
                try await lab.rows("events").contains { $0.contains("\"invitation\"") }
            }
            let before = try await open()
            try lab.edit("\"delaySec\": 1}", by: "\"delaySec\": 86400}")
            // A study is as large as its texts: more than the first 64 KiB of an answer.
            let consent = String(repeating: "All of it is said. ", count: 4_000)
            try lab.edit("\"version\": 1", by: "\"version\": 2, \"informedConsentForm\": \"\(consent)\"")
            #expect(try await lab.poll().contains("version 2 of the study takes effect"))
            try await eventually("it is followed") {
                try await lab.poll().contains("nothing new")
            }
            #expect(try await open() == before, "the prompt that was given out is still open")
            try lab.edit("\"responseType\": \"binary\"", by: "\"responseType\": \"video\", \"required\": true")
            try lab.edit("\"version\": 2", by: "\"version\": 3")
            let found = try await lab.pollRefused()
            #expect(found.contains("version 3 cannot be run") && found.contains("video"), "\(found)")
            #expect(try await lab.pollRefused() == found, "it is given again at every look")
            let left = try await stage.studyd("withdraw")
            #expect(left.code == 0, "\(left)")
            try await eventually("the version that was left is the one that was followed") {
                try await lab.rows("events").contains { $0.contains("\"quit\"") && $0.contains("\"2.-1\"") }
            }
            let events = try await stage.studyd("history", "--events").output.split(separator: "\n")
            #expect(events.count { $0.contains("version 3 cannot be used") } == 1)
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    @Test func aMessageOfTheTeamComesOnce() async throws {
        try await Stage.with { stage in
            let lab = try await ESMiraLab(stage, participant: #"{"latency":"0s","otherwise":"first"}"#, wishes: ["71"])
            #expect(try await lab.enrol().code == 0)
            let agent = try await stage.agent()
            try await eventually("the server knows the box") {
                try await !lab.rows("events").isEmpty
            }
            try await lab.control("message?study=7", "Please charge the device")
            #expect(try await lab.poll().contains("Please charge the device"))
            try await eventually("it can be read") {
                try await stage.studyd("messages").output.contains("Please charge the device")
            }
            #expect(try await lab.poll().contains("nothing new"))
            #expect(try await stage.studyd("messages").output.split(separator: "\n").count == 1)
            try await agent.stop()
        }
    }

    /// Scripts are bounded by steps and memory: the page is shown, as with every script that fails,
    /// and the half year goes on.
    @Test(arguments: [
        "while (1) { }", "s = \\\"aaaaaaaaaaaaaaaa\\\"; while (1) { s = s .. s; }",
        "function f(a) { return f(a); } f(1);",
    ])
    func aScriptWithoutEndNeitherStopsAStudyNorFillsTheMemory(_ script: String) async throws {
        try await Stage.with { stage in
            let path = stage.folder + "/endless.json"
            let page =
                "{\"inputs\": [{\"name\": \"more\", \"responseType\": \"likert\"}], \"relevance\": \"\(script)\"}"
            let text = ESMiraLab.study.replacing(
                "\"text\": \"How are you?\"}]}", with: "\"text\": \"How are you?\"}]}, " + page)
            try Files.write(
                text.replacing("\"title\": \"Now\"", with: "\"title\": \"Now\", \"durationPeriodDays\": 2"), to: path)
            let child = try stage.start([
                "sh", "-c", "ulimit -v 4000000; exec \"$0\" simulate \"$1\" --enrolled 2026-03-01T09:00 --json",
                Programs.studyd, path,
            ])
            #expect(try await child.ended(within: .seconds(900)) == 0, "\(child.errors)")
        }
    }
}
