// SPDX-License-Identifier: Apache-2.0

extension RecordingFormats {
    /// All formats, for `studyd.toml`, recorders and readers. A new format adds its line here; of those for one
    /// measure the first is the usual one.
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
