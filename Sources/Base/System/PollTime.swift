// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// Whole milliseconds, as poll(2) takes them; rounded up, so that waiting for a moment does not
    /// end before it.
    var pollTime: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1000).overflow
            ? (seconds < 0 ? .min : .max) : seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
