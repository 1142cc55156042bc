// SPDX-License-Identifier: Apache-2.0
import SystemKit

extension RecordingFormat {
    /// One line per button event; gzipped when sealed.
    package static let events = RecordingFormat(rawValue: "events")
}

/// That form for `RecordingFormats`; `EventCSVWriter` writes it.
struct EventCSVFormat: CSVFormat {
    let format = RecordingFormat.events
    let configuredName = "csv"
    let measures = [MeasureKind.buttons]
    let hasUnits = false

    func encoder(
        _ source: SourceDescription, _ measure: MeasureConfiguration
    ) throws(FileError) -> EventCSVWriter { EventCSVWriter(source: source) }
}
