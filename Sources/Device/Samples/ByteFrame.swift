// SPDX-License-Identifier: Apache-2.0
import Base

/// A run of bytes from a serial line as it goes through a ring: from `SerialReader` to `PositionWatch`, and on
/// to the recorder.
package struct ByteFrame: Sendable, BitwiseCopyable {
    package static let capacity = 128
    /// CLOCK_MONOTONIC at which the bytes were read.
    package var time: MonotonicTime
    /// How many bytes are in use.
    package var count: UInt16
    /// Bytes known to be missing directly before these (ring full or line error).
    package var lostBefore: UInt32
    package var bytes: InlineArray<128, UInt8>

    package init(time: MonotonicTime) {
        self.time = time
        count = 0
        lostBefore = 0
        bytes = InlineArray(repeating: 0)
    }
}
