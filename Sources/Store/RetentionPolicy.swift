// SPDX-License-Identifier: Apache-2.0
import Times

/// Which recordings stay on the device. Pure.
public struct RetentionPolicy: Sendable, Hashable {
    /// Recordings may take this many bytes.
    public let diskCap: Int64
    /// A delivered recording stays this long after it was sealed; zero = it goes at its receipt.
    public let keepDelivered: Duration

    /// Keeps what was delivered for a while and everything together under `diskCap` bytes.
    public init(diskCap: Int64, keepDelivered: Duration) {
        self.diskCap = diskCap
        self.keepDelivered = keepDelivered
    }

    /// A recording to be removed.
    public struct Removal: Sendable, Hashable {
        /// The recording's id.
        public let recording: String
        /// `.retention` when it was delivered, `.diskCap` when what had no receipt had to go.
        public let reason: RemovalReason
        /// The removal of that recording.
        public init(recording: String, reason: RemovalReason) {
            self.recording = recording
            self.reason = reason
        }
    }

    /// What has to go: delivered ones past their time; then, while the cap is passed, delivered ones from the oldest on; then
    /// undelivered ones of the lowest class from the oldest on. Recordings that are removed already are not looked at.
    public func removals(of recordings: [RecordingView], at now: Instant) -> [Removal] {
        let present = recordings.filter { $0.removed == nil }
        let past = present.filter { $0.isDelivered && now - $0.sealed >= keepDelivered }
        let gone = Set(past.map(\.recording.id))
        let rest = present.filter { !gone.contains($0.recording.id) }
        return (past + surplus(of: rest)).map {
            Removal(recording: $0.recording.id, reason: $0.isDelivered ? .retention : .diskCap)
        }
    }

    private func surplus(of recordings: [RecordingView]) -> [RecordingView] {
        var total = recordings.reduce(0) { $0 + $1.recording.bytes }
        return recordings.sorted(by: goesFirst).prefix { view in
            guard total > diskCap else { return false }
            total -= view.recording.bytes
            return true
        }
    }

    private func goesFirst(_ left: RecordingView, _ right: RecordingView) -> Bool {
        if left.isDelivered != right.isDelivered { return left.isDelivered }
        if !left.isDelivered, left.recording.itemClass != right.recording.itemClass {
            return left.recording.itemClass > right.recording.itemClass
        }
        return (left.sealed, left.recording.id) < (right.sealed, right.recording.id)
    }
}
