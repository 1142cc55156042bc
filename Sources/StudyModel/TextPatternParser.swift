// SPDX-License-Identifier: Apache-2.0

/// Reads a pattern from left to right.
struct TextPatternParser {
    /// Groups within groups.
    private static let deepest = 20
    private static let mostRepeats = 500

    let scalars: [Unicode.Scalar]
    var place = 0
    var depth = 0

    private func problem(_ text: String) -> TextPatternError { TextPatternError(place: place + 1, problem: text) }
    private var next: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }
    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        place += 1
        return true
    }

    mutating func all() throws(TextPatternError) -> TextPatternNode {
        let node = try either()
        guard place == scalars.count else { throw problem("unmatched )") }
        return node
    }

    private mutating func either() throws(TextPatternError) -> TextPatternNode {
        var nodes = [try sequence()]
        while skip("|") { nodes.append(try sequence()) }
        return nodes.count == 1 ? nodes[0] : .either(nodes)
    }

    private mutating func sequence() throws(TextPatternError) -> TextPatternNode {
        var nodes: [TextPatternNode] = []
        while let scalar = next, scalar != "|", scalar != ")" { nodes.append(try repeated(try atom())) }
        return .sequence(nodes)
    }

    private mutating func atom() throws(TextPatternError) -> TextPatternNode {
        guard let scalar = next else { return .sequence([]) }
        switch scalar {
        case "(": return try group()
        case "[": return .set(try characterClass())
        case "\\": return .set(try escaped())
        case "*", "+", "?": throw problem("nothing to repeat before \(scalar)")
        default: break
        }
        place += 1
        switch scalar {
        case "^": return .start
        case "$": return .end
        case ".": return .set(.any)
        default: return .set(.one(scalar))
        }
    }

    private mutating func group() throws(TextPatternError) -> TextPatternNode {
        place += 1
        depth += 1
        guard depth <= Self.deepest else { throw problem("groups nested more than \(Self.deepest) deep") }
        if skip("?") { guard skip(":") else { throw problem("look-around, names and options are not supported") } }
        let node = try either()
        guard skip(")") else { throw problem("unmatched (") }
        depth -= 1
        return node
    }

    private mutating func repeated(_ node: TextPatternNode) throws(TextPatternError) -> TextPatternNode {
        let limits: (Int, Int?)
        switch next {
        case "*": limits = (0, nil)
        case "+": limits = (1, nil)
        case "?": limits = (0, 1)
        case "{": return try counted(node)
        default: return node
        }
        place += 1
        return finished(.repeated(node, limits.0, limits.1))
    }

    /// Lazy and possessive repeats find the same texts, as far as finding is all that is asked.
    private mutating func finished(_ node: TextPatternNode) -> TextPatternNode {
        if next == "?" || next == "+" { place += 1 }
        return node
    }

    private mutating func counted(_ node: TextPatternNode) throws(TextPatternError) -> TextPatternNode {
        place += 1
        guard let least = number() else { throw problem("{ without a number; write \\{ for the character") }
        var most: Int? = least
        if skip(",") { most = next == "}" ? nil : number() ?? -1 }
        guard skip("}"), most ?? least >= least, max(least, most ?? 0) <= Self.mostRepeats else {
            throw problem(
                "{ needs one or two numbers up to \(Self.mostRepeats), the first not above the second, and a }")
        }
        return finished(.repeated(node, least, most))
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let digit = next, (48...57).contains(digit.value), value ?? 0 < 100_000 {
            value = (value ?? 0) * 10 + Int(digit.value - 48)
            place += 1
        }
        return value
    }

    private mutating func escaped() throws(TextPatternError) -> ScalarSet {
        place += 1
        guard let letter = next else { throw problem("a \\ at the end") }
        if let set = ScalarSet.named(letter) {
            place += 1
            return set
        }
        let controls: [Unicode.Scalar: Unicode.Scalar] = ["n": "\n", "r": "\r", "t": "\t"]
        let isLetter = (65...90).contains(letter.value) || (97...122).contains(letter.value)
        let isDigit = (48...57).contains(letter.value)
        guard controls[letter] != nil || !isLetter && !isDigit else { throw problem("\\\(letter) is not known") }
        place += 1
        return .one(controls[letter] ?? letter)
    }

    private mutating func characterClass() throws(TextPatternError) -> ScalarSet {
        place += 1
        var set = ScalarSet(isNegated: skip("^"))
        var isFirst = true
        while let scalar = next, scalar != "]" || isFirst {
            isFirst = false
            if scalar == "[" { throw problem("a class within a class is not supported") }
            if scalar == "&", place + 1 < scalars.count, scalars[place + 1] == "&" {
                throw problem("&& in a class is not supported")
            }
            set.ranges += try member()
        }
        guard skip("]") else { throw problem("unmatched [") }
        return set
    }

    /// A character, a range, or a named set.
    private mutating func member() throws(TextPatternError) -> [ClosedRange<UInt32>] {
        let first = try classPart()
        guard next == "-", place + 1 < scalars.count, scalars[place + 1] != "]",
            let low = first.ranges.first?.lowerBound, first.ranges.count == 1, first.ranges[0].count == 1
        else { return first.positive }
        place += 1
        let last = try classPart()
        guard let high = last.ranges.first?.upperBound, last.ranges.count == 1, last.ranges[0].count == 1,
            high >= low
        else { throw problem("a range that ends before it begins") }
        return [low...high]
    }

    private mutating func classPart() throws(TextPatternError) -> ScalarSet {
        guard let scalar = next else { throw problem("unmatched [") }
        if scalar == "\\" { return try escaped() }
        place += 1
        return .one(scalar)
    }
}

/// What a pattern is made of.
indirect enum TextPatternNode {
    case set(ScalarSet)
    case start, end
    case sequence([TextPatternNode])
    case either([TextPatternNode])
    case repeated(TextPatternNode, Int, Int?)
}

/// Characters that fit one place.
struct ScalarSet: Sendable, Hashable {
    var ranges: [ClosedRange<UInt32>] = []
    var isNegated = false

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) } != isNegated
    }

    static func one(_ scalar: Unicode.Scalar) -> ScalarSet { ScalarSet(ranges: [scalar.value...scalar.value]) }
    /// `.`: all but the ends of lines.
    static let any = ScalarSet(ranges: [10...10, 13...13, 0x85...0x85, 0x2028...0x2029], isNegated: true)

    /// `\d`, `\w`, `\s` and, in capitals, all others; nil for other letters.
    static func named(_ letter: Unicode.Scalar) -> ScalarSet? {
        switch letter {
        case "d": ScalarSet(ranges: [48...57])
        case "w": ScalarSet(ranges: [48...57, 65...90, 95...95, 97...122])
        case "s": ScalarSet(ranges: [9...13, 32...32])
        case "D": ScalarSet(ranges: [48...57], isNegated: true)
        case "W": ScalarSet(ranges: [48...57, 65...90, 95...95, 97...122], isNegated: true)
        case "S": ScalarSet(ranges: [9...13, 32...32], isNegated: true)
        default: nil
        }
    }

    /// The ranges of what it holds, for a class that holds it among others.
    var positive: [ClosedRange<UInt32>] {
        guard isNegated else { return ranges }
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { result.append(next...range.lowerBound - 1) }
            next = range.upperBound + 1
        }
        return result + [next...0x10FFFF]
    }
}
