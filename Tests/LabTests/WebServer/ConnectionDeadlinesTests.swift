// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Lab

/// In virtual time: swift-nio's channel without a socket, its decoder and its encoder.
@Suite struct ConnectionDeadlinesTests {
    private func connected(_ limits: ServerLimits) throws -> (loop: EmbeddedEventLoop, channel: EmbeddedChannel) {
        let loop = EmbeddedEventLoop()
        let deadlines = ConnectionDeadlines(limits, ConnectionLedger(limit: 1, clientLimit: 1))
        let channel = EmbeddedChannel(loop: loop)
        try channel.pipeline.syncOperations.addHandlers([
            deadlines, HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()), ProgressNotes(deadlines),
        ])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        return (loop, channel)
    }

    private func said(_ channel: EmbeddedChannel) throws -> String {
        var said = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { said += String(buffer: bytes) }
        return said
    }

    /// A request has one final answer (RFC 9110, 15): behind an interim one 408 can still be sent, behind
    /// another it would be read as the next request's.
    @Test(arguments: [(100, true), (103, true), (200, false), (204, false), (400, false)])
    func aBodyThatStopsGets408OnlyBeforeTheAnswer(status: Int, isSent: Bool) throws {
        let limits = ServerLimits()
        let (loop, channel) = try connected(limits)
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.writeInbound(
            ByteBuffer(string: "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab"))
        channel.read()
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status))
        channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
        loop.advanceTime(by: TimeAmount(limits.idleTime) - .seconds(1))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(2))
        let said = try said(channel)
        #expect(said.contains(" 408 ") == isSent && !channel.isActive, "\(said)")
    }

    /// A handler may be at work for as long as it likes; the time of a head begins again when its answer is written.
    @Test func onlyTimeInWhichTheClientIsWaitedForCounts() throws {
        let limits = ServerLimits()
        let (loop, channel) = try connected(limits)
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.writeInbound(ByteBuffer(string: "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"))
        loop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        let head = HTTPResponseHead(version: .http1_1, status: .noContent)
        channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        loop.advanceTime(by: TimeAmount(limits.headTime) - .seconds(1))
        #expect(channel.isActive)
        loop.advanceTime(by: TimeAmount(limits.headTime))
        let said = try said(channel)
        #expect(said.contains(" 204 ") && !said.contains(" 408 ") && !channel.isActive, "\(said)")
    }

    /// Bytes a second, and the second in which it is given up: the rates and times are those of `ClientPaceTests`.
    @Test(arguments: [(49, 60), (50, 120), (399, 240), (400, nil)] as [(Int, Int?)])
    func aBodyThatTricklesGets408WhenItIsTooSlow(rate: Int, end: Int?) throws {
        let (loop, channel) = try connected(ServerLimits())
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.writeInbound(
            ByteBuffer(string: "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"))
        channel.read()
        let piece = ByteBuffer(repeating: UInt8(ascii: "x"), count: rate)
        var ended: Int?
        for second in 1...600 where ended == nil {
            loop.advanceTime(by: .seconds(1))
            try channel.writeInbound(piece)
            if channel.isActive { channel.read() } else { ended = second }
        }
        #expect(ended == end)
        #expect(try said(channel).contains(" 408 ") == (end != nil))
    }
}
