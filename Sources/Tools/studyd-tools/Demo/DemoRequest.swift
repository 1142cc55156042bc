// SPDX-License-Identifier: Apache-2.0
import Base

/// What a `DemoPlayer` asks of the loop of `Demo`, beside pressing buttons.
enum DemoRequest: Sendable, Hashable {
    case nothing
    /// Presses are still being played.
    case busy
    /// The clock is to jump to the next prompt.
    case jump
    /// The clock is to jump to the next time of the task that is to be opened.
    case jumpTo(Instant)
    /// The task of that name is opened before the one that is to be opened, which waits for it.
    case opensFirst(String)
    /// The task that is to be opened has no such time.
    case neverOpens
    case end
}
