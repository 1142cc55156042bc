// SPDX-License-Identifier: Apache-2.0
import Base

/// How long the rings (the buffers of fresh samples) may fill before `RecorderLoop` empties them to the disk:
/// each time wakes the processor.
///
/// In its first seconds the recorder looks four times a second, so that the first samples are stored
/// soon; after its first minute every five seconds, at moments of a fixed grid: a request that wakes
/// the thread in between does not move the next one, so that samples become durable as often as the
/// recordings promise.
package struct RecorderPace: Sendable {
    /// While a file waits for its last samples.
    package static let ending = Duration.milliseconds(100)
    /// In the first seconds, so that the first samples are stored soon.
    package static let first = Duration.milliseconds(250)
    /// For how long `first` holds: the first samples of a chip may take that long.
    private static let beginning = Duration.seconds(5)
    /// While a recording is waited for, and after a start, when faults show.
    package static let attentive = Duration.seconds(1)
    /// At all other times.
    package static let steady = Duration.seconds(5)
    /// For how long after the start `attentive` holds.
    private static let settling = Duration.seconds(60)

    private let start: MonotonicTime

    package init(start: MonotonicTime) { self.start = start }

    /// How long to wait from `now` until the rings are emptied next; `isAwaited` while a participant or a
    /// task waits for samples.
    package func interval(at now: MonotonicTime, isAwaited: Bool) -> Duration {
        let age = now - start
        guard age >= Self.beginning else { return Self.first }
        guard !isAwaited, age >= Self.settling else { return Self.attentive }
        return .nanoseconds(Self.steady.nanoseconds - age.nanoseconds % Self.steady.nanoseconds)
    }
}
