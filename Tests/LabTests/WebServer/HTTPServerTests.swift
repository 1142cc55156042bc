// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Glibc
import Patience
import Synchronization
import SystemKit
import Testing

@testable import Lab

/// Runs a server of some routes, gives its port to the body, and stops it.
func withServer(
    _ router: Router, limits: ServerLimits = ServerLimits(), proxies: TrustedProxies = TrustedProxies([]),
    clock: (any StudyClock)? = nil, _ body: @Sendable @escaping (Int, HTTPServer) async throws -> Void
) async throws {
    let server = HTTPServer(router, limits: limits, proxies: proxies, clock: clock)
    let ports = AsyncStream<Int>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            try await server.run(port: 0) { ports.continuation.yield($0) }
        }
        for await port in ports.stream {
            defer { server.stop() }
            try await body(port, server)
            break
        }
        try await tasks.waitForAll()
    }
}

private func echo() -> Router {
    var router = Router()
    router.on("GET", "/hello/:name") { .text("hello \($0.parameters["name"] ?? "unnamed")\n") }
    router.on("POST", "/echo", bodyLimit: 10) { request in
        HTTPResponse(200, content: .bytes(try await request.body.collect(upTo: 10)))
    }
    router.on("POST", "/deaf", bodyLimit: 100) { _ in .text("did not listen") }
    router.on("GET", "/broken") { _ in throw ServerLimitsTestsError.broken }
    router.on("GET", "/hangup") { _ in HTTPResponse(200, content: .hangUp) }
    return router
}

private enum ServerLimitsTestsError: Error { case broken }

private func get(_ path: String, method: String = "GET", more: String = "", body: String = "") -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(more)\r\n\(body)"
}

