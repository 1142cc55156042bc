// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// The commands' end of the `ControlSocket` of the running agent.
package struct ControlClient: Sendable {
    private let path: String

    package init(path: String) { self.path = path }

    /// Sends a request and waits for the answer; nil when no agent runs. Blocks, at
    /// most for `limit`.
    package func call(_ request: ControlRequest, within limit: Duration = .seconds(60)) throws -> ControlAnswer? {
        guard let connection = try connection() else { return nil }
        defer { close(connection) }
        let clock = SystemClock()
        let deadline = clock.monotonic + limit
        var rest = ControlLine.line(request)[...]
        var answer: [UInt8] = []
        while answer.last != UInt8(ascii: "\n") {
            let event = Int16(rest.isEmpty ? POLLIN : POLLOUT)
            var waiting = pollfd(fd: connection, events: event, revents: 0)
            let count = poll(&waiting, 1, CInt(clamping: max(0, (deadline - clock.monotonic).milliseconds)))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .refused(reason: "studyd did not answer in time") }
            let moved = rest.isEmpty ? Self.receive(&answer, from: connection) : Self.send(&rest, to: connection)
            guard moved > 0 || moved < 0 && (errno == EAGAIN || errno == EINTR) else {
                return .refused(reason: "studyd ended the connection without an answer")
            }
        }
        do { return try ControlLine.content(answer) } catch { return .refused(reason: "\(error)") }
    }

    /// As recv(2).
    static func receive(_ bytes: inout [UInt8], from descriptor: CInt) -> Int {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
        bytes += chunk.prefix(max(0, count))
        return count
    }

    /// As send(2); takes away what was sent.
    static func send(_ bytes: inout ArraySlice<UInt8>, to descriptor: CInt) -> Int {
        let count = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        bytes = bytes.dropFirst(max(0, count))
        return count
    }

    /// An open connection, nil when the agent does not listen.
    func connection() throws -> CInt? {
        // At a path too long for a socket no agent can listen.
        guard let address = sockaddr_un(path: path) else { return nil }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if address.withAddress({ connect(descriptor, $0, $1) }) == 0 { return descriptor }
        let reason = errno
        close(descriptor)
        if reason == ENOENT || reason == ECONNREFUSED { return nil }
        throw ConfigError(
            file: path, cause: "cannot reach studyd: \(String(cString: strerror(reason)))",
            remedy: "try again as root or as the user studyd")
    }
}
