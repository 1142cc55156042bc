// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@testable import PlatformSchema

@Suite struct SchemaBranchTests {
    static let drivers: [String: String] = [
        "radio": #""type":"multi","radio":true,"options":["A","B"]"#,
        "ticks": #""type":"multi","radio":false,"options":["A","B"]"#,
        "modal": #""type":"multi","radio":false,"modal":true,"options":["A","B"]"#,
        "yesno": #""type":"yesno","yes_text":"Y","no_text":"N""#,
        "text": #""type":"text","subtype":"short""#, "numeric": #""type":"text","subtype":"numeric""#,
        "slider": #""type":"slider","min":-5,"max":10"#, "date": #""type":"datetime","subtype":"date""#,
    ]

    /// Driver, `hide_value`, `hide_if`, answer, and whether the dependent is shown.
    static let table: [(String, String, String?, AnswerValue?, Bool)] = [
        ("radio", "\"B\"", "false", .choices(["B"]), true), ("radio", "\"B\"", "false", .choices(["A"]), false),
        ("radio", "\"B\"", "true", .choices(["B"]), false), ("radio", "\"B\"", "true", .choices(["A"]), true),
        ("radio", "\"B\"", "false", nil, false), ("radio", "\"B\"", "true", nil, true),
        ("radio", "\"\"", "false", nil, true), ("radio", "\"B\"", nil, .choices(["B"]), true),
        ("yesno", "\"N\"", "false", .boolean(false), true), ("yesno", "\"N\"", "false", .boolean(true), false),
        ("yesno", "true", "false", .boolean(true), false), ("text", "\"x\"", "false", .text("x"), true),
        // Identical means of the same type too.
        ("numeric", "5", "false", .number(5), true), ("numeric", "\"5\"", "false", .number(5), false),
        ("ticks", "\"B;A;\"", "false", .choices(["B", "A"]), true), ("ticks", "\"A\"", "false", .choices(["A"]), false),
        ("modal", "\"A\"", "false", .choices(["A"]), false),
        ("slider", "\">5\"", "true", .number(5), true), ("slider", "\">5\"", "false", .number(4), false),
        ("slider", "\"<5\"", nil, .number(5), true), ("slider", "\"<5\"", nil, .number(6), false),
        ("slider", "\">1\"", nil, nil, false), ("slider", "\"<1\"", nil, nil, true),
        ("slider", "\">-3\"", nil, nil, true),
        // `"" >= 0` and `"" <= 0` of JavaScript, `"" <= -1` not.
        ("slider", "\">0\"", nil, nil, true), ("slider", "\"<0\"", nil, nil, true),
        ("slider", "\"<-1\"", nil, nil, false), ("slider", "\"<-1\"", nil, .number(-1), true),
        // `survey.page.ts`, toggleDynamicQuestions: the first character is cut off, whatever it is, and only ">" is looked for.
        ("slider", "\"50\"", nil, .number(0), true), ("slider", "\"50\"", nil, .number(1), false),
        ("slider", "\"=5\"", nil, .number(5), true), ("slider", "\"=5\"", nil, .number(6), false),
        ("date", "\"x\"", "false", nil, true),
    ]

    @Test(arguments: table.indices)
    func dependentIsShownAsTheAppMeansIt(_ index: Int) throws {
        let (driver, value, hideIf, answer, shown) = Self.table[index]
        let hides = hideIf.map { ",\"hide_if\":\($0)" } ?? ""
        let content = try ProtocolText(
            questions: """
                {"id":"dependent","type":"instruction","text":"","hide_id":"d","hide_value":\(value)\(hides)},
                {"id":"d","text":"",\(Self.drivers[driver] ?? "")}
                """
        ).questionnaire()
        let facts = StudyFacts(answers: answer.map { ["d": $0] } ?? [:])
        #expect(content.steps[0].visibleWhen?.holds(facts) ?? true == shown)
    }

    @Test(arguments: [("50", true), ("=5", true), ("<5", false), (">5", false)])
    func aSignThatTheAppDoesNotKnowIsSaid(value: String, warns: Bool) throws {
        let study = try ProtocolText(
            questions: """
                {"id":"q","type":"instruction","text":"","hide_id":"d","hide_value":"\(value)"},
                {"id":"d","text":"",\(Self.drivers["slider"] ?? "")}
                """
        ).decode()
        #expect(study.remarks.contains { $0.kind == .warning && $0.path.hasSuffix("hide_value") } == warns)
    }

    @Test(arguments: ["\"5\"", "\">x\"", "\"\"", "5"])
    func sliderRuleNeedsASignAndANumber(_ value: String) throws {
        let text = ProtocolText(
            questions: """
                {"id":"q","type":"instruction","text":"","hide_id":"d","hide_value":\(value)},
                {"id":"d","text":"",\(Self.drivers["slider"] ?? "")}
                """)
        let study = try text.decode()
        #expect(study.tasks[0].content.steps[0].visibleWhen == nil)
        #expect(study.remarks.contains { $0.kind == .warning && $0.path.hasSuffix("questions[0].hide_value") })
    }
}
