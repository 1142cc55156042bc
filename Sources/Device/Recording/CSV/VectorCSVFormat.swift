// SPDX-License-Identifier: Apache-2.0
import SystemKit

extension RecordingFormat {
    /// One line per sample, for magnetometer and slow channels; gzipped when sealed.
    package static let csv = RecordingFormat(rawValue: "csv")
}

/// That form for `RecordingFormats`; `VectorCSVWriter` writes it.
struct VectorCSVFormat: CSVFormat {
    let format = RecordingFormat.csv
    let measures = [MeasureKind.magnetometer]

    func encoder(
        _ source: SourceDescription, _ measure: MeasureConfiguration
    ) throws(FileError) -> VectorCSVWriter { VectorCSVWriter(source: source) }

    /// Any of our tables, whatever its columns: by their lines alone they all count as this kind.
    func recognises(line: ArraySlice<UInt8>, isStrict: Bool) -> Bool {
        line.starts(with: (isStrict ? "time,uptime," : "time,").utf8) || line.starts(with: "#studyd ".utf8)
    }
}
