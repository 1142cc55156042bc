// SPDX-License-Identifier: Apache-2.0

extension RecordingFormats {
    /// One line each.
    public static let standard = RecordingFormats([
        CWAFormat(),
        VectorCSVFormat(),
        LevelCSVFormat(),
        FLACFormat(),
        NMEAFormat(),
        EventCSVFormat(),
    ])
}
