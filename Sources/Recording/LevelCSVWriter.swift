// SPDX-License-Identifier: Apache-2.0
import Samples
import Times

/// Sound as one line of levels per second. The samples themselves go nowhere.
///
/// The first half second of sound lets the filters settle: it is in no line and counted as given up.
public struct LevelCSVWriter: SegmentEncoder {
    /// `SegmentEncoder`: the sealed file is gzipped and has `.gz` behind it.
    public let fileExtension = "csv"
    /// `SegmentEncoder`: stays so when the file is gzipped.
    public let contentType = "text/csv"
    /// PCM frames that went into whole seconds; a line stands for one second of them.
    public private(set) var stored = 0
    private let source: SourceDescription
    private let calibration: Double?
    private var meter: LevelMeter
    private var context: SegmentContext?
    private var secondStart = MonotonicTime.zero
    private var taken = 0
    private let second: Int

    /// A writer; without a calibration levels are in dB re full scale.
    public init(source: SourceDescription, calibration: Double?) {
        self.source = source
        self.calibration = calibration
        second = max(1, Int(source.nominalRate.rounded()))
        meter = LevelMeter(rate: source.nominalRate, calibration: calibration ?? 0)
    }

    /// Right after a whole second: its end rarely falls on the end of a block, so up to a block of the next one is given up.
    public var mayEndHere: Bool { meter.pending < SoundFrame.capacity }

    /// Comments and the header; levels in dB re 20 µPa when calibrated, else dB re full scale.
    public mutating func begin(_ context: SegmentContext, to out: inout [UInt8]) throws(RecordingError) {
        self.context = context
        (stored, taken) = (0, 0)
        let unit = calibration == nil ? Unit.decibelFullScale.rawValue : "dB"
        CSVHeader.write(
            context, columns: ["LAeq", "LAFmax", "LZeq", "clipped"], units: [unit, unit, unit, "samples"], to: &out)
    }

    /// One line for each second that the block completes, at the time of the second's first sample.
    public mutating func append(
        _ frame: SoundFrame, at time: MonotonicTime, to out: inout [UInt8]
    ) throws(RecordingError) {
        let period = 1e9 / source.nominalRate
        for index in 0..<frame.sampleCount {
            if meter.pending == 0 { secondStart = time + .nanoseconds(Int64(Double(index) * period)) }
            taken += 1
            if let levels = meter.add(frame.samples[index]) { write(levels, to: &out) }
        }
    }

    /// A comment line; gives up the second begun. The filters go on as if nothing was missing.
    public mutating func gap(_ gap: RecordingGap, to out: inout [UInt8]) throws(RecordingError) -> Int {
        CSVHeader.write(gap, to: &out)
        return discard()
    }

    /// Gives up the second begun.
    public mutating func finish(
        to out: inout [UInt8]
    ) throws(RecordingError) -> (discarded: Int, patches: [SegmentPatch]) { (discard(), []) }

    private mutating func discard() -> Int {
        meter.restart()
        defer { taken = stored }
        return taken - stored
    }

    private mutating func write(_ levels: SoundLevels, to out: inout [UInt8]) {
        guard let context else { return }
        let values = [levels.equivalentA, levels.maximumFastA, levels.equivalentZ].map { Decimals.text($0, 2) }
        let columns = values.joined(separator: ",")
        out += "\(context.utc(secondStart)),\(TimeText.uptime(secondStart)),\(columns),\(levels.clipped)\n".utf8
        stored += second
    }
}
