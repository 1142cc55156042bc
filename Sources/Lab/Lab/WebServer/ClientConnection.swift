// SPDX-License-Identifier: Apache-2.0
import Base
import NIOCore
import NIOHTTP1

/// One client: request after request until either side closes. `HTTPServer` serves each in a separate task.
struct ClientConnection {
    typealias Channel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    let channel: Channel
    let router: Router
    let limits: ServerLimits
    let proxies: TrustedProxies
    let ledger: ConnectionLedger
    /// Nil = none: answers do not say when they were made.
    let clock: (any StudyClock)?
    let report: @Sendable (String) -> Void

    func serve() async {
        let key = ObjectIdentifier(channel.channel)
        let peer = TrustedProxies.plain(channel.channel.remoteAddress?.ipAddress ?? "")
        // An error here means that the client went away or broke the protocol, which
        // `ProtocolRefusal` has answered.
        try? await channel.executeThenClose { inbound, _ in
            let writer = ResponseWriter(channel: channel.channel)
            let source = BodySource(inbound, writer)
            while let head = try await source.head() {
                let origin = proxies.origin(of: peer, HTTPFields(head.headers.lazy.map { ($0.name, $0.value) }))
                switch ledger.begin(key, of: origin.client) {
                case .closing: return
                case .crowded: return try await write(Self.crowded, to: head, stays: false, writer)
                case .begun: break
                }
                let stays = try await answer(head, from: origin, source, writer)
                guard ledger.end(key, of: proxies.owner(of: peer)), stays else { return }
            }
        }
    }

    private static let piece = 65_536
    private static let crowded = HTTPResponse.text("too many requests of this client are under way\n", status: 503)

    /// True when the connection can take another request.
    private func answer(
        _ head: HTTPRequestHead, from origin: RequestOrigin, _ source: BodySource, _ writer: ResponseWriter
    ) async throws -> Bool {
        let response = await response(to: head, from: origin, source)
        if case .hangUp = response.content { return false }
        let stays =
            head.isKeepAlive && !source.hasUnread && !ledger.isStopping && !Self.endsByClosing(response, to: head)
        try await write(response, to: head, stays: stays, writer)
        let drained = await source.drain(upTo: limits.drainedBytes)
        return stays && drained
    }

    private func response(
        to head: HTTPRequestHead, from origin: RequestOrigin, _ source: BodySource
    ) async -> HTTPResponse {
        do {
            var request = try Self.request(head, source, from: origin)
            try router.gate(request)
            let (route, parameters) = try router.route(request.method, request.path)
            request.parameters = parameters
            request.signature = router.signature(request)
            try source.allow(route.bodyLimit ?? limits.bodyBytes)
            let response = try await route.handler(request)
            if case .stream(let stream) = response.content, head.method != .HEAD { try await begin(stream) }
            return response
        } catch let failure as HTTPFailure {
            var response = HTTPResponse.text(failure.reason + "\n", status: failure.status)
            for field in failure.fields.all { response.fields[field.name] = field.value }
            return response
        } catch is CancellationError {
            return HTTPResponse(500, content: .hangUp)
        } catch {
            report("\(head.method.rawValue) \(head.uri.prefix(200)): \(error)")
            return .text("the server failed; its log says why\n", status: 500)
        }
    }

    /// A stream has no length: before HTTP/1.1 only the end of the connection ends it. An answer to HEAD is
    /// the head alone, after which the connection is closed too.
    private static func endsByClosing(_ response: HTTPResponse, to head: HTTPRequestHead) -> Bool {
        guard case .stream = response.content else { return false }
        return head.version == .http1_0 || head.method == .HEAD
    }

    /// Stops the stream with the connection, which the client may close before anything is sent.
    private func begin(_ stream: any ServedStream) async throws {
        // Weak: a connection outlives many streams.
        channel.channel.closeFuture.whenComplete { [weak stream] _ in stream?.stop() }
        do { try await stream.begin() } catch {
            stream.stop()
            throw error
        }
    }

    private static func request(
        _ head: HTTPRequestHead, _ source: BodySource, from origin: RequestOrigin
    ) throws(HTTPFailure) -> HTTPRequest {
        let (authority, rest) = target(of: head.uri)
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts.first.map(String.init) ?? ""
        guard path.hasPrefix("/") || head.uri == "*", authority.map({ !$0.isEmpty && !$0.contains("@") }) ?? true else {
            throw HTTPFailure(400, "the request target has to be a path, or an address with host and path")
        }
        // RFC 9112 §3.2: a request of HTTP/1.1 without exactly one Host has to be refused.
        let hosts = head.headers["host"].count
        guard hosts == 1 || (hosts == 0 && head.version == .http1_0) else {
            throw HTTPFailure(400, "a request has to have one Host field, not \(hosts)")
        }
        var fields = HTTPFields(head.headers.lazy.map { ($0.name, $0.value) })
        if let authority { fields["host"] = authority }
        return HTTPRequest(
            method: head.method.rawValue, path: path, query: parts.count > 1 ? String(parts[1]) : nil,
            fields: fields, origin: origin, body: RequestBody(source: source))
    }

