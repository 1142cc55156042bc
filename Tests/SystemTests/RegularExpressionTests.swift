// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SystemKit

/// The apps of the platforms match by ICU: on iOS through NSRegularExpression, on Android through
/// java.util.regex. Foundation's NSRegularExpression is ICU here too, and the reference.
@Suite struct RegularExpressionTests {
    static let cases: [(pattern: String, found: [String], missing: [String])] = [
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
        ("^[\\]x-]+$", ["]", "x-", "-]x"], ["y"]),
        ("^\\W\\S\\D$", ["!ab"], ["aab", "! b", "!a1"]),
        ("^(a|b(c|d))*?e$", ["e", "abce", "bdae"], ["bce!", "be"]),
        ("\\.\\*\\[", [".*["], ["a*["]),
        ("^a++b$", ["aab"], ["b"]),
        ("x{0}y", ["y"], ["x"]),
        ("^.$", ["é", "x", "😀"], ["\n", "xx", "\u{2028}"]),
        // What was refused before: look-around, options, names, references, properties, words.
        ("(?=a)b|ac", ["ac"], ["ab", "b"]),
        ("(?i)^straße$", ["Straße", "STRAßE"], ["Strase"]),
        ("^(?<first>a|b)\\k<first>$", ["aa", "bb"], ["ab"]),
        ("(a)(b)\\2", ["abb"], ["aba"]),
        ("\\bword\\b", ["a word!"], ["sword", "words"]),
        ("^\\p{L}+$", ["Müller", "Ελένη"], ["Müller1", ""]),
        ("^\\p{Lu}\\p{Ll}+$", ["Ute"], ["ute", "UTE"]),
        ("(?<!\\d)7(?!\\d)", ["7", "a7b"], ["77", "17"]),
        ("^[[:alpha:]]+$", ["ab"], ["a1"]),
        ("^[[:digit:]a]+$", ["1a"], ["b", "1]"]), ("^[^[:space:][:digit:]]$", ["a", ":"], ["1", " "]),
        ("^[a:]]$", [":]", "a]"], ["a", "]"]),
        ("^\\u00e9\\x41\\U0001F600$", ["éA😀"], ["eA😀"]),
        ("^\\d+$", ["12", "\u{0661}\u{0662}"], ["a"]),
        ("^a$", ["a", "a\n"], ["a\nb"]),
        ("(?m)^b$", ["a\nb", "a\rb", "a\u{2028}b"], ["ab"]),
        // ResearchKit's own (ORKAnswerFormat.m:54; ORKAnswerFormatTests.m:80 and :105).
        ("^[A-Z0-9a-z._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,6}$", ["me@example.org"], ["me@example", "me"]),
        ("^[A-F,0-9]+$", ["A1"], ["Q1"]),
        (
            "^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?=.*[$@$!%*?&])[A-Za-z\\d$@$!%*?&]{10,}", ["Password1$"],
            ["password1$", "Password10", "Pass1$"]
        ),
        // Study Builder of FDA MyStudies writes these for letters, digits, letters and digits with
        // exceptions (FdahpStudyDesignerUtil.getRegExpression).
        ("^(?!.*x|y)[a-zA-Z ]+", ["hello", "a y"], ["a x", "yes", "1"]),
        ("^(?!.*\\-)[0-9 ]+", ["12 3"], ["1-2", "a"]),
        ("^(?!.*q\\!)[a-zA-Z0-9 ]+", ["ok 1"], ["q!", "is q!"]),
        ("^(?:a|b)$", ["a", "b"], ["ab", "c"]),
        ("[^A-Za-z0-9]+", ["!", "a!"], ["a1"]),
        // AssessmentModel's and SageResearch's validator for whole numbers
        // (TextEntryValidator.swift:233).
        ("^[0-9]*$", ["", "12"], ["1a"]),
    ]

    @Test(arguments: cases.indices) func whatStudiesWriteIsFoundAsTheirAppsFindIt(_ index: Int) throws {
        let (source, found, missing) = Self.cases[index]
        let expression = try RegularExpression(source)
        let icu = try NSRegularExpression(pattern: source)
        for text in found + missing {
            let isFound = icu.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
            #expect(isFound == found.contains(text), "ICU: \(source) in \(text)")
            #expect(expression.match(text) == (isFound ? .found : .missing), "\(source) in \(text)")
        }
    }

