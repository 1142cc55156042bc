// SPDX-License-Identifier: Apache-2.0
import Device

/// What `WAVExporter` writes before the samples of a WAV file. `width` is the bytes of a sample.
enum WAVHeader {
    /// RIFF with the format, the date in a LIST, and the start of the data.
    static func bytes(_ format: FLACDecoder.Format, width: Int, dataBytes: Int, date: String?) -> [UInt8] {
        let frame = format.channels * width
        let isPlain = width == 2 && format.channels <= 2
        // Format tag, channels, rate, bytes per second and per frame, bits; then the extension's length, valid bits,
        // loudspeakers and subformat.
        var fields =
            little(isPlain ? 1 : 0xFFFE, 2) + little(format.channels, 2) + little(format.rate, 4)
            + little(format.rate * frame, 4) + little(frame, 2) + little(8 * width, 2)
        if !isPlain {
            fields +=
                little(22, 2) + little(format.bits <= 16 ? 16 : format.bits, 2) + little(speakers(format.channels), 4)
            // KSDATAFORMAT_SUBTYPE_PCM.
            fields += [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        }
        var parts = Array("WAVE".utf8) + chunk("fmt ", fields)
        if let date { parts += chunk("LIST", Array("INFO".utf8) + chunk("ICRD", Array(date.utf8) + [0])) }
        parts += Array("data".utf8) + little(dataBytes, 4)
        return Array("RIFF".utf8) + little(parts.count + dataBytes + dataBytes % 2, 4) + parts
    }

    /// Which loudspeakers FLAC's channels are for (RFC 9639, section 9.1.3), in Microsoft's bits.
    private static func speakers(_ channels: Int) -> Int {
        [0, 0x4, 0x3, 0x7, 0x33, 0x37, 0x3F, 0x70F, 0x63F][max(0, min(8, channels))]
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
    }

    private static func little(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
