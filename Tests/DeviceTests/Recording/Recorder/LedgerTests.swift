// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

/// Whatever happens, every sample that was due is stored or lost for a reason, and files say the
/// same as the ledger.
@Suite struct LedgerTests {
    private static let steps = 60

    /// Random stalls, gaps, ring overflows, clock steps and late clocks; returns what the recorder
    /// and its files say.
    private func run(
        seed: UInt64, format: RecordingFormat
    ) throws -> (counts: SampleCounts, pushed: Int, sealed: [SealedRecording], bench: Workbench) {
        let bench = Workbench()
        var noise = Noise(seed: seed)
        let ring = Example.vectorRing(256)
        let source = format == .cwa ? Example.accelerometer : Example.magnetometer
        let recorder = try MeasureConfiguration(identifier: "m", format: format, rotation: .seconds(20)).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        var (time, pushed, sealed) = (10.0, 0, [SealedRecording]())
        var anchors: [ClockAnchor] = []
        var lost = (count: 0, reason: LossReason.ringFull)
        for step in 0..<Self.steps {
            for _ in 0..<Int.random(in: 0...(step % 7 == 3 ? 400 : 150), using: &noise) {
                time += 1 / source.nominalRate
                var frame = Example.vector(1, 2, 3)
                if Int.random(in: 0..<10, using: &noise) == 0 {
                    frame.time = MonotonicTime(seconds: time + Double.random(in: 0...0.005, using: &noise))
                    frame.isStamped = true
                }
                if Int.random(in: 0..<300, using: &noise) == 0 {
                    let gap = Int.random(in: 1...200, using: &noise)
                    lost = (lost.count + gap, .chipOverrun)
                    time += Double(gap) / source.nominalRate
                    pushed += gap
                }
                // As the measuring threads do: what the ring drops is reported by the next
                // frame that fits.
                (frame.lostBefore, frame.reason) = (UInt32(lost.count), lost.count > 0 ? lost.reason.rawValue : 0)
                lost = ring.push(frame) ? (0, .ringFull) : (lost.count + 1, .ringFull)
                pushed += 1
            }
            if step > 15, step % 10 == 0 {
                let shift = Duration.seconds(step % 20 == 0 ? 3 : 0)
                anchors.append(
                    Example.anchor(
                        at: time,
                        Example.anchor(at: 0, .init(seconds: 1_795_251_600)).instant(at: MonotonicTime(seconds: time))
                            + shift))
            }
            sealed += recorder.drain(at: MonotonicTime(seconds: time), anchors: anchors)
            #expect(recorder.counts.held >= 0)
        }
        sealed += recorder.stop(at: MonotonicTime(seconds: time), anchors: anchors)
        // A last gap that no frame reports is known by the ring's counter, as far as the
        // ring dropped it.
        return (recorder.counts, pushed, sealed, bench)
    }

    @Test(arguments: [RecordingFormat.cwa, .csv], 1...8)
    func everySampleIsStoredOrLost(format: RecordingFormat, seed: Int) throws {
        let (counts, pushed, sealed, bench) = try run(seed: UInt64(seed), format: format)
        #expect(counts.due == pushed && counts.held == 0)
        #expect(sealed.reduce(0) { $0 + $1.description.samplesStored } == counts.stored)
        #expect(try bench.folder().sealed().recordings == sealed.sorted { $0.number < $1.number })
        for recording in sealed {
            let problems = try FileInspector.problems(of: recording.path)
            #expect(problems == [])
            guard format == .cwa else { continue }
            let (reader, blocks) = try readAll(recording.path)
            #expect(reader.damagedBlocks == 0 && blocks.count * 80 == recording.description.samplesStored)
            #expect(blocks.enumerated().allSatisfy { $0.offset == Int($0.element.sequence) })
            let starts = blocks.compactMap { $0.local(of: 0)?.instant(offset: 0) }
            #expect(zip(starts, starts.dropFirst()).allSatisfy { ($1 - $0).seconds > 0.75 })
        }
    }

    private func recorder(_ ring: FrameRing<VectorFrame>, _ bench: Workbench) throws -> any SampleRecorder {
        try MeasureConfiguration(identifier: "m", format: .csv).recorder(
            of: .vectors(ring), source: Example.magnetometer, origin: Example.origin, folder: bench.folder())
    }

    @Test(arguments: [(-1, 0), (0, 0), (1, 1), (2, 2)])
    func whatIsLostWithoutAFileIsCountedBeforeTheFirstSampleAndAfter(count: Int, lost: Int) {
        var counts = SampleCounts()
        counts.lose(count, .deviceError)
        counts.addUnfiled(count, .deviceError)
        let expected: [LossReason: Int] = lost > 0 ? [.deviceError: lost] : [:]
        #expect(counts.lost == expected && counts.unfiled == expected && counts.lostBeforeFirst == lost)
        counts.first = .zero
        counts.addUnfiled(1, .deviceError)
        #expect(counts.unfiled == [.deviceError: lost + 1] && counts.lostBeforeFirst == lost)
    }

