// SPDX-License-Identifier: Apache-2.0
import Base
import MerlinFuzz
import Study
import Testing

@testable import PlatformESMira

/// Scripts beside what the app makes of them.
@Suite struct MerlinScriptTests {
    @Test(arguments: MerlinFact.all.map(\.0))
    func aScriptGivesWhatTheAppMakesOfIt(_ group: String) throws {
        let facts = try #require(MerlinFact.all.first { $0.0 == group }?.1)
        for fact in facts {
            let own = MerlinAccount.of(fact.script)
            if fact.account == "crash" {
                #expect(own.hasPrefix("run ") || own.hasPrefix("scan "), "\(fact.script): \(own)")
            } else {
                #expect(own == fact.account, "\(fact.script)")
            }
        }
    }

    /// Kotlin's `isBlank`: all of it is `isWhitespace` or `isSpaceChar` of Java's `Character`.
    @Test(arguments: [
        ("a", true), ("\u{E4}", true), (" \u{E4} ", true), ("", false), (" \t\u{1C}\u{1F}", false), ("\u{A0}", false),
        ("\u{2003}\u{2028}\u{2029}\u{3000}", false), ("\u{85}", true), ("\u{200B}", true), ("\u{1B}", true),
    ])
    func aTextIsTrueUnlessItIsBlank(_ text: String, _ isTrue: Bool) throws {
        let run = try MerlinScript("\"\(text)\";").run(in: Evening())
        #expect(run.problem == nil && run.result?.isTrue == isTrue)
    }

