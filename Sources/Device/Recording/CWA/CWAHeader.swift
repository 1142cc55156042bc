// SPDX-License-Identifier: Apache-2.0
import Base

/// The 1024 bytes at the start of a CWA file. Source: openmovement, Docs/ax3/cwa.h. `CWAWriter` writes it,
/// `CWAReader` reads it.
package struct CWAHeader: Sendable, Hashable {
    /// In bytes.
    package static let size = 1024

    /// 0x17 (or 0x00, 0xFF) for an AX3: accelerometer in 1/256 g; 0x64 for an AX6: scaled
    /// or with gyroscope.
    package var hardwareType: UInt8
    package var deviceID: UInt32
    /// The session's number; ours is the recording number.
    package var sessionID: UInt32
    /// 0x00 or 0xFF: accelerometer only; low nibble n: gyroscope of ±8000/2ⁿ °/s. Must agree
    /// with the blocks.
    package var sensorConfig: UInt8
    /// b3:0 rate code, b7:6 accelerometer range 16 >> n in g.
    package var rateCode: UInt8
    /// The start of logging; nil for "always".
    package var start: CWATimestamp?
    /// `name=value` pairs, in order. Short names with `_` are openmovement's.
    package var annotations: [(name: String, value: String)]

    /// The same bytes on disk: what the format cuts or does not hold makes no difference.
    package static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// Samples per second that the rate code names.
    package var rate: Double { CWARate.rate(code: rateCode) }
    /// The accelerometer's range, ± g.
    package var range: Int { 16 >> Int(rateCode >> 6) }
    package subscript(name: String) -> String? { annotations.first { $0.name == name }?.value }
}

extension CWAHeader {
    /// Reads a header; nil when it is none ("MD" missing or too short).
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.size, bytes[0] == 0x4D, bytes[1] == 0x44 else { return nil }
        let high = bytes.uint16(11) == 0xFFFF ? 0 : UInt32(bytes.uint16(11))
        let stamp = bytes.uint32(13)
        self.init(
            hardwareType: bytes[4], deviceID: UInt32(bytes.uint16(5)) | high << 16, sessionID: bytes.uint32(7),
            sensorConfig: bytes[35], rateCode: bytes[36],
            start: stamp == 0 || stamp == .max ? nil : CWATimestamp(packed: stamp, fraction: 0),
            annotations: CWAAnnotation.decode(bytes[64..<512]))
    }

    /// The header as a file has it. Annotations for which those before them leave no room in
    /// 448 bytes are left out.
    package var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64) + CWAAnnotation.encode(annotations)
        bytes += [UInt8](repeating: 0xFF, count: 512)
        bytes.set(0x444D as UInt16, 0)
        bytes.set(1020 as UInt16, 2)
        bytes[4] = hardwareType
        bytes.set(UInt16(truncatingIfNeeded: deviceID), 5)
        bytes.set(sessionID, 7)
        bytes.set(UInt16(truncatingIfNeeded: deviceID >> 16), 11)
        bytes.set(start?.packed ?? 0, 13)
        bytes.set(UInt32.max, 17)
        bytes[35] = sensorConfig
        bytes[36] = rateCode
        bytes.set(start?.packed ?? 0, 37)
        bytes[41] = 1
        bytes.set(UInt16.max, 42)
        return bytes
    }
}
