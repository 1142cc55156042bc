// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Logging
import Study
import SystemKit
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct PortalStatusTests {
    private func stamps() -> EventClock { EventClock(clock: SystemClock(), bootID: "boot", zone: .utc) }

    private func status(_ database: StudyDatabase, _ view: SharedState) -> StatusReader {
        StatusReader(database: database, view: view, stamps: stamps(), folder: "/tmp")
    }

    @Test func aLogInPageIsNamedAsNoNetworkAndSignalledUntilItIsGone() async throws {
        let (database, view) = (try StudyDatabase(.memory), SharedState())
        view.change { $0.portals["schema"] = "a log-in page stands before the server of 'schema' (511)" }
        let reader = status(database, view)
        #expect(
            try await reader.text(json: false, uploads: false).contains("network     offline: a log-in page stands"))
        let json = try await reader.text(json: true, uploads: false)
        #expect(json.contains("a log-in page stands"))
        #expect(view.now.panelFault?.hasPrefix("a log-in page") == true)
        view.change { $0.portals["schema"] = nil }
        #expect(view.now.panelFault == nil)
        let after = try await reader.text(json: false, uploads: false)
        #expect(!after.contains("offline"))
    }

    /// The mailbox is bounded: what finds it full is counted, and `status` shows it.
    @Test func eventsThatTheMailboxHadToDropAreShown() async throws {
        let mailbox = Mailbox()
        for _ in 0..<8192 { mailbox.post(.alarm) }
        #expect(mailbox.losses == 0)
        for _ in 0..<3 { mailbox.post(.alarm) }
        #expect(mailbox.losses == 3)
        let (database, view) = (try StudyDatabase(.memory), SharedState())
        let reader = status(database, view)
        #expect(try await !reader.text(json: false, uploads: false).contains("events      "))
        view.change { $0.eventsLost = mailbox.losses }
        let page = try await reader.text(json: false, uploads: false)
        #expect(
            page.contains("events      3 events lost")
                && page.contains("FAULT       events lost because too much happened at once: 3"), "\(page)")
        let json =
            try JSONSerialization.jsonObject(
                with: Data(try await reader.text(json: true, uploads: false).utf8)) as? [String: Any]
        #expect(json?["eventsLost"] as? Int == 3 && (json?["faults"] as? [String])?.count == 1)
    }

    /// Years of other items are not read for one, while answers wait to be stored.
    @Test func anOrderReadsNoItemButThoseItNames() async throws {
        let database = try StudyDatabase(.memory)
        let stamp = stamps().stamp("e1")
        // An id is hexadecimal: of 17 two begin alike.
        for number in 0..<17 { try await database.append([], sending: [Fixture.draft("\(number)")], at: stamp) }
        let ids = try await database.items().map(\.item.id).sorted()
        let twin = try #require(zip(ids, ids.dropFirst()).first { $0.first == $1.first }?.0)
        let decision = OutboxDecision(database: database, stamps: stamps())
        for (beginning, cause) in [
            (String(twin.prefix(1)), "item ids begin with"), ("", "no item id begins"),
            (twin + "0", "no item id begins"),
        ] {
            let error = await #expect(throws: ControlFault.self) {
                try await decision.perform(.delete(id: beginning))
            }
            #expect(error?.explanation.cause.contains(cause) == true, "\(beginning)")
        }
        try await database.spoilItems(besides: ids[3])
        #expect(try await decision.perform(.delete(id: String(ids[3].prefix(20)))) == "deleted \(ids[3])")
    }

    @Test func whatIsKeptIsToldAndSentAgainByTimeOrById() async throws {
        let database = try StudyDatabase(.memory)
        let draft = OutboxDraft(
            origin: "a", itemClass: .answers, destination: "schema",
            content: .request(WireRequest(method: "POST", url: "http://x/", headers: [], body: [1, 2, 3])))
        let decision = OutboxDecision(database: database, stamps: stamps())
        let stamp = stamps().stamp("e1")
        try await database.append([], sending: [draft], at: stamp)
        let id = try #require(try await database.items().first?.item.id)
        func deliver() async throws {
            #expect(try await database.startUpload(id, at: stamp))
            try await database.finishUpload(id, .delivered(receipt: "200 <html>"), at: stamp)
        }
        try await deliver()
        let reader = status(database, SharedState())
        let page = try await reader.text(json: false, uploads: true)
        #expect(page.contains("1 delivered answer still stored (3 B)") && page.contains("(kept)"))
        #expect(
            try await decision.perform(.resendDelivered(since: "1h", until: nil))
                == "resending 1 delivered answer")
        try await deliver()
        let stopped = OutboxDecision(database: database, stamps: stamps(), isRunning: false)
        #expect(
            try await stopped.perform(.resendDelivered(since: "1h", until: nil))
                == "resending 1 delivered answer when studyd runs again")
        try await deliver()
        #expect(
            try await stopped.perform(.resend(id: String(id.prefix(8)))) == "resending \(id) when studyd runs again")
        try await deliver()
        #expect(try await decision.perform(.resend(id: String(id.prefix(8)))) == "resending \(id)")
        let none = try await decision.perform(
            .resendDelivered(since: "2001-01-01T00:00:00Z", until: "2001-01-02T00:00:00Z"))
        #expect(none.hasPrefix("nothing to resend"))
        await #expect(throws: ControlFault.self) {
            try await decision.perform(.resendDelivered(since: "yesterday", until: nil))
        }
    }
}

