// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Writes our CSV; `Recorder` drives it as a `SegmentEncoder`. The sealed file is gzipped, with `.gz` after its
/// name, and is still `text/csv`.
package protocol CSVWriter: SegmentEncoder {}

extension CSVWriter {
    package static var fileExtension: String { "csv" }
    package static var contentType: String { "text/csv" }

    /// A comment line; no sample is given up, for every line is whole.
    package mutating func appendGap(_ gap: RecordingGap, to out: inout [UInt8]) throws(FileError) -> Int {
        CSVHeader.write(gap, to: &out)
        return 0
    }

    package mutating func finish(
        to out: inout [UInt8]
    ) throws(FileError) -> (discarded: Int, patches: [SegmentPatch]) { (0, []) }
}
