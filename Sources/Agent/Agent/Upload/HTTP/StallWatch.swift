// SPDX-License-Identifier: Apache-2.0
import Base

/// Says when a transfer has come to a stop: fewer than the least bytes a second over the whole of
/// its patience. Pure.
///
/// Bytes count when the other side's kernel has them, not when ours takes them: on a slow link
/// that holds back minutes of them, during which libcurl's own rule sees nothing move and
/// throws all of it away.
struct StallWatch: Sendable {
    private let patience: Duration
    private let least: Int64
    private var mark: (time: MonotonicTime, moved: Int64)?

    /// A watch of `slowestRate` bytes a second over `slow`.
    init(_ limits: HTTPLimits) {
        patience = limits.slow
        least = Int64(Double(limits.slowestRate) * limits.slow.seconds)
    }

    /// `moved` bytes until now, either way. True when it has come to a stop.
    mutating func update(moved: Int64, at now: MonotonicTime) -> Bool {
        // libcurl counts from zero where it sends a request again.
        guard let mark, moved >= mark.moved else {
            self.mark = (now, moved)
            return false
        }
        guard now - mark.time >= patience else { return false }
        self.mark = (now, moved)
        return moved - mark.moved < least
    }
}
