// SPDX-License-Identifier: Apache-2.0
import Samples
import Times

/// Cuts what a sound card delivers into blocks for the ring: one channel of it, 16 bits, with times and gaps. Pure.
struct SoundBlocks {
    private let parameters: PCMParameters
    /// The time at which the next frame is expected; nil before the first one.
    private var expected: MonotonicTime?
    private var isAfterGap = false
    private var lostBefore = 0
    /// All frames lost so far, by the device or to a full ring.
    private(set) var framesLost = 0
    private var reason: LossReason = .soundOverrun

    init(_ parameters: PCMParameters) { self.parameters = parameters }

    /// Frames were lost here; how many is measured by the time of the next one.
    mutating func gap(_ reason: LossReason) {
        isAfterGap = true
        self.reason = reason
    }

    /// The first frame should have come at `start`; what is missing until it comes is lost.
    mutating func await(from start: MonotonicTime) {
        expected = start
        gap(.notRunning)
    }

    /// Exactly so many frames were lost here.
    mutating func lost(_ frames: Int, _ reason: LossReason) {
        lostBefore += frames
        framesLost += frames
        self.reason = reason
        expected = expected.map { $0 + parameters.time(of: frames) }
    }

    /// Takes whole interleaved frames, of which the first belongs to `time`.
    mutating func append(_ raw: UnsafeRawBufferPointer, at time: MonotonicTime, to ring: FrameRing<SoundFrame>) {
        measureGap(until: time)
        let total = raw.count / parameters.bytesPerFrame
        var done = 0
        while done < total {
            let count = min(SoundFrame.capacity, total - done)
            var block = SoundFrame(time: time + parameters.time(of: done))
            block.count = UInt16(count)
            block.lostBefore = UInt32(clamping: lostBefore)
            block.reason = lostBefore > 0 ? reason.rawValue : 0
            for index in 0..<count { block.samples[index] = sample(raw, frame: done + index) }
            done += count
            push(block, count, to: ring)
        }
        expected = time + parameters.time(of: total)
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

    private mutating func measureGap(until time: MonotonicTime) {
        guard isAfterGap, let expected else { return }
        isAfterGap = false
        let missing = max(0, Int(((time - expected).seconds * Double(parameters.rate)).rounded()))
        lostBefore += missing
        framesLost += missing
    }

    private func sample(_ raw: UnsafeRawBufferPointer, frame: Int) -> Int16 {
        let offset = frame * parameters.bytesPerFrame + parameters.channel * parameters.bytesPerSample
        switch parameters.format {
        case .s16: return Int16(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: Int16.self))
        case .s32:
            let wide = Int32(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: Int32.self))
            return Int16(truncatingIfNeeded: wide >> 16)
        }
    }
}
