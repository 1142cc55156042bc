// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The samples of one file, each with its time and what it measures, in the device's axes. `MotionLog` merges
/// one per file.
final class VectorStream {
    struct Sample {
        /// CLOCK_MONOTONIC in seconds.
        let uptime: Double
        /// g.
        var acceleration: SIMD3<Double>?
        /// rad/s.
        var rotation: SIMD3<Double>?
        /// µT.
        var field: SIMD3<Double>?
    }

    private enum Source {
        case motion(MotionSeries, ExportClock, start: Instant)
        case table(CSVTable, unit: String)
    }

    private let source: Source
    private let mounting: [SIMD3<Double>]?
    /// The block being read, and the place of its next sample.
    private var block: CWATimeline.TimedBlock?
    private var place = 0
    /// What `peek` has read and `pop` not taken yet, where `hasAhead`; nil after the last sample.
    private var ahead: Sample?
    private var hasAhead = false

    init(_ file: RecordedFile) throws(FileError) {
        mounting = file.description?.mountingMatrix.flatMap { rows in
            rows.count == 3 && rows.allSatisfy { $0.count == 3 } ? rows.map { SIMD3($0[0], $0[1], $0[2]) } : nil
        }
        if file.content == .table {
            let table = try CSVTable(file)
            guard table.columns == ["x", "y", "z"], Set(table.units).count == 1, let unit = table.units.first else {
                throw .format(path: file.file.path, problem: "is not a vector")
            }
            source = .table(table, unit: unit)
        } else {
            let motion = try MotionSource([file])
            let series = try motion.open()
            block = try series.next()
            let start = block?.start ?? .epoch
            source = .motion(series, ExportClock(series.header, file.description, start: start), start: start)
        }
    }

    /// The next sample, which `pop` returns again; nil after the last.
    func peek() throws(FileError) -> Sample? {
        if !hasAhead {
            ahead = try next()
            hasAhead = true
        }
        return ahead
    }

    func pop() throws(FileError) -> Sample? {
        let sample = try peek()
        hasAhead = false
        return sample
    }

    private func next() throws(FileError) -> Sample? {
        switch source {
        case .motion(let series, let clock, let start):
            while let timed = block {
                if place < timed.block.count {
                    defer { place += 1 }
                    return sample(timed, place, clock, start)
                }
                block = try series.next()
                place = 0
            }
            return nil
        case .table(let table, let unit):
            while let row = try table.next() {
                guard let uptime = row.uptime, row.values.count == 3, let x = row.values[0], let y = row.values[1],
                    let z = row.values[2]
                else { continue }
                let vector = mounted(SIMD3(x, y, z))
                switch unit {
                case "uT": return Sample(uptime: uptime, field: vector)
                case "g": return Sample(uptime: uptime, acceleration: vector)
                case "deg/s": return Sample(uptime: uptime, rotation: vector * (.pi / 180))
                default: return nil
                }
            }
            return nil
        }
    }

    private func sample(
        _ timed: CWATimeline.TimedBlock, _ index: Int, _ clock: ExportClock, _ start: Instant
    ) -> Sample {
        let time = timed.time(index)
        let a = timed.block.acceleration(index)
        var sample = Sample(
            uptime: clock.uptime(time) ?? (time - start).seconds, acceleration: mounted(SIMD3(a.x, a.y, a.z)))
        if let r = timed.block.rotation(index) { sample.rotation = mounted(SIMD3(r.x, r.y, r.z)) * (.pi / 180) }
        return sample
    }

    private func mounted(_ vector: SIMD3<Double>) -> SIMD3<Double> {
        guard let mounting else { return vector }
        return SIMD3((mounting[0] * vector).sum(), (mounting[1] * vector).sum(), (mounting[2] * vector).sum())
    }
}
