// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit
import Testing

@testable import Base
@testable import Device

@Suite struct CWAWriterTests {
    private func record(
        _ bench: Workbench, source: SourceDescription = Example.accelerometer, samples: Int, rate: Double = 100,
        start: Double = 100.37, change: @escaping (Int, inout VectorFrame) -> Void = { _, _ in }
    ) throws -> (sealed: [SealedRecording], counts: SampleCounts) {
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<samples, rate: rate, start: start, change: change)
        let end = MonotonicTime(seconds: start + Double(samples) / rate)
        return (recorder.stop(at: end, anchors: [Example.anchor]), recorder.counts)
    }

    @Test func onlyFullBlocksAreWrittenAndTheRestIsCounted() throws {
        let bench = Workbench()
        let (sealed, counts) = try record(bench, samples: 1000)
        let (reader, blocks) = try readAll(try #require(sealed.first).path)
        #expect(blocks.count == 12 && blocks.allSatisfy { $0.count == 80 })
        #expect(blocks.map { Int($0.sequence) } == Array(0..<12))
        #expect(counts.stored == 960 && counts.lost == [.notRunning: 40] && counts.due == 1000)
        #expect(reader.header?.hardwareType == 0x64 && reader.header?.rateCode == 0x4A && reader.header?.range == 8)
        #expect(reader.header?["offset"] == "+01:00" && reader.header?["_v"] == "p7")
        #expect(try bench.names() == ["000001-accelerometer.cwa", "000001-accelerometer.json"])
    }

    /// The annotation has 448 bytes (openmovement 5df5c91, Docs/ax3/cwa.h), of which a letter beyond ASCII takes nine
    /// as `%E5%8F%82`. Clock, study, name and device have room up to 42 of them.
    @Test(arguments: [(1, true, true), (42, true, true), (43, true, false), (44, false, true)])
    func aLongNameTakesNoRoomFromTheClock(letters: Int, hasName: Bool, hasDevice: Bool) throws {
        let bench = Workbench()
        let name = String(repeating: "参", count: letters)
        let origin = RecordingOrigin(
            study: "s1", participant: name, deviceID: 12, bootID: "boot-a", zone: Example.berlin)
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<200, rate: 100, start: 100)
        let sealed = recorder.stop(at: MonotonicTime(seconds: 102), anchors: [Example.anchor])
        let (reader, _) = try readAll(try #require(sealed.first).path)
        let header = try #require(reader.header)
        #expect(header["clock"] == "local" && header["zone"] == "Europe/Berlin" && header["offset"] == "+01:00")
        #expect(header["_v"] == (hasName ? name : nil) && header["device"] == (hasDevice ? "LIS3DH" : nil))
    }

    /// b1 of the block's events, "reserved for single-tap event" in openmovement's cwa.h.
    @Test func aMarkIsInTheBlockInWhichItFellAndTheReadersFindTheSameSamples() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: Example.origin, folder: bench.folder())
        // Pressed before its samples have come from the chip, as always; twice in one block; at a
        // block's first sample; and after the last.
        for time in [100.1, 102.0, 102.2, 104.0, 150] { recorder.mark(at: MonotonicTime(seconds: time)) }
        Example.fill(ring, samples: 0..<800)
        let sealed = recorder.stop(at: MonotonicTime(seconds: 108), anchors: [Example.anchor])
        let path = try #require(sealed.first).path
        let blocks = try readAll(path).blocks
        #expect(blocks.indices.filter { blocks[$0].events == CWABlock.marked } == [0, 2, 5])
        #expect(blocks.allSatisfy { CWABlock($0.bytes) == $0 })
        #expect(try FileInspector.problems(of: path) == [])
        let bytes = try File(path, .read).read(File(path, .read).size(), at: 0)
        #expect(stride(from: 1024, to: bytes.count, by: 512).map { bytes[$0 + 22] } == [2, 0, 2, 0, 0, 2, 0, 0, 0, 0])
        for reader in CWAReferenceTests.readers where reader != "ggir" {
            #expect(CWAReferenceTests.read([path], with: reader)?.first?.samples == 800, "\(reader)")
        }
    }

    @Test func valuesAreGoodToHalfAStepAndTimesToTheSample() throws {
        let bench = Workbench()
        let (sealed, _) = try record(bench, samples: 800)
        let blocks = try readAll(try #require(sealed.first).path).blocks
        for (index, block) in blocks.enumerated() {
            let first = block.acceleration(0)
            #expect(abs(first.x - Double(index * 80 % 1000) / 1000) <= 0.5 / 2048)
            #expect(abs(first.y + 0.5) <= 0.5 / 2048 && abs(first.z - 1) <= 0.5 / 2048)
        }
        // The anchor is 10:00:00 local at 100 s; the first sample comes 0.37 s later.
        let start = try #require(blocks.first?.local(of: 0))
        #expect(start.time.hour == 10 && start.time.minute == 0 && start.time.second == 0)
        #expect(abs(start.time.nanosecond - 370_000_000) < 31_000)
    }

    @Test func lossIsAJumpInTimeAndNeverInSequence() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: Example.origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<400)
        Example.fill(ring, samples: 400..<800, start: 103.6) { index, frame in
            if index == 400 { (frame.lostBefore, frame.reason) = (360, LossReason.chipOverrun.rawValue) }
        }
        let sealed = recorder.stop(at: MonotonicTime(seconds: 112), anchors: [Example.anchor])
        let description = try #require(sealed.first).description
        let blocks = try readAll(try #require(sealed.first).path).blocks
        #expect(blocks.map { Int($0.sequence) } == Array(0..<10))
        let jump =
            try #require(blocks[5].local(of: 0)).instant(offset: 0)
            - #require(blocks[4].local(of: 0)).instant(offset: 0)
        #expect(abs(jump.seconds - 4.4) < 0.001)
        #expect(description.samplesLost == ["chipOverrun": 360] && description.gaps.count == 1)
        #expect(recorder.counts.due == 1160 && recorder.counts.held == 0)
    }

    @Test func sixAxesGoGyroscopeFirst() throws {
        let rate = Channel(name: "gyro_x", unit: .degreesPerSecond, scale: 0.0175)
        let source = SourceDescription(
            kind: .accelerometer, device: "LSM6DSO", location: "i2c-1 0x6A",
            channels: [Example.milliG, Example.milliG, Example.milliG, rate, rate, rate], nominalRate: 104,
            fullScale: 16)
        let bench = Workbench()
        let (sealed, _) = try record(bench, source: source, samples: 400, rate: 104) { _, frame in
            frame.values = [1000, -2000, 15_000, 10_000, -20_000, 28_000, 0, 0]
            frame.count = 6
        }
        let (reader, blocks) = try readAll(try #require(sealed.first).path)
        let block = try #require(blocks.first)
        #expect(block.packing == .axes6 && block.count == 40 && block.accelerometerScale == 2)
        #expect(reader.header?.sensorConfig == block.gyroscopeRange)
        let (gyroscope, force) = (try #require(block.rotation(0)), block.acceleration(39))
        #expect(abs(gyroscope.x - 175) < 0.04 && abs(gyroscope.y + 350) < 0.04 && abs(gyroscope.z - 490) < 0.04)
        #expect(abs(force.x - 1) < 0.001 && abs(force.y + 2) < 0.001 && abs(force.z - 15) < 0.001)
    }

    @Test func aRateThatCWACannotNameIsResampled() throws {
        let source = SourceDescription(
            kind: .accelerometer, device: "LSM9DS1", location: "i2c-1 0x6A",
            channels: [Example.milliG, Example.milliG, Example.milliG], nominalRate: 119, fullScale: 4)
        let bench = Workbench()
        let (sealed, counts) = try record(bench, source: source, samples: 11_900, rate: 119) { index, frame in
            frame.values[0] = Int32((1000 * sin(2 * .pi * 3 * Double(index) / 119)).rounded())
        }
        let (reader, blocks) = try readAll(try #require(sealed.first).path)
        #expect(reader.header?["resampled"] != nil && counts.held == 0)
        let rates = zip(blocks, blocks.dropFirst()).compactMap { left, right -> Double? in
            guard let a = left.local(of: 0), let b = right.local(of: 0) else { return nil }
            return 80 / (b.instant(offset: 0) - a.instant(offset: 0)).seconds
        }
        #expect(rates.count > 100 && rates.allSatisfy { abs($0 - 100) < 0.5 })
        // The 3 Hz sine is still there, at the times the blocks say.
        let errors = blocks.flatMap { block in
            (0..<block.count).map { sample -> Double in
                let start = Instant(seconds: 1_795_251_600 + 3600) + .nanoseconds(370_000_000)
                let local = block.local(of: 0)?.instant(offset: 0) ?? .epoch
                let time = (local - start).seconds + Double(sample) / 100
                return abs(block.acceleration(sample).x - sin(2 * .pi * 3 * time))
            }
        }
        #expect((errors.max() ?? 1) < 0.01)
    }

    /// Ten seconds, five without a sample, and ten more.
    @Test func nothingIsResampledAcrossAGap() throws {
        let source = SourceDescription(
            kind: .accelerometer, device: "LSM9DS1", location: "i2c-1 0x6A",
            channels: [Example.milliG, Example.milliG, Example.milliG], nominalRate: 119, fullScale: 4)
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<1190, rate: 119)
        Example.fill(ring, samples: 1190..<2380, rate: 119, start: 105) { index, frame in
            if index == 1190 { (frame.lostBefore, frame.reason) = (595, LossReason.chipOverrun.rawValue) }
        }
        let sealed = recorder.stop(at: MonotonicTime(seconds: 126), anchors: [Example.anchor])
        let blocks = try readAll(try #require(sealed.first).path).blocks
        let first = Instant(seconds: 1_795_251_600 + 3600)
        let begins = blocks.compactMap { block in block.local(of: 0).map { ($0.instant(offset: 0) - first).seconds } }
        #expect(begins.count == blocks.count && begins.contains { $0 < 1 } && begins.contains { $0 > 23 })
        // A block has 0.8 s.
        #expect(begins.allSatisfy { $0 < 9.3 || $0 > 14.9 }, "\(begins)")
    }

    /// A chip of 1 Hz that is 3 % slow: more than a second lies between any two samples.
    @Test func aSlowSourceIsResampledAcrossTheEndOfAFile() throws {
        let bench = Workbench()
        let source = SourceDescription(
            kind: .accelerometer, device: "chip", location: "i2c-1 0x18", channels: Example.accelerometer.channels,
            nominalRate: 1, fullScale: 8)
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa, rotation: .seconds(600)).recorder(
            of: .vectors(ring), source: source, origin: Example.origin, folder: bench.folder())
        for index in 0..<1500 { ring.push(Example.vector(1, 2, 1000, at: 100 + 1.03 * Double(index))) }
        let sealed = recorder.stop(at: MonotonicTime(seconds: 1700), anchors: [Example.anchor])
        #expect(sealed.count >= 2)
        let files = try sealed.map { try readAll($0.path).blocks }
        for (before, after) in zip(files, files.dropFirst()) {
            let last = try #require(before.last?.local(of: 0)).instant(offset: 0)
            let next = try #require(after.first?.local(of: 0)).instant(offset: 0)
            // Eighty samples of 3.125 Hz, 3 % slow.
            #expect(abs((next - last).seconds - 80 / 3.125 * 1.03) < 0.1)
        }
    }

    @Test func aFileBegunBeforeTheClockIsPutRightOnce() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: Example.accelerometer, origin: Example.origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<800, start: 20)
        #expect(recorder.drain(at: MonotonicTime(seconds: 28), anchors: []).isEmpty)
        let sealed = recorder.drain(at: MonotonicTime(seconds: 101), anchors: [Example.anchor])
        let description = try #require(sealed.first).description
        #expect(description.clock == .anchored && description.startDate == "2026-11-21T09:58:40.000000+01:00")
        #expect(description.offset == "+01:00" && description.offsetSeconds == 3600)
        let (reader, blocks) = try readAll(try #require(sealed.first).path)
        #expect(reader.damagedBlocks == 0 && blocks.count == 10 && reader.header?["clock"] == "local")
        let start = try #require(blocks.first?.local(of: 0))
        #expect(start.time.hour == 9 && start.time.minute == 58 && start.time.second == 40)
        #expect(try bench.names() == ["000001-accelerometer.cwa", "000001-accelerometer.json"])
    }

    @Test func aSourceWithoutThreeAxesIsRefused() {
        #expect(throws: FileError.self) { try CWAWriter(source: Example.magnetometer) }
    }
}
