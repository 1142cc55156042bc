// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

@Suite(.timeLimit(.minutes(10)))
struct OutboxTests {
    private let longest = Duration.seconds(900)

    private func filled() async throws -> StudyDatabase {
        let database = try StudyDatabase(.memory)
        let drafts = [
            Fixture.draft("sound", .sound), Fixture.draft("event", .events), Fixture.draft("answer 1"),
            Fixture.draft("answer 2"),
        ]
        try await database.append([.listOpened], sending: drafts, at: Fixture.stamp(0))
        return database
    }

    private func origins(_ database: StudyDatabase, at second: Int64) async throws -> String? {
        try await database.nextItem(for: "study", at: Fixture.stamp(second).wall, longestWait: longest)?.item.origin
    }

    @Test func theHighestClassGoesFirstAndARefusedItemBlocksNothing() async throws {
        let database = try await filled()
        var order: [String] = []
        while let item = try await database.nextItem(for: "study", at: Fixture.stamp(1).wall, longestWait: longest) {
            order.append(item.item.origin)
            #expect(try await database.startUpload(item.item.id, at: Fixture.stamp(1)))
            try await database.finishUpload(item.item.id, .refused(reason: "no"), at: Fixture.stamp(2))
        }
        #expect(order == ["answer 1", "answer 2", "event", "sound"])
        #expect(try await database.counts().items == [.refused: 4])
    }

    @Test func theSameOriginAndContentIsTheSameItem() async throws {
        let database = try await filled()
        try await database.append([], sending: [Fixture.draft("answer 1")], at: Fixture.stamp(5))
        #expect(try await database.counts().itemsProduced == 4)
        try await database.append([], sending: [Fixture.draft("answer 1", body: "other")], at: Fixture.stamp(5))
        try await database.append([], sending: [Fixture.draft("answer 3", body: "answer 1")], at: Fixture.stamp(5))
        try await database.append([], sending: [Fixture.draft("answer 1")], at: Fixture.stamp(5, enrolment: "e2"))
        #expect(try await database.counts().itemsProduced == 7)
    }

    @Test func aFileWaitsForItsAnswersAndGoesWithThem() async throws {
        let database = try StudyDatabase(.memory)
        func file(_ name: String) -> OutboxDraft {
            OutboxDraft(
                origin: "file \(name)", itemClass: .answers, destination: "study",
                content: .file(
                    FileReference(path: name, sha256: "00", bytes: 1, contentType: "audio/flac", recording: name)),
                followsAnswers: true)
        }
        try await database.append(
            [], sending: [Fixture.draft("one"), file("1"), Fixture.draft("two"), file("2")], at: Fixture.stamp(0))
        func next() async throws -> OutboxItem? {
            try await database.nextItem(for: "study", at: Fixture.stamp(1).wall, longestWait: longest)
        }
        func end(_ result: UploadResult) async throws -> String? {
            guard let item = try await next() else { return nil }
            _ = try await database.startUpload(item.item.id, at: Fixture.stamp(1))
            try await database.finishUpload(item.item.id, result, at: Fixture.stamp(1))
            return item.item.origin
        }
        // The first answers are refused: their file waits, and nothing rings for it.
        #expect(try await end(.refused(reason: "no")) == "one")
        #expect(try await end(.delivered(receipt: "200")) == "two")
        #expect(try await end(.delivered(receipt: "200")) == "file 2")
        let retry = try await database.nextRetry(for: "study")
        #expect(try await next() == nil && retry == nil)
        let refused = try #require(try await database.items(in: .refused).first)
        try await database.requeueItem(refused.item.id, at: Fixture.stamp(2))
        #expect(try await end(.refused(reason: "no")) == "one")
        try await database.deleteItem(refused.item.id, reason: "by hand", at: Fixture.stamp(3))
        #expect(try await database.counts().items == [.delivered: 2, .deleted: 2])
    }

