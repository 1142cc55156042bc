// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Positions as the records of SageResearch's distance recorder, one per fix.
///
/// `export` is for any recording and always writes coordinates, as with `relativeDistanceOnly` false; `log` is
/// for the recorder of a task (`RequestPacker`). The accuracy, one standard deviation, is the horizontal
/// dilution of precision times `rangeError`; an error estimate of the receiver itself (GST) is not used, since
/// few give one.
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
            try add(
                &records, epoch, at: time, uptime: epoch.uptime ?? since, timestamp: since, path: source.stepPath,
                position, step, bearing: epoch.fix.track.map { $0 * .pi / 180 })
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
            try add(steps.advance(to: uptime), since: steps.start, to: &records)
            let bearing = path.bearing(to: position)
            let relative = path.add(position, isMoving: true).relative
            let total = distance.add(
                position, accuracy: accuracy(of: epoch.fix),
                isMoving: motion.map { steps.path.split(separator: "/").last.map(String.init) == $0 } ?? true)
            try add(
                &records, epoch, at: time, uptime: uptime, timestamp: max(0, start.map { uptime - $0 } ?? since),
                path: steps.path, withPlaces ? position : nil, (relative, total), bearing: bearing)
        }
        try add(steps.advanceToEnd(), since: steps.start, to: &records)
        records.end()
    }

    private static func add(_ marks: ArraySlice<StepMark>, since start: Double, to records: inout SageJSONRecords)
        throws(FileError)
    {
        for mark in marks { try records.addMarker(mark.uptime, max(0, mark.uptime - start), mark.path, mark.date) }
    }

    private static func accuracy(of fix: Fix) -> Double? { fix.hdop.map { $0 * rangeError } }

    private static func add(
        _ records: inout SageJSONRecords, _ epoch: NMEATrack.Epoch, at time: Instant, uptime: Double,
        timestamp: Double, path: String, _ place: (latitude: Double, longitude: Double)?,
        _ distance: (relative: Double?, total: Double?), bearing: Double?
    ) throws(FileError) {
        let fix = epoch.fix
        try records.add([
            "uptime": .number(uptime, decimals: 6), "timestamp": .number(timestamp, decimals: 6),
            "stepPath": .text(path), "timestampDate": .text(time.rfc3339Zulu(fractionDigits: 3)),
            "timestampUnix": .number(Double(time.milliseconds) / 1000, decimals: 3),
            "horizontalAccuracy": .number(accuracy(of: fix), decimals: 1),
            "relativeDistance": .number(distance.relative, decimals: 2),
            "latitude": .number(place?.latitude, decimals: 8), "longitude": .number(place?.longitude, decimals: 8),
            "altitude": .number(fix.mode == 3 ? fix.altitudeMSL : nil, decimals: 2),
            "totalDistance": .number(distance.total, decimals: 2), "course": .number(fix.track, decimals: 2),
            "bearingRadians": .number(bearing, decimals: 6), "speed": .number(fix.speed, decimals: 3),
        ])
    }
}
