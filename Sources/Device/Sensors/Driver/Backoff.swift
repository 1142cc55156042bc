// SPDX-License-Identifier: Apache-2.0
import Base

/// How long to wait before a chip that does not answer is asked again. Pure. `SampledDevice` and `IIOReader`
/// have one.
///
/// First 20 ms, then 50 ms twelve times, so that a short interruption costs few samples; then twice as
/// long each time, up to 5 s. That is 18 attempts in the first five seconds.
struct Backoff: Sendable {
    private static let firstPause = Duration.milliseconds(20)
    private static let shortPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(5)
    private static let shortPauses = 12
    private var attempts = 0
    private var pause = Backoff.shortPause

    /// The pause after another failure.
    mutating func next() -> Duration {
        defer { attempts += 1 }
        guard attempts > 0 else { return Self.firstPause }
        if attempts > Self.shortPauses { pause = min(pause * 2, Self.longestPause) }
        return pause
    }

    /// The chip has given a sample.
    mutating func reset() { self = Backoff() }
}
