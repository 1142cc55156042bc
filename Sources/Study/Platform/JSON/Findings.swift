// SPDX-License-Identifier: Apache-2.0
import Base

/// What is found while a study is read: what makes it unusable, and what must be known about it.
///
/// A platform's reader passes one through all its functions and calls `finish` at the end. The reading
/// functions (`text`, `integer`, …) note a problem and return nil or a placeholder, so that reading goes on
/// to the next problem; `finish` then throws, so that a study with problems is never used.
package struct Findings {
    package init() {}

    /// What keeps the study from being read.
    package private(set) var problems: [StudyFormatError.Problem] = []
    /// What was assumed or left out, for the author of the study.
    package private(set) var remarks: [Remark] = []

    /// Notes a problem: `what` is expected there, and something else was found.
    package mutating func expected(_ what: String, at place: JSONPlace) {
        expected(what, at: place, found: place.node.summary)
    }

    /// As `expected(_:at:)`, with a text for what was found.
    package mutating func expected(_ what: String, at place: JSONPlace, found: String) {
        problems.append(.init(path: place.path, line: place.node.line, expected: what, found: found))
    }

    /// A key that has to be there.
    package mutating func missing(_ key: String, _ what: String, in place: JSONPlace) {
        problems.append(
            .init(
                path: place.path(to: key), line: place.node.line, expected: what, found: "nothing: `\(key)` is missing")
        )
    }

    /// Remarks that the study leaves something open; `message` says what is assumed.
    package mutating func assume(_ message: String, at place: JSONPlace) {
        remarks.append(Remark(.assumption, path: place.path, line: place.node.line, message))
    }

    /// As `assume(_:at:)`, for a key that is not there.
    package mutating func assume(_ message: String, for key: String, in place: JSONPlace) {
        remarks.append(Remark(.assumption, path: place.path(to: key), line: place.node.line, message))
    }

    /// As `assume(_:at:)`, for a path whose line is no longer known.
    package mutating func assume(_ message: String, path: String) {
        remarks.append(Remark(.assumption, path: path, message))
    }

    /// Remarks on something that can be run, but is probably not what was meant.
    package mutating func warn(_ message: String, at place: JSONPlace) {
        remarks.append(Remark(.warning, path: place.path, line: place.node.line, message))
    }

    /// As `warn(_:at:)`, for a key that is not there.
    package mutating func warn(_ message: String, for key: String, in place: JSONPlace) {
        remarks.append(Remark(.warning, path: place.path(to: key), line: place.node.line, message))
    }

    /// Takes out, and returns, the problems after the first `count`: those of a part that the study can do
    /// without.
    package mutating func removeProblems(after count: Int) -> [StudyFormatError.Problem] {
        defer { problems.removeSubrange(min(count, problems.count)...) }
        return Array(problems.dropFirst(count))
    }

    /// Puts back problems that `removeProblems` took out.
    package mutating func giveBack(_ found: [StudyFormatError.Problem]) { problems += found }

    /// Turns problems that were taken out into warnings; `message` says what is lost by each.
    package mutating func warn(of found: [StudyFormatError.Problem], _ message: String) {
        remarks += found.map {
            Remark(.warning, path: $0.path, line: $0.line, "expected \($0.expected), found \($0.found); \(message)")
        }
    }

    /// Remarks on something that the study asks for and this program cannot do.
    package mutating func unsupported(_ message: String, at place: JSONPlace) {
        remarks.append(Remark(.unsupported, path: place.path, line: place.node.line, message))
    }

    /// Ends the reading: throws everything that is wrong, in the order of the file.
    package func finish() throws(StudyFormatError) {
        guard problems.isEmpty else {
            throw StudyFormatError(
                problems: problems.enumerated().sorted {
                    ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
                }.map(\.element))
        }
    }

    /// A text; "" where it is absent.
    package mutating func text(_ key: String, in place: JSONPlace) -> String {
        guard let child = place.member(key) else { return "" }
        if child.text == nil { expected("a text", at: child) }
        return child.text ?? ""
    }

    /// A text that must be there and not be empty; nil = it is not, which is noted.
    package mutating func requiredText(_ key: String, in place: JSONPlace) -> String? {
        guard let child = required(key, "a text", in: place) else { return nil }
        guard let text = child.text, !text.isEmpty else {
            expected("a text that is not empty", at: child)
            return nil
        }
        return text
    }

    /// A switch: absent and 0 are off, any other number is on. The texts "true" and "false", which old files have,
    /// mean what they say.
    package mutating func flag(_ key: String, in place: JSONPlace) -> Bool {
        guard let child = place.member(key) else { return false }
        if let value = child.boolean { return value }
        if case .number = child.node.content, let value = child.number { return value != 0 }
        if let text = child.text, let value = Bool(text) {
            assume("the text \"\(text)\" is read as its value", at: child)
            return value
        }
        expected("true or false", at: child)
        return false
    }

    /// A whole number within limits, which must be there; a text that spells one will do.
    package mutating func integer(_ key: String, _ range: ClosedRange<Int>, in place: JSONPlace) -> Int? {
        let what = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let child = required(key, what, in: place) else { return nil }
        guard let value = child.integer, range.contains(value) else {
            expected(what, at: child)
            return nil
        }
        return value
    }

    /// A number, which must be there; a text that spells one will do.
    package mutating func number(_ key: String, in place: JSONPlace) -> Double? {
        guard let child = required(key, "a number", in: place) else { return nil }
        if child.number == nil { expected("a number", at: child) }
        return child.number
    }

    /// The elements of an array that must be there.
    package mutating func array(_ key: String, of what: String, in place: JSONPlace) -> [JSONPlace] {
        guard let child = required(key, "an array of \(what)", in: place) else { return [] }
        guard let elements = child.elements else {
            expected("an array of \(what)", at: child)
            return []
        }
        return elements
    }

    /// Texts of an array that may be absent.
    package mutating func texts(_ key: String, in place: JSONPlace) -> [(text: String, place: JSONPlace)] {
        guard place.member(key) != nil else { return [] }
        return array(key, of: "texts", in: place).compactMap { element in
            guard let text = element.text else {
                expected("a text", at: element)
                return nil
            }
            return (text, element)
        }
    }

    /// What is at the key; nil where nothing is, which is noted.
    private mutating func required(_ key: String, _ what: String, in place: JSONPlace) -> JSONPlace? {
        let child = place.member(key)
        if child == nil { missing(key, what, in: place) }
        return child
    }

    /// The elements that are objects; the others are noted.
    package mutating func objects(_ elements: [JSONPlace], _ what: String) -> [JSONPlace] {
        elements.filter { element in
            if !element.isObject { expected(what, at: element) }
            return element.isObject
        }
    }
}
