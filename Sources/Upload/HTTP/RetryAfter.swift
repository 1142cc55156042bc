// SPDX-License-Identifier: Apache-2.0
import Times

/// How long a server asks to be left alone: `Retry-After` (RFC 9110 §10.2.3) of a 429 or a 503, in seconds or as a date.
enum RetryAfter {
    /// Never longer than this, whatever a server or a wrong clock says.
    private static let longest = Duration.seconds(3600)

    /// Nil where nothing, or nothing readable, was asked. A date is reckoned from the server's own `Date`, since the device's clock may be
    /// wrong, and from `now` where there is none.
    static func wait(_ response: HTTPResponse, now: Instant) -> Duration? {
        guard [429, 503].contains(response.status), let text = response["Retry-After"] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
            return min(Int64(text).map { Duration.seconds($0) } ?? longest, longest)
        }
        guard let date = HTTPDate(text, now: now) else { return nil }
        let sent = response["Date"].flatMap { HTTPDate($0, now: now)?.instant } ?? now
        return max(.zero, min(date.instant - sent, longest))
    }
}
