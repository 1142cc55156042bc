// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import Agent

/// A server that keeps the same request twice, as those of FDA MyStudies and ESMira do.
private struct KeepingWire: StudyWire {
    var storesTwice: Bool { true }
    func verdict(status: Int, body: [UInt8]) -> Verdict {
        status == 200 ? .delivered(receipt: "200") : .retry(reason: "\(status)")
    }
}

/// In which order the log tells of deliveries: what it tells of a server that keeps things twice is
/// never more than one request behind.
@Suite(.enabled(if: LabServer.isAvailable, "python3 is missing: install it to test uploads"), .timeLimit(.minutes(20)))
struct DeliveryRowTests {
    /// What the log says once all of these are delivered, each row with the request's text.
    private func rows(_ paths: [String], to destination: HTTPDestination, delivered: Int) async throws -> [String] {
        let server = try LabServer()
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append(
            paths.enumerated().map { UploadFixture.draft("\($0.offset)", to: server.url($0.element)) }, to: database)
        let uploader = Uploader(
            database, to: [destination], context: UploadFixture.context(HastyClock()),
            policy: RetryPolicy(first: .seconds(3600), longest: .seconds(3600)), seed: 1, userAgent: "studyd-tests/1")
        async let running: Void = uploader.run()
        try await database.reaches { $0.items[.delivered] == delivered && ($0.items[.sending] ?? 0) == 0 }
        uploader.stop()
        await running
        let names = Dictionary(uniqueKeysWithValues: try await database.items().map { ($0.item.id, $0.item.origin) })
        return try await database.events().compactMap { row in
            switch row.event {
            case .uploadStarted(let id): "start \(names[id] ?? "")"
            case .uploadDelivered(let id, _, _): "delivered \(names[id] ?? "")"
            case .uploadFailed(let id, _, _): "failed \(names[id] ?? "")"
            case .uploadPaused(let id): "given back \(names[id] ?? "")"
            default: nil
            }
        }
    }

    @Test func whereTheServerKnowsARequestAgainAFewBeginTogether() async throws {
        let rows = try await rows(["/take", "/take", "/take"], to: UploadFixture.study(), delivered: 3)
        #expect(rows == ["start 0", "start 1", "start 2", "delivered 0", "delivered 1", "delivered 2"])
    }

    @Test func whereItKeepsThemTwiceEachBeginsByItself() async throws {
        let study = HTTPDestination(name: "study", wire: KeepingWire(), limits: UploadFixture.limits())
        let rows = try await rows(["/take", "/take"], to: study, delivered: 2)
        #expect(rows == ["start 0", "delivered 0", "start 1", "delivered 1"])
    }

    @Test func afterOneThatFailedTheOthersWaitAsIfTheyHadNotBegun() async throws {
        let rows = try await rows(["/take", "/status/500", "/take"], to: UploadFixture.study(), delivered: 1)
        #expect(rows == ["start 0", "start 1", "start 2", "delivered 0", "failed 1", "given back 2"])
    }

    private struct RefusingWire: StudyWire {
        func verdict(status: Int, body: [UInt8]) -> Verdict { .refused(reason: "gone") }
    }

    @Test func whoseItemWasRefusedAndWhyIsSaidOnceTheLogHasIt() async throws {
        let server = try LabServer()
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append([UploadFixture.draft("a", to: server.url("/take"))], to: database, of: "e7")
        let (told, teller) = AsyncStream<[String]>.makeStream()
        let made = UploadFixture.context(HastyClock())
        let study = HTTPDestination(name: "study", wire: RefusingWire(), limits: UploadFixture.limits())
        let uploader = Uploader(
            database, to: [study],
            context: .init(
                clock: made.clock, recordings: "/nowhere", stamp: made.stamp,
                report: {
                    if case .refused(let enrolment, let destination, let reason) = $0 {
                        teller.yield([enrolment, destination, reason])
                    }
                }),
            seed: 1, userAgent: "studyd-tests/1")
        async let running: Void = uploader.run()
        var first = told.makeAsyncIterator()
        #expect(await first.next() == ["e7", "study", "gone"])
        #expect(try await database.counts().items == [.refused: 1])
        uploader.stop()
        await running
    }

    @Test func itSaysOnceThatSomethingWasDelivered() async throws {
        let server = try LabServer()
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append(
            (0..<5).map { UploadFixture.draft("\($0)", to: server.url("/take")) }, to: database)
        let (told, teller) = AsyncStream<Void>.makeStream()
        let made = UploadFixture.context(HastyClock())
        let uploader = Uploader(
            database, to: [UploadFixture.study()],
            context: .init(
                clock: made.clock, recordings: "/nowhere", stamp: made.stamp,
                report: { if case .delivered = $0 { teller.yield() } }),
            seed: 1, userAgent: "studyd-tests/1")
        async let running: Void = uploader.run()
        var first = told.makeAsyncIterator()
        _ = await first.next()
        #expect(try await database.counts().items == [.delivered: 5])
        uploader.stop()
        await running
        teller.finish()
        #expect(await first.next() == nil, "once for all that went in a row")
    }
}