extension PortalStatusTests {
    /// What is held because it may have arrived, `unanswered = "hold"`, is decided upon one by one.
    @Test func allThatWasRefusedIsSentAgainAtOnce() async throws {
        let database = try StudyDatabase(.memory)
        let decision = OutboxDecision(database: database, stamps: stamps())
        #expect(try await decision.perform(.resendRefused) == "nothing to resend")
        let results: [UploadResult] = [
            .refused(reason: "wrong key"), .delivered(receipt: "200"), .uncertain(reason: "no answer", retryAt: nil),
            .refused(reason: "wrong key"),
        ]
        for (number, result) in results.enumerated() {
            let stamp = stamps().stamp("e\(number)")
            try await database.append([], sending: [Fixture.draft("\(number)")], at: stamp)
            let id = try #require(try await database.items(in: .waiting).first?.item.id)
            #expect(try await database.startUpload(id, at: stamp))
            try await database.finishUpload(id, result, at: stamp)
        }
        #expect(
            try await decision.perform(.resendRefused)
                == "resending 2 refused items; 1 that may have arrived: resend or delete by id")
        #expect(try await database.items(in: .waiting).map(\.item.origin) == ["0", "3"])
        #expect(try await database.items(in: .refused).map(\.item.origin) == ["2"])
        #expect(
            try await database.events(kind: "itemRequeued").map(\.stamp.enrolment) == ["e0", "e3"],
            "the log has it with the enrolment")
        let none = try await decision.perform(.resendRefused)
        #expect(none == "nothing to resend; 1 that may have arrived: resend or delete by id")
    }

    @Test func recordingsAreSentAgainToTheDestinationThatIsNamed() async throws {
        let database = try StudyDatabase(.memory)
        let decision = OutboxDecision(database: database, stamps: stamps())
        func resend(to destination: String, since: String = "1h") async throws -> String {
            try await decision.perform(.resendRecordings(destination: destination, since: since, until: nil))
        }
        #expect(try await resend(to: "files").hasPrefix("nothing to resend"))
        let (recording, stamp) = (Fixture.recording("1", .motion), stamps().stamp("e1"))
        let file = Fixture.file(of: recording)
        let copy = OutboxDraft(
            origin: "copy", itemClass: file.itemClass, destination: "copies", content: file.content)
        try await database.append([.recordingSealed(recording: recording)], sending: [file, copy], at: stamp)
        let ids = try await database.items().map(\.item.id)
        #expect(ids.count == 2)
        for id in ids {
            #expect(try await database.startUpload(id, at: stamp))
            try await database.finishUpload(id, .delivered(receipt: "r"), at: stamp)
        }
        let error = await #expect(throws: ControlFault.self) { try await resend(to: "file") }
        #expect(error?.explanation.remedy == "use copies or files")
        #expect(try await resend(to: "files") == "resending 1 file of recordings")
        #expect(try await resend(to: "files").hasPrefix("nothing to resend"), "it waits already")
    }
}

extension StudyDatabase {
    fileprivate func spoilItems(besides id: String) throws {
        try connection.run("UPDATE outbox SET item = 'spoilt' WHERE id <> ?", id)
    }
}
