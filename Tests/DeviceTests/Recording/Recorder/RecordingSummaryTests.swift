// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct RecordingSummaryTests {
    private func summary(_ start: Instant?, offset: Int?) -> RecordingSummary {
        RecordingSummary(
            name: "a.cwa", kind: nil, format: "cwa", device: nil, start: start, offset: offset, duration: 3_723.4,
            rate: nil, countedUnit: .samples, stored: 3, lost: 1, bytes: 999, state: "foreign", remarks: [])
    }

    /// RFC 3339; a time without a zone has none of its offsets.
    @Test(
        arguments: [
            (nil, "21T09:00:00", ""), (0, "21T09:00:00", "Z"), (3600, "21T10:00:00", "+01:00"),
            (-34_200, "20T23:30:00", "-09:30"),
        ] as [(Int?, String, String)])
    func theStartHasTheZoneThatTheFileHas(offset: Int?, time: String, zone: String) {
        let start = Instant(seconds: 1_795_251_600)
        let summary = summary(start, offset: offset)
        let written = "2026-11-\(time).000000\(zone)"
        #expect(summary.startText == (offset == nil ? "\(written) (local time, no zone)" : written))
        #expect(summary.json.contains("\"start\":\"\(written)\","))
        #expect(summary.text.contains("start     \(summary.startText)\n"))
    }

    @Test func anUnknownStartIsSaidOrLeftOut() {
        let summary = summary(nil, offset: nil)
        #expect(summary.startText == "unknown" && !summary.json.contains("start"))
        #expect(summary.durationText == "1:02:03" && summary.coverage == 0.75)
        #expect(summary.text.contains("size      999 B\n") && summary.text.contains("lost      1 (coverage 75.00 %)\n"))
    }

    /// Files of others name their device and themselves.
    @Test func eachFactHasOneLineWhateverTheFileSays() {
        let summary = RecordingSummary(
            name: "a\n.cwa", kind: nil, format: "cwa", device: "\u{1B}[2J\u{9B}", start: nil, offset: nil, duration: 0,
            rate: nil, countedUnit: .samples, stored: 0, lost: 0, bytes: 0, state: "foreign", remarks: [])
        #expect(summary.text.hasPrefix("file      a\\u000A.cwa\nwhat      unknown as cwa, foreign\n"))
        #expect(summary.text.contains("\ndevice    \\u001B[2J\\u009B\n"))
    }

    /// In seconds from a tenth on, else in milliseconds; of two alike the first is enough.
    @Test(
        arguments: [
            (0.0999, nil, "99.90 ms"), (0.1, nil, "0.10 s"), (0.1, 0.1, "0.10 s"), (2, nil, "2.00 s"),
            (0.1, 0.0999, "99.90 ms"), (0.001, nil, "1.00 ms"),
        ] as [(Double, Double?, String)])
    func anErrorHasTheUnitThatShowsIt(largest: Double, steady: Double?, text: String) {
        var description = RecordingDescription(
            fileName: "000007-accelerometer.cwa", contentType: "application/x-cwa", countedUnit: .samples)
        (description.timeError, description.steadyTimeError) = (largest, steady)
        (description.startUptime, description.endUptime) = (100, 110.5)
        let summary = RecordingSummary(description, bytes: 0)
        #expect(summary.errors.first?.hasPrefix("samples ± \(text) relative to each other") == true)
        #expect(summary.errors.first?.contains("at most") == (steady.map { $0 != largest } ?? false))
        #expect(summary.duration == 10.5)
    }

    /// Twenty are named; a description lists a thousand and counts those beyond.
    @Test(arguments: [(0, 0, nil), (20, 0, nil), (21, 0, 1), (20, 3, 3), (1000, 3, 983)] as [(Int, Int, Int?)])
    func gapsBeyondTwentyAreCounted(listed: Int, omitted: Int, more: Int?) {
        var description = RecordingDescription(
            fileName: "000007-accelerometer.cwa", contentType: "application/x-cwa", countedUnit: .samples)
        let gap = RecordingDescription.GapNote(
            startUptime: 100, endUptime: 101, samples: 100, reason: "ringFull", position: 0)
        (description.gaps, description.gapsOmitted) = (Array(repeating: gap, count: listed), omitted)
        let remarks = RecordingSummary(description, bytes: 0).remarks.filter { $0.contains("gap") }
        #expect(remarks.count { $0.hasPrefix("gap of 100 samples (ringFull)") } == min(listed, 20))
        #expect(remarks.filter { $0.hasPrefix("more") } == (more.map { ["more gaps: \($0)"] } ?? []))
    }

    /// Four decimals, and six where those would show two digits at the most.
    @Test(
        arguments: [
            (nil, nil), (0.25, "0.2500"), (0.001, "0.0010"), (0.000_999, "0.000999"), (0.000_01, "0.000010"),
        ] as [(Double?, String?)])
    func theErrorOfTheRateIsSaidWhereItIsKnown(error: Double?, text: String?) {
        var description = RecordingDescription(
            fileName: "000007-accelerometer.cwa", contentType: "application/x-cwa", countedUnit: .samples)
        description.measuredRateError = error
        let errors = RecordingSummary(description, bytes: 0).errors
        #expect(errors == (text.map { ["rate ± \($0) per second"] } ?? []))
    }
}
