// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit
import Testing

@testable import Device

@Suite struct CWAReaderTests {
    @Test(.enabled(if: Fixture.has("accel/ax3_testfile.cwa"), "needs the recordings in ../shared/fixtures"))
    func anAX3FileIsReadWhole() throws {
        let path = try #require(Fixture.path("accel/ax3_testfile.cwa"))
        let (reader, blocks) = try readAll(path)
        #expect(reader.blockCount == 145 && reader.damagedBlocks == 0 && reader.tornBytes == 0)
        #expect(blocks.reduce(0) { $0 + $1.count } == 17_400)
        #expect(blocks.allSatisfy { $0.packing == .packed3 && $0.rate == 100 })
        #expect(blocks.map { Int($0.sequence) } == Array(0..<145))
        let rest = try #require(blocks.first).acceleration(0)
        #expect((0.5...1.5).contains((rest.x * rest.x + rest.y * rest.y + rest.z * rest.z).squareRoot()))
    }

    @Test(
        .enabled(
            if: Fixture.has("accel/ax3_testfile_corrupt_blocks_0_13_14_142_143_144.cwa"),
            "needs the recordings in ../shared/fixtures"))
    func damagedBlocksAreCountedAndSkipped() throws {
        let path = try #require(Fixture.path("accel/ax3_testfile_corrupt_blocks_0_13_14_142_143_144.cwa"))
        let (reader, blocks) = try readAll(path)
        #expect(reader.damagedBlocks == 6)
        let good = Set(0..<145).subtracting([0, 13, 14, 142, 143, 144])
        #expect(blocks.map { Int($0.sequence) } == good.sorted())
    }

    @Test(.enabled(if: Fixture.has("accel/example-610-steps.cwa"), "needs the recordings in ../shared/fixtures"))
    func anOldFileWithoutFractionsIsRead() throws {
        let (reader, blocks) = try readAll(try #require(Fixture.path("accel/example-610-steps.cwa")))
        #expect(reader.damagedBlocks == 0)
        #expect(blocks.count == reader.blockCount)
        let starts = blocks.compactMap { $0.local(of: 0)?.instant(offset: 0) }
        #expect(zip(starts, starts.dropFirst()).allSatisfy { ($1 - $0).seconds > 0 && ($1 - $0).seconds < 3 })
    }

    @Test func aFileOfAnotherKindIsRefused() throws {
        let bench = Workbench()
        try bench.write("x.cwa", Array("hello".utf8))
        #expect(throws: FileError.self) { try readAll(bench.path + "/x.cwa") }
    }

    @Test(arguments: [CWABlock.Packing.axes3, .axes6])
    func aBlockComesBackAsItWasWritten(packing: CWABlock.Packing) throws {
        let values = (0..<packing.capacity * packing.axes).map { Int16(truncatingIfNeeded: $0 * 777) }
        let block = CWABlock(
            sessionID: 5, sequence: 9, time: CWATimestamp(packed: 26 << 26 | 1 << 22 | 1 << 17, fraction: 12_125),
            packing: packing, rateCode: 0x4A, accelerometerScale: 4, gyroscopeRange: 2, light: 7, temperature: 300,
            battery: 200, values: values)
        #expect(block.bytes.count == 512)
        #expect(CWABlock(block.bytes) == block)
        // The stored offset of old readers: 0.37 s are 37 samples.
        #expect(block.bytes.int16(26) == -37)
    }

    @Test func oneFlippedBitMakesABlockDamaged() {
        let block = CWABlock(
            sessionID: 1, sequence: 0, time: CWATimestamp(packed: 0x6900_0000, fraction: 0), packing: .axes3,
            rateCode: 0x4A, accelerometerScale: 4, values: [Int16](repeating: 3, count: 240))
        for place in [0, 2, 14, 100, 511] {
            var bytes = block.bytes
            bytes[place] ^= 4
            #expect(CWABlock(bytes) == nil)
        }
    }
}
