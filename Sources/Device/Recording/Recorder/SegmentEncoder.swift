// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Turns frames into the bytes of one file format, for `Recorder`; a segment is one file of a recording. It
/// does no I/O: whole units (blocks, lines, frames) are appended to `out`, and a file that is cut after any
/// unit can be read.
///
/// Per file: `begin`, then `append` and `appendGap`, then `finish`, except after a fault of the disk; the same
/// encoder then begins the next file. `stored`, `storedInFile` and `span` count from `begin`.
package protocol SegmentEncoder {
    associatedtype Frame: RecordedFrame
    /// The end of the file's name: `cwa`.
    static var fileExtension: String { get }
    static var contentType: String { get }
    /// What is counted: `samples`, `bytes`, `events`.
    var countedUnit: CountedUnit { get }
    /// True when samples come at a steady rate and their times from the clock regression.
    var isRegular: Bool { get }
    /// Samples of the source that are in `out` so far.
    var stored: Int { get }
    /// Samples of the file in `out` so far: other than `stored` only where the encoder resamples.
    var storedInFile: Int { get }
    /// CLOCK_MONOTONIC of the first and the last sample in `out`; nil where every sample is in
    /// `out` as soon as it was given to the encoder.
    var span: (first: MonotonicTime, last: MonotonicTime)? { get }
    /// From the first sample given to the encoder after a gap to the first one of the file: other than zero only where
    /// the encoder resamples. A gap in the file ends that much later.
    var startDelay: Duration { get }
    /// What the numbers in the file are, where they are not the source's own counts at its own
    /// rate; nil where they are.
    var layout: FileLayout? { get }
    /// Takes the volts of the board's battery, for formats that have a place for them; nil where they
    /// were not measured.
    mutating func record(battery volts: Double?)
    /// Marks that the event marker was pressed then, for formats that have a place for it. `time` may be later than
    /// the last sample.
    mutating func mark(at time: MonotonicTime)
    /// From now on the level of each second that is written goes into that ring, too. False where the
    /// format has no levels in dB re 20 µPa.
    mutating func mirrorLevels(into ring: FrameRing<LevelFrame>) -> Bool
    /// True when the file may end here without losing samples.
    var mayEndHere: Bool { get }
    /// True when a gap should begin a new file, because the format cannot show it.
    var gapEndsFile: Bool { get }
    mutating func begin(_ context: SegmentContext, to out: inout [UInt8]) throws(FileError)
    /// Takes in a frame with its first sample at `time`.
    mutating func append(_ frame: Frame, at time: MonotonicTime, to out: inout [UInt8]) throws(FileError)
    /// Notes a gap before the next frame. Returns how many samples of an unfinished unit were
    /// given up for it.
    mutating func appendGap(_ gap: RecordingGap, to out: inout [UInt8]) throws(FileError) -> Int
    /// Ends the file. Returns how many samples of an unfinished unit were given up, and what to
    /// change in the file.
    mutating func finish(to out: inout [UInt8]) throws(FileError) -> (discarded: Int, patches: [SegmentPatch])
}

extension SegmentEncoder {
    package var storedInFile: Int { stored }
    package var span: (first: MonotonicTime, last: MonotonicTime)? { nil }
    package var startDelay: Duration { .zero }
    package var layout: FileLayout? { nil }
    package mutating func record(battery volts: Double?) {}
    package mutating func mark(at time: MonotonicTime) {}
    package mutating func mirrorLevels(into ring: FrameRing<LevelFrame>) -> Bool { false }
    package var countedUnit: CountedUnit { .samples }
    package var isRegular: Bool { true }
    package var mayEndHere: Bool { true }
    package var gapEndsFile: Bool { false }
}
