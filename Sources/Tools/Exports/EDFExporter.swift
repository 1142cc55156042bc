// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import SystemKit

extension ExportFormat {
    /// EDF+, for programs that look at physiological signals.
    package static let edf = ExportFormat(rawValue: "edf")
}

/// CWA as EDF+C: one signal per axis on an even grid, and annotations that tell the gaps, and
/// presses where wanted.
///
/// Source: edfplus.info, the EDF and EDF+ specifications. The grid has the nominal rate and
/// begins with the first sample. Its points lie on straight lines between samples; a gap is
/// filled with the value before it and annotated. Steps are those of the file. The discontinuous
/// form (EDF+D) would keep samples and gaps as they are, but pyedflib and older versions of
/// EDFbrowser refuse it.
package struct EDFExporter: Exporter {
    package let content = RecordedContent.motion
    package let format = ExportFormat.edf
    package let options: Set<ExportOption> = [.events]

    package func export(
        _ files: [RecordedFile], _ wanted: ExportOptions, to output: ExportOutput,
        progress: @escaping (Double) -> Void
    ) throws(FileError) -> [String] {
        var presses: [ButtonPress] = []
        if let events = wanted.events { presses = try ButtonLog.presses(RecordedFile(events)) }
        return try Self.export(
            MotionSource(files, window: wanted.window), presses: presses, to: output, progress: progress)
    }

    /// Writes `source`, with `presses` among the annotations. It is read twice, first for the
    /// header's numbers. Returns what is left out.
    @discardableResult
    package static func export(
        _ source: MotionSource, presses: [ButtonPress], to output: ExportOutput, progress: (Double) -> Void
    ) throws(FileError) -> [String] {
        var survey = EDFSurvey()
        let first = try source.open()
        while let timed = try first.next() {
            survey.add(timed)
            if first.count % 256 == 0 { progress(0.5 * first.progress) }
        }
        if let fault = survey.fault(of: source.files[0].file.path) { throw fault }
        guard let grid = EDFGrid(survey),
            let layout = EDFLayout(survey, grid, first, notes: notes(survey, first, presses))
        else {
            throw .format(
                path: source.files[0].file.path,
                problem: "has no intact block with a time, so it cannot be exported as edf")
        }
        output.bytes(layout.header)
        var writer = EDFWriter(layout)
        let second = try source.open()
        while let timed = try second.next() {
            writer.add(timed, to: output)
            try output.drain()
            if second.count % 256 == 0 { progress(0.5 + 0.5 * second.progress) }
        }
        writer.finish(to: output)
        try output.drain()
        return second.notes
    }

    private static func notes(
        _ survey: EDFSurvey, _ series: MotionSeries, _ presses: [ButtonPress]
    ) -> [EDFNote] {
        let clock = PressClock(series)
        let pressed = presses.compactMap { press -> EDFNote? in
            guard let time = clock.wall(of: press), let first = survey.first?.start, time >= first, time <= survey.end
            else { return nil }
            return EDFNote(time: time, duration: press.duration ?? 0, text: press.text)
        }
        return (survey.notes + pressed).sorted { $0.time < $1.time }
    }
}

/// An annotation: a text at a time.
struct EDFNote {
    let time: Instant
    let duration: Double
    let text: String

    /// A time-stamped annotation list, its onset in seconds since `start`: byte 21 comes before the duration, 20
    /// ends onset and text, 0 the list.
    func bytes(since start: Instant) -> [UInt8] {
        let onset = max(0, (time - start).seconds)
        let length = duration > 0 ? "\u{15}\(Decimals.text(duration, 6))" : ""
        return Array("+\(Decimals.text(onset, 6))\(length)\u{14}\(text)\u{14}\0".utf8)
    }
}

/// What an EDF header must know beforehand: all blocks are added before `notes` and `fault` are asked.
struct EDFSurvey {
    private(set) var first: CWATimeline.TimedBlock?
    /// The end of the latest block so far.
    private(set) var end = Instant.epoch
    /// Gaps, and how long they are; negative where the clock was set back.
    private var gaps: [(end: Instant, seconds: Double)] = []
    /// Bounds memory; more gaps are filled without a note.
    private static let mostGaps = 100_000

