// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import SystemKit

/// The acceleration of a CWA file.
final class MotionFeatureFile: FeatureFile {
    let offset: Int?
    private let series: MotionSeries
    /// The block behind a gap that was just returned.
    private var waiting: CWATimeline.TimedBlock?

    init(_ file: RecordedFile) throws(FileError) {
        series = try MotionSource([file]).open()
        if series.header?["clock"] == "uptime" {
            throw .format(
                path: file.file.path, problem: "has no time of day: its boot never had one. Leave it out")
        }
        offset = MotionSeries.offset(series.header, series.description)
    }

    var progress: Double { series.progress }
    var notes: [String] { series.notes }

    func next() throws(FileError) -> FeatureStep<MotionSample>? {
        if let block = waiting {
            waiting = nil
            return .samples(samples(block))
        }
        guard let block = try series.next() else { return nil }
        guard block.gap == nil else {
            waiting = block
            return .gap
        }
        return .samples(samples(block))
    }

    static func add(_ samples: [MotionSample], to run: inout FeatureRun<MotionSample>) -> [FeatureRow] {
        run.add(samples)
    }

    private func samples(_ timed: CWATimeline.TimedBlock) -> [MotionSample] {
        let east = Int64(offset ?? 0) * 1_000_000_000
        return (0..<timed.block.count).map { index in
            let (x, y, z) = timed.block.acceleration(index)
            return MotionSample(time: Instant(nanoseconds: timed.time(index).nanoseconds &- east), x: x, y: y, z: z)
        }
    }
}

/// The levels of sound of one of our tables; seconds without a time of day are left out.
final class LevelFeatureFile: FeatureFile {
    let offset: Int?
    private let table: CSVTable
    private let column: Int
    /// The sample behind a gap that was just returned.
    private var waiting: LevelSample?

    /// True for a table of calibrated levels, in dB re 20 µPa; levels in dB re full scale are not comparable.
    static func recognises(_ file: RecordedFile) -> Bool { (try? LevelFeatureFile(file)) != nil }

    init(_ file: RecordedFile) throws(FileError) {
        guard file.content == .table else { throw Self.failure(file) }
        table = try CSVTable(file)
        guard let column = table.columns.firstIndex(of: "LAeq"), table.units.indices.contains(column),
            table.units[column] == "dB"
        else { throw Self.failure(file) }
        self.column = column
        offset = file.description?.offsetSeconds
    }

    private static func failure(_ file: RecordedFile) -> FileError {
        .format(path: file.file.path, problem: "is no table of sound levels in dB")
    }

    var progress: Double { table.progress }

    func next() throws(FileError) -> FeatureStep<LevelSample>? {
        if let sample = waiting {
            waiting = nil
            return .samples([sample])
        }
        var followsGap = false
        while let row = try table.next() {
            followsGap = followsGap || row.followsGap
            guard let time = row.time, let level = row.values[column] else { continue }
            let sample = LevelSample(time: time, level: level)
            guard followsGap else { return .samples([sample]) }
            waiting = sample
            return .gap
        }
        return nil
    }
}

/// The valid positions of an NMEA file.
final class PositionFeatureFile: FeatureFile {
    let offset: Int?
    private let track: NMEATrack

    init(_ file: RecordedFile) throws(FileError) {
        track = try NMEATrack([file])
        offset = file.description?.offsetSeconds
    }

    var progress: Double { track.progress }

    /// Returns no gaps: the only feature of positions, visits, allows for a quarter of an hour without.
    func next() throws(FileError) -> FeatureStep<PositionSample>? {
        while let epoch = try track.next() {
            guard let time = epoch.time, let (latitude, longitude) = epoch.position else { continue }
            return .samples([PositionSample(time: time, latitude: latitude, longitude: longitude)])
        }
        return nil
    }
}
