// SPDX-License-Identifier: Apache-2.0
import Glibc
import Store
import StudyModel
import Testing
import Times

@testable import Upload

/// A server that keeps the same request twice.
private struct ForgetfulWire: StudyWire {
    var storesTwice: Bool { true }
    func requests(for report: Report, at now: Instant, in context: WireContext) -> [WireRequest] { [] }
    func answers(_ submission: Submission, in context: WireContext) -> JSONText { .object([]) }
    func verdict(status: Int, body: [UInt8]) -> Verdict {
        status == 200 ? .delivered(receipt: "200") : .retry(reason: "\(status)")
    }
}

@Suite(.enabled(if: LabServer.isAvailable, "python3 is missing: install it to test uploads"), .timeLimit(.minutes(20)))
struct UncertainDeliveryTests {
    private func destination(resends: Bool) -> HTTPDestination {
        HTTPDestination(
            name: "study", wire: ForgetfulWire(), resendsUncertain: resends, limits: UploadFixture.limits())
    }

    private func item(at url: String, resends: Bool, until isDone: (OutboxItem) -> Bool) async throws -> OutboxItem {
        let database = try StudyDatabase(.memory)
        try await UploadFixture.append([UploadFixture.draft("run", to: url)], to: database)
        let uploader = try Uploader(
            database, to: [destination(resends: resends)],
            surroundings: UploadFixture.surroundings(HastyClock(haste: 20)),
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

    @Test(arguments: ["/hang", "/close"])
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

    @Test func whereNobodyListensNothingIsUncertain() async throws {
        // Bound and not listened on: refused, and no other test's server can come to stand there.
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        try #require(isBound)
        let url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/take"
        let item = try await item(at: url, resends: false) { $0.attempts >= 2 }
        #expect(item.uncertain == 0 && item.state == .waiting)
    }
}
