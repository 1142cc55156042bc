// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A TCP port of 127.0.0.1 that stays with its test: while nothing listens on it connections are
/// refused, and no other socket of this machine is given it. A server that sets SO_REUSEADDR may
/// listen on it, end, and come back: Linux lets a socket bind where all others that are bound set
/// it too and none of them listens (socket(7), ip(7)).
package final class HeldPort: Sendable {
    package let number: Int
    private let descriptor: CInt

    package init() throws(Failure) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var reuse: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<CInt>.size))
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &place) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        number = Int(UInt16(bigEndian: place.sin_port))
        guard isBound else { throw Failure(description: "no port to hold: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// Has the kernel take connections (listen(2)), on which nothing is ever said.
    package func listenSilently() throws(Failure) {
        guard listen(descriptor, 8) == 0 else { throw Failure(description: String(cString: strerror(errno))) }
    }

    /// Breaks those connections.
    package func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Blocks until the kernel has taken a connection, for that many milliseconds at most: then false.
    package func isAsked(within milliseconds: CInt) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, milliseconds) > 0
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }
}
