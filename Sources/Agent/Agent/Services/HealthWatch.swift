// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import SystemKit

/// Reads the device's health (voltage, temperature, card) once a minute, and at once when the kernel says that the
/// supply voltage or the throttling changed; on a separate thread, which sleeps in between.
struct HealthWatch: Service {
    private let reader: HealthReader
    /// Takes each reading; on the watch's thread, must only post.
    private let onReading: @Sendable (DeviceHealth.Reading) -> Void
    private let waker: Waker
    private let pause: Duration

    init(
        reader: HealthReader, every pause: Duration = .seconds(60),
        onReading: @escaping @Sendable (DeviceHealth.Reading) -> Void
    ) throws {
        (self.reader, self.onReading, self.pause) = (reader, onReading, pause)
        waker = try Waker()
    }

    func run() async throws {
        let thread = try NamedThread(name: "studyd-health") { watch() }
        await stopRequested()
        waker.stop()
        thread.join()
    }

    private func watch() {
        let opened = reader.announcing.map { open($0, O_RDONLY | O_CLOEXEC) }.filter { $0 >= 0 }
        defer { for file in opened { close(file) } }
        var files = opened
        while !waker.isStopping {
            // A file of sysfs announces the next change only after it was read from its beginning. It is read
            // before `reader.reading`: a change between the two would else be missed. A file whose driver is
            // gone is dropped, since it would announce a change for ever.
            files.removeAll { !Self.readAgain($0) }
            onReading(reader.reading)
            var waiting =
                files.map { pollfd(fd: $0, events: Int16(POLLPRI), revents: 0) }
                + [pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)]
            _ = poll(&waiting, nfds_t(waiting.count), CInt(clamping: pause.milliseconds))
        }
    }

    private static func readAgain(_ file: CInt) -> Bool {
        var text = [UInt8](repeating: 0, count: 64)
        return pread(file, &text, text.count, 0) >= 0
    }
}
