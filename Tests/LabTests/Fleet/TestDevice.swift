// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Study
import SystemKit

@testable import Agent

/// Signs as studyd does, for requests that curl sends.
struct TestDevice: Sendable {
    private let key: DeviceKey
    /// What its clock shows.
    var now = Instant(seconds: 1_780_000_000)

    /// The same number is the same device.
    init(_ number: UInt8) { key = DeviceKey(seed: Array(repeating: number, count: 32)) ?? DeviceKey() }

    var publicKey: String { key.publicText }

    /// curl's options for the fields, and for the signature of them.
    func options(
        _ method: String, _ url: String, _ fields: [(String, String)] = [], body: String = "", nonce: String? = nil,
        draw: @escaping @Sendable () -> String = RequestSigner.randomNonce
    ) throws -> [String] {
        let headers = fields.map { WireRequest.Header(name: $0.0, value: $0.1) }
        let request = Agent.HTTPRequest(method: method, url: url, body: body.isEmpty ? .none : .bytes(Array(body.utf8)))
        let signer = RequestSigner(key.signing, now: { [now] in now }, drawNonce: draw)
        return (headers + (try signer.fields(of: request, headers: headers, nonce: nonce)))
            .flatMap { ["-H", "\($0.name): \($0.value)"] }
    }
}

extension TestDevice {
    /// What the receiver answers to a report by the agent's own client, whose clock shows `now`, the code that
    /// is left beside the key, and what the receiver signed about the log.
    func report(
        _ body: String, to url: String, at now: Instant, code: EnrolmentCode? = nil, telling witness: LogWitness? = nil
    ) async throws -> (answer: String, code: EnrolmentCode?, countersigned: String?) {
        let folder = NSTemporaryDirectory() + "studyd-device-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let state = try StateFolder(folder)
        let file = DeviceKeyFile(state)
        try file.prepare(key, code: code)
        let connection = LabConnection(server: ServerSettings(url: url), key: file, now: { now })
        let (answer, countersigned) = try await onThread {
            connection.post(Array(body.utf8), to: "/reports", of: "board-1", witness: witness)
        }
        return ("\(answer)", file.readCode(), countersigned)
    }
}
