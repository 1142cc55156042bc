// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A span of measuring: its beginning, and its end where that was in good order.
package struct MeasuringSpan: Sendable {
    package let sequence: Int64
    /// Its monotonic time is that of the beginning.
    package let stamp: EventStamp
    /// Samples per second that were asked for, by channel.
    package let rates: [String: Double]
    /// Nil where it was killed, or goes on.
    package let stop: EventStamp?
}
