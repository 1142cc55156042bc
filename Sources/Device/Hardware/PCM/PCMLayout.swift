// SPDX-License-Identifier: Apache-2.0
import Base

/// How an open device really runs: what the card took of what was asked for (`PCMParameters`). A `PCMStream`
/// has one.
struct PCMLayout: Sendable, Hashable {
    var format: PCMParameters.Format
    var channels: Int
    /// The card's frames per second.
    var rate: Int
    /// How many of the card's frames become one that is kept; 1 when playing.
    var decimation = 1
    /// Frames after which the card wakes us.
    var period: Int
    /// Frames that the card's buffer holds.
    var buffer: Int

    /// What was asked for, as if a card had taken all of it.
    init(_ parameters: PCMParameters) {
        format = parameters.format
        channels = parameters.channels
        rate = parameters.rate
        period = max(1, parameters.frames(in: parameters.period))
        buffer = max(2, parameters.frames(in: parameters.buffer))
    }

    var bytesPerFrame: Int { format.bytes * channels }
    /// Whole frames of the card in a stretch of time.
    func frames(in time: Duration) -> Int { Int((time.seconds * Double(rate)).rounded(.down)) }
    func time(of frames: Int) -> Duration { .nanoseconds(Int64((Double(frames) * 1e9 / Double(rate)).rounded())) }
    var periodTime: Duration { time(of: period) }
}
