// SPDX-License-Identifier: Apache-2.0
import Base

/// Notes what each request says of its device's event log (`Studyd-Log`), and confirms it. Lists the logs at
/// `/api/logs`.
struct LogRoutes: Sendable {
    let heads: LogHeads
    let gate: DeviceGate
    /// Signs what is confirmed.
    let key: ReceiverKey
    let clock: any StudyClock

    /// Sees the requests of the routes that are added after this.
    func addRoutes(to router: inout Router, _ guarded: Guarded) {
        router.observe(note)
        router.on("GET", "/api/logs", handler: guarded(list))
    }

    /// Returns the field of the answer that confirms what a device has signed. What a stranger says in the name of a
    /// device with a key, or of its log, is passed over.
    private func note(_ request: HTTPRequest) async throws -> HTTPFields {
        guard let field = request.fields["studyd-log"] else { return [:] }
        var user = TusMetadata(request.fields["upload-metadata"])?.first("user_id", "participant")
        if let name = try await user == nil ? heads.owner(of: field) : user,
            try await gate.decide(request, name).refusal != nil
        {
            return [:]
        }
        // A report has no metadata of an upload, and names its device in this field; `FleetRoutes` holds
        // that against the body, and refuses the report.
        if user == nil, let device = request.fields["studyd-device"] {
            if try await gate.isClosed(device) { return [:] }
            if try await gate.decide(request, device).refusal == nil { user = device }
        }
        let now = clock.now
        let claim = try await heads.record(field, user: user, from: request.origin.client, at: now)
        try await heads.record(compliance: request.fields["studyd-compliance"], of: field, at: now)
        guard let claim, let row = claim.rows.first, case .valid(let device) = request.signature else { return [:] }
        return [Countersignature.field: try key.countersign(log: claim.log, row, of: device, at: now)]
    }

    private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        let alarms = try await heads.alarms()
        let logs = try await heads.logs().map { log -> JSONValue in
            .members([
                "log": .string(log.log), "user": .string(log.user), "sequence": .int(log.sequence),
                "received": .string(log.received.rfc3339()),
                "alarms": .array(alarms.filter { $0.log == log.log }.map { .string($0.text) }),
            ])
        }
        return .json(.array(logs))
    }
}
