// SPDX-License-Identifier: Apache-2.0
import SystemKit

extension RecordingFormat {
    /// One line of features per epoch; gzipped when sealed.
    package static let features = RecordingFormat(rawValue: "features")
}

/// That form for `RecordingFormats`; `FeatureCSVWriter` writes it.
struct FeatureCSVFormat: CSVFormat {
    let format = RecordingFormat.features
    let configuredName = "csv"
    let measures = [MeasureKind.features]

    /// Not used for recording: the features' recorder makes its writer itself, because it alone knows
    /// the columns.
    func encoder(
        _ source: SourceDescription, _ measure: MeasureConfiguration
    ) throws(FileError) -> FeatureCSVWriter { FeatureCSVWriter(columns: []) }
}
