// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Features as text: one line per epoch, at the time of its start; columns are empty where nothing was
/// measured. `FeatureRecording` has a `Recorder` with one.
package struct FeatureCSVWriter: CSVWriter {
    package let countedUnit = CountedUnit.epochs
    package let isRegular = false
    package private(set) var stored = 0
    package var layout: FileLayout? { FileLayout(channels: columns) }
    private let columns: [RecordingDescription.ChannelNote]
    private let decimals: [Int]
    private var context: SegmentContext?
    /// Where an epoch's start differs by more than this from the file's own clock, the system clock was set
    /// after the file began, and the file's clock counts.
    private static let tolerance = Duration.milliseconds(500)

    /// A writer of up to `FeatureFrame.capacity` columns with their units and decimals.
    package init(columns: [(name: String, unit: String, decimals: Int)]) {
        let columns = columns.prefix(FeatureFrame.capacity)
        decimals = columns.map(\.decimals)
        self.columns = columns.map { column in
            let resolution = 1 / (0..<column.decimals).reduce(1.0) { step, _ in step * 10 }
            return .init(name: column.name, unit: column.unit, scale: 1, offset: 0, resolution: resolution)
        }
    }

    package mutating func begin(_ context: SegmentContext, to out: inout [UInt8]) throws(FileError) {
        self.context = context
        stored = 0
        CSVHeader.write(context, columns: columns.map(\.name), units: columns.map(\.unit), to: &out)
    }

    /// One line: UTC (empty while it is unknown), uptime, values. Throws nothing.
    package mutating func append(
        _ frame: FeatureFrame, at time: MonotonicTime, to out: inout [UInt8]
    ) throws(FileError) {
        guard let context else { return }
        var line = "\(Self.start(of: frame, at: time, context)),\(UptimeText.text(time))"
        for place in columns.indices {
            line += "," + (frame[place].map { Decimals.text($0, decimals[place]) } ?? "")
        }
        out += (line + "\n").utf8
        stored += 1
    }

    /// In UTC: the epoch's own start, unless the file's clock says another by more than `tolerance`.
    private static func start(of frame: FeatureFrame, at time: MonotonicTime, _ context: SegmentContext) -> String {
        guard let anchor = context.anchor, let start = frame.start,
            (start - anchor.instant(at: time)).magnitude <= tolerance
        else { return context.utc(time) }
        return start.rfc3339(offset: 0)
    }
}
