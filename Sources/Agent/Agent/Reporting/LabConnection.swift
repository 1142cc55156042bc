// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The lab's receiver, as reports and manifests reach it: a new client for each request. Blocks.
struct LabConnection: Sendable {
    private let server: ServerSettings
    private let key: DeviceKeyFile
    private let now: @Sendable () -> Instant
    private let stop: StopFlag

    /// Raising `stop` ends a request within about a second.
    init(
        _ server: ServerSettings, key: DeviceKeyFile, now: @escaping @Sendable () -> Instant,
        stop: StopFlag = StopFlag()
    ) {
        self.server = server
        self.key = key
        self.now = now
        self.stop = stop
    }

    /// `path` begins with a slash; `device` is the name by which the receiver has its files.
    func post(_ body: [UInt8], to path: String, of device: String) -> LabAnswer {
        let base = server.url.hasSuffix("/") ? String(server.url.dropLast()) : server.url
        let request = HTTPRequest(
            method: "POST", url: base + path, headers: [.init(name: "Content-Type", value: "application/json")],
            body: .bytes(body), limits: server.limits)
        do {
            let client = try HTTPClient(userAgent: AgentVersion.userAgent, stop: stop)
            try server.open(client)
            client.labHeaders = LabHeaders([.init(name: "Studyd-Device", value: device)], to: base)
            client.signer = key.read().map { RequestSigner($0.signing, now: now) }
            return LabAnswer(try client.send(request))
        } catch { return .unavailable("\(error)", retryAfter: .zero) }
    }
}
