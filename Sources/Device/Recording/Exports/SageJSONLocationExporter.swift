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
        var steps = StepMarks(marks, path: source.stepPath, start: start ?? 0)
        while let epoch = try track.next() {
            guard let position = epoch.position, let time = epoch.time else { continue }
            let since = path.seconds(at: time)
            let uptime = epoch.uptime ?? since
            if uptime > end { break }
            for mark in steps.advance(to: uptime) { try marker(mark, since: mark.uptime - steps.start, &records) }
            let bearing = path.bearing(to: position)
            let relative = path.add(position, isMoving: true).relative
            let accuracy = epoch.fix.hdop.map { $0 * rangeError }
            let total = distance.add(
                position, accuracy: accuracy,
                isMoving: motion.map { steps.path.split(separator: "/").last.map(String.init) == $0 } ?? true)
            try records.add([
                "uptime": .number(uptime, decimals: 6),
                "timestamp": .number(max(0, start.map { uptime - $0 } ?? since), decimals: 6),
                "stepPath": .text(steps.path),
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
        for mark in steps.advanceToEnd() { try marker(mark, since: mark.uptime - steps.start, &records) }
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
