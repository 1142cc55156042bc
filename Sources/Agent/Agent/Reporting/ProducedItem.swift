// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A line of a day's manifest: something that was produced, and where it is now.
package struct ProducedItem: Sendable, Hashable {
    enum Kind: String, Sendable {
        case recording, submission, memo, file
    }

    enum Fate: String, Sendable {
        case delivered, waiting, deleted
        case givenUp = "given up"
    }

    let kind: Kind
    /// A recording's number, else an outbox item's id: as metadata of uploads name them.
    let id: String
    let name: String
    /// In hexadecimal; nil where the bytes are no longer kept.
    let sha256: String?
    let bytes: Int64
    /// Samples, bytes or events in a recording; nil for everything else.
    let count: Int64?
    let fate: Fate
    /// Why it will not come, or does not come to the lab's receiver; nil where it does.
    let why: String?
    /// Of the description beside a recording, in hexadecimal; nil where none is sent.
    var descriptionSHA256: String?

    var json: JSONText {
        let members = JSONText.membersWithNulls([
            "kind": .string(kind.rawValue), "id": .string(id.bounded), "name": .string(name.bounded),
            "sha256": sha256.map { .string($0) }, "bytes": .integer(bytes), "count": count.map { .integer($0) },
            "state": .string(fate.rawValue), "why": why.map { .string($0.bounded) },
        ])
        return .object(members + JSONText.members(["descriptionSha256": descriptionSHA256.map { .string($0) }]))
    }
}

extension ProducedItem {
    /// A recording, which goes to `destinations`.
    init(
        _ view: RecordingView, destinations: [String], refusal: String?, descriptionSHA256: String? = nil,
        isToLab: Bool = true
    ) {
        let record = view.recording
        self.descriptionSHA256 = descriptionSHA256
        kind = record.itemClass == .answers ? .memo : .recording
        let elsewhere = "goes to \(destinations.joined(separator: ", "))"
        (id, name, sha256, bytes, count) = (record.id, record.path, record.sha256, record.bytes, record.stored)
        switch view.removed {
        case .withdrawal?, .byHand?: (fate, why) = (.deleted, view.removed?.rawValue)
        case .diskCap?: (fate, why) = view.isDelivered ? (.delivered, nil) : (.givenUp, "the disk was full")
        case .retention?, nil:
            if let refusal {
                (fate, why) = (.givenUp, "refused: \(refusal)")
            } else if view.isDelivered {
                (fate, why) = (.delivered, isToLab ? nil : elsewhere)
            } else if destinations.isEmpty {
                (fate, why) = (.waiting, "it stays on the device: no destination")
            } else {
                (fate, why) = (.waiting, isToLab ? nil : elsewhere)
            }
        }
    }

    /// An item of the outbox that is no recording; `digest` is that of its bytes. What does not go to
    /// the lab's receiver says so.
    init(_ item: OutboxItem, digest: String?, isToLab: Bool) {
        kind = item.item.file == nil ? .submission : .file
        id = item.item.id
        name = item.item.file?.path ?? "answers-\(item.item.id)"
        sha256 = item.item.file?.sha256 ?? digest
        (bytes, count) = (item.item.bytes, nil)
        let elsewhere = isToLab ? nil : "goes to \(item.item.destination)"
        switch item.state {
        case .delivered: (fate, why) = (.delivered, elsewhere)
        case .waiting, .sending: (fate, why) = (.waiting, elsewhere)
        case .refused: (fate, why) = (.givenUp, "refused: \(item.note ?? "")")
        case .dropped: (fate, why) = (.givenUp, item.note ?? "dropped")
        case .deleted: (fate, why) = (.deleted, item.note ?? "deleted")
        }
    }
}
