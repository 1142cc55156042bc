// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// The files of one measure, of which there is at least one, which `XDFExporter` writes as one stream.
struct XDFMeasure {
    let files: [RecordedFile]
    let window: ExportWindow
    let timeline: XDFTimeline

    /// Returns what the person should know.
    func write(to writer: inout XDFWriter, progress: (Double) -> Void) throws(FileError) -> [String] {
        switch files[0].content {
        case .motion: return try writeMotion(to: &writer, progress)
        case .sentences: try writePositions(to: &writer, progress)
        default:
            let table = try CSVTable(files, window: window)
            let isOfButtons = table.columns.contains("button") && table.columns.contains("edge")
            if isOfButtons { try writePresses(to: &writer) } else { try writeRows(of: table, to: &writer, progress) }
        }
        return []
    }

    private func writeMotion(to writer: inout XDFWriter, _ progress: (Double) -> Void) throws(FileError) -> [String] {
        let source = try MotionSource(files, window: window)
        var (isOpen, notes): (Bool, [String]) = (false, source.notes)
        for (place, file) in source.files.enumerated() {
            let series = try MotionSource([file], window: window).open()
            let start = try CWATimeline(file).next()?.start ?? .epoch
            let clock = ExportClock(series.header, file.description, start: start)
            let east = Duration.seconds(MotionSeries.offset(series.header, file.description) ?? 0)
            while let timed = try series.next() {
                if !isOpen {
                    writer.open(header(rate: timed.block.rate, Self.channels(timed.block)), offsets: timeline.offsets)
                }
                isOpen = true
                for sample in 0..<timed.block.count {
                    // Wall time as if it were UTC.
                    let time = timed.time(sample)
                    let uptime = clock.uptime(time).map { timeline.place(uptime: $0, of: file) }
                    try writer.add(Self.values(timed.block, sample), at: uptime ?? timeline.place(time - east))
                }
                if series.count % 256 == 0 { progress((Double(place) + series.progress) / Double(files.count)) }
            }
            notes += series.notes
        }
        if isOpen { try writer.close() }
        return notes
    }

    private func writeRows(
        of table: CSVTable, to writer: inout XDFWriter, _ progress: (Double) -> Void
    ) throws(FileError) {
        let units = table.units.count == table.columns.count ? table.units : table.columns.map { _ in "" }
        let channels = zip(table.columns, units).map { (label: $0, unit: $1) }
        writer.open(header(rate: files[0].description?.nominalRate ?? 0, channels), offsets: timeline.offsets)
        for (place, file) in files.enumerated() {
            let table = try CSVTable([file], window: window)
            while let row = try table.next() {
                guard let moment = moment(row.uptime, row.time, file) else { continue }
                try writer.add(row.values, at: moment)
            }
            progress(Double(place + 1) / Double(files.count))
        }
        try writer.close()
    }

    private func writePositions(to writer: inout XDFWriter, _ progress: (Double) -> Void) throws(FileError) {
        let channels: [(label: String, unit: String)] = [
            ("mode", ""), ("latitude", "deg"), ("longitude", "deg"), ("altitude_msl", "m"), ("speed", "m/s"),
            ("track", "deg"), ("hdop", ""), ("satellites", ""),
        ]
        writer.open(header(rate: 0, channels), offsets: timeline.offsets)
        for (place, file) in files.enumerated() {
            let track = try NMEATrack([file], window: window)
            while let epoch = try track.next() {
                guard let moment = moment(epoch.uptime, epoch.time, file) else { continue }
                try writer.add(Self.values(epoch), at: moment)
            }
            progress(Double(place + 1) / Double(files.count))
        }
        try writer.close()
    }

    private func writePresses(to writer: inout XDFWriter) throws(FileError) {
        writer.open(.markers(name, facts: facts), offsets: timeline.offsets)
        for file in files {
            for press in try ButtonLog.presses([file], window) {
                try writer.add(press.text, at: timeline.place(uptime: press.uptime, of: file))
            }
        }
        try writer.close()
    }

    /// The place on the timeline: by the uptime where it is known, else by the time of day.
    private func moment(_ uptime: Double?, _ time: Instant?, _ file: RecordedFile) -> Double? {
        if let uptime, file.description != nil { return timeline.place(uptime: uptime, of: file) }
        return time.map(timeline.place) ?? uptime
    }

    private static func values(_ block: CWABlock, _ sample: Int) -> [Double?] {
        let (x, y, z) = block.acceleration(sample)
        guard let (gx, gy, gz) = block.rotation(sample) else { return [x, y, z] }
        return [x, y, z, gx, gy, gz]
    }

    private static func values(_ epoch: NMEATrack.Epoch) -> [Double?] {
        let fix = epoch.fix
        let place = [fix.latitude, fix.longitude, fix.altitudeMSL, fix.speed, fix.track, fix.hdop]
        let known = epoch.position == nil ? place.map { _ in nil } : place
        return [Double(fix.mode)] + known + [fix.satellites.map(Double.init)]
    }

    private static func channels(_ block: CWABlock) -> [(label: String, unit: String)] {
        let acceleration = ["x", "y", "z"].map { ($0, "g") }
        guard block.hasRotation else { return acceleration }
        return acceleration + ["gyro_x", "gyro_y", "gyro_z"].map { ($0, "deg/s") }
    }

    private func header(rate: Double, _ channels: [(label: String, unit: String)]) -> XDFStream {
        XDFStream(
            name: name, type: files[0].description?.kind ?? files[0].content.title, rate: rate, channels: channels,
            facts: facts)
    }

    private var name: String { files[0].description?.identifier ?? files[0].name }

    private var facts: [(name: String, value: String)] {
        guard let description = files[0].description else { return [("recordings", files[0].name)] }
        let errors = files.compactMap(\.description?.clockError)
        return [
            ("study", description.study), ("participant", description.participant ?? ""),
            ("device_number", "\(description.deviceNumber)"), ("device", description.device),
            ("body_location", description.bodyLocation ?? ""), ("zone", description.zone),
            ("clock_error_seconds", errors.max().map { Decimals.text($0, 6) } ?? ""),
            ("recordings", files.map(\.name).joined(separator: " ")),
        ]
    }
}
