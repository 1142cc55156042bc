// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

/// Makes the data records of an EDF+ file for `EDFExporter`, one after another.
struct EDFWriter {
    private let layout: EDFLayout
    /// By axis, the points of the record under way.
    private var signals: [[Int16]]
    /// Records written so far.
    private var record = 0
    /// Annotations that are not written yet.
    private var waiting: ArraySlice<[UInt8]>
    /// The latest sample: points of the grid up to the next one lie on the line between them, but keep the
    /// values of this one where there is a gap.
    private var before: (time: Instant, values: [Double])?
    /// The next point of the grid.
    private var next = 0

    init(_ layout: EDFLayout) {
        self.layout = layout
        signals = layout.signals.map { _ in [] }
        waiting = layout.annotationLists[...]
    }

    /// Blocks are to be added in order.
    mutating func add(_ timed: CWATimeline.TimedBlock, to output: ExportOutput) {
        for index in 0..<timed.block.count {
            let values = Self.values(timed.block, index, layout.signals.count)
            add(values, at: timed.time(index), followsGap: index == 0 && timed.gap != nil, to: output)
        }
    }

    /// Writes the rest of the grid, and pads the last record; the padding is annotated.
    mutating func finish(to output: ExportOutput) {
        if let before { while next < layout.grid.points { put(before.values, to: output) } }
        if !signals[0].isEmpty { flush(to: output) }
    }

    private mutating func add(_ values: [Double], at time: Instant, followsGap: Bool, to output: ExportOutput) {
        guard let last = before, time > last.time else {
            if before == nil { before = (time, values) }
            return
        }
        let length = (time - last.time).seconds
        while next < layout.grid.points, case let moment = layout.grid.time(next), moment <= time {
            let share = followsGap ? (moment == time ? 1 : 0) : (moment - last.time).seconds / length
            put(zip(last.values, values).map { $0 + ($1 - $0) * max(0, min(1, share)) }, to: output)
        }
        before = (time, values)
    }

    private mutating func put(_ values: [Double], to output: ExportOutput) {
        next += 1
        for (axis, value) in values.enumerated() { signals[axis].append(layout.signals[axis].digital(value)) }
        if signals[0].count == layout.grid.capacity { flush(to: output) }
    }

    private mutating func flush(to output: ExportOutput) {
        let padding = layout.grid.capacity - signals[0].count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(layout.grid.capacity * signals.count * 2 + layout.annotationBytes)
        for axis in signals.indices {
            let last = signals[axis].last ?? 0
            for value in signals[axis] + repeatElement(last, count: padding) {
                bytes.append(UInt8(truncatingIfNeeded: value))
                bytes.append(UInt8(truncatingIfNeeded: value >> 8))
            }
            signals[axis].removeAll(keepingCapacity: true)
        }
        output.bytes(bytes + takeAnnotations(padding: padding))
        record += 1
    }

    /// The record's own time first, as EDF+ wants it; then how many samples are padding; then the next
    /// lists, as many as fit.
    private mutating func takeAnnotations(padding: Int) -> [UInt8] {
        // Readers refuse a record that does not begin where the one before ends, and a first one that does not
        // begin within the first second: the fraction is cut, and the same in all.
        let fraction = (layout.grid.time(0).nanoseconds - layout.start.nanoseconds) / 1000
        let onset = "\(record * layout.grid.recordSeconds).\(fraction.padded(6))"
        var bytes = Array("+\(onset)\u{14}\u{14}\0".utf8)
        if padding > 0 { bytes += "+\(onset)\u{14}last \(padding) samples are padding\u{14}\0".utf8 }
        while let list = waiting.first, bytes.count + list.count <= layout.annotationBytes {
            bytes += list
            waiting = waiting.dropFirst()
        }
        return bytes + [UInt8](repeating: 0, count: max(0, layout.annotationBytes - bytes.count))
    }

    private static func values(_ block: CWABlock, _ index: Int, _ count: Int) -> [Double] {
        let (x, y, z) = block.acceleration(index)
        guard count > 3 else { return [x, y, z] }
        let rotation = block.rotation(index) ?? (0, 0, 0)
        return [x, y, z, rotation.x, rotation.y, rotation.z]
    }
}
