// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Hardware
import SystemKit
import Times

/// The agent's Unix socket: commands that change state go through it while the agent runs.
///
/// `serve()` blocks and belongs on a thread of its own; `stop()` may come from any thread, `close()` after `serve()` has
/// returned.
public struct ControlSocket: Sendable {
    /// The most bytes of one request or reply.
    public static let maximumSize = 1 << 20
    /// How long a command may take to send its request, and to take its reply.
    static let patience: Duration = .seconds(5)
    private let path: String
    private let listener: CInt
    private let wake: (read: CInt, write: CInt)

    /// Listens at `path`; a socket file that a dead agent left behind is replaced, a living one refused.
    public init(path: String) throws {
        guard let address = sockaddr_un(path: path) else {
            throw ConfigError(
                file: path, path: "", line: nil, message: "is too long for a socket; use a shorter --state")
        }
        if let other = try ControlClient(path: path).connection() {
            _ = Glibc.close(other)
            throw ConfigError(
                file: path, path: "", line: nil, message: "another studyd is running with this state folder")
        }
        unlink(path)
        self.path = path
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var ends: [CInt] = [-1, -1]
        let isOpen =
            listener >= 0 && pipe(&ends) == 0 && address.withAddress { bind(listener, $0, $1) } == 0
            && chmod(path, 0o660) == 0 && listen(listener, 8) == 0
        let reason = errno
        self.listener = listener
        wake = (ends[0], ends[1])
        for end in ends where end >= 0 { Self.keepFromChildren(end) }
        guard isOpen else {
            close()
            throw ConfigError(
                file: path, path: "", line: nil, message: "cannot listen here: \(String(cString: strerror(reason)))")
        }
    }

    /// Takes calls until `stop()`; `handle` must answer each by its `reply`. All callers are listened to at once: one that is silent, or slow, holds
    /// up nobody.
    public func serve(_ handle: @Sendable (ControlCall) -> Void) {
        var callers: [Caller] = []
        defer { for caller in callers { _ = Glibc.close(caller.descriptor) } }
        let clock = SystemClock()
        while true {
            let now = clock.monotonic
            for caller in callers where caller.deadline <= now { Self.refuse(caller.descriptor) }
            callers.removeAll { $0.deadline <= now }
            var waiting = [wake.read, listener].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            waiting += callers.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            let wait = callers.map(\.deadline).min().map { CInt(clamping: ($0 - now).milliseconds + 1) } ?? -1
            guard poll(&waiting, nfds_t(waiting.count), wait) >= 0 || errno == EINTR else { return }
            if waiting[0].revents != 0 { return }
            for index in callers.indices.reversed() where waiting[index + 2].revents != 0 {
                guard callers[index].hasFinished() else { continue }
                Self.answer(callers.remove(at: index), handle)
            }
            if waiting[1].revents != 0 { accept(into: &callers, until: clock.monotonic + Self.patience) }
        }
    }

    /// So many callers are listened to; the one that has been silent for the longest makes room for a new one.
    private static let mostCallers = 32

