// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The commands' end of the control socket.
package struct ControlClient: Sendable {
    private let path: String

    /// A client of the agent whose socket is at `path`.
    package init(path: String) { self.path = path }

    /// Sends a request and waits for the answer; nil when no agent runs. Blocks.
    package func call(_ request: ControlRequest, within limit: Duration = .seconds(60)) throws -> ControlAnswer? {
        guard let connection = try connection() else { return nil }
        defer { close(connection) }
        ControlLine.send(ControlLine.line(request), to: connection)
        return ControlLine.receive(from: connection, within: limit).flatMap(ControlLine.answer)
            ?? .refused(reason: "studyd did not answer in time")
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
            cause: "cannot reach studyd: \(String(cString: strerror(reason)))",
            remedy: "try again as root or as the user studyd")
    }
}
