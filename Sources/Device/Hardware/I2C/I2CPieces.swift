// SPDX-License-Identifier: Apache-2.0

/// How a long read may be cut where the adapter moves few bytes at once: 32 with SMBus block reads,
/// 1 or 2 on adapters that have not even those. The chip's driver says it, because a wrong cut
/// yields bytes that look right.
package enum I2CPieces: Sendable, Hashable {
    /// Not at all: the read is refused where it is too long.
    case whole
    /// Ordinary registers: the next piece begins at the register after the last one. Two pieces are
    /// not of one moment.
    case registers
    /// One register that gives the next byte of a FIFO whenever it is read (MPU-6050 0x74,
    /// ICM-20948 0x72): the next piece begins at the same register, wherever the cut is.
    case port
    /// A FIFO of records behind a group of registers (LIS3DH 0x28, LSM6DSO 0x78): the next piece
    /// begins at the same register, and each piece holds whole records of this many bytes, because
    /// a record that is begun may be gone with it.
    case records(of: Int)

    /// The most bytes of one piece where the adapter moves at most `limit`; nil when such a
    /// read cannot be cut.
    package func length(limit: Int) -> Int? {
        switch self {
        case .whole: nil
        case .registers, .port: limit > 0 ? limit : nil
        case .records(let size): size > 0 && limit >= size ? limit / size * size : nil
        }
    }

    /// Where the piece after one of `count` bytes begins. Bit 7, which asks some chips to count
    /// up, stays as it is.
    package func register(_ register: UInt8, after count: Int) -> UInt8 {
        guard case .registers = self else { return register }
        return register & 0x80 | UInt8(truncatingIfNeeded: Int(register) + count) & 0x7F
    }
}
