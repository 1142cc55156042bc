// SPDX-License-Identifier: Apache-2.0
import Base

/// The length of the epochs over which features are computed: the key `epoch` of `[features]`, or what a rule
/// or `studyd-tools features` asks for. Their edges are multiples of it in UTC, and so on the local clock, too.
///
/// A length divides a quarter of an hour, and a quarter of an hour has divided the offset of every zone since 1980 (the
/// last other one was Kiritimati's, 10:40 until 1979). Hence an epoch never depends on a zone, and a change of offset
/// cuts none in two.
package struct Epoch: Sendable, Hashable {
    package let length: Duration
    let nanoseconds: Int64

    package static let minute = Epoch(seconds: 60)
    static let quarterHour = Epoch(seconds: 900)

    private init(seconds: Int64) {
        length = .seconds(seconds)
        nanoseconds = seconds * 1_000_000_000
    }

    /// Nil for a length that is not 1 s or a multiple of 5 s that divides 15 minutes.
    package init?(_ length: Duration) {
        let seconds = length.nanoseconds / 1_000_000_000
        guard length == .seconds(seconds), seconds == 1 || seconds > 0 && seconds % 5 == 0 && 900 % seconds == 0 else {
            return nil
        }
        self.init(seconds: seconds)
    }

    /// All lengths, for messages.
    package static let allowed = "1s, 5s, 10s, 15s, 20s, 30s, 1m, 3m, 5m, 15m and others that divide 15m by whole 5s"

    package func range(of time: Instant) -> Range<Instant> {
        let (quotient, remainder) = time.nanoseconds.quotientAndRemainder(dividingBy: nanoseconds)
        let start = Instant(nanoseconds: (remainder < 0 ? quotient - 1 : quotient) &* nanoseconds)
        return start..<start + length
    }
}
