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

    /// What the broker says in the device's place when nothing is heard of it.
    static func will(_ topics: LiveTopics, id: String) -> LiveMessage {
        LiveMessage("status", id: id, in: topics, at: nil, isRetained: true, state("silent"))
    }

    static func state(_ word: String) -> JSONText { .object([.init("state", .string(word))]) }
}
