// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// The header of an EDF+ file and what its records look like. `EDFExporter` makes it, `EDFWriter` writes by it.
struct EDFLayout {
    /// One axis: what the file's 16-bit steps mean.
    struct Signal {
        let label: String
        let unit: String
        /// Units per step.
        let step: Double
        let digital: ClosedRange<Int>

        /// The step nearest to a value, at the end of the scale for more.
        func digital(_ value: Double) -> Int16 {
            let steps = (value / step).rounded()
            return Int16(max(Double(digital.lowerBound), min(Double(digital.upperBound), steps)))
        }
    }

    /// The least for a record's annotations: its own time and two more.
    private static let leastAnnotations = 96
    /// The room that a record's own annotations take at most.
    private static let ownAnnotations = 64
    let grid: EDFGrid
    /// Bytes of a record's annotations.
    let annotationBytes: Int
    /// The whole second at which the file begins.
    let start: Instant
    let signals: [Signal]
    /// Time-stamped annotation lists, in order.
    let annotationLists: [[UInt8]]
    let header: [UInt8]

    init?(_ survey: EDFSurvey, _ grid: EDFGrid, _ series: MotionSeries, annotations: [EDFAnnotation]) {
        guard let first = survey.first else { return nil }
        self.grid = grid
        let start = Instant(seconds: first.start.seconds)
        self.start = start
        let lists = annotations.map { $0.bytes(since: start) }
        annotationLists = lists
        annotationBytes = Self.annotationBytes(lists, records: grid.records)
        signals = Self.signals(first.block)
        let device = EDFField.word(series.description?.device ?? series.header?["device"] ?? "Axivity")
        let isDateKnown = series.header?["clock"] != "uptime"
        let patient = EDFField.word(series.description?.participant)
        header =
            EDFField.head(
                patient: patient, device: device, start: start, isDateKnown: isDateKnown, records: grid.records,
                duration: "\(grid.recordSeconds)", signals: signals.count + 1)
            + Self.signalHeaders(signals, capacity: grid.capacity, device: device, annotationBytes: annotationBytes)
    }

    /// Room for all annotations, spread evenly over the records: their place in the file means nothing.
    private static func annotationBytes(_ lists: [[UInt8]], records: Int) -> Int {
        let longest = lists.reduce(0) { max($0, $1.count) }
        let each = (lists.reduce(0) { $0 + $1.count } + records - 1) / max(1, records)
        let bytes = max(leastAnnotations, lists.isEmpty ? 0 : ownAnnotations + longest + each)
        return (bytes + 1) / 2 * 2
    }

    private static func signals(_ block: CWABlock) -> [Signal] {
        // The packed form has 10 bits and an exponent: 4096 steps of 1/256 g to each side.
        let isPacked = block.packing == .packed3
        let accelerationStep = isPacked ? 1 / 256.0 : 1 / Double(1 << (8 + Int(block.accelerometerScale)))
        let whole = -32_768...32_767
        let acceleration = ["X", "Y", "Z"].map {
            Signal(label: "Accel \($0)", unit: "g", step: accelerationStep, digital: isPacked ? -4096...4096 : whole)
        }
        guard block.hasRotation else { return acceleration }
        let rotationStep = 8000 / Double(1 << Int(block.gyroscopeRange)) / 32_768
        return acceleration
            + ["X", "Y", "Z"].map { Signal(label: "Gyro \($0)", unit: "deg/s", step: rotationStep, digital: whole) }
    }

    /// For all signals together: labels, transducers, units, physical minima and maxima, digital minima and maxima,
    /// filters, points per record, reserved.
    private static func signalHeaders(
        _ signals: [Signal], capacity: Int, device: String, annotationBytes: Int
    ) -> [UInt8] {
        func field(_ text: String, _ width: Int) -> [UInt8] { EDFField.bytes(text, width) }
        var text: [UInt8] = []
        text += (signals.map(\.label) + [EDFField.annotationLabel]).flatMap { field($0, 16) }
        text += (signals.map { _ in device } + [""]).flatMap { field($0, 80) }
        text += (signals.map(\.unit) + [""]).flatMap { field($0, 8) }
        // The annotations' ranges mean nothing, but EDF+ wants these digital ones, and physical ones that differ.
        text += (signals.map { physical($0.digital.lowerBound, $0) } + ["-1"]).flatMap { field($0, 8) }
        text += (signals.map { physical($0.digital.upperBound, $0) } + ["1"]).flatMap { field($0, 8) }
        text += (signals.map { "\($0.digital.lowerBound)" } + ["-32768"]).flatMap { field($0, 8) }
        text += (signals.map { "\($0.digital.upperBound)" } + ["32767"]).flatMap { field($0, 8) }
        text += (signals.map { _ in "" } + [""]).flatMap { field($0, 80) }
        text += (signals.map { _ in "\(capacity)" } + ["\(annotationBytes / 2)"]).flatMap { field($0, 8) }
        return text + (signals.map { _ in "" } + [""]).flatMap { field($0, 32) }
    }

    /// As many digits as eight characters hold: over the whole range at most a few hundredths of a
    /// step are lost.
    private static func physical(_ digital: Int, _ signal: Signal) -> String {
        let value = Double(digital) * signal.step
        if value == value.rounded() { return Decimals.text(value, 0) }
        return String(Decimals.text(value, 6).prefix(8))
    }
}
