// SPDX-License-Identifier: Apache-2.0
import Base

/// A value as a schema wants it: `AvroSchema.datum` makes it, `RadarDelivery` writes it as bytes or as JSON. Pure.
indirect enum AvroDatum: Sendable, Hashable {
    case null
    case boolean(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    case string(String)
    /// `isFixed`: written without their length.
    case bytes([UInt8], isFixed: Bool)
    /// A symbol of an enum: its index and its name.
    case symbol(Int, String)
    case array([AvroDatum])
    case map([Member])
    case record([Member])
    /// A union's value: the index and the name of its branch, and the value itself.
    case branch(Int, String, AvroDatum)

    struct Member: Sendable, Hashable {
        let name: String
        let value: AvroDatum
    }

    /// Appends its binary encoding (Avro 1.11, "Binary Encoding").
    func write(to out: inout [UInt8]) {
        switch self {
        case .null: break
        case .boolean(let value): out.append(value ? 1 : 0)
        case .int(let value): Self.write(value, to: &out)
        case .float(let value): Self.write(bits: UInt64(value.bitPattern), bytes: 4, to: &out)
        case .double(let value): Self.write(bits: value.bitPattern, bytes: 8, to: &out)
        case .string(let text): Self.write(Array(text.utf8), to: &out)
        case .bytes(let bytes, true): out += bytes
        case .bytes(let bytes, false): Self.write(bytes, to: &out)
        case .symbol(let place, _): Self.write(Int64(place), to: &out)
        case .array(let items): Self.write(block: items, to: &out) { $0.write(to: &$1) }
        case .map(let members):
            Self.write(block: members, to: &out) { member, out in
                Self.write(Array(member.name.utf8), to: &out)
                member.value.write(to: &out)
            }
        case .record(let members): for member in members { member.value.write(to: &out) }
        case .branch(let place, _, let value):
            Self.write(Int64(place), to: &out)
            value.write(to: &out)
        }
    }

    var binary: [UInt8] {
        var out: [UInt8] = []
        write(to: &out)
        return out
    }

    /// Avro's JSON encoding: a union's value is wrapped in its branch's name, unless it is null.
    var json: JSONText {
        switch self {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .int(let value): .integer(value)
        case .float(let value): .spelled(value.description)
        case .double(let value): .decimal(value)
        case .string(let text): .string(text)
        case .bytes(let bytes, _): .string(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
        case .symbol(_, let name): .string(name)
        case .array(let items): .array(items.map(\.json))
        case .map(let members), .record(let members): .object(members.map { .init($0.name, $0.value.json) })
        case .branch(_, _, .null): .null
        case .branch(_, let name, let value): .object([.init(name, value.json)])
        }
    }

    /// Zig-zag, seven bits a byte, the lowest first.
    static func write(_ value: Int64, to out: inout [UInt8]) {
        var rest = UInt64(bitPattern: (value << 1) ^ (value >> 63))
        while rest > 0x7F {
            out.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        out.append(UInt8(rest))
    }

    static func write(_ bytes: [UInt8], to out: inout [UInt8]) {
        write(Int64(bytes.count), to: &out)
        out += bytes
    }

    private static func write(bits: UInt64, bytes: Int, to out: inout [UInt8]) {
        for place in 0..<bytes { out.append(UInt8(truncatingIfNeeded: bits >> (8 * UInt64(place)))) }
    }

    /// Arrays and maps as one block: the count, the items, then an empty block.
    private static func write<Item>(
        block items: [Item], to out: inout [UInt8], _ write: (Item, inout [UInt8]) -> Void
    ) {
        if !items.isEmpty { self.write(Int64(items.count), to: &out) }
        for item in items { write(item, &out) }
        out.append(0)
    }
}

extension AvroSchema {
    /// Converts a value to this schema: members without a field are left out; a field without a member gets
    /// the schema's default, or null where that is allowed. Throws where a needed member is missing or does
    /// not fit.
    func datum(_ value: JSONText) throws(AvroFault) -> AvroDatum {
        let shape = resolved(root)
        let name = branchName(shape).split(separator: ".").last.map(String.init) ?? ""
        return try datum(value, shape, at: name, depth: 0)
    }

    private func datum(_ value: JSONText, _ shape: Shape, at path: String, depth: Int) throws(AvroFault) -> AvroDatum {
        func unfit(_ wanted: String) -> AvroFault {
            AvroFault(path: path, cause: "\(value.text.prefix(40)) is no \(wanted)")
        }
        guard depth < 32 else { throw AvroFault(path: path, cause: "is nested too deeply") }
        switch (resolved(shape), value) {
        case (.null, .null): return .null
        case (.boolean, .boolean(let flag)): return .boolean(flag)
        case (.int, .spelled(let text)):
            guard let number = Self.whole(text), Int64(Int32.min)...Int64(Int32.max) ~= number else {
                throw unfit("int")
            }
            return .int(number)
        case (.long, .spelled(let text)):
            guard let number = Self.whole(text) else { throw unfit("long") }
            return .int(number)
        case (.float, .spelled(let text)):
            guard let number = Double(text), Float(number).isFinite else { throw unfit("float") }
            return .float(Float(number))
        case (.double, .spelled(let text)):
            guard let number = Double(text), number.isFinite else { throw unfit("double") }
            return .double(number)
        case (.string, .string(let text)), (.string, .spelled(let text)): return .string(text)
        case (.bytes, .string(let text)):
            return .bytes(try Self.latin(text, at: path), isFixed: false)
        case (.fixed(_, let size), .string(let text)):
            let bytes = try Self.latin(text, at: path)
            guard bytes.count == size else { throw unfit("text of \(size) bytes") }
            return .bytes(bytes, isFixed: true)
        case (.enumeration(_, let symbols, let fallback), .string(let text)):
            if let place = symbols.firstIndex(of: text) { return .symbol(place, text) }
            guard let fallback, let place = symbols.firstIndex(of: fallback) else {
                throw unfit("one of \(symbols.prefix(10).joined(separator: ", "))")
            }
            return .symbol(place, fallback)
        case (.array(let item), .array(let values)):
            var items: [AvroDatum] = []
            for (place, value) in values.enumerated() {
                items.append(try datum(value, item, at: "\(path)[\(place)]", depth: depth + 1))
            }
            return .array(items)
        case (.map(let item), .object(let members)):
            var found: [AvroDatum.Member] = []
            for member in members {
                let value = try datum(member.value, item, at: "\(path).\(member.key)", depth: depth + 1)
                found.append(.init(name: member.key, value: value))
            }
            return .map(found)
        case (.record(_, let fields), .object(let members)):
            var found: [AvroDatum.Member] = []
            for field in fields {
                let value = members.last { $0.key == field.name }?.value
                found.append(.init(name: field.name, value: try datum(value, field, in: path, depth: depth + 1)))
            }
            return .record(found)
        case (.union(let branches), _): return try union(value, branches, at: path, depth: depth)
        case (let shape, _): throw unfit(branchName(shape))
        }
    }

    /// The value of a record's field: `value` itself, else the field's default, else null. Null counts as no value
    /// unless the field's type allows it.
    private func datum(_ value: JSONText?, _ field: Field, in path: String, depth: Int) throws(AvroFault) -> AvroDatum {
        let path = "\(path).\(field.name)"
        let branches = if case .union(let branches) = resolved(field.shape) { branches } else { [Shape]() }
        if let value, value != .null || branches.contains(.null) || field.shape == .null {
            do throws(AvroFault) {
                return try datum(value, field.shape, at: path, depth: depth)
            } catch {
                // A symbol that the enum does not have becomes the field's default, as in the gateway.
                guard case .enumeration = resolved(field.shape), let fallback = field.fallback else { throw error }
                return try datum(fallback, field.shape, at: path, depth: depth)
            }
        }
        guard let fallback = field.fallback else {
            guard let place = branches.firstIndex(of: .null) else {
                throw AvroFault(
                    path: path, cause: "is needed by the topic's schema, and the device has no value for it")
            }
            return .branch(place, "null", .null)
        }
        // A union's default is of its first branch.
        guard let first = branches.first else { return try datum(fallback, field.shape, at: path, depth: depth) }
        return .branch(0, branchName(first), try datum(fallback, first, at: path, depth: depth))
    }

    private func union(
        _ value: JSONText, _ branches: [Shape], at path: String, depth: Int
    ) throws(AvroFault) -> AvroDatum {
        let ranked = branches.indices.sorted { (rank(branches[$0]), $0) < (rank(branches[$1]), $1) }
        for place in ranked {
            guard let datum = try? datum(value, branches[place], at: path, depth: depth + 1) else { continue }
            return .branch(place, branchName(branches[place]), datum)
        }
        let names = branches.map(branchName).joined(separator: ", ")
        throw AvroFault(path: path, cause: "\(value.text.prefix(40)) is none of \(names)")
    }

    /// The order in which the branches of a union are tried: the narrowest that loses nothing first.
    private func rank(_ branch: Shape) -> Int {
        switch resolved(branch) {
        case .null, .boolean, .int: 0
        case .long: 1
        case .double: 2
        case .float: 3
        case .string: 4
        case .enumeration: 5
        case .bytes, .fixed, .array, .map, .record, .union, .named: 6
        }
    }

    /// The number of a text such as `5`, `5.0` or `5e0`; nil unless it is whole.
    private static func whole(_ text: String) -> Int64? { Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) } }

    /// Bytes are text of ISO 8859-1 in JSON.
    private static func latin(_ text: String, at path: String) throws(AvroFault) -> [UInt8] {
        let scalars = text.unicodeScalars.map(\.value)
        guard scalars.allSatisfy({ $0 < 256 }) else {
            throw AvroFault(path: path, cause: "has letters beyond ISO 8859-1")
        }
        return scalars.map { UInt8($0) }
    }
}