    private func accept(into callers: inout [Caller], until deadline: MonotonicTime) {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else {
            guard errno == EMFILE || errno == ENFILE else { return }
            // The caller stays in the queue and would wake us at once again.
            var stop = pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0)
            _ = poll(&stop, 1, 1000)
            return
        }
        Self.keepFromChildren(descriptor)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        if callers.count >= Self.mostCallers { Self.refuse(callers.removeFirst().descriptor) }
        callers.append(Caller(descriptor: descriptor, deadline: deadline))
    }

    /// Somebody whose request has not come whole.
    private struct Caller {
        let descriptor: CInt
        let deadline: MonotonicTime
        var line: [UInt8] = []

        /// Takes what is there. True when there is nothing more to wait for: a whole line, too much, or the end.
        mutating func hasFinished() -> Bool {
            var chunk = [UInt8](repeating: 0, count: 4096)
            while line.count <= ControlSocket.maximumSize {
                let length = read(descriptor, &chunk, chunk.count)
                if length < 0 && errno == EINTR { continue }
                if length < 0 && errno == EAGAIN { return false }
                guard length > 0 else { return true }
                line.append(contentsOf: chunk[..<length])
                if line.last == UInt8(ascii: "\n") { return true }
            }
            return true
        }
    }

    /// Makes `serve()` return and takes the socket file away.
    public func stop() {
        _ = write(wake.write, [0], 1)
        unlink(path)
    }

    /// Gives the descriptors back; the socket is of no use afterwards.
    public func close() {
        for descriptor in [listener, wake.read, wake.write] where descriptor >= 0 { _ = Glibc.close(descriptor) }
    }

    private static func answer(_ caller: Caller, _ handle: @Sendable (ControlCall) -> Void) {
        let connection = caller.descriptor
        guard let request = try? JSONDecoder().decode(ControlRequest.self, from: Data(caller.line)) else {
            return refuse(connection)
        }
        handle(ControlCall(request: request) { ControlLine.reply($0, to: connection) })
    }

    private static func refuse(_ connection: CInt) {
        ControlLine.reply(ControlReply(succeeded: false, text: "the request was not one line of JSON"), to: connection)
    }

    /// A program that the agent starts gets no part of the socket.
    private static func keepFromChildren(_ descriptor: CInt) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
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
        // At a path too long for a socket no agent can listen.
        guard let address = sockaddr_un(path: path) else { return nil }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if address.withAddress({ connect(descriptor, $0, $1) }) == 0 { return descriptor }
        let reason = errno
        close(descriptor)
        if reason == ENOENT || reason == ECONNREFUSED { return nil }
        throw ConfigError(
            file: path, path: "", line: nil,
            message:
                "cannot reach the running agent: \(String(cString: strerror(reason))); try as the studyd user or root")
    }
}

/// One line of JSON over a stream socket.
enum ControlLine {
    /// Answers a caller and ends the connection. What the caller does not take at once is sent by a thread of its own, for as long as
    /// `ControlSocket.patience`.
    static func reply(_ reply: ControlReply, to descriptor: CInt) {
        guard var bytes = (try? JSONEncoder().encode(reply)).map({ Array($0) + [UInt8(ascii: "\n")] }) else {
            _ = close(descriptor)
            return
        }
        let sent = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        guard sent > 0 || errno == EAGAIN, sent < bytes.count else {
            _ = close(descriptor)
            return
        }
        bytes.removeFirst(max(0, sent))
        let rest = bytes
        let started = try? NamedThread(name: "studyd-reply") {
            finish(rest[...], to: descriptor)
            _ = close(descriptor)
        }
        if started == nil { _ = close(descriptor) }
    }

    private static func finish(_ rest: ArraySlice<UInt8>, to descriptor: CInt) {
        let clock = SystemClock()
        let deadline = clock.monotonic + ControlSocket.patience
        var rest = rest
        while !rest.isEmpty {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let left = (deadline - clock.monotonic).milliseconds
            let count = left > 0 ? poll(&waiting, 1, CInt(clamping: left)) : 0
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            let sent = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if sent < 0 && (errno == EINTR || errno == EAGAIN) { continue }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    /// Sends it all, unless the other end takes nothing for `ControlSocket.patience`.
    static func send(_ value: some Encodable, to descriptor: CInt) {
        guard let encoded = try? JSONEncoder().encode(value) else { return }
        var patience = timeval(tv_sec: time_t(ControlSocket.patience.milliseconds / 1000), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var bytes = Array(encoded)[...]
        bytes.append(UInt8(ascii: "\n"))
        while !bytes.isEmpty {
            let sent = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if sent < 0 && errno == EINTR { continue }
            guard sent > 0 else { return }
            bytes = bytes.dropFirst(sent)
        }
    }

    /// One line that has come whole within `limit`, else nil: who sends a byte now and then keeps nobody waiting for long.
    static func receive<Value: Decodable>(from descriptor: CInt, within limit: Duration) -> Value? {
        let clock = SystemClock()
        let deadline = clock.monotonic + limit
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while line.last != UInt8(ascii: "\n"), line.count <= ControlSocket.maximumSize {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let rest = (deadline - clock.monotonic).milliseconds
            let count = rest > 0 ? poll(&waiting, 1, CInt(clamping: rest)) : 0
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            let length = read(descriptor, &chunk, chunk.count)
            if length < 0 && errno == EINTR { continue }
            guard length > 0 else { break }
            line.append(contentsOf: chunk[..<length])
        }
        return try? JSONDecoder().decode(Value.self, from: Data(line))
    }
}
