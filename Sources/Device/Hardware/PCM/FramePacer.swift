// SPDX-License-Identifier: Apache-2.0
import Base

/// Counts the frames that are due by CLOCK_MONOTONIC, for a device that would deliver any number at once
/// (`Pacing.byClock`). Pure. Every frame moved or skipped has to be added with `advance`.
struct FramePacer {
    private let layout: PCMLayout
    private let start: MonotonicTime
    /// Frames accounted for since the start, moved or lost.
    private(set) var position = 0

    init(_ layout: PCMLayout, start: MonotonicTime) {
        self.layout = layout
        self.start = start
    }

    /// Frames due and not yet accounted for.
    func due(at now: MonotonicTime) -> Int { max(0, layout.frames(in: now - start) - position) }

    /// What a card's buffer could not have held: to be skipped and counted, as a real
    /// one would lose it.
    func overrun(at now: MonotonicTime) -> Int { max(0, due(at: now) - layout.buffer) }

    mutating func advance(_ frames: Int) { position += frames }

    /// The time of the next frame.
    var time: MonotonicTime { start + layout.time(of: position) }
}
