// SPDX-License-Identifier: Apache-2.0

extension RecordingDescription {
    /// Where the temperature, battery and light in a CWA file come from. The names are keys of the recording's
    /// JSON. The recorder takes them from the file's `FileLayout`.
    package struct FieldNotes: Sendable, Hashable, Codable {
        /// `chip`, `chip-relative` (its zero is not calibrated), or `none`, which is written as
        /// 1023 (249.7 degC).
        package var temperature: String
        /// `board`, or `none`, which is written as 0.
        package var battery: String
        /// Always `none`, which is written as 0.
        package var light: String

        package init(temperature: String, battery: String, light: String = "none") {
            (self.temperature, self.battery, self.light) = (temperature, battery, light)
        }
    }
}
