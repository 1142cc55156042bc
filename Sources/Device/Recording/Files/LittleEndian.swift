// SPDX-License-Identifier: Apache-2.0

/// Little-endian numbers in byte arrays. Offsets are from the start of the array and
/// must lie within it.
extension Array where Element == UInt8 {
    func uint16(_ offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }
    func uint32(_ offset: Int) -> UInt32 { UInt32(uint16(offset)) | UInt32(uint16(offset + 2)) << 16 }
    func uint64(_ offset: Int) -> UInt64 { UInt64(uint32(offset)) | UInt64(uint32(offset + 4)) << 32 }
    func int16(_ offset: Int) -> Int16 { Int16(bitPattern: uint16(offset)) }

    mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    mutating func set(_ value: UInt16, _ offset: Int) {
        self[offset] = UInt8(truncatingIfNeeded: value)
        self[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
    }

    mutating func set(_ value: UInt32, _ offset: Int) {
        set(UInt16(truncatingIfNeeded: value), offset)
        set(UInt16(truncatingIfNeeded: value >> 16), offset + 2)
    }
}
