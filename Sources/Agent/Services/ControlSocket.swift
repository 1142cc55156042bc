// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// The agent's Unix socket: commands that change state go through it while the agent runs.
///
/// `serve()` blocks and belongs on a thread of its own; `stop()` may come from any thread.
public struct ControlSocket: Sendable {
    /// The most bytes of one request or reply.
    public static let maximumSize = 1 << 20
    private let path: String
    private let listener: CInt
    private let wake: (read: CInt, write: CInt)

    /// Listens at `path`; a socket file that a dead agent left behind is replaced, a living one refused.
    public init(path: String) throws {
        guard var address = sockaddr_un(path: path) else {
            throw ConfigError(file: path, path: "", line: nil, message: "is too long for a socket; use a shorter --state")
        }
        guard try ControlClient(path: path).connection() == nil else {
            throw ConfigError(file: path, path: "", line: nil, message: "another studyd is running with this state folder")
        }
        unlink(path)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.path = path
        var ends: [CInt] = [-1, -1]
        guard listener >= 0, pipe(&ends) == 0, Self.bind(listener, &address), chmod(path, 0o660) == 0,
            listen(listener, 8) == 0
        else {
            throw ConfigError(
                file: path, path: "", line: nil, message: "cannot listen here: \(String(cString: strerror(errno)))")
        }
        wake = (ends[0], ends[1])
    }

    /// Takes calls until `stop()`; `handle` must answer each by its `reply`.
    public func serve(_ handle: @Sendable (ControlCall) -> Void) {
        while true {
            var waiting = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0), pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0)]
            guard poll(&waiting, 2, -1) > 0 || errno == EINTR else { return }
            if waiting[1].revents != 0 { return }
            guard waiting[0].revents != 0 else { continue }
            let connection = accept(listener, nil, nil)
            if connection >= 0 { answer(connection, handle) }
        }
    }

    /// Makes `serve()` return and takes the socket file away.
    public func stop() {
        _ = write(wake.write, [0], 1)
        unlink(path)
    }

    private func answer(_ connection: CInt, _ handle: @Sendable (ControlCall) -> Void) {
        let reply: @Sendable (ControlReply) -> Void = { reply in
            ControlLine.send(reply, to: connection)
            close(connection)
        }
        guard let request: ControlRequest = ControlLine.receive(from: connection, within: .seconds(5)) else {
            return reply(ControlReply(succeeded: false, text: "the request was not one line of JSON"))
        }
        handle(ControlCall(request: request, reply: reply))
    }

    private static func bind(_ descriptor: CInt, _ address: inout sockaddr_un) -> Bool {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}

/// The commands' end of the control socket.
public struct ControlClient: Sendable {
    private let path: String

    /// A client of the agent whose socket is at `path`.
    public init(path: String) { self.path = path }

    /// Sends a request and waits for the reply; nil when no agent runs.
    public func call(_ request: ControlRequest, within limit: Duration = .seconds(60)) throws -> ControlReply? {
        guard let connection = try connection() else { return nil }
        defer { close(connection) }
        ControlLine.send(request, to: connection)
        return ControlLine.receive(from: connection, within: limit)
            ?? ControlReply(succeeded: false, text: "the running agent did not answer in time")
    }

    /// An open connection, nil when nobody listens.
    func connection() throws -> CInt? {
        guard var address = sockaddr_un(path: path) else { return nil }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result == 0 { return descriptor }
        let reason = errno
        close(descriptor)
        if reason == ENOENT || reason == ECONNREFUSED { return nil }
        throw ConfigError(
            file: path, path: "", line: nil,
            message: "cannot reach the running agent: \(String(cString: strerror(reason))); try as the studyd user or root")
    }
}

/// One line of JSON over a stream socket.
enum ControlLine {
    static func send(_ value: some Encodable, to descriptor: CInt) {
        guard let encoded = try? JSONEncoder().encode(value) else { return }
        var bytes = Array(encoded)[...]
        bytes.append(UInt8(ascii: "\n"))
        while !bytes.isEmpty {
            let sent = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if sent < 0 && errno == EINTR { continue }
            guard sent > 0 else { return }
            bytes = bytes.dropFirst(sent)
        }
    }

    static func receive<Value: Decodable>(from descriptor: CInt, within limit: Duration) -> Value? {
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while line.last != UInt8(ascii: "\n"), line.count <= ControlSocket.maximumSize {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, CInt(limit.milliseconds)) > 0 else { return nil }
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            line.append(contentsOf: chunk[..<count])
        }
        return try? JSONDecoder().decode(Value.self, from: Data(line))
    }
}
