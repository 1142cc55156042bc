// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Device

/// A description beside its file, at the limits of what `recordings verify` lets pass: a second for
/// dates and anchors and one in a thousand of what lies between, two for the file's ends.
@Suite struct DescriptionCheckTests {
    private typealias Change = (inout RecordingDescription, inout ContentCheck) -> Void

    private static func problems(
        name: String = "000007-accelerometer.cwa", bytes: Int = 2_048, _ change: Change = { _, _ in }
    ) -> [String] {
        var description = RecordingDescription(
            fileName: "000007-accelerometer.cwa", contentType: "application/x-cwa", countedUnit: .samples)
        (description.number, description.kind, description.format) = (7, "accelerometer", "cwa")
        (description.state, description.bytes, description.samplesStored) = (.sealed, 2_048, 1_000)
        (description.startUptime, description.endUptime) = (100, 110)
        (description.nominalRate, description.measuredRate) = (100, 100)
        description.clock = .anchored
        (description.startDate, description.endDate) = ("2026-11-21T10:00:00Z", "2026-11-21T10:00:10Z")
        description.anchors = [anchor(100, "2026-11-21T10:00:00Z")]
        var content = ContentCheck()
        (content.stored, content.first, content.last) = (1_000, 100, 110)
        change(&description, &content)
        return DescriptionCheck(description, of: content, name: name, bytes: bytes).problems
    }

    private static func anchor(_ uptime: Double, _ time: String) -> RecordingDescription.AnchorNote {
        .init(uptime: uptime, time: time, source: "kernel", uncertainty: 0.001)
    }

    private static func gap(
        _ start: Double, _ end: Double, _ samples: Int, at position: Int
    ) -> RecordingDescription.GapNote {
        .init(startUptime: start, endUptime: end, samples: samples, reason: "chipOverrun", position: position)
    }