    @Test func samplesWithoutAnyTimeAreLost() throws {
        let (bench, ring) = (Workbench(), Example.vectorRing())
        let recorder = try recorder(ring, bench)
        for _ in 0..<50 { ring.push(Example.vector(1, 2, 3)) }
        #expect(recorder.stop(at: MonotonicTime(seconds: 105), anchors: [Example.anchor]).isEmpty)
        let counts = recorder.counts
        #expect(counts.due == 50 && counts.lost == [.deviceError: 50] && counts.unfiled == [.deviceError: 50])
        #expect(counts.stored == 0 && counts.held == 0)
    }

    /// Of a ring of 16.
    @Test(arguments: [(16, 0), (17, 1), (40, 24)])
    func whatTheRingDroppedBehindTheLastSampleIsLost(pushed: Int, dropped: Int) throws {
        let (bench, ring) = (Workbench(), Example.vectorRing(16))
        let recorder = try recorder(ring, bench)
        for index in 0..<pushed { ring.push(Example.vector(1, 2, 3, at: 100 + Double(index) / 10)) }
        let sealed = recorder.stop(at: MonotonicTime(seconds: 105), anchors: [Example.anchor])
        let counts = recorder.counts
        #expect(counts.due == pushed && counts.stored == 16 && counts.held == 0)
        #expect(counts.totalLost == dropped && counts.lost[.ringFull] ?? 0 == dropped)
        #expect(sealed.map(\.description.totalLost) == [dropped])
    }

    /// Ten seconds of ten samples a second: the recorder says so after five, and the source once it is back. What
    /// is missing later is another loss.
    @Test func whatWasMissedIsNotLostAgainWhenTheSourceTellsOfIt() throws {
        let (bench, ring) = (Workbench(), Example.vectorRing())
        let recorder = try recorder(ring, bench)
        func push(_ samples: Range<Int>, lost: UInt32 = 0) {
            for index in samples {
                var frame = Example.vector(1, 2, 3, at: 100 + Double(index) / 10)
                if index == samples.lowerBound, lost > 0 {
                    (frame.lostBefore, frame.reason) = (lost, LossReason.deviceError.rawValue)
                }
                ring.push(frame)
            }
            let now = MonotonicTime(seconds: 100 + Double(samples.upperBound) / 10)
            _ = recorder.drain(at: now, anchors: [Example.anchor])
        }
        recorder.miss(until: MonotonicTime(seconds: 100), .deviceError)
        #expect(recorder.counts.due == 0)
        push(0..<100)
        recorder.miss(until: MonotonicTime(seconds: 114.95), .deviceError)
        #expect(recorder.counts.lost == [.deviceError: 50] && recorder.counts.due == 150)
        recorder.miss(until: MonotonicTime(seconds: 114.95), .deviceError)
        #expect(recorder.counts.lost == [.deviceError: 50])
        push(200..<300, lost: 100)
        #expect(recorder.counts.lost == [.deviceError: 100] && recorder.counts.due == 300)
        push(320..<330, lost: 20)
        _ = recorder.stop(at: MonotonicTime(seconds: 133), anchors: [Example.anchor])
        let counts = recorder.counts
        #expect(counts.lost == [.deviceError: 120] && counts.due == 330 && counts.held == 0)
    }

    @Test(arguments: 1...40)
    func aFileCutAnywhereIsRecovered(seed: Int) throws {
        var noise = Noise(seed: UInt64(seed))
        let bench = Workbench()
        let isText = seed % 2 == 0
        let ring = Example.vectorRing()
        let source = isText ? Example.magnetometer : Example.accelerometer
        let recorder = try MeasureConfiguration(identifier: "m", format: isText ? .csv : .cwa).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        for index in 0..<2000 {
            ring.push(Example.vector(1, 2, 3, at: 100 + Double(index) / source.nominalRate))
        }
        for seconds in [120.0, 140] {
            _ = recorder.drain(at: MonotonicTime(seconds: seconds), anchors: [Example.anchor])
        }
        let partial = try #require(recorder.openFile)
        let bytes = try bench.bytes(partial)
        let cut = Int.random(in: 0...bytes.count, using: &noise)
        let zeros = Int.random(in: 0...600, using: &noise)
        try bench.write(partial, Array(bytes.prefix(cut)) + [UInt8](repeating: 0, count: zeros))
        let recovery = try bench.folder().recover(bootID: "boot-b", zone: Example.berlin) { _ in [] }
        #expect(recovery.faults.isEmpty && recovery.sealed.count + recovery.removed.count == 1)
        if let sealed = recovery.sealed.first {
            #expect(sealed.description.samplesStored > 0)
            let problems = try FileInspector.problems(of: sealed.path)
            #expect(problems == [])
        }
        #expect(try bench.names().allSatisfy { !$0.hasSuffix(".partial") && !$0.hasSuffix(".open") })
    }
}
