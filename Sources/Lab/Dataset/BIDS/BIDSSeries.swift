// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// A recording that BIDS has no kind for, such as sound levels or positions, as a table among the behavioural
/// data (`beh/`). `BIDSPlanner` makes one for the JSON, `BIDSPlan` another to write the rows.
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
        .init("altitude_msl", "Above mean sea level; in mode 2 an assumption of the receiver.", units: "m"),
        .init("speed", "Over ground.", units: "m/s"), .init("track", "Clockwise from north.", units: "degree"),
        .init("hdop", "Horizontal dilution of precision."), .init("satellites", "Satellites used."),
    ]

    /// Nil for a recording that is neither positions nor a table of numbers.
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
            begin(row.uptime, row.time, since: &first, to: output)
            for value in row.values { output.text("\t" + BIDSCell.text(value.map(JSONText.spelling))) }
            output.text("\n")
            try output.drain()
        }
    }

    private func writePositions(to output: ExportOutput) throws(FileError) {
        let track = try NMEATrack([file])
        var first: Double?
        while let epoch = try track.next() {
            let (fix, isKnown) = (epoch.fix, epoch.position != nil)
            func add(_ value: Double?, _ decimals: Int) {
                output.byte(UInt8(ascii: "\t"))
                Self.write(isKnown ? value : nil, decimals, to: output)
            }
            begin(epoch.uptime, epoch.time, since: &first, to: output)
            output.text("\t\(fix.mode)")
            add(fix.latitude, 8)
            add(fix.longitude, 8)
            add(fix.altitudeMSL, 2)
            add(fix.speed, 3)
            add(fix.track, 2)
            add(fix.hdop, 2)
            output.text("\t" + BIDSCell.text(fix.satellites.map { "\($0)" }) + "\n")
            try output.drain()
        }
    }

    /// Begins a row: `onset` and `time`.
    private func begin(_ uptime: Double?, _ time: Instant?, since first: inout Double?, to output: ExportOutput) {
        first = first ?? uptime
        Self.write(uptime.flatMap { uptime in first.map { uptime - $0 } }, 6, to: output)
        output.text("\t" + BIDSCell.time(time))
    }

    /// Adds a number without making a string of it: there are millions.
    static func write(_ value: Double?, _ decimals: Int, to output: ExportOutput) {
        guard let value, abs(value) < 1e9 else { return output.text("n/a") }
        output.number(value, decimals)
    }
}
