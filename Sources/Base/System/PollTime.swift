// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// Whole milliseconds, cut towards zero, as poll(2) takes them.
    var pollTime: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1000).overflow
            ? (seconds < 0 ? .min : .max) : seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