    @Test(arguments: [
        ("a = 1;\n  b = $;", "line 2, column 7: the character '$' (U+24) has no meaning here"),
        ("x = \"open;\n", "line 1, column 5: the text that begins here has no closing quotation mark"),
        ("a = (1 + 2;", "line 1, column 11: ')' is missing after the expression, before ';'"),
        ("a = 1", "line 1, column 6: ';' is missing after the assignment, before the end of the script"),
        ("1 = a;", "line 1, column 3: nothing can be assigned to what is before '='"),
        ("a >> f() = 1;", "line 1, column 10: nothing can be assigned to what is before '='"),
        ("-a = 1;", "line 1, column 4: nothing can be assigned to what is before '='"),
        ("a:2 = 1;", "line 1, column 5: nothing can be assigned to what is before '='"),
        ("a + b = 1;", "line 1, column 7: nothing can be assigned to what is before '='"),
        ("a or b = 1;", "line 1, column 8: nothing can be assigned to what is before '='"),
        ("\n\n a = 5 + ;", "line 3, column 10: expected a value, found ';'"),
        ("function (x) {}", "line 1, column 10: a function needs a name, not '('"),
        ("function f x) {}", "line 1, column 12: '(' is missing after the function's name, before 'x'"),
        ("function f(1) {}", "line 1, column 12: a parameter needs a name, not a number"),
        ("function f(x {}", "line 1, column 14: ')' is missing after the parameters, before '{'"),
        ("function f(x) x;", "line 1, column 15: '{' is missing before the function's body, before 'x'"),
        ("for i in 1:3) {}", "line 1, column 5: '(' is missing after 'for', before 'i'"),
        ("for (1 in a) {}", "line 1, column 6: 'for' needs a variable, not a number"),
        ("for (i 1:3) {}", "line 1, column 8: 'in' is missing after the variable of 'for', before a number"),
        ("for (i in 1:3 {}", "line 1, column 15: ')' is missing after the list of 'for', before '{'"),
        ("if 1) {}", "line 1, column 4: '(' is missing after 'if', before a number"),
        ("while (1 {}", "line 1, column 10: ')' is missing after the condition of 'while', before '{'"),
        ("return 1", "line 1, column 9: ';' is missing after the value of 'return', before the end of the script"),
        ("init a = 1;", "line 1, column 6: '{' is missing after 'init', before 'a'"),
        ("1 2;", "line 1, column 3: ';' is missing after the expression, before a number"),
        ("a >> b;", "line 1, column 6: after '>>' there must be a call of a function"),
        ("1(2);", "line 1, column 2: only a name can be called as a function"),
        ("a.;", "line 1, column 3: after '.' there must be the name of a field, not ';'"),
        ("a[1;", "line 1, column 4: ']' is missing after the index, before ';'"),
        ("f(1;", "line 1, column 4: ')' is missing after the arguments, before ';'"),
        ("a = [1;", "line 1, column 7: ']' is missing after the list, before ';'"),
        ("if (1) { a = 1;\n", "line 2, column 1: '}' is missing at the end of the block, before the end of the script"),
    ])
    func whatCannotBeReadIsToldWithItsPlace(_ script: String, _ message: String) {
        #expect(throws: MerlinProblem.self) { try MerlinScript(script) }
        do throws(MerlinProblem) { _ = try MerlinScript(script) } catch { #expect(error.description == message) }
    }

    @Test(arguments: [
        ("a = 4;\nb = a / 0;", "line 2, column 7: division by zero"),
        ("x = [1, 2];\nx[3];", "line 2, column 2: the index 3 is outside of the list, which has 2 elements"),
        ("sum(1, 2);", "line 1, column 9: 'sum' needs 1 arguments, and there are 2"),
        ("help(1);", "line 1, column 1: there is no function 'help' here"),
        ("4 >>\n help();", "line 2, column 2: there is no function 'help' here"),
        ("function f(x) { x; }\n(1 / 0) >>\n f();", "line 2, column 4: division by zero"),
        ("1 - \"two\";", "line 1, column 3: the text \"two\" is not a number"),
    ])
    func whatFailsIsToldWithItsPlace(_ script: String, _ message: String) throws {
        let run = try MerlinScript(script).run(in: Evening())
        #expect(run.problem?.description == message && run.result == nil)
    }

    @Test func aFailureTellsTheVariables() throws {
        let script = try MerlinScript("a = 4; globals.runs = 2; for (i in [7]) { b = \"x\"; a - b; } c = 1;")
        #expect(try #require(script.run(in: Evening()).problem).variables == "a: 4\nglobals: {runs: 2}\ni: 7\nb: x")
    }

    /// A block's own variables are visible up to its last step, and no further.
    @Test(arguments: [
        ("a = 4; { b = \"x\"; a.f = 1; }", "a: 4\nglobals: {}\nb: x"),
        ("a = 4; { b = [1]; b[3] = 2; }", "a: 4\nglobals: {}\nb: 1"),
        ("a = 4; { b = \"x\"; } a.f = 1;", "a: 4\nglobals: {}"),
        ("function f(c) { c.d = 1; } f(2);", "globals: {}\nc: 2"),
    ])
    func aFailureAtTheEndOfABlockTellsTheBlocksVariables(_ source: String, _ variables: String) throws {
        #expect(try #require(MerlinScript(source).run(in: Evening()).problem).variables == variables)
    }

    /// `java.util.HashMap`: 16 places up to 12 fields, 32 up to 24; a letter lies at its number modulo the places,
    /// and behind what came to the same place before.
    @Test(arguments: [
        ("abcdefghijkp", "pabcdefghijk"), ("abcdefghijkpl", "abcdefghijklp"),
        ("ABCDEFGHIJKLMNOPQRSTUVWa", "AaBCDEFGHIJKLMNOPQRSTUVW"),
        ("ABCDEFGHIJKLMNOPQRSTUVWaX", "ABCDEFGHIJKLMNOPQRSTUVWXa"),
    ])
    func fieldsAreWrittenInTheOrderOfTheirTable(_ set: String, _ written: String) throws {
        let source = "o = object; " + set.map { "o.\($0) = 1; " }.joined() + "\"\" .. o;"
        let text = "{" + written.map { "\($0): 1" }.joined(separator: ", ") + "}"
        #expect(try MerlinScript(source).run(in: Evening()).result?.text == text)
    }

    /// `Char.isWhitespace` of Kotlin 2.3 on a JVM, for every character of the first plane.
    @Test func aTextIsTrueUnlessKotlinCallsItBlank() throws {
        let blank = Set<UInt32>(0x09...0x0D).union(0x1C...0x20).union(0x2000...0x200A).union([
            0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000,
        ])
        let others: [UInt32] = [0x00, 0x08, 0x0E, 0x1B, 0x21, 0x7F, 0x85, 0x180E, 0x200B, 0x2060, 0xFEFF]
        for scalar in (blank.sorted() + others).compactMap(Unicode.Scalar.init) {
            let run = try MerlinScript("x = \"\(Character(scalar))\"; if (x) 1; else 2;").run(in: Evening())
            #expect(run.result?.text == (blank.contains(scalar.value) ? "2" : "1"), "\(scalar.value)")
        }
    }

    @Test func whatWasSetBeforeAFailureStays() throws {
        let script = try MerlinScript("globals.a = globals.a + 1; log(\"here\"); 1 / 0;")
        let run = script.run(
            in: Evening(), globals: .object([("a", .number(4)), ("b", .text("x"))]))
        #expect(run.globals.json.text == #"{"a":5.0,"b":"x"}"#)
        #expect("\(run.effects)".contains("log(\"here\")") && run.effects.count == 1)
    }

    @Test func globalsComeAgainAsTheyWere() throws {
        let first = try MerlinScript("globals.l = [1, none, [\"a\"]]; globals.o = object; globals.o.x = 0.5;").run(
            in: Evening())
        let second = try MerlinScript("globals.l[3][1] .. globals.o.x;").run(in: Evening(), globals: first.globals)
        #expect(second.result?.text == "a0.5" && second.globals.json == first.globals.json)
    }

    @Test func globalsAreKeptAsJSON() throws {
        let script = try MerlinScript(
            "globals.l = [1, none, [\"a\\\"], 1/3]; globals.o = object; globals.o.x = 0.1; globals.n = \"NaN\" * 1; globals.b = -2147483649;"
        )
        let globals = script.run(in: Evening()).globals
        let again = MerlinValue(try JSONNode(Array(globals.json.text.utf8)))
        #expect(
            globals.json.text
                == #"{"l":[1.0,null,["a\\"],0.3333333333333333],"o":{"x":0.1},"n":"NaN","b":-2147483649.0}"#)
        let reader = try MerlinScript("[globals.l[3][1], globals.o.x, globals.n + 1, globals.b];")
        #expect(reader.run(in: Evening(), globals: again).result?.text == "a\\, 0.1, NaN, -2.147483649E9")
    }

    @Test func chanceComesFromTheSeed() throws {
        let script = try MerlinScript("[random(1, 1000), random(-5, 5), shuffle(1:20)];")
        let texts = (0..<50).compactMap { script.run(in: Evening(), seed: $0).result?.text }
        #expect(Set(texts).count == 50)
        #expect(script.run(in: Evening(), seed: 7).result?.text == texts[7])
        let dice = try MerlinScript(
            "d = []; for (i in 1:2000) d = d .. random(1, 6); [min(d), max(d), mean(d) > 3.3 and mean(d) < 3.7];")
        #expect(
            dice.run(in: Evening(), limits: MerlinLimits(steps: 9_000_000, memory: 1 << 30, calls: 1)).result?.text
                == "1, 6, 1")
    }

    /// SplitMix64, by the first values for this seed that its authors' C code gives: 6457827717110365317,
    /// 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821.
    @Test func chanceIsThatOfSplitMix64() throws {
        let whole = "random(-2147483648, 2147483647)"
        let script = try MerlinScript("[\(whole), \(whole), random(0, 9), random(3, 3), random(-1, 0)];")
        #expect(
            script.run(in: Evening(), seed: 1_234_567).result?.text == "-643903465, -1401687932, 5, 3, 0")
    }

    /// The studies of the fixtures: no script of theirs may be unreadable, and only the one that is
    /// there to fail fails.
    @Test(.enabled(if: MerlinFixtures.areThere, "needs ../shared/fixtures/esmira"))
    func theScriptsOfTheFixturesRun() throws {
        let scripts = MerlinFixtures.scripts
        try #require(scripts.count >= 14)
        let failed = try scripts.filter { try MerlinScript($0).run(in: Evening()).problem != nil }
        #expect(failed.count == 1 && failed.allSatisfy { $0.contains("non-numeric string") })
    }
}
