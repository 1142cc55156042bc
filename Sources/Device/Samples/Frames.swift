// SPDX-License-Identifier: Apache-2.0
import Base

/// Why samples are missing. Written to files and counted in the ledger.
package enum LossReason: UInt8, Sendable, CaseIterable, BitwiseCopyable {
    /// The chip's FIFO was overwritten before it was read.
    case chipOverrun = 1
    /// The bus or the chip did not answer.
    case deviceError = 2
    /// The ring was full because the disk stalled.
    case ringFull = 3
    /// The sound card dropped frames (xrun) or hung.
    case soundOverrun = 4
    /// The device was not yet or no longer set up.
    case notRunning = 5
    /// A power cut took the tail of the file.
    case powerCut = 6
    /// The disk refused the bytes.
    case writeError = 7
    /// The chip said that what it measured was beyond its range: a magnet beside a magnetometer.
    case outOfRange = 8
    /// The kernel's buffer of button events was full before they were read.
    case inputOverrun = 9
    /// The participant had paused the sensors.
    case privacy = 10
}

/// One multi-axis sample as it goes through a ring: raw counts, no conversion.
///
/// Only the last frame of a drained batch is stamped; the times of the others come from the
/// clock regression.
package struct VectorFrame: Sendable, BitwiseCopyable {
    /// CLOCK_MONOTONIC of this very sample, valid only when `isStamped`.
    package var time: MonotonicTime
    /// Samples known to be missing directly before this one.
    package var lostBefore: UInt32
    /// Why they are missing; 0 when none is.
    package var reason: UInt8
    /// True when `time` was measured (watermark edge or read time) for this frame.
    package var isStamped: Bool
    /// How many of `values` are in use, 1...8.
    package var count: UInt8
    /// By how many microseconds at most the sample was taken before `time`; 0 = its driver does not
    /// know.
    package var lateBy: UInt32 = 0
    /// The chip's own temperature, read right before this sample, in hundredths of a degree
    /// Celsius; `noTemperature` where it was not read. It takes room that the alignment of
    /// `values` leaves.
    package var centidegrees = Self.noTemperature
    package static let noTemperature = Int16.min
    /// Raw counts in the order of the source's channels.
    package var values: SIMD8<Int32>

    /// Degrees Celsius; nil where the temperature was not read with this sample.
    package var temperature: Double? { centidegrees == Self.noTemperature ? nil : Double(centidegrees) / 100 }

    package init(
        values: SIMD8<Int32>, count: UInt8, time: MonotonicTime = .zero, isStamped: Bool = false,
        lostBefore: UInt32 = 0, reason: LossReason? = nil
    ) {
        self.values = values
        self.count = count
        self.time = time
        self.isStamped = isStamped
        self.lostBefore = lostBefore
        self.reason = reason?.rawValue ?? 0
    }
}

/// A run of mono PCM frames as it goes through a ring.
package struct SoundFrame: Sendable, BitwiseCopyable {
    /// The most frames one block holds.
    package static let capacity = 256
    /// CLOCK_MONOTONIC of the first frame, from the card's own time stamp.
    package var time: MonotonicTime
    /// Frames known to be missing directly before the first one.
    package var lostBefore: UInt32
    /// Why they are missing; 0 when none is.
    package var reason: UInt8
    /// How many frames are in use.
    package var count: UInt16
    /// Samples at the end of the microphone's scale that a filter has moved off the end of
    /// `samples`' scale.
    package var hiddenClips: UInt16
    /// Signed 16-bit samples of the one channel that is kept.
    package var samples: InlineArray<256, Int16>

    /// An empty block that begins at `time`.
    package init(time: MonotonicTime) {
        self.time = time
        lostBefore = 0
        reason = 0
        count = 0
        hiddenClips = 0
        samples = InlineArray(repeating: 0)
    }
}

/// A run of bytes from a serial line as it goes through a ring.
package struct ByteFrame: Sendable, BitwiseCopyable {
    /// The most bytes one block holds.
    package static let capacity = 128
    /// CLOCK_MONOTONIC at which the bytes were read.
    package var time: MonotonicTime
    /// How many bytes are in use.
    package var count: UInt16
    /// Bytes known to be missing directly before these (ring full or line error).
    package var lostBefore: UInt32
    package var bytes: InlineArray<128, UInt8>

    /// An empty block read at `time`.
    package init(time: MonotonicTime) {
        self.time = time
        count = 0
        lostBefore = 0
        bytes = InlineArray(repeating: 0)
    }
}
