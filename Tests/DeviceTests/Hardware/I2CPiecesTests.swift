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
}
