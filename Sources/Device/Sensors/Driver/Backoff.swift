// SPDX-License-Identifier: Apache-2.0
import Base

/// How long a chip that does not answer is left alone before it is asked again. Pure.
///
/// At first often, so that a short silence costs hardly more than itself; a chip that is away is
/// asked less and less often. 18 times in the first five seconds.
struct Backoff: Sendable {
    private static let first = Duration.milliseconds(20)
    private static let short = Duration.milliseconds(50)
    private static let longest = Duration.seconds(5)
    /// This many short pauses follow the first: two thirds of a second.
    private static let shortPauses = 12
    private var count = 0
    private var pause = Backoff.short

    mutating func next() -> Duration {
        defer { count += 1 }
        guard count > 0 else { return Self.first }
        if count > Self.shortPauses { pause = min(pause * 2, Self.longest) }
        return pause
    }

    mutating func reset() { self = Backoff() }
}
