// SPDX-License-Identifier: Apache-2.0
import Base
import Dataset

/// An item that a manifest names and that had not arrived when it was last looked for. `FleetArchive` lists
/// them; those that nothing explains are on the page and at `/api/missing`.
struct ProducedItem: Sendable, Hashable {
    /// A source: see `FleetSource`.
    let device: String
    let participant: String
    let day: String
    /// When a manifest named it first.
    let received: Instant
    let entry: DeviceManifest.Entry

    /// What is wrong where it has not arrived; nil where its absence is explained. Answers count
    /// only where they come to this server.
    func hole(at now: Instant, answersComeHere: Bool) -> String? {
        MissingItem.problem(
            entry.state, MissingItem.Kind(rawValue: entry.kind) ?? .file, why: entry.why, waited: now - received,
            answersComeHere: answersComeHere)
    }

    func json(_ hole: String) -> JSONValue {
        .members([
            "device": .string(FleetSource(device).device), "participant": .string(participant), "day": .string(day),
            "kind": .string(entry.kind), "id": .string(entry.id), "name": .text(entry.name),
            "sha256": .text(entry.sha256), "bytes": .int(entry.bytes), "count": .int(entry.count),
            "state": .string(entry.state), "why": .text(entry.why), "missing": .string(hole),
        ])
    }
}
