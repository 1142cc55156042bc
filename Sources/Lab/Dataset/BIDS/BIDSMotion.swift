// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// A recording of motion as BIDS wants it: a table without a header row, the list of its channels, and the JSON
/// beside it. A row for each stored sample; the last column, the seconds since the first one, shows the gaps.
/// `BIDSPlanner` makes one for the JSON and the list, `BIDSPlan` another to write the rows, on any thread.
///
/// Source: bids-specification, "Motion".
struct BIDSMotion {
    struct Channel {
        let name: String
        let type: String
        let component: String
        let unit: String
    }

    let channels: [Channel]
    /// UTC of the first sample; nil while the clock is unknown.
    let start: Instant?
    private let file: RecordedFile
    private let description: RecordingDescription

    /// Nil for a recording of something else than motion, and for one without a sample.
    init?(_ file: RecordedFile, _ description: RecordingDescription) throws(FileError) {
        (self.file, self.description) = (file, description)
        if file.content == .motion {
            let series = try MotionSource([file]).open()
            guard let first = try series.next() else { return nil }
            channels = Self.channels(first.block)
            let offset = MotionSeries.offset(series.header, description)
            start = series.header?["clock"] == "uptime" ? nil : offset.map { first.start - .seconds($0) }
        } else {
            guard let table = try? CSVTable(file), let first = try table.next(),
                let channels = Self.channels(table, description)
            else { return nil }
            self.channels = channels
            start = first.time
        }
    }

    private static func channels(_ block: CWABlock) -> [Channel] {
        let acceleration = ["x", "y", "z"].map { Channel(name: "accel_\($0)", type: "ACCEL", component: $0, unit: "g") }
        guard block.hasRotation else { return acceleration }
        return acceleration
            + ["x", "y", "z"].map { Channel(name: "gyro_\($0)", type: "GYRO", component: $0, unit: "deg/s") }
    }

    /// The three axes of a sensor that BIDS has a type for; nil for any other table.
    private static func channels(_ table: CSVTable, _ description: RecordingDescription) -> [Channel]? {
        let types = ["accelerometer": "ACCEL", "gyroscope": "GYRO", "magnetometer": "MAGN"]
        guard let type = types[description.kind], table.columns.count == 3 else { return nil }
        let units = table.units.count == 3 ? table.units : description.channels.map(\.unit)
        guard units.count == 3 else { return nil }
        return zip(zip(table.columns, ["x", "y", "z"]), units).map { names, unit in
            Channel(name: names.0, type: type, component: names.1, unit: unit.replacing("°", with: "deg"))
        }
    }

    var channelTable: String {
        let head = ["name", "component", "type", "tracked_point", "units", "placement", "sampling_frequency"]
        let place = BIDSCell.text(description.bodyLocation)
        let rate = BIDSCell.text(JSONText.number(description.nominalRate).text)
        let rows = channels.map { [$0.name, $0.component, $0.type, place, $0.unit, place, rate] }
        return ([head] + rows + [["latency", "n/a", "LATENCY", "n/a", "s", "n/a", rate]]).map(BIDSCell.line).joined()
    }

    /// The JSON beside the table.
    func json(_ task: BIDSTask, source: StudyRecording) -> JSONText {
        let counts = ["ACCEL", "ANGACCEL", "GYRO", "JNTANG", "MAGN", "MISC", "ORNT", "POS", "VEL"].map { type in
            JSONText.Member("\(type)ChannelCount", .integer(Int64(channels.count { $0.type == type })))
        }
        let own: JSONText = .object([
            "SamplingFrequency": .number(description.nominalRate),
            "SamplingFrequencyEffective": description.measuredRate.map { .decimal($0) },
            "RecordingType": .string("continuous"),
            "RecordingDuration": .decimal(max(0, description.endUptime - description.startUptime)),
            "MissingValues": .string("n/a"), "TrackedPointsCount": .integer(1),
            "TrackingSystemName": .string(description.identifier),
            "DeviceSerialNumber": .string("\(description.deviceNumber)"),
            "ManufacturersModelName": .string(description.device),
            "SoftwareVersions": .string(description.software ?? "studyd"),
            "SubjectArtefactDescription": .string("n/a"), "MotionChannelCount": .integer(Int64(channels.count)),
            "LATENCYChannelCount": .integer(1),
            "MountingMatrix": description.mountingMatrix.map { .array($0.map { .array($0.map { .decimal($0) }) }) },
        ])
        return .object(task.members + own.members + counts + BIDSSource.members(source, description))
    }

    /// Writes the rows, without a header row.
    func write(to output: ExportOutput) throws(FileError) {
        if file.content == .motion { try writeBlocks(to: output) } else { try writeRows(to: output) }
    }

    private func writeBlocks(to output: ExportOutput) throws(FileError) {
        let series = try MotionSource([file]).open()
        var (first, texts): (Int64?, [Int64: CountTexts]) = (nil, [:])
        while let timed = try series.next() {
            let begin = first ?? timed.start.nanoseconds
            first = begin
            let block = timed.block
            let (axes, step) = (block.packing.axes, timed.period * 1e9)
            // Rotation comes first where there is some; what lies behind six axes is left out.
            let (values, last) = (block.values, min(axes, 6))
            let shift = timed.start.nanoseconds &- begin
            let acceleration = Self.texts(block.accelerationMillionths, &texts)
            let rotation = axes > 3 ? Self.texts(block.rotationMillionths, &texts) : nil
            // The longest row: six values and the latency, of 16 characters each.
            output.rows(capacity: block.count * 112 + 16) { row in
                for index in 0..<values.count / axes {
                    let place = index * axes
                    for axis in (last - 3)..<last { acceleration.write(values[place + axis], to: &row) }
                    if let rotation { for axis in 0..<3 { rotation.write(values[place + axis], to: &row) } }
                    let latency = shift &+ Int64((Double(index) * step).rounded(.toNearestOrEven))
                    // Nanoseconds, rounded to millionths of a second.
                    row.millionths((latency + (latency < 0 ? -500 : 500)) / 1000)
                    row.byte(0x0A)
                }
            }
            try output.drain()
        }
    }

    /// The texts of all counts at this scale, computed once for each scale.
    private static func texts(_ scale: Int64, _ known: inout [Int64: CountTexts]) -> CountTexts {
        if let texts = known[scale] { return texts }
        let texts = CountTexts(scale: scale)
        known[scale] = texts
        return texts
    }

    private func writeRows(to output: ExportOutput) throws(FileError) {
        let table = try CSVTable(file)
        let decimals = description.channels.map { Decimals.needed(step: $0.resolution ?? $0.scale) }
        var first: Double?
        while let row = try table.next() {
            guard let uptime = row.uptime else { continue }
            first = first ?? uptime
            for (place, value) in row.values.enumerated() {
                BIDSSeries.write(value, place < decimals.count ? decimals[place] : 6, to: output)
                output.text("\t")
            }
            output.number(uptime - (first ?? uptime), 6)
            output.text("\n")
            try output.drain()
        }
    }
}
