// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Base
@testable import Device

@Suite struct RecorderTests {
    private func recorder(
        _ bench: Workbench, _ ring: FrameRing<VectorFrame>, rotation: Duration = .seconds(86_400),
        format: RecordingFormat = .cwa, source: SourceDescription = Example.accelerometer,
        origin: RecordingOrigin = Example.origin
    ) throws -> any SampleRecorder {
        try MeasureConfiguration(identifier: "motion", format: format, rotation: rotation).recorder(
            of: .vectors(ring), source: source, origin: origin, folder: bench.folder())
    }

    @Test func filesRotateAtBlockEndsAndLoseNothing() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try recorder(bench, ring, rotation: .seconds(10))
        var sealed: [SealedRecording] = []
        for second in 0..<40 {
            Example.fill(ring, samples: second * 100..<second * 100 + 100)
            sealed += recorder.drain(at: MonotonicTime(seconds: 101 + Double(second)), anchors: [Example.anchor])
        }
        sealed += recorder.stop(at: MonotonicTime(seconds: 141), anchors: [Example.anchor])
        #expect(sealed.map(\.number) == [1, 2, 3, 4])
        #expect(sealed.allSatisfy { $0.description.samplesStored % 80 == 0 })
        #expect(recorder.counts.stored == 4000 && recorder.counts.due == 4000 && recorder.counts.held == 0)
        #expect(try bench.folder().sealed().recordings == sealed)
        let errors = sealed.compactMap(\.description.timeError)
        #expect(errors.count == 4 && errors[0] < 0.1 && errors[3] > 0 && errors[3] < errors[0])
        for file in sealed {
            #expect(try FileDigest.sha256(of: File(file.path, .read)) == file.sha256 && file.bytes > 1024)
        }
    }

    /// At once with its first samples, and then every ten seconds.
    @Test func aFileIsMadeDurableWhenItsIntervalIsOver() throws {
        let (bench, ring) = (Workbench(), Example.vectorRing())
        let recorder = try recorder(bench, ring)
        var due: [Int] = []
        for second in 1...25 {
            Example.fill(ring, samples: second * 100 - 100..<second * 100)
            recorder.take(at: MonotonicTime(seconds: 100 + Double(second)), anchors: [Example.anchor])
            if recorder.isSyncDue {
                due.append(second)
                for step in SyncStep.allCases { recorder.sync(step) }
            }
            #expect(!recorder.isSyncDue && recorder.settle().isEmpty)
        }
        #expect(due == [1, 11, 21])
    }

    @Test func aClockStepClosesTheFileAndOneWithinItsErrorDoesNot() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try recorder(bench, ring)
        let anchors = [
            Example.anchor, Example.anchor(at: 110, Example.anchor.instant + .milliseconds(10_009)),
            Example.anchor(at: 120, Example.anchor.instant + .milliseconds(25_000)),
        ]
        var sealed: [[SealedRecording]] = []
        for part in 0..<3 {
            Example.fill(ring, samples: part * 1000..<part * 1000 + 1000)
            sealed.append(
                recorder.drain(at: MonotonicTime(seconds: 110 + 10 * Double(part)), anchors: Array(anchors[...part])))
        }
        #expect(sealed.map(\.count) == [0, 0, 1])
        let last = recorder.stop(at: MonotonicTime(seconds: 130), anchors: anchors)
        #expect(last.first?.description.startDate?.hasPrefix("2026-11-21T10:00:2") == true)
    }

    /// By twice of what it may be off, ten milliseconds at the least and half a second at the most.
    @Test(
        arguments: [
            (1, 10, false), (1, 11, true), (100, 200, false), (100, 201, true), (100, -200, false), (100, -201, true),
            (300, 500, false), (300, 501, true),
        ] as [(Int64, Int64, Bool)])
    func aFileEndsWhereAnAnchorIsFurtherOffThanItCanBe(uncertainty: Int64, off: Int64, ends: Bool) throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try recorder(bench, ring, format: .csv)
        let later = ClockAnchor(
            monotonic: MonotonicTime(seconds: 110), instant: Example.anchor.instant + .milliseconds(10_000 + off),
            source: .kernel, uncertainty: .milliseconds(uncertainty))
        Example.fill(ring, samples: 0..<1000)
        _ = recorder.drain(at: MonotonicTime(seconds: 110), anchors: [Example.anchor])
        let before = try #require(recorder.openFile)
        Example.fill(ring, samples: 1000..<1100)
        _ = recorder.drain(at: MonotonicTime(seconds: 111), anchors: [Example.anchor, later])
        #expect((recorder.openFile != before) == ends)
    }

    /// A chip's count that is a second ahead of the clock: no file has times that go back.
    @Test func aFileEndsWhereTimeGoesBack() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try recorder(bench, ring, format: .csv)
        Example.fill(ring, samples: 0..<2000)
        Example.fill(ring, samples: 2000..<3000, start: 99)
        var sealed = recorder.drain(at: MonotonicTime(seconds: 130), anchors: [Example.anchor])
        sealed += recorder.stop(at: MonotonicTime(seconds: 131), anchors: [Example.anchor])
        #expect(sealed.map(\.description.samplesStored) == [2000, 1000])
        #expect(recorder.counts.due == 3000 && recorder.counts.held == 0 && recorder.counts.totalLost == 0)
        let (first, second) = (sealed.first?.description, sealed.last?.description)
        #expect(abs((first?.endUptime ?? 0) - 119.99) < 0.005 && abs((second?.startUptime ?? 0) - 119) < 0.005)
        for file in sealed { #expect(try FileInspector.problems(of: file.path) == []) }
    }

    @Test func whatTheRingDroppedIsAGapRightAfterWhatItHeld() throws {
        let bench = Workbench()
        let ring = Example.vectorRing(512)
        let recorder = try recorder(bench, ring)
        Example.fill(ring, samples: 0..<1000)
        _ = recorder.drain(at: MonotonicTime(seconds: 110), anchors: [Example.anchor])
        Example.fill(ring, samples: 1000..<1400)
        let sealed = recorder.stop(at: MonotonicTime(seconds: 114), anchors: [Example.anchor])
        let description = try #require(sealed.first).description
        #expect(description.samplesLost["ringFull"] == 488 + 512 % 80)
        #expect(recorder.counts.due == 1400 && recorder.counts.held == 0)
        let blocks = try readAll(try #require(sealed.first).path).blocks
        let times = blocks.compactMap { $0.local(of: 0)?.instant(offset: 0).nanoseconds }
        let before: [Double] = (0..<6).map { 0.8 * Double($0) }
        let after: [Double] = (0..<5).map { 10.0 + 0.8 * Double($0) }
        let expected = before + after
        #expect(times.count == expected.count)
        for (time, seconds) in zip(times, expected) {
            #expect(abs(Double(time - times[0]) / 1e9 - seconds) < 0.001)
        }
    }

    @Test func aSourceThatReportsTheRingsDropsIsNotCountedTwice() throws {
        let bench = Workbench()
        let ring = Example.vectorRing(512)
        let recorder = try recorder(bench, ring)
        Example.fill(ring, samples: 0..<1000)
        _ = recorder.drain(at: MonotonicTime(seconds: 110), anchors: [Example.anchor])
        Example.fill(ring, samples: 1000..<1400) { index, frame in
            if index == 1000 { (frame.lostBefore, frame.reason) = (488, LossReason.ringFull.rawValue) }
        }
        _ = recorder.stop(at: MonotonicTime(seconds: 114), anchors: [Example.anchor])
        #expect(recorder.counts.due == 1400 && recorder.counts.held == 0)
    }

    @Test func aMirrorHasEveryFrameUntilItEnds() throws {
        let bench = Workbench()
        let (ring, mirror, other) = (Example.vectorRing(), Example.vectorRing(), Example.vectorRing())
        let recorder = try recorder(bench, ring)
        func mirrored(_ samples: Range<Int>) -> [Int32] {
            Example.fill(ring, samples: samples)
            let now = MonotonicTime(seconds: 100 + Double(samples.upperBound) / 100)
            _ = recorder.drain(at: now, anchors: [Example.anchor])
            return (0..<mirror.count).compactMap { _ in mirror.pop()?.values[0] }
        }
        #expect(mirrored(0..<100) == [])
        #expect(recorder.mirror(into: .vectors(mirror)))
        #expect(!recorder.mirror(into: .sound(FrameRing(capacity: 16, repeating: SoundFrame(time: .zero)))))
        #expect(mirrored(100..<200) == Array(100..<200))
        recorder.endMirror(into: .vectors(other))
        #expect(mirrored(200..<300) == Array(200..<300))
        recorder.endMirror(into: .vectors(mirror))
        #expect(mirrored(300..<400) == [])
        #expect(recorder.counts.due == 400)
    }

    @Test func theCountsKnowWhenTheFirstSampleAndTheLastWereTaken() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try recorder(bench, ring, format: .csv, source: Example.magnetometer)
        #expect(recorder.counts.first == nil && recorder.counts.last == nil)
        for part in 0..<3 {
            for index in part * 300..<part * 300 + 300 {
                ring.push(Example.vector(1, 2, 3, at: 100 + Double(index) / 10))
            }
            _ = recorder.drain(at: MonotonicTime(seconds: 130 + 30 * Double(part)), anchors: [Example.anchor])
            let first = try #require(recorder.counts.first)
            #expect(abs((first - MonotonicTime(seconds: 100)).seconds) < 0.001)
        }
        _ = recorder.stop(at: MonotonicTime(seconds: 190), anchors: [Example.anchor])
        let last = try #require(recorder.counts.last)
        #expect(abs((last - MonotonicTime(seconds: 189.9)).seconds) < 0.001)
    }

    @Test func aDiskThatRefusesIsCountedAndTriedAgain() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try recorder(bench, ring)
        // Nothing can be made in a folder that is not there.
        let away = bench.path + ".away"
        #expect(rename(bench.path, away) == 0)
        Example.fill(ring, samples: 0..<100)
        #expect(recorder.drain(at: MonotonicTime(seconds: 101), anchors: [Example.anchor]).isEmpty)
        #expect(recorder.fault != nil && recorder.counts.lost == [.writeError: 100])
        #expect(rename(away, bench.path) == 0)
        Example.fill(ring, samples: 100..<200)
        _ = recorder.drain(at: MonotonicTime(seconds: 102), anchors: [Example.anchor])
        #expect(recorder.counts.lost == [.writeError: 200])
        Example.fill(ring, samples: 200..<2000)
        let sealed = recorder.stop(at: MonotonicTime(seconds: 120), anchors: [Example.anchor])
        #expect(sealed.count == 1 && recorder.fault == nil && recorder.counts.held == 0)
        #expect(recorder.counts.stored == 1760 && recorder.counts.due == 2000)
    }

    /// The last sample before the gap and the first behind it, at 100 a second; the beginning is just after 150.
    @Test(arguments: [(149.99, 150.0, 0, 1000), (140.0, 149.0, 0, 1000), (140.0, 155.0, 499, 501)])
    func whatIsBeforeTheBeginningIsNeitherStoredNorLost(last: Double, next: Double, lost: Int, stored: Int) throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try recorder(bench, ring, format: .csv)
        recorder.begin(at: MonotonicTime(seconds: 150.003))
        for index in 10_000..<16_001 {
            let time = Double(index) / 100
            guard time <= last + 0.001 || time >= next - 0.001 else { continue }
            var frame = Example.vector(1, 2, 3, at: time)
            let missing = UInt32(((next - last) * 100).rounded()) - 1
            if missing > 0, abs(time - next) < 0.001 {
                (frame.lostBefore, frame.reason) = (missing, LossReason.chipOverrun.rawValue)
            }
            ring.push(frame)
        }
        let sealed = recorder.stop(at: MonotonicTime(seconds: 180), anchors: [Example.anchor])
        let start = try #require(sealed.first).description.startUptime
        #expect(abs(start - max(next, 150.01)) < 0.005 && recorder.counts.stored == stored)
        #expect(abs((recorder.counts.lost[.chipOverrun] ?? 0) - lost) <= 1)
        #expect(recorder.counts.due == recorder.counts.stored + recorder.counts.totalLost)
    }

    /// A chip's first burst, with a gap in it: what lies before the gap gets no time from the stamp at its end.
    @Test(arguments: [(false, 50), (true, 0)])
    func samplesWithoutATimeAreLostUnlessThereIsABeginning(hasBeginning: Bool, lost: Int) throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try recorder(bench, ring, format: .csv)
        if hasBeginning { recorder.begin(at: MonotonicTime(seconds: 149.5)) }
        for _ in 0..<50 { ring.push(Example.vector(1, 2, 3)) }
        for index in 15_000..<15_100 {
            var frame = Example.vector(1, 2, 3, at: Double(index) / 100)
            if index == 15_000 { (frame.lostBefore, frame.reason) = (10, LossReason.chipOverrun.rawValue) }
            ring.push(frame)
        }
        _ = recorder.stop(at: MonotonicTime(seconds: 160), anchors: [Example.anchor])
        let counts = recorder.counts
        #expect(counts.stored == 100 && counts.lost[.deviceError] ?? 0 == lost && counts.lost[.chipOverrun] == 10)
        #expect(counts.due == counts.stored + counts.totalLost)
    }

    /// The last sample before the gap and the first behind it, at 100 a second; the end is just before 160.
    @Test(arguments: [
        (159.99, 160.30, 0), (159.79, 160.10, 20), (149.99, 170.0, 1000), (154.99, 160, 500), (154.99, 155.3, 30),
    ])
    func whatIsMissingBehindTheEndIsNoLoss(last: Double, next: Double, lost: Int) throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try recorder(bench, ring, format: .csv)
        recorder.end(after: MonotonicTime(seconds: 159.997))
        let before = Int(((last - 100) * 100).rounded()) + 1
        for index in 0..<before { ring.push(Example.vector(1, 2, 3, at: 100 + Double(index) / 100)) }
        for index in 0..<1000 {
            var frame = Example.vector(1, 2, 3, at: next + Double(index) / 100)
            let missing = UInt32(((next - last) * 100).rounded()) - 1
            if index == 0 { (frame.lostBefore, frame.reason) = (missing, LossReason.chipOverrun.rawValue) }
            ring.push(frame)
        }
        let sealed = recorder.stop(at: MonotonicTime(seconds: 180), anchors: [Example.anchor])
        #expect(recorder.hasEnded && recorder.counts.held == 0)
        #expect(recorder.counts.due == 6000 && recorder.counts.lost[.chipOverrun] ?? 0 == lost)
        #expect(sealed.map(\.description.samplesLost) == [lost > 0 ? ["chipOverrun": lost] : [:]])
        #expect(try FileInspector.problems(of: #require(sealed.first).path) == [])
    }

    /// A table with a change at its end that no file takes: pwrite(2) refuses a place before the beginning.
    private struct Unfinishable: CSVWriter {
        private var table = VectorCSVWriter(source: Example.magnetometer)
        var stored: Int { table.stored }
        var layout: FileLayout? { table.layout }
        var span: (first: MonotonicTime, last: MonotonicTime)? { table.span }

        mutating func begin(_ context: SegmentContext, to out: inout [UInt8]) throws(FileError) {
            try table.begin(context, to: &out)
        }

        mutating func append(
            _ frame: VectorFrame, at time: MonotonicTime, to out: inout [UInt8]
        ) throws(FileError) { try table.append(frame, at: time, to: &out) }

        func finish(to out: inout [UInt8]) throws(FileError) -> (discarded: Int, patches: [SegmentPatch]) {
            (0, [SegmentPatch(offset: -1, bytes: [0])])
        }
    }

    @Test func aFileThatCannotBeFinishedWaitsForTheNextStart() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = Recorder(
            ring: ring, encoder: Unfinishable(), source: Example.magnetometer,
            measure: MeasureConfiguration(identifier: "field", format: .csv), origin: Example.origin,
            folder: try bench.folder())
        for second in 0..<25 {
            for index in 0..<10 { ring.push(Example.vector(1, 2, 3, at: 100 + Double(second) + Double(index) / 10)) }
            _ = recorder.drain(at: MonotonicTime(seconds: 101 + Double(second)), anchors: [Example.anchor])
        }
        #expect(recorder.stop(at: MonotonicTime(seconds: 126), anchors: [Example.anchor]).isEmpty)
        #expect(recorder.fault?.code == EINVAL && recorder.counts.stored == 250)
        let sealed = try #require(
            bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }.sealed.first)
        // What such an end may have lost is bounded as that of a power cut.
        #expect(sealed.description.samplesStored == 250 && sealed.description.isRecovered == true)
        #expect(try FileInspector.problems(of: sealed.path) == [])
    }

    @Test func slowVectorsAreLinesOfUTCAndUnits() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try recorder(bench, ring, format: .csv, source: Example.magnetometer)
        for index in 0..<20 {
            var frame = Example.vector(100, -200, 3, at: 100 + Double(index) / 10)
            if index == 10 { (frame.lostBefore, frame.reason) = (5, LossReason.deviceError.rawValue) }
            if index >= 10 { frame.time = frame.time + .milliseconds(500) }
            ring.push(frame)
        }
        let sealed = recorder.stop(at: MonotonicTime(seconds: 103), anchors: [Example.anchor])
        #expect(try #require(sealed.first).path.hasSuffix("000001-magnetometer.csv.gz"))
        let lines = try bench.text("000001-magnetometer.csv.gz").split(separator: "\n")
        #expect(lines.contains("time,uptime,x,y,z") && lines.contains("#units uT,uT,uT"))
        let rows = lines.filter { $0.first?.isNumber == true }
        #expect(rows.count == 20 && rows[0] == "2026-11-21T09:00:00.000000Z,100.000000,1.460,-2.920,0.044")
        #expect(
            lines.contains {
                $0.hasPrefix("#gap start=100.9") && $0.contains(" end=101.5")
                    && $0.hasSuffix("samples=5 reason=deviceError")
            })
    }

    @Test func buttonEventsKeepTheirOwnTimes() throws {
        let source = SourceDescription(
            kind: .buttons, device: "gpio", location: "gpiochip0",
            channels: [Channel(name: "button", unit: .text, scale: 1), Channel(name: "edge", unit: .text, scale: 1)],
            nominalRate: 0, fullScale: 0)
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try recorder(bench, ring, format: .events, source: source)
        for (time, edge) in [(100.0, 1), (100.13, 0), (250.5, 1)] {
            ring.push(
                VectorFrame(
                    values: [2, Int32(edge), 0, 0, 0, 0, 0, 0], count: 2, time: MonotonicTime(seconds: time),
                    isStamped: true))
        }
        _ = recorder.stop(at: MonotonicTime(seconds: 300), anchors: [Example.anchor])
        let rows = try bench.text("000001-buttons.csv.gz").split(separator: "\n").filter { $0.first?.isNumber == true }
        #expect(rows.last == "2026-11-21T09:02:30.500000Z,250.500000,2,1")
        #expect(rows.count == 3 && recorder.counts.stored == 3)
    }

    @Test func aFormatThatDoesNotFitIsRefusedWithTheRemedy() throws {
        let bench = Workbench()
        let configuration = MeasureConfiguration(identifier: "noise", format: .nmea)
        #expect(throws: FileError.self) {
            try configuration.recorder(
                of: .vectors(Example.vectorRing()), source: Example.microphone, origin: Example.origin,
                folder: bench.folder())
        }
    }
}
