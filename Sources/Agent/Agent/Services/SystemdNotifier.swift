// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc

/// Tells systemd how the service is (sd_notify(3)): a datagram to the socket named
/// in NOTIFY_SOCKET.
///
/// Does nothing where there is no such socket, so the same code runs in a shell.
package struct SystemdNotifier: Sendable {
    private let path: String?
    /// How often `WATCHDOG=1` is expected at the latest; nil = not at all.
    package let watchdog: Duration?

    /// The notifier of this environment (`NOTIFY_SOCKET`, `WATCHDOG_USEC`).
    package init(environment: [String: String]) {
        path = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        watchdog = environment["WATCHDOG_USEC"].flatMap(Int64.init).flatMap {
            $0 > 0 ? .microseconds($0) : nil
        }
    }

    package func ready() { send("READY=1") }
    package func alive() { send("WATCHDOG=1") }
    package func stopping() { send("STOPPING=1") }
    /// The start-up, or the end, may take up to `time`. systemd accepts whole microseconds only.
    package func needsTime(_ time: Duration) { send("EXTEND_TIMEOUT_USEC=\(time.nanoseconds / 1000)") }
    /// One line for `systemctl status`.
    package func status(_ text: String) { send("STATUS=" + text) }

    private func send(_ message: String) {
        if let path { _ = sockaddr_un(path: path)?.send(Array(message.utf8)) }
    }
}
