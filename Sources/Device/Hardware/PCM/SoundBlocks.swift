// SPDX-License-Identifier: Apache-2.0
import Base

/// Cuts what a sound card delivers into blocks for the ring, with times and gaps. Pure.
///
/// `CaptureLoop` calls `open` for each stream, `append` for what it reads, and `beginGap` after each fault. `layout`
/// counts the card's frames, `parameters` the kept ones, of which there may be fewer.
struct SoundBlocks {
    private let parameters: PCMParameters
    private var layout: PCMLayout
    /// Makes the kept samples of the card's: one channel, filtered, at the wanted rate.
    private var conditioner: SoundConditioner
    /// The time of the next kept frame, at the wanted rate; nil before the first one.
    private var expected: MonotonicTime?
    private var isAfterGap = false
    /// Kept frames lost since the last block that the ring took.
    private var lostBefore = 0
    /// Frames of the card still to be thrown away.
    private var framesToDrop = 0
    /// All frames lost so far, by the device or to a full ring, at the wanted rate.
    private(set) var framesLost = 0
    /// Why `lostBefore` are missing. A block can name one reason: where a full ring and a gap come
    /// together, it is that of the last loss.
    private var reason: LossReason = .soundOverrun

    init(_ parameters: PCMParameters, _ layout: PCMLayout? = nil) {
        self.parameters = parameters
        self.layout = layout ?? PCMLayout(parameters)
        conditioner = SoundConditioner(parameters, self.layout)
    }

    /// A stream begins, the first or after an interruption: its layout may be another, and its
    /// first sound is thrown away where the microphone needs time to settle.
    mutating func open(_ layout: PCMLayout) {
        if layout != self.layout {
            self.layout = layout
            conditioner = SoundConditioner(parameters, layout)
        }
        conditioner.restart()
        framesToDrop = layout.frames(in: parameters.settling)
    }

    /// The first frame should have come at `start`; what is missing until it comes is lost.
    mutating func expectFirstFrame(at start: MonotonicTime) {
        expected = start
        beginGap(.notRunning)
    }

    /// Frames were lost here; how many is measured by the time of the next one.
    mutating func beginGap(_ reason: LossReason) {
        isAfterGap = true
        self.reason = reason
        conditioner.restart()
    }

    /// Takes whole interleaved frames of the card, of which the first belongs to `time`.
    mutating func append(_ raw: UnsafeRawBufferPointer, at time: MonotonicTime, to ring: FrameRing<SoundFrame>) {
        let dropped = min(framesToDrop, raw.count / layout.bytesPerFrame)
        if dropped > 0 { drop(dropped, at: time) }
        let rest = UnsafeRawBufferPointer(rebasing: raw[(dropped * layout.bytesPerFrame)...])
        guard !rest.isEmpty else { return }
        // Mostly earlier than `time`, since the delay of the filter is subtracted.
        let first = time + layout.time(of: dropped + conditioner.firstPlace)
        conditioner.process(rest)
        guard !conditioner.output.isEmpty else { return }
        measureGap(until: first)
        cut(from: first, to: ring)
    }

    /// Throws away sound in which the microphone settles: a gap that ends with the first frame kept.
    private mutating func drop(_ frames: Int, at time: MonotonicTime) {
        framesToDrop -= frames
        if expected == nil { expected = time }
        if !isAfterGap { beginGap(.notRunning) }
    }

    /// Pushes the conditioner's output as blocks; what is missing is noted in the first that the ring takes.
    private mutating func cut(from first: MonotonicTime, to ring: FrameRing<SoundFrame>) {
        let total = conditioner.output.count
        var done = 0
        while done < total {
            let count = min(SoundFrame.capacity, total - done)
            var block = SoundFrame(time: first + parameters.time(of: done))
            block.count = UInt16(count)
            block.lostBefore = UInt32(clamping: lostBefore)
            block.reason = lostBefore > 0 ? reason.rawValue : 0
            if done == 0 { block.hiddenClips = UInt16(clamping: conditioner.hiddenClips) }
            for index in 0..<count { block.samples[index] = conditioner.output[done + index] }
            done += count
            push(block, count, to: ring)
        }
        expected = first + parameters.time(of: total)
    }

    private mutating func push(_ block: SoundFrame, _ count: Int, to ring: FrameRing<SoundFrame>) {
        if ring.push(block) {
            lostBefore = 0
        } else {
            lostBefore += count
            framesLost += count
            reason = .ringFull
        }
    }

    /// Counts what is missing up to `time`, after a gap only: without one a difference comes from the card's
    /// crystal, which differs from the clock, and nothing is missing.
    private mutating func measureGap(until time: MonotonicTime) {
        guard isAfterGap, let expected else { return }
        isAfterGap = false
        let missing = max(0, Int(((time - expected).seconds * Double(parameters.rate)).rounded()))
        lostBefore += missing
        framesLost += missing
    }
}
