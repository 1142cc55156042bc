// SPDX-License-Identifier: Apache-2.0
import CLinux
import Device
import Glibc
import SystemKit

/// Reports at once when a network came or went, and when the wall clock was set; `AgentRuntime` passes it on to the
/// uploader, reports and the loop.
///
/// Listens to the kernel's own announcements (rtnetlink(7), timerfd_create(2)) on a thread that
/// sleeps in between.
struct KernelWatch: Service {
    private let network: CInt
    private let clock: ClockStepWatch?
    private let waker: Waker
    private let networkChanged: @Sendable () -> Void
    private let clockSet: @Sendable () -> Void

    /// What the kernel does not announce (a sandbox without AF_NETLINK) is found out later: retries
    /// go by their own times, and the clock is looked at with every event.
    init(networkChanged: @escaping @Sendable () -> Void, clockSet: @escaping @Sendable () -> Void) throws {
        network = clinux_network_watch()
        clock = try? ClockStepWatch()
        waker = try Waker()
        (self.networkChanged, self.clockSet) = (networkChanged, clockSet)
    }

    func run() async throws {
        let thread = try NamedThread(name: "studyd-kernel") { listen() }
        await stopRequested()
        waker.stop()
        thread.join()
        if network >= 0 { close(network) }
    }

    private func listen() {
        while !waker.isStopping {
            // Where there is no clock watch: poll(2) passes over a descriptor of -1.
            var waiting = [network, clock?.descriptor ?? -1, waker.descriptor].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            guard poll(&waiting, nfds_t(waiting.count), -1) > 0 else { continue }
            if waiting[0].revents != 0 { readAnnouncements() }
            if waiting[1].revents != 0, (try? clock?.wasSet()) == true { clockSet() }
        }
    }

    /// One change comes as several messages: they are taken together.
    private func readAnnouncements() {
        var message = [UInt8](repeating: 0, count: 8192)
        while recv(network, &message, message.count, 0) > 0 {}
        networkChanged()
    }
}
