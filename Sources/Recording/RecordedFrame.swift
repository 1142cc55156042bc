// SPDX-License-Identifier: Apache-2.0
import Samples
import Times

/// What a recorder must know of any frame that comes through a ring.
public protocol RecordedFrame: BitwiseCopyable, Sendable {
    /// Samples (PCM frames, bytes) in it.
    var sampleCount: Int { get }
    /// Samples known to be missing directly before it.
    var missingBefore: Int { get }
    /// Why they are missing.
    var missingReason: LossReason? { get }
    /// A measured time and which of its samples it belongs to; nil when the frame was not stamped.
    var stamp: (time: MonotonicTime, sample: Int)? { get }
}

extension VectorFrame: RecordedFrame {
    public var sampleCount: Int { 1 }
    public var missingBefore: Int { Int(lostBefore) }
    public var missingReason: LossReason? { LossReason(rawValue: reason) }
    public var stamp: (time: MonotonicTime, sample: Int)? { isStamped ? (time, 0) : nil }
}

extension SoundFrame: RecordedFrame {
    public var sampleCount: Int { min(Int(count), Self.capacity) }
    public var missingBefore: Int { Int(lostBefore) }
    public var missingReason: LossReason? { LossReason(rawValue: reason) }
    public var stamp: (time: MonotonicTime, sample: Int)? { (time, 0) }
}

extension ByteFrame: RecordedFrame {
    public var sampleCount: Int { min(Int(count), Self.capacity) }
    public var missingBefore: Int { Int(lostBefore) }
    public var missingReason: LossReason? { lostBefore > 0 ? .deviceError : nil }
    public var stamp: (time: MonotonicTime, sample: Int)? { (time, 0) }
}
