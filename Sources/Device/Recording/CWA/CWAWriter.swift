// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// Accelerometer, with or without gyroscope, as CWA: full blocks only, numbered from 0, loss as a jump in time.
/// `Recorder` drives it.
///
/// Those are the rules that all known readers accept. Times are wall time at the offset in force
/// when the file began, from CLOCK_MONOTONIC and one anchor; while there is none they count from
/// 2000-01-01 as the clock's zero, and the annotation says `clock=uptime`. `SegmentEncoder` says in which
/// order its members are called.
package struct CWAWriter: SegmentEncoder {
    /// A chip's rate may differ from the one CWA names by this share; beyond it GGIR takes blocks
    /// for damaged, so samples are resampled.
    static let rateTolerance = 0.05

    /// `SegmentEncoder`: the Axivity tools know their files by it.
    package static let fileExtension = "cwa"
    /// `SegmentEncoder`: not registered; servers that keep the file do not interpret it.
    package static let contentType = "application/x-cwa"
    /// Whole blocks only: a multiple of 40, 80 or 120 where nothing is resampled. Counts
    /// the chip's samples.
    package private(set) var stored = 0
    /// Always a multiple of 40, 80 or 120.
    package var storedInFile: Int { Int(sequence) * scaling.packing.capacity }
    /// The first sample of the first block and the last of the last; nil before there is one.
    package private(set) var span: (first: MonotonicTime, last: MonotonicTime)?
    /// The time of half of the resampler's taps, less one.
    package var startDelay: Duration { resampler?.startDelay ?? .zero }
    /// The block's channels and steps, and its rate where samples are resampled.
    package var layout: FileLayout? {
        FileLayout(
            channels: scaling.channels,
            fields: .init(
                temperature: temperatureSource.rawValue,
                battery: fields.battery == CWAFields.noBattery ? "none" : "board"),
            resampledRate: resampler == nil ? nil : rate.rate)
    }

    private let scaling: CWAScaling
    private let temperatureSource: TemperatureSource
    private var fields = CWAFields()
    private let rate: (code: UInt8, rate: Double)
    private var resampler: VectorResampler?
    private var context: SegmentContext?
    private var sequence: UInt32 = 0
    private var block: CWABlockFiller
    private var blockTime = MonotonicTime.zero
    private var lastTime = MonotonicTime.zero
    /// Samples of the chip taken in; those beyond `stored` are in no whole block yet.
    private var taken = 0
    /// Presses of the event marker that no written block has yet, in the order of time.
    private var marks: [MonotonicTime] = []
    private static let mostMarks = 64

    /// A writer for a source with three channels in g and perhaps three in deg/s.
    package init(source: SourceDescription) throws(FileError) {
        scaling = try CWAScaling(source)
        temperatureSource = source.temperature
        rate = CWARate.nearest(to: source.nominalRate)
        if abs(source.nominalRate / rate.rate - 1) > Self.rateTolerance {
            resampler = VectorResampler(from: source.nominalRate, to: rate.rate, axes: scaling.packing.axes)
        }
        block = CWABlockFiller(scaling, rateCode: rate.code | scaling.rangeCode << 6)
    }

    /// Between blocks only; a block is full at 40, 80 or 120 samples.
    package var mayEndHere: Bool { block.isEmpty }

    /// A header; the resampler begins again where more than a second and two samples are missing
    /// since the file before.
    package mutating func begin(_ context: SegmentContext, to out: inout [UInt8]) throws(FileError) {
        self.context = context
        (sequence, stored, taken, span) = (0, 0, 0, nil)
        block = CWABlockFiller(
            scaling, rateCode: rate.code | scaling.rangeCode << 6,
            sessionID: UInt32(truncatingIfNeeded: context.number))
        // Within a pause the resampler would draw a line between two times that do not
        // belong together.
        let pause = max(1, 3 / context.source.nominalRate)
        if (context.start - lastTime).seconds > pause { resampler?.reset() }
        out += header(context, start: resampler?.next ?? context.start).bytes
    }

    /// Appends a block when it is full, nothing before; at another rate than CWA names the
    /// sample is resampled.
    package mutating func append(
        _ frame: VectorFrame, at time: MonotonicTime, to out: inout [UInt8]
    ) throws(FileError) {
        taken += 1
        lastTime = time
        fields.record(frame.temperature, at: time)
        guard resampler != nil else {
            if block.isEmpty { blockTime = time }
            block.add(frame)
            if block.isFull { write(until: time, to: &out) }
            return
        }
        for (values, time) in resampler?.add(scaling.values(frame), at: time) ?? [] {
            if block.isEmpty { blockTime = time }
            block.add(values)
            if block.isFull { write(until: time, to: &out) }
        }
    }

    /// Notes the battery, for the blocks from the next one on.
    package mutating func record(battery volts: Double?) { fields.record(battery: volts) }

    /// Notes a press of the event marker. The block within which it falls, or the next one, has its flag, which
    /// means "since the block before".
    package mutating func mark(at time: MonotonicTime) {
        if marks.count < Self.mostMarks { marks.append(time) }
    }

    /// Gives up the block begun; the next one's time shows the gap.
    package mutating func appendGap(_ gap: RecordingGap, to out: inout [UInt8]) throws(FileError) -> Int {
        resampler?.reset()
        block.clear()
        let discarded = taken - stored
        taken = stored
        return discarded
    }

    /// Gives up the block begun; nothing of the file has to be changed.
    package mutating func finish(
        to out: inout [UInt8]
    ) throws(FileError) -> (discarded: Int, patches: [SegmentPatch]) {
        (taken - stored, [])
    }

    private mutating func write(until last: MonotonicTime, to out: inout [UInt8]) {
        guard let context else { return }
        span = (span?.first ?? blockTime, last)
        let events = marks.contains { $0 <= last } ? CWABlock.marked : 0
        marks.removeAll { $0 <= last }
        block.write(sequence: sequence, time: stamp(blockTime, context), events: events, fields, to: &out)
        sequence += 1
        // With a resampler the samples of the chip that went into the block are not
        // the block's own.
        stored = taken
    }

    /// `0 -1 0 1 0 0 0 0 1`: rows of the device's x, y and z, which the chip's axes are multiplied
    /// with. Samples are in the chip's.
    package static func text(_ mounting: [[Double]]) -> String {
        mounting.joined().map { Decimals.text($0, $0 == $0.rounded() ? 0 : 4) }.joined(separator: " ")
    }

    private func stamp(_ time: MonotonicTime, _ context: SegmentContext) -> CWATimestamp {
        let instant = context.anchor?.instant(at: time) ?? RecordingTimes.uptimeEpoch + (time - .zero)
        return CWATimestamp(LocalDateTime(instant, offset: context.offset))
    }

    private func header(_ context: SegmentContext, start: MonotonicTime) -> CWAHeader {
        // The clock comes first, since what does not fit is left out at the end, and without the clock the file's
        // times say nothing. `_s`, `_v` and `_p` are Axivity's names.
        var notes = CWAClock.annotations(
            isKnown: context.anchor != nil, zone: context.origin.zone.identifier, offset: context.offset)
        notes.append(("_s", context.origin.study))
        if let participant = context.origin.participant { notes.append(("_v", participant)) }
        if let place = context.measure.bodyLocation { notes.append(("_p", place)) }
        notes.append(("device", context.source.device))
        if let mounting = context.source.mounting { notes.append(("mount", Self.text(mounting))) }
        if resampler != nil {
            notes.append(("resampled", "\(context.source.nominalRate)Hz to \(rate.rate)Hz"))
        }
        return CWAHeader(
            hardwareType: scaling.packing == .packed3 ? 0x17 : 0x64,  // AX3, AX6
            deviceID: context.origin.deviceID,
            sessionID: UInt32(truncatingIfNeeded: context.number), sensorConfig: scaling.gyroscopeRange,
            rateCode: rate.code | scaling.rangeCode << 6, start: stamp(start, context), annotations: notes)
    }
}