    /// What a whole address names as the host, which then counts instead of `Host` (RFC 9112 §3.2.2), and the
    /// path and query.
    private static func target(of uri: String) -> (authority: String?, rest: String) {
        let lowercased = uri.lowercased()
        guard let scheme = ["http://", "https://"].first(where: lowercased.hasPrefix) else { return (nil, uri) }
        let address = uri.dropFirst(scheme.count)
        let authority = address.prefix { $0 != "/" && $0 != "?" }
        let rest = address.dropFirst(authority.count)
        return (String(authority), rest.hasPrefix("/") ? String(rest) : "/" + rest)
    }

    private func write(
        _ response: HTTPResponse, to head: HTTPRequestHead, stays: Bool, _ writer: ResponseWriter
    ) async throws {
        if case .stream(let stream) = response.content {
            return try await write(stream, response, to: head, stays: stays, writer)
        }
        guard case .file(let path) = response.content else {
            let bytes = if case .bytes(let bytes) = response.content { bytes } else { [UInt8]() }
            writer.write(self.head(response, length: bytes.count, to: head, stays: stays))
            if head.method != .HEAD { try await write(bytes, writer) }
            return try await writer.send(.end(nil))
        }
        guard let file = try await ServedFile.open(path) else {
            return try await write(.text("the file is gone\n", status: 404), to: head, stays: stays, writer)
        }
        writer.write(self.head(response, length: file.size, to: head, stays: stays))
        if head.method != .HEAD { try await write(file, writer) }
        try await writer.send(.end(nil))
    }

    private func write(
        _ stream: any ServedStream, _ response: HTTPResponse, to head: HTTPRequestHead, stays: Bool,
        _ writer: ResponseWriter
    ) async throws {
        defer { stream.stop() }
        let first = self.head(response, length: nil, to: head, stays: stays)
        // `.end` would send the end of a body, which an answer to HEAD does not have.
        guard head.method != .HEAD else { return try await writer.send(first) }
        writer.write(first)
        while let piece = try await stream.next() {
            try await writer.send(.body(.byteBuffer(ByteBuffer(bytes: piece))))
        }
        try await writer.send(.end(nil))
    }

    /// Writes in pieces; the client has the idle time for each of them.
    private func write(_ bytes: [UInt8], _ writer: ResponseWriter) async throws {
        var rest = ByteBuffer(bytes: bytes)
        while rest.readableBytes > Self.piece, let piece = rest.readSlice(length: Self.piece) {
            try await writer.send(.body(.byteBuffer(piece)))
        }
        if rest.readableBytes > 0 { writer.write(.body(.byteBuffer(rest))) }
    }

    private func write(_ file: ServedFile, _ writer: ResponseWriter) async throws {
        var offset = 0
        while offset < file.size {
            let piece = try await file.piece(at: offset)
            // A file that shrinks meanwhile cannot keep the announced length: the client must see
            // a broken answer.
            guard !piece.isEmpty else { throw HTTPFailure(500, "the file shrank while it was sent") }
            offset += piece.count
            try await writer.send(.body(.byteBuffer(ByteBuffer(bytes: piece))))
        }
    }

    /// Without a length the content goes in chunks, or up to the end of the connection.
    private func head(
        _ response: HTTPResponse, length: Int?, to request: HTTPRequestHead, stays: Bool
    ) -> HTTPServerResponsePart {
        var headers = HTTPHeaders(response.fields.all.map { ($0.name, $0.value) })
        // RFC 9110 §8.6: a 204 must not carry a length, a 304 need not.
        if response.status != 204, response.status != 304, let length {
            headers.replaceOrAdd(name: "Content-Length", value: String(length))
        }
        // RFC 9110 §6.6.1: a server with a clock has to say when.
        if let clock, !headers.contains(name: "Date") { headers.add(name: "Date", value: HTTPDate.text(clock.now)) }
        if !stays {
            headers.replaceOrAdd(name: "Connection", value: "close")
        } else if request.version == .http1_0 {
            headers.replaceOrAdd(name: "Connection", value: "keep-alive")
        }
        let status = HTTPResponseStatus(statusCode: response.status)
        let version: HTTPVersion = length == nil && request.version == .http1_0 ? .http1_0 : .http1_1
        return .head(HTTPResponseHead(version: version, status: status, headers: headers))
    }
}
