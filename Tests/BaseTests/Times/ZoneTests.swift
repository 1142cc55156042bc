// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Base

/// Every zone of the system against Python's zoneinfo, which reads the same files with code that
/// others wrote.
///
/// Python and this project agree on the moment of every wall time when Python is asked with fold=0:
/// for a time that comes twice that is the first, and for a skipped one Python uses the offset
/// before the gap, which moves it on by the gap's length. What differs is how one learns which of
/// the three it is: Python gives another offset with fold=1, a smaller one where the time comes
/// twice and a larger one in a gap.
/// Summer time is compared with what the C library says.
@Suite struct ZoneReferenceTests {
    static let isThere = !PythonReference.zones.isEmpty
    static let missing: Comment =
        "SKIPPED: no python3 (3.9 or later) with zoneinfo, or no tzdata in /usr/share/zoneinfo"

    @Test(.enabled(if: isThere, missing)) func everyZoneShowsWhatPythonShows() throws {
        #expect(PythonReference.zones.count > 400)
        var failed: [String] = []
        for reference in PythonReference.zones {
            let zone = try Zone.load(reference.name, from: PythonReference.tzdata)
            let wrong = reference.utc.first { probe in
                let period = zone.period(at: Instant(seconds: probe.second))
                return period.offset * 2 + (period.isDaylight ? 1 : 0) != Int(probe.offset)
                    || Self.word(period.abbreviation) != probe.abbreviation
            }
            if let wrong { failed.append("\(reference.name): \(wrong)") }
        }
        #expect(failed.isEmpty, "\(failed.count) zones, first \(failed.first ?? "")")
    }

    @Test(.enabled(if: isThere, missing)) func everyWallTimeIsTheMomentThatPythonSays() throws {
        var failed: [String] = []
        for reference in PythonReference.zones {
            let zone = try Zone.load(reference.name, from: PythonReference.tzdata)
            let wrong = reference.local.first { probe in
                let found = zone.resolve(LocalDateTime(Instant(seconds: probe.second), offset: 0))
                return found.instant.seconds != probe.second - probe.offset || found.resolution != Self.expected(probe)
            }
            if let wrong { failed.append("\(reference.name): \(wrong)") }
        }
        #expect(failed.isEmpty, "\(failed.count) zones, first \(failed.first ?? "")")
    }

    /// A file's transitions go to 2037; a reader that has only the rule must find the same ones.
    @Test(.enabled(if: isThere, missing)) func changesAreFoundInOrderAndWithoutGaps() throws {
        let zone = try Zone.load("Europe/Berlin", from: PythonReference.tzdata)
        var moment = try Instant(rfc3339: "2030-01-01T00:00:00Z")
        var found: [String] = []
        while found.count < 20, let next = zone.nextChange(after: moment) {
            found.append(next.rfc3339(in: zone))
            moment = next
        }
        #expect(found.first == "2030-03-31T03:00:00+02:00")
        #expect(found.last == "2039-10-30T02:00:00+01:00")
    }

    private static func word(_ text: String) -> Int64 {
        text.utf8.prefix(8).enumerated().reduce(0) { $0 | Int64($1.element) << (8 * $1.offset) }
    }

    private static func expected(_ probe: PythonReference.LocalProbe) -> Zone.Resolution {
        if probe.offset == probe.foldedOffset { return .unique }
        return probe.offset > probe.foldedOffset ? .repeated : .skipped
    }
}

@Suite struct ZoneTests {
    @Test func fixedZoneIsAlwaysAsFarAhead() {
        let zone = Zone(fixed: 19_800, identifier: "Asia/Kolkata", abbreviation: "IST")
        let local = zone.local(.epoch)
        #expect(local.description == "1970-01-01T05:30:00")
        #expect(zone.resolve(local) == (.epoch, .unique))
        #expect(zone.nextChange(after: .epoch) == nil)
    }

    /// Forward one hour at 1000, back one hour 30 minutes later, from UTC+0: the two changes
    /// share local times.
    @Test func changesCloseTogetherAreToldApart() throws {
        let zone = try Zone(identifier: "X", file: zoneFile(times: [3600, 5400], offsets: [0, 3600, 0]))
        func resolve(_ minute: Int) -> (Instant, Zone.Resolution) {
            zone.resolve(LocalDateTime(LocalDate(daysSinceEpoch: 0), .midnight).adding(minutes: minute))
        }
        #expect(resolve(59) == (Instant(seconds: 59 * 60), .unique))
        // 01:00 ... 01:29 is jumped over, and the clocks go back only to 01:30.
        #expect(resolve(60) == (Instant(seconds: 3600), .skipped))
        #expect(resolve(89) == (Instant(seconds: 89 * 60), .skipped))
        #expect(resolve(90) == (Instant(seconds: 5400), .unique))
        #expect(resolve(95) == (Instant(seconds: 95 * 60), .unique))
        #expect(resolve(120) == (Instant(seconds: 3600), .repeated))
        #expect(resolve(150) == (Instant(seconds: 9000), .unique))
    }

