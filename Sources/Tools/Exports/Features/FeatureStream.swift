// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import SystemKit

/// The features of one measure of one participant, over several files in the order of time, from which
/// `FeatureExport` and the lab's `ParticipantEpochs` take rows. A base class: subclasses override `next`, and
/// call `begin` with each file's offset.
package class FeatureStream {
    /// The name of the column with its coverage.
    let coverage: String
    package let columns: [FeatureColumn]
    let files: [RecordedFile]
    private var offsets: [(from: Instant, seconds: Int?)] = []

    init(_ coverage: String, _ columns: [FeatureColumn], of files: [RecordedFile]) {
        self.coverage = coverage
        self.columns = columns
        self.files = files
    }

    /// The next epoch; nil after the last. Where a file cannot be read, the next call goes on with the
    /// one after it.
    package func next() throws(FileError) -> FeatureRow? { nil }
    /// How much has been read, 0...1.
    var progress: Double { 1 }
    /// What the person should know, once all has been read.
    var remarks: [String] { [] }

    /// Seconds east of UTC of the file that an epoch begins in; nil where it does not say.
    package func offset(at time: Instant) -> Int? {
        (offsets.last { $0.from <= time } ?? offsets.first)?.seconds
    }

    /// From `time` on rows have that offset.
    func begin(_ offset: Int?, at time: Instant) {
        if offsets.last?.seconds != offset || offsets.isEmpty { offsets.append((time, offset)) }
    }
}
