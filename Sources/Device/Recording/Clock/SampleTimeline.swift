// SPDX-License-Identifier: Apache-2.0
import Base

/// Gives every frame of a ring its time, and finds the gaps, for `Recorder` and `MotionFeed`. Pure; holds
/// frames until their batch is stamped.
///
/// `add` for each frame, `noteRingLoss` after those of one drain, and at the very end `flush` and
/// `drainRingLoss`. `index` counts the source's samples, missing ones included. A stamp is the time that the source
/// gives for a frame's first sample; the line is the regression's, from sample numbers to times.
struct SampleTimeline<Frame: RecordedFrame> {
    enum Item {
        /// A frame and the time of its first sample.
        case frame(Frame, MonotonicTime)
        /// Samples missing before the next frame, which is at `time`.
        case gap(time: MonotonicTime, samples: Int, reason: LossReason)
        /// Samples that no stamp gave a time to.
        case untimed(Int)
        /// The line was set back: the next frame's time may lie before the last one's.
        case backwards
    }

    /// The most frames that wait for a stamp: 40 s of 100 Hz.
    private static var capacity: Int { 4096 }
    private var regression: ClockRegression
    /// Samples come at a steady rate, of which some are stamped, each the last of a batch: times come from
    /// `regression`. Else each frame has its own stamp.
    private let isRegular: Bool
    /// Frames that wait for a stamp, each with what is missing before it.
    private var batch: [(frame: Frame, missing: [(count: Int, reason: LossReason)])] = []
    private var index: Int64 = 0
    private var ringLoss = RingLoss()
    private var isStamped = false
    private var errors = SampleTimeErrors()
    private var meter = RateMeter()
    /// Since when nothing has disturbed the regression.
    private var calmSince: MonotonicTime?

    init(nominalRate: Double, isRegular: Bool) {
        regression = ClockRegression(nominalRate: nominalRate)
        self.isRegular = isRegular
    }

    var measuredRate: Double? { isRegular && isStamped ? regression.rate : nil }

    /// The largest expected errors of the times given out since the last call; nil without stamps.
    mutating func drainTimeErrors() -> SampleTimeErrors? {
        defer { errors = SampleTimeErrors() }
        return isRegular && isStamped ? errors : nil
    }

    /// The mean rate of what was given a time since the last call, and its expected error by
    /// CLOCK_MONOTONIC: over the stretches without a gap, or the line's rate where its error is not larger.
    mutating func drainRate() -> (rate: Double, error: Double)? {
        defer { meter = RateMeter() }
        guard isRegular, isStamped else { return nil }
        if let rate = meter.rate, let error = meter.rateError, error < regression.rateError { return (rate, error) }
        return (regression.rate, regression.rateError)
    }

    /// Frames that the ring dropped after those taken so far.
    mutating func noteRingLoss(frames: Int) { ringLoss.note(frames: frames) }

    /// Samples that the ring dropped after the last frame, when no further one comes.
    mutating func drainRingLoss() -> Int { ringLoss.drain() }

    /// Takes in the next frame; returns what can be recorded now.
    // Recorders are called through their protocol, where the compiler would not specialise this for a
    // frame's type by itself.
    @_specialize(where Frame == SoundFrame)
    @_specialize(where Frame == VectorFrame)
    @_specialize(where Frame == ByteFrame)
    mutating func add(_ frame: Frame) -> [Item] {
        batch.append((frame, ringLoss.takeMissing(before: frame)))
        guard frame.stamp != nil || !isRegular || batch.count >= Self.capacity else { return [] }
        return flush()
    }

    /// Records the frames that still wait for a stamp, by the line so far.
    mutating func flush() -> [Item] {
        defer { batch.removeAll(keepingCapacity: true) }
        return isRegular ? itemsByRegression() : itemsByStamps()
    }

    private mutating func itemsByStamps() -> [Item] {
        batch.flatMap { entry -> [Item] in
            guard let time = entry.frame.stamp else {
                return entry.missing.map { .untimed($0.count) } + [.untimed(entry.frame.sampleCount)]
            }
            return entry.missing.map { .gap(time: time, samples: $0.count, reason: $0.reason) }
                + [.frame(entry.frame, time)]
        }
    }

    /// The frames of the batch with times by the line, and their gaps; before the first stamp all are untimed.
    private mutating func itemsByRegression() -> [Item] {
        var items: [Item] = []
        let lastGap = batch.lastIndex { !$0.missing.isEmpty } ?? 0
        for (position, entry) in batch.enumerated() {
            if !entry.missing.isEmpty {
                index += Int64(entry.missing.reduce(0) { $0 + $1.count })
                regression.restart()
                noteDisturbance()
            }
            // The stamp at the end of the batch is good for what lies after its last gap.
            if position == lastGap { items += useStamp(from: position) }
            guard let time = regression.time(of: index) else {
                items += entry.missing.map { .untimed($0.count) } + [.untimed(entry.frame.sampleCount)]
                index += Int64(entry.frame.sampleCount)
                continue
            }
            items += entry.missing.map { .gap(time: time, samples: $0.count, reason: $0.reason) }
            items.append(.frame(entry.frame, time))
            // Both ends of the batch and the first after its last gap are enough for the error and the rate.
            if position == 0 || position == lastGap || position == batch.count - 1 { record(time) }
            index += Int64(entry.frame.sampleCount)
        }
        return items
    }

    /// Adds a time that was given out to the errors and to the measured rate.
    private mutating func record(_ time: MonotonicTime) {
        let error = regression.error(of: index)
        let since = calmSince ?? time
        calmSince = since
        errors.add(error, isSteady: time - since >= SampleTimeErrors.startUp)
        meter.add(index, at: time, error: error)
    }

    private mutating func noteDisturbance() {
        meter.cut()
        calmSince = nil
    }

    /// Adds the stamp of the batch's last frame to the line; returns a gap, or a step back, where it shows one.
    private mutating func useStamp(from position: Int) -> [Item] {
        guard let stamp = batch.last?.frame.stamp else { return [] }
        isStamped = true
        let before = batch[position..<batch.count - 1].reduce(0) { $0 + $1.frame.sampleCount }
        let verdict = regression.add(stamp, of: index + Int64(before), lateness: batch.last?.frame.lateness)
        guard case .jumped(let by) = verdict else { return [] }
        noteDisturbance()
        guard by > .zero, let time = regression.time(of: index) else { return [.backwards] }
        let samples = max(1, Int((by.seconds * regression.rate).rounded()))
        return [.gap(time: time, samples: samples, reason: .deviceError)]
    }
}
