// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// A serial line made of software: what is written here is read at `path` by the real
/// serial code, and back. `SimulatedGPS` sends through one.
package final class PseudoTerminal: Sendable {
    /// The device file of the other side: `/dev/pts/7`.
    package let path: String
    private let master: Descriptor
    /// Held open, so that the line outlives a reader that closes and reopens it.
    private let slave: Descriptor

    /// Makes a line in raw mode: no echo, every byte as it is.
    package init() throws(SystemError) {
        let multiplexer = "/dev/ptmx"
        master = try Descriptor(opening: multiplexer, flags: O_RDWR | O_NOCTTY | O_NONBLOCK)
        var locked: CInt = 0
        var number: CUnsignedInt = 0
        guard ioctl(master.rawValue, Request.TIOCSPTLCK, &locked) == 0,
            ioctl(master.rawValue, Request.TIOCGPTN, &number) == 0
        else { throw .last("unlock", multiplexer) }
        path = "/dev/pts/\(number)"
        slave = try Descriptor(opening: path, flags: O_RDWR | O_NOCTTY)
        var settings = termios()
        guard tcgetattr(slave.rawValue, &settings) == 0 else { throw .last("read the settings of", path) }
        cfmakeraw(&settings)
        guard tcsetattr(slave.rawValue, TCSANOW, &settings) == 0 else { throw .last("set up", path) }
    }

    /// <asm-generic/ioctls.h>; computed macros that Swift does not see.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    private enum Request {
        static let TIOCGPTN: UInt = 0x8004_5430
        static let FIONREAD: UInt = 0x541B
        static let TIOCSPTLCK: UInt = 0x4004_5431
    }

    /// Sends bytes to the reader without waiting; how many went. A line with a sleeping reader
    /// loses the rest, as a real one does.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(master.rawValue, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    /// Bytes that have arrived on the other side and were not fetched; what was sent
    /// arrives a little later.
    package var waiting: Int {
        var count: CInt = 0
        return ioctl(slave.rawValue, Request.FIONREAD, &count) == 0 ? Int(count) : 0
    }

    /// The speed that the reader has set, bits per second; nil for one that receivers do not use. A
    /// pseudo terminal passes bytes at any speed: a simulated receiver has to compare it with its own.
    package var baud: Int? {
        var settings = termios()
        guard tcgetattr(slave.rawValue, &settings) == 0 else { return nil }
        return Self.speeds.first { $0.code == cfgetispeed(&settings) }?.baud
    }

    private static let speeds: [(code: speed_t, baud: Int)] = [
        (speed_t(B4800), 4800), (speed_t(B9600), 9600), (speed_t(B19200), 19_200), (speed_t(B38400), 38_400),
        (speed_t(B57600), 57_600), (speed_t(B115200), 115_200), (speed_t(B230400), 230_400),
    ]

    /// Takes what the other side has sent, at most 4096 bytes; empty when there is nothing. Never waits.
    package func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { read(master.rawValue, $0.baseAddress, $0.count) }
        return count > 0 ? Array(buffer[..<count]) : []
    }
}
