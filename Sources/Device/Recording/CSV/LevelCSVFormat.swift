// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

extension RecordingFormat {
    /// One line of sound levels per second; gzipped when sealed. No speech can be recovered from it.
    package static let levels = RecordingFormat(rawValue: "levels")
}

/// That form for `RecordingFormats`; `LevelCSVWriter` writes it.
struct LevelCSVFormat: CSVFormat {
    let format = RecordingFormat.levels
    let measures = [MeasureKind.sound]

    func encoder(
        _ source: SourceDescription, _ measure: MeasureConfiguration
    ) throws(FileError) -> LevelCSVWriter {
        LevelCSVWriter(source: source, calibration: measure.calibration, thirdOctaves: measure.thirdOctaves)
    }

    func samplesPerLine(_ draft: RecordingDescription) -> Int { max(1, Int(draft.nominalRate.rounded())) }
}
