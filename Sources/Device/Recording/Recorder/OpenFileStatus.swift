// SPDX-License-Identifier: Apache-2.0
import Base

/// What is in a file that is being written, for all that read it: `status`, `recordings list` and
/// `show`, and programs that copy it.
package struct OpenFileStatus: Sendable, Hashable {
    /// Within the recordings folder.
    package let name: String
    /// CLOCK_MONOTONIC of the first sample that was taken for it.
    package let begun: MonotonicTime
    /// CLOCK_MONOTONIC of the last sample that was taken for it.
    package let until: MonotonicTime
    /// Samples (bytes, events) of the file in whole units of it.
    package let stored: Int
    /// Those that the source lost meanwhile. Readers find those of them that lie between two
    /// units of the file.
    package let lost: Int
    /// Those that are missing after its last sample.
    package let lostAtEnd: Int
}
