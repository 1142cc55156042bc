// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Motion of one recorder of a task, as SageResearch's motion recorder writes it: a marker where the recorder
/// was started and at each step, and one record per sensor and sample, all sensors in one array in the order of
/// time. `RequestPacker` puts it into the task's archive.
///
/// Acceleration in g, rotation in rad/s, magnetic field in µT, in the device's axes where the board
/// says how the chip is mounted. Fused sensors come out of `AttitudeFilter`: gravity and user
/// acceleration in g, which add up to the acceleration; attitude as the quaternion that turns the
/// device's vectors into the world's: to the north where the magnetic field was asked for and
/// measured. Constant memory.
package struct MotionLog {
    /// What a record can be of; the raw values are those of `MotionRecord.json`.
    package enum Sensor: String, Sendable, CaseIterable {
        case accelerometer, gyro, magnetometer, attitude, gravity, magneticField, rotationRate, userAcceleration
    }

    private let files: [RecordedFile]
    private let sensors: Set<Sensor>
    private var marks: StepMarks
    /// Seconds of CLOCK_MONOTONIC up to which samples are the recorder's.
    private let end: Double
    private let output: ExportOutput
    private var filter = AttitudeFilter()
    /// The last field and acceleration, of whichever file.
    private var field: SIMD3<Double>?
    private var acceleration: SIMD3<Double>?
    /// The time of the last sample that went into `filter`.
    private var lastTurn: Double?
    private var isEmpty = true
    /// The attitude is turned to the magnetic north.
    private var isNorth = false

    /// The longest step of the filter in seconds; after a longer gap it begins again.
    private static let longestStep = 1.0

    /// A log of these files, each CWA motion or a table of a vector; `sensors` are those asked for.
    package init(
        _ files: [RecordedFile], sensors: [Sensor], marks: [StepMark], until end: Double, to output: ExportOutput
    ) {
        self.files = files
        self.sensors = Set(sensors)
        self.marks = StepMarks(
            marks, path: files.first?.stepPath ?? "", start: files.first?.description?.startUptime ?? 0)
        self.end = end
        self.output = output
    }

    /// Writes the whole log; to be called once.
    package mutating func write() throws(FileError) {
        output.text("[\n")
        var streams: [VectorStream] = []
        for file in files { streams.append(try VectorStream(file)) }
        for stream in streams where sensors.contains(.magneticField) {
            isNorth = try stream.peek()?.field != nil || isNorth
        }
        while true {
            // The stream with the earliest sample is next.
            var first: Int?
            for index in streams.indices {
                guard let sample = try streams[index].peek() else { continue }
                if let best = first, let other = try streams[best].peek(), other.uptime <= sample.uptime { continue }
                first = index
            }
            guard let first, let sample = try streams[first].pop(), sample.uptime <= end else { break }
            for mark in marks.advance(to: sample.uptime) { marker(mark) }
            write(sample)
            try output.drain()
        }
        for mark in marks.advanceToEnd() { marker(mark) }
        output.text(isEmpty ? "]\n" : "\n]\n")
    }

    /// Begins a record, up to its uptime, which the caller writes.
    private mutating func separate() {
        output.text(isEmpty ? "{\"uptime\":" : ",\n{\"uptime\":")
        isEmpty = false
    }

    private mutating func marker(_ mark: StepMark) {
        separate()
        output.number(mark.uptime, 6)
        output.text(",\"timestamp\":")
        output.number(max(0, mark.uptime - marks.start), 6)
        output.text(
            ",\"timestampDate\":\(JSONText.quoted(mark.date)),\"stepPath\":\(JSONText.quoted(mark.path))}")
    }

    private mutating func write(_ sample: VectorStream.Sample) {
        if let acceleration = sample.acceleration {
            self.acceleration = acceleration
            record(.accelerometer, sample.uptime, acceleration)
        }
        if let field = sample.field {
            self.field = field
            record(.magnetometer, sample.uptime, field)
            record(.magneticField, sample.uptime, field, ",\"eventAccuracy\":-1")
        }
        guard let rotation = sample.rotation else { return }
        record(.gyro, sample.uptime, rotation)
        record(.rotationRate, sample.uptime, rotation)
        fuse(rotation, sample.uptime)
    }

    /// Turns the filter by a rotation and writes what is fused. Writes nothing until there is an acceleration and,
    /// for the north, a field.
    private mutating func fuse(_ rotation: SIMD3<Double>, _ uptime: Double) {
        guard let acceleration, !sensors.isDisjoint(with: [.attitude, .gravity, .userAcceleration]) else { return }
        if isNorth, field == nil { return }
        let step = lastTurn.map { uptime - $0 } ?? 0
        lastTurn = uptime
        if step > Self.longestStep || step < 0 { filter = AttitudeFilter() }
        filter.add(
            rotation: rotation, acceleration: acceleration, field: isNorth ? field : nil, after: max(0, step))
        let gravity = filter.up
        record(.gravity, uptime, gravity)
        record(.userAcceleration, uptime, acceleration - gravity)
        guard sensors.contains(.attitude) else { return }
        let q = filter.quaternion
        let frame = isNorth ? "North-West-Up" : "Z-Up"
        var more = ",\"w\":"
        more += Decimals.text(q.x, 6)
        more += ",\"eventAccuracy\":-1"
        more += ",\"referenceCoordinate\":\"\(frame)\",\"heading\":"
        more += isNorth ? Decimals.text(filter.heading, 3) : "-1"
        record(.attitude, uptime, SIMD3(q.y, q.z, q.w), more)
    }

    private mutating func record(_ sensor: Sensor, _ uptime: Double, _ vector: SIMD3<Double>, _ more: String = "") {
        guard sensors.contains(sensor) else { return }
        separate()
        let since = max(0, uptime - marks.start)
        output.rows(capacity: 160) { row in
            row.millionths(Self.millionths(uptime))
            row.text(",\"timestamp\":")
            row.millionths(Self.millionths(since))
        }
        output.text(",\"stepPath\":\(JSONText.quoted(marks.path)),\"sensorType\":\"\(sensor.rawValue)\",\"x\":")
        output.rows(capacity: 160) { row in
            row.millionths(Self.millionths(vector.x))
            row.text(",\"y\":")
            row.millionths(Self.millionths(vector.y))
            row.text(",\"z\":")
            row.millionths(Self.millionths(vector.z))
        }
        if !more.isEmpty { output.text(more) }
        output.byte(UInt8(ascii: "}"))
    }

    private static func millionths(_ value: Double) -> Int64 {
        guard value.isFinite, abs(value) < 9e12 else { return 0 }
        return Int64((value * 1e6).rounded())
    }
}
