// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Lab

/// In virtual time: swift-nio's channel without a socket, its decoder and its encoder.
@Suite struct ConnectionDeadlinesTests {
    /// A request has one final answer (RFC 9110, 15): behind an interim one 408 can still be sent, behind
    /// another it would be read as the next request's.
    @Test(arguments: [(100, true), (103, true), (200, false), (204, false), (400, false)])
    func aBodyThatStopsGets408OnlyBeforeTheAnswer(status: Int, isSent: Bool) throws {
        let (loop, limits) = (EmbeddedEventLoop(), ServerLimits())
        let deadlines = ConnectionDeadlines(limits, ConnectionLedger(limit: 1, clientLimit: 1))
        let channel = EmbeddedChannel(loop: loop)
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.pipeline.syncOperations.addHandlers([
            deadlines, HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()), ProgressNotes(deadlines),
        ])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        try channel.writeInbound(
            ByteBuffer(string: "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab"))
        channel.read()
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status))
        channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
        loop.advanceTime(by: TimeAmount(limits.idleTime) - .seconds(1))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(2))
        var said = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { said += String(buffer: bytes) }
        #expect(said.contains(" 408 ") == isSent && !channel.isActive, "\(said)")
    }
}
