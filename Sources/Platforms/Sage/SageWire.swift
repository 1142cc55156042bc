// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Delivers archives: in one POST, or to a Bridge server in several calls. `HTTPDestination` asks for each
/// step, and for what an answer means.
package struct SageWire: StudyWire {
    private let settings: SageSettings

    /// Without an account at a Bridge server.
    package init() { settings = SageSettings() }

    package init(_ settings: SageSettings) { self.settings = settings }

    /// An archive for Bridge takes several calls; nil for any other, which is sent in one.
    package func step(delivering request: WireRequest, over transport: WireTransport) throws -> WireStep? {
        try BridgeDelivery(request: request, settings: settings, transport: transport).step()
    }

    /// Any 2xx is a delivery. The 4xx below say that the request itself is wrong, which a retry would
    /// not change.
    package func verdict(status: Int, body: [UInt8]) -> Verdict {
        switch status {
        case 200...299: .delivered(receipt: "\(status)")
        case 400, 410, 412, 413, 415, 422: .refused(reason: "the server answered with status \(status)")
        default: .retry(reason: "the server answered with status \(status)")
        }
    }
}
