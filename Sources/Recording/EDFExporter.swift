// SPDX-License-Identifier: Apache-2.0
import Times

/// CWA as EDF+: one signal per axis, and annotations that tell the gaps.
///
/// Source: edfplus.info, the EDF and EDF+ specifications. A data record is a block of the CWA file, so that no gap falls into
/// one; a file with gaps is discontinuous (EDF+D), where each record says when it begins, any other continuous (EDF+C).
/// The file is read twice, first for the header's numbers. Steps are those of the file.
public enum EDFExporter {
    /// Writes a whole file; `progress` gets the share that is done.
    public static func export(
        _ source: RecordedFile, to output: ExportOutput, progress: (Double) -> Void
    ) throws(RecordingError) {
        var survey = EDFSurvey()
        let first = try CWATimeline(source.file)
        while let timed = try first.next() {
            survey.add(timed)
            if first.count % 256 == 0 { progress(0.5 * Double(first.count) / Double(first.reader.blockCount)) }
        }
        guard let layout = EDFLayout(survey, source, first.reader.header) else {
            throw .format(path: source.file.path, problem: "holds no good block with a time, so EDF cannot be made")
        }
        output.bytes(layout.header)
        var writer = EDFRecordWriter(layout)
        let second = try CWATimeline(source.file)
        while let timed = try second.next() {
            output.bytes(writer.record(timed))
            try output.drain()
            if second.count % 256 == 0 { progress(0.5 + 0.5 * Double(second.count) / Double(second.reader.blockCount)) }
        }
    }
}

/// What an EDF header must know beforehand.
struct EDFSurvey {
    private(set) var records = 0
    private(set) var gaps = 0
    private(set) var first: CWATimeline.TimedBlock?
    /// Samples of the fullest block.
    private(set) var capacity = 0
    /// Whether any block is not full, which a data record has to be.
    private(set) var hasShortBlocks = false
    private var seconds = 0.0
    private var samples = 0

    mutating func add(_ timed: CWATimeline.TimedBlock) {
        if first == nil { first = timed }
        if records > 0, timed.block.count != capacity { hasShortBlocks = true }
        records += 1
        capacity = max(capacity, timed.block.count)
        if timed.gap != nil { gaps += 1 }
        seconds += timed.period * Double(timed.block.count)
        samples += timed.block.count
    }

    /// Seconds of a full record at the file's true rate.
    var recordSeconds: Double { samples > 0 ? Double(capacity) * seconds / Double(samples) : 0 }
}

/// The header of an EDF+ file and what its records look like.
struct EDFLayout {
    /// One axis: what the file's 16-bit steps mean.
    struct Signal {
        let label: String
        let unit: String
        /// Units per step.
        let step: Double
        let digital: ClosedRange<Int>
    }

    /// Bytes of a record's annotations: its own time and what is missing before it.
    static let annotationBytes = 96
    /// Samples per record.
    let capacity: Int
    /// Seconds per record, as the header's eight characters say it.
    let recordSeconds: Double
    let isContinuous: Bool
    /// The whole second at which the file begins.
    let start: Instant
    let signals: [Signal]
    let header: [UInt8]

    init?(_ survey: EDFSurvey, _ source: RecordedFile, _ cwa: CWAHeader?) {
        guard let first = survey.first, survey.recordSeconds > 0 else { return nil }
        let seconds = String(Decimals.text(survey.recordSeconds, 6).prefix(8))
        guard let exact = Double(seconds), exact > 0 else { return nil }
        capacity = survey.capacity
        recordSeconds = exact
        isContinuous = survey.gaps == 0 && !survey.hasShortBlocks
        start = Instant(seconds: first.start.seconds)
        signals = Self.signals(first.block)
        let count = signals.count + 1
        var text = Self.field("0", 8)
        text += Self.field("\(Self.word(source.description?.participant)) X X X", 80)
        let device = Self.word(source.description?.device ?? cwa?["device"] ?? "Axivity")
        let local = LocalDateTime(start, offset: 0)
        let isKnown = cwa?["clock"] != "uptime"
        text += Self.field("Startdate \(isKnown ? Self.longDate(local) : "X") X X \(device)", 80)
        text += Self.field(Self.shortDate(local), 8) + Self.field(Self.clock(local), 8)
        text += Self.field("\(256 * (count + 1))", 8) + Self.field(isContinuous ? "EDF+C" : "EDF+D", 44)
        text += Self.field("\(survey.records)", 8) + Self.field(seconds, 8) + Self.field("\(count)", 4)
        header = text + Self.signalHeaders(signals, capacity: survey.capacity, device: device)
    }

    private static func signals(_ block: CWABlock) -> [Signal] {
        // The packed form has 10 bits and an exponent: 4096 steps of 1/256 g to each side.
        let isPacked = block.packing == .packed3
        let accelerationStep = isPacked ? 1 / 256.0 : 1 / Double(1 << (8 + Int(block.accelerometerScale)))
        let whole = -32_768...32_767
        let acceleration = ["X", "Y", "Z"].map {
            Signal(label: "Accel \($0)", unit: "g", step: accelerationStep, digital: isPacked ? -4096...4096 : whole)
        }
        guard block.rotation(0) != nil else { return acceleration }
        let rotationStep = 8000 / Double(1 << Int(block.gyroscopeRange)) / 32_768
        return acceleration
            + ["X", "Y", "Z"].map { Signal(label: "Gyro \($0)", unit: "deg/s", step: rotationStep, digital: whole) }
    }

