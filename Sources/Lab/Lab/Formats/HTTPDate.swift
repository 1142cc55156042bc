// SPDX-License-Identifier: Apache-2.0
import Base

/// A date as HTTP writes it (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func text(_ instant: Instant) -> String {
        let local = LocalDateTime(instant, offset: 0)
        let (year, month, day) = local.date.components
        let date = "\(day.padded(2)) \(months[month - 1]) \(year.padded(4))"
        return "\(days[local.date.weekday - 1]), \(date) \(local.time.text(fractionDigits: 0)) GMT"
    }
}
