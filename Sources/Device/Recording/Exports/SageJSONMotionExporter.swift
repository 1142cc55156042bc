// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Motion as the records of SageResearch's motion recorder: a marker at the start and after each gap and
/// restart, then one record per sensor and sample. Acceleration in g, rotation in rad/s, magnetic field in µT.
/// `studyd-tools export` calls it.
///
/// `timestamp` is seconds since the first sample. `uptime` is the monotonic clock's; where that is
/// unknown (a foreign file) or of several boots, it is the same as `timestamp`.
package enum SageJSONMotionExporter {
    private typealias Vector = (x: Double, y: Double, z: Double)

    /// Writes the part of the files that lies in the window: CWA in the order of time, CSV in the order given;
    /// `progress` gets the share that is done. Returns what is left out.
    @discardableResult
    package static func export(
        _ sources: [RecordedFile], window: ExportWindow, to output: ExportOutput, progress: (Double) -> Void
    ) throws(FileError) -> [String] {
        guard sources.first?.content == .table else {
            return try motion(MotionSource(sources, window: window), to: output, progress)
        }
        try table(sources, window, to: output, progress)
        return []
    }

    /// CWA files: acceleration, and rotation where there is one.
    private static func motion(
        _ motion: MotionSource, to output: ExportOutput, _ progress: (Double) -> Void
    ) throws(FileError) -> [String] {
        let source = motion.files[0]
        let timeline = try motion.open()
        guard let first = try timeline.next() else {
            throw .format(path: source.file.path, problem: "has nothing in the requested time")
        }
        var records = SageJSONRecords(output)
        var next: CWATimeline.TimedBlock? = first
        while let timed = next {
            let clock = timeline.clock
            // A marker at the first block and after each gap.
            if timed.gap != nil || timeline.count == 1 {
                let since = (timed.start - first.start).seconds
                let date = clock.zone.map { LocalDateTime(timed.start, offset: 0).text(fractionDigits: 3) + $0 }
                try records.addMarker(clock.uptime(timed.start) ?? since, since, source.stepPath, date)
            }
            try write(timed, since: first.start, clock, source.stepPath, &records)
            if timeline.count % 256 == 0 { progress(timeline.progress) }
            next = try timeline.next()
        }
        records.end()
        return timeline.notes
    }

    private static func write(
        _ timed: CWATimeline.TimedBlock, since start: Instant, _ clock: ExportClock, _ path: String,
        _ records: inout SageJSONRecords
    ) throws(FileError) {
        for index in 0..<timed.block.count {
            let time = timed.time(index)
            let since = (time - start).seconds
            let uptime = clock.uptime(time) ?? since
            try sample(&records, uptime, since, path, "accelerometer", timed.block.acceleration(index))
            if let rotation = timed.block.rotation(index) {
                try sample(&records, uptime, since, path, "gyro", radians(rotation))
            }
        }
    }

    /// CSV files with one vector.
    private static func table(
        _ sources: [RecordedFile], _ window: ExportWindow, to output: ExportOutput, _ progress: (Double) -> Void
    ) throws(FileError) {
        guard let source = sources.first else { return }
        let table = try CSVTable(sources, window: window)
        let sensors = ["uT": "magnetometer", "g": "accelerometer", "deg/s": "gyro"]
        guard table.columns == ["x", "y", "z"], Set(table.units).count == 1,
            let sensor = table.units.first.flatMap({ sensors[$0] })
        else {
            throw .format(
                path: source.file.path,
                problem: "is not a vector in uT, g or deg/s, so it cannot be exported as sage-json; choose csv")
        }
        var records = SageJSONRecords(output)
        let isOneBoot = Set(sources.map { $0.description?.bootID }).count == 1
        var (start, count): (CSVTable.Row?, Int) = (nil, 0)
        while let row = try table.next() {
            guard let own = row.uptime, case let values = row.values.compactMap({ $0 }), values.count == 3 else {
                continue
            }
            guard let since = seconds(from: start ?? row, to: row, isOneBoot) else {
                throw .format(
                    path: source.file.path,
                    problem: "is joined with another boot, and not all have a time of day; export them separately")
            }
            let uptime = isOneBoot ? own : since
            if start == nil || row.followsGap {
                let date = row.time.map { $0.rfc3339Zulu(fractionDigits: 3) }
                try records.addMarker(uptime, since, source.stepPath, date)
            }
            start = start ?? row
            let vector = (values[0], values[1], values[2])
            try sample(
                &records, uptime, since, source.stepPath, sensor, sensor == "gyro" ? radians(vector) : vector)
            count += 1
            if count % 4096 == 0 { progress(table.progress) }
        }
        records.end()
    }

    /// By the uptimes of one boot, else by the time of day; nil where that is unknown.
    private static func seconds(from start: CSVTable.Row, to row: CSVTable.Row, _ isOneBoot: Bool) -> Double? {
        if isOneBoot { return row.uptime.flatMap { end in start.uptime.map { end - $0 } } }
        return row.time.flatMap { end in start.time.map { (end - $0).seconds } }
    }

    private static func sample(
        _ records: inout SageJSONRecords, _ uptime: Double, _ since: Double, _ path: String, _ sensor: String,
        _ vector: Vector
    ) throws(FileError) {
        try records.add([
            "uptime": .number(uptime, decimals: 6), "timestamp": .number(since, decimals: 6), "stepPath": .text(path),
            "sensorType": .text(sensor), "x": .number(vector.x, decimals: 6), "y": .number(vector.y, decimals: 6),
            "z": .number(vector.z, decimals: 6),
        ])
    }

    private static func radians(_ vector: Vector) -> Vector {
        let unit = Double.pi / 180
        return (vector.x * unit, vector.y * unit, vector.z * unit)
    }
}
