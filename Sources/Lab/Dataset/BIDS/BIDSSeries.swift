// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// A recording that BIDS has no kind for, such as sound levels or positions, as a table of its
/// behavioural data.
struct BIDSSeries {
    /// UTC of the first row; nil while the clock is unknown, and without a row.
    let start: Instant?
    private let file: RecordedFile
    private let description: RecordingDescription
    private let columns: [BIDSTable.Column]

    private static let position: [BIDSTable.Column] = [
        .init("mode", "0 and 1: no fix, 2: two dimensions, 3: three."),
        .init("latitude", "North of the equator, WGS 84.", units: "degree"),
        .init("longitude", "East of Greenwich, WGS 84.", units: "degree"),
        .init("altitude_msl", "Above mean sea level; of three-dimensional fixes alone.", units: "m"),
        .init("speed", "Over ground.", units: "m/s"), .init("track", "Clockwise from north.", units: "degree"),
        .init("hdop", "Horizontal dilution of precision."), .init("satellites", "Satellites used."),
    ]

    /// Nil for what is no table of numbers.
    init?(_ file: RecordedFile, _ description: RecordingDescription) throws(FileError) {
        (self.file, self.description) = (file, description)
        switch file.content {
        case .sentences:
            columns = Self.position
            start = try NMEATrack([file]).next()?.time
        case .table:
            let table = try CSVTable(file)
            let units = table.units.count == table.columns.count ? table.units : table.columns.map { _ in "" }
            columns = zip(table.columns, units).map {
                .init($0, "\($0) as \(description.device) measured it.", units: $1.isEmpty ? nil : $1)
            }
            start = try table.next()?.time
        default: return nil
        }
    }

    func json(_ task: BIDSTask, source: StudyRecording) -> JSONText {
        let times: [BIDSTable.Column] = [
            .init("onset", "Seconds since the first row, by the device's steady clock.", units: "s"),
            .init("time", "UTC; n/a while the clock was unknown."),
        ]
        let rate = description.measuredRate.map { JSONText.decimal($0) }
        let own: JSONText = .object([
            "SamplingFrequency": description.nominalRate > 0 ? .number(description.nominalRate) : nil,
            "SamplingFrequencyEffective": rate, "Calibration": description.calibration.map { .decimal($0) },
        ])
        return .object(
            task.members + own.members + BIDSSource.members(source, description) + (times + columns).map(\.json))
    }

    func write(to output: ExportOutput) throws(FileError) {
        output.text(BIDSCell.line(["onset", "time"] + columns.map(\.name)))
        if file.content == .sentences { try writePositions(to: output) } else { try writeRows(to: output) }
    }

    private func writeRows(to output: ExportOutput) throws(FileError) {
        let table = try CSVTable(file)
        var first: Double?
        while let row = try table.next() {
            try write(
                row.uptime, row.time, since: &first, row.values.map { BIDSCell.text($0.map(JSONText.spelling)) },
                to: output)
        }
    }

    private func writePositions(to output: ExportOutput) throws(FileError) {
        let track = try NMEATrack([file])
        var first: Double?
        while let epoch = try track.next() {
            let fix = epoch.fix
            let place = [
                BIDSCell.number(fix.latitude, 8), BIDSCell.number(fix.longitude, 8),
                BIDSCell.number(fix.mode == 3 ? fix.altitudeMSL : nil, 2), BIDSCell.number(fix.speed, 3),
                BIDSCell.number(fix.track, 2), BIDSCell.number(fix.hdop, 2),
            ]
            let known = epoch.position == nil ? place.map { _ in "n/a" } : place
            let cells = ["\(fix.mode)"] + known + [BIDSCell.text(fix.satellites.map { "\($0)" })]
            try write(epoch.uptime, epoch.time, since: &first, cells, to: output)
        }
    }

    private func write(
        _ uptime: Double?, _ time: Instant?, since first: inout Double?, _ cells: [String], to output: ExportOutput
    ) throws(FileError) {
        first = first ?? uptime
        let onset = uptime.flatMap { uptime in first.map { uptime - $0 } }
        output.text(BIDSCell.line([BIDSCell.number(onset, 6), BIDSCell.time(time)] + cells))
        try output.drain()
    }
}
