// SPDX-License-Identifier: Apache-2.0

extension RecordingFormats {
    /// A new format adds its line here.
    package static let standard = RecordingFormats([
        CWAFormat(),
        VectorCSVFormat(),
        LevelCSVFormat(),
        FLACFormat(),
        NMEAFormat(),
        EventCSVFormat(),
        FeatureCSVFormat(),
    ])
}
