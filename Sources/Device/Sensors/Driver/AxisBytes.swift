// SPDX-License-Identifier: Apache-2.0

/// `axes` signed 16-bit counts from `offset` on, low byte first.
func littleEndian(_ bytes: [UInt8], at offset: Int, axes: Int) -> SIMD8<Int32> {
    var counts = SIMD8<Int32>()
    for axis in 0..<axes {
        let place = offset + 2 * axis
        counts[axis] = Int32(Int16(bitPattern: UInt16(bytes[place + 1]) << 8 | UInt16(bytes[place])))
    }
    return counts
}

/// `axes` signed 16-bit counts from `offset` on, high byte first.
func bigEndian(_ bytes: [UInt8], at offset: Int, axes: Int) -> SIMD8<Int32> {
    var counts = SIMD8<Int32>()
    for axis in 0..<axes {
        let place = offset + 2 * axis
        counts[axis] = Int32(Int16(bitPattern: UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])))
    }
    return counts
}
