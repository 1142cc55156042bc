// SPDX-License-Identifier: Apache-2.0

/// What ST's chips (`SimulatedLIS3DH` and others) do with their six output registers: flags of a status
/// register that say which axes are new and which were overwritten, and second bytes that are held back until
/// they fit the first (BDU).
struct AxisOutputs: Sendable {
    private var held: [UInt8?] = [nil, nil, nil]

    /// The first or second byte of an axis; reading the second takes its flags away.
    mutating func byte(
        of value: Int16, axis: Int, isSecond: Bool, isBigEndian: Bool, isHeldBack: Bool, status: inout UInt8
    ) -> UInt8 {
        let bits = UInt16(bitPattern: value)
        let ordered = isBigEndian ? bits.byteSwapped : bits
        let second = UInt8(ordered >> 8)
        guard isSecond else {
            held[axis] = isHeldBack ? second : nil
            return UInt8(ordered & 0xFF)
        }
        Self.clearReady(axis, from: &status)
        defer { held[axis] = nil }
        return held[axis] ?? second
    }

    /// An axis was read: b2:0 new, b3 all new, b6:4 overwritten, b7 any overwritten.
    static func clearReady(_ axis: Int, from status: inout UInt8) {
        status &= ~(0x11 << UInt8(axis))
        if status & 0x07 == 0 { status &= ~0x88 }
    }

    /// A sample came: its axes are new, and overwritten if the one before was not read.
    static func markReady(in status: inout UInt8) { status |= status & 0x08 != 0 ? 0xFF : 0x0F }
}
