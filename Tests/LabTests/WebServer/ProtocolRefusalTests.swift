// SPDX-License-Identifier: Apache-2.0
import Glibc
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Lab

private func chunked(_ path: String) -> String {
    "POST \(path) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
}

/// A second answer to one request ends a debug build by an assertion of NIO: "Received second
/// response while waiting for first one to complete".
@Suite(.timeLimit(.minutes(10))) struct ProtocolRefusalTests {
    /// The handler of `/echo` fails at the broken body, that of `/deaf` has an
    /// answer in spite of it.
    @Test(arguments: [
        chunked("/echo") + "not a length\r\n",
        chunked("/echo") + "3\r\nabcXX\r\n",
        chunked("/deaf") + "not a length\r\n",
        "BOGUS\r\n\r\n",
    ]) func aBrokenRequestHasOneAnswer(request: String) async throws {
        try await withServer(Self.router) { port, _ in
            let answer = try await RawClient.exchange(port, [request])
            #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.ranges(of: "HTTP/1.1").count == 1, "\(answer)")
        }
    }

    /// The answer is known to be on its way before the body breaks.
    @Test func aRequestThatBreaksAfterItsAnswerHasNoSecondOne() async throws {
        try await withServer(Self.router) { port, _ in
            let answer = try await onThread {
                let socket = try RawClient.connect(port)
                defer { close(socket) }
                RawClient.send(socket, chunked("/deaf"))
                let first = RawClient.read(socket)
                RawClient.send(socket, "not a length\r\n")
                return first + RawClient.readToEnd(socket)
            }
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix("did not listen"), "\(answer)")
            #expect(answer.ranges(of: "HTTP/1.1").count == 1, "\(answer)")
        }
    }

    private static var router: Router {
        var router = Router()
        router.on("POST", "/echo", bodyLimit: 100) { request in
            HTTPResponse(200, content: .bytes(try await request.body.collect(upTo: 100)))
        }
        router.on("POST", "/deaf", bodyLimit: 100) { _ in .text("did not listen") }
        return router
    }

    /// What is written behind the refusal fails, so that its writer waits for nothing.
    @Test func whatIsWrittenBehindTheRefusalFails() throws {
        let channel = EmbeddedChannel(loop: EmbeddedEventLoop())
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        try channel.pipeline.syncOperations.addHandler(ProtocolRefusal())
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidHeaderToken)
        #expect(throws: HTTPParserError.self) { try channel.throwIfErrorCaught() }
        let first = try channel.readOutbound(as: HTTPServerResponsePart.self)
        guard case .head(let head)? = first else {
            Issue.record("\(String(describing: first))")
            return
        }
        #expect(head.status == .badRequest && head.headers["Connection"] == ["close"])
        #expect(try channel.readOutbound(as: HTTPServerResponsePart.self) == .end(nil))
        #expect(throws: ChannelError.ioOnClosedChannel) {
            try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        }
        #expect(try channel.readOutbound(as: HTTPServerResponsePart.self) == nil)
    }
}
