// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Base
@testable import Device

@Suite struct CWAPackingTests {
    private static let source = SourceDescription(
        kind: .accelerometer, device: "ADXL345", location: "i2c-1 0x53", channels: Channel.acceleration(scale: 1 / 256),
        nominalRate: 100, fullScale: 16)

    @Test func everyValueComesBackToHalfAStepOfItsExponent() {
        for value in -4096...4095 as ClosedRange<Int16> {
            let word = CWAPacking.word(value, -3, 256)
            let step: Int16 =
                (-512...511).contains(value)
                ? 1 : (-1024...1023).contains(value) ? 2 : (-2048...2047).contains(value) ? 4 : 8
            let back = CWAPacking.value(word, axis: 0)
            // Within the last half step of a range the next exponent is taken; at the very end
            // the value is held.
            #expect(
                abs(back - value) <= step / 2 || (value > 4087 && back == 4088) || abs(back - value) <= step, "\(value)"
            )
            #expect(abs(CWAPacking.value(word, axis: 2) - 256) <= 4 && abs(CWAPacking.value(word, axis: 1) + 3) <= 4)
        }
        #expect(CWAPacking.word(1, -1, 511) == 1 | 0x3FF << 10 | 511 << 20)
    }

    @Test func aChipOf256CountsPerGIsPackedAsAnAX3Does() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: Self.source, origin: Example.origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<1200) { index, frame in
            frame.values = [Int32(index % 512), -256, 256, 0, 0, 0, 0, 0]
        }
        let sealed = try #require(recorder.stop(at: MonotonicTime(seconds: 113), anchors: [Example.anchor]).first)
        #expect(sealed.description.samplesStored == 1200 && sealed.bytes == 1024 + 10 * 512)
        let (reader, blocks) = try readAll(sealed.path)
        #expect(reader.header?.hardwareType == 0x17 && reader.damagedBlocks == 0)
        #expect(blocks.allSatisfy { $0.packing == .packed3 && $0.count == 120 && $0.accelerometerScale == 0 })
        #expect(blocks[3].acceleration(7).x == Double((3 * 120 + 7) % 512) / 256 && blocks[9].acceleration(119).y == -1)
    }

    @Test func aPackedFileBegunBeforeTheClockKeepsItsWords() throws {
        let bench = Workbench()
        let ring = Example.vectorRing()
        let recorder = try MeasureConfiguration(identifier: "motion", format: .cwa).recorder(
            of: .vectors(ring), source: Self.source, origin: Example.origin, folder: bench.folder())
        Example.fill(ring, samples: 0..<600, start: 20) { index, frame in
            frame.values = [4095, Int32(index), -4096, 0, 0, 0, 0, 0]
        }
        for now in [40.0, 55] { _ = recorder.drain(at: MonotonicTime(seconds: now), anchors: []) }
        let before = try bench.bytes(try #require(recorder.openFile))
        let sealed = try #require(recorder.drain(at: MonotonicTime(seconds: 101), anchors: [Example.anchor]).first)
        let after = try bench.bytes(sealed.description.relativePath)
        #expect(before.count == after.count && before[1024 + 30..<1024 + 510] == after[1024 + 30..<1024 + 510])
        #expect(before[1024 + 14..<1024 + 18] != after[1024 + 14..<1024 + 18])
        #expect(try readAll(sealed.path).reader.damagedBlocks == 0)
    }
}
