// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

/// omconvert and others close gaps or fill them, so a long one must not be inside a file.
@Suite struct LongGapTests {
    private func record(
        _ format: RecordingFormat, missing seconds: Double, longest: Duration = .seconds(60), _ bench: Workbench
    ) throws -> (sealed: [SealedRecording], counts: SampleCounts) {
        let ring = Example.vectorRing()
        let source = format == .cwa ? Example.accelerometer : Example.magnetometer
        let rate = source.nominalRate
        let recorder = try MeasureConfiguration(identifier: "m", format: format, longestGap: longest).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<1010, rate: rate)
        Example.fill(ring, samples: 1010..<2000, rate: rate, start: 100 + seconds) { index, frame in
            if index == 1010 {
                (frame.lostBefore, frame.reason) = (UInt32(seconds * rate), LossReason.deviceError.rawValue)
            }
        }
        let sealed = recorder.stop(at: MonotonicTime(seconds: 900), anchors: [Example.anchor])
        return (sealed, recorder.counts)
    }

    private static let cases: [(seconds: Double, longest: Int64, files: Int)] = [
        (59, 60, 1), (61, 60, 2), (11, 10, 2), (300, 600, 1),
    ]

    @Test(arguments: [RecordingFormat.cwa, .csv], cases)
    func aLongGapEndsTheFileAndAShortOneStays(
        format: RecordingFormat, gap: (seconds: Double, longest: Int64, files: Int)
    ) throws {
        let bench = Workbench()
        let (sealed, counts) = try record(format, missing: gap.seconds, longest: .seconds(gap.longest), bench)
        #expect(sealed.count == gap.files && counts.held == 0)
        #expect(counts.due == sealed.reduce(0) { $0 + $1.description.samplesStored + $1.description.totalLost })
        #expect(sealed.map(\.description.gaps.count) == (gap.files == 1 ? [1] : [1, 0]))
        // A gap that ended a file is its last, behind all of its samples.
        let first = try #require(sealed.first?.description)
        #expect((first.gaps.first?.position == first.samplesStored) == (gap.files == 2))
        for recording in sealed { #expect(try FileInspector.problems(of: recording.path) == []) }
    }

    @Test(arguments: [RecordingFormat.cwa, .csv]) func aGapHasANamedStartAndEnd(format: RecordingFormat) throws {
        let bench = Workbench()
        let description = try #require(record(format, missing: 30, bench).sealed.first?.description)
        let gap = try #require(description.gaps.first)
        // Of CWA the block begun is given up: 1010 samples are 12 blocks of 80 and 50.
        let rate = description.nominalRate
        let last = format == .cwa ? 959.0 : 1009
        #expect(abs(gap.startUptime - 100 - last / rate) < 1e-3 && abs(gap.endUptime - 130 - 1010 / rate) < 1e-3)
        #expect(gap.position == Int(last) + 1 && gap.reason == "deviceError")
        #expect(gap.samples == Int(30 * rate) + (format == .cwa ? 50 : 0))
        let text = description.json.indentedText
        #expect(
            text.contains("\"startUptime\": ") && text.contains("\"startDate\": \"2026-11-21T10:")
                && !text.contains("\"uptime\": 1010"))
        let start = try #require(gap.startDate.flatMap(Instant.parsed))
        #expect(abs((start - Example.anchor.instant).seconds - (gap.startUptime - 100)) < 1e-3)
    }

    /// `show`, `list` and a copy under another name look at the same bytes.
    @Test(arguments: [RecordingFormat.cwa, .csv]) func aFileBeingWrittenHasOneTruth(format: RecordingFormat) throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let source = format == .cwa ? Example.accelerometer : Example.magnetometer
        let recorder = try MeasureConfiguration(identifier: "m", format: format, syncInterval: .zero).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        let rate = source.nominalRate
        Example.fill(ring, samples: 0..<1000, rate: rate)
        Example.fill(ring, samples: 1000..<3000, rate: rate, start: 120) { index, frame in
            if index == 1000 { (frame.lostBefore, frame.reason) = (UInt32(20 * rate), LossReason.deviceError.rawValue) }
        }
        _ = recorder.drain(at: MonotonicTime(seconds: 500), anchors: [Example.anchor])
        let open = try #require(recorder.openFile)
        try bench.write("copy.\(format.rawValue)", bench.bytes(open))
        let shown = try FileInspector.summary(of: "\(bench.path)/\(open)")
        let listed = try #require(RecordingCatalog(DiskFolder(creating: bench.path)).summaries().first)
        let copied = try FileInspector.summary(of: "\(bench.path)/copy.\(format.rawValue)")
        #expect(shown == listed && shown.state == "recording")
        #expect(shown.stored == copied.stored && shown.stored == recorder.counts.stored)
        let status = try #require(recorder.openFileStatus)
        #expect(status.name == shown.name && status.stored == shown.stored && status.lost >= shown.lost)
        #expect(shown.lost == copied.lost && abs(Double(shown.lost) / rate - 20) < 1)
        #expect(
            abs(shown.duration - copied.duration) < 1 / rate + 1e-3
                && shown.startText.prefix(22) == copied.startText.prefix(22) || format == .csv)
        #expect(try FileInspector.problems(of: "\(bench.path)/\(open)").isEmpty)
    }

    /// What waits in memory for the next sync is in no file, and readers of the file do not count
    /// it.
    @Test(arguments: [RecordingFormat.cwa, .csv]) func whatIsNotWrittenYetIsNotInTheFile(format: RecordingFormat) throws
    {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let source = format == .cwa ? Example.accelerometer : Example.magnetometer
        let recorder = try MeasureConfiguration(identifier: "m", format: format).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        var storedCounts: Set<Int> = []
        for second in 0..<35 {
            let rate = Int(source.nominalRate)
            Example.fill(ring, samples: second * rate..<(second + 1) * rate, rate: source.nominalRate)
            _ = recorder.drain(at: MonotonicTime(seconds: 101 + Double(second)), anchors: [Example.anchor])
            // Before the first stamp there is no file.
            guard let status = recorder.openFileStatus else { continue }
            let shown = try FileInspector.summary(of: "\(bench.path)/\(status.name)")
            #expect(shown.stored == status.stored, "after \(second + 1) s")
            storedCounts.insert(status.stored)
        }
        // What the first second brought, and then what each of three syncs did.
        #expect(storedCounts.count == 4 && !storedCounts.contains(0))
    }
}
