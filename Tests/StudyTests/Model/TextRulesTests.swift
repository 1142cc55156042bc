// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Study

@Suite struct TextRulesTests {
    @Test(arguments: [
        ("me@example.org", true), ("a.b-c@x.co.uk", true), ("me@example", false), ("@example.org", false),
        ("me@.org", false), ("me@x..org", false), ("me@x.", false), ("me", false), ("a@b@c.org", false), ("", false),
    ]) func anAddressHasANameAndAHost(_ text: String, _ isTaken: Bool) {
        #expect(TextRules(.email).accepts(text) == isTaken)
    }

    @Test func lengthAndPatternAreBothHeldTo() throws {
        let lower = TextPattern("^[a-z]+$") { $0.allSatisfy { ("a"..."z").contains($0) } ? .found : .missing }
        let rules = TextRules(maximumLength: 4, pattern: lower)
        #expect(rules.accepts("abcd") && !rules.accepts("abcde") && !rules.accepts("ab1"))
        let endless = TextRules(maximumLength: 4, pattern: TextPattern("(a+)+$") { _ in .exhausted })
        #expect(endless.verdict(on: "aaaa") == .undecided && endless.verdict(on: "aaaaa") == .refused)
        #expect(TextRules().accepts("") && TextRules().limit == 500 && TextRules(maximumLength: 9_999).limit == 500)
    }
}
