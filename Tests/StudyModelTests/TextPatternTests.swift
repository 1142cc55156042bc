// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import StudyModel

@Suite struct TextPatternTests {
    static let cases: [(pattern: String, found: [String], missing: [String])] = [
        ("", ["", "x"], []),
        ("abc", ["abc", "xabcx"], ["", "ab", "abd"]),
        ("^abc$", ["abc"], ["xabc", "abcx", ""]),
        ("[^1-5][^a-d]", ["xx", "6z", "11xe"], ["1a", "5", "", "1abcd"]),
        ("^[A-Z0-9]+$", ["A1", "0"], ["a1", "", "A 1"]),
        ("^\\d{3}-\\d{4}$", ["555-1234"], ["55-1234", "555-12345"]),
        ("^(?:yes|no|don't know)$", ["yes", "don't know"], ["maybe", "yesno"]),
        ("colou?r", ["color", "the colour"], ["colr"]),
        ("^a{2,4}$", ["aa", "aaa", "aaaa"], ["a", "aaaaa"]),
        ("^a{2,}$", ["aa", "aaaaaaa"], ["a"]),
        ("^[^@ ]+@[^@ ]+\\.[a-z]{2,}$", ["me@x.org"], ["me@x", "@x.org", "a b@x.org"]),
        ("^[\\w.-]+$", ["a_1.b-c"], ["a b", ""]),
        ("^[]x-]+$", ["]", "x-", "-]x"], ["y"]),
        ("^\\W\\S\\D$", ["!ab"], ["aab", "! b", "!a1"]),
        ("^(a|b(c|d))*?e$", ["e", "abce", "bdae"], ["bce!", "be"]),
        ("\\.\\*\\[", [".*["], ["a*["]),
        ("^a++b$", ["aab"], ["b"]),
        ("x{0}y", ["y"], ["x"]),
        ("^.$", ["é", "x"], ["\n", "xx"]),
    ]

    @Test(arguments: cases.indices) func whatOccursInStudiesIsFound(_ index: Int) throws {
        let (source, found, missing) = Self.cases[index]
        let pattern = try TextPattern(source)
        for text in found { #expect(pattern.isFound(in: text), "\(source) in \(text)") }
        for text in missing { #expect(!pattern.isFound(in: text), "\(source) in \(text)") }
    }

    static let refused: [(String, String)] = [
        ("[A-Z0-", "at character 7: unmatched ["), ("(a", "at character 3: unmatched ("),
        ("a)", "at character 2: unmatched )"), ("*a", "at character 1: nothing to repeat before *"),
        ("(?=a)b", "at character 3: look-around, names and options are not supported"),
        ("(?i)a", "at character 3: look-around, names and options are not supported"),
        ("(a)\\1", "at character 5: \\1 is not known"), ("\\bword", "at character 2: \\b is not known"),
        ("\\p{L}", "at character 2: \\p is not known"),
        ("[a[b]]", "at character 3: a class within a class is not supported"),
        ("[a&&b]", "at character 3: && in a class is not supported"),
        ("[z-a]", "at character 5: a range that ends before it begins"),
        ("a{", "at character 3: { without a number; write \\{ for the character"),
        ("a{9,3}", "at character 7: { needs one or two numbers up to 500, the first not above the second, and a }"),
        ("a\\", "at character 3: a \\ at the end"),
        ("(((a{500}){500}){500})", "at character 1: too many repetitions to be matched"),
        (String(repeating: "(", count: 30), "at character 22: groups nested more than 20 deep"),
        (String(repeating: "a", count: 501), "at character 501: it is longer than 500 characters"),
    ]

    @Test(arguments: refused) func whatIsNotUnderstoodIsNamedWithItsPlace(_ source: String, _ words: String) {
        let error = #expect(throws: TextPatternError.self) { try TextPattern(source) }
        #expect(error?.description == words)
    }

    /// The standard library's own expressions are the reference, on what both know.
    @Test func randomPatternsFindWhatTheStandardLibraryFinds() throws {
        var generator = SplitMix64(seed: 11)
        var compared = 0
        for _ in 0..<700 {
            let source = Self.pattern(depth: 3, &generator)
            guard let reference = try? Regex(source) else { continue }
            let pattern = try TextPattern(source)
            for _ in 0..<4 {
                let text = String((0..<generator.below(6)).map { _ in "abc1-"[generator.below(5)] })
                #expect(
                    pattern.isFound(in: text) == (try reference.firstMatch(in: text) != nil), "\(source) in \(text)")
                compared += 1
            }
        }
        #expect(compared > 1_500)
    }

    private static func pattern(depth: Int, _ generator: inout SplitMix64) -> String {
        guard depth > 0 else { return ["a", "b", ".", "[ab]", "[^a]", "\\d", "c"][generator.below(7)] }
        func part() -> String { pattern(depth: depth - 1, &generator) }
        switch generator.below(9) {
        case 0: return part() + part()
        case 1: return "(" + part() + "|" + part() + ")"
        case 2: return "(?:" + part() + ")*"
        case 3: return "(" + part() + ")+"
        case 4: return "(" + part() + ")?"
        case 5: return "(" + part() + "){1,2}"
        case 6: return "^" + part()
        case 7: return part() + "$"
        default: return part()
        }
    }

    @Test(.timeLimit(.minutes(10))) func whatMakesBacktrackersRunForEverIsOverAtOnce() throws {
        let pattern = try TextPattern("^(a+)+(a|aa)*(a*)*$")
        #expect(!pattern.isFound(in: String(repeating: "a", count: 400) + "!"))
    }
}

extension String {
    fileprivate subscript(place: Int) -> Character { self[index(startIndex, offsetBy: place)] }
}
