// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Addresses of Unix sockets, for the control socket, systemd and its journal.
extension sockaddr_un {
    /// A leading `@` means the abstract name space. nil when the path is too long.
    init?(path: String) {
        self.init()
        sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: sun_path) else { return nil }
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &sun_path) { $0.copyBytes(from: bytes) }
    }

    /// Sends one datagram there; false where nothing took it. Does not block.
    func send(_ bytes: [UInt8]) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withAddress {
            sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0, $1)
        } == bytes.count
    }

    /// Gives the address to a system call, in its exact length: in the abstract name space a NUL at
    /// the end would belong to the name (unix(7)).
    func withAddress<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        let isAbstract = sun_path.0 == 0
        let name = withUnsafeBytes(of: sun_path) { ($0.lastIndex { $0 != 0 } ?? 0) + 1 }
        let length = MemoryLayout<sa_family_t>.size + name + (isAbstract ? 0 : 1)
        return withUnsafePointer(to: self) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
