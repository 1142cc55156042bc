// SPDX-License-Identifier: Apache-2.0
import MerlinFuzz
import Testing

@testable import PlatformESMira

/// Scripts that would never end, or fill the memory or the stack, end with an error in words.
@Suite struct MerlinLimitsTests {
    private static let steps = "the script takes more than 200000 steps and was stopped; does it ever end?"
    private static let memory = "the script makes more than 1 MiB of texts and lists; it was stopped"
    private static let deep = "lists and objects are nested more than 60 levels deep, or contain themselves"
    private static let limits = MerlinLimits(steps: 200_000, memory: 1 << 20, calls: 500)
    private static let doubling = "for (i in 1:50) { a = [a, a]; }"
    private static let fields = (1...26).map { "o.f\($0) = 1;" }.joined(separator: " ")

    /// Keeps a text of 64 KiB under each of `count` names: the run holds it once, what is kept has it each time.
    private static func kept(_ count: Int) -> String {
        "s = \"x\"; for (i in 1:16) s += s; " + (1...count).map { "globals.k\($0) = s;" }.joined(separator: " ")
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            ("a = 1;\nwhile (1) a += 1;", 2, steps), ("while (1) {}", 1, steps),
            ("s = \"x\";\nwhile (1)\n  s += s;", 3, memory), ("s = \"x123456789\"; for (i in 1:27) s += s;", 1, memory),
            ("a = [1];\nwhile (1) a = a .. a;", 2, memory), ("1:1000000000;", 1, memory),
            ("0:\"Infinity\";", 1, memory),
            ("while (1) { o = object; o.a = 1; }", 1, memory),
            ("function f(x) {\n return f(x + 1); }\nf(1);", 2, "functions call each other more than 500 deep"),
            ("function f() { g(); } function g() { f(); }\nf();", 1, "functions call each other more than 500 deep"),
            ("a = [1]; a[1] = a;\na .. \"\" == 1;", 2, deep), ("a = [1, 2]; a[1] = a; \"\" .. a;", 1, deep),
            ("a = [1]; a[1] = a; a + 1;", 1, deep), ("a = [1]; a[1] = a; -a;", 1, deep),
            ("a = [1, 1]; a[2] = a; if (a) 1;", 1, deep), ("a = [1]; a[1] = a; floor(a);", 1, deep),
            ("o = object; o.o = o; log(o);", 1, deep), ("globals.g = globals;", 1, deep),
            ("a = 1; \(doubling) log(a);", 1, steps), ("a = 1; \(doubling) if (a) 1;", 1, steps),
            ("a = 1; \(doubling) -a;", 1, memory), ("a = 1; \(doubling) a + 1;", 1, memory),
            ("a = 1; \(doubling) globals.a = a;", 1, memory), ("a = 1; \(doubling) sum(a);", 1, ""),
            ("s = \"x\"; for (i in 1:15) s += s; while (1) s == s;", 1, steps),
            ("s = \" \"; for (i in 1:15) s += s; while (1) if (s) 1;", 1, steps),
            ("a = 1:10000; b = 1:10000; for (i in 1:1000) a[b] = 1;", 1, steps),
            ("a = [none]; for (i in 1:13) a = a .. a; while (1) filterNone(a);", 1, steps),
            // A field takes memory, and a long text that is a number steps.
            ("while (1) { o = object; \(fields) }", 1, memory),
            ("s = \"0\"; for (i in 1:15) s = s .. s; for (i in 1:1000) -s;", 1, steps),
            (kept(5), 1, ""), (kept(20), 1, memory),
            ("while (1) getQuestionnaireVar(\"word\");", 1, steps), ("while (1) log(\"abc\" .. 1);", 1, memory),
        ])
    func nothingRunsForEver(_ source: String, _ line: Int, _ message: String) throws {
        let run = try MerlinScript(source).run(in: Evening(), limits: Self.limits)
        guard !message.isEmpty else { return #expect(run.problem == nil) }
        #expect(run.problem?.message == message, "\(source)")
        #expect(run.problem?.place.line == line, "\(source)")
    }

    /// What is kept lies in `globals`, which is a level as well.
    @Test(arguments: [
        ("b = a + 1;", 60), ("b = 1 + a;", 60), ("b = -a;", 60), ("b = !a;", 60), ("if (a) b = 1;", 60),
        ("b = \"\" .. a;", 60), ("log(a);", 60), ("b = floor(a);", 60), ("b = [7][a];", 60), ("globals.a = a;", 59),
    ])
    func sixtyLevelsOfListsWorkAndNoMore(_ use: String, _ most: Int) throws {
        func problem(_ levels: Int) throws -> String? {
            try MerlinScript("a = 1; for (i in 1:\(levels)) a = [a]; \(use)").run(in: Evening()).problem?.message
        }
        #expect(try problem(most) == nil && problem(most + 1) == Self.deep)
    }

    @Test(arguments: [("b = \"\" .. a;", 60), ("log(a);", 60), ("globals.a = a;", 59)])
    func sixtyLevelsOfObjectsWorkAndNoMore(_ use: String, _ most: Int) throws {
        func problem(_ levels: Int) throws -> String? {
            let nested = "a = 1; for (i in 1:\(levels)) { o = object; o.a = a; a = o; } "
            return try MerlinScript(nested + use).run(in: Evening()).problem?.message
        }
        #expect(try problem(most) == nil && problem(most + 1) == Self.deep)
    }

    @Test func globalsOfSixtyLevelsComeAgainAndNoMore() throws {
        func run(_ levels: Int, _ around: (MerlinValue) -> MerlinValue) throws -> MerlinRun {
            let value = (0..<levels).reduce(MerlinValue.number(1)) { value, _ in around(value) }
            let globals = MerlinValue.object([("a", value)])
            return try MerlinScript("log(1);").run(in: Evening(), globals: globals)
        }
        for around in [{ .list([$0]) }, { .object([("o", $0)]) }] as [(MerlinValue) -> MerlinValue] {
            let (most, more) = (try run(59, around), try run(60, around))
            #expect(most.problem == nil && more.problem?.message == Self.deep)
            // The script does not begin.
            #expect(most.effects.count == 1 && more.effects.isEmpty)
        }
    }

    @Test func theStandardLimitsEndQuicklyWhatWouldFillTheMemory() throws {
        let text = try MerlinScript("s = \"x\"; while (1) s += s;").run(in: Evening())
        #expect(text.problem?.message == "the script makes more than 16 MiB of texts and lists; it was stopped")
        let list = try MerlinScript("1:2000000000;").run(in: Evening())
        #expect(list.problem?.message == "the script makes more than 16 MiB of texts and lists; it was stopped")
    }

    @Test(arguments: [
        String(repeating: "(", count: 20_000), String(repeating: "[", count: 20_000),
        String(repeating: "- ", count: 20_000) + "1;", String(repeating: "{", count: 20_000),
        String(repeating: "if (1) ", count: 20_000) + "1;", String(repeating: "a[", count: 20_000),
        String(repeating: "function f() {", count: 20_000), String(repeating: "f(", count: 20_000),
        String(repeating: "init {", count: 20_000), String(repeating: "while (1) ", count: 20_000),
    ])
    func whatLiesTooDeepIsRefused(_ source: String) {
        do throws(MerlinProblem) {
            _ = try MerlinScript(source)
            Issue.record("\(source.prefix(20)) was read")
        } catch {
            #expect(error.message == "this is nested more than 100 levels deep")
        }
    }

    @Test(arguments: [
        "1" + String(repeating: " + 1", count: 5_000) + ";", String(repeating: "a = 1;\n", count: 5_000) + "a;",
        "[" + String(repeating: "1, ", count: 5_000) + "1] >> size();",
        "// " + String(repeating: "x", count: 1 << 20) + "\n1;",
        "a = object; a" + String(repeating: ".b", count: 1) + ";",
        "x = 1; x" + String(repeating: " or x", count: 5_000) + ";",
    ])
    func whatIsOnlyLongRuns(_ source: String) throws {
        #expect(try MerlinScript(source).run(in: Evening()).problem == nil)
    }

    @Test func aFunctionHasAtMost255Arguments() {
        #expect(throws: MerlinProblem.self) { try MerlinScript("f(1" + String(repeating: ", 1", count: 255) + ");") }
        #expect(throws: MerlinProblem.self) {
            try MerlinScript("1 >> f(1" + String(repeating: ", 1", count: 254) + ");")
        }
        #expect(throws: Never.self) { try MerlinScript("1 >> f(1" + String(repeating: ", 1", count: 253) + ");") }
    }
}
