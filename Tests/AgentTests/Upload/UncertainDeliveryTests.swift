// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import HeldPort
import Study
import Testing

@testable import Agent

/// A server that keeps the same request twice.
private struct ForgetfulWire: StudyWire {
    var storesTwice: Bool { true }
    func verdict(status: Int, body: [UInt8]) -> Verdict {
        status == 200 ? .delivered(receipt: "200") : .retry(reason: "\(status)")
    }
}

@Suite(.enabled(if: LabServer.isAvailable, "python3 is missing: install it to test uploads"), .timeLimit(.minutes(20)))
struct UncertainDeliveryTests {
    private func destination(resends: Bool) -> HTTPDestination {
        HTTPDestination(
            name: "study", wire: ForgetfulWire(), resendsUncertain: resends,
            limits: UploadFixture.limits(total: .seconds(1)))
    }

    private func item(at url: String, resends: Bool, until isDone: (OutboxItem) -> Bool) async throws -> OutboxItem {
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append([UploadFixture.draft("run", to: url)], to: database)
        let uploader = Uploader(
            database, to: [destination(resends: resends)],
            context: UploadFixture.context(HastyClock(haste: 20)),
            policy: RetryPolicy(first: .milliseconds(200), longest: .seconds(4)), seed: 1, userAgent: "studyd-tests/1")
        async let running: Void = uploader.run()
        var item = try #require(try await database.items().first)
        while !isDone(item), !Task.isCancelled {
            try await Task.sleep(for: .milliseconds(20))
            item = try #require(try await database.items().first)
        }
        uploader.stop()
        await running
        return try #require(try await database.items().first)
    }

    @Test(arguments: ["/hang", "/close", "/endless"])
    func aRunWithoutAnAnswerIsHeldWhereTheConfigurationSaysSo(_ path: String) async throws {
        let server = try LabServer()
        let item = try await item(at: server.url(path), resends: false) { $0.state == .refused }
        #expect(item.uncertain == 1 && item.attempts == 1)
        #expect(item.note?.contains("kept until you decide") == true, "\(item.note ?? "")")
    }

    @Test func aRunWithoutAnAnswerIsSentAgainOtherwise() async throws {
        let server = try LabServer()
        let item = try await item(at: server.url("/hang"), resends: true) { $0.attempts >= 2 }
        #expect(item.uncertain >= 1 && item.state == .waiting)
        #expect(item.note?.contains("the server may have it twice") == true, "\(item.note ?? "")")
    }

    @Test func withoutAListenerNothingIsUncertain() async throws {
        let port = try HeldPort()
        let url = "http://127.0.0.1:\(port.number)/take"
        let item = try await item(at: url, resends: false) { $0.attempts >= 2 }
        #expect(item.uncertain == 0 && item.state == .waiting)
    }
}
