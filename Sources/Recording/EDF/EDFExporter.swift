// SPDX-License-Identifier: Apache-2.0
import Times

/// CWA as EDF+: one signal per axis, and annotations that tell the gaps, and presses where wanted.
///
/// Source: edfplus.info, the EDF and EDF+ specifications. Where nothing is missing the file is continuous (EDF+C), with as many blocks per data
/// record as make its length, eight characters in the header, follow the measured rate. A file with gaps is discontinuous (EDF+D): a record is
/// a block of the CWA file, so that no gap falls into one, and says itself when it begins. For tools that know no gaps there is the even grid:
/// EDF+C at the nominal rate, between samples in straight lines, gaps filled with the value before and annotated. Steps are those of the file.
package enum EDFExporter {
    /// What is wanted besides the samples.
    package struct Options: Sendable {
        /// Put on an even grid without gaps.
        package var isEven = false
        /// Noted among the annotations.
        package var presses: [ButtonPress] = []

        package init() {}
    }

    /// Writes a whole file; `progress` gets the share that is done.
    package static func export(
        _ source: RecordedFile, to output: ExportOutput, progress: (Double) -> Void
    ) throws(RecordingError) {
        try export(MotionSource([source]), Options(), to: output, progress: progress)
    }

    /// Writes what of `source` is wanted; it is read twice, first for the header's numbers.
    package static func export(
        _ source: MotionSource, _ options: Options, to output: ExportOutput, progress: (Double) -> Void
    ) throws(RecordingError) {
        var survey = EDFSurvey()
        let first = try source.open()
        while let timed = try first.next() {
            survey.add(timed)
            if first.count % 256 == 0 { progress(0.5 * first.progress) }
        }
        guard let form = EDFForm(survey, isEven: options.isEven),
            let layout = EDFLayout(survey, form, first, notes: notes(survey, form, first, options.presses))
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
    }

    private static func notes(
        _ survey: EDFSurvey, _ form: EDFForm, _ series: MotionSeries, _ presses: [ButtonPress]
    ) -> [EDFNote] {
        let clock = PressClock(series, start: survey.first?.start ?? .epoch)
        let pressed = presses.compactMap { press -> EDFNote? in
            guard let time = clock.wall(of: press), let first = survey.first?.start, time >= first, time <= survey.end
            else { return nil }
            return EDFNote(time: time, duration: press.duration ?? 0, text: press.text)
        }
        return (survey.notes(isFilled: form.isEven) + pressed).sorted { $0.time < $1.time }
    }
}

/// Something that is said of a time.
struct EDFNote {
    let time: Instant
    let duration: Double
    let text: String

    /// A time-stamped annotation list, its onset in seconds since `start`.
    func bytes(since start: Instant) -> [UInt8] {
        let onset = max(0, (time - start).seconds)
        let length = duration > 0 ? "\u{15}\(Decimals.text(duration, 6))" : ""
        return Array("+\(Decimals.text(onset, 6))\(length)\u{14}\(text)\u{14}\0".utf8)
    }
}

/// What an EDF header must know beforehand.
struct EDFSurvey {
    private(set) var blocks = 0
    private(set) var first: CWATimeline.TimedBlock?
    private(set) var end = Instant.epoch
    /// Samples of the fullest block.
    private(set) var capacity = 0
    /// Gaps, and how long they are; negative where the clock was set back.
    private(set) var gaps: [(end: Instant, seconds: Double)] = []
    private(set) var samples = 0
    private var seconds = 0.0
    /// Further ones are counted by nobody: a file of that many is not read by anybody either.
    private static let mostGaps = 100_000

    mutating func add(_ timed: CWATimeline.TimedBlock) {
        if first == nil { first = timed }
        blocks += 1
        capacity = max(capacity, timed.block.count)
        if let gap = timed.gap, gaps.count < Self.mostGaps { gaps.append((timed.start, gap)) }
        seconds += timed.period * Double(timed.block.count)
        samples += timed.block.count
        end = timed.end
    }

