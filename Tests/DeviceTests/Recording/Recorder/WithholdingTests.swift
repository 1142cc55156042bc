// SPDX-License-Identifier: Apache-2.0
import SystemKit
import Testing

@testable import Base
@testable import Device

/// The participant pauses the sensors: nothing of that time is in any file, and all of it is counted.
@Suite struct WithholdingTests {
    private func record(
        _ format: RecordingFormat, pause: ClosedRange<Double>, longest: Int64 = 60, source: SourceDescription? = nil,
        _ bench: Workbench
    ) throws -> (sealed: [SealedRecording], counts: SampleCounts) {
        let ring = Example.vectorRing()
        let source = source ?? (format == .cwa ? Example.accelerometer : Example.magnetometer)
        let rate = source.nominalRate
        let recorder = try MeasureConfiguration(identifier: "m", format: format, longestGap: .seconds(longest))
            .recorder(
                of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        let span = MonotonicTime(seconds: 100 + pause.lowerBound)..<MonotonicTime(seconds: 100 + pause.upperBound)
        recorder.withhold(span)
        var sealed: [SealedRecording] = []
        for second in 0..<200 {
            let first = Int(Double(second) * rate)
            Example.fill(ring, samples: first..<Int(Double(second + 1) * rate), rate: rate)
            sealed += recorder.drain(at: MonotonicTime(seconds: 101 + Double(second)), anchors: [Example.anchor])
        }
        sealed += recorder.stop(at: MonotonicTime(seconds: 301), anchors: [Example.anchor])
        return (sealed, recorder.counts)
    }

    private static let cases: [(pause: ClosedRange<Double>, files: Int)] = [(50.2...70.2, 1), (50.2...150.2, 2)]

    @Test(arguments: [RecordingFormat.cwa, .csv], cases)
    func thePauseIsACountedGapAndItsSamplesAreNowhere(
        format: RecordingFormat, pause: (pause: ClosedRange<Double>, files: Int)
    ) throws {
        let bench = Workbench()
        let (sealed, counts) = try record(format, pause: pause.pause, bench)
        #expect(sealed.count == pause.files && counts.held == 0)
        let rate = try #require(sealed.first).description.nominalRate
        #expect(counts.due == Int(200 * rate) && counts.due == counts.stored + counts.totalLost)
        let told = sealed.reduce(0) { $0 + ($1.description.samplesLost["privacy"] ?? 0) }
        let withheld = Int(((pause.pause.upperBound - pause.pause.lowerBound) * rate).rounded())
        // Of CWA the block begun is given up with it.
        #expect(told == counts.lost[.privacy] && (withheld...withheld + (format == .cwa ? 79 : 0)).contains(told))
        let gap = try #require(sealed.first?.description.gaps.first { $0.reason == "privacy" })
        #expect(gap.samples == told)
        #expect(gap.startUptime <= 100 + pause.pause.lowerBound && gap.endUptime >= 100 + pause.pause.upperBound)
        for file in sealed { #expect(try FileInspector.problems(of: file.path) == []) }
        for (first, last) in try sealed.flatMap({ try spans(of: $0) }) {
            #expect(last < 100 + pause.pause.lowerBound || first >= 100 + pause.pause.upperBound)
        }
    }

    /// Uptimes of the first and the last sample of each block, or of each line.
    private func spans(of file: SealedRecording) throws -> [(Double, Double)] {
        guard file.path.hasSuffix(".cwa") else {
            let lines = try RecordedFile(file.path).lines()
            var times: [(Double, Double)] = []
            while let line = try lines.next() {
                let fields = String(decoding: line, as: UTF8.self).split(separator: ",")
                if fields.count > 3, let time = Double(fields[1]) { times.append((time, time)) }
            }
            return times
        }
        let rate = Example.accelerometer.nominalRate
        return try readAll(file.path).blocks.compactMap { block in
            block.local(of: 0).map { local in
                let first = 100 + (local.instant(offset: 3600) - Example.anchor.instant).seconds
                return (first, first + 79 / rate)
            }
        }
    }

    @Test func aPauseBeforeTheFirstSampleIsInNoFileAndCountedAllTheSame() throws {
        let bench = Workbench()
        let (sealed, counts) = try record(.cwa, pause: -10...100, bench)
        #expect(sealed.count == 1 && counts.lost[.privacy] == 10_000 && counts.unfiled[.privacy] == 10_000)
        #expect(counts.lostBeforeFirst == 10_000 && counts.due == 20_000)
        let first = try #require(counts.first)
        #expect(abs((first - MonotonicTime(seconds: 200)).seconds) < 0.02)
    }

    /// Twenty seconds at ten a second, seven samples of which the chip lost: the file lacks all of them.
    @Test func whatIsLostWithinAPauseIsOfItsGapAndKeepsItsReason() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "m", format: .csv).recorder(
            of: .vectors(ring), source: Example.magnetometer, origin: Example.origin, folder: bench.folder())
        recorder.withhold(MonotonicTime(seconds: 150.15)..<MonotonicTime(seconds: 170.15))
        for index in 0..<1000 where !(600..<607).contains(index) {
            var frame = Example.vector(1, 2, 3, at: 100 + Double(index) / 10)
            if index == 607 { (frame.lostBefore, frame.reason) = (7, LossReason.chipOverrun.rawValue) }
            ring.push(frame)
        }
        let sealed = try #require(recorder.stop(at: MonotonicTime(seconds: 201), anchors: [Example.anchor]).first)
        #expect(recorder.counts.lost == [.privacy: 193, .chipOverrun: 7] && recorder.counts.held == 0)
        #expect(recorder.counts.due == 1000 && recorder.counts.stored == 800)
        #expect(sealed.description.samplesLost == ["privacy": 193, "chipOverrun": 7])
        #expect(sealed.description.gaps.map(\.samples) == [200] && sealed.description.gaps[0].reason == "privacy")
        #expect(try FileInspector.problems(of: sealed.path) == [])
    }

