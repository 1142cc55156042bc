// SPDX-License-Identifier: Apache-2.0
import HeldPort

@testable import Agent

/// A server that takes connections, as the kernel does for any listener, and never says a word.
final class SilentServer: Sendable {
    private let port: HeldPort
    /// Scheme, host and port.
    let origin: String
    var url: String { origin + "/files" }

    init() throws {
        port = try HeldPort()
        try port.listenSilently()
        origin = "http://127.0.0.1:\(port.number)"
    }

    /// Returns when the kernel has taken a connection for it, at the latest after a minute: false.
    func isAsked() async throws -> Bool { try await onThread("t-silent") { [port] in port.isAsked(within: 60_000) } }
}