    /// A year, with a leap day: gaps are filled, so that one block of another decade would fill a disk.
    private static let longest = Duration.seconds(366 * 86_400)

    /// Nil where it is short enough for an even grid.
    func fault(of path: String) -> FileError? {
        guard let start = first?.start, end - start > Self.longest else { return nil }
        return FileError(
            path: path,
            message: "spans \(start.rfc3339()) to \(end.rfc3339()), and EDF+C fills every gap: at most 366 days",
            remedy: "export a part of it with --from and --until; where its clock was set, the part behind that")
    }

    mutating func add(_ timed: CWATimeline.TimedBlock) {
        if first == nil { first = timed }
        if let gap = timed.gap, gaps.count < Self.mostGaps { gaps.append((timed.start, gap)) }
        // The last block is not the latest where the clock was set back.
        end = max(end, timed.end)
    }

    var notes: [EDFNote] {
        gaps.map { gap in
            guard gap.seconds > 0 else { return EDFNote(time: gap.end, duration: 0, text: "clock set back") }
            return EDFNote(
                time: gap.end - .nanoseconds(Int64(gap.seconds * 1e9)), duration: gap.seconds,
                text: "gap, filled with the value before")
        }
    }
}

/// The even grid of points, and how they lie in data records.
struct EDFGrid {
    /// Points of each signal in the whole file, without padding.
    let points: Int
    /// Points per record and signal.
    let capacity: Int
    let recordSeconds: Int
    private let start: Instant
    /// Points per second.
    private let rate: Double

    /// Nil where there is no block, or less than a point.
    init?(_ survey: EDFSurvey) {
        guard let first = survey.first else { return nil }
        (start, rate) = (first.start, first.block.rate)
        // Whole seconds with a whole number of points: the header has no other room for the rate.
        recordSeconds = [1, 2, 4, 5, 8, 10, 16, 20].first { Self.isWhole(Double($0) * first.block.rate) } ?? 60
        capacity = max(1, Int((Double(recordSeconds) * rate).rounded()))
        points = Int(((survey.end - start).seconds * rate).rounded(.down))
        guard points > 0 else { return nil }
    }

    var records: Int { (points + capacity - 1) / capacity }

    func time(_ number: Int) -> Instant { start + .nanoseconds(Int64((Double(number) * 1e9 / rate).rounded())) }

    private static func isWhole(_ value: Double) -> Bool { abs(value - value.rounded()) < 1e-9 && value >= 1 }
}

/// Makes the data records, one after another.
struct EDFWriter {
    private let layout: EDFLayout
    /// By axis, the points of the record under way.
    private var signals: [[Int16]]
    /// Records written so far.
    private var record = 0
    /// Annotations that are not written yet.
    private var notes: ArraySlice<[UInt8]>
    /// The latest sample: points of the grid up to the next one lie on the line between them, but keep the
    /// values of this one where there is a gap.
    private var before: (time: Instant, values: [Double])?
    /// The next point of the grid.
    private var next = 0

    init(_ layout: EDFLayout) {
        self.layout = layout
        signals = layout.signals.map { _ in [] }
        notes = layout.notes[...]
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
        output.bytes(bytes + annotations(padding: padding))
        record += 1
    }

    /// The record's own time first, as EDF+ wants it; then how many samples are padding; then the next
    /// notes, as many as fit.
    private mutating func annotations(padding: Int) -> [UInt8] {
        // Readers refuse a record that does not begin where the one before ends, and a first one that does not
        // begin within the first second: the fraction is cut, and the same in all.
        let fraction = (layout.grid.time(0).nanoseconds - layout.start.nanoseconds) / 1000
        let onset = "\(record * layout.grid.recordSeconds).\(fraction.padded(6))"
        var bytes = Array("+\(onset)\u{14}\u{14}\0".utf8)
        if padding > 0 { bytes += "+\(onset)\u{14}last \(padding) samples are padding\u{14}\0".utf8 }
        while let note = notes.first, bytes.count + note.count <= layout.annotationBytes {
            bytes += note
            notes = notes.dropFirst()
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
