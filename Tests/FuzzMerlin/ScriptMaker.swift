// SPDX-License-Identifier: Apache-2.0
import FuzzDice

/// Makes scripts along Merlin's grammar, now and then against it, and damages scripts.
package struct ScriptMaker {
    private var dice: Dice
    /// How much may still be made, so that every script ends.
    private var left = 60

    /// The same number makes the same script for ever.
    package init(number: Int) {
        dice = Dice(seed: UInt64(truncatingIfNeeded: number) &+ 1)
        for _ in 0..<4 { _ = dice.next() }
    }

    /// Up to ten statements; most are well formed.
    package mutating func script() -> String {
        var text = dice.one(["", Self.opening, Self.opening, "a = 1; b = [2, 3]; o = object; "])
        for _ in 0...dice.below(9) { text += statement(0) + dice.one(["\n", "\n", " ", "\n// note\n", "\r\n"]) }
        return text
    }

    /// A damaged copy: characters and pieces are changed, doubled, taken out, or replaced by words
    /// that mean something.
    package mutating func damaged(_ script: String) -> String {
        var letters = Array(script)
        for _ in 0...dice.below(3) {
            let place = dice.below(letters.count)
            let end = min(letters.count, place + dice.below(30))
            switch dice.below(5) {
            case 0: letters.removeSubrange(place..<end)
            case 1: letters.insert(contentsOf: letters[place..<end], at: dice.below(letters.count))
            case 2: if !letters.isEmpty { letters.remove(at: place) }
            default: letters.insert(contentsOf: dice.one(Self.words), at: place)
            }
        }
        return String(letters)
    }

    private mutating func statement(_ depth: Int) -> String {
        left -= 1
        guard depth < 4, left > 0 else { return "a = \(dice.below(9));" }
        switch dice.below(24) {
        case 0...5: return "\(target()) \(assignment()) \(expression(0));"
        case 6...10: return "\(expression(0));"
        case 11:
            return "if (\(expression(1))) \(body(depth)) elif (\(expression(1))) \(body(depth)) else \(body(depth))"
        case 12: return "if (\(expression(1))) \(body(depth))"
        case 13...14:
            return
                "for (\(name()) in \(dice.one(["1:3", "[1, \"b\", none]", "3:1", "0:1:0.5", expression(1)]))) \(body(depth))"
        case 15:
            return "n\(depth) = 0; while (n\(depth) < \(1 + dice.below(4))) { n\(depth) += 1; \(statement(depth + 1)) }"
        case 16: return "init { \(statement(depth + 1)) \(statement(depth + 1)) }"
        case 17...18:
            let parameters = dice.one(["", "x", "x, y", "a"])
            return "function \(dice.one(["f", "g"]))(\(parameters)) { \(statement(depth + 1)) \(statement(depth + 1)) }"
        case 19: return "return\(dice.below(2) == 0 ? "" : " " + expression(0));"
        case 20: return "{ \(statement(depth + 1)) \(statement(depth + 1)) }"
        case 21: return "log(\(expression(1)));"
        case 22: return "setVirtualItem(\"score\", \(expression(1)));"
        default:
            return dice.below(9) == 0
                ? dice.one(Self.words) : "globals.\(dice.one(["a", "b", "runs"])) = \(expression(0));"
        }
    }

    private mutating func body(_ depth: Int) -> String {
        dice.below(4) == 0
            ? statement(depth + 1) : "{ \(statement(depth + 1)) \(dice.below(2) == 0 ? statement(depth + 1) : "") }"
    }

    private mutating func name() -> String { dice.one(["a", "b", "c", "x", "y", "i", "o"]) }

    private mutating func target() -> String {
        switch dice.below(8) {
        case 0: "globals.\(name())"
        case 1: "\(name())[\(expression(2))]"
        case 2: "o.\(name())"
        default: name()
        }
    }

    private mutating func assignment() -> String { dice.one(["=", "=", "=", "=", "+=", "-=", "*=", "/=", "%="]) }

    private mutating func expression(_ depth: Int) -> String {
        left -= 1
        guard depth < 4, left > 0 else { return value() }
        switch dice.below(14) {
        case 0...3: return value()
        case 4...6: return "\(expression(depth + 1)) \(dice.one(Self.operators)) \(expression(depth + 1))"
        case 7: return "\(dice.one(["!", "-", "- -"]))\(expression(depth + 1))"
        case 8: return "(\(expression(depth + 1)))"
        case 9: return "[\(list(depth))]"
        case 10: return dice.one(["c[1]", "[1, 2, 3][[1, 3]]", "c[i]", "\(value())[\(expression(depth + 1))]"])
        case 11: return "\(expression(depth + 1)) >> \(call(depth, isChained: true))"
        case 12: return dice.one(["1:4", "\(value()):\(value())", "4:1:2", "1:3"])
        default: return call(depth, isChained: false)
        }
    }

    private mutating func list(_ depth: Int) -> String {
        var elements: [String] = []
        for _ in 0..<dice.below(4) { elements.append(expression(depth + 1)) }
        return elements.joined(separator: ", ")
    }

    private mutating func call(_ depth: Int, isChained: Bool) -> String {
        let (name, arity) = dice.one(Self.functions)
        var arguments: [String] = []
        for _ in 0..<max(0, (isChained ? arity - 1 : arity) + (dice.below(40) == 0 ? 1 : 0)) {
            arguments.append(expression(depth + 1))
        }
        return "\(name)(\(arguments.joined(separator: ", ")))"
    }

    private mutating func value() -> String {
        switch dice.below(12) {
        case 0...3: return String(dice.below(6))
        case 4...7: return name()
        case 8: return dice.one(["globals", "globals.a", "globals.runs", "o", "o.a", "object"])
        case 9: return "getQuestionnaireVar(\(dice.one(Self.items)))"
        default: return dice.one(Self.values)
        }
    }

    private static let opening =
        "function f(x) { return x; } function g() { b = a; b + 1; } a = 1; b = 2; c = [3, 4]; x = 5; y = 6; i = 1; o = object;\n"
    private static let operators = [
        "+", "-", "*", "+", "-", "*", "/", "%", "==", "!=", "==", "!=", "<", "<=", ">", ">=", "<", "..", "and", "or",
        ":",
    ]
    private static let items = [
        "\"mood\"", "\"word\"", "\"empty\"", "\"half\"", "[\"yes\", \"no\", \"mood\"]", "\"group\"", "\"studyId\"",
        "\"studyLang\"", "\"missing\"", "\"appType\"", "\"timezoneOffset\"",
    ]
    private static let functions: [(String, Int)] = [
        ("f", 1), ("g", 0), ("f", 1), ("sum", 1), ("mean", 1), ("max", 1), ("min", 1), ("var", 1), ("sd", 1),
        ("floor", 1), ("ceil", 1), ("round", 2), ("any", 1), ("size", 1), ("filterNone", 1), ("reverse", 3),
        ("day", 0), ("hours", 0), ("minutes", 0), ("seconds", 0), ("timestamp", 0), ("lang", 0),
        ("getQuestionnaireVarAlternative", 2), ("triggerQuestionnaire", 3), ("triggerNotification", 1),
        ("triggerMessage", 1), ("log", 1), ("setVirtualItem", 2), ("getQuestionnaireVar", 1),
    ]
    private static let values = [
        "true", "false", "none", "\"\"", "\" \"", "\"a\"", "\"5\"", "\"0\"", "\"1e3\"", "\"word\"", "\"mood\"", "0.5",
        "1.25", "1000000", "3000000000", "0.0001", "[]", "[1, 2, 3]", "[0]", "[\"a\", \"5\"]", "\"NaN\"", "\"50001\"",
        "50002", "\"ü\"", "[[1], 2]", "12345678.9",
    ]
    private static let words = [
        "(", ")", "{", "}", "[", "]", ",", ":", ";", ".", "..", "-", "+=", "!", "==", "=", ">>", "\"", "//", "and",
        "if",
        "elif", "else", "for", "function", "in", "init", "none", "object", "or", "return", "true", "while", "a", "f(",
        "1.", "1.5.5", "$", "é", "\n", "globals", "_", "[1][1]", "1:2:3", "- - -", ">= >", "\u{1F600}", "a b",
    ]
}
