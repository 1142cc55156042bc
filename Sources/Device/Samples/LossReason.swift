// SPDX-License-Identifier: Apache-2.0

/// Why samples are missing. Drivers give it with a gap; it is written to files by its name and counted in the
/// ledger (`SampleCounts`).
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
