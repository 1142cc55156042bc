import SystemKit
// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct RecordingDescriptionTests {
    private func description() -> RecordingDescription {
        let context = SegmentContext(
            number: 42, source: Example.accelerometer,
            measure: MeasureConfiguration(identifier: "m\"1\n", format: .cwa),
            origin: Example.origin, start: MonotonicTime(seconds: 100.5), anchor: Example.anchor)
        var description = RecordingDescription(
            context, fileName: "000042-accelerometer.cwa", contentType: "application/x-cwa", countedUnit: .samples)
        description.lose(7, .chipOverrun)
        return description
    }

    @Test func itComesBackFromItsJSONWithBothEndsOfAGap() throws {
        var written = description()
        var gap = RecordingDescription.GapNote(
            startUptime: 101, endUptime: 103, samples: 199, reason: "ringFull", position: 50)
        (gap.startDate, gap.endDate) = ("2026-11-21T10:00:01.000Z", "2026-11-21T10:00:03.000Z")
        written.gaps = [gap]
        #expect(try RecordingDescription(json: Array(written.json.indentedText.utf8), path: "x") == written)
    }

    @Test func anAnchorThatWasCarriedOnSaysForHowLong() throws {
        var description = description()
        description.record(
            ClockAnchor(
                monotonic: MonotonicTime(seconds: 200), instant: Instant(seconds: 1_795_255_200), source: .kernel,
                uncertainty: .milliseconds(4100), carried: .seconds(40_000)))
        let text = description.json.indentedText
        #expect(text.contains("\"uncertainty\": 4.1") && text.contains("\"carried\": 40000"))
        let read = try RecordingDescription(json: Array(text.utf8), path: "x")
        #expect(read.anchors.map(\.carried) == [nil, 40_000] && read == description)
        let summary = RecordingSummary(read, bytes: 0)
        #expect(!summary.errors.contains { $0.contains("carried") }, "the better one is named")
    }

    @Test func itBeginsAsASageFileResultAndLeavesOutWhatIsMissing() {
        let text = description().json.indentedText
        #expect(
            text.hasPrefix(
                "{\n  \"type\": \"file\",\n  \"identifier\": \"m\\\"1\\n\",\n  \"startDate\": \"2026-11-21T10:00:00.5"))
        #expect(!text.contains("measuredRate") && !text.contains("null"))
    }

    @Test func gapsAreListedUpToALimitAndThenCounted() {
        var description = description()
        for index in 0..<1003 {
            description.record(
                RecordingGap(
                    time: MonotonicTime(seconds: Double(index)), samples: 1, reason: .ringFull, position: index))
        }
        #expect(description.gaps.count == 1000 && description.gapsOmitted == 3)
    }

    @Test(arguments: ["", "[]", "{\"type\":\"file\"}", "nonsense"])
    func whatIsNoDescriptionSaysWhere(text: String) {
        #expect(throws: FileError.self) { try RecordingDescription(json: Array(text.utf8), path: "a/b.json") }
    }

    @Test func aDamagedDescriptionIsNamedInWordsOfOurs() {
        let whole = description().json.indentedText
        for (text, words) in [
            (String(whole.prefix(40)), "its JSON is cut short or damaged"),
            ("{\"type\":\"file\"}", " is missing or wrong"),
        ] {
            let error = #expect(throws: FileError.self) {
                try RecordingDescription(json: Array(text.utf8), path: "a/b.json")
            }
            let message = error.map { "\($0)" } ?? ""
            #expect(message.hasPrefix("a/b.json: is not a recording description: ") && message.hasSuffix(words))
        }
    }

    /// At 64 Hz from 100.5 s on: a resampler's first sample is later by one or two.
    @Test(arguments: [(0, nil), (3, nil), (3.5, 100.5), (40, 100.5)] as [(Double, Double?)])
    func aFileThatBeginsLaterThanAFewSamplesSaysSinceWhenItCounts(samples: Double, begun: Double?) {
        var description = description()
        description.nominalRate = 64
        description.setFirstSample(at: 100.5 + samples / 64)
        #expect(description.begunUptime == begun && description.startUptime == 100.5 + samples / 64)
    }

    /// With gaps, an anchor that was carried on, and another rate than the chip's.
    private func detailed() -> RecordingDescription {
        var description = description()
        description.gaps = (0..<2).map {
            .init(startUptime: 101, endUptime: 103, samples: 199, reason: "ringFull", position: 50 + $0)
        }
        description.anchors[0].carried = 0
        description.resampled = .init(nominalRate: 400, measuredRate: 401, samplesStored: 9, samplesLost: [:])
        return description
    }

    @Test func numbersThatCannotBeAreRefused() {
        let most = 1 << 48
        for change in [
            { $0.startUptime = 1e300 }, { $0.nominalRate = 1e30 }, { $0.samplesStored = -1 },
            { $0.samplesLost["ringFull"] = .max }, { $0.syncInterval = -5 }, { $0.gaps[1].samples = most },
            { $0.gaps[0].samples = -1 }, { $0.gaps[1].position = most }, { $0.gaps[0].position = -1 },
            { $0.gaps[1].startUptime = 1e9 }, { $0.gaps[1].endUptime = 1e30 }, { $0.gaps[0].startUptime = -1 },
            { $0.gaps = Array(repeating: $0.gaps[0], count: 1001) }, { $0.anchors[0].uptime = 1e12 },
            { $0.anchors[0].uptime = -1 }, { $0.anchors[0].uncertainty = 1e9 }, { $0.anchors[0].carried = 1e30 },
            { $0.measuredRate = 0 }, { $0.measuredRate = 1e300 }, { $0.resampled?.nominalRate = 1e30 },
            { $0.resampled?.measuredRate = -1 }, { $0.resampled?.samplesStored = most },
            { $0.resampled?.samplesLost["ringFull"] = .max },
            { $0.resampled?.samplesLost = Dictionary(uniqueKeysWithValues: (0..<65).map { ("\($0)", 1) }) },
        ] as [(inout RecordingDescription) -> Void] {
            var damaged = detailed()
            change(&damaged)
            let json = Array(damaged.json.indentedText.utf8)
            #expect(throws: FileError.self) { try RecordingDescription(json: json, path: "a.json") }
        }
    }

    @Test func numbersAtTheirLimitsAreTaken() throws {
        let most = 1 << 48 - 1
        for change in [
            { _ in }, { $0.gaps[1].samples = most }, { $0.gaps[1].position = most },
            { $0.gaps[1].endUptime = 999_999_999 },
            { $0.gaps = Array(repeating: $0.gaps[0], count: 1000) }, { $0.anchors[0].uptime = 999_999_999 },
            { $0.anchors[0].uncertainty = 0 }, { $0.anchors[0].carried = 999_999_999 }, { $0.measuredRate = 1e-6 },
            { $0.measuredRate = 1e7 }, { $0.resampled?.samplesStored = most },
        ] as [(inout RecordingDescription) -> Void] {
            var description = detailed()
            change(&description)
            let json = Array(description.json.indentedText.utf8)
            #expect(try RecordingDescription(json: json, path: "a.json") == description)
        }
    }

    @Test(arguments: [("2026-11-21T10:00:00.5+01:00", 1_795_251_600.5), ("1970-01-01T00:00:00Z", 0)])
    func momentsAreReadBack(text: String, seconds: Double) {
        #expect(Instant.parsed(text) == .epoch + .nanoseconds(Int64(seconds * 1e9)))
    }

    @Test(arguments: ["", "2026-13-01T00:00:00Z", "2026-11-21 10:00", "2026-11-21T10:00:00", "2026-11-21T10:00:00.Z"])
    func whatIsNoMomentIsNone(text: String) { #expect(Instant.parsed(text) == nil) }

    @Test func digestsAreThoseOfTheStandard() throws {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let bench = Workbench()
        try bench.write("abc", Array("abc".utf8))
        #expect(try FileDigest.sha256(Array("abc".utf8)) == expected)
        #expect(try FileDigest.sha256(of: File(bench.path + "/abc", .read)) == expected)
    }

    @Test func gzipComesBackAndIsBounded() throws {
        let bench = Workbench()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) }
        try bench.write("a", bytes)
        try GzipFile.compress(File(bench.path + "/a", .read), to: File(bench.path + "/b", .replace))
        #expect(try GzipFile.contents(File(bench.path + "/b", .read), limit: 1 << 20) == bytes)
        #expect(try GzipFile.contents(File(bench.path + "/b", .read), limit: 1000) == Array(bytes.prefix(1000)))
    }
}
