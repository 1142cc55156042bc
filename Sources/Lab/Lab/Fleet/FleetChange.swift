// SPDX-License-Identifier: Apache-2.0
import Base
import Dataset

/// Something about a device that began to need attention, or no longer does: `FleetWatch` makes a notice of it.
struct FleetChange: Sendable {
    /// See `FleetDevice.id`.
    let device: String
    let key: String
    /// Nil = it ended.
    let begun: Attention?
    let title: String
    let body: String
    /// As ntfy names it.
    private let emoji: String

    init(_ device: String, _ known: FleetDevice?, begun: Attention) {
        (self.device, self.begun, key, emoji) = (device, begun, begun.key, "warning")
        title = "\(Self.name(device, known)): \(begun.kind.words)"
        body = "\(begun.text)\n\(Self.about(device, known)), since \(begun.since.shown()) UTC"
    }

    /// Of a revoked device nothing is heard: what was wrong with it may still be.
    init(_ device: String, _ known: FleetDevice?, ended key: String, isRevoked: Bool) {
        (self.device, self.key, begun) = (device, key, nil)
        emoji = isRevoked ? "no_entry" : "white_check_mark"
        let parts = key.split(separator: ":", maxSplits: 1)
        let kind = Attention.Kind(rawValue: String(parts.first ?? ""))
        title = "\(Self.name(device, known)): \(kind?.words ?? key)\(Self.ending(isRevoked: isRevoked))"
        let place = parts.count == 2 ? "\(parts[1]): " : ""
        body = "\(place)\(isRevoked ? "its key is revoked" : "over")\n\(Self.about(device, known))"
    }

    private static func ending(isRevoked: Bool) -> String { isRevoked ? " no longer watched" : " ended" }

    /// All that a title may say behind the name.
    static func words(of kind: Attention.Kind) -> [String] {
        ["", ending(isRevoked: false), ending(isRevoked: true)].map { kind.words + $0 }
    }

    private static func name(_ device: String, _ known: FleetDevice?) -> String {
        known?.report.participant ?? FleetSource(device).device
    }

    private static func about(_ device: String, _ known: FleetDevice?) -> String {
        "device \(FleetSource(device).device)\(known.map { ", study \($0.report.study)" } ?? "")"
    }

    /// The priority in ntfy, 1...5; low for what ended.
    var priority: Int { begun?.kind.priority ?? 2 }
    /// Tags for ntfy: the name of an emoji, and the kind.
    var tags: String { "\(emoji),\(key.prefix { $0 != ":" })" }
}
