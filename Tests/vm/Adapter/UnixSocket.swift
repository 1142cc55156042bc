// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A listening Unix socket and the one connection it has at a time; a newer one replaces the older.
final class UnixSocket {
    private let path: String
    private let listener: CInt
    private(set) var connection: CInt = -1

    init(_ path: String) throws(AdapterError) {
        self.path = path
        listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard listener >= 0, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw AdapterError("\(path): no socket, or too long a path for one")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        unlink(path)
        let code = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0, listen(listener, 1) == 0 else {
            throw AdapterError("\(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        hangUp()
        close(listener)
        unlink(path)
    }

    /// What poll(2) is to look at.
    var polled: [pollfd] {
        [listener, connection].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    /// Takes the connection that waits.
    func accept() {
        hangUp()
        connection = Glibc.accept(listener, nil, nil)
    }

    /// What has arrived; nil when the other side is gone.
    func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(connection, &bytes, bytes.count)
        guard count > 0 else {
            hangUp()
            return nil
        }
        return Array(bytes.prefix(count))
    }

    /// Sends all of it; a side that is gone is noticed by `receive`.
    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count, connection >= 0 {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            sent += count
        }
    }

    func hangUp() {
        if connection >= 0 { close(connection) }
        connection = -1
    }
}
