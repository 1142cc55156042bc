// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Button and key events as text: one line per event, at its own time, in files of the format that
/// `EventCSVFormat` describes. Numbers that the source has a name for (`valueNames`) are written as that name.
package struct EventCSVWriter: CSVWriter {
    package let countedUnit = CountedUnit.events
    package let isRegular = false
    package private(set) var stored = 0
    private let source: SourceDescription
    private var context: SegmentContext?

    /// A writer for a source with channels that are whole numbers (button, edge); every frame is
    /// stamped.
    package init(source: SourceDescription) { self.source = source }

    package mutating func begin(_ context: SegmentContext, to out: inout [UInt8]) throws(FileError) {
        self.context = context
        stored = 0
        CSVHeader.write(context, columns: source.channels.prefix(8).map(\.name), units: [], to: &out)
    }

    /// One line: UTC (empty while it is unknown), uptime, the raw values or their names. Throws
    /// nothing.
    package mutating func append(
        _ frame: VectorFrame, at time: MonotonicTime, to out: inout [UInt8]
    ) throws(FileError) {
        guard let context else { return }
        let values = (0..<min(8, Int(frame.count))).map { "," + text(frame.values[$0], of: $0) }.joined()
        out += "\(context.utc(time)),\(UptimeText.text(time))\(values)\n".utf8
        stored += 1
    }

    private func text(_ value: Int32, of channel: Int) -> String {
        let names = source.valueNames.indices.contains(channel) ? source.valueNames[channel] : []
        return names.indices.contains(Int(value)) ? CSVHeader.clean(names[Int(value)]) : "\(value)"
    }
}