    /// Seconds of a full block at the file's true rate.
    var blockSeconds: Double { samples > 0 ? Double(capacity) * seconds / Double(samples) : 0 }

    func notes(isFilled: Bool) -> [EDFNote] {
        gaps.map { gap in
            guard gap.seconds > 0 else { return EDFNote(time: gap.end, duration: 0, text: "clock set back") }
            return EDFNote(
                time: gap.end - .nanoseconds(Int64(gap.seconds * 1e9)), duration: gap.seconds,
                text: isFilled ? "gap, filled with the value before" : "gap")
        }
    }
}

/// How samples lie in data records.
struct EDFForm {
    /// Samples per record and signal.
    let capacity: Int
    let records: Int
    /// Seconds per record, as the header's eight characters say it.
    let text: String
    let recordSeconds: Double
    let isContinuous: Bool
    /// Samples per second of the even grid; nil = samples as they were taken.
    let rate: Double?
    /// Samples of each signal, padding apart.
    let samples: Int

    var isEven: Bool { rate != nil }

    /// The most bytes of a record that the specification recommends.
    private static let mostBytes = 61_440
    /// By as much the times of a whole file may drift, in seconds.
    private static let drift = 0.000_5

    init?(_ survey: EDFSurvey, isEven: Bool) {
        guard let first = survey.first, survey.blockSeconds > 0 else { return nil }
        let axes = first.block.rotation(0) == nil ? 3 : 6
        if isEven {
            let seconds = [1.0, 2, 4, 5, 8, 10, 16, 20].first { Self.isWhole($0 * first.block.rate) } ?? 60
            rate = first.block.rate
            capacity = max(1, Int((seconds * first.block.rate).rounded()))
            samples = Int(((survey.end - first.start).seconds * first.block.rate).rounded(.down))
            (text, isContinuous) = (Decimals.text(seconds, 0), true)
        } else if survey.gaps.isEmpty {
            let most = max(1, Self.mostBytes / (survey.capacity * axes * 2))
            let blocks = Self.blocks(
                survey.blockSeconds, most: most, total: survey.blockSeconds * Double(survey.blocks))
            (rate, samples) = (nil, survey.samples)
            capacity = survey.capacity * blocks
            (text, isContinuous) = (Self.text(survey.blockSeconds * Double(blocks)), true)
        } else {
            (rate, samples, capacity) = (nil, survey.blocks * survey.capacity, survey.capacity)
            (text, isContinuous) = (Self.text(survey.blockSeconds), false)
        }
        guard samples > 0, let seconds = Double(text), seconds > 0 else { return nil }
        recordSeconds = seconds
        records = (samples + capacity - 1) / capacity
    }

    private static func isWhole(_ value: Double) -> Bool { abs(value - value.rounded()) < 1e-9 && value >= 1 }

    private static func text(_ seconds: Double) -> String {
        let places = seconds < 10 ? 6 : seconds < 100 ? 5 : seconds < 1000 ? 4 : 3
        return String(Decimals.text(seconds, places).prefix(8))
    }

    /// The fewest blocks whose length in eight characters keeps the times of the file.
    private static func blocks(_ seconds: Double, most: Int, total: Double) -> Int {
        var best = (blocks: 1, error: Double.infinity)
        for blocks in 1...most {
            let exact = seconds * Double(blocks)
            let error = abs((Double(text(exact)) ?? 0) / exact - 1)
            if error < best.error { best = (blocks, error) }
            if error * total <= drift { return blocks }
        }
        return best.blocks
    }
}

/// Makes the data records, one after another.
struct EDFWriter {
    private let layout: EDFLayout
    private var signals: [[Int16]]
    private var record = 0
    private var onset: Double?
    private var end = 0.0
    private var notes: ArraySlice<[UInt8]>
    /// The sample before, for the even grid, and the number of the next grid point.
    private var before: (time: Instant, values: [Double])?
    private var next = 0

