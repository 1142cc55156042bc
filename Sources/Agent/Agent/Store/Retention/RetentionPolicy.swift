// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Decides which recordings stay on the device: `AgentRuntime` makes it of the configuration, `RecordingRetention` asks
/// for `removals` and performs them. Pure.
package struct RetentionPolicy: Sendable, Hashable {
    /// Everything in the state folder may take this many bytes; only recordings are removed for it.
    package let diskCap: Int64
    /// A delivered recording stays this long after it was sealed; zero = it goes at its receipt.
    package let keepDelivered: Duration
    /// This many bytes of the disk are to stay free, but no more than a twentieth of it.
    var freeSpaceFloor: Int64 = 0
    /// How long the bytes of a delivered answer stay, so that it can be sent again; a twentieth of
    /// `diskCap` at most, the oldest go first.
    package var keepAnswers = Duration.seconds(7 * 86_400)

    /// The same policy without its ages, for when the clock may be wrong: only what has no room is removed.
    package var keepingAge: Self {
        let always = Duration.seconds(100 * 365 * 86_400)
        return Self(
            diskCap: diskCap, keepDelivered: always, freeSpaceFloor: freeSpaceFloor, keepAnswers: always)
    }

    /// The disk that recordings lie on.
    package struct Disk: Sendable, Hashable {
        /// Bytes that we may still write.
        package let free: Int64
        /// Bytes in all.
        package let size: Int64
    }

    package struct Removal: Sendable, Hashable {
        package let recording: String
        /// `.retention` when it was delivered, `.diskCap` when what had no receipt had to go, for
        /// the cap or the floor, `.byHand` when an operator had it deleted.
        package let reason: RemovalReason
    }

    /// What has to go: delivered recordings past their time; then, while the cap is passed or too little is
    /// free, delivered ones from the oldest on; then undelivered ones, the least important class first, from
    /// the oldest on. Without a `disk` the free space is not looked at. `present` is how many bytes there are
    /// in all, where `recordings` are only a part (those that go first).
    package func removals(
        of recordings: [RecordingView], at now: Instant, on disk: Disk? = nil, present bytes: Int64? = nil
    ) -> [Removal] {
        let present = recordings.filter { $0.removed == nil }
        let past = present.filter { $0.isDelivered && now - $0.sealed >= keepDelivered }
        let gone = Set(past.map(\.recording.id))
        let rest = present.filter { !gone.contains($0.recording.id) }
        let excess = excess(of: bytes ?? Self.bytes(present), on: disk) - Self.bytes(past)
        return (past + surplus(of: rest, excess)).map {
            Removal(recording: $0.recording.id, reason: $0.isDelivered ? .retention : .diskCap)
        }
    }

    /// How many bytes there are too many; 0 or less = there is room.
    func excess(of bytes: Int64, on disk: Disk?) -> Int64 {
        max(bytes - diskCap, disk.map { min(freeSpaceFloor, $0.size / 20) - $0.free } ?? .min)
    }

    private static func bytes(_ recordings: [RecordingView]) -> Int64 {
        recordings.reduce(0) { $0 + $1.recording.bytes }
    }

    /// The first to go, as many as hold `excess` bytes.
    private func surplus(of recordings: [RecordingView], _ excess: Int64) -> [RecordingView] {
        var excess = excess
        return recordings.sorted(by: goesFirst).prefix { view in
            guard excess > 0 else { return false }
            excess -= view.recording.bytes
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
