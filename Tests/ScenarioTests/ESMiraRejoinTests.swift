// SPDX-License-Identifier: Apache-2.0
import Patience
import Testing

/// Leaving, joining again and deleting as the app does it (ESMira-apps f750e58), with the stand-in
/// that was compared with the real server.
@Suite(.timeLimit(.minutes(20))) struct ESMiraRejoinTests {
    private static let participant = #"{"latency":"0s","otherwise":"first","misses":1}"#

    private static func column(_ number: Int, _ row: String) -> String {
        String(row.split(separator: ";", omittingEmptySubsequences: false)[number].filter { $0 != "\"" })
    }

    /// "Rejoin" opens the way of joining with the study's address and key (`StudyDashboardView`),
    /// which ends in `Study.join`: another `joined`, never `rejoined`; the user id is the
    /// installation's (`DbUser.getUid`). Both are within a second of each other at the server,
    /// which then refuses one for now.
    @Test func whoJoinsAgainIsTheSameParticipantAndJoinsAsBefore() async throws {
        try await Stage.with { stage in
            let text = ESMiraLab.study.replacing(
                "\"lang\": \"en\"", with: "\"lang\": \"en\", \"eventUploadSettings\": {\"rejoined\": true}")
            let lab = try await ESMiraLab(stage, participant: Self.participant, wishes: ["71", "71"], study: text)
            #expect(try await lab.enrol().code == 0)
            let agent = try await stage.agent()
            try await eventually("an answer arrives") { try await !lab.rows("71").isEmpty }
            #expect(try await stage.studyd("withdraw").code == 0)
            #expect(try await lab.enrol().code == 0)
            func events(_ type: String) async throws -> [String] {
                try await lab.rows("events").filter { $0.contains("\"\(type)\"") }
            }
            try await eventually("the second joining arrives, and the leave before it") {
                let (joined, quit) = (try await events("joined"), try await events("quit"))
                return joined.count == 2 && quit.count == 1
            }
            #expect(try await events("rejoined").isEmpty)
            let users = Set(try await lab.rows("events").map { Self.column(1, $0) })
            #expect(users.count == 1, "\(users)")
            #expect(try await stage.studyd("study").output.contains("7 (esmira)"))
            let twice = try await lab.enrol()
            #expect(twice.code == 1, "who takes part joins no second time: \(twice)")
            try await agent.stop()
            try await stage.expectWhole()
        }
    }

    /// `StudyDashboardView`: a study that was left can be deleted, unless
    /// `DbLogic.hasUnSyncedDataSets`; deleting it takes all of it from the phone and nothing from
    /// the server. On a device that is a hand-over.
    @Test func aStudyIsDeletedOnlyWhenTheServerHasEverythingOfIt() async throws {
        try await Stage.with { stage in
            let lab = try await ESMiraLab(stage, participant: Self.participant, wishes: ["71", "71"])
            #expect(try await lab.enrol().code == 0)
            try await lab.control("frozen?study=7&value=true")
            var agent = try await stage.agent()
            // On a busy machine the prompt a second after joining comes before the
            // participant's own wish.
            func answers() async throws -> [String] { try await lab.rows("71") + lab.rows("72") }
            try await eventually("an answer waits") {
                let submissions = try await stage.submissions()
                let uploads = try await stage.status(uploads: true)["uploads"].list
                return submissions > 0 && uploads.contains { $0["note"].text.contains("locked") }
            }
            #expect(try await stage.studyd("withdraw").code == 0)
            try await agent.stop()
            let refused = try await stage.studyd("hand-over")
            #expect(refused.code == 1 && refused.errors.contains("nothing was changed"), "\(refused)")
            #expect(refused.errors.contains(" first, for 1m at most"), "why it takes so long: \(refused)")
            #expect(try await stage.studyd("study").output.contains("7 (esmira)"))
            try await lab.control("frozen?study=7&value=false")
            agent = try await stage.agent()
            try await eventually("everything of a study that was left arrives") {
                let items = try await stage.status()["ledger"]["items"]
                let rows = try await answers()
                return items["waiting"].int + items["sending"].int == 0 && !rows.isEmpty
            }
            try await agent.stop()
            let before = try await lab.rows("events")
            #expect(before.contains { $0.contains("\"quit\"") })
            let handed = try await stage.studyd("hand-over")
            #expect(handed.code == 0, "\(handed)")
            #expect(try await lab.rows("events") == before)
            #expect(try await !answers().isEmpty)
            #expect(try await stage.studyd("history").output.isEmpty)
        }
    }
}
