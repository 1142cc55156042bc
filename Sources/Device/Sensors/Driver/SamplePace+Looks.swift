// SPDX-License-Identifier: Apache-2.0
import Base

/// When a chip that measures by itself is looked at next.
extension SamplePace {
    /// For the next burst: `ready` once it is certainly complete, `due` at the latest. `line` is
    /// the chip's interrupt line, nil without one.
    func nextLook(
        watermark: Int, depth: Int, line: (any InterruptLine)?
    ) -> (ready: MonotonicTime, due: MonotonicTime) {
        let ready = certain(watermark)
        let room = depth - watermark
        if room > 1 {
            if line?.isThere ?? false {
                // The line says it; the clock only looks whether the line still lives.
                return (ready, ready + time(min(Double(watermark), Double(room) / 2)))
            } else if uncertainty > Self.wellKnown {
                return (ready, max(ready, likely(watermark + 1)))
            }
            // There is room for more, so another device's wake-up is waited for.
            return (ready, ready + time(max(1, min(Double(watermark), Double(room)) / 4)))
        }
        if uncertainty > Self.closeEnough {
            // Too early as likely as not, which costs one more look and halves the uncertainty.
            return (likely(watermark), likely(watermark))
        }
        return (ready, ready + time(line?.isThere ?? false ? Self.lineDelay : Self.patience))
    }

    /// For a burst that was not complete at `now`.
    func lookAgain(watermark: Int, depth: Int, after now: MonotonicTime) -> MonotonicTime {
        let certain = certain(watermark)
        return certain > now ? certain : now + time(depth > 1 ? 1 : Self.pollInterval)
    }

    /// A chip that was told to measure and is not ready is asked again after this, in periods.
    static let pollInterval = 0.2
    /// A chip without a FIFO is asked at the likely moment of a sample while that is known no
    /// better than this, in periods.
    private static let closeEnough = 0.1
    /// And once it is known, this much later in periods, to share the wake-up of another
    /// device meanwhile.
    private static let patience = 0.25
    /// A FIFO is asked at the moment of a sample while that is known no better than
    /// this, in periods.
    private static let wellKnown = 0.02
    /// Its interrupt line is given up for this sample that much later, in periods.
    private static let lineDelay = 0.4
}
