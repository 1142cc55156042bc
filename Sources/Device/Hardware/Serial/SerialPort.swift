// SPDX-License-Identifier: Apache-2.0
import CLinux
import SystemKit

/// A serial line in raw mode: 8 data bits, no parity, no modem lines, and no read that blocks. `SerialReader`
/// opens it; `studyd check` does so for its trial of a receiver.
package final class SerialPort: Sendable {
    private let device: Descriptor

    private init(_ device: consuming Descriptor) { self.device = device }

    /// Opens a line at that speed, alone: another program that locks it the same way (gpsd,
    /// minicom) is refused, and so are we. What had arrived before is thrown away, since its time
    /// is unknown.
    package static func open(path: String, baud: Int) throws(SystemError) -> SerialPort {
        _ = try speed(of: baud, path)  // before the line is touched
        let device = try Descriptor(opening: path, flags: O_RDWR | O_NOCTTY | O_NONBLOCK)
        guard flock(device.rawValue, LOCK_EX | LOCK_NB) == 0 else { throw SystemError.last("lock", path) }
        let port = SerialPort(device)
        try port.setSpeed(baud)
        return port
    }

    /// The speeds a line may have, bits per second, and the kernel's names for them.
    private static let speeds: [Int: speed_t] = [
        4800: speed_t(B4800), 9600: speed_t(B9600), 19200: speed_t(B19200), 38400: speed_t(B38400),
        57600: speed_t(B57600), 115_200: speed_t(B115200), 230_400: speed_t(B230400), 460_800: speed_t(B460800),
        921_600: speed_t(B921600),
    ]

    private static func speed(of baud: Int, _ path: String) throws(SystemError) -> speed_t {
        guard let speed = speeds[baud] else {
            throw SystemError(
                code: EINVAL, operation: "set \(baud) baud (one of \(speeds.keys.sorted())) on", place: path)
        }
        return speed
    }

    /// Changes the speed; what had arrived is thrown away, since it was read at another one.
    package func setSpeed(_ baud: Int) throws(SystemError) {
        let speed = try Self.speed(of: baud, path)
        guard clinux_serial_raw(device.rawValue, speed) == 0 else {
            throw SystemError.last("set \(baud) baud, raw, on", path)
        }
        _ = tcflush(device.rawValue, TCIFLUSH)
    }

    package var descriptor: CInt { device.rawValue }
    private var path: String { device.path }

    /// Bytes lost in the driver or its chip since it was loaded; nil where the line does not
    /// count them (a pty).
    package var overruns: Int64? {
        var bytes: Int64 = 0
        return clinux_serial_overruns(device.rawValue, &bytes) == 0 ? bytes : nil
    }

    /// Reads what has arrived, at most `buffer.count` bytes; nil when nothing has. Throws when
    /// the line is gone.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
        let count = try device.read(into: buffer)
        if count == 0, buffer.count > 0 { throw SystemError(code: ENODEV, operation: "read", place: path) }
        return count
    }
}
