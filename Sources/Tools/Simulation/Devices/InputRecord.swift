// SPDX-License-Identifier: Apache-2.0
import Base

/// The kernel's `struct input_event` on 64-bit machines: 24 bytes, in the order of the machine.
///
/// linux/input.h: `struct timeval` (two 64-bit numbers), `__u16 type`, `__u16 code`, `__s32 value`.
/// Where `long` has 32 bits the struct has 16 bytes; studyd runs on 64-bit systems only.
// swift-format-ignore: AlwaysUseLowerCamelCase
struct InputRecord {
    static let EV_SYN: UInt16 = 0
    static let EV_KEY: UInt16 = 1
    static let SYN_REPORT: UInt16 = 0

    let time: MonotonicTime
    let type: UInt16
    let code: UInt16
    let value: Int32

    /// The record as the kernel writes it.
    var bytes: [UInt8] {
        let nanoseconds = time.nanoseconds
        return Self.raw(nanoseconds / 1_000_000_000) + Self.raw(nanoseconds % 1_000_000_000 / 1000) + Self.raw(type)
            + Self.raw(code) + Self.raw(value)
    }

    private static func raw<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }
}