    /// All labels, then all transducers, and so on.
    private static func signalHeaders(_ signals: [Signal], capacity: Int, device: String) -> [UInt8] {
        let notes = "EDF Annotations"
        var text: [UInt8] = []
        text += (signals.map(\.label) + [notes]).flatMap { field($0, 16) }
        text += (signals.map { _ in device } + [""]).flatMap { field($0, 80) }
        text += (signals.map(\.unit) + [""]).flatMap { field($0, 8) }
        text += (signals.map { physical($0.digital.lowerBound, $0) } + ["-1"]).flatMap { field($0, 8) }
        text += (signals.map { physical($0.digital.upperBound, $0) } + ["1"]).flatMap { field($0, 8) }
        text += (signals.map { "\($0.digital.lowerBound)" } + ["-32768"]).flatMap { field($0, 8) }
        text += (signals.map { "\($0.digital.upperBound)" } + ["32767"]).flatMap { field($0, 8) }
        text += (signals.map { _ in "" } + [""]).flatMap { field($0, 80) }
        text += (signals.map { _ in "\(capacity)" } + ["\(annotationBytes / 2)"]).flatMap { field($0, 8) }
        return text + (signals.map { _ in "" } + [""]).flatMap { field($0, 32) }
    }

    /// As many digits as eight characters hold: over the whole range at most a hundredth of a step is lost.
    private static func physical(_ digital: Int, _ signal: Signal) -> String {
        let value = Double(digital) * signal.step
        if value == value.rounded() { return Decimals.text(value, 0) }
        return String(Decimals.text(value, 6).prefix(8))
    }

    /// Printable ASCII, padded with blanks.
    private static func field(_ text: String, _ width: Int) -> [UInt8] {
        let bytes = text.utf8.map { (32...126).contains($0) ? $0 : UInt8(ascii: "?") }.prefix(width)
        return bytes + [UInt8](repeating: 32, count: width - bytes.count)
    }

    /// Subfields are separated by blanks and have none themselves.
    private static func word(_ text: String?) -> String {
        guard let text, !text.isEmpty else { return "X" }
        return String(text.map { $0.isWhitespace ? "_" : $0 }.prefix(40))
    }

    private static let months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]

    private static func longDate(_ local: LocalDateTime) -> String {
        let (year, month, day) = local.date.components
        return "\(TimeText.padded(day, 2))-\(months[month - 1])-\(TimeText.padded(year, 4))"
    }

    private static func shortDate(_ local: LocalDateTime) -> String {
        let (year, month, day) = local.date.components
        return [day, month, year % 100].map { TimeText.padded($0, 2) }.joined(separator: ".")
    }

    private static func clock(_ local: LocalDateTime) -> String {
        [local.time.hour, local.time.minute, local.time.second].map { TimeText.padded($0, 2) }.joined(separator: ".")
    }
}

/// Makes the data records, one after another.
struct EDFRecordWriter {
    private let layout: EDFLayout
    private var end = 0.0
    private var isFirst = true

    init(_ layout: EDFLayout) { self.layout = layout }

    /// The record of a block: its samples signal by signal, and its annotations.
    mutating func record(_ timed: CWATimeline.TimedBlock) -> [UInt8] {
        let stamp = (timed.start - layout.start).seconds
        // Records never overlap, and lie side by side where nothing is missing.
        let onset = isFirst ? stamp : timed.gap == nil ? end : max(end, stamp)
        end = onset + layout.recordSeconds
        isFirst = false
        var bytes: [UInt8] = []
        bytes.reserveCapacity(layout.capacity * layout.signals.count * 2 + EDFLayout.annotationBytes)
        for axis in layout.signals.indices {
            for index in 0..<layout.capacity {
                let digital = digital(timed.block, min(index, timed.block.count - 1), axis)
                bytes.append(UInt8(truncatingIfNeeded: digital))
                bytes.append(UInt8(truncatingIfNeeded: digital >> 8))
            }
        }
        return bytes + annotations(timed, onset: onset)
    }

    private func digital(_ block: CWABlock, _ index: Int, _ axis: Int) -> Int {
        let signal = layout.signals[axis]
        let vector = axis < 3 ? block.acceleration(index) : block.rotation(index) ?? (0, 0, 0)
        let value = axis % 3 == 0 ? vector.x : axis % 3 == 1 ? vector.y : vector.z
        let steps = (value / signal.step).rounded()
        return Int(max(Double(signal.digital.lowerBound), min(Double(signal.digital.upperBound), steps)))
    }

    /// The record's own time first, as EDF+ wants it; then what is missing before it, and which samples are none.
    private func annotations(_ timed: CWATimeline.TimedBlock, onset: Double) -> [UInt8] {
        var text = "+\(Decimals.text(onset, 6))\u{14}\u{14}\0"
        if let gap = timed.gap {
            let missing = max(0, gap)
            let from = max(0, onset - missing)
            text += "+\(Decimals.text(from, 6))\u{15}\(Decimals.text(missing, 6))\u{14}"
            text += (gap > 0 ? "gap" : "clock set back") + "\u{14}\0"
        }
        let short = layout.capacity - timed.block.count
        if short > 0 { text += "+\(Decimals.text(onset, 6))\u{14}last \(short) samples are padding\u{14}\0" }
        let bytes = Array(text.utf8).prefix(EDFLayout.annotationBytes)
        return bytes + [UInt8](repeating: 0, count: EDFLayout.annotationBytes - bytes.count)
    }
}