    init(_ layout: EDFLayout) {
        self.layout = layout
        signals = layout.signals.map { _ in [] }
        notes = layout.notes[...]
    }

    /// A block in order.
    mutating func add(_ timed: CWATimeline.TimedBlock, to output: ExportOutput) {
        if !layout.form.isContinuous { begin(timed) }
        for index in 0..<timed.block.count {
            let values = Self.values(timed.block, index, layout.signals.count)
            if layout.form.isEven {
                addEven(values, at: timed.time(index), followsGap: index == 0 && timed.gap != nil, to: output)
            } else {
                if onset == nil { onset = record == 0 ? (timed.time(index) - layout.start).seconds : end }
                put(values, to: output)
            }
        }
        // A short block is a record of its own.
        if !layout.form.isContinuous, !signals[0].isEmpty { flush(to: output) }
    }

    /// What is left of a record begun; padding is said.
    mutating func finish(to output: ExportOutput) {
        if layout.form.isEven, let before {
            while next < layout.form.samples { putEven(before.values, to: output) }
        }
        if !signals[0].isEmpty { flush(to: output) }
    }

    /// Records never overlap, and lie side by side where nothing is missing and they have not drifted by half a sample.
    private mutating func begin(_ timed: CWATimeline.TimedBlock) {
        let stamp = (timed.start - layout.start).seconds
        let isBeside = record > 0 && timed.gap == nil && abs(stamp - end) < timed.period / 2
        onset = record == 0 ? stamp : isBeside ? end : max(end, stamp)
    }

    private mutating func addEven(_ values: [Double], at time: Instant, followsGap: Bool, to output: ExportOutput) {
        guard let last = before, time > last.time else {
            if before == nil { before = (time, values) }
            return
        }
        let length = (time - last.time).seconds
        while next < layout.form.samples, case let moment = layout.gridTime(next), moment <= time {
            let share = followsGap ? (moment == time ? 1 : 0) : (moment - last.time).seconds / length
            putEven(zip(last.values, values).map { $0 + ($1 - $0) * max(0, min(1, share)) }, to: output)
        }
        before = (time, values)
    }

    private mutating func putEven(_ values: [Double], to output: ExportOutput) {
        if onset == nil { onset = record == 0 ? (layout.gridTime(0) - layout.start).seconds : end }
        next += 1
        put(values, to: output)
    }

    private mutating func put(_ values: [Double], to output: ExportOutput) {
        for (axis, value) in values.enumerated() { signals[axis].append(layout.signals[axis].digital(value)) }
        if signals[0].count == layout.form.capacity { flush(to: output) }
    }

    private mutating func flush(to output: ExportOutput) {
        let start = onset ?? end
        let padding = layout.form.capacity - signals[0].count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(layout.form.capacity * signals.count * 2 + layout.annotationBytes)
        for axis in signals.indices {
            let last = signals[axis].last ?? 0
            for value in signals[axis] + repeatElement(last, count: padding) {
                bytes.append(UInt8(truncatingIfNeeded: value))
                bytes.append(UInt8(truncatingIfNeeded: value >> 8))
            }
            signals[axis].removeAll(keepingCapacity: true)
        }
        output.bytes(bytes + annotations(onset: start, padding: padding))
        (end, onset) = (start + layout.form.recordSeconds, nil)
        record += 1
    }

    /// The record's own time first, as EDF+ wants it; then which samples are none, and notes, as many as have room.
    private mutating func annotations(onset: Double, padding: Int) -> [UInt8] {
        var bytes = Array("+\(Decimals.text(onset, 6))\u{14}\u{14}\0".utf8)
        if padding > 0 { bytes += "+\(Decimals.text(onset, 6))\u{14}last \(padding) samples are padding\u{14}\0".utf8 }
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