    /// Forward one hour at 1000, back one hour 30 minutes later: the clocks show 1:00 to 1:30 never, and 2:00 to 2:30
    /// twice.
    @Test(arguments: [(59, 3540), (60, 3600), (89, 3600), (90, 5400), (120, 3600), (150, 9000)] as [(Int, Int64)])
    func aTimeThatIsSkippedIsReachedWithTheChange(minute: Int, second: Int64) throws {
        let zone = try Zone(identifier: "X", file: zoneFile(times: [3600, 5400], offsets: [0, 3600, 0]))
        let local = LocalDateTime(LocalDate(daysSinceEpoch: 0), .midnight).adding(minutes: minute)
        let arrival = zone.arrival(at: local)
        #expect(arrival.instant == Instant(seconds: second) && arrival.resolution == zone.resolve(local).resolution)
    }

    /// A change holds from its very second, and one that comes at that moment is not one after it.
    @Test func aChangeHoldsFromItsSecond() throws {
        let zone = try Zone(identifier: "X", file: zoneFile(times: [3600, 5400], offsets: [0, 3600, 0]))
        let offsets = [3599, 3600, 5399, 5400].map { zone.period(at: Instant(seconds: $0)).offset }
        #expect(offsets == [0, 3600, 3600, 0])
        #expect(zone.nextChange(after: Instant(seconds: 3599)) == Instant(seconds: 3600))
        #expect(zone.nextChange(after: Instant(seconds: 3600)) == Instant(seconds: 5400))
        #expect(zone.nextChange(after: Instant(seconds: 5400)) == nil)
        let span: Int64 = 2 * 366 * 86_400
        #expect(zone.nextChange(after: Instant(seconds: 3600 - span)) == Instant(seconds: 3600))
        #expect(zone.nextChange(after: Instant(seconds: 3599 - span)) == nil, "two years ahead and no more")
    }

    /// What wall clocks showed names the offset, on both sides of UTC.
    @Test(arguments: [(0, "UTC"), (20_700, "UTC+05:45"), (-12_600, "UTC-03:30"), (50_400, "UTC+14:00")])
    func anOffsetIsKeptForGood(offset: Int, name: String) {
        let instant = Instant(seconds: 1_774_000_000)
        let zone = Zone(offsetOf: LocalDateTime(instant, offset: offset), at: instant)
        let period = zone.period(at: .epoch)
        #expect(zone.identifier == name && period.abbreviation == name && period.offset == offset)
    }

    @Test func dayThatSamoaLeftOutMovesOnByADay() throws {
        guard let zone = try? Zone.load("Pacific/Apia") else { return print("SKIPPED: no tzdata") }
        let found = zone.resolve(try LocalDateTime(parsing: "2011-12-30T12:00"))
        #expect(found.resolution == .skipped)
        #expect(found.instant.rfc3339(in: zone) == "2011-12-31T12:00:00+14:00")
    }

    /// In Beirut clocks go from 0:00 to 1:00 on 29 March 2026.
    @Test(arguments: [
        ("Pacific/Apia", "2011-12-29", true), ("Pacific/Apia", "2011-12-30", false),
        ("Pacific/Apia", "2011-12-31", true), ("Asia/Beirut", "2026-03-29", true),
    ])
    func aDayIsThereUnlessClocksJumpOverAllOfIt(_ name: String, _ day: String, _ isThere: Bool) throws {
        guard let zone = try? Zone.load(name) else { return print("SKIPPED: no tzdata") }
        #expect(zone.has(try LocalDate(parsing: day)) == isThere)
    }

    @Test func farTimesNeitherTrapNorWander() {
        let far = LocalDateTime(LocalDate(daysSinceEpoch: 3_000_000), .midnight)
        #expect(Zone.utc.resolve(far).instant == Instant(nanoseconds: .max))
        #expect(Zone.utc.resolve(LocalDateTime(LocalDate(daysSinceEpoch: -3_000_000), .midnight)).resolution == .unique)
    }
}