    /// Where the source falls silent within a pause, the pause is counted to its last sample and the silence from
    /// there; before the first sample that is kept nothing is missed.
    @Test(arguments: [(50.0, 50), (-10, nil)] as [(Double, Int?)])
    func aSilenceWithinAPauseIsCountedFromItsLastSample(start: Double, missed: Int?) throws {
        let (bench, ring) = (Workbench(), Example.vectorRing())
        let recorder = try MeasureConfiguration(identifier: "m", format: .csv).recorder(
            of: .vectors(ring), source: Example.magnetometer, origin: Example.origin, folder: bench.folder())
        recorder.withhold(MonotonicTime(seconds: 100.05 + start)..<MonotonicTime(seconds: 1000))
        for index in 0..<600 { ring.push(Example.vector(1, 2, 3, at: 100 + Double(index) / 10)) }
        _ = recorder.drain(at: MonotonicTime(seconds: 160), anchors: [Example.anchor])
        let withheld = recorder.counts.lost[.privacy]
        recorder.miss(until: MonotonicTime(seconds: 164.95), .deviceError)
        #expect(recorder.counts.lost[.deviceError] == missed && recorder.counts.lost[.privacy] == withheld)
        #expect(recorder.counts.due == 600 + (missed ?? 0))
    }

    @Test func aPauseThatLastsUntilTheEndEndsTheFileWithIt() throws {
        let bench = Workbench()
        let (sealed, counts) = try record(.csv, pause: 100...1000, bench)
        let description = try #require(sealed.first?.description)
        #expect(sealed.count == 1 && description.samplesLost["privacy"] == counts.lost[.privacy])
        #expect(
            description.gaps.last?.position == description.samplesStored && description.gaps.last?.reason == "privacy")
        #expect(counts.due == counts.stored + counts.totalLost)
    }
}
