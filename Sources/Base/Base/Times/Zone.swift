// SPDX-License-Identifier: Apache-2.0

/// A time zone: the offsets from UTC that local clocks have had and will have.
///
/// `Zone.load` reads it from the system's tzdata, so that an upgrade of that package is enough for new rules.
package struct Zone: Sendable, Hashable {
    /// One stretch of constant offset.
    package struct Period: Sendable, Hashable {
        /// Seconds east of UTC.
        package let offset: Int
        package let isDaylight: Bool
        /// `CET`, `+0530`, ...
        package let abbreviation: String

        package init(offset: Int, isDaylight: Bool, abbreviation: String) {
            (self.offset, self.isDaylight, self.abbreviation) = (offset, isDaylight, abbreviation)
        }
    }

    /// How a local time maps to UTC. The event log keeps the raw values.
    package enum Resolution: String, Sendable {
        /// The local time comes exactly once.
        case unique
        /// Clocks were put forward over it: it never comes; moved on by the length of the gap.
        case skipped
        /// Clocks were put back over it: it comes twice; the first is taken.
        case repeated
    }

    /// The name in the tz database, `Europe/Berlin`; `UTC` for the fixed one.
    package let identifier: String
    /// Seconds since 1970 at which a new period begins, ascending.
    private let transitions: [Int64]
    /// One more than transitions: the first is in force before all of them. Never empty.
    private let periods: [Period]
    /// What holds from the last transition on, for ever; nil where the last period does.
    private let rule: ZoneRule?

    package static let utc = Zone(fixed: 0, identifier: "UTC", abbreviation: "UTC")

    /// A zone that is always `offset` seconds ahead of UTC.
    package init(fixed offset: Int, identifier: String, abbreviation: String) {
        self.identifier = identifier
        transitions = []
        periods = [Period(offset: offset, isDaylight: false, abbreviation: abbreviation)]
        rule = nil
    }

    /// A fixed zone, with the offset of wall clocks that showed `local` at `instant`.
    package init(offsetOf local: LocalDateTime, at instant: Instant) {
        let offset = Int((local.instant(offset: 0) - instant).nanoseconds / 1_000_000_000)
        let name = offset == 0 ? "UTC" : "UTC" + Self.text(offset: offset)
        self.init(fixed: offset, identifier: name, abbreviation: name)
    }

    /// `Z` or `+01:00`, as RFC 3339 has it: seconds east of UTC, cut to the minute.
    package static func text(offset: Int) -> String {
        guard offset != 0 else { return "Z" }
        let minutes = abs(offset) / 60
        return "\(offset < 0 ? "-" : "+")\((minutes / 60).padded(2)):\((minutes % 60).padded(2))"
    }

    /// The zone that the bytes of a TZif file (RFC 8536, versions 1 to 4) describe.
    ///
    /// Throws `ZoneFileError` where they are no such file.
    package init(identifier: String, file bytes: [UInt8]) throws(ZoneFileError) {
        let file = try ZoneFile(bytes)
        self.identifier = identifier
        transitions = file.transitions
        periods = file.periods
        rule = file.rule
    }

    package func period(at instant: Instant) -> Period { period(at: instant.seconds) }

    /// What the zone's wall clocks show at a moment.
    package func local(_ instant: Instant) -> LocalDateTime {
        LocalDateTime(instant, offset: period(at: instant).offset)
    }

    /// The first moment after `instant` at which the offset or its name may change; nil when none
    /// comes within two years.
    package func nextChange(after instant: Instant) -> Instant? {
        let second = instant.seconds
        return changes(from: second + 1, through: second + 2 * 366 * 86_400).first.map(Instant.init(seconds:))
    }
}

// MARK: - Local time to UTC

extension Zone {
    /// No offset is larger than this (RFC 8536 allows -25 h ... +26 h), in seconds.
    private static let reach: Int64 = 27 * 3600

    /// The moment at which the zone's wall clocks show `local`, by the rules of `Resolution`.
    ///
    /// Every stretch of constant offset near that time is looked at, so that two changes within
    /// hours, or a change of a whole day (Samoa, 2011), are no special cases.
    package func resolve(_ local: LocalDateTime) -> (instant: Instant, resolution: Resolution) {
        let shown = local.instant(offset: 0)
        let second = shown.seconds
        let times = changes(from: second - Self.reach, through: second + Self.reach)
        // On all but a few days of a year.
        if times.isEmpty { return (shown - .seconds(Int64(period(at: second).offset)), .unique) }
        let offsets = ([second - Self.reach - 1] + times).map { Int64(period(at: $0).offset) }
        let starts = [Int64.min] + times
        let ends = times + [Int64.max]
        let hits = offsets.indices.filter { (starts[$0]..<ends[$0]).contains(second - offsets[$0]) }
        if let first = hits.first {
            return (shown - .seconds(offsets[first]), hits.count > 1 ? .repeated : .unique)
        }
        // The clocks never show this time, because a change jumps over it: the offset before that change is used.
        let jump = times.indices.first { times[$0] + offsets[$0] <= second && second < times[$0] + offsets[$0 + 1] }
        return (shown - .seconds(offsets[jump ?? 0]), .skipped)
    }

    /// The first moment at which the zone's wall clocks show `local` or a later time: as `resolve`, but that of the
    /// change where clocks were put forward over it.
    package func arrival(at local: LocalDateTime) -> (instant: Instant, resolution: Resolution) {
        let (instant, resolution) = resolve(local)
        guard resolution == .skipped else { return (instant, resolution) }
        let second = local.instant(offset: 0).seconds
        let change = changes(from: second - Self.reach, through: second + Self.reach).first { change in
            change + Int64(period(at: change - 1).offset) <= second
                && second < change + Int64(period(at: change).offset)
        }
        return (change.map(Instant.init(seconds:)) ?? instant, resolution)
    }

    /// False for a day that clocks jumped over as a whole (Samoa, 30 December 2011).
    package func has(_ day: LocalDate) -> Bool { local(resolve(LocalDateTime(day, .midnight)).instant).date == day }

    private func period(at second: Int64) -> Period {
        if let rule, second >= transitions.last ?? .min { return rule.period(at: second) }
        return periods[firstIndex(after: second)]
    }

    /// The place of the first transition later than `second`; the count when there is none.
    private func firstIndex(after second: Int64) -> Int { transitions.partitioningIndex { $0 > second } }

    private func changes(from first: Int64, through last: Int64) -> [Int64] {
        let known = transitions[firstIndex(after: first - 1)..<firstIndex(after: last)]
        guard let rule, last > transitions.last ?? .min else { return Array(known) }
        return known + rule.changes(from: max(first, (transitions.last ?? first - 1) + 1), through: last)
    }
}
