// SPDX-License-Identifier: Apache-2.0

/// The topics under which `LiveFeed` publishes what a device does in a study. No participant is named in them.
struct LiveTopics: Sendable, Hashable {
    /// The study's name as a level of the topics.
    let study: String
    /// `studyd/STUDY/DEVICE`.
    let base: String
    /// Where Home Assistant discovers the device; nil = discovery is switched off.
    let discovery: String?

    init(_ settings: LiveSettings, study: String) {
        let name = Self.level(study)
        self.study = name
        base = "\(settings.topic)/\(name)/\(settings.device)"
        // The device has its own level, so that a broker can keep others from writing there.
        discovery = settings.discovery.map { "\($0)/device/\(settings.device)/studyd-\(name)/config" }
    }

    var status: String { base + "/status" }
    /// The `source` of its CloudEvents.
    var source: String { "/" + base }

    /// Whether a configured name can be one level of a topic, and an id of Home Assistant's.
    static func isLevel(_ name: Substring) -> Bool {
        (1...60).contains(name.utf8.count) && name.unicodeScalars.allSatisfy(\.isBase64URL)
    }

    /// A study's name as one level of a topic: other characters become `-`.
    private static func level(_ name: String) -> String {
        let plain = name.utf8.prefix(60).map { Unicode.Scalar($0).isBase64URL ? $0 : UInt8(ascii: "-") }
        return plain.isEmpty ? "-" : String(decoding: plain, as: UTF8.self)
    }
}
