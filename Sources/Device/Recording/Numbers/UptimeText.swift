// SPDX-License-Identifier: Apache-2.0
import Base

/// Readings of CLOCK_MONOTONIC as they are written in files: seconds with six
/// decimals, `81.250000`.
enum UptimeText {
    static func text(_ time: MonotonicTime) -> String {
        let microseconds = time.nanoseconds / 1000
        let sign = microseconds < 0 ? "-" : ""
        return "\(sign)\(abs(microseconds) / 1_000_000).\((abs(microseconds) % 1_000_000).padded(6))"
    }

    /// Of any text that is a number; nil for others, and for what no clock reaches in a century.
    static func time(_ text: Substring) -> MonotonicTime? {
        guard let seconds = Double(text), seconds.isFinite, abs(seconds) < 4e9 else { return nil }
        return MonotonicTime(nanoseconds: Int64((seconds * 1e6).rounded()) * 1000)
    }
}
