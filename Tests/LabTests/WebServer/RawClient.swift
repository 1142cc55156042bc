// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// A client that sends exactly the bytes it is given and collects what comes until
/// the server closes.
enum RawClient {
    struct NoConnection: Error {}

    static func exchange(_ port: Int, _ pieces: [String], closesAfterwards: Bool = false) async throws -> String {
        try await onThread {
            let socket = try connect(port)
            defer { close(socket) }
            for piece in pieces { send(socket, piece) }
            if closesAfterwards { shutdown(socket, CInt(SHUT_WR)) }
            return readToEnd(socket)
        }
    }

    static func connect(_ port: Int) throws -> CInt {
        let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw NoConnection() }
        return socket
    }

    static func send(_ socket: CInt, _ text: String) {
        _ = Glibc.send(socket, text, text.utf8.count, CInt(MSG_NOSIGNAL))
    }

    /// Some bytes, as soon as there are any.
    static func read(_ socket: CInt) -> String {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        return String(decoding: buffer[..<max(0, recv(socket, &buffer, buffer.count, 0))], as: UTF8.self)
    }

    static func readToEnd(_ socket: CInt) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
