// SPDX-License-Identifier: Apache-2.0
import Device
import Testing

@Suite struct I2CPiecesTests {
    @Test(
        arguments: [
            (I2CPieces.whole, 32, nil), (.registers, 32, 32), (.port, 2, 2), (.records(of: 6), 32, 30),
            (.records(of: 7), 32, 28),
            (.records(of: 12), 32, 24), (.records(of: 6), 2, nil), (.records(of: 0), 32, nil), (.port, 0, nil),
        ] as [(I2CPieces, Int, Int?)]) func aPieceHoldsWhatMayBeCutOff(
            _ pieces: I2CPieces, _ limit: Int, _ length: Int?
        )
    { #expect(pieces.length(limit: limit) == length) }

    @Test(
        arguments: [
            (I2CPieces.registers, 0x20, 32, 0x40), (.registers, 0xA8, 2, 0xAA), (.port, 0x74, 32, 0x74),
            (.records(of: 6), 0xA8, 30, 0xA8),
        ] as [(I2CPieces, UInt8, Int, UInt8)]) func theNextPieceBeginsWhereTheChipGoesOn(
            _ pieces: I2CPieces, _ register: UInt8, _ count: Int, _ next: UInt8
        )
    { #expect(pieces.register(register, after: count) == next) }

    /// The kernel's never does; a bus of a test, or of another adapter, may.
    @Test(arguments: [Int.max, 32], [-1, 1, -1000]) func aBusThatBringsAnotherNumberOfBytesHasFailed(
        _ longest: Int, _ more: Int
    ) {
        let bus = WrongBus(longestRead: longest, more: more)
        #expect(throws: I2CError.self) { try bus.read(0x18, register: 0x28, count: 100, pieces: .registers) }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { bytes.deallocate() }
        #expect(throws: I2CError.self) { try bus.read(0x18, register: 0x28, into: bytes, pieces: .registers) }
    }
}

/// Brings `more` bytes than it was asked for.
private struct WrongBus: I2CBus {
    let longestRead: Int
    let more: Int

    func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] {
        guard case .read(let count)? = operations.last else { return [] }
        return [UInt8](repeating: 7, count: max(0, count + more))
    }
}
