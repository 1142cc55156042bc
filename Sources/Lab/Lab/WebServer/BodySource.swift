// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1

/// The parts of one connection: hands out heads to the connection and body pieces to the handler.
/// For each request `head` comes first, then `allow`, then `next` as the handler reads, then
/// `drain`.
final class BodySource {
    typealias Inbound = NIOAsyncChannelInboundStream<HTTPServerRequestPart>

    private var parts: Inbound.AsyncIterator
    private let writer: ResponseWriter
    private var limit = 0
    private var received = 0
    private var awaitsContinue = false
    private var digest: BodyDigest?
    private(set) var announcedLength: Int?
    /// True while there may be bytes that the handler did not read.
    var hasUnread: Bool { isOpen && (isChunked || announcedLength ?? 0 > 0) }
    /// True between a head and the end of its body, which comes for a request without a body too.
    private var isOpen = false
    private var isChunked = false

    init(_ inbound: Inbound, _ writer: ResponseWriter) {
        parts = inbound.makeAsyncIterator()
        self.writer = writer
    }

    static func tooLong(_ limit: Int) -> HTTPFailure { HTTPFailure(413, "the body is longer than \(limit) bytes") }

    /// The head of the next request, or nil when the client has closed.
    func head() async throws -> HTTPRequestHead? {
        while let part = try await parts.next() {
            guard case .head(let head) = part else { continue }
            isOpen = true
            received = 0
            announcedLength = head.headers.first(name: "content-length").flatMap(Int.init)
            isChunked = head.headers.contains(name: "transfer-encoding")
            digest = head.headers.first(name: "content-digest").flatMap(BodyDigest.init)
            awaitsContinue =
                head.version == .http1_1
                && HTTPFields(head.headers.lazy.map { ($0.name, $0.value) }).list("expect", contains: "100-continue")
            return head
        }
        return nil
    }

    /// Sets what the route allows; throws 413 at once when more is announced.
    func allow(_ limit: Int) throws(HTTPFailure) {
        self.limit = limit
        if let announcedLength, announcedLength > limit { throw Self.tooLong(limit) }
    }

    func next() async throws -> [UInt8]? {
        guard isOpen else { return nil }
        if awaitsContinue {
            awaitsContinue = false
            try await writer.send(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
        }
        guard let piece = try await nextPiece() else {
            try digest?.check()
            return nil
        }
        received += piece.count
        guard received <= limit else { throw Self.tooLong(limit) }
        try digest?.update(piece)
        return piece
    }

    /// Throws the rest away, at most `bytes` of it. True when the end was reached, so that the
    /// connection can be used again. A client that still waits for `100 Continue` sends nothing
    /// that could be thrown away.
    func drain(upTo bytes: Int) async -> Bool {
        var left = bytes
        while isOpen, left > 0, !awaitsContinue {
            guard let piece = try? await nextPiece() else { break }
            left -= piece.count
        }
        return !isOpen
    }

    private func nextPiece() async throws -> [UInt8]? {
        while let part = try await parts.next() {
            switch part {
            case .body(let buffer) where buffer.readableBytes > 0: return Array(buffer.readableBytesView)
            case .end:
                isOpen = false
                return nil
            default: continue
            }
        }
        isOpen = false
        throw HTTPFailure(400, "the connection ended within the body")
    }
}
