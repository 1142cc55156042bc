// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Sound as one line of levels per second. The samples themselves go nowhere.
///
/// Columns: LAeq, LAFmax, LZeq, clipped samples, LCeq, and where asked for one per one-third-octave
/// band (`Leq_31.5Hz`), which is empty but in the line of the second with which the interval ends.
/// The last line is a comment with the level and the percentiles L10, L50 and L90 of the whole
/// file. The first half second of sound, and that after a gap, lets the filters settle: it is in no
/// line and counted as given up. `SegmentEncoder` says in which order its members are called.
package struct LevelCSVWriter: CSVWriter {
    /// PCM frames that went into whole seconds; a line covers one second of them.
    package private(set) var stored = 0
    /// From the first sample of the first second to the last of the last.
    package private(set) var span: (first: MonotonicTime, last: MonotonicTime)?
    package var layout: FileLayout? {
        FileLayout(
            channels: zip(columns, units).map { name, unit in
                .init(name: name, unit: unit, scale: 1, offset: 0, resolution: unit == "samples" ? 1 : 0.01)
            })
    }
    /// Before a band's frequency in its column's name.
    package static let bandPrefix = "Leq_"
    private let source: SourceDescription
    private let calibration: Double?
    private let thirdOctaves: Int?
    private var meter: LevelMeter
    private var context: SegmentContext?
    private var secondStart = MonotonicTime.zero
    /// PCM frames taken in; those beyond `stored` are in no line yet, or settle the filters.
    private var taken = 0
    /// PCM frames in a second.
    private let second: Int
    /// Where the level of each second goes, too (`mirrorLevels`).
    private var mirror: FrameRing<LevelFrame>?
    /// Why samples are missing since the last second that was written; nil where none are.
    private var gapBefore: LossReason?

    /// A writer; without a calibration levels are in dB re full scale. `thirdOctaves` is after how
    /// many seconds, 1 to 10, levels in one-third-octave bands are written; nil = never.
    package init(source: SourceDescription, calibration: Double?, thirdOctaves: Int? = nil) {
        self.source = source
        self.calibration = calibration
        self.thirdOctaves = thirdOctaves.map { max(1, min(10, $0)) }
        second = max(1, Int(source.nominalRate.rounded()))
        meter = LevelMeter(
            rate: source.nominalRate, calibration: calibration ?? 0, thirdOctaves: self.thirdOctaves)
    }

    /// Right after a whole second: its end rarely falls on the end of a block, so up to a block of
    /// the next one is given up.
    package var mayEndHere: Bool { meter.pending < SoundFrame.capacity }

    /// Comments and the header; levels in dB re 20 µPa when calibrated, else dB re full scale.
    package mutating func begin(_ context: SegmentContext, to out: inout [UInt8]) throws(FileError) {
        self.context = context
        (stored, taken, span) = (0, 0, nil)
        meter.restartStatistics()
        CSVHeader.write(context, columns: columns, units: units, to: &out)
        out += "#levels 0 dBFS = full-scale sine; calibration \(Decimals.text(calibration ?? 0, 2)) dB added\n".utf8
        if let thirdOctaves { out += "#bands IEC 61260 one-third octaves over \(thirdOctaves) s\n".utf8 }
    }

    private var columns: [String] { ["LAeq", "LAFmax", "LZeq", "clipped", "LCeq"] + meter.bands.map(Self.column) }

    private var units: [String] {
        let unit = calibration == nil ? Unit.decibelFullScale.rawValue : "dB"
        return [unit, unit, unit, "samples", unit] + meter.bands.map { _ in unit }
    }

    private static func column(_ band: Double) -> String {
        bandPrefix + (band == 31.5 ? "31.5Hz" : "\(Int(band))Hz")
    }

    /// One line for each second that the block completes, at the time of the second's first sample.
    package mutating func append(
        _ frame: SoundFrame, at time: MonotonicTime, to out: inout [UInt8]
    ) throws(FileError) {
        let period = 1e9 / source.nominalRate
        if frame.hiddenClips > 0 { meter.addClips(Int(frame.hiddenClips)) }
        // Once: an index into the frame's own storage copies the whole of it for each sample.
        let samples = frame.samples.span.extracting(0..<frame.sampleCount)
        var index = 0
        while index < frame.sampleCount {
            if meter.pending == 0 { secondStart = time + .nanoseconds(Int64(Double(index) * period)) }
            let (count, levels) = meter.add(samples, from: index)
            taken += count
            if let levels { write(levels, to: &out) }
            index += count
        }
    }

    /// A comment line; gives up the second begun, and the filters begin again.
    package mutating func appendGap(_ gap: RecordingGap, to out: inout [UInt8]) throws(FileError) -> Int {
        CSVHeader.write(gap, to: &out)
        gapBefore = gap.reason
        meter.restart()
        return giveUp()
    }

    /// Gives up the second begun, and writes the summary of the file. The filters go on
    /// into the next file.
    package mutating func finish(
        to out: inout [UInt8]
    ) throws(FileError) -> (discarded: Int, patches: [SegmentPatch]) {
        meter.forgetSecond()
        summarise(to: &out)
        return (giveUp(), [])
    }

    /// False without a calibration: the ring's levels are in dB re 20 µPa.
    package mutating func mirrorLevels(into ring: FrameRing<LevelFrame>) -> Bool {
        guard calibration != nil else { return false }
        mirror = ring
        return true
    }

    /// Returns the frames taken in that no line will hold.
    private mutating func giveUp() -> Int {
        defer { taken = stored }
        return taken - stored
    }

    private func summarise(to out: inout [UInt8]) {
        let statistics = meter.statistics
        let values = [
            ("LAeq", statistics.equivalentA), ("LAFmax", statistics.maximumFastA),
            ("LAF10", statistics.exceeded(percent: 10)), ("LAF50", statistics.exceeded(percent: 50)),
            ("LAF90", statistics.exceeded(percent: 90)),
        ]
        let texts = values.compactMap { name, value in value.map { "\(name)=\(Decimals.text($0, 2))" } }
        guard !texts.isEmpty else { return }
        out += "#summary seconds=\(statistics.seconds) \(texts.joined(separator: " "))\n".utf8
    }

    private mutating func write(_ levels: SoundLevels, to out: inout [UInt8]) {
        guard let context else { return }
        var columns = [levels.equivalentA, levels.maximumFastA, levels.equivalentZ].map { Decimals.text($0, 2) }
        columns += ["\(levels.clipped)", Decimals.text(levels.equivalentC, 2)]
        columns += levels.bands?.map { Decimals.text($0, 2) } ?? meter.bands.map { _ in "" }
        out += "\(context.utc(secondStart)),\(UptimeText.text(secondStart)),\(columns.joined(separator: ","))\n".utf8
        stored += second
        mirror?.push(LevelFrame(time: secondStart, level: levels.equivalentA, gap: gapBefore))
        gapBefore = nil
        let last = secondStart + .nanoseconds(Int64(Double(second - 1) * 1e9 / source.nominalRate))
        span = (span?.first ?? secondStart, last)
    }
}
