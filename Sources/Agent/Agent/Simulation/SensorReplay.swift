// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import Study
import SystemKit

extension SensorTimeline {
    /// Replays recordings of acceleration: the epochs of `features`, each at the moment at which a device
    /// would have known it; with `wear` also when the device was taken off and put on. Samples and epochs
    /// before `start` are left out. Throws for a file without a time of day.
    package init(replaying paths: [String], _ features: [RuleFeature], wear: Bool, from start: Instant? = nil) throws {
        let source = try MotionSource(paths.map { try RecordedFile($0) })
        let series = try source.open()
        guard series.header?["clock"] != "uptime" else {
            throw FileError.format(path: paths.first ?? "", problem: "has no time of day: its boot never had one")
        }
        // Files have local times, entries UTC.
        let east = Duration.seconds(MotionSeries.offset(series.header, series.description) ?? 0)
        guard let rate = try CWATimeline(source.files[0]).next()?.block.rate else {
            self.init()
            return
        }
        let recordings = source.files.map { file in
            Replay.Recording(
                start: file.description?.startDate.flatMap(Instant.parsed) ?? .epoch,
                number: Int(file.name.prefix { $0.isNumber }))
        }
        var replay = Replay(features, rate: rate, wear: wear, recordings: recordings)
        while let timed = try series.next() {
            if timed.gap != nil { replay.gap(before: timed.time(0) - east) }
            let samples = (0..<timed.block.count).map { index in
                let (x, y, z) = timed.block.acceleration(index)
                return MotionSample(time: timed.time(index) - east, x: x, y: y, z: z)
            }
            replay.add(start.map { start in samples.filter { $0.time >= start } } ?? samples)
        }
        self.init(
            replay.entries.filter { entry in
                guard let start, case .epoch(let epoch) = entry.news else { return true }
                return epoch.start >= start
            })
    }

    /// Makes entries of samples as `RuleTap` and `FeatureTap` do on a device: `gap` and `add` in order of time.
    private struct Replay {
        struct Recording {
            let start: Instant
            let number: Int?
        }

        private(set) var entries: [Entry] = []
        /// In the order of their first samples, as `MotionSource` sorts its files.
        private let recordings: [Recording]
        /// One for each length of epoch.
        private var runs: [FeatureRun<MotionSample>]
        /// Nil where wear is not asked for.
        private var wear: FeatureRun<MotionSample>?
        private var notWornSince: Instant?
        private var lastSample: Instant?

        init(_ features: [RuleFeature], rate: Double, wear: Bool, recordings: [Recording]) {
            self.recordings = recordings
            runs = RuleTap.runs(features.filter { $0.source == "accelerometer" }, rate)
            if wear {
                let setting = MotionSetting(epoch: .minute, rate: rate)
                self.wear = FeatureRun(FeatureCatalog.motion(["wear"], setting), epoch: .minute, rate: rate)
            }
        }

        /// A gap ends epochs that are under way. As on a device, "not worn" ends too, `FeatureTap.silence`
        /// after the last sample at the latest.
        mutating func gap(before next: Instant) {
            for index in runs.indices { runs[index].recordGap() }
            wear?.recordGap()
            guard notWornSince != nil, let lastSample else { return }
            entries.append(Entry(at: min(next, lastSample + FeatureTap.silence), news: .notWorn(since: nil)))
            notWornSince = nil
        }

        mutating func add(_ samples: [MotionSample]) {
            guard let last = samples.last else { return }
            lastSample = last.time
            /// When the sample came that completed the row's epoch.
            func moment(_ row: FeatureRow, _ lag: Duration) -> Instant {
                samples.first { $0.time >= row.epoch.upperBound + lag }?.time ?? last.time
            }
            for index in runs.indices {
                for row in runs[index].add(samples) { append(row, index, at: moment(row, runs[index].lag)) }
            }
            guard let row = wear?.add(samples).last, let wear else { return }
            let since = wear.notWornSince.map { notWornSince ?? $0 }
            if (since == nil) != (notWornSince == nil) {
                entries.append(Entry(at: moment(row, wear.lag), news: .notWorn(since: since)))
            }
            notWornSince = since
        }

        private mutating func append(_ row: FeatureRow, _ index: Int, at time: Instant) {
            let recording = (recordings.last { $0.start < row.epoch.upperBound } ?? recordings.first)?.number
            let epoch = FeatureEpoch(
                source: "accelerometer", start: row.epoch.lowerBound, length: runs[index].epoch.length,
                columns: runs[index].columns.map(\.name), values: row.values, coverage: row.coverage,
                recording: recording)
            entries.append(Entry(at: max(time, epoch.end), news: .epoch(epoch)))
        }
    }
}
