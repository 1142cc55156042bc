// SPDX-License-Identifier: Apache-2.0
import Base

/// What the numbers in a file are where they are not the source's own counts: the file's channels, and its rate
/// where samples were resampled. A `SegmentEncoder` says it; `OpenSegment` puts it into the description.
package struct FileLayout: Sendable, Hashable {
    /// The file's channels in the file's order: units per number in the file.
    package var channels: [RecordingDescription.ChannelNote]
    /// What the format's fields beside the samples hold; nil for formats without them.
    package var fields: RecordingDescription.FieldNotes?
    /// Samples per second that the file names, where the source's were resampled to it; nil
    /// = as the source.
    package var resampledRate: Double?

    /// Samples of the file per sample of a source of that rate; 1 where they were not resampled.
    func ratio(to sourceRate: Double) -> Double { resampledRate.map { $0 / max(sourceRate, 1e-3) } ?? 1 }
}
