// SPDX-License-Identifier: Apache-2.0
import Base

/// One message for a broker: a CloudEvent 1.0.2 in binary mode (the payload is the data alone), or
/// plain JSON for Home Assistant.
struct LiveMessage: Sendable, Hashable {
    let topic: String
    let payload: [UInt8]
    /// A reader that comes later gets the last one.
    let isRetained: Bool
    /// The attributes of the event, as user properties; empty where it is none.
    let properties: [Property]

    struct Property: Sendable, Hashable {
        let name: String
        let value: String
    }

    /// `id` is the same however often it is sent; `kind` is the last level of the topic.
    init(
        _ kind: String, id: String, in topics: LiveTopics, at time: String?, isRetained: Bool = false, _ data: JSONText
    ) {
        topic = topics.base + "/" + kind
        payload = Array(data.text.utf8)
        self.isRetained = isRetained
        let attributes = [
            ("specversion", "1.0"), ("id", id), ("source", topics.source), ("type", "studyd." + kind), ("time", time),
        ]
        properties = attributes.compactMap { name, value in value.map { Property(name: name, value: $0) } }
    }

    /// What is no event: the broker keeps it until it is replaced; nil, an empty payload, removes it.
    init(retained data: JSONText?, at topic: String) {
        self.topic = topic
        payload = data.map { Array($0.text.utf8) } ?? []
        isRetained = true
        properties = []
    }

    /// How the device is; kept by the broker for later readers.
    static func status(_ data: JSONText, id: String, in topics: LiveTopics, at time: String?) -> LiveMessage {
        LiveMessage("status", id: id, in: topics, at: time, isRetained: true, data)
    }

    /// A status of one word: `off`, `ended`, or `silent`, which the broker publishes in the device's place.
    static func status(_ word: String, _ now: Instant, in topics: LiveTopics, at time: String?) -> LiveMessage {
        let data = JSONText.object([.init("state", .string(word))])
        return .status(data, id: "\(word)-\(now.nanoseconds)", in: topics, at: time)
    }
}
