// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Dataset

struct StudyTimeTests {
    /// Offsets of RFC 3339: those of Berlin, Nepal, Newfoundland and UTC. `Z` says nothing of a wall clock (its 4.3).
    @Test(
        arguments: [
            ("2026-11-25T09:00:00+01:00", 3600, "2026-11-25T08:00:00.000Z", "2026-11-25"),
            ("2026-11-25T00:30:00+05:45", 20_700, "2026-11-24T18:45:00.000Z", "2026-11-25"),
            ("2026-11-25T23:30:00.125-03:30", -12_600, "2026-11-26T03:00:00.125Z", "2026-11-25"),
            ("2026-11-25T09:00:00-00:30", -1800, "2026-11-25T09:30:00.000Z", "2026-11-25"),
            ("2026-11-25T09:00:00+00:00", 0, "2026-11-25T09:00:00.000Z", "2026-11-25"),
            ("2026-11-25T23:30:00Z", nil, "2026-11-25T23:30:00.000Z", "2026-11-25"),
        ] as [(String, Int?, String, String)])
    func aMomentHasItsOffsetAndItsDay(text: String, offset: Int?, utc: String, day: String) throws {
        let time = try #require(StudyTime(text))
        #expect(time.offset == offset && time.utc == utc && time.day.description == day)
        let wall = "\(text.prefix(19))\(text.contains(".") ? ".125" : ".000")"
        #expect(time.local == (offset == nil ? nil : wall))
    }

    @Test(arguments: [nil, "", "soon", "2026-11-25", "2026-11-25T09:00:00", "2026-13-25T09:00:00Z"])
    func anyOtherTextIsNone(text: String?) { #expect(StudyTime(text) == nil) }
}
