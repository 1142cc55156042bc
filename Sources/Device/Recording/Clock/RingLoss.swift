// SPDX-License-Identifier: Apache-2.0

/// What a ring dropped, counted once although two tell of it: the ring's counter, in frames, and the source,
/// which adds the drops to what is missing before its next frame that fits, in samples. Either may come first.
/// `SampleTimeline` has one. Pure.
struct RingLoss {
    /// Frames dropped before the next one, by the counter.
    private var counted = 0
    /// Dropped frames that the source named before the counter was read, to be left out when it is.
    private var reported = 0
    private var samplesInLastFrame = 1

    /// Frames dropped, by the counter, after those taken so far.
    mutating func note(frames: Int) {
        let alreadyReported = min(reported, max(0, frames))
        reported -= alreadyReported
        counted += max(0, frames) - alreadyReported
    }

    /// Samples missing before this frame, dropped or lost by the source. Where the frame names less than the counter,
    /// the counter is taken, in samples of this frame's size.
    mutating func takeMissing(before frame: some RecordedFrame) -> [(count: Int, reason: LossReason)] {
        var missing: [(count: Int, reason: LossReason)] = []
        if frame.missingBefore > 0 { missing.append((frame.missingBefore, frame.missingReason ?? .deviceError)) }
        if frame.missingBefore < counted {
            missing.append((counted * max(1, frame.sampleCount), .ringFull))
        } else if frame.missingReason == .ringFull {
            reported = max(0, reported + frame.missingBefore / max(1, frame.sampleCount) - counted)
        }
        counted = 0
        samplesInLastFrame = frame.sampleCount
        return missing
    }

    /// Samples dropped after the last frame, when no further one comes; in that frame's size.
    mutating func drain() -> Int {
        defer { counted = 0 }
        return counted * max(1, samplesInLastFrame)
    }
}
