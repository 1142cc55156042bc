// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// The lab's receiver, as reports and manifests of `ReportService` reach it: a new client for each request. Blocks.
struct LabConnection: Sendable {
    let server: ServerSettings
    let key: DeviceKeyFile
    let now: @Sendable () -> Instant
    /// Raising it ends a request within about a second.
    var stop = StopFlag()

    /// Posts JSON. `path` begins with a slash; `device` is the receiver's name for this device; `witness`
    /// tells it how far the event log is. `countersigned` is the receiver's signed statement about the log
    /// (`Countersignature`), nil where it made none.
    func post(
        _ body: [UInt8], to path: String, of device: String, witness: LogWitness? = nil
    ) -> (answer: LabAnswer, countersigned: String?) {
        let base = server.url.hasSuffix("/") ? String(server.url.dropLast()) : server.url
        let request = HTTPRequest(
            method: "POST", url: base + path, headers: [.init(name: "Content-Type", value: "application/json")],
            body: .bytes(body), limits: server.limits)
        do {
            let client = try HTTPClient(userAgent: AgentVersion.userAgent, stop: stop)
            try server.open(client)
            let code = key.readCode()
            let fields = [
                ("Studyd-Device", device), (LogWitness.field, witness?.text), (EnrolmentCode.field, code?.text),
            ]
            client.labHeaders = LabHeaders(
                fields.compactMap { name, value in value.map { .init(name: name, value: $0) } }, to: base)
            client.signer = key.read().map { RequestSigner($0.signing, now: now) }
            let answer = LabAnswer(try client.send(request))
            // A code registers the key once: the receiver has the key now.
            if code != nil, case .received = answer { try? key.forgetCode() }
            return (answer, client.countersigned)
        } catch { return (.unavailable("\(error)", retryAfter: .zero), nil) }
    }
}