    private static func expect(_ problem: String?, _ label: String, _ change: Change) {
        let found = problems(change)
        #expect(found.count == (problem == nil ? 0 : 1), "\(label): \(found)")
        if let problem { #expect(found.first?.contains(problem) == true, "\(label): \(found)") }
    }

    @Test func theWholeIsRightAndEachNameAndSizeCounts() {
        #expect(Self.problems() == [])
        #expect(Self.problems(bytes: 2_047) == ["2047 bytes instead of the described 2048"])
        #expect(Self.problems(name: "000008-accelerometer.cwa").first?.contains("belongs to") == true)
        Self.expect("instead of the described 1000", "one less") { $1.stored = 999 }
        Self.expect("instead of the described 1000", "one more") { $1.stored = 1_001 }
        Self.expect("a channel", "another difference") { $1.differences = ["a channel"] }
    }

    @Test func theRateIsWithinAQuarterOfTheNominalOne() {
        for (rate, problem) in [(124.9, nil), (125, "impossible"), (75.1, nil), (75, "impossible")]
            as [(Double, String?)]
        {
            Self.expect(problem, "\(rate)") { description, _ in description.measuredRate = rate }
        }
        Self.expect(nil, "not measured") { description, _ in description.measuredRate = nil }
    }

    @Test func datesAreThoseOfTheUptimesToASecond() {
        let cases: [(String?, String?)] = [
            ("2026-11-21T10:00:11.009Z", nil), ("2026-11-21T10:00:11.011Z", "contradict"),
            ("2026-11-21T10:00:08.991Z", nil), ("2026-11-21T10:00:08.989Z", "contradict"), (nil, "no start or no end"),
            ("soon", "no start or no end"),
        ]
        for (date, problem) in cases {
            Self.expect(problem, date ?? "none") { description, _ in description.endDate = date }
        }
        Self.expect("no start or no end", "no start") { description, _ in description.startDate = nil }
        Self.expect("has a time though", "unknown") { description, _ in description.clock = .unknown }
        Self.expect(nil, "unknown and undated") { description, _ in
            (description.clock, description.startDate, description.endDate) = (.unknown, nil, nil)
            description.anchors = []
        }
    }

    @Test func aFileDoesNotEndBeforeItBegins() {
        Self.expect(nil, "one sample") { description, content in
            (description.endUptime, description.endDate, content.last) = (100, description.startDate, 100)
        }
        Self.expect("ends before it begins", "backwards") { description, content in
            (description.endUptime, description.endDate, content.last) = (99.9, description.startDate, 100)
        }
    }

    @Test func anAnchorIsOfTheStartToASecondAndAThousandth() {
        let cases: [(anchors: [RecordingDescription.AnchorNote], isRight: Bool)] = [
            ([Self.anchor(100, "2026-11-21T10:00:01Z")], true), ([Self.anchor(100, "2026-11-21T10:00:01.001Z")], false),
            ([Self.anchor(100, "2026-11-21T09:59:59Z")], true), ([Self.anchor(100, "2026-11-21T09:59:58.999Z")], false),
            ([Self.anchor(2_100, "2026-11-21T10:33:22.900Z")], true),
            ([Self.anchor(2_100, "2026-11-21T10:33:23.100Z")], false),
            ([], false), ([Self.anchor(100, "soon")], false),
            ([Self.anchor(100, "2020-01-01T00:00:00Z"), Self.anchor(100, "2026-11-21T10:00:00Z")], true),
        ]
        for (anchors, isRight) in cases {
            Self.expect(isRight ? nil : "no anchor", "\(anchors)") { description, _ in description.anchors = anchors }
        }
    }

    @Test func gapsAreInsideAndInOrder() {
        let cases: [(gaps: [RecordingDescription.GapNote], isRight: Bool)] = [
            ([Self.gap(105, 106, 100, at: 500)], true), ([Self.gap(105, 106, 100, at: 0)], true),
            ([Self.gap(105, 106, 100, at: -1)], false), ([Self.gap(105, 106, 100, at: 1_001)], false),
            ([Self.gap(105, 200, 100, at: 1_000)], true), ([Self.gap(105, 111, 100, at: 999)], true),
            ([Self.gap(105, 111.1, 100, at: 999)], false), ([Self.gap(99, 106, 100, at: 0)], true),
            ([Self.gap(98.9, 106, 100, at: 0)], false), ([Self.gap(105, 105, 1, at: 500)], true),
            ([Self.gap(105, 104.9, 1, at: 500)], false), ([Self.gap(105, 106, 0, at: 500)], true),
            ([Self.gap(105, 106, -1, at: 500)], false),
            ([Self.gap(103, 104, 10, at: 500), Self.gap(105, 106, 10, at: 500)], true),
            ([Self.gap(103, 104, 10, at: 500), Self.gap(105, 106, 10, at: 499)], false),
        ]
        for (gaps, isRight) in cases {
            Self.expect(isRight ? nil : "outside the file or out of order", "\(gaps)") { description, _ in
                (description.gaps, description.samplesLost) = (gaps, ["chipOverrun": 100])
            }
        }
    }

    /// Each gap is counted to a sample; behind a resampler to half of its length on both sides.
    @Test func gapsHoldNoMoreThanWasLost() {
        for (lost, isResampled, isRight) in [
            (99, false, true), (98, false, false), (83, true, true), (82, true, false),
        ] {
            Self.expect(isRight ? nil : "more samples than it says are lost", "\(lost)") { description, _ in
                description.gaps = [Self.gap(105, 106, 100, at: 500)]
                description.samplesLost = ["chipOverrun": lost]
                if isResampled {
                    description.resampled = .init(nominalRate: 104, samplesStored: 1_040, samplesLost: [:])
                }
            }
        }
    }

    @Test func theEndsAreThoseOfTheFileToTwoSeconds() {
        for (first, isRight) in [(102.0, true), (102.1, false), (98, true), (97.9, false)] {
            Self.expect(isRight ? nil : "its start differs", "\(first)") { $1.first = first }
        }
        for (last, patience, isRight) in [
            (112.0, 2.0, true), (112.1, 2, false), (108, 2, true), (107.9, 2, false), (105, 5, true), (104.9, 5, false),
        ] {
            Self.expect(isRight ? nil : "its end differs", "\(last)") { ($1.last, $1.endTolerance) = (last, patience) }
        }
        Self.expect(nil, "empty") { description, content in
            (description.samplesStored, content.stored, content.first) = (0, 0, 5)
        }
        Self.expect(nil, "no times") { $1.first = nil }
    }
}
