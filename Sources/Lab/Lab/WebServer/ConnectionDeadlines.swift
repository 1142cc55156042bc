// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1

/// Closes a connection with a client that keeps us waiting; `HTTPServer` puts one into each connection. Lives
/// on the connection's event loop.
///
/// Before the HTTP decoder, where it sees each read that is really asked of the socket: time counts
/// only while we wait for the client, never while a handler is busy and reading is held back.
final class ConnectionDeadlines: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limits: ServerLimits
    private let ledger: ConnectionLedger
    private var timer: Scheduled<Void>?
    /// A read has been asked of the socket since then.
    private var readSince: NIODeadline?
    /// The kernel has not taken all of the answer since then.
    private var blockedSince: NIODeadline?
    /// The head of a request has been due since then.
    private var headSince: NIODeadline?
    private var bodyPace: ClientPace?
    private var answerPace: ClientPace?
    /// Bytes of the answer that were handed over since the client last took some.
    private var handedOver = 0
    /// The last of them wait for a flush: it is not the client who has not taken them.
    private var hasUnflushed = false
    private var hasPartOfHead = false
    private var isInBody = false
    private var hasAnswered = false

    init(_ limits: ServerLimits, _ ledger: ConnectionLedger) {
        self.limits = limits
        self.ledger = ledger
    }

    func channelActive(context: ChannelHandlerContext) {
        headSince = context.eventLoop.now
        arm(context, at: context.eventLoop.now + TimeAmount(limits.headTime))
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        if readSince == nil { readSince = context.eventLoop.now }
        if bodyPace != nil {
            bodyPace?.wait(since: context.eventLoop.now)
            note(context)
        }
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // A client that sends a byte now and then would hold the connection for ever.
        if bodyPace?.receive(unwrapInboundIn(data).readableBytes, at: context.eventLoop.now) == false {
            return giveUp(context)
        }
        note(context)
        readSince = nil
        hasPartOfHead = true
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        handedOver += unwrapOutboundIn(data).readableBytes
        hasUnflushed = true
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        hasUnflushed = false
        context.flush()
        if !context.channel.isWritable { waitForClient(context) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            blockedSince = nil
            guard answerPace?.receive(handedOver, at: context.eventLoop.now) != false else { return giveUp(context) }
            handedOver = 0
            note(context)
        } else if !hasUnflushed {
            waitForClient(context)
        }
        context.fireChannelWritabilityChanged()
    }

    /// The kernel has not taken all that was flushed.
    private func waitForClient(_ context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        if blockedSince == nil { blockedSince = now }
        answerPace?.wait(since: now)
        note(context)
    }

    /// Tells the ledger how fast the client is: at taking the answer while the server waits for that, else at
    /// sending the body.
    private func note(_ context: ChannelHandlerContext) {
        ledger.note(answerPace?.waitingSince == nil ? bodyPace : answerPace, of: ObjectIdentifier(context.channel))
    }

    func headArrived() {
        headSince = nil
        isInBody = true
        hasAnswered = false
        bodyPace = ClientPace(limits)
    }

    func bodyArrived() {
        isInBody = false
        hasPartOfHead = false
        bodyPace = nil
    }

    /// The answer begins, after which no 408 can be sent.
    func answerBegins() {
        hasAnswered = true
        (answerPace, handedOver) = (ClientPace(limits), 0)
    }

    /// The answer is written; the next head may come.
    func answerEnded(at now: NIODeadline) { headSince = now }

    private func deadline() -> NIODeadline? {
        let idle = TimeAmount(limits.idleTime)
        let head = isInBody ? nil : headSince.map { $0 + TimeAmount(limits.headTime) }
        let body = isInBody ? readSince.map { $0 + idle } : nil
        return [head, body, blockedSince.map { $0 + idle }].compactMap(\.self).min()
    }

    private func arm(_ context: ChannelHandlerContext, at deadline: NIODeadline) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.check(context) }
    }

    private func check(_ context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        if let deadline = deadline(), deadline <= now { return giveUp(context) }
        arm(context, at: deadline() ?? now + TimeAmount(limits.idleTime))
    }

    /// An idle connection is closed in silence: an answer without a request could be taken for the
    /// next one's.
    private func giveUp(_ context: ChannelHandlerContext) {
        let owesAnswer = isInBody ? !hasAnswered : hasPartOfHead
        guard owesAnswer, blockedSince == nil else { return context.close(promise: nil) }
        let answer = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        context.close(promise: nil)
    }
}

/// Reports to the deadlines how far requests and answers have come. Behind the decoder.
final class ProgressNotes: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let deadlines: ConnectionDeadlines

    init(_ deadlines: ConnectionDeadlines) { self.deadlines = deadlines }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: deadlines.headArrived()
        case .end: deadlines.bodyArrived()
        case .body: break
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.code >= 200: deadlines.answerBegins()
        case .end: deadlines.answerEnded(at: context.eventLoop.now)
        default: break
        }
        context.write(data, promise: promise)
    }
}
