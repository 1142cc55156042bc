// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Delivers archives: in one POST, or to a Bridge server in several calls.
package struct SageWire: StudyWire {
    private let settings: SageSettings

    /// Without an account at a Bridge server.
    package init() { settings = SageSettings() }

    package init(_ settings: SageSettings) { self.settings = settings }

    /// An archive for Bridge goes there in several calls, any other in one.
    package func step(delivering request: WireRequest, over line: WireLine) throws -> WireStep? {
        try BridgeDelivery(request: request, settings: settings, line: line).step()
    }

    /// Any success is one; what is wrong with the request stays wrong.
    package func verdict(status: Int, body: [UInt8]) -> Verdict {
        switch status {
        case 200...299: .delivered(receipt: "\(status)")
        case 400, 410, 412, 413, 415, 422: .refused(reason: "the server answered with status \(status)")
        default: .retry(reason: "the server answered with status \(status)")
        }
    }
}
