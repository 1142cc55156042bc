// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base

@Suite struct ZoneRuleTests {
    /// The changes of one year in UTC; expectations by `TZ=... date`.
    @Test(arguments: [
        ("CET-1CEST,M3.5.0,M10.5.0/3", 2027, ["2027-03-28T01:00:00Z", "2027-10-31T01:00:00Z"]),
        ("EST5EDT,M3.2.0,M11.1.0", 2050, ["2050-03-13T07:00:00Z", "2050-11-06T06:00:00Z"]),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2024, ["2024-03-31T01:00:00Z", "2024-10-27T01:00:00Z"]),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", 2026, ["2026-04-04T16:00:00Z", "2026-10-03T16:00:00Z"]),
        ("AAA0BBB,J60,J365/0", 2024, ["2024-03-01T02:00:00Z", "2024-12-30T23:00:00Z"]),
        ("AAA0BBB,59,100", 2024, ["2024-02-29T02:00:00Z", "2024-04-10T01:00:00Z"]),
        // Each part at its ends.
        ("AAA0BBB,J1/0,J365", 2027, ["2027-01-01T00:00:00Z", "2027-12-31T01:00:00Z", "2028-01-01T00:00:00Z"]),
        ("AAA0BBB,M1.1.0,M12.5.6", 2027, ["2027-01-03T02:00:00Z", "2027-12-25T01:00:00Z"]),
        ("AAA0BBB,M3.5.0/167,M10.5.0/-167", 2027, ["2027-04-03T23:00:00Z", "2027-10-24T00:00:00Z"]),
        ("AAA24BBB-24,M4.1.0,M10.1.0", 2027, ["2027-04-05T02:00:00Z", "2027-10-02T02:00:00Z"]),
        ("AAA-23:59:59BBB,M4.1.0,M10.1.0", 2027, ["2027-04-03T02:00:01Z", "2027-10-02T01:00:01Z"]),
        ("AAA0BBB,M3.5.0/2:59:59,M10.5.0", 2027, ["2027-03-28T02:59:59Z", "2027-10-31T01:00:00Z"]),
        ("AAA+5BBB+4:30,M2.4.3,M9.3.6", 2028, ["2028-02-23T07:00:00Z", "2028-09-16T06:30:00Z"]),
    ])
    func changesComeWhenTheRuleSays(text: String, year: Int, expected: [String]) throws {
        let rule = try #require(ZoneRule(ArraySlice(text.utf8)))
        let first = try #require(LocalDate(year: year, month: 1, day: 1)).daysSinceEpoch
        let changes = rule.changes(from: Int64(first) * 86_400, through: Int64(first + 366) * 86_400 - 1)
        #expect(changes.map { Instant(seconds: $0).rfc3339Zulu() } == expected)
    }

    @Test func summerTimeAllTheYearNeverEnds() throws {
        let rule = try #require(ZoneRule(ArraySlice("XXX3EDT4,0/0,J365/23".utf8)))
        for day in Int64(0)..<3000 {
            for second in [0, 3600 * 3, 3600 * 4 - 1, 3600 * 4] {
                #expect(rule.period(at: day * 86_400 + Int64(second)).isDaylight)
            }
        }
    }

    /// A name has three letters at least; quoted, digits and signs too.
    @Test(arguments: [
        ("CET-1", "CET", 3600), ("<+01>-1", "+01", 3600), ("<A-9>24", "A-9", -86_400), ("GMT0", "GMT", 0),
        ("abcdefghijklmnopqrstuvwxyz-1", "abcdefghijklmnopqrstuvwxyz", 3600),
        ("<0123456789+->1", "0123456789+-", -3600),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF-0:00:01", "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF", 1),
    ])
    func withoutSummerTimeAllYearIsTheSame(text: String, name: String, offset: Int) throws {
        let rule = try #require(ZoneRule(ArraySlice(text.utf8)))
        #expect(rule.period(at: 1_800_000_000) == Zone.Period(offset: offset, isDaylight: false, abbreviation: name))
        #expect(rule.changes(from: 0, through: 4_000_000_000).isEmpty)
    }

    @Test(arguments: [
        "", "CE-1", "CET", "CET-25", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J5", "CET-1CEST,366,1", "<+01-1",
        "CET-1 ",
        "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0/-168,M10.5.0", "CET-1:60", "CET-1:59:60",
        "CET-1CEST,M3.5.0,M10.5.0/3x", "CET-1CEST,M3.5.0,M10.5.0,", "CET-1CEST,M3.5.0,M10.5.0 ",
        "CET-1CEST,M0.5.0,M10.5.0", "CET-1CEST,M3.0.0,M10.5.0", "CET-1CEST,J366,J5", "CE1-1CEST,M3.5.0,M10.5.0",
        "CET-1CEST-25,M3.5.0,M10.5.0", "<+0>1", "CET-1CE,M3.5.0,M10.5.0",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFG0", "CET-0001", "CET-+1", "CET+-1", "CET--1",
        "CET-1CEST,M003.5.0,M10.5.0",
    ])
    func whatIsNoRuleIsRefused(text: String) {
        #expect(ZoneRule(ArraySlice(text.utf8)) == nil)
    }
}