    /// `numberOfMatches` is what SageResearch and AssessmentModel look at.
    @Test(arguments: ["[0-9]", "[0-9]+", "[0-9]*", "^[0-9]*$", "^[0-9]*", "^", "$", "a|ab", "(?<=a)b", "(a)(b)?"])
    func whatIsFoundOnceIsWhatICUCountsOnce(_ source: String) throws {
        let expression = try RegularExpression(source)
        let icu = try NSRegularExpression(pattern: source)
        for text in ["", "1", "12", "x1", "1 2", "12 34", "abc", "ab", "abab", "é", "é1", "😀😀"] {
            let count = icu.numberOfMatches(in: text, range: NSRange(text.startIndex..., in: text))
            #expect(
                expression.match(text, onlyOnce: true) == (count == 1 ? .found : .missing), "\(source) in \(text)")
        }
    }

    static let refused: [(String, Int, String)] = [
        ("[A-Z0-", 7, "terminating ]"), ("(a", 3, "parenthesis"), ("a)", 2, "parenthesis"), ("*a", 1, "quantifier"),
        ("ü\\p{Nonsense}", 14, "unknown property"), ("[z-a]", 4, "range out of order"), ("a{9,3}", 6, "out of order"),
        ("a\\", 3, "\\ at end of pattern"), ("(((a{500}){500}){500})", 23, "too large"),
        (String(repeating: "(", count: 60), 52, "nested"), ("(?<=a|b+)c", 1, "lookbehind"),
        ("\\uZZZZ", 3, "not support"), ("\\u12", 3, "not support"), ("\\U0001F60", 3, "not support"),
        ("[a[b]]", 3, "a class within a class is not supported"), ("[a&&b]", 3, "&& in a class is not supported"),
        ("[[:alpha:]&&[x]]", 11, "&& in a class is not supported"),
        ("[[:digit:]--[5]]", 11, "-- in a class is not supported"),
        ("[[:digit:][5]]", 11, "a class within a class is not supported"),
        ("[a[:b]]", 3, "a class within a class is not supported"), ("[a[:", 3, "a class within a class"),
        ("[a--b]", 3, "-- in a class is not supported"), ("(a)\\2", 5, "non-existent"),
        (String(repeating: "a", count: 501), 501, "it is longer than 500 characters"),
    ]

    /// The words and, by a character or two, the places are those of PCRE2 10.42 to 10.46.
    @Test(arguments: refused) func whatIsNotUnderstoodIsNamedWithItsPlace(
        _ source: String, _ place: Int, _ words: String
    ) {
        let error = #expect(throws: RegularExpressionError.self) { try RegularExpression(source) }
        let description = error?.description ?? ""
        #expect(abs((error?.place ?? -99) - place) <= 2, "\(description)")
        #expect(description.contains(words) && !description.contains("\0"), "\(description)")
    }

    @Test(arguments: ["(a", "a\\", "ü(a", "é\\u00e9(😀"]) func whatIsMissingAtTheEndIsOneBehindTheLast(_ source: String)
    {
        let error = #expect(throws: RegularExpressionError.self) { try RegularExpression(source) }
        #expect(error?.place == source.unicodeScalars.count + 1)
    }

    /// An escaped letter beyond U+FFFF counts as one character, and a translated escape as the six
    /// that were written.
    @Test func placesAreCountedInTheStudysCharacters() {
        let error = #expect(throws: RegularExpressionError.self) { try RegularExpression("😀é\\u00e9[a&&b]") }
        #expect(error?.description == "at character 11: && in a class is not supported")
    }

    @Test func randomPatternsFindWhatICUFinds() throws {
        var generator = Draws(state: 11)
        var compared = 0
        for _ in 0..<700 {
            let source = Self.pattern(depth: 3, &generator)
            guard let icu = try? NSRegularExpression(pattern: source) else { continue }
            let expression = try RegularExpression(source)
            for _ in 0..<4 {
                let text = String((0..<generator.below(6)).map { _ in Array("abc1-")[generator.below(5)] })
                let isFound = icu.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
                #expect(expression.match(text) == (isFound ? .found : .missing), "\(source) in \(text)")
                compared += 1
            }
        }
        #expect(compared > 2_000)
    }

    private struct Draws {
        var state: UInt64
        mutating func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
    }

    private static func pattern(depth: Int, _ generator: inout Draws) -> String {
        guard depth > 0 else { return ["a", "b", ".", "[ab]", "[^a]", "\\d", "c", "\\w", "\\b"][generator.below(9)] }
        func part() -> String { pattern(depth: depth - 1, &generator) }
        switch generator.below(12) {
        case 0: return part() + part()
        case 1: return "(" + part() + "|" + part() + ")"
        case 2: return "(?:" + part() + ")*"
        case 3: return "(" + part() + ")+"
        case 4: return "(" + part() + ")?"
        case 5: return "(" + part() + "){1,2}"
        case 6: return "^" + part()
        case 7: return part() + "$"
        case 8: return "(?=" + part() + ")"
        case 9: return "(?!" + part() + ")" + part()
        case 10: return "(?>" + part() + ")"
        default: return part()
        }
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "^(a+)+(a|aa)*(a*)*$", "(a+a+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^!a]$",
            "(?=(a+)+$)b", "^(?:a?){200}a{200}b",
        ])
    func whatMakesBacktrackersRunForEverIsGivenUp(_ source: String) throws {
        let expression = try RegularExpression(source)
        #expect(expression.match(String(repeating: "a", count: 400) + "!") != .found)
    }

    @Test func aPatternThatIsGivenUpSaysSo() throws {
        let text = String(repeating: "a", count: 40)
        #expect(try RegularExpression("^(a+)+$").match(text) == .found)
        #expect(try RegularExpression("^(a+)+$").match(text + "!") == .exhausted)
    }

    @Test func theLongestTextsAreMatched() throws {
        let text = String(repeating: "ä", count: 500)
        #expect(try RegularExpression("^(?:\\w| )*$").match(text) == .found)
        #expect(try RegularExpression("^(ä|b)+?$").match(text) == .found)
        #expect(try RegularExpression(".*x.*").match(text) == .missing)
        #expect(try RegularExpression(String(repeating: "ä", count: 500)).match(text) == .found)
    }

    /// NSRegularExpression takes no empty pattern.
    @Test func anEmptyPatternIsEverywhere() throws {
        #expect(try RegularExpression("").match("") == .found)
        #expect(try RegularExpression("").match("x") == .found)
    }

    @Test func aZeroIsACharacter() throws {
        #expect(try RegularExpression("^a\0b$").match("a\0b") == .found)
        #expect(try RegularExpression("^a$").match("a\0b") == .missing)
    }
}