    @Test func aLastItemWaitsForAllOthersOfItsEnrolmentAndDestination() async throws {
        let database = try StudyDatabase(.memory)
        let notice = OutboxDraft(
            origin: "leave", itemClass: .events, destination: "study", content: .request(Fixture.request("leave")),
            isLast: true)
        try await database.append([], sending: [Fixture.draft("answer"), notice], at: Fixture.stamp(0))
        try await database.append([], sending: [Fixture.draft("other")], at: Fixture.stamp(0, enrolment: "e2"))
        let answer = try #require(
            try await database.nextItem(for: "study", at: Fixture.stamp(1).wall, longestWait: longest))
        _ = try await database.startUpload(answer.item.id, at: Fixture.stamp(1))
        let other = try #require(
            try await database.nextItem(for: "study", at: Fixture.stamp(1).wall, longestWait: longest))
        #expect(other.item.origin == "other")
        _ = try await database.startUpload(other.item.id, at: Fixture.stamp(1))
        try await database.finishUpload(other.item.id, .delivered(receipt: "200"), at: Fixture.stamp(2))
        let retry = Fixture.stamp(60).wall
        try await database.finishUpload(answer.item.id, .failed(reason: "500", retryAt: retry), at: Fixture.stamp(2))
        #expect(try await origins(database, at: 3) == nil)
        #expect(try await database.nextRetry(for: "study") == retry)
        #expect(try await origins(database, at: 60) == "answer")
        _ = try await database.startUpload(answer.item.id, at: Fixture.stamp(60))
        try await database.finishUpload(answer.item.id, .refused(reason: "no"), at: Fixture.stamp(61))
        #expect(try await origins(database, at: 62) == "leave")
    }

    /// For the panel, which asks for a network after a day.
    @Test func onlyWhatCouldGoToAServerWaitsForANetwork() async throws {
        let database = try StudyDatabase(.memory)
        let copy = OutboxDraft(
            origin: "copy", itemClass: .answers, destination: "stick", content: .request(Fixture.request("copy")))
        let file = OutboxDraft(
            origin: "file", itemClass: .answers, destination: "study",
            content: .file(
                FileReference(path: "1", sha256: "00", bytes: 1, contentType: "audio/flac", recording: "1")),
            followsAnswers: true)
        #expect(try await database.oldestWaiting(besides: ["stick"]) == nil)
        try await database.append([], sending: [copy], at: Fixture.stamp(0))
        #expect(try await database.oldestWaiting(besides: ["stick"]) == nil)
        #expect(try await database.oldestWaiting(besides: []) == Fixture.stamp(0).wall, "a server of that name")
        try await database.append([], sending: [Fixture.draft("answer"), file], at: Fixture.stamp(10))
        #expect(try await database.oldestWaiting(besides: ["stick"]) == Fixture.stamp(10).wall)
        let answer = try #require(
            try await database.nextItem(for: "study", at: Fixture.stamp(11).wall, longestWait: longest))
        _ = try await database.startUpload(answer.item.id, at: Fixture.stamp(11))
        try await database.finishUpload(answer.item.id, .refused(reason: "no"), at: Fixture.stamp(12))
        #expect(
            try await database.oldestWaiting(besides: ["stick"]) == nil, "no network frees the file of refused answers")
    }

    @Test func aLastItemDoesNotWaitForAFileOfRefusedAnswers() async throws {
        let database = try StudyDatabase(.memory)
        let file = OutboxDraft(
            origin: "file", itemClass: .answers, destination: "study",
            content: .file(
                FileReference(path: "1", sha256: "00", bytes: 1, contentType: "audio/flac", recording: "1")),
            followsAnswers: true)
        let notice = OutboxDraft(
            origin: "leave", itemClass: .events, destination: "study", content: .request(Fixture.request("leave")),
            isLast: true)
        try await database.append([], sending: [Fixture.draft("answer"), file, notice], at: Fixture.stamp(0))
        #expect(try await origins(database, at: 1) == "answer")
        let answer = try #require(try await database.items().first?.item.id)
        _ = try await database.startUpload(answer, at: Fixture.stamp(1))
        #expect(try await origins(database, at: 1) == nil, "the answer may still be taken, and its file go")
        try await database.finishUpload(answer, .refused(reason: "no"), at: Fixture.stamp(1))
        #expect(try await origins(database, at: 2) == "leave")
    }

    @Test func aLastItemWaitsADayAtMost() async throws {
        let database = try StudyDatabase(.memory)
        let notice = OutboxDraft(
            origin: "leave", itemClass: .events, destination: "study", content: .request(Fixture.request("leave")),
            isLast: true)
        try await database.append([], sending: [Fixture.draft("answer"), notice], at: Fixture.stamp(0))
        let id = try #require(try await database.items().first?.item.id)
        _ = try await database.startUpload(id, at: Fixture.stamp(1))
        let never = Fixture.stamp(90_000).wall
        try await database.finishUpload(
            id, .failed(reason: "the study is paused", retryAt: never), at: Fixture.stamp(2))
        func next(_ second: Int64) async throws -> String? {
            let wall = Fixture.stamp(second).wall
            return try await database.nextItem(for: "study", at: wall, longestWait: .seconds(200_000))?.item.origin
        }
        #expect(try await next(86_399) == nil)
        #expect(try await database.nextRetry(for: "study") == Fixture.stamp(86_400).wall)
        #expect(try await next(86_400) == "leave")
        let last = try #require(try await database.items().last?.item.id)
        _ = try await database.startUpload(last, at: Fixture.stamp(86_400))
        let retry = Fixture.stamp(87_000).wall
        try await database.finishUpload(last, .failed(reason: "503", retryAt: retry), at: Fixture.stamp(86_401))
        #expect(try await next(86_999) == nil)
        #expect(try await database.nextRetry(for: "study") == retry, "nothing rings before that")
        #expect(try await next(87_000) == "leave")
    }

    @Test(arguments: [true, false])
    func whatWasSentWithoutAnAnswerIsAStatedDecision(_ resends: Bool) async throws {
        let database = try StudyDatabase(.memory)
        try await database.append([], sending: [Fixture.draft("answer")], at: Fixture.stamp(0))
        let id = try #require(try await database.items().first?.item.id)
        _ = try await database.startUpload(id, at: Fixture.stamp(1))
        try await database.finishUpload(
            id, .uncertain(reason: "timeout", retryAt: resends ? Fixture.stamp(9).wall : nil), at: Fixture.stamp(2))
        let item = try #require(try await database.item(id))
        #expect(item.state == (resends ? .waiting : .refused) && item.uncertain == 1)
        #expect(
            item.note?.hasPrefix("sent, but no reply; \(resends ? "resending" : "kept until")") == true)
        let said = try await database.events(kind: "uploadUncertain", limit: 10).map(\.event)
        #expect(said == [.uploadUncertain(item: id, reason: "timeout", resends: resends)])
        if !resends {
            try await database.requeueItem(id, at: Fixture.stamp(3))
            #expect(try await database.item(id)?.uncertain == 0)
        }
    }

    @Test func whatWasBeingSentWhenThePowerWentIsUncertain() async throws {
        let database = try StudyDatabase(.memory)
        try await database.append([], sending: [Fixture.draft("answer"), Fixture.draft("b")], at: Fixture.stamp(0))
        let id = try #require(try await database.items().first?.item.id)
        _ = try await database.startUpload(id, at: Fixture.stamp(1))
        try await database.append([.agentStarted(version: "1")], sending: [], at: Fixture.stamp(5))
        #expect(try await database.items().map(\.uncertain) == [1, 0])
    }

    @Test func aFailedItemWaitsAndAWrongClockDoesNotHoldItForEver() async throws {
        let database = try await filled()
        let item = try #require(
            try await database.nextItem(for: "study", at: Fixture.stamp(1).wall, longestWait: longest))
        _ = try await database.startUpload(item.item.id, at: Fixture.stamp(1))
        try await database.finishUpload(
            item.item.id, .failed(reason: "500", retryAt: Fixture.stamp(60).wall), at: Fixture.stamp(2))
        #expect(try await origins(database, at: 59) == "answer 2")
        #expect(try await origins(database, at: 60) == "answer 1")
        #expect(try await origins(database, at: -100_000) == "answer 1")
        let forgiven = try await database.nextItem(
            for: "study", at: Fixture.stamp(30).wall, resettingBackoffBefore: Fixture.stamp(20).wall,
            longestWait: longest)
        #expect(forgiven?.item.origin == "answer 1")
    }

    @Test func anItemThatWasBeingSentAtACrashWaitsAgain() async throws {
        let database = try await filled()
        let id = try await database.items()[0].item.id
        #expect(try await database.startUpload(id, at: Fixture.stamp(1)))
        #expect(try await database.startUpload(id, at: Fixture.stamp(1)) == false)
        try await database.append([.agentStarted(version: "1")], at: Fixture.stamp(2))
        #expect(try await database.item(id)?.state == .waiting)
    }

    /// A reply that comes after an item was given back, or was begun by another start, ends nothing;
    /// a receipt counts, because the server has it.
    @Test(arguments: [
        UploadResult.refused(reason: "no"), .failed(reason: "500", retryAt: Fixture.stamp(60).wall),
        .uncertain(reason: "timeout", retryAt: Fixture.stamp(60).wall), .uncertain(reason: "timeout", retryAt: nil),
        .paused, .delivered(receipt: "200"),
    ])
    func onlyAReceiptEndsWhatIsNotBeingSent(_ result: UploadResult) async throws {
        let database = try await filled()
        let id = try await database.items()[0].item.id
        let isReceipt = if case .delivered = result { true } else { false }
        func isEnded() async throws -> Bool {
            let before = try await database.events(limit: -1).count
            try await database.finishUpload(id, result, at: Fixture.stamp(3))
            return try await database.events(limit: -1).count > before
        }
        #expect(try await isEnded() == isReceipt, "it was never begun")
        #expect(try await database.item(id)?.state == (isReceipt ? .delivered : .waiting))
        guard !isReceipt else { return }
        #expect(try await database.startUpload(id, at: Fixture.stamp(4)))
        #expect(try await isEnded())
        #expect(try await isEnded() == false, "a second time")
    }

    @Test func whatIsGivenBackWaitsAsBeforeAndOnlyOnce() async throws {
        let database = try await filled()
        let ids = try await database.items().map(\.item.id)
        #expect(try await database.startUpload(ids[0], at: Fixture.stamp(1)))
        for time in [2, 3] { try await database.returnUploads(ids, at: Fixture.stamp(Int64(time))) }
        #expect(
            try await database.events(kind: "uploadPaused", limit: -1).map(\.event) == [.uploadPaused(item: ids[0])])
        #expect(try await database.counts().items == [.waiting: 4])
    }

    @Test func bytesAreKeptUntilTheReceiptAndAreThereForAnother() async throws {
        let database = try await filled()
        let item = try await database.items()[2]
        #expect(try await database.content(of: item) == .request(Fixture.request("answer 1")))
        _ = try await database.startUpload(item.item.id, at: Fixture.stamp(1))
        try await database.finishUpload(item.item.id, .delivered(receipt: "200"), at: Fixture.stamp(1))
        #expect(try await database.content(of: item) == .request(Fixture.request("answer 1")))
        #expect(try await database.item(item.item.id)?.note == "200")
    }

    @Test func whatIsDeletedByHandIsCounted() async throws {
        let database = try await filled()
        let id = try await database.items()[0].item.id
        try await database.deleteItem(id, reason: "by hand", at: Fixture.stamp(1))
        #expect(try await database.counts().items == [.waiting: 3, .deleted: 1])
        await #expect(throws: StoreError.wrongState(item: id, state: "deleted")) {
            try await database.requeueItem(id, at: Fixture.stamp(1))
        }
    }

    @Test func theSummaryHasOneEntryForEachDestinationClassAndState() async throws {
        let database = try await filled()
        let id = try await database.items()[2].item.id
        _ = try await database.startUpload(id, at: Fixture.stamp(7))
        try await database.finishUpload(id, .delivered(receipt: "200"), at: Fixture.stamp(8))
        let summary = try await database.outboxSummary()
        #expect(
            summary.map { "\($0.itemClass) \($0.state) \($0.count) \($0.bytes)" } == [
                "answers delivered 1 8", "answers waiting 1 8", "events waiting 1 5", "sound waiting 1 5",
            ])
        #expect(summary[0].lastTried == Fixture.stamp(7).wall)
        #expect(summary[1].oldest == Fixture.stamp(0).wall)
    }

    @Test func theSummaryOfWhatWaitsSaysWhyTheLatestTryFailed() async throws {
        let database = try await filled()
        func fail(_ number: Int, _ reason: String, at second: Int64) async throws {
            let id = try await database.items()[number].item.id
            _ = try await database.startUpload(id, at: Fixture.stamp(second))
            try await database.finishUpload(
                id, .failed(reason: reason, retryAt: Fixture.stamp(900).wall), at: Fixture.stamp(second))
        }
        // The answers, of which the second was tried last.
        try await fail(3, "no network", at: 9)
        try await fail(2, "the stick is full", at: 7)
        #expect(
            try await database.outboxSummary().map { "\($0.itemClass) \($0.state): \($0.note ?? "")" } == [
                "answers waiting: no network", "events waiting: ", "sound waiting: ",
            ])
    }

    @Test func retriesGrowToTheirLimitWithJitter() {
        let policy = RetryPolicy(first: .seconds(4), longest: .seconds(100))
        var generator = SplitMix64(seed: 1)
        for (number, full) in [(1, 4.0), (2, 8), (3, 16), (5, 64), (6, 100), (500, 100)] {
            let waits = (0..<200).map { _ in policy.delay(afterFailure: number, using: &generator).seconds }
            #expect(waits.allSatisfy { $0 >= full / 2 && $0 <= full })
            #expect(Set(waits).count > 190)
        }
    }
}
