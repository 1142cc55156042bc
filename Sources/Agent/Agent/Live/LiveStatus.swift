// SPDX-License-Identifier: Apache-2.0
import Base

/// How the MQTT broker for live views takes what is published: `BrokerLink` makes it, for status and faults.
package struct LiveStatus: Sendable, Hashable {
    let broker: BrokerAddress
    var isConnected = false
    /// Since the start of the agent.
    var published = 0
    var refused = 0
    /// Events that found the queue full.
    var dropped = 0
    /// Why there is no connection, or why the last message was refused; nil while nothing is wrong.
    var trouble: Explanation?
    /// The broker is there and refuses the connection or a message: somebody has to do something.
    var isRefusal = false

    init(_ broker: BrokerAddress) { self.broker = broker }

    /// A network that is gone is no fault of the device.
    var fault: Explanation? { isRefusal ? trouble : nil }

    var line: String {
        let parts: [String?] = [
            isConnected ? "connected to \(broker)" : "not connected to \(broker)",
            Plural.of(published, "message") + " published", refused > 0 ? "\(refused) refused" : nil,
            dropped > 0 ? "\(dropped) dropped" : nil, trouble?.cause,
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    var json: JSONText {
        .object([
            .init("connected", .boolean(isConnected)), .init("published", .integer(Int64(published))),
            .init("refused", .integer(Int64(refused))), .init("dropped", .integer(Int64(dropped))),
            .init("trouble", trouble.map { .string($0.description) } ?? .null),
        ])
    }
}
