// SPDX-License-Identifier: Apache-2.0

extension RecordingFormats {
    /// One line each.
    package static let standard = RecordingFormats([
        CWAFormat(),
        VectorCSVFormat(),
        LevelCSVFormat(),
        FLACFormat(),
        NMEAFormat(),
        EventCSVFormat(),
    ])
}
