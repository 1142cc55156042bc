// SPDX-License-Identifier: Apache-2.0
import Base

/// Something a manifest names.
struct ProducedItem: Sendable, Hashable {
    /// A source: see `FleetSource`.
    let device: String
    let participant: String
    let day: String
    /// When a manifest named it first.
    let received: Instant
    let entry: DeviceManifest.Entry

    /// Time in which what waits may still come.
    private static let waitingLimit: Duration = .seconds(7 * 86_400)

    /// What is wrong where it has not arrived; nil where its absence is explained. Answers count
    /// only where they come to this server.
    func hole(at now: Instant, answersComeHere: Bool) -> String? {
        guard entry.why == nil else { return nil }
        switch entry.state {
        case "given up", "deleted": return "\(entry.state), without a reason"
        case "waiting": return now - received > Self.waitingLimit ? "waiting for more than seven days" : nil
        default:
            return entry.kind == "submission" && !answersComeHere ? nil : "delivered by the device's word, but not here"
        }
    }

    func json(_ hole: String) -> JSONValue {
        .members([
            "device": .string(FleetSource.device(of: device)), "participant": .string(participant), "day": .string(day),
            "kind": .string(entry.kind), "id": .string(entry.id), "name": .text(entry.name),
            "sha256": .text(entry.sha256), "bytes": .int(entry.bytes), "count": .int(entry.count),
            "state": .string(entry.state), "why": .text(entry.why), "missing": .string(hole),
        ])
    }
}
