// SPDX-License-Identifier: Apache-2.0

/// Header fields in the order received or to be sent; names compare without regard to case
/// (RFC 9110 §5.1).
package struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
    package private(set) var all: [(name: String, value: String)]

    package init() { all = [] }

    /// These fields, in this order; a name may come twice.
    package init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { (name: $0.0, value: $0.1) }
    }

    init(_ pairs: some Sequence<(name: String, value: String)>) { all = Array(pairs) }

    /// The first value of that name. Setting one replaces all of that name; setting
    /// nil removes them.
    package subscript(name: String) -> String? {
        get { all.first { Self.same($0.name, name) }?.value }
        set {
            all.removeAll { Self.same($0.name, name) }
            if let newValue { all.append((name, newValue)) }
        }
    }

    /// True when the comma-separated list in the fields of that name has the token,
    /// without regard to case.
    func list(_ name: String, contains token: String) -> Bool {
        all.filter { Self.same($0.name, name) }.contains { field in
            field.value.split(separator: ",").contains { Self.same($0.trimmed, token) }
        }
    }

    /// Compares ASCII only: a letter of another script never equals one of ours.
    private static func same(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}

extension StringProtocol {
    /// Without the optional white space of RFC 9110 §5.6.3 at either end.
    var trimmed: SubSequence {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let tail = self.drop(while: isSpace)
        guard let last = tail.lastIndex(where: { !isSpace($0) }) else { return tail[tail.endIndex...] }
        return tail[...last]
    }
}
