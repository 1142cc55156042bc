// SPDX-License-Identifier: Apache-2.0

/// One NMEA 0183 sentence whose checksum was right.
public struct NMEASentence: Sendable, Hashable {
    /// Who speaks: `GP`, `GN`, `GL`, ...; `P` for a maker's own sentences.
    public let talker: String
    /// What is said: `RMC`, `GGA`, ...; for a maker's own all behind the `P`, such as `UBX`.
    public let type: String
    /// What stands between the commas after the address. Empty fields are normal.
    public let fields: [String]

    /// A sentence of these parts.
    public init(talker: String, type: String, fields: [String]) {
        self.talker = talker
        self.type = type
        self.fields = fields
    }

    /// The sentence in `GPRMC,...*HH`, without `$` and line end; nil where the checksum is missing or wrong.
    public init?(checking line: ArraySlice<UInt8>) {
        guard let star = line.lastIndex(of: UInt8(ascii: "*")), line.endIndex - star == 3,
            let high = Self.hexadecimal(line[star + 1]), let low = Self.hexadecimal(line[star + 2]),
            line[..<star].reduce(0, ^) == high << 4 | low
        else { return nil }
        let address = line[..<star].prefix { $0 != UInt8(ascii: ",") }
        guard address.count >= 3 else { return nil }
        let length = address.first == UInt8(ascii: "P") ? 1 : 2
        self.init(
            talker: String(decoding: address.prefix(length), as: UTF8.self),
            type: String(decoding: address.dropFirst(length), as: UTF8.self),
            fields: Self.fields(line[address.endIndex..<star]))
    }

    /// What stands behind each comma.
    private static func fields(_ bytes: ArraySlice<UInt8>) -> [String] {
        var fields: [String] = []
        fields.reserveCapacity(20)
        var rest = bytes
        while rest.popFirst() != nil {
            let field = rest.prefix { $0 != UInt8(ascii: ",") }
            fields.append(String(decoding: field, as: UTF8.self))
            rest = rest[field.endIndex...]
        }
        return fields
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    /// A field by its number in the standard, from 1; nil where it is empty or missing.
    func field(_ number: Int) -> String? {
        fields.indices.contains(number - 1) && !fields[number - 1].isEmpty ? fields[number - 1] : nil
    }
}
