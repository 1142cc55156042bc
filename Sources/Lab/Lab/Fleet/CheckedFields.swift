// SPDX-License-Identifier: Apache-2.0
import Base

/// The members of a JSON object that a device sent, each checked and bounded as it is taken by `DeviceReport`
/// and `DeviceManifest`. A member that is absent is null: unknown.
struct CheckedFields {
    private let value: JSONValue
    /// `disk.`, `prompts[3].`: before the names in messages.
    private let place: String

    /// Throws where it is no object.
    init(_ value: JSONValue, in place: String = "") throws(FieldError) {
        guard case .object = value else { throw FieldError(place, "an object", value) }
        self.value = value
        self.place = place
    }

    private subscript(name: String) -> JSONValue? { value[name].flatMap { $0.isNull ? nil : $0 } }

    private func error(_ name: String, _ expected: String) -> FieldError {
        FieldError(place + name, expected, value[name] ?? .null)
    }

    /// `value`, which was read from that member; throws where it is nil, for a member that must be there.
    func need<Value>(_ name: String, _ value: Value?, _ expected: String) throws(FieldError) -> Value {
        guard let value else { throw error(name, expected) }
        return value
    }

    /// What `read` makes of that member; nil where it is absent, throws where `read` takes it for nothing.
    private func take<Value>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(FieldError) -> Value? {
        guard let found = self[name] else { return nil }
        guard let value = read(found) else { throw error(name, expected) }
        return value
    }

    /// A text for a list or the page: not empty, on one line, without control characters.
    func text(_ name: String, limit: Int = DeviceName.longest) throws(FieldError) -> String? {
        try take(name, "a text of 1 to \(limit) characters on one line") { found -> String? in
            guard let text = found.string, !text.isEmpty, text.utf8.count <= 4 * limit, text.count <= limit,
                !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { return nil }
            return text
        }
    }

    func needText(_ name: String) throws(FieldError) -> String {
        try need(name, text(name), "a text of 1 to \(DeviceName.longest) characters on one line")
    }

    func word(_ name: String, of words: [String]) throws(FieldError) -> String? {
        try take(name, Self.oneOf(words)) { $0.string.flatMap { words.contains($0) ? $0 : nil } }
    }

    func needWord(_ name: String, of words: [String]) throws(FieldError) -> String {
        try need(name, word(name, of: words), Self.oneOf(words))
    }

    private static func oneOf(_ words: [String]) -> String { "one of \(words.joined(separator: ", "))" }

    func whole(_ name: String, _ range: ClosedRange<Int64> = 0...Int64.max) throws(FieldError) -> Int64? {
        try take(name, "a whole number from \(range.lowerBound) to \(range.upperBound)") { found -> Int64? in
            guard case .spelled(let text) = found, let number = Int64(text), range.contains(number) else { return nil }
            return number
        }
    }

    func number(_ name: String, _ range: ClosedRange<Double>) throws(FieldError) -> Double? {
        try take(name, "a number from \(range.lowerBound) to \(range.upperBound)") { found -> Double? in
            found.double.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    func flag(_ name: String) throws(FieldError) -> Bool? { try take(name, "true or false") { $0.bool } }

    func time(_ name: String) throws(FieldError) -> String? {
        try take(name, "a time such as 2026-11-25T19:00:00.000+01:00") { found -> String? in
            found.string.flatMap { $0.utf8.count <= 40 && Instant.parsed($0) != nil ? $0 : nil }
        }
    }

    /// Lower-case hexadecimal digits of a SHA-256.
    func digest(_ name: String) throws(FieldError) -> String? {
        try take(name, "a SHA-256 of 64 hexadecimal digits") { found -> String? in
            guard let text = found.string?.lowercased(), text.utf8.count == 64 else { return nil }
            return [UInt8](hexadecimal: text) == nil ? nil : text
        }
    }

    /// The object of that name; an empty one where it is null.
    func part(_ name: String) throws(FieldError) -> CheckedFields {
        try CheckedFields(self[name] ?? .object([]), in: place + name + ".")
    }

    /// The objects of a list; none where it is null.
    func list(_ name: String, limit: Int) throws(FieldError) -> [CheckedFields] {
        guard let found = self[name] else { return [] }
        guard let values = found.array, values.count <= limit else { throw error(name, "a list of at most \(limit)") }
        var fields: [CheckedFields] = []
        for (index, value) in values.enumerated() {
            fields.append(try CheckedFields(value, in: "\(place)\(name)[\(index)]."))
        }
        return fields
    }

    /// The texts of a list; none where it is null.
    func texts(_ name: String, limit: Int) throws(FieldError) -> [String] {
        guard let found = self[name] else { return [] }
        let texts = found.array?.compactMap(\.string)
        guard let texts, texts.count == found.array?.count, texts.count <= limit else {
            throw error(name, "a list of at most \(limit) texts")
        }
        return texts
    }

    /// The numbers of an object and of those in it; whatever else it holds is left out.
    func counts(_ name: String) throws(FieldError) -> JSONValue? {
        guard let found = self[name] else { return nil }
        guard case .object = found else { throw error(name, "an object") }
        var left = 200
        return Self.numbers(found, depth: 4, &left)
    }

    private static func numbers(_ value: JSONValue, depth: Int, _ left: inout Int) -> JSONValue {
        var members: [JSONValue.Member] = []
        for member in value.members where left > 0 && member.name.utf8.count <= 60 {
            left -= 1
            switch member.value {
            case .spelled(let text) where text.utf8.count <= 30: members.append(member)
            case .object where depth > 0:
                members.append(.init(name: member.name, value: numbers(member.value, depth: depth - 1, &left)))
            default: continue
            }
        }
        return .object(members)
    }
}

/// A field that cannot be believed: its name, what it has to be, and the beginning of what it is.
struct FieldError: Error, Sendable, Hashable, CustomStringConvertible {
    let description: String

    init(_ field: String, _ expected: String, _ found: JSONValue) {
        let text = found.text
        let shown = text.count > 60 ? text.prefix(60) + "…" : text[...]
        let name = field.hasSuffix(".") ? String(field.dropLast()) : field
        description = "\(name.isEmpty ? "the body" : name) has to be \(expected), it is \(shown)"
    }
}
