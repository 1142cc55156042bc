// SPDX-License-Identifier: Apache-2.0

extension RecordingDescription {
    /// That a file's samples were computed from a chip's of another rate, by a windowed sinc:
    /// what the chip gave.
    package struct ResamplingNote: Sendable, Hashable, Codable {
        /// Samples per second that the chip was asked for.
        package var nominalRate: Double
        /// Samples per second of the chip by the regression; absent until that is known.
        package var measuredRate: Double?
        /// This many samples of the chip went into whole units of the file.
        package var samplesStored: Int
        /// Samples of the chip that are in no file, by reason.
        package var samplesLost: [String: Int]

        package init(
            nominalRate: Double, measuredRate: Double? = nil, samplesStored: Int, samplesLost: [String: Int]
        ) {
            self.nominalRate = nominalRate
            self.measuredRate = measuredRate
            self.samplesStored = samplesStored
            self.samplesLost = samplesLost
        }
    }

    /// What a CWA file's fields beside the samples hold: `chip`, `chip-relative` (its zero is not
    /// calibrated), `battery`, or `none`.
    package struct FieldNotes: Sendable, Hashable, Codable {
        /// `chip`, `chip-relative` or `none`, which is written as 1023 (249.7 degC).
        package var temperature: String
        /// `board`, or `none`, which is written as 0.
        package var battery: String
        /// Always `none`, which is written as 0.
        package var light: String

        package init(temperature: String, battery: String, light: String = "none") {
            self.temperature = temperature
            self.battery = battery
            self.light = light
        }
    }
}
