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
        let channel = try Self.channel("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab")
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        Self.answer(status, on: channel)
        channel.embeddedEventLoop.advanceTime(by: Self.idle - .seconds(1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        let said = try Self.said(on: channel)
        #expect(said.contains(" 408 ") == isSent && !channel.isActive, "\(said)")
    }

    /// One that takes a piece now and then is waited for again; within an answer nothing else can be said.
    @Test(arguments: 0...3) func aClientThatStopsReadingAnAnswerIsLetGoInSilence(pieces: Int) throws {
        let channel = try Self.channel("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        Self.answer(200, on: channel)
        for piece in 0...pieces {
            if piece > 0 { Self.setWritable(true, channel) }
            let bytes = ByteBuffer(repeating: 0x78, count: 65_536)
            channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(bytes)), promise: nil)
            Self.setWritable(false, channel)
            channel.embeddedEventLoop.advanceTime(by: Self.idle - .seconds(1))
            #expect(channel.isActive, "after \(piece)")
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        let said = try Self.said(on: channel)
        #expect(!said.contains(" 408 ") && !channel.isActive)
    }

    /// A handler may be at work for as long as it likes; the time of a head begins again when its answer is written.
    @Test func onlyTimeInWhichTheClientIsWaitedForCounts() throws {
        let head = TimeAmount(ServerLimits().headTime)
        let channel = try Self.channel("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        Self.answer(204, on: channel)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        channel.embeddedEventLoop.advanceTime(by: head - .seconds(1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: head)
        let said = try Self.said(on: channel)
        #expect(said.contains(" 204 ") && !said.contains(" 408 ") && !channel.isActive, "\(said)")
    }

    /// Bytes a second, and the second in which it is given up: the rates and times are those of `ClientPaceTests`.
    @Test(arguments: [(49, 60), (50, 120), (399, 240), (400, nil)] as [(Int, Int?)])
    func aBodyThatTricklesGets408WhenItIsTooSlow(rate: Int, end: Int?) throws {
        let channel = try Self.channel("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        let piece = ByteBuffer(repeating: UInt8(ascii: "x"), count: rate)
        var ended: Int?
        for second in 1...600 where ended == nil {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            // The decoder complains of the body that its end cuts off.
            _ = try? channel.writeInbound(piece)
            if channel.isActive { channel.read() } else { ended = second }
        }
        #expect(ended == end)
        #expect(try Self.said(on: channel).contains(" 408 ") == (end != nil))
    }

    /// Once the client has taken what there was, the handler may be at work on the next piece for as long as it likes.
    @Test func aPauseWithinAnAnswerIsNotTheClients() throws {
        let channel = try Self.channel("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        Self.answer(200, on: channel)
        Self.setWritable(false, channel)
        channel.embeddedEventLoop.advanceTime(by: Self.idle - .seconds(1))
        Self.setWritable(true, channel)
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        Self.setWritable(false, channel)
        channel.embeddedEventLoop.advanceTime(by: Self.idle + .seconds(1))
        #expect(!channel.isActive)
    }

    /// The head of a file's answer is handed over before its first piece is read, which may take long: the client
    /// cannot take what is not sent.
    @Test func whatIsNotFlushedIsNotWaitedFor() throws {
        let channel = try Self.channel("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        let head = HTTPResponseHead(version: .http1_1, status: .ok)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        Self.setWritable(false, channel)
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        channel.flush()
        channel.embeddedEventLoop.advanceTime(by: Self.idle - .seconds(1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(!channel.isActive)
    }

    /// A newcomer takes the place of a client that is waited for, and of none for which an answer is made.
    @Test func aClientThatTakesItsAnswerKeepsItsPlace() throws {
        let ledger = ConnectionLedger(limit: 1, clientLimit: 1)
        let channel = try Self.channel("GET /x HTTP/1.1\r\nHost: x\r\n\r\n", ledger)
        let newcomer = EmbeddedChannel()
        defer { for each in [channel, newcomer] { _ = try? each.finish(acceptAlreadyClosed: true) } }
        #expect(ledger.open(channel, of: "a") && ledger.begin(ObjectIdentifier(channel), of: "a") == .begun)
        Self.answer(200, on: channel)
        #expect(!ledger.open(newcomer, of: "b"))
        for isWritable in [false, true] { Self.setWritable(isWritable, channel) }
        #expect(!ledger.open(newcomer, of: "b") && channel.isActive)
        Self.setWritable(false, channel)
        #expect(ledger.open(newcomer, of: "b") && !channel.isActive)
    }

    private final class Listener: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private(set) var heard: [String] = []

        func channelActive(context: ChannelHandlerContext) { heard.append("active") }
        func channelInactive(context: ChannelHandlerContext) { heard.append("inactive") }
        func channelWritabilityChanged(context: ChannelHandlerContext) { heard.append("writability") }
    }

    @Test func whatTheChannelSaysIsHeardBehindItToo() throws {
        let listener = Listener()
        let channel = EmbeddedChannel(loop: EmbeddedEventLoop())
        try channel.pipeline.syncOperations.addHandlers([
            ConnectionDeadlines(ServerLimits(), ConnectionLedger(limit: 1, clientLimit: 1)), listener,
        ])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        #expect(listener.heard == ["active"])
        Self.setWritable(false, channel)
        #expect(listener.heard.last == "writability")
        _ = try channel.finish()
        #expect(listener.heard.last == "inactive")
    }

    private static let idle = TimeAmount(ServerLimits().idleTime)

    /// A connection on which that has come.
    private static func channel(
        _ request: String, _ ledger: ConnectionLedger = ConnectionLedger(limit: 1, clientLimit: 1)
    ) throws -> EmbeddedChannel {
        let deadlines = ConnectionDeadlines(ServerLimits(), ledger)
        let channel = EmbeddedChannel(loop: EmbeddedEventLoop())
        try channel.pipeline.syncOperations.addHandlers([
            deadlines, HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()), ProgressNotes(deadlines),
        ])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        try channel.writeInbound(ByteBuffer(string: request))
        channel.read()
        return channel
    }

    private static func answer(_ status: Int, on channel: EmbeddedChannel) {
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status))
        channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
    }

    private static func setWritable(_ isWritable: Bool, _ channel: EmbeddedChannel) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    private static func said(on channel: EmbeddedChannel) throws -> String {
        var said = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { said += String(buffer: bytes) }
        return said
    }
}
