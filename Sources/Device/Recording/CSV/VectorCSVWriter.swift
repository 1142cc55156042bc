// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Slow vectors as text: one line per sample, `time,uptime` and one column per channel in its unit.
///
/// Lines that begin with `#` are comments (units, gaps), the one that begins with a letter is the
/// header; `time` is UTC and empty while the clock is unknown.
package struct VectorCSVWriter: CSVWriter {
    package private(set) var stored = 0
    /// Values in their units, to as many decimals as are written.
    package var layout: FileLayout? {
        FileLayout(
            channels: zip(source.channels, decimals).prefix(8).map { .init($0, inSteps: 1, decimals: $1) })
    }
    package private(set) var span: (first: MonotonicTime, last: MonotonicTime)?
    private let source: SourceDescription
    private let decimals: [Int]
    private var context: SegmentContext?

    package init(source: SourceDescription) {
        self.source = source
        decimals = source.channels.map { Decimals.needed(step: $0.scale) }
    }

    package mutating func begin(_ context: SegmentContext, to out: inout [UInt8]) throws(FileError) {
        self.context = context
        (stored, span) = (0, nil)
        CSVHeader.write(context, columns: columns, units: source.channels.map(\.unit.rawValue), to: &out)
    }

    /// One line: UTC (empty while it is unknown), uptime, values in the channels' units with as
    /// many decimals as the chip resolves. Throws nothing.
    package mutating func append(
        _ frame: VectorFrame, at time: MonotonicTime, to out: inout [UInt8]
    ) throws(FileError) {
        guard let context else { return }
        var line = "\(context.utc(time)),\(UptimeText.text(time))"
        for (index, channel) in source.channels.prefix(min(8, Int(frame.count))).enumerated() {
            line += "," + Decimals.text(channel.value(frame.values[index]), decimals[index])
        }
        out += (line + "\n").utf8
        stored += 1
        span = (span?.first ?? time, time)
    }

    /// `x,y,z` for a plain vector, else the channels' names.
    private var columns: [String] {
        let names = source.channels.prefix(8).map(\.name)
        let axes = names.map { String($0.split(separator: "_").last ?? "") }
        return axes == ["x", "y", "z"] ? axes : names
    }
}
