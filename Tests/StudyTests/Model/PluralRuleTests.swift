// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

struct PluralRuleTests {
    /// `Plural-Forms` as GNU gettext's own table has them (gettext 0.21, `plural-table.c`), and what
    /// CLDR 44 gives as samples of each category (`plurals.xml`, cardinal rules for whole numbers).
    private static let rules: [(language: String, rule: String, samples: [[Int]])] = [
        ("ja", "nplurals=1; plural=0;", [[0, 1, 2, 15, 100, 1_000]]),
        ("en", "nplurals=2; plural=(n != 1);", [[1], [0, 2, 16, 100, 1_000]]),
        ("fr", "nplurals=2; plural=(n > 1);", [[0, 1], [2, 17, 100]]),
        (
            "pl",
            "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
            [[1], [2, 3, 4, 22, 24, 32, 34, 102], [0, 5, 12, 14, 19, 100, 112, 1_000]]
        ),
        (
            "ru",
            "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
            [[1, 21, 31, 101, 1_001], [2, 4, 22, 24, 102], [0, 5, 11, 14, 19, 100, 1_000]]
        ),
        ("cs", "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;", [[1], [2, 3, 4], [0, 5, 19, 100]]),
        (
            "sl", "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);",
            [[1, 101, 1_001], [2, 102], [3, 4, 103], [0, 5, 19, 100]]
        ),
        (
            "ar",
            "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);",
            [[0], [1], [2], [3, 10, 103, 1_003], [11, 26, 111], [100, 102, 200, 1_000]]
        ),
        (
            "lt", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);",
            [[1, 21, 31, 101], [2, 9, 22, 29, 102], [0, 10, 11, 20, 30]]
        ),
    ]

    @Test(arguments: rules.indices) func aNumberHasTheFormThatItsLanguageGivesIt(_ index: Int) throws {
        let (language, text, samples) = Self.rules[index]
        let rule = try #require(PluralRule(text))
        for (form, numbers) in samples.enumerated() {
            for number in numbers { #expect(rule[number] == form, "\(number) in \(language)") }
        }
    }

    /// Python's `gettext.c2py` reads the same expressions.
    @Test(.enabled(if: PythonReading.isThere, "python3 is not installed, so no other reader judges the rules"))
    func pythonGivesEveryNumberTheSameForm() throws {
        let expressions = Self.rules.map { $0.rule.split(separator: "plural=")[1].dropLast() }
        let program = expressions.map { "print(*map(g.c2py(\"\($0)\"), range(1200)))" }.joined(separator: "; ")
        let output = try #require(PythonReading.output(of: "python3 -c 'import gettext as g; \(program)'"))
        let lines = output.split(separator: "\n")
        #expect(lines.count == Self.rules.count)
        for (rule, line) in zip(Self.rules, lines) {
            let parsed = try #require(PluralRule(rule.rule))
            #expect((0..<1_200).map { parsed[$0] } == line.split(separator: " ").compactMap { Int($0) })
        }
    }

    @Test(arguments: [
        "", "nplurals=2;", "nplurals=2; plural=;", "nplurals=2; plural=n !;", "nplurals=2; plural=(n;",
        "nplurals=2; plural=n ? 1;", "nplurals=2; plural=m;", "nplurals=2; plural=n 1;",
        "nplurals=2; plural=\(String(repeating: "(", count: 10_000))n;",
        "nplurals=2; plural=\(String(repeating: "!", count: 10_000))n;",
        "nplurals=2; plural=\(String(repeating: "n?n:", count: 10_000))n;",
    ]) func whatIsNoRuleIsRefused(_ text: String) { #expect(PluralRule(text) == nil) }

    /// C17 6.5.3.3, 6.5.8, 6.5.9, 6.5.13 and 6.5.14: what is true is 1, what is not is 0.
    @Test(arguments: [
        ("n || 0", [0, 1, 1, 1]), ("n == 1 || n == 2", [0, 1, 1, 0]), ("n && 2", [0, 1, 1, 1]),
        ("n == 2", [0, 0, 1, 0]), ("n != 2", [1, 1, 0, 1]), ("n < 2", [1, 1, 0, 0]), ("n <= 2", [1, 1, 1, 0]),
        ("n > 2", [0, 0, 0, 1]), ("n >= 2", [0, 0, 1, 1]), ("!n", [1, 0, 0, 0]), ("!!n", [0, 1, 1, 1]),
    ]) func whatIsTrueIsOne(_ expression: String, _ forms: [Int]) throws {
        let rule = try #require(PluralRule("nplurals=2; plural=\(expression);"))
        #expect((0...3).map { rule[$0] } == forms)
    }

    @Test func aDivisionByZeroIsZero() throws {
        let rule = try #require(PluralRule("nplurals=2; plural=n/0 + n%0;"))
        #expect(rule[7] == 0)
    }
}
