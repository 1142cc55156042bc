// SPDX-License-Identifier: Apache-2.0
import SystemKit

extension RecordingFormat {
    /// One line of features per epoch; gzipped when sealed.
    package static let features = RecordingFormat(rawValue: "features")
}

/// One line of features per epoch.
struct FeatureCSVFormat: CSVFormat {
    let format = RecordingFormat.features
    let configured = "csv"
    let measures = [MeasureKind.features]

    /// The columns are those of what computes them, which makes its recorder itself.
    func encoder(
        _ source: SourceDescription, _ measure: MeasureConfiguration
    ) throws(FileError) -> FeatureCSVWriter { FeatureCSVWriter(columns: []) }
}
