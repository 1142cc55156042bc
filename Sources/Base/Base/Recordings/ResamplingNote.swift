// SPDX-License-Identifier: Apache-2.0

extension RecordingDescription {
    /// A file's samples were computed from a chip's of another rate, by a windowed sinc. The counts are of the
    /// chip's samples. `DescriptionUpdates` keeps them.
    package struct ResamplingNote: Sendable, Hashable, Codable {
        /// Samples per second that the chip was asked for.
        package var nominalRate: Double
        /// Samples per second of the chip by `ClockRegression`; absent until that is known.
        package var measuredRate: Double?
        /// Samples of the chip that the file was computed from (the file's own count is of its own rate).
        package var samplesStored: Int
        /// Samples of the chip that are in no file, by reason.
        package var samplesLost: [String: Int]

        package init(nominalRate: Double, measuredRate: Double? = nil, samplesStored: Int, samplesLost: [String: Int]) {
            self.nominalRate = nominalRate
            self.measuredRate = measuredRate
            self.samplesStored = samplesStored
            self.samplesLost = samplesLost
        }
    }
}
