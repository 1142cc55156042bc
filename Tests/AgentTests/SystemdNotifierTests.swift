// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Agent

@Suite struct SystemdNotifierTests {
    /// A bound datagram socket, as systemd holds it.
    struct Listener: ~Copyable {
        let descriptor: CInt

        init(path: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var name = Array(path.utf8)
            if name.first == UInt8(ascii: "@") { name[0] = 0 }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
            // unix(7): an abstract name has exactly the length that is given, without
            // a NUL at its end.
            let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count + (name[0] == 0 ? 0 : 1))
            let isBound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
            }
            guard isBound else { throw FileError(path: path, message: "cannot listen") }
        }

        /// The next datagram, nil where none has come.
        func next() -> String? {
            var bytes = [UInt8](repeating: 0, count: 1024)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
        }

        deinit { _ = close(descriptor) }
    }

    private func sendEverything(_ path: String) throws -> [String?] {
        let listener = try Listener(path: path)
        let notifier = SystemdNotifier(environment: ["NOTIFY_SOCKET": path])
        notifier.ready()
        notifier.alive()
        notifier.status("two prompts today")
        notifier.stopping()
        notifier.needsTime(.seconds(600))
        return (0..<6).map { _ in listener.next() }
    }

    /// EXTEND_TIMEOUT_USEC as sd_notify(3) has it, whole microseconds: of "600000000.0" Debian 12's
    /// systemd said "Failed to parse" in the journal.
    static let words = [
        "READY=1", "WATCHDOG=1", "STATUS=two prompts today", "STOPPING=1", "EXTEND_TIMEOUT_USEC=600000000", nil,
    ]

    @Test func everyWordIsOneDatagram() async throws {
        let told = try await AgentFixture.inFolder { try sendEverything($0 + "/notify") }
        #expect(told == Self.words)
    }

    @Test func aLeadingAtMeansTheAbstractNameSpace() throws {
        #expect(try sendEverything("@studyd-test-\(getpid())") == Self.words)
    }

    @Test func withoutASocketNothingIsSaid() {
        SystemdNotifier(environment: [:]).ready()
        SystemdNotifier(environment: ["NOTIFY_SOCKET": ""]).ready()
        SystemdNotifier(environment: ["NOTIFY_SOCKET": "/nowhere/at/all"]).ready()
        SystemdNotifier(environment: ["NOTIFY_SOCKET": String(repeating: "x", count: 200)]).ready()
    }

    @Test func theWatchdogIsWhatTheEnvironmentSays() {
        #expect(SystemdNotifier(environment: ["WATCHDOG_USEC": "30000000"]).watchdog == .seconds(30))
        #expect(SystemdNotifier(environment: [:]).watchdog == nil)
        #expect(SystemdNotifier(environment: ["WATCHDOG_USEC": "soon"]).watchdog == nil)
        #expect(SystemdNotifier(environment: ["WATCHDOG_USEC": "0"]).watchdog == nil)
    }
}
