// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import Hardware
import ServiceLifecycle

/// Says at once when a network came or went, so that nothing waits for its retry.
///
/// Listens to the kernel's own announcements (rtnetlink(7)) on a thread that sleeps in between.
struct NetworkWatch: Service {
    private let descriptor: CInt
    private let waker: Waker
    private let changed: @Sendable () -> Void

    /// nil where the kernel does not announce (a sandbox without AF_NETLINK): then retries go by their own times.
    init?(changed: @escaping @Sendable () -> Void) {
        descriptor = clinux_network_watch()
        guard descriptor >= 0, let waker = try? Waker() else { return nil }
        self.waker = waker
        self.changed = changed
    }

    func run() async throws {
        let thread = try MeasuringThread(name: "studyd-network") { [descriptor, waker, changed] in
            Self.listen(descriptor, waker, changed)
        }
        try? await gracefulShutdown()
        waker.stop()
        thread.join()
        close(descriptor)
    }

    private static func listen(_ descriptor: CInt, _ waker: Waker, _ changed: () -> Void) {
        var message = [UInt8](repeating: 0, count: 8192)
        while !waker.isStopping {
            var waiting = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, 2, -1) > 0, waiting[0].revents != 0 else { continue }
            // One change comes as several messages: they are taken together.
            while recv(descriptor, &message, message.count, 0) > 0 {}
            changed()
        }
    }
}
