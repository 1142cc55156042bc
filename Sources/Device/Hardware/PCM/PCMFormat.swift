// SPDX-License-Identifier: Apache-2.0

extension PCMParameters {
    /// How a sample lies in memory, little-endian. The raw value is ALSA's name of it,
    /// for board files.
    package enum Format: String, Sendable, Hashable, CaseIterable {
        case s16 = "S16_LE"
        /// 24 bits in the lower three of four bytes; the fourth means nothing.
        case s24 = "S24_LE"
        case s24Packed = "S24_3LE"
        /// 32 bits; I2S microphones fill the slot from the top and leave the rest as noise.
        case s32 = "S32_LE"

        package var bytes: Int {
            switch self {
            case .s16: 2
            case .s24Packed: 3
            case .s24, .s32: 4
            }
        }

        /// Bits that can carry sound.
        package var bits: Int {
            switch self {
            case .s16: 16
            case .s24, .s24Packed: 24
            case .s32: 32
            }
        }

        /// The sample at a byte offset, its highest bit moved to the highest of 32.
        @inline(__always)
        func sample(_ raw: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
            switch self {
            case .s16:
                return Int32(Int16(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: Int16.self))) << 16
            case .s24:
                return Int32(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: Int32.self)) << 8
            case .s24Packed:
                let low = UInt32(UInt16(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
                return Int32(bitPattern: (low | UInt32(raw[offset + 2]) << 16) << 8)
            case .s32:
                return Int32(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: Int32.self))
            }
        }

        /// Appends a 16-bit sample, as loud in this format.
        func append(_ sample: Int16, to bytes: inout [UInt8]) {
            let low = UInt8(truncatingIfNeeded: sample)
            let high = UInt8(truncatingIfNeeded: sample >> 8)
            switch self {
            case .s16: bytes += [low, high]
            case .s24Packed: bytes += [0, low, high]
            case .s24: bytes += [0, low, high, sample < 0 ? 0xFF : 0]
            case .s32: bytes += [0, 0, low, high]
            }
        }
    }
}
