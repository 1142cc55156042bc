// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Positions as the records of SageResearch's distance recorder, one per fix.
///
/// `export` is for any recording and always writes coordinates, as with `relativeDistanceOnly` false; `log` is
/// for the recorder of a task. The accuracy, one standard deviation, is the horizontal dilution of precision
/// times `rangeError`; an error estimate of the receiver itself (GST) is not used, since few give one.
package enum SageJSONLocationExporter {
    /// Metres of range error of a receiver without corrections, one standard deviation: half of
    /// gpsd's 15 m for 95 %.
    private static let rangeError = 7.5
    /// Metres per second, slower than any walk: distances of such fixes are noise.
    package static let slowest = 0.3

    package static func export(
        _ sources: [RecordedFile], window: ExportWindow, to output: ExportOutput, progress: (Double) -> Void
    ) throws(FileError) {
        guard let source = sources.first else { return }
        let track = try NMEATrack(sources, window: window)
        var records = SageJSONRecords(output)
        var path = DistancePath()
        while let epoch = try track.next() {
            guard let position = epoch.position, let time = epoch.time else { continue }
            let step = path.add(position, isMoving: (epoch.fix.speed ?? .infinity) >= slowest)
            let since = path.seconds(at: time)
            try write(epoch, position, time, since, step, source.stepPath, &records)
            progress(track.progress)
        }
        records.end()
    }

    /// The path of one recorder of a task, of all its files in the order of time. Unknown values are
    /// left out, as its schema wants, and so are places where only distances are wanted. The bearing
    /// is computed from the fix before, since a receiver's course is noise at walking pace. The
    /// length is counted during the step `motion`; nil = all the time. `end` is CLOCK_MONOTONIC in
    /// seconds.
    package static func log(
        _ sources: [RecordedFile], marks: [StepMark], until end: Double, withPlaces: Bool, movingIn motion: String?,
        to output: ExportOutput
    ) throws(FileError) {
        guard let source = sources.first else { return }
        let track = try NMEATrack(sources)
        var records = SageJSONRecords(output, omitsNull: true)
        var path = DistancePath()
        var distance = MotionDistance()
        let start = marks.first?.uptime
        for mark in marks.prefix(1) { try marker(mark, since: 0, &records) }
        var next = 1  // the first mark that is not written yet
        while let epoch = try track.next() {
            guard let position = epoch.position, let time = epoch.time else { continue }
            let since = path.seconds(at: time)
            let uptime = epoch.uptime ?? since
            if uptime > end { break }
            while next < marks.count, marks[next].uptime <= uptime {
                try marker(marks[next], since: marks[next].uptime - (start ?? 0), &records)
                next += 1
            }
            let bearing = path.bearing(to: position)
            let relative = path.add(position, isMoving: true).relative
            let stepPath = next <= marks.count ? marks[next - 1].path : source.stepPath
            let accuracy = epoch.fix.hdop.map { $0 * rangeError }
            let total = distance.add(
                position, accuracy: accuracy,
                isMoving: motion.map { stepPath.split(separator: "/").last.map(String.init) == $0 } ?? true)
            try records.add([
                "uptime": .number(uptime, decimals: 6),
                "timestamp": .number(max(0, start.map { uptime - $0 } ?? since), decimals: 6),
                "stepPath": .text(stepPath),
                "timestampDate": .text(time.rfc3339Zulu(fractionDigits: 3)),
                "timestampUnix": .number(Double(time.milliseconds) / 1000, decimals: 3),
                "horizontalAccuracy": .number(accuracy, decimals: 1),
                "relativeDistance": .number(relative, decimals: 2),
                "latitude": .number(withPlaces ? position.latitude : nil, decimals: 8),
                "longitude": .number(withPlaces ? position.longitude : nil, decimals: 8),
                "altitude": .number(epoch.fix.mode == 3 ? epoch.fix.altitudeMSL : nil, decimals: 2),
                "totalDistance": .number(total, decimals: 2), "course": .number(epoch.fix.track, decimals: 2),
                "bearingRadians": .number(bearing, decimals: 6), "speed": .number(epoch.fix.speed, decimals: 3),
            ])
        }
        while next < marks.count {
            try marker(marks[next], since: marks[next].uptime - (start ?? 0), &records)
            next += 1
        }
        records.end()
    }

    private static func marker(
        _ mark: StepMark, since: Double, _ records: inout SageJSONRecords
    ) throws(FileError) {
        try records.add([
            "uptime": .number(mark.uptime, decimals: 6), "timestamp": .number(max(0, since), decimals: 6),
            "timestampDate": .text(mark.date), "stepPath": .text(mark.path),
        ])
    }

    private static func write(
        _ epoch: NMEATrack.Epoch, _ position: (latitude: Double, longitude: Double), _ time: Instant, _ since: Double,
        _ step: (relative: Double?, total: Double?), _ path: String, _ records: inout SageJSONRecords
    ) throws(FileError) {
        let fix = epoch.fix
        try records.add([
            "uptime": .number(epoch.uptime ?? since, decimals: 6), "timestamp": .number(since, decimals: 6),
            "stepPath": .text(path), "timestampDate": .text(time.rfc3339Zulu(fractionDigits: 3)),
            "timestampUnix": .number(Double(time.milliseconds) / 1000, decimals: 3),
            "horizontalAccuracy": .number(fix.hdop.map { $0 * rangeError }, decimals: 1),
            "relativeDistance": .number(step.relative, decimals: 2),
            "latitude": .number(position.latitude, decimals: 8),
            "longitude": .number(position.longitude, decimals: 8),
            "altitude": .number(fix.mode == 3 ? fix.altitudeMSL : nil, decimals: 2),
            "totalDistance": .number(step.total, decimals: 2), "course": .number(fix.track, decimals: 2),
            "bearingRadians": .number(fix.track.map { $0 * .pi / 180 }, decimals: 6),
            "speed": .number(fix.speed, decimals: 3),
        ])
    }
}

