// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import SystemKit
import Testing

@testable import Agent

/// What `studyd outbox` prints.
@Suite(.timeLimit(.minutes(10))) struct OutboxListTests {
    private let stamp = EventClock(clock: SystemClock(), bootID: "boot", zone: .utc).stamp("e1")

    /// What was delivered can be sent again as long as its bytes are there.
    @Test func whatCanBeDecidedAboutIsListedRefusedItemsFirst() async throws {
        let database = try StudyDatabase(.memory)
        for origin in ["waiting", "refused", "kept"] {
            let draft = OutboxDraft(
                origin: origin, itemClass: .answers, destination: "schema",
                content: .request(
                    WireRequest(method: "POST", url: "http://x/\(origin)", headers: [], body: Array(origin.utf8))))
            try await database.append([], sending: [draft], at: stamp)
        }
        let ids = try await database.items().map(\.item.id)
        for (id, result) in [(ids[1], UploadResult.refused(reason: "no")), (ids[2], .delivered(receipt: "200"))] {
            #expect(try await database.startUpload(id, at: stamp))
            try await database.finishUpload(id, result, at: stamp)
        }
        let list = OutboxList(database)
        let lines = try await list.lines()
        #expect(lines.count == 3 && lines[0].contains("refused schema 7 B, 1 try: no"), "\(lines)")
        #expect(lines[1].contains(" waiting ") && lines[2].hasSuffix("(kept)"))
        let values = try await list.values().map {
            try JSONSerialization.jsonObject(with: Data($0.text.utf8)) as? [String: Any]
        }
        #expect(values.map { $0?["id"] as? String } == [ids[1], ids[0], ids[2]])
        #expect(values.map { $0?["state"] as? String } == ["refused", "waiting", "delivered"])
        #expect(values.map { $0?["kept"] as? Bool } == [false, false, true])
    }
}