@Suite(.timeLimit(.minutes(10))) struct HTTPServerTests {
    @Test func anAddressThatIsTakenIsNamedWithTheRemedy() async throws {
        try await withServer(echo()) { port, _ in
            let error = await #expect(throws: FileError.self) { try await HTTPServer(echo()).run(port: port) }
            #expect(error?.path == "127.0.0.1:\(port)")
            #expect(error?.explanation.remedy?.contains("another --port") == true)
        }
    }

    /// RFC 952: no name has a space, and so no server of names is asked.
    @Test func aNameOfNoMachineIsNamedWithTheRemedy() async throws {
        let name = "the lab"
        let error = await #expect(throws: FileError.self) { try await HTTPServer(echo()).run(host: name, port: 0) }
        #expect(error?.path == name && error?.explanation.remedy?.contains("--host") == true)
    }

    @Test(arguments: [
        (get("/hello/w%C3%B6rld"), ["HTTP/1.1 200 OK", "hello wörld"]),
        (get("/hello/"), ["HTTP/1.1 404"]),
        (get("/hello/x", method: "PUT"), ["HTTP/1.1 405", "Allow: GET, HEAD"]),
        (get("/hello/%zz"), ["HTTP/1.1 400"]),
        (get("/hello/%00"), ["HTTP/1.1 400"]),
        (get("/echo", method: "POST", more: "Content-Length: 5\r\n", body: "abcde"), ["200 OK", "\r\n\r\nabcde"]),
        (get("/echo", method: "POST", more: "Content-Length: 11\r\n", body: "abcdeabcdea"), ["HTTP/1.1 413"]),
        (
            get(
                "/echo", method: "POST", more: "Transfer-Encoding: chunked\r\n",
                body: "6\r\nabcdef\r\n6\r\nabcdef\r\n0\r\n\r\n"),
            ["HTTP/1.1 413"]
        ),
        (
            get("/echo", method: "POST", more: "Transfer-Encoding: chunked\r\n", body: "3\r\nabc\r\n0\r\n\r\n"),
            ["200 OK", "abc"]
        ),
        (
            get("/echo", method: "POST", more: "Expect: 100-continue\r\nContent-Length: 2\r\n", body: "ab"),
            ["HTTP/1.1 100 Continue\r\n", "HTTP/1.1 200 OK", "ab"]
        ),
        (get("/deaf", method: "POST", more: "Content-Length: 4\r\n", body: "abcd"), ["did not listen"]),
        (get("/broken"), ["HTTP/1.1 500", "its log says why"]),
        ("BOGUS\r\n\r\n", ["HTTP/1.1 400"]),
        (get("/hello/x", more: String(repeating: "A: b\r\n", count: 200)), ["HTTP/1.1 400"]),
        (get("/hello/x", more: "A: \(String(repeating: "b", count: 40_000))\r\n"), ["HTTP/1.1 400"]),
        (get("hello"), ["HTTP/1.1 400"]),
    ]) func everyRequestIsAnsweredOrRefusedWithItsReason(request: String, expected: [String]) async throws {
        try await withServer(echo()) { port, _ in
            let answer = try await RawClient.exchange(port, [request])
            for part in expected { #expect(answer.contains(part), "\(answer)") }
        }
    }

    /// 32 KiB of the path, and of all names and values together, none of which is long by itself. How they are told
    /// apart takes nothing.
    @Test(arguments: [(-50, "200"), (50, "400")]) func allFieldsTogetherHaveTheirSize(more: Int, status: String)
        async throws
    {
        let others = ["/hello/x", "Host", "x", "Connection", "close", "A", "B", "C", "D"].joined().utf8.count
        let left = ServerLimits().headBytes + more - others - 3 * 8000
        let fields = ["A", "B", "C"].map { "\($0): \(String(repeating: "b", count: 8000))\r\n" }.joined()
        try await withServer(echo()) { port, _ in
            let request = get("/hello/x", more: "\(fields)D: \(String(repeating: "b", count: left))\r\n")
            let answer = try await RawClient.exchange(port, [request])
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(300))")
        }
    }

    /// RFC 9112, 3.2.2: a server has to take the form in which clients ask proxies, and its host instead of `Host`.
    /// RFC 9110, 4.2: neither without a host nor with a user, and no path is the path `/`.
    @Test(arguments: [
        ("http://lab.example.org:8080/where?x=1", "http://lab.example.org:8080/where?x=1"),
        ("HTTPS://[::1]/where", "http://[::1]/where?"),
        ("http://lab/where?u=http://b/c", "http://lab/where?u=http://b/c"),
        ("/where?u=http://b/c", "http://x/where?u=http://b/c"), ("http://lab", "http://lab/?"),
        ("http://lab?x", "http://lab/?x"), ("http:///where", "HTTP/1.1 400"), ("http://a@lab/where", "HTTP/1.1 400"),
        ("ftp://lab/where", "HTTP/1.1 400"), ("http:/where", "HTTP/1.1 400"),
    ]) func aWholeAddressIsATarget(target: String, expected: String) async throws {
        var router = Router()
        for path in ["/", "/where"] {
            router.on("GET", path) { .text("\($0.address)\($0.path)?\($0.query ?? "")\n") }
        }
        try await withServer(router) { port, _ in
            let answer = try await RawClient.exchange(port, [get(target)])
            let isRefused = expected.hasPrefix("HTTP/1.1 400")
            #expect(isRefused ? answer.hasPrefix(expected) : answer.hasSuffix("\r\n\r\n\(expected)\n"), "\(answer)")
        }
    }

    /// RFC 9110, 6.6.1: whatever the answer, but none of a server without a clock.
    @Test(arguments: [
        ("/hello/x", "200"), ("/hello/", "404"), ("/own", "200"), ("/broken", "500"),
        ("/ no HTTP", "400"),
    ]) func everyAnswerSaysWhenItWasMade(path: String, status: String) async throws {
        var router = echo()
        router.on("GET", "/own") { _ in HTTPResponse(200, fields: ["Date": "Sun, 06 Nov 1994 08:49:37 GMT"]) }
        let date = path == "/own" ? "Sun, 06 Nov 1994 08:49:37 GMT" : "Thu, 28 May 2026 20:26:40 GMT"
        try await withServer(router, clock: StillClock()) { port, _ in
            let answer = try await RawClient.exchange(port, [get(path)])
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            #expect(answer.contains("\r\nDate: \(date)\r\n") && answer.components(of: "\r\nDate: ") == 1, "\(answer)")
        }
        try await withServer(echo()) { port, _ in
            let answer = try await RawClient.exchange(port, [get("/hello/x")])
            #expect(!answer.contains("Date: "), "\(answer)")
        }
    }

    @Test func headHasTheLengthButNoContent() async throws {
        try await withServer(echo()) { port, _ in
            let answer = try await RawClient.exchange(port, [get("/hello/x", method: "HEAD")])
            #expect(answer.contains("Content-Length: 8\r\n"))
            #expect(answer.hasSuffix("\r\n\r\n"))
        }
    }

    /// Each is followed by a second request on the same connection.
    @Test(arguments: [
        ("GET /hello/x HTTP/1.1\r\nHost: x\r\n\r\n", 2),
        ("POST /deaf HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", 1),
        ("POST /deaf HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 1),
    ]) func aConnectionWithUnreadBytesIsClosedAndSaysSo(request: String, answers: Int) async throws {
        try await withServer(echo()) { port, _ in
            let answer = try await RawClient.exchange(port, [request + get("/hello/x")])
            #expect(answer.components(of: "HTTP/1.1 200 OK") == answers)
            #expect(answer.components(of: "Connection: close") == 1)
        }
    }

    /// RFC 9112, 9.3 and C.2.2: before 1.1 a connection stays where both sides say so, from 1.1 on unless one says not.
    @Test(
        arguments: [
            ("1.0", "keep-alive", "keep-alive"), ("1.0", "close", "close"), ("1.0", nil, "close"), ("1.1", nil, nil),
            ("1.1", "keep-alive", nil), ("1.1", "close", "close"),
        ] as [(String, String?, String?)])
    func aConnectionStaysAsItsVersionHasIt(version: String, asked: String?, said: String?) async throws {
        try await withServer(echo()) { port, _ in
            let field = asked.map { "Connection: \($0)\r\n" } ?? ""
            let request = "GET /hello/x HTTP/\(version)\r\nHost: x\r\n\(field)\r\n"
            let stays = said != "close"
            let answer = try await RawClient.exchange(port, [request + (stays ? get("/hello/last") : "")])
            #expect(answer.components(of: "HTTP/1.1 200 OK") == (stays ? 2 : 1), "\(answer)")
            let head = answer.split(separator: "\r\n\r\n").first?.split(whereSeparator: \.isNewline) ?? []
            let fields = head.filter { $0.hasPrefix("Connection: ") }.map(String.init)
            #expect(fields == (said.map { ["Connection: \($0)"] } ?? []), "\(answer)")
        }
    }

    @Test func aConnectionServesSeveralRequestsInTurn() async throws {
        try await withServer(echo()) { port, _ in
            let first = "GET /hello/one HTTP/1.1\r\nHost: x\r\n\r\n"
            let answer = try await RawClient.exchange(port, [first + first + get("/hello/two")])
            #expect(answer.components(of: "HTTP/1.1 200 OK") == 3)
            #expect(answer.hasSuffix("hello two\n"))
        }
    }

    @Test func aBodyThatEndsEarlyIsNoBody() async throws {
        try await withServer(echo()) { port, _ in
            let request = get("/echo", method: "POST", more: "Content-Length: 9\r\n", body: "abc")
            let answer = try await RawClient.exchange(port, [request], closesAfterwards: true)
            #expect(!answer.contains("200 OK"))
        }
    }

    @Test func aHangUpGivesNoByte() async throws {
        try await withServer(echo()) { port, _ in
            let last = try await RawClient.exchange(port, [get("/hangup")])
            #expect(last.isEmpty)
        }
    }

    @Test(arguments: [
        ("GET /hello/x HTT", "HTTP/1.1 408"),
        ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab", "HTTP/1.1 408"),
        ("", ""),
    ]) func aClientThatStopsTalkingIsLetGo(sent: String, answered: String) async throws {
        var limits = ServerLimits()
        limits.headTime = .milliseconds(50)
        limits.idleTime = .milliseconds(50)
        try await withServer(echo(), limits: limits) { port, _ in
            let answer = try await RawClient.exchange(port, [sent])
            #expect(answer.hasPrefix(answered))
            if answered.isEmpty { #expect(answer.isEmpty) }
        }
    }

    @Test func aBusyConnectionIsNotClosedForANewcomer() async throws {
        var limits = ServerLimits()
        limits.connections = 1
        let arrived = AsyncStream<Void>.makeStream()
        let goOn = AsyncStream<Void>.makeStream()
        var router = Router()
        router.on("GET", "/long") { _ in
            arrived.continuation.finish()
            for await _ in goOn.stream {}
            return .text("done")
        }
        try await withServer(router, limits: limits) { port, _ in
            async let long = RawClient.exchange(port, [get("/long")])
            for await _ in arrived.stream {}
            let refused = try await RawClient.exchange(port, [get("/long")])
            #expect(refused.isEmpty)
            goOn.continuation.finish()
            let answer = try await long
            #expect(answer.hasSuffix("done"))
        }
    }

    /// As a slow loris does: 80 connections of one client that say nothing, or
    /// never end their head.
    @Test(arguments: ["", "GET / HTTP/1.1\r\nX-a: "], [(64, 8), (8, 64)])
    func silentConnectionsDoNotShutOthersOut(said: String, limit: (all: Int, client: Int)) async throws {
        var limits = ServerLimits()
        (limits.connections, limits.connectionsPerClient) = (limit.all, limit.client)
        try await withServer(echo(), limits: limits) { port, _ in
            let silent = try await onThread { try (0..<80).map { _ in try RawClient.connect(port) } }
            defer { for socket in silent { close(socket) } }
            for socket in silent { RawClient.send(socket, said) }
            for _ in 0..<3 {
                let answer = try await RawClient.exchange(port, [get("/hello/x")])
                #expect(answer.contains("hello x"))
            }
        }
    }

    @Test func aBodyThatTricklesIsBrokenOff() async throws {
        var limits = ServerLimits()
        limits.idleTime = .seconds(5)
        limits.bodyPatience = .seconds(1)
        limits.slowestBody = 1000
        var router = Router()
        router.on("POST", "/slow", bodyLimit: 1 << 20) { request in
            HTTPResponse(200, content: .bytes(try await request.body.collect(upTo: 1 << 20)))
        }
        try await withServer(router, limits: limits) { port, _ in
            let answer = try await onThread {
                let socket = try RawClient.connect(port)
                defer { close(socket) }
                RawClient.send(socket, "POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
                var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                while poll(&ready, 1, 100) == 0 { RawClient.send(socket, "x") }
                return RawClient.readToEnd(socket)
            }
            #expect(answer.hasPrefix("HTTP/1.1 408"))
        }
    }

    @Test(arguments: [
        ("GET /hello/x HTTP/1.1\r\nConnection: close\r\n\r\n", "400"),
        ("GET /hello/x HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n", "400"),
        ("GET /hello/x HTTP/1.0\r\n\r\n", "200"),
    ]) func aRequestNeedsOneHost(request: String, status: String) async throws {
        try await withServer(echo()) { port, _ in
            let answer = try await RawClient.exchange(port, [request])
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"))
        }
    }

    @Test func filesAreStreamedWhole() async throws {
        let path = "/tmp/studyd-served-\(getpid()).bin"
        let text = String(repeating: "0123456789abcdef", count: 40_000)
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
        defer { unlink(path) }
        var router = Router()
        router.on("GET", "/file") { _ in HTTPResponse(200, content: .file(path: path)) }
        router.on("GET", "/gone") { _ in HTTPResponse(200, content: .file(path: path + ".gone")) }
        try await withServer(router) { port, _ in
            let answer = try await RawClient.exchange(port, [get("/file")])
            #expect(answer.hasSuffix("\r\n\r\n" + text))
            let last = try await RawClient.exchange(port, [get("/gone")])
            #expect(last.contains("HTTP/1.1 404"))
        }
    }

    /// tcp(7): what is not read fills both sides' buffers, a few megabytes, and then the server waits. A server that
    /// is stopped runs until its last connection has ended, and the grace is longer than the test may take.
    @Test func aClientThatStopsReadingAFileIsLetGo() async throws {
        let path = "/tmp/studyd-unread-\(getpid()).bin"
        let file = try #require(fopen(path, "w"))
        ftruncate(fileno(file), 256 << 20)
        fclose(file)
        defer { unlink(path) }
        let arrived = AsyncStream<Void>.makeStream()
        var router = Router()
        router.on("GET", "/file") { _ in
            arrived.continuation.finish()
            return HTTPResponse(200, content: .file(path: path))
        }
        var limits = ServerLimits()
        (limits.headTime, limits.idleTime, limits.graceTime) = (.seconds(10), .seconds(5), .seconds(3600))
        let client = Mutex<CInt>(-1)
        defer { _ = close(client.withLock { $0 }) }
        try await withServer(router, limits: limits) { port, _ in
            // In one step: a request that begins later than the time for its head is not served.
            let socket = try await onThread {
                let socket = try RawClient.connect(port)
                RawClient.send(socket, get("/file"))
                return socket
            }
            client.withLock { $0 = socket }
            for await _ in arrived.stream {}
            try await eventually("the head has come") {
                var head = [UInt8](repeating: 0, count: 12)
                return recv(socket, &head, head.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == head.count
                    && head == Array("HTTP/1.1 200".utf8)
            }
        }
        let unread = client.withLock { $0 }
        #expect(try await onThread { RawClient.readToEnd(unread).utf8.count } < 256 << 20)
    }

    /// curl's own limit of its rate: the whole takes more than twice the idle time.
    @Test func anAnswerThatIsReadSteadilyComesWhole() async throws {
        var router = Router()
        router.on("GET", "/table") { _ in HTTPResponse(200, content: .bytes([UInt8](repeating: 120, count: 16 << 20))) }
        var limits = ServerLimits()
        (limits.headTime, limits.idleTime) = (.seconds(2), .seconds(2))
        try await withServer(router, limits: limits) { port, _ in
            let answer = try await run([
                "curl", "-s", "-S", "--max-time", "300", "--limit-rate", "3M", "-o", "/dev/null", "-w",
                "%{size_download}", "http://127.0.0.1:\(port)/table",
            ])
            #expect(answer == "\(16 << 20)")
        }
    }

    @Test func aStopLetsAnAnswerUnderWayEnd() async throws {
        let running = Mutex<HTTPServer?>(nil)
        var router = Router()
        router.on("GET", "/last") { _ in
            running.withLock { $0 }?.stop()
            return .text("finished")
        }
        try await withServer(router) { port, server in
            running.withLock { $0 = server }
            let last = try await RawClient.exchange(port, ["GET /last HTTP/1.1\r\nHost: x\r\n\r\n"])
            #expect(last.hasSuffix("finished"))
        }
    }

    @Test func aHandlerThatHangsIsBrokenOffAfterTheGrace() async throws {
        var limits = ServerLimits()
        limits.graceTime = .milliseconds(20)
        let arrived = AsyncStream<Void>.makeStream()
        var router = Router()
        router.on("GET", "/hang") { _ in
            arrived.continuation.finish()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            return .text("never")
        }
        try await withServer(router, limits: limits) { port, server in
            async let answer = RawClient.exchange(port, [get("/hang")])
            for await _ in arrived.stream {}
            server.stop()
            let received = try await answer
            #expect(received.isEmpty)
        }
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
