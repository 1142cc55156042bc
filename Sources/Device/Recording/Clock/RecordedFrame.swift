// SPDX-License-Identifier: Apache-2.0
import Base

/// What `Recorder` and its `SampleTimeline` must know of any frame that comes through a ring.
package protocol RecordedFrame: BitwiseCopyable, Sendable {
    /// Samples (PCM frames, bytes) in it.
    var sampleCount: Int { get }
    /// Samples known to be missing directly before it.
    var missingBefore: Int { get }
    var missingReason: LossReason? { get }
    /// A measured time of its first sample; nil when the frame was not stamped.
    var stamp: MonotonicTime? { get }
    /// How much earlier than its stamp the sample can have been taken; nil where that is unknown.
    var lateness: Duration? { get }
}

extension RecordedFrame {
    package var lateness: Duration? { nil }
}

extension VectorFrame: RecordedFrame {
    /// Always 1: all axes of one moment.
    package var sampleCount: Int { 1 }
    package var missingBefore: Int { Int(lostBefore) }
    /// As the driver says; nil when nothing is missing, or for a number no reason has.
    package var missingReason: LossReason? { LossReason(rawValue: reason) }
    /// Nil for all but the last frame of a drained batch.
    package var stamp: MonotonicTime? { isStamped ? time : nil }
    package var lateness: Duration? { lateBy > 0 ? .microseconds(Int64(lateBy)) : nil }
}

extension SoundFrame: RecordedFrame {
    /// PCM frames in it, at most a block's capacity whatever `count` says.
    package var sampleCount: Int { min(Int(count), Self.capacity) }
    /// PCM frames that the stream lost, by over-runs above all.
    package var missingBefore: Int { Int(lostBefore) }
    /// As the stream says; nil when nothing is missing, or for a number no reason has.
    package var missingReason: LossReason? { LossReason(rawValue: reason) }
    /// The card's time of its first PCM frame.
    package var stamp: MonotonicTime? { time }
}

extension ByteFrame: RecordedFrame {
    /// Bytes in it, at most a frame's capacity whatever `count` says.
    package var sampleCount: Int { min(Int(count), Self.capacity) }
    package var missingBefore: Int { Int(lostBefore) }
    /// Always the device where bytes are missing: a serial line tells nothing more.
    package var missingReason: LossReason? { lostBefore > 0 ? .deviceError : nil }
    /// When its first byte was read.
    package var stamp: MonotonicTime? { time }
}
