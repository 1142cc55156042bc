// SPDX-License-Identifier: Apache-2.0
import Base
import NIOCore
import NIOHTTP1

/// Answers what is not HTTP with 400 and lets no other answer follow. `HTTPServer` puts one into each
/// connection, on whose event loop it lives.
///
/// A body can turn out to be broken while a handler works on its answer, on another thread.
/// Only here, on the event loop, it is certain which of the two comes first: a second answer to
/// one request must not reach the socket, and NIO's pipeline handler takes it for a
/// programmer's mistake.
///
///     waiting ──error──▶ 400, closed          the request is not answered yet, or its head is broken
///     begun or answered ──error──▶ closed     the client has its answer, or sees a broken one
///     closed ──write──▶ fails
final class ProtocolRefusal: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Answer { case waiting, begun, answered, closed }

    private let clock: (any StudyClock)?
    private var answer = Answer.waiting
    private var isInRequest = false

    /// Without a clock the refusal has no `Date`.
    init(clock: (any StudyClock)? = nil) { self.clock = clock }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: isInRequest = true
        case .body: break
        case .end:
            isInRequest = false
            if answer == .answered { answer = .waiting }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard answer != .closed else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.code >= 200: answer = .begun
        case .end: answer = isInRequest ? .answered : .waiting
        default: break
        }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError {
            if answer == .waiting { refuse(context) }
            answer = .closed
        }
        context.fireErrorCaught(error)
    }

    private func refuse(_ context: ChannelHandlerContext) {
        var headers: HTTPHeaders = ["Connection": "close", "Content-Length": "0"]
        if let clock { headers.add(name: "Date", value: HTTPDate.text(clock.now)) }
        let head = HTTPResponseHead(version: .http1_1, status: .badRequest, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