/// How far a participant moved during the step in which they were asked to, as SageResearch's recorder counts it
/// (stable-3, `RSDDistanceRecorder.swift`): between fixes with an error of 20 m or less, whatever the speed. The
/// first stretch begins at the last such fix before the step.
struct MotionDistance {
    /// Metres of error of a fix up to which its receiver counts as outdoors.
    static let outdoors = 20.0
    private var last: (latitude: Double, longitude: Double)?
    private var total = 0.0
    private var wasMoving = true

    /// Metres so far; nil outside the moving step, and before there are two fixes.
    mutating func add(
        _ position: (latitude: Double, longitude: Double), accuracy: Double?, isMoving: Bool
    ) -> Double? {
        if isMoving, !wasMoving { total = 0 }
        wasMoving = isMoving
        let isExact = accuracy.map { $0 > 0 && $0 <= Self.outdoors } ?? false
        defer { if isExact { last = position } }
        guard isMoving, let last else { return nil }
        if isExact { total += DistancePath.metres(last, position) }
        return total
    }
}

/// The way from fix to fix. `add` makes a fix the last one, so `bearing` comes before it.
package struct DistancePath {
    private var last: (latitude: Double, longitude: Double)?
    private var total = 0.0
    private var start: Instant?

    package init() {}

    /// Metres since the last fix, nil at the first; and of the whole way, nil while not moving.
    package mutating func add(
        _ position: (latitude: Double, longitude: Double), isMoving: Bool
    ) -> (relative: Double?, total: Double?) {
        let relative = last.map { Self.metres($0, position) }
        last = position
        if isMoving { total += relative ?? 0 }
        return (relative, isMoving ? total : nil)
    }

    /// Direction of `position` from the last fix, in radians from north to east, [0, 2π); nil at the first fix, and
    /// where nothing moved.
    package func bearing(to position: (latitude: Double, longitude: Double)) -> Double? {
        guard let last, last != position else { return nil }
        let unit = Double.pi / 180
        let east = (position.longitude - last.longitude) * unit
        let (from, to) = (last.latitude * unit, position.latitude * unit)
        let angle = atan2(sin(east) * cos(to), cos(from) * sin(to) - sin(from) * cos(to) * cos(east))
        return angle < 0 ? angle + 2 * .pi : angle
    }

    /// Seconds since the first fix.
    package mutating func seconds(at time: Instant) -> Double {
        let start = self.start ?? time
        self.start = start
        return (time - start).seconds
    }

    /// Along the great circle, by the haversine formula on a sphere of 6 371 008.8 m.
    package static func metres(
        _ from: (latitude: Double, longitude: Double), _ to: (latitude: Double, longitude: Double)
    ) -> Double {
        let unit = Double.pi / 180
        let north = sin((to.latitude - from.latitude) * unit / 2)
        let east = sin((to.longitude - from.longitude) * unit / 2)
        let share = north * north + cos(from.latitude * unit) * cos(to.latitude * unit) * east * east
        return 2 * 6_371_008.8 * asin(min(1, share.squareRoot()))
    }
}
