// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Features
import SystemKit

/// The acceleration of a CWA file, for `FileFeatures`.
final class MotionFeatureFile: FeatureFile {
    let offset: Int?
    private let series: MotionSeries

    init(_ file: RecordedFile) throws(FileError) {
        series = try MotionSource([file]).open()
        if series.header?["clock"] == "uptime" {
            throw file.refusal("has no time of day: its boot never had one. Leave it out")
        }
        offset = MotionSeries.offset(series.header, series.description)
    }

    var progress: Double { series.progress }
    var notes: [String] { series.notes }

    func next() throws(FileError) -> FeatureBatch<MotionSample>? {
        guard let block = try series.next() else { return nil }
        return FeatureBatch(samples: samples(block), followsGap: block.gap != nil)
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
