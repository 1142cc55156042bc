// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1

/// Closes a connection whose client keeps us waiting. Lives on the connection's event loop.
///
/// Stands in front of the HTTP decoder, where it sees each read that is really asked of the socket: time counts only
/// while we wait for the client, never while a handler is busy and reading is held back.
final class ConnectionDeadlines: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limits: ServerLimits
    private var timer: Scheduled<Void>?
    private var readSince: NIODeadline?
    private var blockedSince: NIODeadline?
    private var headSince: NIODeadline?
    /// Of the body: waited for since the last look, and what came.
    private var waited = TimeAmount.zero
    private var arrived = 0
    private var hasPartOfHead = false
    private var isInBody = false
    private var hasAnswered = false

    init(_ limits: ServerLimits) { self.limits = limits }

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
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isInBody, isTooSlow(unwrapInboundIn(data).readableBytes, at: context.eventLoop.now) {
            return giveUp(context)
        }
        readSince = nil
        hasPartOfHead = true
        context.fireChannelRead(data)
    }

    /// A byte now and then would hold the connection for ever.
    private func isTooSlow(_ bytes: Int, at now: NIODeadline) -> Bool {
        waited = waited + (readSince.map { now - $0 } ?? .zero)
        arrived += bytes
        let patience = TimeAmount(limits.bodyPatience)
        guard waited >= patience else { return false }
        defer { (waited, arrived) = (.zero, 0) }
        return arrived < limits.slowestBody * Int(waited.nanoseconds / 1_000_000_000)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        blockedSince = context.channel.isWritable ? nil : context.eventLoop.now
        context.fireChannelWritabilityChanged()
    }

    /// The decoder has a whole head.
    func headArrived() {
        headSince = nil
        isInBody = true
        hasAnswered = false
        (waited, arrived) = (.zero, 0)
    }

    /// The decoder has the whole body.
    func bodyArrived() {
        isInBody = false
        hasPartOfHead = false
    }

    /// The answer begins, after which no 408 can be sent.
    func answerBegins() { hasAnswered = true }

    /// The answer is written; the next head may come.
    func answerEnded(at now: NIODeadline) {
        headSince = now
    }

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

    /// An idle connection is closed without a word: an answer nobody asked for could be taken for the next one's.
    private func giveUp(_ context: ChannelHandlerContext) {
        let owesAnswer = isInBody ? !hasAnswered : hasPartOfHead
        guard owesAnswer, blockedSince == nil else { return context.close(promise: nil) }
        let answer = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        context.close(promise: nil)
    }
}

/// Tells the deadlines how far requests and answers have come. Stands behind the decoder.
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
